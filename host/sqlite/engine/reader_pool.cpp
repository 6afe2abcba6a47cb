#include "sqlite/engine/reader_pool.hpp"

#include <algorithm>
#include <chrono>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

Connection* ReaderPool::take(std::int64_t limit) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_closed_) throw closed_error();
    if (!idle_.empty()) {
      Connection* connection = idle_.back();
      idle_.pop_back();
      return connection;
    }
    if (all_.size() + opening_ < max_readers_) break;
    const std::int64_t left = limit - base::monotonic_nanoseconds();
    if (left <= 0) {
      Counters::add(counters_.busy);
      throw busy_error();
    }
    returned_.wait_for(lock, std::chrono::nanoseconds(left));
  }
  ++opening_;
  lock.unlock();
  std::unique_ptr<Connection> opened;
  try {
    opened = std::make_unique<Connection>(options_);
  } catch (...) {
    lock.lock();
    --opening_;
    returned_.notify_one();
    throw;
  }
  lock.lock();
  --opening_;
  if (is_closed_) throw closed_error();
  all_.push_back(std::move(opened));
  idle_.reserve(all_.size());
  return all_.back().get();
}

void ReaderPool::give(Connection* connection) noexcept {
  std::unique_ptr<Connection> dropped;
  const std::lock_guard lock(mutex_);
  if (is_closed_) {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const auto& one) { return one.get() == connection; });
    dropped = std::move(*found);
    all_.erase(found);
    return;
  }
  idle_.push_back(connection);
  returned_.notify_one();
}

bool ReaderPool::end_snapshots(std::int64_t time) noexcept {
  const std::lock_guard lock(mutex_);
  bool is_one_kept = false;
  for (Connection* connection : idle_) {
    CachedReadTransaction& snapshot = connection->snapshot();
    if (snapshot.used_at() < time) snapshot.end();
    is_one_kept |= snapshot.is_kept();
  }
  return is_one_kept;
}

void ReaderPool::close() noexcept {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  for (Connection* connection : idle_) {
    std::erase_if(all_, [&](const auto& one) { return one.get() == connection; });
  }
  idle_.clear();
  returned_.notify_all();
}

void ReaderPool::add_to(Statistics& sum) const {
  const std::lock_guard lock(mutex_);
  sum.readers = all_.size();
  for (const auto& connection : all_)
    connection->times().add_to(sum);
}

}  // namespace tenon::data::sqlite
