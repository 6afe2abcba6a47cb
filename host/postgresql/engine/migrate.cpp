#include "data/migrate/migrate.hpp"

#include <functional>
#include <utility>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/errors.hpp"
#include "data/migrate/comparison.hpp"
#include "data/migrate/migration_history.hpp"
#include "postgresql/client/sql.hpp"
#include "postgresql/engine/engine.hpp"
#include "postgresql/engine/metadata_store.hpp"
#include "postgresql/roles/room_migration.hpp"
#include "postgresql/schema/apply.hpp"
#include "postgresql/schema/catalog.hpp"
#include "postgresql/schema/change_log_triggers.hpp"
#include "postgresql/schema/ddl.hpp"
#include "postgresql/schema/search_index.hpp"
#include "postgresql/schema/trigger_functions.hpp"
#include "postgresql/sql_guard/statement_text.hpp"
#include "schema/diff.hpp"

namespace tenon::data::postgresql {

namespace {

[[noreturn]] void fail(const std::string& name, const SqlError& error) {
  const bool is_ours =
      error.code() == "data.sql" || error.code() == "data.denied" || error.status() < 500;
  if (!is_ours) throw SqlError(error);
  throw SqlError(500, "data.migration_failed",
                 name + ": " + error.detail() + "; nothing was changed", 0, error.detail());
}

Comparison compare(Sql& sql, const Declaration& declaration, Stage stage = Stage::before_switch) {
  const MetadataStore metadata(sql);
  Catalog catalog(sql);
  return data::compare(catalog, Dialect::postgresql,
                       read_stored_state(metadata, declaration.plugin), declaration, stage);
}

void run_one(Sql& sql, const Migration& migration) {
  try {
    for (const auto& statement : split_script(migration.text(Dialect::postgresql))) {
      check_migration(statement);
      sql.run(statement);
    }
  } catch (const SqlError& error) {
    fail("migrations/" + migration.name, error);
  }
}

void record(Sql& sql, const Declaration& declaration, const Pending& one) {
  MetadataStore(sql).record(declaration.plugin, {one.migration->number, one.migration->name,
                                                 one.checksum, one.migration->phase});
}

void run_pending(Sql& sql, const Comparison& comparison, const Declaration& declaration) {
  for (const auto& one : comparison.pending) {
    if (!(comparison.from_version.empty() && one.migration->upgrade_only))
      run_one(sql, *one.migration);
    record(sql, declaration, one);
  }
}

// Makes of the data what both versions declare, but for the migrations.
void expand_tables(Sql& sql, const std::string& schema, const Comparison& comparison,
                   const Declaration& declaration) {
  add_tables_and_fields(sql, comparison.stored, comparison.merged_tables);
  apply_constraints(sql, comparison.merged_tables);
  make_search_indexes(sql, schema, comparison.merged_tables);
  MetadataStore metadata(sql);
  record_alternate(metadata, declaration, comparison.merged_tables);
}

void run_expanding(Sql& sql, const std::string& schema, const Pending& one,
                   const schema::Tables& both, const Declaration& declaration) {
  run_one(sql, *one.migration);
  pin_search_path(sql, schema);
  schema::Plan rest;
  Catalog catalog(sql);
  schema::add_differences(catalog, both, both, {}, schema::Moment::after_migrations, rest);
  catalog.add_search_steps(both, schema::SearchUpgrade::where_changed, rest);
  require_expanded(rest, one.migration->name);
  record(sql, declaration, one);
}

std::string functions_mark() {
  return base::sha256_hex(functions());
}

void refresh_functions(Sql& sql) {
  MetadataStore metadata(sql);
  if (metadata.get("functions") == functions_mark()) return;
  sql.script(std::string(functions()));
  metadata.set("functions", functions_mark());
}

void run_in_transaction(Connection& connection, std::vector<std::string> begin,
                        std::int64_t deadline, const std::function<void(Sql&)>& work) {
  Session session(connection, std::move(begin));
  session.begin();
  try {
    Sql sql(session, deadline);
    work(sql);
    if (auto error = session.control(Control::commit)) throw SqlError(std::move(*error));
  } catch (...) {
    session.control(Control::rollback);
    throw;
  }
}

}  // namespace

// One connection as the owner of the schema's tables, if that is another role.
class Engine::Owner {
 public:
  Owner(const ConnectionOptions& options, std::int64_t deadline)
      : connection_(options), deadline_(deadline) {}

  void run(std::vector<std::string> begin, const std::function<void(Sql&)>& work) {
    run_in_transaction(connection_, std::move(begin), deadline_, work);
  }

 private:
  Connection connection_;
  const std::int64_t deadline_;
};

void Engine::with_read_connection(const std::function<void(Sql&)>& work) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + nanoseconds_of(options_.waits.migration);
  auto reader = take_from(*readers_, now, deadline);
  std::exception_ptr failure;
  {
    Session session(*reader, {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
    session.begin();
    try {
      Sql sql(session, deadline);
      work(sql);
    } catch (...) {
      failure = std::current_exception();
    }
    session.control(Control::rollback);
  }
  readers_->give(std::move(reader));
  if (failure) std::rethrow_exception(failure);
}

void Engine::with_write_lock(const std::function<void()>& work) {
  writer().acquire(base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.max_transaction),
                   true);
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  writer().release_write_lock(nullptr);
  if (failure) std::rethrow_exception(failure);
}

std::int64_t Engine::migration_deadline() const {
  return base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.migration);
}

// With BEGIN comes the lock of the schema, so that no host writes or migrates meanwhile.
void Engine::migrate(const std::function<void(Sql&)>& work) {
  std::optional<Owner> owner;
  with_write_lock([&] {
    owner.emplace(owner_options(), migration_deadline());
    owner->run({"BEGIN", lock_sql()}, work);
  });
  validate(*owner);
}

// Five rooms of the host migrate at its first start; a connection costs more than what they do.
void Engine::migrate_as_writer(const std::function<void(Sql&)>& work) {
  with_write_lock([&] {
    if (!connection_ || connection_->is_stale()) connect_writer();
    run_in_transaction(*connection_, {"BEGIN", lock_sql()}, migration_deadline(), work);
  });
}

// Writers and readers continue meanwhile.
void Engine::validate(Owner& owner) {
  std::vector<std::pair<std::string, std::string>> constraints;
  owner.run({"BEGIN"}, [&](Sql& sql) { constraints = unvalidated_constraints(sql); });
  for (const auto& [table, name] : constraints) {
    owner.run({"BEGIN"}, [&, table = table, name = name](Sql& sql) {
      sql.run("ALTER TABLE " + table + " VALIDATE CONSTRAINT " + name);
    });
  }
}

void Engine::migrate_room(std::string_view room, std::span<const Migration> migrations) {
  const auto pending_in = [&](Sql& sql) {
    return pending_migrations(MetadataStore(sql).migrations(room), migrations, Dialect::postgresql);
  };
  bool is_due = false;
  with_read_connection([&](Sql& sql) { is_due = !pending_in(sql).empty(); });
  if (!is_due) return;
  migrate_as_writer([&](Sql& sql) {
    MetadataStore metadata(sql);
    metadata.ensure();
    for (const auto& one : pending_in(sql)) {
      try {
        sql.script(room_migration(one.migration->text(Dialect::postgresql)));
      } catch (const SqlError& error) {
        fail(one.migration->name, error);
      }
      metadata.record(room, {one.migration->number, one.migration->name, one.checksum});
    }
  });
}

schema::Plan Engine::plan(const Declaration& declaration) {
  schema::Plan plan;
  with_read_connection([&](Sql& sql) { plan = compare(sql, declaration).plan; });
  return plan;
}

// Recreates what the host makes in addition to the tables, if it is from an earlier host or was
// interrupted.
void Engine::renew(const Declaration& declaration) {
  const std::string& schema = options_.postgresql->schema;
  bool is_stale = false;
  with_read_connection([&](Sql& sql) {
    is_stale = is_change_log_stale(sql, schema, declaration.tables) ||
               MetadataStore(sql).get("functions") != functions_mark() ||
               !unvalidated_constraints(sql).empty();
  });
  if (!is_stale) return;
  migrate([&](Sql& sql) {
    MetadataStore(sql).ensure();
    refresh_functions(sql);
    if (is_change_log_stale(sql, schema, declaration.tables))
      create_change_log(sql, schema, declaration.tables);
  });
}

schema::Plan Engine::apply(const Declaration& declaration) {
  return apply(declaration, Stage::before_switch);
}

schema::Plan Engine::contract(const Declaration& declaration) {
  return apply(declaration, Stage::whole);
}

schema::Plan Engine::expand(const Declaration& declaration) {
  Comparison comparison;
  with_read_connection([&](Sql& sql) { comparison = compare(sql, declaration); });
  if (comparison.compatibility != Compatibility::none) return comparison.plan;
  require_phased(comparison.plan);
  const std::string& schema = options_.postgresql->schema;
  const auto grant = [&](Sql& sql) {
    if (!options_.postgresql->user.empty()) grant_rows(sql, options_.postgresql->user);
  };
  migrate([&](Sql& sql) {
    MetadataStore(sql).ensure();
    refresh_functions(sql);
    comparison = compare(sql, declaration);
    require_phased(comparison.plan);
    expand_tables(sql, schema, comparison, declaration);
    grant(sql);
  });
  for (const Pending& one : comparison.pending) {
    if (one.migration->phase != schema::Phase::expand) continue;
    migrate([&](Sql& sql) {
      run_expanding(sql, schema, one, comparison.merged_tables, declaration);
      grant(sql);
    });
  }
  return comparison.plan;
}

schema::Plan Engine::apply(const Declaration& declaration, Stage stage) {
  schema::Plan plan;
  with_read_connection([&](Sql& sql) { plan = compare(sql, declaration, stage).plan; });
  if (plan.is_empty()) {
    renew(declaration);
    return plan;
  }
  throw_refusals(plan.refusals);
  const std::string& schema = options_.postgresql->schema;
  migrate([&](Sql& sql) {
    MetadataStore metadata(sql);
    metadata.ensure();
    refresh_functions(sql);
    const Comparison comparison = compare(sql, declaration, stage);
    plan = comparison.plan;
    if (comparison.compatibility != Compatibility::none) {
      drop_search_indexes(sql, comparison.merged_tables, comparison.search);
      make_search_indexes(sql, schema, comparison.merged_tables);
      record_switch(metadata, comparison.compatibility, declaration);
      if (is_change_log_stale(sql, schema, declaration.tables))
        create_change_log(sql, schema, declaration.tables);
      return;
    }
    throw_refusals(plan.refusals);
    drop_change_log(sql);
    drop_search_indexes(sql, declaration.tables, comparison.search);
    apply_renames(sql, comparison.renames, declaration.tables);
    add_tables_and_fields(sql, comparison.stored, declaration.tables);
    run_pending(sql, comparison, declaration);
    pin_search_path(sql, schema);
    schema::Plan rest;
    Catalog catalog(sql);
    schema::add_differences(catalog, comparison.stored, declaration.tables, {},
                            schema::Moment::after_migrations, rest);
    throw_refusals(rest.refusals);
    append_dropped(plan);
    drop_orphaned_link_tables(sql, comparison.stored, declaration.tables);
    apply_constraints(sql, declaration.tables);
    make_search_indexes(sql, schema, declaration.tables);
    create_change_log(sql, schema, declaration.tables);
    if (!options_.postgresql->user.empty()) grant_rows(sql, options_.postgresql->user);
    record_applied(metadata, declaration);
  });
  return plan;
}

std::string Engine::applied_version() {
  std::string version;
  with_read_connection([&](Sql& sql) { version = MetadataStore(sql).get("version"); });
  return version;
}

}  // namespace tenon::data::postgresql
