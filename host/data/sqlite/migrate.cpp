#include "data/migrate.hpp"

#include <filesystem>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/comparison.hpp"
#include "data/database.hpp"
#include "data/migration_history.hpp"
#include "data/schema/diff.hpp"
#include "data/sqlite/engine.hpp"
#include "data/sqlite/ledger.hpp"
#include "data/sqlite/looking_uri.hpp"
#include "data/sqlite/schema/apply.hpp"
#include "data/sqlite/schema/catalog.hpp"
#include "data/sqlite/schema/outbox.hpp"
#include "data/sqlite/schema/renames.hpp"
#include "data/sqlite/schema/search_index.hpp"
#include "data/sqlite/script.hpp"
#include "data/sqlite/sql.hpp"
#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

using schema::Plan;

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

Comparison compare(Connection& connection, const Declaration& declaration) {
  const Ledger ledger(connection);
  Recorded recorded;
  recorded.migrations = ledger.migrations(declaration.plugin);
  recorded.plugin = ledger.get("plugin");
  recorded.version = ledger.get("version");
  recorded.tables = ledger.get("tables");
  schema::SqliteCatalog catalog(connection);
  return data::compare(catalog, Dialect::sqlite, recorded, declaration);
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
  Plan plan;
  bool has_stale_outbox = false;
  read_aside([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    plan = compare(connection, declaration).plan;
    // A file of an earlier host has no log yet, or one with other triggers.
    if (plan.is_empty()) has_stale_outbox = schema::is_outbox_stale(connection, declaration.tables);
  });
  if (plan.is_empty()) {
    if (!has_stale_outbox) return plan;
    wait_checked();
    migrate(*this,
            [&](Connection& connection) { schema::make_outbox(connection, declaration.tables); });
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
    schema::SqliteCatalog catalog(connection);
    schema::add_differences(catalog, comparison.stored, declaration.tables, {},
                            schema::Moment::after_migrations, rest);
    catalog.refuse_stale_search(comparison.renames, rest.refusals);
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
    return pending_migrations(Ledger(connection).migrations(room), list, Dialect::sqlite);
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
