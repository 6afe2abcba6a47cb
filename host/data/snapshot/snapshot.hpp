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

/// Told after each piece of a copy: bytes that are copied, and all. False breaks the copy off (409
/// data.snapshot_cancelled), and nothing of it stays. By the thread that called.
using CopyProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// How long a snapshot tries to bring the whole log into the file, while queries that began before
/// read from it; writers wait meanwhile for as long as one try takes, overdue_wait and the copying
/// of the log. On PostgreSQL it is how long it waits for a writer, or a migration of another host.
inline constexpr std::chrono::milliseconds snapshot_timeout{10'000};
/// How long a restore on PostgreSQL waits for whoever uses a table of the schema.
inline constexpr std::chrono::milliseconds restore_timeout{10'000};
/// How long diff_since() looks, unless it is told otherwise.
inline constexpr std::chrono::milliseconds diff_timeout{2'000};

/// Copies what is committed now into one new file for the user alone, of SQLite an ordinary one
/// without a log, of PostgreSQL one that has all of the schema and that this room alone reads; on
/// disk when it returns. Readers go on, writers too once the log is in the file (SQLite; the log
/// then grows until the copy is done) or the tables are looked at (PostgreSQL). Returns the bytes.
/// Throws 409 data.snapshot_exists, 507 data.disk_full (on SQLite before it begins where that can
/// be told), 503 data.busy, data.io, data.closed, 409 data.snapshot_refused on PostgreSQL for what
/// could not be restored: things in the schema that no migration makes, or things of others that
/// depend on it; what was begun is removed.
std::uint64_t snapshot(Database& database, const std::string& path,
                       const CopyProgress& progress = {},
                       std::chrono::milliseconds longest = snapshot_timeout);

/// Throws 409 data.snapshot_refused for what is no sound file of SQLite that was closed: each of up
/// to checked_file_bytes is read as a whole.
void check_snapshot(const std::string& snapshot);

/// A snapshot of which most is on disk already, while others write on. It keeps the log from being
/// copied: do not let it rest. Removes what it made unless it is finished. Not thread-safe.
class OnlineSnapshot {
 public:
  OnlineSnapshot() = default;
  virtual ~OnlineSnapshot() = default;
  OnlineSnapshot(const OnlineSnapshot&) = delete;
  OnlineSnapshot& operator=(const OnlineSnapshot&) = delete;

  /// Adds what was committed since, so that it has what is committed now; as snapshot() then. Once.
  virtual std::uint64_t finish() = 0;
};

/// Begins one of SQLite; throws as snapshot(). Of PostgreSQL null: one transaction makes it whole.
std::unique_ptr<OnlineSnapshot> start_snapshot(Database& database, const std::string& path);

/// Puts a copy of `snapshot` in the place of the database file `path`, which nobody has open, with
/// its log: after a kill or a loss of power at any point the next open finds all of the old or all
/// of the new, whose log of changes has a name of its own. Keeps `snapshot`. Throws 409
/// data.snapshot_refused (it is no sound database, or was not closed), 409 data.restore_in_use
/// (this process has the file open), 507 data.disk_full, 503 data.io; then the old one stays, or,
/// where its log was already gone, the next open ends the restore.
void restore_snapshot(const std::string& path, const std::string& snapshot,
                      const CopyProgress& progress = {});

/// The same for a file, but nothing is copied where the file system can give a file two names:
/// `snapshot` itself takes the place. Remove it then, before anybody opens `path`, for whoever
/// writes one writes both; until then the call can be made again.
void restore_by_link(const std::string& path, const std::string& snapshot);
/// Whether `snapshot` took the place of `path`, and was not removed since.
bool is_snapshot_moved(const std::string& path, const std::string& snapshot);

/// As restore_snapshot() for a schema: in one transaction all that is in it goes, and what the
/// snapshot has is made; killed at any point it is the old or the new. Connections that are open go
/// on, and wait meanwhile. Throws 409 data.snapshot_refused (the file is not whole, is of another
/// schema or of SQLite, or something of others depends on the schema), 503 data.busy where somebody
/// uses a table for longer than `longest`, 507 data.disk_full, 500 data.restore_differs, 503
/// data.io: then nothing is changed; and 503 data.connection_lost, behind which it may be the new.
void restore_snapshot(const PostgresqlSchema& place, const std::string& snapshot,
                      const CopyProgress& progress = {},
                      std::chrono::milliseconds longest = restore_timeout);

struct TableRows {
  std::string table;
  std::int64_t rows = 0;
};

struct SnapshotFacts {
  std::string plugin;
  std::string version;    ///< of the plugin, as it was applied last; empty: none was
  int migration = 0;      ///< number of the last of its migrations that ran; 0: none did
  std::int64_t time = 0;  ///< seconds since 1970: when the file was written
  std::uint64_t bytes = 0;
  std::vector<TableRows> tables;  ///< those that the plugin declared
};

/// What is in a snapshot. Counts each table. Throws 409 data.snapshot_refused.
SnapshotFacts snapshot_facts(const std::string& path);

/// Records that TableChanges names, of each kind.
inline constexpr std::size_t max_named_records = 20;

struct TableChanges {
  std::string table;  ///< its name of today; a field of many references is "table.field"
  std::int64_t added = 0;
  std::int64_t changed = 0;
  std::int64_t removed = 0;
  /// Records of both that are the same but for values in fields that only today's version has.
  std::int64_t new_values = 0;
  bool is_whole = true;  ///< false: these are at least so many; not all could be compared
  std::vector<std::string> not_compared;  ///< fields whose type was changed
  /// Ids of the first max_named_records of each kind; of a field of many references those of the
  /// records that refer. None of a table that is not declared.
  std::vector<std::string> added_ids;
  std::vector<std::string> changed_ids;
  std::vector<std::string> removed_ids;
};

/// What differs from a snapshot, record by record (`rowid` and `id`), written by any means, in the
/// tables that are declared now or were then, those with differences alone. Compares the values of
/// all columns that both have; what a migration changed in them is a difference, too. A value in a
/// column of today alone counts unless it is the default. Of other tables that migrations made,
/// rows are compared as a whole: one that was changed is one removed and one added. A table that
/// was not looked at any more, or has fields whose type was changed, is there with `is_whole`
/// false. Reads; writers go on. Throws 409 data.snapshot_refused, for a snapshot of the other
/// engine, too.
std::vector<TableChanges> diff_since(Database& database, const std::string& snapshot,
                                     std::chrono::milliseconds longest = diff_timeout);

/// The same for a file of SQLite, which others may use meanwhile (`is_live`, see
/// read_only_uri.hpp). A file that is not there has no tables, nor has a `snapshot` that is empty.
std::vector<TableChanges> diff_file_since(const std::string& path, bool is_live,
                                          const std::string& snapshot,
                                          std::chrono::milliseconds longest = diff_timeout);
/// The same for a schema that others may use meanwhile. A `snapshot` that is empty has no tables.
std::vector<TableChanges> diff_since(const PostgresqlSchema& place, const std::string& snapshot,
                                     std::chrono::milliseconds longest = diff_timeout);

}  // namespace tenon::data
