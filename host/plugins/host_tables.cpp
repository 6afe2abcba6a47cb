#include "plugins/host_tables.hpp"

#include <array>

#include "data/migrate.hpp"

namespace tenon::plugins {

namespace {

constexpr std::array<data::EmbeddedMigration, 1> migrations{{
    {1, "state_and_settings", R"(
CREATE TABLE plugins_state(
  plugin TEXT PRIMARY KEY,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  changed_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE plugins_settings(
  plugin TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (plugin, key)
) STRICT, WITHOUT ROWID;
)"},
}};

}  // namespace

void make_host_tables(data::Database& database) {
  data::migrate_room(database, "plugins", migrations);
}

}  // namespace tenon::plugins
