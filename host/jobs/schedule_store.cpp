#include "jobs/schedule_store.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "data/database.hpp"

namespace tenon::jobs {

namespace {

constexpr std::int64_t second_ms = 1000;

std::int64_t next_of(const ActiveSchedule& schedule, std::int64_t now_ms) {
  return schedule.cron.next(now_ms / second_ms, schedule.zone) * second_ms;
}

NewJob job_of(const ActiveSchedule& schedule) {
  NewJob job{.plugin = schedule.plugin, .kind = schedule.declared.kind};
  job.payload = schedule.declared.payload;
  job.key = "schedule:" + schedule.declared.name;
  job.schedule = schedule.declared.name;
  return job;
}

struct StoredSchedule {
  std::string name, cron, time_zone, kind, payload;
  std::int64_t next_ms;

  bool operator==(const StoredSchedule&) const = default;
};

template <typename Source>
std::vector<StoredSchedule> read_stored(Source& source, std::string_view plugin) {
  std::vector<StoredSchedule> kept;
  data::Rows rows = source.query(
      "SELECT name, cron, time_zone, kind, payload, next_ms FROM jobs_schedules WHERE plugin = ?1 "
      "ORDER BY name",
      {plugin});
  while (rows.next())
    kept.push_back({std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)),
                    std::string(rows.text(3)), std::string(rows.text(4)), rows.integer(5)});
  return kept;
}

// Gives each its next time; what is to be kept of them, in the order of read_stored().
std::vector<StoredSchedule> fill_next_times(std::vector<ActiveSchedule>& schedules,
                                            const std::vector<StoredSchedule>& kept,
                                            std::int64_t now_ms) {
  std::vector<StoredSchedule> wanted;
  for (ActiveSchedule& schedule : schedules) {
    const Schedule& declared = schedule.declared;
    const auto known = std::find_if(kept.begin(), kept.end(), [&](const StoredSchedule& other) {
      return other.name == declared.name && other.cron == declared.cron &&
             other.time_zone == declared.time_zone;
    });
    schedule.next_ms = next_of(schedule, now_ms);
    // A time that lies before is one that was missed.
    if (known != kept.end() && declared.runs_missed)
      schedule.next_ms = std::min(schedule.next_ms, known->next_ms);
    wanted.push_back({declared.name, declared.cron, declared.time_zone, declared.kind,
                      declared.payload, schedule.next_ms});
  }
  std::sort(wanted.begin(), wanted.end(),
            [](const StoredSchedule& left, const StoredSchedule& right) {
              return left.name < right.name;
            });
  return wanted;
}

}  // namespace

ActiveSchedule::ActiveSchedule(std::string of, Schedule given)
    : plugin(std::move(of)),
      declared(std::move(given)),
      cron(Cron::parse(declared.cron)),
      zone(TimeZone::find(declared.time_zone)) {
  if (!is_name(declared.name)) {
    throw base::Error(422, "jobs.invalid",
                      "The name of a schedule is 1 to 64 of a-z, 0-9, _, . and -.");
  }
  check(job_of(*this));
}

void ScheduleStore::declare(std::string_view plugin, std::vector<ActiveSchedule>& schedules,
                            std::int64_t now_ms) {
  // Most starts change nothing: they wait for no write lock, and for no disk.
  const std::vector<StoredSchedule> kept = read_stored(database_, plugin);
  if (fill_next_times(schedules, kept, now_ms) == kept) return;
  database_.write([&](data::Transaction& transaction) {
    const auto wanted = fill_next_times(schedules, read_stored(transaction, plugin), now_ms);
    transaction.exec("DELETE FROM jobs_schedules WHERE plugin = ?1", {plugin});
    for (const StoredSchedule& one : wanted)
      transaction.exec(
          "INSERT INTO jobs_schedules VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
          {plugin, one.name, one.cron, one.time_zone, one.kind, one.payload, one.next_ms});
  });
}

std::optional<Enqueued> ScheduleStore::fire(ActiveSchedule& schedule, std::int64_t now_ms) {
  if (schedule.next_ms > now_ms) return std::nullopt;
  const std::int64_t next = next_of(schedule, now_ms);
  auto made = database_.write([&](data::Transaction& transaction) -> std::optional<Enqueued> {
    const auto moved = transaction.exec(
        "UPDATE jobs_schedules SET next_ms = ?3 WHERE plugin = ?1 AND name = ?2 AND next_ms = ?4",
        {schedule.plugin, schedule.declared.name, next, schedule.next_ms});
    if (moved.changes == 0) return std::nullopt;
    return Store::enqueue(transaction, job_of(schedule), now_ms);
  });
  schedule.next_ms = next;
  return made;
}

void ScheduleStore::set_back(ActiveSchedule& schedule, std::int64_t now_ms) {
  const std::int64_t next = next_of(schedule, now_ms);
  if (next >= schedule.next_ms) return;
  database_.exec(
      "UPDATE jobs_schedules SET next_ms = ?3 WHERE plugin = ?1 AND name = ?2 AND next_ms > ?3",
      {schedule.plugin, schedule.declared.name, next});
  schedule.next_ms = next;
}

}  // namespace tenon::jobs
