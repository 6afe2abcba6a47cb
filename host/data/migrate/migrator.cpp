#include "data/migrate/migrator.hpp"

#include "schema/diff.hpp"

namespace tenon::data {

namespace {

using schema::Plan;
using schema::Tables;

// The names of MetadataStore for the declaration that works with the data in addition to the
// applied one, and for the tables of the two together.
constexpr std::string_view alternate_version = "beside_version";
constexpr std::string_view alternate_tables = "beside_tables";
constexpr std::string_view merged_tables = "both";

StoredState read_stored_state(const MetadataStore& metadata, const std::string& plugin) {
  StoredState stored;
  stored.migrations = metadata.migrations(plugin);
  stored.plugin = metadata.get("plugin");
  stored.version = metadata.get("version");
  stored.tables = metadata.get("tables");
  stored.alternate_version = metadata.get(alternate_version);
  stored.alternate_tables = metadata.get(alternate_tables);
  stored.merged_tables = metadata.get(merged_tables);
  return stored;
}

// Records that the data has exactly this declaration, and no alternate one.
void record_applied(MetadataStore& metadata, const Declaration& declaration) {
  metadata.set("plugin", declaration.plugin);
  metadata.set("version", declaration.version);
  metadata.set("tables", schema::to_json(declaration.tables));
  for (const std::string_view name : {alternate_version, alternate_tables, merged_tables}) {
    if (!metadata.get(name).empty()) metadata.set(name, "");
  }
}

// Records that the data also works with the declaration.
void record_alternate(MetadataStore& metadata, const Declaration& declaration,
                      const Tables& merged) {
  metadata.set(alternate_version, declaration.version);
  metadata.set(alternate_tables, schema::to_json(declaration.tables));
  metadata.set(merged_tables, schema::to_json(merged));
}

// Records that the declaration, with which the data already works, now uses the data.
void record_switch(MetadataStore& metadata, Compatibility compatibility,
                   const Declaration& declaration) {
  if (compatibility == Compatibility::alternate) {
    metadata.set(alternate_version, metadata.get("version"));
    metadata.set(alternate_tables, metadata.get("tables"));
    metadata.set("tables", schema::to_json(declaration.tables));
  }
  metadata.set("version", declaration.version);
}

void record(MigrationSession& session, const Declaration& declaration, const Pending& one) {
  session.metadata().record(declaration.plugin, {one.migration->number, one.migration->name,
                                                 one.checksum, one.migration->phase});
}

// Creates the tables that both versions need, without the numbered migrations.
void expand_tables(MigrationSession& session, const Comparison& comparison,
                   const Declaration& declaration) {
  session.add_tables_and_fields(comparison.stored, comparison.merged_tables);
  session.apply_constraints(comparison.merged_tables);
  session.make_search_indexes(comparison.merged_tables);
  record_alternate(session.metadata(), declaration, comparison.merged_tables);
  session.grant_access();
}

void run_expand_migration(MigrationSession& session, const Pending& one, const Tables& merged,
                          const Declaration& declaration) {
  session.run_migration(*one.migration);
  Plan rest;
  const auto catalog = session.open_catalog();
  schema::add_differences(*catalog, merged, merged, {}, schema::Moment::after_migrations, rest);
  catalog->add_search_steps(merged, schema::SearchUpgrade::where_changed, rest);
  require_expanded(rest, one.migration->name);
  record(session, declaration, one);
  session.grant_access();
}

void switch_version(MigrationSession& session, const Comparison& comparison,
                    const Declaration& declaration) {
  session.drop_search_indexes(comparison.merged_tables, comparison.search);
  session.make_search_indexes(comparison.merged_tables);
  record_switch(session.metadata(), comparison.compatibility, declaration);
  if (session.is_change_log_stale(declaration.tables))
    session.create_change_log(declaration.tables);
}

void run_pending(MigrationSession& session, const Comparison& comparison,
                 const Declaration& declaration) {
  for (const Pending& one : comparison.pending) {
    if (!(comparison.from_version.empty() && one.migration->upgrade_only))
      session.run_migration(*one.migration);
    record(session, declaration, one);
  }
}

void throw_differences(MigrationSession& session, const Comparison& comparison,
                       const Declaration& declaration) {
  Plan rest;
  const auto catalog = session.open_catalog();
  schema::add_differences(*catalog, comparison.stored, declaration.tables, {},
                          schema::Moment::after_migrations, rest);
  catalog->refuse_stale_search(comparison.renames, rest.refusals);
  throw_refusals(rest.refusals);
}

void upgrade(MigrationSession& session, Comparison& comparison, const Declaration& declaration) {
  throw_refusals(comparison.plan.refusals);
  session.drop_change_log();
  session.drop_search_indexes(declaration.tables, comparison.search);
  session.apply_renames(comparison.renames, declaration.tables);
  session.add_tables_and_fields(comparison.stored, declaration.tables);
  run_pending(session, comparison, declaration);
  throw_differences(session, comparison, declaration);
  append_dropped(comparison.plan);
  session.drop_orphaned_link_tables(comparison.stored, declaration.tables);
  session.apply_constraints(declaration.tables);
  session.make_search_indexes(declaration.tables);
  session.check_references();
  session.create_change_log(declaration.tables);
  session.grant_access();
  record_applied(session.metadata(), declaration);
  session.record_digest(declaration);
}

}  // namespace

Comparison compare(MigrationSession& session, const Declaration& declaration, Stage stage) {
  const auto catalog = session.open_catalog();
  return compare(*catalog, session.dialect(),
                 read_stored_state(session.metadata(), declaration.plugin), declaration, stage);
}

Plan Migrator::plan(const Declaration& declaration) {
  Plan plan;
  read_schema([&](MigrationSession& session) { plan = compare(session, declaration).plan; });
  return plan;
}

Plan Migrator::apply(const Declaration& declaration) {
  return apply(declaration, Stage::before_switch);
}

Plan Migrator::contract(const Declaration& declaration) {
  return apply(declaration, Stage::whole);
}

Plan Migrator::apply(const Declaration& declaration, Stage stage) {
  if (is_applied(declaration)) return {};
  Comparison comparison;
  bool needs_refresh = false;
  std::int64_t schema_number = 0;
  read_schema([&](MigrationSession& session) {
    comparison = compare(session, declaration, stage);
    if (!comparison.plan.is_empty()) return;
    needs_refresh = session.needs_refresh(declaration.tables);
    schema_number = session.schema_number();
  });
  const bool is_new = !comparison.plan.is_empty();
  if (is_new) {
    throw_refusals(comparison.plan.refusals);
    before_change(true);
    change_schema(Change::rebuild, [&](MigrationSession& session) {
      session.prepare();
      comparison = compare(session, declaration, stage);
      if (comparison.compatibility == Compatibility::none)
        upgrade(session, comparison, declaration);
      else
        switch_version(session, comparison, declaration);
      schema_number = session.schema_number();
    });
  } else if (needs_refresh) {
    before_change(false);
    change_schema(Change::add, [&](MigrationSession& session) {
      session.refresh(declaration.tables);
      schema_number = session.schema_number();
    });
  }
  // Nothing is left to do, and no other version uses the data.
  if (comparison.compatibility == Compatibility::none)
    after_apply(declaration, schema_number, is_new);
  return comparison.plan;
}

Plan Migrator::expand(const Declaration& declaration) {
  Comparison comparison;
  read_schema([&](MigrationSession& session) { comparison = compare(session, declaration); });
  if (comparison.compatibility != Compatibility::none) return comparison.plan;
  require_phased(comparison.plan);
  before_change(true);
  change_schema(Change::add, [&](MigrationSession& session) {
    session.prepare();
    comparison = compare(session, declaration);
    require_phased(comparison.plan);
    expand_tables(session, comparison, declaration);
  });
  for (const Pending& one : comparison.pending) {
    if (one.migration->phase != schema::Phase::expand) continue;
    change_schema(Change::add, [&](MigrationSession& session) {
      run_expand_migration(session, one, comparison.merged_tables, declaration);
    });
  }
  return comparison.plan;
}

std::string Migrator::applied_version() {
  std::string version;
  read_schema([&](MigrationSession& session) { version = session.metadata().get("version"); });
  return version;
}

void Migrator::migrate_room(std::string_view room, std::span<const Migration> migrations) {
  const auto pending_in = [&](MigrationSession& session) {
    return pending_migrations(session.metadata().migrations(room), migrations, session.dialect());
  };
  bool is_due = false;
  read_room([&](MigrationSession& session) { is_due = !pending_in(session).empty(); });
  if (!is_due) return;
  change_schema(Change::room, [&](MigrationSession& session) {
    session.metadata().ensure();
    for (const Pending& one : pending_in(session)) {
      session.run_room_migration(*one.migration);
      session.metadata().record(room, {one.migration->number, one.migration->name, one.checksum});
    }
    session.check_references();
  });
}

}  // namespace tenon::data
