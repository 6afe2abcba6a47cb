#include "postgresql/engine/metadata_store.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::string_view form = "1";

}  // namespace

bool MetadataStore::has(std::string_view table) const {
  return sql_.number("SELECT to_regclass(?1) IS NOT NULL", {table}) != 0;
}

void MetadataStore::check_form() const {
  const auto found = get("form");
  if (found.empty() || found == form) return;
  throw base::Error(409, "data.newer",
                    "This database was written by a later version of the server; install that one "
                    "or a newer one.");
}

void MetadataStore::ensure() {
  if (has("tenon_meta")) {
    check_form();
  } else {
    sql_.run("CREATE TABLE tenon_meta (name TEXT COLLATE \"C\" PRIMARY KEY, value TEXT NOT NULL)");
    set("form", form);
  }
  sql_.run(
      "CREATE TABLE IF NOT EXISTS tenon_migrations (owner TEXT COLLATE \"C\" NOT NULL, number "
      "BIGINT NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL, "
      "PRIMARY KEY (owner, number))");
}

std::string MetadataStore::get(std::string_view name) const {
  if (!has("tenon_meta")) return {};
  return sql_.text("SELECT value FROM tenon_meta WHERE name = ?1", {name});
}

void MetadataStore::set(std::string_view name, std::string_view value) {
  sql_.run(
      "INSERT INTO tenon_meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value "
      "= excluded.value",
      {name, value});
}

std::vector<AppliedMigration> MetadataStore::migrations(std::string_view owner) const {
  std::vector<AppliedMigration> applied;
  if (!has("tenon_migrations")) return applied;
  check_form();
  Rows rows = sql_.rows(
      "SELECT number, name, checksum, coalesce((SELECT value FROM tenon_meta AS m WHERE m.name = "
      "'phase ' || number), '') FROM tenon_migrations WHERE owner = ?1 ORDER BY number",
      {owner});
  while (rows.next()) {
    applied.push_back({static_cast<int>(rows.integer(0)), std::string(rows.text(1)),
                       std::string(rows.text(2)), schema::phase_named(rows.text(3))});
  }
  return applied;
}

void MetadataStore::record(std::string_view owner, const AppliedMigration& migration) {
  sql_.run(
      "INSERT INTO tenon_migrations (owner, number, name, checksum, applied) VALUES (?1, ?2, ?3, "
      "?4, ?5)",
      {owner, migration.number, migration.name, migration.checksum,
       base::rfc3339(base::unix_milliseconds())});
  if (migration.phase != schema::Phase::none)
    set("phase " + std::to_string(migration.number), schema::name_of(migration.phase));
}

}  // namespace tenon::data::postgresql
