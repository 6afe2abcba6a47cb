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
  schema::Phase phase = schema::Phase::none;  ///< "-- tenon: phase expand" in its leading comment

  /// What an engine runs.
  const std::string& text(Dialect dialect) const noexcept {
    return dialect == Dialect::postgresql && postgresql_sql ? *postgresql_sql : sql;
  }
};

/// Reads migrations/NNNN_name.sql of a plugin in order, with the NNNN_name.pg.sql that stands
/// beside one where PostgreSQL needs other words for the same. An absent folder has none. Throws
/// 422 data.migration_invalid that names the file.
std::vector<Migration> read_migrations(const std::string& folder);

/// A file of that folder.
struct MigrationFile {
  std::string name;
  std::string text;
};
/// The same of files that were read already.
std::vector<Migration> parse_migrations(std::vector<MigrationFile> files);

/// What a version of a plugin says about its data.
struct Declaration {
  std::string plugin;   ///< id
  std::string version;  ///< semver
  schema::Tables tables;
  std::vector<Migration> migrations;
  bool has_phased_functions = false;  ///< it has others than these, which declare their phase
  /// Of the texts that all this was read from and of the program that read them: another for
  /// others. Empty: not known.
  std::string digest = {};

  /// Whether its author said of any migration that the version before may go on meanwhile. What is
  /// done for one who never did is done while nobody uses the data.
  bool declares_phases() const noexcept;
};

/// What `apply` would do to this database now. Changes nothing. Refusals stand in the plan; throws
/// only 409 data.newer, 409 data.migration_changed, or what reading fails with.
schema::Plan plan(Database& database, const Declaration& declaration);

/// The same for a file that this process has not opened; a server of another process may use it
/// (`is_live`, see read_only_uri.hpp). A file that is not there is a new one, and is not made.
schema::Plan plan_file(const std::string& path, bool is_live, const Declaration& declaration);

/// Brings the plugin's database to the declaration, in one transaction with the recorded version:
/// renames, values of types that changed without loss, new tables and fields, then the numbered
/// migrations that have not run, then constraints and indexes, then a check that what is there is
/// what is declared. On any error nothing is kept: 409
/// data.migration_refused (fields[] name table and field), 409 data.newer, 409
/// data.migration_changed, 500 data.migration_failed. Returns what was done, with what
/// migrations dropped; an empty plan when nothing was due.
///
/// Behind expand() it does what is left: where nothing is but to note that this version uses the
/// data, or again the one before, no more than that. Migrations of the phase contract are left
/// then, see contract().
schema::Plan apply(Database& database, const Declaration& declaration);

/// Does of a plan that is phased what comes up to the switch, while the version that is there goes
/// on: new tables, fields and indexes in one transaction, then each migration of the phase expand
/// in one of its own, with references enforced. Broken off in between, that version can begin
/// again, and the next call goes on. Throws as apply(), and 409 data.not_phased; what is done
/// stays.
schema::Plan expand(Database& database, const Declaration& declaration);

/// Does what apply() left, in one transaction: migrations of the phase contract, and the bounds and
/// indexes that wait for them. Where nothing is left it does nothing. Throws as apply(); nothing is
/// kept then.
schema::Plan contract(Database& database, const Declaration& declaration);

/// The plugin version whose declaration was applied last; empty for a new file.
std::string applied_version(Database& database);

}  // namespace tenon::data
