// Schedules and their next times. Lines: a time of 2026 to 2029, a time zone, a schedule.

#include "jobs/cron.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "jobs/time_zone.hpp"
#include "property.hpp"

namespace {

using tenon::jobs::Cron;
using tenon::jobs::LocalMinute;
using tenon::jobs::TimeZone;

constexpr int scanned_minutes = 3 * 24 * 60;

// Due at this minute: its clock matches for the first time, or a gap ends here that had a match.
bool is_due(const Cron& cron, const TimeZone& zone, std::int64_t at, const LocalMinute& before) {
  const LocalMinute local = zone.local(at);
  if (cron.matches(local) && zone.instant(local) == at) return true;
  LocalMinute skipped = before;
  for (int i = 0; i < 24 * 60; ++i) {
    if (++skipped.minute == 60) {
      skipped.minute = 0;
      if (++skipped.hour == 24) return false;  // gaps over midnight are not scanned
    }
    if (skipped == local) return false;
    if (zone.instant(skipped) != at) return false;
    if (cron.matches(skipped)) return true;
  }
  return false;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string begin(tenon::fuzz::take_line(text));
  const std::string_view zone_name = tenon::fuzz::take_line(text);
  LocalMinute start;
  if (std::sscanf(begin.c_str(), "%4d-%2u-%2u %2u:%2u", &start.year, &start.month, &start.day,
                  &start.hour, &start.minute) != 5 ||
      start.year < 2026 || start.year > 2029 || start.month < 1 || start.month > 12 ||
      start.day < 1 || start.day > 28 || start.hour > 23 || start.minute > 59)
    return 0;
  try {
    const TimeZone zone = TimeZone::find(zone_name);
    const Cron cron = Cron::parse(tenon::fuzz::Piece(text).get());
    const std::int64_t after = TimeZone::find("UTC").instant(start);
    const std::int64_t next = cron.next(after, zone);
    TENON_HOLDS(next > after && next % 60 == 0);
    TENON_HOLDS(cron.next(next, zone) > next);
    const LocalMinute local = zone.local(next);
    TENON_HOLDS(cron.matches(local) || zone.local(next - 60).hour != local.hour);
    LocalMinute before = zone.local(after);
    for (std::int64_t at = after + 60; at < next && at < after + scanned_minutes * 60; at += 60) {
      TENON_HOLDS(!is_due(cron, zone, at, before));
      before = zone.local(at);
    }
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code().starts_with("jobs.") && error.status() == 422);
  }
  return 0;
}
