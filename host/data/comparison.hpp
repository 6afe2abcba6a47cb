#pragma once

#include <string>
#include <vector>

#include "data/database.hpp"
#include "data/migration_history.hpp"
#include "data/schema/catalog.hpp"
#include "data/schema/plan.hpp"
#include "data/schema/renames.hpp"

namespace tenon::data {

/// What a database says of the declaration that was applied to it last; empty: nothing was.
struct Recorded {
  std::string plugin;
  std::string version;
  std::string tables;  ///< as to_json() wrote them
  std::vector<AppliedMigration> migrations;
};

/// The comparison of one database with one declaration.
struct Comparison {
  std::string from_version;
  schema::Tables stored;    ///< what was applied last, under the names of the declaration
  schema::Renames renames;  ///< what the database calls otherwise
  std::vector<Pending> pending;
  schema::Plan plan;
  schema::SearchUpgrade search = schema::SearchUpgrade::where_changed;
};

/// Compares. Throws 422 data.version_invalid, 409 data.wrong_plugin, data.newer,
/// data.migration_changed, or what reading fails with; refusals stand in the plan.
Comparison compare(schema::Catalog& catalog, Dialect dialect, const Recorded& recorded,
                   const Declaration& declaration);

/// 409 data.migration_refused where there are any.
void throw_refusals(const std::vector<schema::Refusal>& refusals);

/// Adds what would have been lost without a migration, and was dropped by one.
void add_drops(schema::Plan& plan);

}  // namespace tenon::data
