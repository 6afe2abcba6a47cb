#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

/// A point in time in UTC with milliseconds, as in tables and JSON.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

/// Returns the time of the wall clock, which may jump.
inline Time now() noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

/// Formats a time as RFC 3339 in UTC with milliseconds: 2026-11-20T08:15:30.123Z. Years 0000…9999.
inline std::string rfc3339(Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const auto rest = (time - day).count();
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto put = [&text](std::size_t at, std::size_t digits, std::int64_t value) {
    for (std::size_t i = digits; i-- > 0; value /= 10)
      text[at + i] = static_cast<char>('0' + value % 10);
  };
  put(0, 4, static_cast<int>(date.year()));
  put(5, 2, static_cast<unsigned>(date.month()));
  put(8, 2, static_cast<unsigned>(date.day()));
  put(11, 2, rest / 3'600'000);
  put(14, 2, rest / 60'000 % 60);
  put(17, 2, rest / 1000 % 60);
  put(20, 3, rest % 1000);
  return text;
}

/// Returns the current time as text, for a column or a response.
inline std::string now_text() {
  return rfc3339(now());
}

/// Parses RFC 3339 with any offset and any number of fraction digits (digits beyond milliseconds
/// are dropped). Returns empty if the text is not valid.
inline std::optional<Time> parse_rfc3339(std::string_view text) noexcept {
  std::size_t at = 0;
  bool good = true;
  const auto number = [&](std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i, ++at) {
      if (at >= text.size() || text[at] < '0' || text[at] > '9') return good = false, 0;
      value = value * 10 + (text[at] - '0');
    }
    return value;
  };
  const auto sign = [&](std::string_view allowed) {
    if (at < text.size() && allowed.find(text[at]) != std::string_view::npos) return text[at++];
    good = false;
    return '\0';
  };
  const int year = number(4);
  sign("-");
  const int month = number(2);
  sign("-");
  const int day = number(2);
  sign("Tt ");
  const int hour = number(2);
  sign(":");
  const int minute = number(2);
  sign(":");
  const int second = number(2);
  int milliseconds = 0;
  if (good && at < text.size() && text[at] == '.') {
    const std::size_t first = ++at;
    for (int scale = 100; at < text.size() && text[at] >= '0' && text[at] <= '9';
         ++at, scale /= 10) {
      milliseconds += (text[at] - '0') * scale;
    }
    good = at > first;
  }
  int offset = 0;
  const char zone = sign("Zz+-");
  if (zone == '+' || zone == '-') {
    const int hours = number(2);
    sign(":");
    const int minutes = number(2);
    good = good && hours < 24 && minutes < 60;
    offset = (hours * 60 + minutes) * (zone == '-' ? -1 : 1);
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // A leap second becomes the second before it, because system_clock does not count leap seconds.
  if (!good || at != text.size() || !date.ok() || hour > 23 || minute > 59 || second > 60)
    return std::nullopt;
  return Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute - offset) + std::chrono::seconds(second == 60 ? 59 : second) +
         std::chrono::milliseconds(milliseconds);
}

}  // namespace tenon
