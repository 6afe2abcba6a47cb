#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/database_options.hpp"
#include "data/snapshot/snapshot.hpp"
#include "schema/plan.hpp"

namespace tenon::data {

class Engine;
struct Declaration;

/// The functions of SQLite for database.hpp, migrate.hpp and snapshot.hpp. Each function has the
/// contract of the function of the same purpose there.
struct SqliteFactory {
  std::shared_ptr<Engine> (*open)(DatabaseOptions options);
  schema::Plan (*plan_file)(const std::string& path, bool has_writer,
                            const Declaration& declaration);
  std::uint64_t (*snapshot)(Database& database, const std::string& path,
                            const CopyProgress& progress, std::chrono::milliseconds timeout);
  std::unique_ptr<OnlineSnapshot> (*start_snapshot)(Database& database, const std::string& path);
  void (*check_snapshot)(const std::string& snapshot);
  void (*restore)(const std::string& path, const std::string& snapshot,
                  const CopyProgress& progress);
  void (*restore_by_link)(const std::string& path, const std::string& snapshot);
  bool (*is_snapshot_linked)(const std::string& path, const std::string& snapshot);
  SnapshotFacts (*snapshot_facts)(const std::string& path);
  std::vector<TableChanges> (*diff_since)(Database& database, const std::string& snapshot,
                                          std::chrono::milliseconds timeout);
  std::vector<TableChanges> (*diff_file_since)(const std::string& path, bool has_writer,
                                               const std::string& snapshot,
                                               std::chrono::milliseconds timeout);
};

/// The functions of PostgreSQL for database.hpp and snapshot.hpp. Each function has the contract of
/// the function of the same purpose there.
struct PostgresqlFactory {
  std::shared_ptr<Engine> (*open)(DatabaseOptions options);
  std::uint64_t (*snapshot)(Database& database, const std::string& path,
                            const CopyProgress& progress, std::chrono::milliseconds timeout);
  void (*restore)(const PostgresqlSchema& schema, const std::string& snapshot,
                  const CopyProgress& progress, std::chrono::milliseconds timeout);
  /// Returns whether the file starts as a snapshot of PostgreSQL; false if it does not exist.
  bool (*is_snapshot)(const std::string& path);
  SnapshotFacts (*snapshot_facts)(const std::string& path);
  std::vector<TableChanges> (*diff_since)(Database& database, const std::string& snapshot,
                                          std::chrono::milliseconds timeout);
  std::vector<TableChanges> (*diff_schema_since)(const PostgresqlSchema& schema,
                                                 const std::string& snapshot,
                                                 std::chrono::milliseconds timeout);
};

/// Registers an engine. Call it before the first Database is opened, from one thread; the factory
/// must live as long as the process.
void register_engine(const SqliteFactory& factory) noexcept;
void register_engine(const PostgresqlFactory& factory) noexcept;

/// Returns the registered factory. Throws std::logic_error if none is registered. Any thread.
const SqliteFactory& sqlite_factory();
const PostgresqlFactory& postgresql_factory();

}  // namespace tenon::data
