#pragma once

#include <chrono>
#include <cstdint>

#include "sqlite/wal/wal_index.hpp"

namespace tenon::data::sqlite {

class Connection;

/// A reader that was idle for longer begins its next query as if it had never kept a snapshot, and
/// the housekeeper ends the one that it keeps.
inline constexpr std::chrono::milliseconds kept_idle{20};

/// The snapshot that a reader connection keeps from one query to the next while nobody commits, so
/// that a query neither begins nor ends a read transaction of SQLite: half of what it costs to get
/// one record. Whatever was committed when refresh() is called is seen by what is read after it,
/// whoever committed it, since the log's index tells (WalIndex).
///
/// What a snapshot holds up it lets go of in time: the log starts again only while nobody reads
/// from it, so one that needs the log is not kept from the moment on that the log is copied, nor
/// when the log is overdue. Belongs to its connection: one thread at a time.
class CachedReadTransaction {
 public:
  /// Nothing is kept where the file's log has no index in shared memory.
  explicit CachedReadTransaction(Connection& connection) noexcept : connection_(connection) {}

  /// Before each query of its own: ends what is not the newest any more, and begins to keep where
  /// the last query was a moment ago and nobody has committed since. `now` in monotonic
  /// nanoseconds.
  void refresh(std::int64_t now) noexcept;
  /// The query failed: SQLite may have undone the transaction, or not be able to read in it.
  void spoil() noexcept { is_spoiled_ = true; }
  /// After each query of its own: true while a snapshot is kept.
  bool settle() noexcept;

  bool is_kept() const noexcept { return is_kept_; }
  std::int64_t used_at() const noexcept { return used_at_; }
  void end() noexcept;

 private:
  bool must_let_go() const noexcept;

  Connection& connection_;
  WalIndex index_;
  WalIndex::Version version_;  ///< when the last query began; the kept snapshot is as new
  std::int64_t used_at_ = 0;
  bool is_kept_ = false;
  bool needs_log_ = false;  ///< what is kept may read from the log
  bool is_spoiled_ = false;
  bool is_looked_for_ = false;  ///< the index
};

}  // namespace tenon::data::sqlite
