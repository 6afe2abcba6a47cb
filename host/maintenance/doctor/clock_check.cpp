#include <chrono>
#include <cstdlib>
#include <thread>

#include <sys/stat.h>
#include <sys/timex.h>

#include "base/clock.hpp"
#include "maintenance/doctor/checks.hpp"
#include "maintenance/doctor/host_tables.hpp"

namespace tenon::console {

namespace {

constexpr std::int64_t second = 1000;
constexpr std::int64_t minute = 60 * second;
// Other machines write times too, and clocks are set by a little.
constexpr std::int64_t tolerated = 2 * minute;
constexpr std::int64_t first_sane = 1'735'689'600 * second;  // 2025-01-01
constexpr std::int64_t last_sane = 4'102'444'800 * second;   // 2100-01-01
constexpr std::int64_t watched = 250;
// A busy machine reads the two clocks some time apart.
constexpr std::int64_t tolerated_drift = 50;

void consider(ClockReading& reading, std::int64_t time, const std::string& where) {
  if (time <= reading.newest) return;
  reading.newest = time;
  reading.newest_where = where;
}

void find_newest(const CheckContext& context, ClockReading& reading) {
  for (const std::string& file : context.databases) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) == 0)
      consider(reading, std::int64_t{facts.st_mtime} * second, file);
  }
  HostTables tables(context);
  for (const char* sql :
       {"SELECT max(time_ms) FROM identity_audit", "SELECT max(created_ms) FROM identity_sessions",
        "SELECT max(changed_ms) FROM plugins_state"}) {
    if (const auto time = tables.number(sql)) consider(reading, *time, tables.name());
  }
}

}  // namespace

void check_clock_reading(const ClockReading& reading, Report& report) {
  const std::string shown = base::rfc3339(reading.now);
  if (reading.now < first_sane || reading.now > last_sane) {
    report.error("clock.insane", "the clock", "It says " + shown + ".",
                 "Set it, and let a time service keep it: timedatectl set-ntp true.");
  } else if (reading.newest > reading.now + tolerated) {
    report.error("clock.went_back", reading.newest_where,
                 "The clock says " + shown + ", but " + base::rfc3339(reading.newest) +
                     " has been recorded already: it went back, or was ahead. New ids and times "
                     "would sort before old ones, and sessions last too long.",
                 "Set the clock right; if it is right now, wait until that time has passed or "
                 "accept that the order of new records is wrong until then.");
  }
  if (std::llabs(reading.wall_passed - reading.steady_passed) > tolerated_drift) {
    report.warning("clock.jumps", "the clock",
                   "It moved by " + std::to_string(reading.wall_passed) + " ms in " +
                       std::to_string(reading.steady_passed) + " ms.",
                   "Look for two programs that set it, and for the host of a virtual machine.");
  }
  if (!reading.is_synchronized) {
    report.note("clock.alone", "the clock", "No time service says that it keeps it right.",
                "timedatectl set-ntp true, unless the host of this machine keeps it.");
  }
}

void check_clock(CheckContext& context) {
  Report& report = context.report;
  report.begin("clock");
  ClockReading reading;
  const std::int64_t wall = base::unix_milliseconds();
  const std::int64_t steady = base::monotonic_nanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(watched));
  reading.now = base::unix_milliseconds();
  reading.wall_passed = reading.now - wall;
  reading.steady_passed = (base::monotonic_nanoseconds() - steady) / 1'000'000;
  struct timex kernel {};
  const int state = ::adjtimex(&kernel);
  reading.is_synchronized = state >= 0 && state != TIME_ERROR && (kernel.status & STA_UNSYNC) == 0;
  if (context.is_there) find_newest(context, reading);
  report.summarize(base::rfc3339(reading.now));
  check_clock_reading(reading, report);
}

}  // namespace tenon::console
