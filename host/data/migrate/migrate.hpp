#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/dialect.hpp"
#include "schema/phases.hpp"
#include "schema/plan.hpp"
#include "schema/tables.hpp"

namespace tenon::data {

class Database;

/// One numbered migration that a room of the host carries in its code.
struct EmbeddedMigration {
  int number;             ///< 1, 2, 3 … without gaps
  std::string_view name;  ///< lower_snake
  std::string_view sql;   ///< any number of statements
};

/// Migrates the tables of one room in the host's database: runs the pending migrations in order, in
/// one transaction. Call it at start, before the room's first query. Throws 409
/// data.migration_changed if an applied one differs, 409 data.newer if the database has migrations
/// that this build does not know, 500 data.migration_failed if a statement fails (nothing is kept).
void migrate_room(Database& database, std::string_view room,
                  std::span<const EmbeddedMigration> migrations);

/// One numbered migration of a plugin.
struct Migration {
  int number = 0;    ///< from the file's name, NNNN_name.sql
  std::string name;  ///< the file's name
  std::string sql;
  bool upgrade_only = false;  ///< "-- tenon: upgrade-only" in its leading comment: a first
                              ///< installation does not run it
  /// NNNN_name.pg.sql, if PostgreSQL needs other SQL.
  std::optional<std::string> postgresql_sql = std::nullopt;
  schema::Phase phase = schema::Phase::none;  ///< "-- tenon: phase expand" in its leading comment

  /// Returns the SQL for an engine.
  const std::string& text(Dialect dialect) const noexcept {
    return dialect == Dialect::postgresql && postgresql_sql ? *postgresql_sql : sql;
  }
};

/// Reads migrations/NNNN_name.sql of a plugin in order, each with its NNNN_name.pg.sql if
/// PostgreSQL needs other SQL. A missing folder has none. Throws 422 data.migration_invalid that
/// names the file.
std::vector<Migration> read_migrations(const std::string& folder);

/// A file of a folder of migrations.
struct MigrationFile {
  std::string name;
  std::string text;
};
/// Parses migration files that are already read. Throws 422 data.migration_invalid.
std::vector<Migration> parse_migrations(std::vector<MigrationFile> files);

/// The tables and migrations that a version of a plugin declares.
struct Declaration {
  std::string plugin;   ///< id
  std::string version;  ///< semver
  schema::Tables tables;
  std::vector<Migration> migrations;
  bool has_phased_functions = false;  ///< it also has migration functions that declare their phase
  /// Identifies the texts that this was parsed from and the program that parsed them. Empty:
  /// unknown.
  std::string digest = {};

  /// Whether any migration declares a phase, so that the version before may continue in the
  /// meantime. Otherwise the upgrade runs while the plugin is stopped.
  bool declares_phases() const noexcept;
};

/// Plans what apply() would do to this database now. Changes nothing. The plan contains refusals.
/// Throws only 409 data.newer, 409 data.migration_changed, and errors of reading.
schema::Plan plan(Database& database, const Declaration& declaration);

/// Plans what apply() would do to a file that this process has not opened. `has_writer`: a server
/// of another process may use it, see read_only_uri.hpp. A missing file counts as a new one, and is
/// not created. Throws as plan().
schema::Plan plan_file(const std::string& path, bool has_writer, const Declaration& declaration);

/// Migrates the plugin's database to the declaration, in one transaction with the recorded version:
/// renames, conversions without loss, new tables and fields, then the pending numbered migrations,
/// then constraints and indexes, then a check that the tables are as declared. Returns the executed
/// plan, with what migrations dropped; an empty plan if nothing was due. On any error nothing is
/// kept: 409 data.migration_refused (fields[] name table and field), 409 data.newer, 409
/// data.migration_changed, 500 data.migration_failed.
///
/// After expand() it does the rest up to the switch; often it only records which version uses the
/// data. Migrations of the phase contract then wait for contract().
schema::Plan apply(Database& database, const Declaration& declaration);

/// Runs the part of a phased plan before the switch while the running version continues: new
/// tables, fields and indexes in one transaction, then each migration of the phase expand in its
/// own transaction, with references enforced. After an interruption that version can start again,
/// and the next call continues. Throws as apply(), and 409 data.not_phased; completed steps stay.
schema::Plan expand(Database& database, const Declaration& declaration);

/// Runs the steps after the switch in one transaction: migrations of the phase contract, and the
/// bounds and indexes that wait for them. Does nothing if none are pending. Throws as apply();
/// nothing is kept then.
schema::Plan contract(Database& database, const Declaration& declaration);

/// Returns the plugin version whose declaration was applied last; empty for a new file.
std::string applied_version(Database& database);

}  // namespace tenon::data
