#include "data/migrate/metadata_store.hpp"

#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace tenon::data {

namespace {

constexpr std::string_view form = "1";

}  // namespace

bool MetadataStore::exists() const {
  exists_ = exists_ || has_table("tenon_meta");
  return exists_;
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
  } else {
    run(tables_.meta, {});
    set("form", form);
  }
  if (!has_table("tenon_migrations")) run(tables_.migrations, {});
}

std::string MetadataStore::get(std::string_view name) const {
  if (!exists()) return {};
  TextRows rows = read("SELECT value FROM tenon_meta WHERE name = ?1", {name});
  return rows.empty() ? std::string() : std::move(rows.front().front());
}

void MetadataStore::set(std::string_view name, std::string_view value) {
  run("INSERT INTO tenon_meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value "
      "= excluded.value",
      {name, value});
}

std::vector<AppliedMigration> MetadataStore::migrations(std::string_view owner) const {
  std::vector<AppliedMigration> applied;
  if (!has_table("tenon_migrations")) return applied;
  check_form();
  const TextRows rows = read(
      "SELECT CAST(number AS TEXT), name, checksum, coalesce((SELECT value FROM tenon_meta AS m "
      "WHERE m.name = 'phase ' || number), '') FROM tenon_migrations WHERE owner = ?1 ORDER BY "
      "tenon_migrations.number",
      {owner});
  for (const auto& row : rows)
    applied.push_back({std::stoi(row[0]), row[1], row[2], schema::phase_named(row[3])});
  return applied;
}

void MetadataStore::record(std::string_view owner, const AppliedMigration& migration) {
  run("INSERT INTO tenon_migrations (owner, number, name, checksum, applied) VALUES (?1, ?2, ?3, "
      "?4, ?5)",
      {owner, migration.number, migration.name, migration.checksum,
       base::rfc3339(base::unix_milliseconds())});
  if (migration.phase != schema::Phase::none)
    set("phase " + std::to_string(migration.number), schema::name_of(migration.phase));
}

}  // namespace tenon::data
