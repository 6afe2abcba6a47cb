#include "data/snapshot/snapshot.hpp"

#include "base/error.hpp"
#include "data/database.hpp"
#include "data/engine/engine_factory.hpp"

namespace tenon::data {

std::uint64_t snapshot(Database& database, const std::string& path, const CopyProgress& progress,
                       std::chrono::milliseconds longest) {
  if (database.dialect() == Dialect::postgresql)
    return postgresql_factory().snapshot(database, path, progress, longest);
  return sqlite_factory().snapshot(database, path, progress, longest);
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

bool is_snapshot_moved(const std::string& path, const std::string& snapshot) {
  return sqlite_factory().is_snapshot_moved(path, snapshot);
}

void restore_snapshot(const PostgresqlSchema& place, const std::string& snapshot,
                      const CopyProgress& progress, std::chrono::milliseconds longest) {
  postgresql_factory().restore(place, snapshot, progress, longest);
}

SnapshotFacts snapshot_facts(const std::string& path) {
  return postgresql_factory().is_snapshot(path) ? postgresql_factory().snapshot_facts(path)
                                                : sqlite_factory().snapshot_facts(path);
}

std::vector<TableChanges> diff_since(Database& database, const std::string& snapshot,
                                     std::chrono::milliseconds longest) {
  if (database.dialect() == Dialect::postgresql)
    return postgresql_factory().diff_since(database, snapshot, longest);
  return sqlite_factory().diff_since(database, snapshot, longest);
}

std::vector<TableChanges> diff_since(const PostgresqlSchema& place, const std::string& snapshot,
                                     std::chrono::milliseconds longest) {
  return postgresql_factory().diff_schema_since(place, snapshot, longest);
}

std::vector<TableChanges> diff_file_since(const std::string& path, bool is_live,
                                          const std::string& snapshot,
                                          std::chrono::milliseconds longest) {
  return sqlite_factory().diff_file_since(path, is_live, snapshot, longest);
}

}  // namespace tenon::data
