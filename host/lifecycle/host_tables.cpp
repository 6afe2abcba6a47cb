#include "lifecycle/host_tables.hpp"

#include <array>

#include "data/migrate/migrate.hpp"
#include "lifecycle/probation/quarantine_store.hpp"

namespace tenon::plugins {

namespace {

constexpr std::array<data::EmbeddedMigration, 3> migrations{{
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
    {2, "packages", R"(
CREATE TABLE plugins_keys(
  number TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('trusted', 'revoked')),
  reason TEXT NOT NULL,
  changed_ms INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE plugins_pins(
  plugin TEXT PRIMARY KEY,
  number TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE plugins_versions(
  plugin TEXT NOT NULL,
  serial INTEGER NOT NULL,
  version TEXT NOT NULL,
  folder TEXT NOT NULL,
  list_hash TEXT NOT NULL,
  signer TEXT NOT NULL,
  installed_ms INTEGER NOT NULL,
  installed_by TEXT NOT NULL,
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)),
  remaining_ms INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  PRIMARY KEY (plugin, serial)
) STRICT, WITHOUT ROWID;
CREATE TABLE plugins_changes(
  plugin TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('restore', 'purge')),
  snapshot TEXT NOT NULL,
  began_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)"},
    {3, "public_paths", R"(
CREATE TABLE plugins_public_paths(
  path TEXT PRIMARY KEY,
  plugin TEXT NOT NULL,
  granted_ms INTEGER NOT NULL,
  granted_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)"},
}};

}  // namespace

void make_host_tables(data::Database& database) {
  data::migrate_room(database, "plugins", migrations);
  make_quarantine_tables(database);
}

}  // namespace tenon::plugins
