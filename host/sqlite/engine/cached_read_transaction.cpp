#include "sqlite/engine/cached_read_transaction.hpp"

#include <sqlite3.h>

#include "data/limits.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

void CachedReadTransaction::refresh(std::int64_t now) noexcept {
  if (!index_) {
    if (is_looked_for_) return;
    is_looked_for_ = true;
    if (!index_.open(connection_.handle())) return;
  }
  constexpr std::int64_t idle =
      std::chrono::duration_cast<std::chrono::nanoseconds>(max_cached_idle).count();
  const WalIndex::Version newest = index_.version();
  const bool is_newest = newest == version_;
  const bool is_busy = now - used_at_ < idle;
  version_ = newest;
  used_at_ = now;
  if (is_kept_ && is_newest && !must_release()) return;
  end();
  if (!is_newest || !is_busy) return;
  needs_log_ = !index_.is_copied();
  if (must_release()) return;
  is_kept_ = connection_.control(Control::begin_read) == SQLITE_OK;
}

bool CachedReadTransaction::finish_query() noexcept {
  // One that needs no log holds up the next copy of it once there is something to copy.
  if (is_kept_ && (is_invalid_ || must_release() ||
                   (index_.pages() >= overdue_pages && index_.version() != version_)))
    end();
  is_invalid_ = false;
  return is_kept_;
}

void CachedReadTransaction::end() noexcept {
  if (!is_kept_) return;
  is_kept_ = false;
  if (!connection_.is_autocommit()) connection_.control(Control::rollback);
}

bool CachedReadTransaction::must_release() const noexcept {
  if (!needs_log_) return false;
  const std::uint32_t pages = index_.pages();
  return pages >= overdue_pages || index_.is_copied();
}

}  // namespace tenon::data::sqlite
