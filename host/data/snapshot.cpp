#include "data/snapshot.hpp"

#include "base/error.hpp"
#include "data/database.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/restore.hpp"
#include "data/sqlite/snapshot.hpp"

namespace tenon::data {

namespace {

sqlite::Engine& file_engine(Database& database) {
  if (database.dialect() != Dialect::sqlite) {
    throw base::Error(501, "data.snapshot_unsupported",
                      "There are no snapshots of a schema of PostgreSQL: make a backup with the "
                      "server's own tools (pg_dump --schema).");
  }
  return sqlite::Engine::of(database);
}

}  // namespace

std::uint64_t snapshot(Database& database, const std::string& path, const CopyProgress& progress) {
  return sqlite::snapshot(file_engine(database), path, progress);
}

void restore_snapshot(const std::string& path, const std::string& snapshot,
                      const CopyProgress& progress) {
  sqlite::restore(path, snapshot, progress);
}

SnapshotFacts snapshot_facts(const std::string& path) {
  return sqlite::snapshot_facts(path);
}

std::vector<TableChanges> changes_since(Database& database, const std::string& snapshot,
                                        std::chrono::milliseconds longest) {
  return sqlite::changes_since(file_engine(database), snapshot, longest);
}

std::vector<TableChanges> file_changes_since(const std::string& path, bool is_live,
                                             const std::string& snapshot,
                                             std::chrono::milliseconds longest) {
  return sqlite::file_changes_since(path, is_live, snapshot, longest);
}

}  // namespace tenon::data
