#include "lifecycle/probation/quarantine_store.hpp"

#include <array>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::plugins {

namespace {

constexpr std::array<data::EmbeddedMigration, 2> migrations{{
    {1, "reasons", R"(
CREATE TABLE plugins_quarantine(
  plugin TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)"},
    {2, "crashes", R"(
CREATE TABLE plugins_crashes(
  id TEXT PRIMARY KEY,
  plugin TEXT NOT NULL,
  call TEXT NOT NULL,
  job TEXT NOT NULL,
  death TEXT NOT NULL,
  is_certain INTEGER NOT NULL CHECK(is_certain IN (0, 1)),
  at_ms INTEGER NOT NULL
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

void QuarantineStore::add_crash(const NamedCall& call, bool is_certain,
                                const std::string& process_exit, std::int64_t at_ms) {
  database_.write([&](data::Transaction& transaction) {
    transaction.exec(
        "INSERT INTO plugins_crashes(id, plugin, call, job, death, is_certain, at_ms) VALUES(?1, "
        "?2, ?3, ?4, ?5, ?6, ?7)",
        {base::new_id(), call.plugin, to_text(call),
         call.operation == Operation::job ? call.request : std::string(), process_exit,
         std::int64_t{is_certain}, at_ms});
    transaction.exec(
        "DELETE FROM plugins_crashes WHERE id NOT IN (SELECT id FROM plugins_crashes ORDER BY "
        "at_ms DESC, id DESC LIMIT ?1)",
        {static_cast<std::int64_t>(retained_crashes)});
  });
}

std::int64_t QuarantineStore::crashes_since(std::string_view plugin, bool is_certain,
                                            std::int64_t from_ms) const {
  data::Rows rows = database_.query(
      "SELECT count(*) FROM plugins_crashes WHERE plugin = ?1 AND is_certain >= ?2 AND at_ms >= ?3",
      {plugin, std::int64_t{is_certain}, from_ms});
  return rows.next() ? rows.integer(0) : 0;
}

std::int64_t QuarantineStore::crashes_in_job(std::string_view job) const {
  data::Rows rows = database_.query("SELECT count(*) FROM plugins_crashes WHERE job = ?1", {job});
  return rows.next() ? rows.integer(0) : 0;
}

void QuarantineStore::remove(std::string_view plugin) {
  database_.exec("DELETE FROM plugins_quarantine WHERE plugin = ?1", {plugin});
}

}  // namespace tenon::plugins
