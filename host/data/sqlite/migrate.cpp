#include "data/migrate.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/migration_history.hpp"
#include "data/schema/version.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/ledger.hpp"
#include "data/sqlite/looking_uri.hpp"
#include "data/sqlite/schema/apply.hpp"
#include "data/sqlite/schema/diff.hpp"
#include "data/sqlite/schema/outbox.hpp"
#include "data/sqlite/schema/renames.hpp"
#include "data/sqlite/schema/search_index.hpp"
#include "data/sqlite/script.hpp"
#include "data/sqlite/sql.hpp"
#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

using schema::Plan;
using schema::Refusal;
using schema::StepKind;

// Runs `work` in one transaction of the writer's own, with foreign keys off (a table can then be
// made anew without its rows' references being acted upon) and checked by the work before its end.
void migrate(Engine& engine, const std::function<void(Connection&)>& work) {
  engine.run_exclusively([&](Connection& connection) {
    sqlite3* db = connection.handle();
    const AccessScope scope(connection, Access::internal);
    const auto limit =
        std::chrono::duration_cast<std::chrono::nanoseconds>(engine.options().waits.migration);
    const auto finish = [&] {
      if (!connection.is_autocommit()) connection.control(Control::rollback);
      sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
      connection.cache().clear();
    };
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
    connection.set_deadline(base::monotonic_nanoseconds() + limit.count());
    try {
      if (const int code = connection.control(Control::begin_write); code != SQLITE_OK)
        throw sqlite_error(db, code);
      work(connection);
      if (const int code = connection.control(Control::commit); code != SQLITE_OK)
        throw sqlite_error(db, code);
    } catch (...) {
      finish();
      throw;
    }
    finish();
  });
}

void check_references(Connection& connection) {
  Sql broken(connection,
             "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check() GROUP BY "
             "\"table\", parent ORDER BY 1");
  std::vector<base::FieldError> errors;
  while (broken.next()) {
    errors.push_back({broken.text(0), "refused",
                      std::to_string(broken.integer(2)) + " records refer to records of " +
                          broken.text(1) +
                          " that do not exist after the migrations (cascades do not run in them)"});
  }
  if (errors.empty()) return;
  std::string message = errors.front().field + ": " + errors.front().message;
  throw base::Error(409, "data.migration_refused", std::move(message), std::move(errors));
}

// The comparison of one file with one declaration.
struct Comparison {
  std::string from_version;
  schema::Tables stored;    // what was applied last, under the names of the declaration
  schema::Renames renames;  // what the file calls otherwise
  std::vector<Pending> pending;
  Plan plan;
  schema::SearchUpgrade search = schema::SearchUpgrade::where_changed;
};

Comparison compare(Connection& connection, const Declaration& declaration) {
  if (!schema::is_version(declaration.version)) {
    throw base::Error(422, "data.version_invalid",
                      "'" + declaration.version + "' is not a version like 1.4.0.");
  }
  const Ledger ledger(connection);
  Comparison comparison;
  const auto migrations = ledger.migrations(declaration.plugin);
  comparison.from_version = ledger.get("version");
  if (const auto owner = ledger.get("plugin"); !owner.empty() && owner != declaration.plugin) {
    throw base::Error(409, "data.wrong_plugin",
                      "The database belongs to the plugin '" + owner + "'.");
  }
  if (!comparison.from_version.empty() &&
      schema::compare_versions(comparison.from_version, declaration.version) > 0) {
    throw newer_error("The data was written by version " + comparison.from_version +
                      ", this is version " + declaration.version +
                      "; install the newer one, or roll back with the data.");
  }
  if (const auto text = ledger.get("tables"); !text.empty())
    comparison.stored = schema::parse_tables(text, "the recorded tables");
  comparison.pending = pending_migrations(migrations, declaration.migrations);

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
    comparison.renames = schema::find_renames(connection, declaration.tables, plan.refusals);
    comparison.stored = schema::renamed(std::move(comparison.stored), comparison.renames);
    schema::add_differences(
        connection, comparison.stored, declaration.tables, comparison.renames,
        has_migrations ? schema::Moment::planning_with_migrations : schema::Moment::planning, plan);
    schema::refuse_stale_search(connection, comparison.renames,
                                has_migrations ? plan.left_to_migrations : plan.refusals);
  }
  if (has_migrations) comparison.search = schema::SearchUpgrade::all;
  schema::add_search_steps(connection, declaration.tables, comparison.search, plan);
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

void run_pending(Connection& connection, const Comparison& comparison,
                 const Declaration& declaration) {
  Ledger ledger(connection);
  for (const auto& one : comparison.pending) {
    if (!(comparison.from_version.empty() && one.migration->upgrade_only)) {
      const AccessScope scope(connection, Access::migrating);
      run_script(connection, one.migration->sql, "migrations/" + one.migration->name);
    }
    ledger.record(declaration.plugin, {one.migration->number, one.migration->name, one.checksum});
  }
}

// A file of an earlier host has no log yet, or one with other triggers.
void renew_outbox(Engine& engine, const schema::Tables& tables) {
  bool is_stale = false;
  engine.read_aside([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    is_stale = schema::is_outbox_stale(connection, tables);
  });
  if (!is_stale) return;
  engine.wait_checked();
  migrate(engine, [&](Connection& connection) { schema::make_outbox(connection, tables); });
}

}  // namespace

schema::Plan Engine::plan(const Declaration& declaration) {
  Plan plan;
  read_aside([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    plan = compare(connection, declaration).plan;
  });
  return plan;
}

schema::Plan Engine::apply(const Declaration& declaration) {
  Plan plan = this->plan(declaration);
  if (plan.is_empty()) {
    renew_outbox(*this, declaration.tables);
    return plan;
  }
  throw_refusals(plan.refusals);
  // Damage would be written into what is made new.
  wait_checked();
  migrate(*this, [&](Connection& connection) {
    Ledger ledger(connection);
    ledger.ensure();
    schema::drop_outbox(connection);
    const Comparison comparison = compare(connection, declaration);
    plan = comparison.plan;
    throw_refusals(plan.refusals);
    schema::drop_search_indexes(connection, declaration.tables, comparison.search);
    schema::apply_renames(connection, comparison.renames);
    schema::add_tables_and_fields(connection, comparison.stored, declaration.tables);
    run_pending(connection, comparison, declaration);
    Plan rest;
    schema::add_differences(connection, comparison.stored, declaration.tables, {},
                            schema::Moment::after_migrations, rest);
    schema::refuse_stale_search(connection, comparison.renames, rest.refusals);
    throw_refusals(rest.refusals);
    add_drops(plan);
    schema::drop_lone_links(connection, comparison.stored, declaration.tables);
    schema::settle_constraints(connection, declaration.tables);
    schema::make_search_indexes(connection, declaration.tables);
    check_references(connection);
    schema::make_outbox(connection, declaration.tables);
    ledger.set("plugin", declaration.plugin);
    ledger.set("version", declaration.version);
    ledger.set("tables", schema::to_json(declaration.tables));
  });
  return plan;
}

std::string Engine::applied_version() {
  std::string version;
  read_aside([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    version = Ledger(connection).get("version");
  });
  return version;
}

void Engine::migrate_room(std::string_view room, std::span<const Migration> list) {
  const auto pending_in = [&](Connection& connection) {
    return pending_migrations(Ledger(connection).migrations(room), list);
  };
  bool is_due = false;
  read_aside([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    is_due = !pending_in(connection).empty();
  });
  if (!is_due) return;
  migrate(*this, [&](Connection& connection) {
    Ledger ledger(connection);
    ledger.ensure();
    for (const auto& one : pending_in(connection)) {
      const AccessScope scope(connection, Access::trusted);
      run_script(connection, one.migration->sql, one.migration->name);
      const AccessScope recording(connection, Access::internal);
      ledger.record(room, {one.migration->number, one.migration->name, one.checksum});
    }
    check_references(connection);
  });
}

schema::Plan plan_file(const std::string& path, bool is_live, const Declaration& declaration) {
  constexpr int busy_milliseconds = 5000;
  Connection::Options options;
  options.path = std::filesystem::exists(path) ? looking_uri(path, is_live) : "file::memory:";
  options.confinement = Confinement::plugin();
  options.busy_milliseconds = busy_milliseconds;
  options.is_uri = true;
  Connection connection(options);
  const AccessScope scope(connection, Access::internal);
  if (const int code = connection.control(Control::begin_read); code != SQLITE_OK)
    throw sqlite_error(connection.handle(), code);
  return compare(connection, declaration).plan;
}

}  // namespace tenon::data::sqlite
