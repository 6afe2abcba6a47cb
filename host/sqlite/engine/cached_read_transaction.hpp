#pragma once

#include <chrono>
#include <cstdint>

#include "sqlite/wal/wal_index.hpp"

namespace tenon::data::sqlite {

class Connection;

/// The read transaction of a reader that was idle for longer is ended by the maintenance thread;
/// the next query of the reader begins without one.
inline constexpr std::chrono::milliseconds max_cached_idle{20};

/// Keeps the read transaction of a reader connection open from one query to the next while no
/// process commits. A query then neither begins nor ends a transaction of SQLite, which is half of
/// the time to get one record. A query sees all that was committed before refresh(), by any
/// process: the index of the WAL says whether there is more (WalIndex).
///
/// SQLite restarts the WAL only while no transaction reads from it. A transaction that reads from
/// the WAL is therefore ended as soon as the WAL is copied, or if a checkpoint is overdue. Belongs
/// to its connection: one thread at a time.
class CachedReadTransaction {
 public:
  /// Keeps nothing if the WAL of the file has no index in shared memory.
  explicit CachedReadTransaction(Connection& connection) noexcept : connection_(connection) {}

  /// Ends a transaction that is no longer the newest. Begins one if the last query was less than
  /// `max_cached_idle` ago and nothing has been committed since. Call it before each query of the
  /// connection. `now`: monotonic nanoseconds.
  void refresh(std::int64_t now) noexcept;
  /// Marks the transaction invalid after a failed query: SQLite may have rolled it back.
  void invalidate() noexcept { is_invalid_ = true; }
  /// Ends the transaction if it must not stay open. Returns whether it is kept. Call it after each
  /// query of the connection.
  bool finish_query() noexcept;

  bool is_kept() const noexcept { return is_kept_; }
  std::int64_t used_at() const noexcept { return used_at_; }
  void end() noexcept;

 private:
  bool must_release() const noexcept;

  Connection& connection_;
  WalIndex index_;
  WalIndex::Version version_;  ///< at the start of the last query; the kept transaction has it
  std::int64_t used_at_ = 0;
  bool is_kept_ = false;
  bool needs_log_ = false;  ///< the transaction may read from the WAL
  bool is_invalid_ = false;
  bool is_looked_for_ = false;  ///< the index
};

}  // namespace tenon::data::sqlite
