#pragma once

namespace tenon::data {
class Database;
}

namespace tenon::jobs {

/// Creates or updates the tables jobs_jobs and jobs_schedules of the host's database.
void prepare_tables(data::Database& database);

}  // namespace tenon::jobs
