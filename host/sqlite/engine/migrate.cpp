#include "data/migrate/migrate.hpp"

#include <filesystem>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/migrate/comparison.hpp"
#include "data/migrate/migration_history.hpp"
#include "schema/diff.hpp"
#include "sqlite/connection/read_only_uri.hpp"
#include "sqlite/connection/script.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/engine/metadata_store.hpp"
#include "sqlite/schema/apply.hpp"
#include "sqlite/schema/catalog.hpp"
#include "sqlite/schema/change_log_triggers.hpp"
#include "sqlite/schema/renames.hpp"
#include "sqlite/schema/search_index.hpp"

namespace tenon::data::sqlite {

namespace {

using schema::Plan;

enum class References : bool { unchecked, enforced };

// Runs `work` in one transaction of the writer's own. With references unchecked a table can be made
// anew without those of its rows being acted upon; the work checks them before its end.
void migrate(Engine& engine, References references, const std::function<void(Connection&)>& work,
             Engine::Reporting reporting = Engine::Reporting::on) {
  const auto run = [&](Connection& connection) {
    sqlite3* db = connection.handle();
    const AccessScope scope(connection, Access::internal);
    const auto limit =
        std::chrono::duration_cast<std::chrono::nanoseconds>(engine.options().waits.migration);
    const auto finish = [&] {
      if (!connection.is_autocommit()) connection.control(Control::rollback);
      sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
      connection.cache().clear();
    };
    if (references == References::unchecked)
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
  };
  engine.with_write_lock(run, reporting);
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

Comparison compare(Connection& connection, const Declaration& declaration,
                   Stage stage = Stage::before_switch) {
  const MetadataStore ledger(connection);
  schema::SqliteCatalog catalog(connection);
  return data::compare(catalog, Dialect::sqlite, read_stored_state(ledger, declaration.plugin),
                       declaration, stage);
}

// A key of the ledger. Its value is the digest of the declaration that was applied, and SQLite's
// schema_version behind that. Every change of the schema, by any program, changes schema_version.
constexpr std::string_view applied = "applied";

std::string applied_text(const Declaration& declaration, std::int64_t schema) {
  return declaration.digest + " " + std::to_string(schema);
}

void record(MetadataStore& ledger, const Declaration& declaration, const Pending& one) {
  ledger.record(declaration.plugin,
                {one.migration->number, one.migration->name, one.checksum, one.migration->phase});
}

void run_pending(Connection& connection, const Comparison& comparison,
                 const Declaration& declaration) {
  MetadataStore ledger(connection);
  for (const auto& one : comparison.pending) {
    if (!(comparison.from_version.empty() && one.migration->upgrade_only)) {
      const AccessScope scope(connection, Access::migrating);
      run_script(connection, one.migration->sql, "migrations/" + one.migration->name);
    }
    record(ledger, declaration, one);
  }
}

// Makes of the data what both versions declare, but for the migrations.
void expand_tables(Connection& connection, const Comparison& comparison,
                   const Declaration& declaration) {
  schema::add_tables_and_fields(connection, comparison.stored, comparison.merged_tables);
  schema::apply_constraints(connection, comparison.merged_tables);
  schema::make_search_indexes(connection, comparison.merged_tables);
  MetadataStore ledger(connection);
  record_alternate(ledger, declaration, comparison.merged_tables);
}

void run_expanding(Connection& connection, const Pending& one, const schema::Tables& both,
                   const Declaration& declaration) {
  {
    const AccessScope scope(connection, Access::migrating);
    run_script(connection, one.migration->sql, "migrations/" + one.migration->name);
  }
  Plan rest;
  schema::SqliteCatalog catalog(connection);
  schema::add_differences(catalog, both, both, {}, schema::Moment::after_migrations, rest);
  catalog.add_search_steps(both, schema::SearchUpgrade::where_changed, rest);
  require_expanded(rest, one.migration->name);
  MetadataStore ledger(connection);
  record(ledger, declaration, one);
}

}  // namespace

schema::Plan Engine::plan(const Declaration& declaration) {
  Plan plan;
  with_read_connection([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    plan = compare(connection, declaration).plan;
  });
  return plan;
}

schema::Plan Engine::apply(const Declaration& declaration) {
  return apply(declaration, Stage::before_switch);
}

schema::Plan Engine::contract(const Declaration& declaration) {
  return apply(declaration, Stage::whole);
}

schema::Plan Engine::expand(const Declaration& declaration) {
  Comparison comparison;
  with_read_connection([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    comparison = compare(connection, declaration);
  });
  if (comparison.compatibility != Compatibility::none) return comparison.plan;
  require_phased(comparison.plan);
  wait_checked();
  forget_applied();
  migrate(*this, References::enforced, [&](Connection& connection) {
    MetadataStore ledger(connection);
    ledger.ensure();
    ledger.set(applied, "");
    comparison = compare(connection, declaration);
    require_phased(comparison.plan);
    expand_tables(connection, comparison, declaration);
  });
  for (const Pending& one : comparison.pending) {
    if (one.migration->phase != schema::Phase::expand) continue;
    migrate(*this, References::enforced, [&](Connection& connection) {
      run_expanding(connection, one, comparison.merged_tables, declaration);
    });
  }
  return comparison.plan;
}

schema::Plan Engine::apply(const Declaration& declaration, Stage stage) {
  Plan plan;
  bool has_stale_change_log = false;
  bool has_missing_words = false;
  bool is_whole = false;  // nothing is left to do, and no other version uses the data
  std::int64_t schema = 0;
  if (find_applied(declaration)) return plan;
  with_read_connection([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    const Comparison comparison = compare(connection, declaration, stage);
    plan = comparison.plan;
    is_whole = comparison.compatibility == Compatibility::none;
    // A file of an earlier host has no log yet, or one with other triggers.
    if (!plan.is_empty()) return;
    has_stale_change_log = schema::is_change_log_stale(connection, declaration.tables);
    has_missing_words = schema::lacks_word_table(connection, declaration.tables);
    schema = schema_number(connection);
  });
  if (plan.is_empty()) {
    if (has_stale_change_log || has_missing_words) {
      wait_checked();
      migrate(*this, References::enforced, [&](Connection& connection) {
        if (has_stale_change_log) schema::create_change_log(connection, declaration.tables);
        schema::make_search_indexes(connection, declaration.tables);
        schema = schema_number(connection);
      });
    }
    if (is_whole) {
      note_applied(declaration, schema);
      keep_applied(declaration, schema);
    }
    return plan;
  }
  throw_refusals(plan.refusals);
  // Damage would be written into what is made new.
  wait_checked();
  forget_applied();
  migrate(*this, References::unchecked, [&](Connection& connection) {
    MetadataStore ledger(connection);
    ledger.ensure();
    ledger.set(applied, "");
    const Comparison comparison = compare(connection, declaration, stage);
    plan = comparison.plan;
    is_whole = comparison.compatibility == Compatibility::none;
    if (!is_whole) {
      schema::drop_search_indexes(connection, comparison.merged_tables, comparison.search);
      schema::make_search_indexes(connection, comparison.merged_tables);
      record_switch(ledger, comparison.compatibility, declaration);
      if (schema::is_change_log_stale(connection, declaration.tables))
        schema::create_change_log(connection, declaration.tables);
      return;
    }
    throw_refusals(plan.refusals);
    schema::drop_change_log(connection);
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
    append_dropped(plan);
    schema::drop_orphaned_link_tables(connection, comparison.stored, declaration.tables);
    schema::apply_constraints(connection, declaration.tables);
    schema::make_search_indexes(connection, declaration.tables);
    check_references(connection);
    schema::create_change_log(connection, declaration.tables);
    record_applied(ledger, declaration);
    schema = schema_number(connection);
    if (!declaration.digest.empty()) ledger.set(applied, applied_text(declaration, schema));
  });
  if (is_whole) note_applied(declaration, schema);
  return plan;
}

bool Engine::find_applied(const Declaration& declaration) {
  if (declaration.digest.empty()) return false;
  bool is_known = false;
  with_write_lock([&](Connection& connection) {
    const std::int64_t schema = schema_number(connection);
    const AccessScope scope(connection, Access::internal);
    is_known = MetadataStore(connection).get(applied) == applied_text(declaration, schema);
    if (is_known) note_applied(declaration, schema);
  });
  return is_known;
}

void Engine::keep_applied(const Declaration& declaration, std::int64_t schema) noexcept {
  if (declaration.digest.empty()) return;
  try {
    const auto set = [&](Connection& connection) {
      MetadataStore ledger(connection);
      if (ledger.exists() && schema_number(connection) == schema)
        ledger.set(applied, applied_text(declaration, schema));
    };
    migrate(*this, References::enforced, set, Reporting::off);
  } catch (const std::exception&) {  // a disk that is full: the next write of a plugin says so
  }
}

std::string Engine::applied_version() {
  std::string version;
  with_read_connection([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    version = MetadataStore(connection).get("version");
  });
  return version;
}

void Engine::migrate_room(std::string_view room, std::span<const Migration> list) {
  const auto pending_in = [&](Connection& connection) {
    return pending_migrations(MetadataStore(connection).migrations(room), list, Dialect::sqlite);
  };
  bool is_due = false;
  with_write_lock([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    is_due = !pending_in(connection).empty();
  });
  if (!is_due) return;
  migrate(*this, References::unchecked, [&](Connection& connection) {
    MetadataStore ledger(connection);
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
  options.path = std::filesystem::exists(path) ? read_only_uri(path, is_live) : "file::memory:";
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
