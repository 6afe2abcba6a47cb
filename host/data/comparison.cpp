#include "data/comparison.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "data/schema/diff.hpp"
#include "data/schema/version.hpp"

namespace tenon::data {

using schema::Plan;
using schema::Refusal;
using schema::StepKind;

Comparison compare(schema::Catalog& catalog, Dialect dialect, const Recorded& recorded,
                   const Declaration& declaration) {
  if (!schema::is_version(declaration.version)) {
    throw base::Error(422, "data.version_invalid",
                      "'" + declaration.version + "' is not a version like 1.4.0.");
  }
  Comparison comparison;
  comparison.from_version = recorded.version;
  if (!recorded.plugin.empty() && recorded.plugin != declaration.plugin) {
    throw base::Error(409, "data.wrong_plugin",
                      "The database belongs to the plugin '" + recorded.plugin + "'.");
  }
  if (!comparison.from_version.empty() &&
      schema::compare_versions(comparison.from_version, declaration.version) > 0) {
    throw newer_error("The data was written by version " + comparison.from_version +
                      ", this is version " + declaration.version +
                      "; install the newer one, or roll back with the data.");
  }
  // Mostly nothing changed, and to write them takes less than to read them.
  if (recorded.tables == schema::to_json(declaration.tables))
    comparison.stored = declaration.tables;
  else if (!recorded.tables.empty())
    comparison.stored = schema::parse_tables(recorded.tables, "the recorded tables");
  comparison.pending = pending_migrations(recorded.migrations, declaration.migrations, dialect);

  Plan& plan = comparison.plan;
  plan.plugin = declaration.plugin;
  plan.from_version = comparison.from_version;
  plan.to_version = declaration.version;
  const bool is_first = comparison.from_version.empty();
  const auto runs = [&](const Pending& one) { return !(is_first && one.migration->upgrade_only); };
  const bool has_migrations =
      std::any_of(comparison.pending.begin(), comparison.pending.end(), runs);
  // Nothing but the room changes declared tables; a start need not look at each.
  const bool is_same = !is_first && !has_migrations && comparison.stored == declaration.tables;
  if (!is_same) {
    comparison.renames = schema::find_renames(catalog, declaration.tables, plan.refusals);
    comparison.stored = schema::renamed(std::move(comparison.stored), comparison.renames);
    schema::add_differences(
        catalog, comparison.stored, declaration.tables, comparison.renames,
        has_migrations ? schema::Moment::planning_with_migrations : schema::Moment::planning, plan);
    catalog.refuse_stale_search(comparison.renames,
                                has_migrations ? plan.left_to_migrations : plan.refusals);
  }
  if (has_migrations) comparison.search = schema::SearchUpgrade::all;
  catalog.add_search_steps(declaration.tables, comparison.search, plan);
  for (const auto& one : comparison.pending) {
    const auto& name = one.migration->name;
    if (runs(one)) {
      plan.steps.push_back({StepKind::run_migration, "", name, "run " + name});
    } else {
      plan.steps.push_back(
          {StepKind::skip_migration, "", name, "skip " + name + " (for upgrades only)"});
    }
  }
  return comparison;
}

void throw_refusals(const std::vector<Refusal>& refusals) {
  if (refusals.empty()) return;
  std::vector<base::FieldError> errors;
  for (const auto& one : refusals) {
    errors.push_back(
        {one.field.empty() ? one.table : one.table + "." + one.field, "refused", one.reason});
  }
  std::string message = errors.front().field + ": " + errors.front().message + ".";
  if (errors.size() > 1) message += " (and " + std::to_string(errors.size() - 1) + " more)";
  throw base::Error(409, "data.migration_refused", std::move(message), std::move(errors));
}

// What would have been lost without a migration, and was dropped by one.
void add_drops(Plan& plan) {
  for (const Refusal& settled : std::exchange(plan.left_to_migrations, {})) {
    if (!settled.kind) continue;
    const bool is_table = *settled.kind == StepKind::drop_table;
    plan.steps.push_back({*settled.kind, settled.table, settled.field,
                          (is_table ? "drop table " : "drop field ") + settled.table +
                              (is_table ? "" : "." + settled.field)});
  }
}

}  // namespace tenon::data
