#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tenon::data {

class Database;
struct PostgresqlSchema;

/// Called after each piece of a copy, on the thread of the caller, with the bytes copied so far and
/// in total. Returning false cancels the copy (409 data.snapshot_cancelled) and removes it.
using CopyProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// How long a snapshot tries to copy the whole WAL into the file while older queries read from the
/// WAL. Writers wait for the duration of one try, at most the wait for an overdue checkpoint plus
/// the copying. On PostgreSQL: how long it waits for a writer, or for a migration of another host.
inline constexpr std::chrono::milliseconds snapshot_timeout{10'000};
/// How long a restore on PostgreSQL waits for other users of a table of the schema.
inline constexpr std::chrono::milliseconds restore_timeout{10'000};
/// How long diff_since() compares, by default.
inline constexpr std::chrono::milliseconds diff_timeout{2'000};

/// Copies the committed data into one new file with mode 0600, and returns its bytes once it is on
/// disk. On SQLite an ordinary database file without a WAL; on PostgreSQL a file of the whole
/// schema that only this room reads. Readers continue. Writers continue once the WAL is in the file
/// (SQLite; the WAL then grows until the copy is done) or the tables are read from the catalogs
/// (PostgreSQL). Throws 409 data.snapshot_exists, 507 data.disk_full (on SQLite before it begins if
/// possible), 503 data.busy, data.io, data.closed. On PostgreSQL also 409 data.snapshot_refused if
/// a restore could not recreate something: objects in the schema that no migration makes, or
/// objects outside that depend on it. Removes the unfinished file.
std::uint64_t snapshot(Database& database, const std::string& path,
                       const CopyProgress& progress = {},
                       std::chrono::milliseconds timeout = snapshot_timeout);

/// Checks a snapshot of SQLite. Reads the whole file if it has up to checked_file_bytes. Throws 409
/// data.snapshot_refused if it is damaged or was not closed cleanly.
void check_snapshot(const std::string& snapshot);

/// A snapshot that is mostly on disk while others continue to write. It prevents checkpoints, so
/// keep it short-lived. The destructor removes an unfinished file. Not thread-safe.
class OnlineSnapshot {
 public:
  OnlineSnapshot() = default;
  virtual ~OnlineSnapshot() = default;
  OnlineSnapshot(const OnlineSnapshot&) = delete;
  OnlineSnapshot& operator=(const OnlineSnapshot&) = delete;

  /// Adds the commits since the start, so that it has all that is committed now. Call it once.
  /// Returns and throws as snapshot().
  virtual std::uint64_t finish() = 0;
};

/// Starts a snapshot of SQLite. Throws as snapshot(). Returns null for PostgreSQL, where one
/// transaction makes the whole snapshot.
std::unique_ptr<OnlineSnapshot> start_snapshot(Database& database, const std::string& path);

/// Replaces the database file `path` and its WAL with a copy of `snapshot`. No process may have
/// `path` open. After a kill or a loss of power at any point, the next open finds all of the old
/// data, or all of the new data with a new change log id. Keeps `snapshot`. Throws 409
/// data.snapshot_refused (damaged, or not closed cleanly), 409 data.restore_in_use (this process
/// has the file open), 507 data.disk_full, 503 data.io. The old data then stays; if its WAL is
/// already removed, the next open finishes the restore.
void restore_snapshot(const std::string& path, const std::string& snapshot,
                      const CopyProgress& progress = {});

/// Replaces the database file `path` with `snapshot` itself, without a copy if the file system
/// supports hard links. Remove `snapshot` before `path` is opened, because both are one file. Until
/// then the call may be repeated. Throws as restore_snapshot().
void restore_by_link(const std::string& path, const std::string& snapshot);
/// Returns whether `snapshot` replaced `path`, and was not removed since.
bool is_snapshot_linked(const std::string& path, const std::string& snapshot);

/// Replaces the content of a schema with `snapshot` in one transaction. After a kill at any point
/// the schema has the old data or the new data. Open connections wait and then continue. Throws 409
/// data.snapshot_refused (the file is incomplete, is of another schema or of SQLite, or objects
/// outside depend on the schema), 503 data.busy if a table is in use for longer than `timeout`, 507
/// data.disk_full, 500 data.restore_differs, 503 data.io: nothing is changed then. After 503
/// data.connection_lost the schema may have the new data.
void restore_snapshot(const PostgresqlSchema& schema, const std::string& snapshot,
                      const CopyProgress& progress = {},
                      std::chrono::milliseconds timeout = restore_timeout);

struct TableRows {
  std::string table;
  std::int64_t rows = 0;
};

struct SnapshotFacts {
  std::string plugin;
  std::string version;    ///< of the plugin, as applied last; empty: none was
  int migration = 0;      ///< number of the last migration that ran; 0: none did
  std::int64_t time = 0;  ///< seconds since 1970: when the file was written
  std::uint64_t bytes = 0;
  std::vector<TableRows> tables;  ///< those that the plugin declared
};

/// Reads what is in a snapshot. Counts the rows of each table. Throws 409 data.snapshot_refused.
SnapshotFacts snapshot_facts(const std::string& path);

/// The maximum of records that TableChanges names, of each kind.
inline constexpr std::size_t max_named_records = 20;

struct TableChanges {
  std::string table;  ///< its present name; a field of many references is "table.field"
  std::int64_t added = 0;
  std::int64_t changed = 0;
  std::int64_t removed = 0;
  /// Records that differ only in values of fields that only the present version has.
  std::int64_t new_values = 0;
  bool is_whole = true;  ///< false: not all could be compared, so the numbers are lower bounds
  std::vector<std::string> not_compared;  ///< fields whose type was changed
  /// Ids of the first max_named_records of each kind. For a field of many references: ids of the
  /// records that refer. Empty for a table that is not declared.
  std::vector<std::string> added_ids;
  std::vector<std::string> changed_ids;
  std::vector<std::string> removed_ids;
};

/// Compares a database with a snapshot, record by record (`rowid` and `id`). Returns the tables
/// with differences, of those declared now or then. Compares the values of all columns that both
/// have; changes by a migration count, too. A value in a column that only the present version has
/// counts unless it is the default. In tables that only migrations made, whole rows are compared: a
/// changed row is one removed and one added. A table that could not be compared in time, or has
/// fields whose type changed, has `is_whole` false. Only reads; writers continue. Throws 409
/// data.snapshot_refused, also for a snapshot of the other engine.
std::vector<TableChanges> diff_since(Database& database, const std::string& snapshot,
                                     std::chrono::milliseconds timeout = diff_timeout);

/// Compares a file of SQLite with a snapshot, as diff_since(). `has_writer`: another process may
/// use the file, see read_only_uri.hpp. A missing file, or an empty name as `snapshot`, has no
/// tables.
std::vector<TableChanges> diff_file_since(const std::string& path, bool has_writer,
                                          const std::string& snapshot,
                                          std::chrono::milliseconds timeout = diff_timeout);
/// Compares a schema that others may use with a snapshot, as diff_since(). An empty name as
/// `snapshot` has no tables.
std::vector<TableChanges> diff_since(const PostgresqlSchema& schema, const std::string& snapshot,
                                     std::chrono::milliseconds timeout = diff_timeout);

}  // namespace tenon::data
