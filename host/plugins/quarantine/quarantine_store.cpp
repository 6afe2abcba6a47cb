#include "plugins/quarantine/quarantine_store.hpp"

#include <array>

#include "base/clock.hpp"
#include "data/database.hpp"
#include "data/migrate.hpp"

namespace tenon::plugins {

namespace {

constexpr std::array<data::EmbeddedMigration, 1> migrations{{
    {1, "reasons", R"(
CREATE TABLE plugins_quarantine(
  plugin TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)"},
}};

}  // namespace

void make_quarantine_tables(data::Database& database) {
  data::migrate_room(database, "quarantine", migrations);
}

QuarantineStore::QuarantineStore(data::Database& database) : database_(database) {
  make_quarantine_tables(database);
}

std::map<std::string, Reason, std::less<>> QuarantineStore::all() const {
  std::map<std::string, Reason, std::less<>> reasons;
  data::Rows rows = database_.query("SELECT plugin, code, message FROM plugins_quarantine");
  while (rows.next()) {
    reasons.emplace(rows.text(0),
                    Reason{std::string(rows.text(1)), std::string(rows.text(2)), {}, {}});
  }
  return reasons;
}

void QuarantineStore::add(std::string_view plugin, const Reason& reason) {
  database_.exec(
      "INSERT INTO plugins_quarantine(plugin, code, message, since_ms) VALUES(?1, ?2, ?3, ?4) "
      "ON CONFLICT(plugin) DO UPDATE SET code = excluded.code, message = excluded.message, "
      "since_ms = excluded.since_ms",
      {plugin, reason.code, reason.message, base::unix_milliseconds()});
}

void QuarantineStore::remove(std::string_view plugin) {
  database_.exec("DELETE FROM plugins_quarantine WHERE plugin = ?1", {plugin});
}

}  // namespace tenon::plugins
