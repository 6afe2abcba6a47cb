#include "jobs/time_zone.hpp"

#include <chrono>
#include <stdexcept>

#include <date/tz.h>

#include "base/error.hpp"

namespace tenon::jobs {

namespace {

constexpr std::size_t max_name_bytes = 64;

}  // namespace

TimeZone TimeZone::find(std::string_view name) {
  // Without the database, which is some hundred files and is read at each start with schedules.
  if (name.empty() || name == "UTC") return TimeZone(nullptr);
  try {
    if (name.size() <= max_name_bytes) return TimeZone(date::locate_zone(std::string(name)));
  } catch (const std::runtime_error&) {
    // The library's message names files; the name alone is enough.
  }
  throw base::Error(422, "jobs.time_zone_unknown",
                    "There is no time zone \"" + std::string(name.substr(0, max_name_bytes)) +
                        "\". Take a name of the IANA database, as Europe/Berlin.");
}

LocalMinute TimeZone::local(std::int64_t unix_s) const {
  const date::sys_seconds time{std::chrono::seconds(unix_s)};
  const auto local = zone_ ? zone_->to_local(time) : date::local_seconds(time.time_since_epoch());
  const auto day = date::floor<date::days>(local);
  const date::year_month_day on{day};
  const auto of_day =
      static_cast<unsigned>(std::chrono::duration_cast<std::chrono::minutes>(local - day).count());
  return {static_cast<int>(on.year()), static_cast<unsigned>(on.month()),
          static_cast<unsigned>(on.day()), of_day / 60, of_day % 60};
}

std::int64_t TimeZone::instant(const LocalMinute& local) const {
  const date::local_seconds time =
      date::local_days(date::year(local.year) / static_cast<int>(local.month) /
                       static_cast<int>(local.day)) +
      std::chrono::hours(local.hour) + std::chrono::minutes(local.minute);
  if (!zone_) return time.time_since_epoch().count();
  const date::local_info info = zone_->get_info(time);
  const date::sys_seconds found =
      info.result == date::local_info::nonexistent
          ? info.second.begin
          : date::sys_seconds(time.time_since_epoch() - info.first.offset);
  return found.time_since_epoch().count();
}

}  // namespace tenon::jobs
