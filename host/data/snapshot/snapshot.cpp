#include "data/snapshot/snapshot.hpp"

#include "base/error.hpp"
#include "data/database.hpp"
#include "data/engine/engine_factory.hpp"

namespace tenon::data {

std::uint64_t snapshot(Database& database, const std::string& path, const CopyProgress& progress,
                       std::chrono::milliseconds timeout) {
  if (database.dialect() == Dialect::postgresql)
    return postgresql_factory().snapshot(database, path, progress, timeout);
  return sqlite_factory().snapshot(database, path, progress, timeout);
}

void check_snapshot(const std::string& snapshot) {
  sqlite_factory().check_snapshot(snapshot);
}

std::unique_ptr<OnlineSnapshot> start_snapshot(Database& database, const std::string& path) {
  if (database.dialect() == Dialect::postgresql) return nullptr;
  return sqlite_factory().start_snapshot(database, path);
}

void restore_snapshot(const std::string& path, const std::string& snapshot,
                      const CopyProgress& progress) {
  sqlite_factory().restore(path, snapshot, progress);
}

void restore_by_link(const std::string& path, const std::string& snapshot) {
  sqlite_factory().restore_by_link(path, snapshot);
}

bool is_snapshot_linked(const std::string& path, const std::string& snapshot) {
  return sqlite_factory().is_snapshot_linked(path, snapshot);
}

void restore_snapshot(const PostgresqlSchema& schema, const std::string& snapshot,
                      const CopyProgress& progress, std::chrono::milliseconds timeout) {
  postgresql_factory().restore(schema, snapshot, progress, timeout);
}

SnapshotFacts snapshot_facts(const std::string& path) {
  return postgresql_factory().is_snapshot(path) ? postgresql_factory().snapshot_facts(path)
                                                : sqlite_factory().snapshot_facts(path);
}

std::vector<TableChanges> diff_since(Database& database, const std::string& snapshot,
                                     std::chrono::milliseconds timeout) {
  if (database.dialect() == Dialect::postgresql)
    return postgresql_factory().diff_since(database, snapshot, timeout);
  return sqlite_factory().diff_since(database, snapshot, timeout);
}

std::vector<TableChanges> diff_since(const PostgresqlSchema& schema, const std::string& snapshot,
                                     std::chrono::milliseconds timeout) {
  return postgresql_factory().diff_schema_since(schema, snapshot, timeout);
}

std::vector<TableChanges> diff_file_since(const std::string& path, bool has_writer,
                                          const std::string& snapshot,
                                          std::chrono::milliseconds timeout) {
  return sqlite_factory().diff_file_since(path, has_writer, snapshot, timeout);
}

}  // namespace tenon::data
