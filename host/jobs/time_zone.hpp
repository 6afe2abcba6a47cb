#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jobs/cron.hpp"

namespace date {
class time_zone;
}

namespace tenon::jobs {

/// An IANA time zone as the system's tzdata has it. The zones are read when they are first used and
/// stay as they were then. Cheap to copy, thread-safe.
class TimeZone {
 public:
  /// "Europe/Berlin"; an empty name is UTC. Throws base::Error 422 "jobs.time_zone_unknown".
  static TimeZone find(std::string_view name);

  /// The minute that clocks show at a time, seconds since 1970 in UTC.
  LocalMinute local(std::int64_t unix_s) const;
  /// When clocks show this minute: the first time where they do so twice, the end of the gap where
  /// they never do.
  std::int64_t instant(const LocalMinute& local) const;

 private:
  explicit TimeZone(const date::time_zone* zone) noexcept : zone_(zone) {}

  const date::time_zone* zone_;  // null: UTC
};

}  // namespace tenon::jobs
