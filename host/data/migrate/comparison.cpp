#include "data/migrate/comparison.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "schema/diff.hpp"
#include "schema/version.hpp"

namespace tenon::data {

using schema::Plan;
using schema::Refusal;
using schema::StepKind;

namespace {

Compatibility compatibility_of(const StoredState& recorded, const Declaration& declaration,
                               const std::string& tables) {
  if (recorded.alternate_version.empty()) return Compatibility::none;
  if (declaration.version == recorded.version && tables == recorded.tables)
    return Compatibility::current;
  if (declaration.version == recorded.alternate_version && tables == recorded.alternate_tables)
    return Compatibility::alternate;
  const bool is_between =
      schema::compare_versions(recorded.version, declaration.version) < 0 &&
      schema::compare_versions(declaration.version, recorded.alternate_version) < 0;
  return is_between && tables == recorded.tables ? Compatibility::intermediate
                                                 : Compatibility::none;
}

// Whether the data needs no change; steps that wait until the other version has ended may be due.
bool is_served(Compatibility compatibility, const std::vector<Pending>& pending) {
  if (compatibility == Compatibility::none) return false;
  return std::all_of(pending.begin(), pending.end(), [&](const Pending& one) {
    return compatibility != Compatibility::intermediate &&
           one.migration->phase == schema::Phase::contract;
  });
}

// An older version that declares exactly the applied tables needs no conversion.
bool is_older_with_same_data(const StoredState& recorded, const Declaration& declaration,
                             const std::string& tables, Dialect dialect) {
  return !recorded.version.empty() && recorded.alternate_version.empty() &&
         tables == recorded.tables &&
         schema::compare_versions(declaration.version, recorded.version) < 0 &&
         has_same_migrations(recorded.migrations, declaration.migrations, dialect);
}

void refuse_newer(const StoredState& recorded, const Declaration& declaration) {
  if (recorded.version.empty()) return;
  if (schema::compare_versions(recorded.version, declaration.version) > 0) {
    throw newer_error("The data was written by version " + recorded.version +
                      " with other tables or migrations, this is version " + declaration.version +
                      "; install the newer one, or roll back with the data.");
  }
  if (!recorded.alternate_version.empty() &&
      schema::compare_versions(recorded.alternate_version, declaration.version) > 0) {
    throw newer_error("The data was expanded for version " + recorded.alternate_version +
                      ", this is version " + declaration.version +
                      " with other tables; install that one or a newer one.");
  }
}

void add_search_steps(schema::Catalog& catalog, const schema::Tables& declared,
                      schema::SearchUpgrade upgrade, Plan& plan) {
  const std::size_t before = plan.steps.size();
  catalog.add_search_steps(declared, upgrade, plan);
  for (std::size_t i = before; i < plan.steps.size(); ++i) {
    if (plan.steps[i].kind != StepKind::drop_search_index)
      plan.steps[i].phase = schema::Phase::expand;
  }
}

void compare_served(schema::Catalog& catalog, const StoredState& recorded, Comparison& comparison) {
  Plan& plan = comparison.plan;
  comparison.stored = schema::parse_tables(
      recorded.merged_tables.empty() ? recorded.tables : recorded.merged_tables,
      "the recorded tables");
  comparison.merged_tables = comparison.stored;
  plan.is_switch = comparison.compatibility != Compatibility::current;
  plan.is_phased = true;
  add_search_steps(catalog, comparison.merged_tables, comparison.search, plan);
  for (const Pending& one : comparison.pending)
    plan.pending_contract.push_back(one.migration->name);
}

// Adds steps and refusals, and whether the running version can continue in the meantime.
void compare_tables(schema::Catalog& catalog, const Declaration& declaration, bool has_migrations,
                    Comparison& comparison) {
  Plan& plan = comparison.plan;
  comparison.renames = schema::find_renames(catalog, declaration.tables, plan.refusals);
  comparison.stored = schema::renamed(std::move(comparison.stored), comparison.renames);
  schema::add_differences(
      catalog, comparison.stored, declaration.tables, comparison.renames,
      has_migrations ? schema::Moment::planning_with_migrations : schema::Moment::planning, plan);
  catalog.refuse_stale_search(comparison.renames,
                              has_migrations ? plan.deferred_refusals : plan.refusals);
}

void check_phases(schema::Catalog& catalog, const Declaration& declaration,
                  Comparison& comparison) {
  Plan& plan = comparison.plan;
  if (comparison.from_version.empty() || plan.is_refused()) return;
  std::vector<schema::PendingPhase> pending;
  for (const Pending& one : comparison.pending)
    pending.push_back({one.migration->name, one.migration->phase});
  Plan with_search = plan;
  add_search_steps(catalog, declaration.tables, schema::SearchUpgrade::where_changed, with_search);
  plan.blocked_by = schema::blocked_by(with_search, comparison.stored, pending);
  const bool is_due = !with_search.steps.empty() || !pending.empty();
  if (plan.blocked_by.empty() && is_due && !declaration.declares_phases())
    plan.blocked_by = "no migration of this version declares its phase";
  if (!plan.blocked_by.empty()) return;
  auto both = schema::tables_of_both(declaration.tables, comparison.stored, plan);
  if (!both) {
    plan.blocked_by = "the tables of both versions do not go together";
    return;
  }
  comparison.merged_tables = *std::move(both);
  plan.is_phased = true;
}

}  // namespace

Comparison compare(schema::Catalog& catalog, Dialect dialect, const StoredState& recorded,
                   const Declaration& declaration, Stage stage) {
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
  Plan& plan = comparison.plan;
  plan.plugin = declaration.plugin;
  plan.from_version = comparison.from_version;
  plan.to_version = declaration.version;
  const std::string tables = schema::to_json(declaration.tables);
  const Compatibility compatibility = compatibility_of(recorded, declaration, tables);
  if (compatibility != Compatibility::none && stage == Stage::before_switch) {
    comparison.pending =
        pending_migrations(recorded.migrations, declaration.migrations, dialect, true);
    if (is_served(compatibility, comparison.pending)) {
      comparison.compatibility = compatibility;
      compare_served(catalog, recorded, comparison);
      return comparison;
    }
  }
  if (is_older_with_same_data(recorded, declaration, tables, dialect)) {
    comparison.compatibility = Compatibility::older;
    compare_served(catalog, recorded, comparison);
    return comparison;
  }
  refuse_newer(recorded, declaration);
  // Usually nothing changed, and writing the tables costs less than parsing them.
  const std::string& there =
      recorded.merged_tables.empty() ? recorded.tables : recorded.merged_tables;
  if (there == tables)
    comparison.stored = declaration.tables;
  else if (!there.empty())
    comparison.stored = schema::parse_tables(there, "the recorded tables");
  comparison.pending = pending_migrations(recorded.migrations, declaration.migrations, dialect);

  const bool is_first = comparison.from_version.empty();
  const auto runs = [&](const Pending& one) { return !(is_first && one.migration->upgrade_only); };
  const bool has_migrations =
      std::any_of(comparison.pending.begin(), comparison.pending.end(), runs);
  // Nothing but the room changes declared tables; a start need not look at each.
  const bool is_same = !is_first && !has_migrations && comparison.stored == declaration.tables;
  if (!is_same) compare_tables(catalog, declaration, has_migrations, comparison);
  check_phases(catalog, declaration, comparison);
  if (has_migrations && !plan.is_phased) comparison.search = schema::SearchUpgrade::all;
  add_search_steps(catalog, declaration.tables, comparison.search, plan);
  for (const auto& one : comparison.pending) {
    const auto& name = one.migration->name;
    if (runs(one)) {
      plan.steps.push_back(
          {StepKind::run_migration, "", name, "run " + name, one.migration->phase});
    } else {
      plan.steps.push_back({StepKind::skip_migration, "", name,
                            "skip " + name + " (for upgrades only)", schema::Phase::expand});
    }
  }
  return comparison;
}

void require_phased(const Plan& plan) {
  throw_refusals(plan.refusals);
  if (plan.is_phased) return;
  throw base::Error(
      409, "data.not_phased",
      "The running version cannot continue while the data is changed: " + plan.blocked_by + ".");
}

void require_expanded(const Plan& rest, const std::string& migration) {
  if (rest.steps.empty() && rest.refusals.empty()) return;
  const std::string what = rest.refusals.empty()
                               ? rest.steps.front().text
                               : rest.refusals.front().table + "." + rest.refusals.front().field +
                                     ": " + rest.refusals.front().reason;
  throw base::Error(
      409, "data.migration_refused",
      "migrations/" + migration +
          " is declared as expand, and removes what the running version needs: " + what + ".");
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

void append_dropped(Plan& plan) {
  for (const Refusal& dropped : std::exchange(plan.deferred_refusals, {})) {
    if (!dropped.kind) continue;
    const bool is_table = *dropped.kind == StepKind::drop_table;
    plan.steps.push_back({*dropped.kind, dropped.table, dropped.field,
                          (is_table ? "drop table " : "drop field ") + dropped.table +
                              (is_table ? "" : "." + dropped.field)});
  }
}

}  // namespace tenon::data
