#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/cron.hpp"
#include "jobs/store.hpp"
#include "jobs/time_zone.hpp"

namespace tenon::jobs {

/// A schedule as a plugin declares it at its start.
struct Schedule {
  std::string name;
  std::string cron;
  std::string time_zone;  ///< IANA name; empty: UTC
  std::string kind;
  std::string payload = "null";
  bool runs_missed = true;  ///< a run missed while the plugin was not active is run once
};

/// A schedule that was read, with its times.
struct ActiveSchedule {
  /// Throws base::Error 422 "jobs.invalid", "jobs.cron_invalid", "jobs.time_zone_unknown", 413.
  ActiveSchedule(std::string plugin, Schedule declared);

  std::string plugin;
  Schedule declared;
  Cron cron;
  TimeZone zone;
  std::int64_t next_ms = 0;
};

/// The schedules in the host's database. Blocks on it. Thread-safe.
class ScheduleStore {
 public:
  explicit ScheduleStore(data::Database& database) : database_(database) {}

  /// Replaces the plugin's schedules by the declared ones and fills their next times. A schedule
  /// whose times did not change keeps its next time, so that a missed run is found; without
  /// runs_missed it continues with the next.
  void declare(std::string_view plugin, std::vector<ActiveSchedule>& schedules,
               std::int64_t now_ms);

  /// If the schedule is due, enqueues its job and writes the next time, in one transaction; returns
  /// empty when another host did so before. While an earlier run waits, none is added. Fills
  /// `next_ms`.
  std::optional<Enqueued> fire(ActiveSchedule& schedule, std::int64_t now_ms);

  /// After the clock was set back: writes and fills the next time from now on.
  void set_back(ActiveSchedule& schedule, std::int64_t now_ms);

 private:
  data::Database& database_;
};

}  // namespace tenon::jobs
