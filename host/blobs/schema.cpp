#include "blobs/schema.hpp"

#include <array>

#include "data/migrate/migrate.hpp"

namespace tenon::blobs {

namespace {

// unclaimed_ms: when it was written last, or lost its last claim.
// synced: bytes of an upload that are on disk for certain; boot: the run of the kernel in which
// that was written, for what it wrote later is there as long as it runs.
constexpr std::array<data::EmbeddedMigration, 1> migrations{{
    {1, "files_claims_and_uploads", R"(
CREATE TABLE blobs_files(
  plugin TEXT NOT NULL,
  id TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  type TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  unclaimed_ms INTEGER NOT NULL,
  PRIMARY KEY (plugin, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blobs_files_by_age ON blobs_files(unclaimed_ms);
CREATE TABLE blobs_claims(
  plugin TEXT NOT NULL,
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (plugin, key, id),
  FOREIGN KEY (plugin, id) REFERENCES blobs_files(plugin, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blobs_claims_by_id ON blobs_claims(plugin, id);
CREATE TABLE blobs_uploads(
  id TEXT PRIMARY KEY,
  plugin TEXT NOT NULL,
  user TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  name TEXT NOT NULL,
  metadata TEXT NOT NULL,
  expires_ms INTEGER NOT NULL,
  synced INTEGER NOT NULL,
  boot TEXT NOT NULL,
  blob TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX blobs_uploads_by_user ON blobs_uploads(user, plugin, blob);
CREATE INDEX blobs_uploads_by_age ON blobs_uploads(expires_ms);
)"},
}};

}  // namespace

void make_tables(data::Database& database) {
  data::migrate_room(database, "blobs", migrations);
}

}  // namespace tenon::blobs
