#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include <time.h>

namespace tenon::base {

std::int64_t unix_milliseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::int64_t monotonic_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string rfc3339(std::int64_t unix_milliseconds) {
  std::int64_t seconds = unix_milliseconds / 1000;
  std::int64_t rest = unix_milliseconds % 1000;
  if (rest < 0) {
    rest += 1000;
    --seconds;
  }
  const time_t when = seconds;
  tm parts{};
  gmtime_r(&when, &parts);
  std::array<char, 80> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                    parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                    parts.tm_min, parts.tm_sec, static_cast<int>(rest));
  return {text.data(), static_cast<std::size_t>(length)};
}

namespace {
constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
}  // namespace

std::string http_date(std::int64_t unix_seconds) {
  const time_t when = unix_seconds;
  tm parts{};
  gmtime_r(&when, &parts);
  std::array<char, 96> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                    days[parts.tm_wday % 7], parts.tm_mday, months[parts.tm_mon % 12],
                    parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::int64_t parse_http_date(std::string_view text) noexcept {
  std::array<char, 64> zero_terminated{};
  if (text.empty() || text.size() >= zero_terminated.size()) return -1;
  std::memcpy(zero_terminated.data(), text.data(), text.size());
  for (const char* form :
       {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"}) {
    tm parts{};
    const char* end = strptime(zero_terminated.data(), form, &parts);
    if (end != nullptr && *end == '\0') return std::max<std::int64_t>(timegm(&parts), -1);
  }
  return -1;
}

}  // namespace tenon::base
