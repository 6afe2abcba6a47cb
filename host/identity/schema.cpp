#include "identity/schema.hpp"

#include <array>

#include "data/migrate/migrate.hpp"

namespace tenon::identity {

void prepare_tables(data::Database& database) {
  static constexpr std::array<data::EmbeddedMigration, 3> migrations{
      {{1, "users_and_sessions", R"sql(
    CREATE TABLE identity_users(
      id TEXT PRIMARY KEY,
      login TEXT NOT NULL,
      login_key TEXT NOT NULL UNIQUE,         -- lower case
      name TEXT NOT NULL,
      role TEXT NOT NULL CHECK(role IN ('admin', 'member')),
      disabled INTEGER NOT NULL CHECK(disabled IN (0, 1)),
      password TEXT NOT NULL,                 -- Argon2id
      generation INTEGER NOT NULL,            -- grows when all sessions end; those of older ones are void
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE identity_sessions(
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL,
      generation INTEGER NOT NULL,            -- of the user when it was opened
      token_hash TEXT NOT NULL UNIQUE,        -- SHA-256, hexadecimal
      created_ms INTEGER NOT NULL,
      last_seen_ms INTEGER NOT NULL,
      expires_ms INTEGER NOT NULL,
      address TEXT NOT NULL,
      user_agent TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX identity_sessions_user ON identity_sessions(user_id);
    CREATE TABLE identity_setup(
      one INTEGER PRIMARY KEY CHECK(one = 1),
      token_hash TEXT NOT NULL                -- SHA-256, hexadecimal
    ) STRICT;
    CREATE TABLE identity_audit(
      id TEXT PRIMARY KEY,
      time_ms INTEGER NOT NULL,
      actor TEXT NOT NULL,
      action TEXT NOT NULL,
      object TEXT NOT NULL,
      details TEXT NOT NULL                   -- JSON
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX identity_audit_action ON identity_audit(action, id);
  )sql"},
       {2, "groups", R"sql(
    CREATE TABLE identity_groups(
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL UNIQUE,          -- as name_key() makes it
      description TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE identity_members(
      group_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      PRIMARY KEY(group_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX identity_members_user ON identity_members(user_id, group_id);
  )sql"},
       {3, "hosts", R"sql(
    CREATE TABLE identity_hosts(
      name TEXT PRIMARY KEY,                  -- lower case, without a port
      added_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE identity_proxy_notice(
      one INTEGER PRIMARY KEY CHECK(one = 1),
      peer TEXT NOT NULL,                     -- address of a proxy that is not trusted
      seen_ms INTEGER NOT NULL
    ) STRICT;
  )sql"}}};
  data::migrate_room(database, "identity", migrations);
}

}  // namespace tenon::identity
