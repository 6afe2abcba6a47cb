#include "sqlite/engine/metadata_store.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "sqlite/connection/sql.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::string_view form = "1";

}  // namespace

bool MetadataStore::exists() const {
  is_there_ =
      is_there_ || Sql::number(connection_,
                               "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = "
                               "'tenon_meta'") != 0;
  return is_there_;
}

void MetadataStore::check_form() const {
  const auto found = get("form");
  if (found.empty() || found == form) return;
  throw base::Error(409, "data.newer",
                    "This database was written by a later version of the server; install that one "
                    "or a newer one.");
}

void MetadataStore::ensure() {
  if (exists()) {
    check_form();
    return;
  }
  Sql::run(
      connection_,
      "CREATE TABLE tenon_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID");
  Sql::run(connection_,
           "CREATE TABLE tenon_migrations (owner TEXT NOT NULL, number INTEGER NOT NULL, name TEXT "
           "NOT NULL,"
           " checksum TEXT NOT NULL, applied TEXT NOT NULL, PRIMARY KEY (owner, number)) STRICT, "
           "WITHOUT ROWID");
  set("form", form);
}

std::string MetadataStore::get(std::string_view name) const {
  if (!exists()) return {};
  Sql row(connection_, "SELECT value FROM tenon_meta WHERE name = ?1", {name});
  return row.next() ? row.text(0) : std::string();
}

void MetadataStore::set(std::string_view name, std::string_view value) {
  Sql::run(connection_,
           "INSERT INTO tenon_meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET "
           "value = excluded.value",
           {name, value});
}

std::vector<AppliedMigration> MetadataStore::migrations(std::string_view owner) const {
  std::vector<AppliedMigration> applied;
  if (!exists()) return applied;
  check_form();
  Sql row(connection_,
          "SELECT number, name, checksum, coalesce((SELECT value FROM tenon_meta AS m WHERE m.name "
          "= 'phase ' || number), '') FROM tenon_migrations WHERE owner = ?1 ORDER BY number",
          {owner});
  while (row.next()) {
    applied.push_back({static_cast<int>(row.integer(0)), row.text(1), row.text(2),
                       schema::phase_named(row.text(3))});
  }
  return applied;
}

void MetadataStore::record(std::string_view owner, const AppliedMigration& migration) {
  Sql::run(connection_,
           "INSERT INTO tenon_migrations (owner, number, name, checksum, applied) VALUES (?1, ?2, "
           "?3, ?4, ?5)",
           {owner, migration.number, migration.name, migration.checksum,
            base::rfc3339(base::unix_milliseconds())});
  if (migration.phase != schema::Phase::none)
    set("phase " + std::to_string(migration.number), schema::name_of(migration.phase));
}

}  // namespace tenon::data::sqlite
