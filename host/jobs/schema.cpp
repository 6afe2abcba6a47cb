#include "jobs/schema.hpp"

#include <array>

#include "data/migrate/migrate.hpp"

namespace tenon::jobs {

void prepare_tables(data::Database& database) {
  static constexpr std::array<data::EmbeddedMigration, 1> migrations{
      {{1, "jobs_and_schedules", R"sql(
    CREATE TABLE jobs_jobs(
      id TEXT NOT NULL UNIQUE,
      plugin TEXT NOT NULL,
      kind TEXT NOT NULL,
      payload TEXT NOT NULL,                  -- JSON
      state TEXT NOT NULL CHECK(state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
      attempts INTEGER NOT NULL,
      max_attempts INTEGER NOT NULL,
      backoff_ms INTEGER NOT NULL,
      backoff_cap_ms INTEGER NOT NULL,
      run_at_ms INTEGER NOT NULL,
      unique_key TEXT,
      waiting_key TEXT,                       -- unique_key while it waits
      schedule TEXT NOT NULL,
      cancel_asked INTEGER NOT NULL CHECK(cancel_asked IN (0, 1)),
      progress_done INTEGER NOT NULL,
      progress_total INTEGER NOT NULL,
      progress_text TEXT NOT NULL,
      error TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      started_ms INTEGER NOT NULL,
      finished_ms INTEGER NOT NULL,
      runner TEXT NOT NULL,
      lease_until_ms INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX jobs_jobs_key ON jobs_jobs(plugin, waiting_key);
    CREATE INDEX jobs_jobs_due ON jobs_jobs(plugin, kind, state, run_at_ms);
    CREATE INDEX jobs_jobs_state ON jobs_jobs(plugin, state, id);
    CREATE INDEX jobs_jobs_lease ON jobs_jobs(lease_until_ms) WHERE state = 'running';
    CREATE TABLE jobs_schedules(
      plugin TEXT NOT NULL,
      name TEXT NOT NULL,
      cron TEXT NOT NULL,
      time_zone TEXT NOT NULL,
      kind TEXT NOT NULL,
      payload TEXT NOT NULL,
      next_ms INTEGER NOT NULL,
      PRIMARY KEY(plugin, name)
    ) STRICT, WITHOUT ROWID;
  )sql"}}};
  data::migrate_room(database, "jobs", migrations);
}

}  // namespace tenon::jobs
