#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/dialect.hpp"
#include "data/migrate/migrate.hpp"
#include "data/migrate/migration_history.hpp"
#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/renames.hpp"

namespace tenon::data {

/// The metadata that a database stores about the declaration applied to it last; empty if none was.
struct StoredState {
  std::string plugin;
  std::string version;
  std::string tables;  ///< as to_json() wrote them
  /// Another declaration that works with the same data: the one before, or the next one.
  std::string alternate_version;
  std::string alternate_tables;
  std::string
      merged_tables;  ///< the tables of the two together, which are there; empty: `tables` are
  std::vector<AppliedMigration> migrations;
};

/// Whether the data works with a declaration without a change.
enum class Compatibility : std::uint8_t {
  none,
  current,       ///< the declaration that uses the data
  alternate,     ///< the alternate declaration
  intermediate,  ///< declares the tables of the current one; its version is between the two
  older,  ///< older than the current one, with the same tables and migrations; no alternate exists
};

/// The comparison of one database with one declaration.
struct Comparison {
  Compatibility compatibility = Compatibility::none;
  std::string from_version;
  schema::Tables stored;         ///< the existing tables, under the names of the declaration
  schema::Tables merged_tables;  ///< if the plan is phased: the tables after expand()
  schema::Renames renames;       ///< names that differ in the database
  std::vector<Pending> pending;
  schema::Plan plan;
  schema::SearchUpgrade search = schema::SearchUpgrade::where_changed;
};

/// The part of an upgrade that a plan covers.
enum class Stage : std::uint8_t {
  before_switch,  ///< leaves migrations of the phase contract that apply() left before
  whole,
};

/// Compares a database with a declaration. The plan contains refusals. Throws 422
/// data.version_invalid, 409 data.wrong_plugin, data.newer, data.migration_changed, and errors of
/// reading.
Comparison compare(schema::Catalog& catalog, Dialect dialect, const StoredState& recorded,
                   const Declaration& declaration, Stage stage = Stage::before_switch);

/// Throws 409 data.migration_refused if a migration of the phase expand left tables that differ
/// from those both versions declare. `rest`: the steps that they would still need.
void require_expanded(const schema::Plan& rest, const std::string& migration);

/// Throws 409 data.not_phased with the reason if the running version cannot continue during the
/// upgrade.
void require_phased(const schema::Plan& plan);

/// Throws 409 data.migration_refused if there are any.
void throw_refusals(const std::vector<schema::Refusal>& refusals);

/// Appends the steps for tables and fields that a migration dropped.
void append_dropped(schema::Plan& plan);

}  // namespace tenon::data
