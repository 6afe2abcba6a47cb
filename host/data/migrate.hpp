#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dialect.hpp"
#include "data/schema/plan.hpp"
#include "data/schema/tables.hpp"

namespace tenon::data {

class Database;

/// One numbered migration that a room of the host carries in its code.
struct EmbeddedMigration {
  int number;             ///< 1, 2, 3 … without gaps
  std::string_view name;  ///< lower_snake
  std::string_view sql;   ///< any number of statements
};

/// Brings the tables of one room in the host's database up to date: runs what has not run, in
/// order, in one transaction. Throws 409 data.migration_changed when an applied one differs, 409
/// data.newer when the file holds migrations that this build does not know, 500
/// data.migration_failed when a statement fails (nothing is kept). Call it at start, before the
/// room's first query.
void migrate_room(Database& database, std::string_view room,
                  std::span<const EmbeddedMigration> migrations);

/// One numbered migration of a plugin.
struct Migration {
  int number = 0;    ///< from the file's name, NNNN_name.sql
  std::string name;  ///< the file's name
  std::string sql;
  bool upgrade_only = false;  ///< "-- tenon: upgrade-only" in its leading comment: a first
                              ///< installation does not run it
  /// NNNN_name.pg.sql, where PostgreSQL is told it in other words.
  std::optional<std::string> postgresql_sql = std::nullopt;

  /// What an engine runs.
  const std::string& text(Dialect dialect) const noexcept {
    return dialect == Dialect::postgresql && postgresql_sql ? *postgresql_sql : sql;
  }
};

/// Reads migrations/NNNN_name.sql of a plugin in order, with the NNNN_name.pg.sql that stands
/// beside one where PostgreSQL needs other words for the same. An absent folder has none. Throws
/// 422 data.migration_invalid that names the file.
std::vector<Migration> read_migrations(const std::string& folder);

/// What a version of a plugin says about its data.
struct Declaration {
  std::string plugin;   ///< id
  std::string version;  ///< semver
  schema::Tables tables;
  std::vector<Migration> migrations;
};

/// What `apply` would do to this database now. Changes nothing. Refusals stand in the plan; throws
/// only 409 data.newer, 409 data.migration_changed, or what reading fails with.
schema::Plan plan(Database& database, const Declaration& declaration);

/// The same for a file that this process has not opened; a server of another process may use it
/// (`is_live`, see looking_uri.hpp). A file that is not there is a new one, and is not made.
schema::Plan plan_file(const std::string& path, bool is_live, const Declaration& declaration);

/// Brings the plugin's database to the declaration, in one transaction with the recorded version:
/// renames, values of types that changed without loss, new tables and fields, then the numbered
/// migrations that have not run, then constraints and indexes, then a check that what is there is
/// what is declared. On any error nothing is kept: 409
/// data.migration_refused (fields[] name table and field), 409 data.newer, 409
/// data.migration_changed, 500 data.migration_failed. Returns what was done, with what
/// migrations dropped; an empty plan when nothing was due.
schema::Plan apply(Database& database, const Declaration& declaration);

/// The plugin version whose declaration was applied last; empty for a new file.
std::string applied_version(Database& database);

}  // namespace tenon::data
