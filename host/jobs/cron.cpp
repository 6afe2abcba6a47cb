#include "jobs/cron.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "jobs/time_zone.hpp"

namespace tenon::jobs {

namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 12> month_names{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekday_names{"sun", "mon", "tue", "wed",
                                                        "thu", "fri", "sat"};

struct Macro {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Macro, 7> macros{{{"@hourly", "0 * * * *"},
                                       {"@daily", "0 0 * * *"},
                                       {"@midnight", "0 0 * * *"},
                                       {"@weekly", "0 0 * * 0"},
                                       {"@monthly", "0 0 1 * *"},
                                       {"@yearly", "0 0 1 1 *"},
                                       {"@annually", "0 0 1 1 *"}}};

struct Field {
  const char* name;
  unsigned first;
  unsigned last;
  std::span<const std::string_view> names;
};
const std::array<Field, 5> fields{{{"minute", 0, 59, {}},
                                   {"hour", 0, 23, {}},
                                   {"day", 1, 31, {}},
                                   {"month", 1, 12, month_names},
                                   {"weekday", 0, 7, weekday_names}}};

[[noreturn]] void refuse(const std::string& why) {
  throw base::Error(422, "jobs.cron_invalid",
                    why + " Write five fields: minute hour day month weekday, or @daily.");
}

[[noreturn]] void refuse(const Field& field, std::string_view part) {
  refuse("\"" + std::string(part) + "\" is no " + field.name + ": numbers from " +
         std::to_string(field.first) + " to " + std::to_string(field.last) +
         ", ranges, lists, steps after a range or a star.");
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(by);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

unsigned read_number(const Field& field, std::string_view text, std::string_view part) {
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.size() > 2 || failure != std::errc{} || end != text.data() + text.size())
    refuse(field, part);
  return number;
}

unsigned read_value(const Field& field, std::string_view text, std::string_view part) {
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    const auto same = [](char left, char right) {
      return (left >= 'A' && left <= 'Z' ? left - 'A' + 'a' : left) == right;
    };
    if (text.size() == 3 && std::equal(text.begin(), text.end(), field.names[i].begin(), same))
      return field.first + static_cast<unsigned>(i);
  }
  const unsigned value = read_number(field, text, part);
  if (value < field.first || value > field.last) refuse(field, part);
  return value;
}

// Calls `take` with every value that a field names.
template <typename Take>
void read_field(const Field& field, std::string_view text, Take&& take) {
  for (const std::string_view part : split(text, ',')) {
    const std::size_t slash = part.find('/');
    const std::string_view range = part.substr(0, slash);
    unsigned first = field.first;
    unsigned last = field.last;
    const std::size_t dash = range.find('-');
    if (range != "*") {
      first = read_value(field, range.substr(0, dash), part);
      last =
          dash == std::string_view::npos ? first : read_value(field, range.substr(dash + 1), part);
      // "fri-sun" ends a week as people write it.
      if (field.last == 7 && last == 0 && first > 0 && dash != std::string_view::npos) last = 7;
    }
    unsigned step = 1;
    if (slash != std::string_view::npos) {
      if (range != "*" && dash == std::string_view::npos) refuse(field, part);
      step = read_number(field, part.substr(slash + 1), part);
    }
    if (first > last || step == 0) refuse(field, part);
    for (unsigned value = first; value <= last; value += step)
      take(value);
  }
}

constexpr std::array<unsigned, 13> max_month{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

}  // namespace

Cron Cron::parse(std::string_view text) {
  if (text.size() > max_bytes) refuse("A schedule has at most 256 bytes.");
  for (const Macro& macro : macros) {
    if (text == macro.name) return parse(macro.fields);
  }
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  if (parts.size() != fields.size()) refuse("This is no schedule.");
  Cron cron;
  read_field(fields[0], parts[0], [&](unsigned value) { cron.minutes_.set(value); });
  read_field(fields[1], parts[1], [&](unsigned value) { cron.hours_.set(value); });
  read_field(fields[2], parts[2], [&](unsigned value) { cron.days_.set(value); });
  read_field(fields[3], parts[3], [&](unsigned value) { cron.months_.set(value); });
  read_field(fields[4], parts[4], [&](unsigned value) { cron.weekdays_.set(value % 7); });
  cron.is_any_day_ = parts[2].starts_with('*');
  cron.is_any_weekday_ = parts[4].starts_with('*');
  bool is_possible = !cron.is_any_day_ && !cron.is_any_weekday_;
  for (unsigned month = 1; month <= 12 && !is_possible; ++month) {
    for (unsigned day = 1; day <= max_month[month]; ++day)
      is_possible = is_possible || (cron.months_[month] && cron.days_[day]);
  }
  if (!is_possible) refuse("None of these months has such a day.");
  return cron;
}

bool Cron::matches_day(const LocalMinute& time) const {
  const year_month_day date{std::chrono::year(time.year), std::chrono::month(time.month),
                            std::chrono::day(time.day)};
  const bool is_day = days_[time.day];
  const bool is_weekday = weekdays_[std::chrono::weekday(sys_days(date)).c_encoding()];
  if (!months_[time.month]) return false;
  return is_any_day_ || is_any_weekday_ ? is_day && is_weekday : is_day || is_weekday;
}

bool Cron::matches(const LocalMinute& time) const {
  return minutes_[time.minute] && hours_[time.hour] && matches_day(time);
}

std::int64_t Cron::next(std::int64_t after_s, const TimeZone& zone) const {
  LocalMinute now = zone.local(after_s);
  sys_days day{year_month_day{std::chrono::year(now.year), std::chrono::month(now.month),
                              std::chrono::day(now.day)}};
  for (;; day += days(1), now.hour = 0, now.minute = 0) {
    const year_month_day date{day};
    now.year = static_cast<int>(date.year());
    now.month = static_cast<unsigned>(date.month());
    now.day = static_cast<unsigned>(date.day());
    if (!matches_day(now)) continue;
    for (; now.hour < 24; ++now.hour, now.minute = 0) {
      if (!hours_[now.hour]) continue;
      for (; now.minute < 60; ++now.minute) {
        if (!minutes_[now.minute]) continue;
        // Later local times are never earlier instants, so the first that is later is the next.
        if (const std::int64_t found = zone.instant(now); found > after_s) return found;
      }
    }
  }
}

}  // namespace tenon::jobs
