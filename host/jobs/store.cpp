#include "jobs/store.hpp"

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"

namespace tenon::jobs {

namespace {

// Columns in the order that read_job() takes.
#define JOB_COLUMNS                                                                           \
  "id, plugin, kind, state, attempts, max_attempts, backoff_ms, backoff_cap_ms, run_at_ms, "  \
  "unique_key, schedule, cancel_asked, progress_done, progress_total, progress_text, error, " \
  "created_ms, started_ms, finished_ms, runner, lease_until_ms"

// A job that waits again has its key again, unless another one with it waits.
#define KEY_AGAIN                                                                         \
  "waiting_key = CASE WHEN EXISTS(SELECT 1 FROM jobs_jobs AS other WHERE other.plugin = " \
  "jobs_jobs.plugin AND other.waiting_key = jobs_jobs.unique_key) THEN NULL ELSE unique_key END"

constexpr int portion = 500;  // deleted in one write, which holds up all others

Job read_job(const data::Rows& rows) {
  Job job;
  int column = 0;
  const auto text = [&] { return std::string(rows.text(column++)); };
  const auto number = [&] { return rows.integer(column++); };
  job.id = text();
  job.plugin = text();
  job.kind = text();
  job.state = parse_state(text()).value_or(State::failed);
  job.attempts = static_cast<int>(number());
  job.max_attempts = static_cast<int>(number());
  job.backoff_ms = number();
  job.backoff_cap_ms = number();
  job.run_at_ms = number();
  job.key = text();
  job.schedule = text();
  job.is_cancel_asked = number() != 0;
  job.progress.done = number();
  job.progress.total = number();
  job.progress.text = text();
  job.error = text();
  job.created_ms = number();
  job.started_ms = number();
  job.finished_ms = number();
  job.runner = text();
  job.lease_until_ms = number();
  return job;
}

template <typename Source>
std::optional<Job> find_in(Source& source, std::string_view id) {
  data::Rows rows =
      source.query("SELECT " JOB_COLUMNS ", payload FROM jobs_jobs WHERE id = ?1", {id});
  if (!rows.next()) return std::nullopt;
  Job job = read_job(rows);
  job.payload = rows.text(21);
  return job;
}

Job required(data::Transaction& transaction, std::string_view id, std::string_view plugin) {
  auto job = find_in(transaction, id);
  if (!job || (!plugin.empty() && job->plugin != plugin))
    throw base::Error(404, "jobs.unknown", "There is no such job.");
  return *std::move(job);
}

}  // namespace

Enqueued Store::enqueue(const NewJob& job, std::int64_t now_ms) {
  return database_.write(
      [&](data::Transaction& transaction) { return enqueue(transaction, job, now_ms); });
}

Enqueued Store::enqueue(data::Transaction& transaction, const NewJob& job, std::int64_t now_ms) {
  if (!job.key.empty()) {
    data::Rows rows = transaction.query(
        "SELECT id FROM jobs_jobs WHERE plugin = ?1 AND waiting_key = ?2", {job.plugin, job.key});
    if (rows.next()) return {std::string(rows.text(0)), false};
  }
  if (transaction
          .query("SELECT 1 FROM jobs_jobs WHERE plugin = ?1 AND state = 'waiting' LIMIT 1 OFFSET "
                 "?2",
                 {job.plugin, max_waiting - 1})
          .next()) {
    throw base::Error(503, "jobs.too_many",
                      "10,000 jobs of this plugin wait already. Try again when some are done.");
  }
  Enqueued made{base::new_id(), true};
  const data::Cell key = job.key.empty() ? data::Cell() : data::Cell(job.key);
  transaction.exec(
      "INSERT INTO jobs_jobs VALUES(?1, ?2, ?3, ?4, 'waiting', 0, ?5, ?6, ?7, ?8, ?9, ?9, ?10, 0, "
      "0, 0, '', '', ?11, 0, 0, '', 0)",
      {made.id, job.plugin, job.kind, job.payload, job.max_attempts, job.backoff_ms,
       job.backoff_cap_ms, job.run_at_ms == 0 ? now_ms : job.run_at_ms, key, job.schedule, now_ms});
  return made;
}

std::optional<Job> Store::find(std::string_view id) const {
  return find_in(database_, id);
}

Page Store::list(const Filter& filter, std::size_t limit, std::string_view cursor) const {
  // Each filter has an index of its own; a condition that may be off would use none.
  std::string sql = "SELECT " JOB_COLUMNS " FROM jobs_jobs WHERE id < ?1";
  const std::string state(filter.state ? to_string(*filter.state) : std::string_view());
  sql += filter.plugin.empty() ? " AND ?2 = ''" : " AND plugin = ?2";
  sql += filter.state ? " AND state = ?3" : " AND ?3 = ''";
  sql += " ORDER BY id DESC LIMIT ?4";
  // Greater than every id.
  const std::string_view before = cursor.empty() ? std::string_view("~") : cursor;
  data::Rows rows = database_.query(sql, {before, filter.plugin, state, limit + 1});
  Page page;
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next = page.items.back().id;
      break;
    }
    page.items.push_back(read_job(rows));
  }
  return page;
}

std::optional<Store::Due> Store::first_due(std::string_view plugin, std::string_view kind) const {
  data::Rows rows = database_.query(
      "SELECT id, run_at_ms FROM jobs_jobs WHERE plugin = ?1 AND kind = ?2 AND state = 'waiting' "
      "ORDER BY run_at_ms LIMIT 1",
      {plugin, kind});
  if (!rows.next()) return std::nullopt;
  return Due{std::string(rows.text(0)), rows.integer(1)};
}

std::optional<Job> Store::claim(std::string_view id, std::string_view runner, std::int64_t now_ms,
                                std::int64_t until_ms) {
  return database_.write([&](data::Transaction& transaction) -> std::optional<Job> {
    const auto done = transaction.exec(
        "UPDATE jobs_jobs SET state = 'running', runner = ?2, started_ms = ?3, lease_until_ms = "
        "?4, attempts = attempts + 1, waiting_key = NULL, progress_done = 0, progress_total = 0, "
        "progress_text = '' WHERE id = ?1 AND state = 'waiting' AND run_at_ms <= ?3",
        {id, runner, now_ms, until_ms});
    if (done.changes == 0) return std::nullopt;
    return find_in(transaction, id);
  });
}

Store::Beat Store::beat(const Job& job, const Progress& progress, std::int64_t until_ms) {
  return database_.write([&](data::Transaction& transaction) -> Beat {
    const auto done = transaction.exec(
        "UPDATE jobs_jobs SET lease_until_ms = ?4, progress_done = ?5, progress_total = ?6, "
        "progress_text = ?7 WHERE id = ?1 AND state = 'running' AND runner = ?2 AND started_ms = "
        "?3",
        {job.id, job.runner, job.started_ms, until_ms, progress.done, progress.total,
         progress.text});
    if (done.changes == 0) return {};
    const auto kept = find_in(transaction, job.id);
    return {true, kept && kept->is_cancel_asked};
  });
}

std::optional<Job> Store::finish(const Job& job, const Outcome& outcome, const Progress& progress,
                                 bool is_stopped, std::int64_t now_ms, double chance) {
  return database_.write([&](data::Transaction& transaction) -> std::optional<Job> {
    const auto kept = find_in(transaction, job.id);
    if (!kept || kept->state != State::running || kept->runner != job.runner ||
        kept->started_ms != job.started_ms)
      return std::nullopt;
    State state = State::done;
    std::int64_t run_at = kept->run_at_ms;
    int attempts = kept->attempts;
    if (outcome.kind == Outcome::Kind::done) {
      state = State::done;
    } else if (kept->is_cancel_asked) {
      state = State::cancelled;
    } else if (outcome.kind == Outcome::Kind::retry && is_stopped) {
      state = State::waiting;
      run_at = now_ms;
      --attempts;
    } else if (outcome.kind == Outcome::Kind::retry && attempts < kept->max_attempts) {
      state = State::waiting;
      run_at = now_ms + backoff(*kept, chance);
    } else {
      state = State::failed;
    }
    const bool is_final = state != State::waiting;
    transaction.exec(
        is_final ? "UPDATE jobs_jobs SET state = ?2, run_at_ms = ?3, attempts = ?4, error = ?5, "
                   "finished_ms = ?6, runner = '', lease_until_ms = 0, progress_done = ?7, "
                   "progress_total = ?8, progress_text = ?9 WHERE id = ?1"
                 : "UPDATE jobs_jobs SET state = ?2, run_at_ms = ?3, attempts = ?4, error = ?5, "
                   "finished_ms = ?6, runner = '', lease_until_ms = 0, progress_done = ?7, "
                   "progress_total = ?8, progress_text = ?9, " KEY_AGAIN " WHERE id = ?1",
        {job.id, to_string(state), run_at, attempts, cut(outcome.error, max_error_bytes),
         is_final ? now_ms : 0, progress.done, progress.total, progress.text});
    return find_in(transaction, job.id);
  });
}

std::vector<Job> Store::release_expired(std::int64_t now_ms,
                                        const std::function<bool(std::string_view id)>& is_held) {
  std::vector<std::string> ids;
  {
    data::Rows rows = database_.query(
        "SELECT id FROM jobs_jobs WHERE state = 'running' AND lease_until_ms < ?1 LIMIT ?2",
        {now_ms, portion});
    while (rows.next()) {
      if (!is_held(rows.text(0))) ids.emplace_back(rows.text(0));
    }
  }
  if (ids.empty()) return {};
  return database_.write([&](data::Transaction& transaction) {
    std::vector<Job> released;
    for (const std::string& id : ids) {
      const auto done = transaction.exec(
          "UPDATE jobs_jobs SET state = CASE WHEN cancel_asked = 1 THEN 'cancelled' WHEN attempts "
          ">= "
          "max_attempts THEN 'failed' ELSE 'waiting' END, finished_ms = CASE WHEN cancel_asked = 1 "
          "OR "
          "attempts >= max_attempts THEN ?2 ELSE 0 END, run_at_ms = ?2, error = 'Its runner was "
          "lost.', runner = '', lease_until_ms = 0 WHERE id = ?1 AND state = 'running' AND "
          "lease_until_ms < ?2",
          {id, now_ms});
      if (done.changes == 0) continue;
      transaction.exec("UPDATE jobs_jobs SET " KEY_AGAIN " WHERE id = ?1 AND state = 'waiting'",
                       {id});
      released.push_back(*find_in(transaction, id));
    }
    return released;
  });
}

std::optional<Job> Store::fail_for_good(std::string_view id, std::string_view error,
                                        std::int64_t now_ms) {
  return database_.write([&](data::Transaction& transaction) -> std::optional<Job> {
    const auto done = transaction.exec(
        "UPDATE jobs_jobs SET state = 'failed', finished_ms = ?2, error = ?3, runner = '', "
        "lease_until_ms = 0, waiting_key = NULL WHERE id = ?1 AND state IN ('waiting', 'running')",
        {id, now_ms, error});
    if (done.changes == 0) return std::nullopt;
    return find_in(transaction, id);
  });
}

std::size_t Store::set_back(std::int64_t now_ms, std::int64_t lease_ms, std::int64_t tolerated_ms) {
  return database_.write([&](data::Transaction& transaction) {
    // The newest time first: a job that was run since it was made waits from then on.
    const auto waiting = transaction.exec(
        "UPDATE jobs_jobs SET run_at_ms = CASE WHEN started_ms > ?2 THEN run_at_ms - started_ms + "
        "?1 WHEN created_ms > ?2 THEN run_at_ms - created_ms + ?1 ELSE ?1 END, created_ms = CASE "
        "WHEN created_ms > ?2 THEN ?1 ELSE created_ms END, started_ms = CASE WHEN started_ms > ?2 "
        "THEN ?1 ELSE started_ms END WHERE state = 'waiting' AND run_at_ms > ?1 AND (created_ms > "
        "?2 OR started_ms > ?2 OR (attempts > 0 AND run_at_ms > ?2 + backoff_cap_ms))",
        {now_ms, now_ms + tolerated_ms});
    const auto running = transaction.exec(
        "UPDATE jobs_jobs SET lease_until_ms = ?1 WHERE state = 'running' AND lease_until_ms > ?2",
        {now_ms + lease_ms, now_ms + lease_ms + tolerated_ms});
    return static_cast<std::size_t>(waiting.changes + running.changes);
  });
}

Job Store::cancel(std::string_view id, std::string_view plugin, std::int64_t now_ms) {
  return database_.write([&](data::Transaction& transaction) {
    const Job job = required(transaction, id, plugin);
    if (job.state == State::waiting) {
      transaction.exec(
          "UPDATE jobs_jobs SET state = 'cancelled', waiting_key = NULL, finished_ms = ?2 WHERE id "
          "= ?1",
          {id, now_ms});
    } else if (job.state == State::running) {
      transaction.exec("UPDATE jobs_jobs SET cancel_asked = 1 WHERE id = ?1", {id});
    } else {
      throw base::Error(409, "jobs.finished", "This job is over already.");
    }
    return *find_in(transaction, id);
  });
}

Job Store::retry(std::string_view id, std::int64_t now_ms) {
  return database_.write([&](data::Transaction& transaction) {
    const Job job = required(transaction, id, {});
    if (job.state != State::failed && job.state != State::cancelled) {
      throw base::Error(409, "jobs.not_retryable",
                        "Only a job that failed or was cancelled can be tried again.");
    }
    transaction.exec(
        "UPDATE jobs_jobs SET state = 'waiting', attempts = 0, cancel_asked = 0, run_at_ms = ?2, "
        "finished_ms = 0, " KEY_AGAIN " WHERE id = ?1",
        {id, now_ms});
    return *find_in(transaction, id);
  });
}

void Store::trim(std::int64_t now_ms) {
  while (database_
             .exec("DELETE FROM jobs_jobs WHERE id IN (SELECT id FROM jobs_jobs WHERE "
                   "finished_ms > 0 AND finished_ms < ?1 LIMIT ?2)",
                   {now_ms - retained_ms, portion})
             .changes == portion) {
  }
  while (database_
             .exec("DELETE FROM jobs_jobs WHERE id IN (SELECT id FROM (SELECT id, "
                   "row_number() OVER (PARTITION BY plugin ORDER BY id DESC) AS recency FROM "
                   "jobs_jobs WHERE finished_ms > 0) AS ranked WHERE recency > ?1 LIMIT ?2)",
                   {max_finished, portion})
             .changes == portion) {
  }
}

void Store::count(
    const std::function<void(std::string_view, std::string_view, std::int64_t)>& take) const {
  data::Rows rows =
      database_.query("SELECT plugin, state, count(*) FROM jobs_jobs GROUP BY plugin, state");
  while (rows.next())
    take(rows.text(0), rows.text(1), rows.integer(2));
}

void Store::forget(std::string_view plugin) {
  database_.write([&](data::Transaction& transaction) {
    transaction.exec("DELETE FROM jobs_jobs WHERE plugin = ?1", {plugin});
    transaction.exec("DELETE FROM jobs_schedules WHERE plugin = ?1", {plugin});
  });
}

}  // namespace tenon::jobs
