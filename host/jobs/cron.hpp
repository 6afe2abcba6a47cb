#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

namespace tenon::jobs {

class TimeZone;

/// A minute of a wall clock.
struct LocalMinute {
  int year = 1970;
  unsigned month = 1;  ///< 1…12
  unsigned day = 1;    ///< 1…31
  unsigned hour = 0;
  unsigned minute = 0;

  bool operator==(const LocalMinute&) const = default;
};

/// The times of a schedule: minute, hour, day of the month, month, day of the week, separated by
/// blanks. A field is a list of `*`, `a`, `a-b`, each range and star with `/step`; months and days
/// of the week also by their first three letters, Sunday is 0 and 7. If neither day field begins
/// with a star, one of them is enough. Or @hourly, @daily, @midnight, @weekly, @monthly, @yearly,
/// @annually. Immutable.
class Cron {
 public:
  static constexpr std::size_t max_bytes = 256;

  /// Throws base::Error 422 "jobs.cron_invalid" that says which field is wrong, also for a day that
  /// never comes (30 February).
  static Cron parse(std::string_view text);

  bool matches(const LocalMinute& time) const;

  /// Returns the next time after `after_s` in `zone`, both seconds since 1970 in UTC. A local time
  /// that the zone skips becomes the end of its gap; one that comes twice counts the first time
  /// only.
  std::int64_t next(std::int64_t after_s, const TimeZone& zone) const;

 private:
  bool matches_day(const LocalMinute& time) const;

  std::bitset<60> minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  bool is_any_day_ = false;      // the day field begins with a star
  bool is_any_weekday_ = false;  // the other one does
};

}  // namespace tenon::jobs
