#include "data/snapshot.hpp"

#include "base/error.hpp"
#include "data/database.hpp"
#include "data/postgresql/engine.hpp"
#include "data/postgresql/snapshot.hpp"
#include "data/postgresql/snapshot_file.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/restore.hpp"
#include "data/sqlite/snapshot.hpp"

namespace tenon::data {

std::uint64_t snapshot(Database& database, const std::string& path, const CopyProgress& progress,
                       std::chrono::milliseconds longest) {
  if (database.dialect() == Dialect::postgresql)
    return postgresql::snapshot(postgresql::Engine::of(database).place(), path, progress, longest);
  return sqlite::snapshot(sqlite::Engine::of(database), path, progress, longest);
}

void check_snapshot(const std::string& snapshot) {
  sqlite::require_sound(snapshot);
}

std::unique_ptr<OnlineSnapshot> start_snapshot(Database& database, const std::string& path) {
  if (database.dialect() == Dialect::postgresql) return nullptr;
  return sqlite::start_snapshot(sqlite::Engine::of(database), path);
}

void restore_snapshot(const std::string& path, const std::string& snapshot,
                      const CopyProgress& progress) {
  sqlite::restore(path, snapshot, progress);
}

void restore_by_link(const std::string& path, const std::string& snapshot) {
  sqlite::move(path, snapshot);
}

bool is_snapshot_moved(const std::string& path, const std::string& snapshot) {
  return sqlite::is_moved(path, snapshot);
}

void restore_snapshot(const PostgresqlSchema& place, const std::string& snapshot,
                      const CopyProgress& progress, std::chrono::milliseconds longest) {
  postgresql::restore(place, snapshot, progress, longest);
}

SnapshotFacts snapshot_facts(const std::string& path) {
  return postgresql::SnapshotReader::is_one(path) ? postgresql::snapshot_facts(path)
                                                  : sqlite::snapshot_facts(path);
}

std::vector<TableChanges> changes_since(Database& database, const std::string& snapshot,
                                        std::chrono::milliseconds longest) {
  if (database.dialect() == Dialect::postgresql)
    return postgresql::changes_since(postgresql::Engine::of(database).place(), snapshot, longest);
  return sqlite::changes_since(sqlite::Engine::of(database), snapshot, longest);
}

std::vector<TableChanges> changes_since(const PostgresqlSchema& place, const std::string& snapshot,
                                        std::chrono::milliseconds longest) {
  return postgresql::changes_since(place, snapshot, longest);
}

std::vector<TableChanges> file_changes_since(const std::string& path, bool is_live,
                                             const std::string& snapshot,
                                             std::chrono::milliseconds longest) {
  return sqlite::file_changes_since(path, is_live, snapshot, longest);
}

}  // namespace tenon::data
