#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/cell.hpp"
#include "data/engine/confinement.hpp"
#include "data/engine/control.hpp"
#include "data/engine/counters.hpp"
#include "observability/slow_log.hpp"
#include "sqlite/connection/authorizer.hpp"
#include "sqlite/connection/statement_cache.hpp"
#include "sqlite/connection/statement_lease.hpp"
#include "sqlite/engine/cached_read_transaction.hpp"
#include "sqlite/search/pending_index.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace tenon::data::sqlite {

enum class Role : std::uint8_t { writer, reader };

/// One connection of SQLite with the walls of its database: opened defensively, limited, watched by
/// the authorizer and by the progress handler. One thread at a time.
class Connection {
 public:
  struct Options {
    std::string path;
    Confinement confinement;
    Role role = Role::reader;
    int busy_milliseconds = 0;
    bool is_uri = false;  ///< `path` is one of SQLite's URIs; for readers
  };

  /// Opens; a writer makes the file when it is missing. Throws SqlError.
  explicit Connection(const Options& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* handle() const noexcept { return db_; }
  StatementCache& cache() noexcept { return *cache_; }
  StatementTimes& times() noexcept { return times_; }
  /// Returns the cached read transaction of a reader.
  CachedReadTransaction& snapshot() noexcept { return snapshot_; }

  /// Reports a statement of this connection to the slow log and the trace. Times in monotonic
  /// nanoseconds.
  void note_statement(sqlite3_stmt* statement, std::int64_t begin, std::int64_t end,
                      bool has_failed = false) const noexcept {
    if (observability::is_noteworthy(end - begin)) report(statement, begin, end, has_failed);
  }

  /// How long a statement waits for a lock of another connection.
  std::chrono::milliseconds busy_timeout() const noexcept { return busy_timeout_; }

  /// Statements are cancelled when base::monotonic_nanoseconds() passes this; 0: never.
  void set_deadline(std::int64_t nanoseconds) noexcept { deadline_ = nanoseconds; }

  /// Runs one of the engine's own statements; SQLite's result code.
  int control(Control what) noexcept;
  /// Runs trusted text of the room: pragmas. Any number of statements. Throws.
  void run_internal(const char* sql);

  /// Applies the changes of the open transaction to the search indexes, for a statement that reads
  /// one. Throws SqlError.
  void flush_search_index();

  /// Returns the findings of SQLite's quick_check or, with `with_indexes`, of its integrity_check
  /// (twice the time); empty if the file is sound. Throws data.io if the disk could not read a
  /// page.
  std::vector<std::string> check(bool with_indexes, int max_findings);

  /// Changes whose statements are being prepared; the cache is not to be used under another access
  /// than the connection's own.
  void set_access(Access access) noexcept { watch_.access = access; }
  Access access() const noexcept { return watch_.access; }

  /// Makes the close of the last connection of the file keep the WAL as it is.
  void keep_wal_on_close() noexcept;

  /// True while SQLite has no transaction open (it may have undone one by itself).
  bool is_autocommit() const noexcept;
  /// True when a deferred foreign key is broken and a COMMIT would fail.
  bool has_deferred_violations() const noexcept;
  /// Pages in the log after the last commit of this connection.
  int wal_pages() const noexcept { return wal_pages_; }

 private:
  void configure(const Options& options);
  void close() noexcept;
  void report(sqlite3_stmt* statement, std::int64_t begin, std::int64_t end,
              bool has_failed) const noexcept;
  static int progress(void* self) noexcept;
  static int logged(void* self, sqlite3*, const char*, int pages) noexcept;

  sqlite3* db_ = nullptr;
  Watch watch_;
  std::int64_t deadline_ = 0;
  int wal_pages_ = 0;
  std::chrono::milliseconds busy_timeout_{0};
  std::unique_ptr<StatementCache> cache_;
  sqlite3_stmt* controls_[static_cast<int>(Control::count)] = {};
  std::unique_ptr<PendingIndex> pending_index_;  // of a writer
  StatementTimes times_;
  CachedReadTransaction snapshot_{*this};
};

/// Sets another access for a scope.
class AccessScope {
 public:
  AccessScope(Connection& connection, Access access) noexcept
      : connection_(connection), before_(connection.access()) {
    connection_.set_access(access);
  }
  ~AccessScope() { connection_.set_access(before_); }
  AccessScope(const AccessScope&) = delete;
  AccessScope& operator=(const AccessScope&) = delete;

 private:
  Connection& connection_;
  Access before_;
};

/// Binds cells to the parameters of a statement in order. `copy`: the statement outlives the cells.
/// Throws 500 data.sql when their number differs, 413 data.too_large.
void bind_cells(sqlite3* db, sqlite3_stmt* statement, Cells cells, bool copy);

}  // namespace tenon::data::sqlite
