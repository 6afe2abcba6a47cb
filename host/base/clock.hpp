#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::base {

/// Milliseconds since 1970-01-01T00:00:00Z by the wall clock; may jump.
std::int64_t unix_milliseconds() noexcept;

/// Nanoseconds of a clock that never goes back; only differences mean anything.
std::int64_t monotonic_nanoseconds() noexcept;

/// RFC 3339 in UTC with milliseconds: 2026-11-20T08:15:30.123Z.
std::string rfc3339(std::int64_t unix_milliseconds);

/// IMF-fixdate (RFC 9110, section 5.6.7) of a time in seconds: "Fri, 20 Nov 2026 08:15:30 GMT".
std::string http_date(std::int64_t unix_seconds);

/// Reads the three date forms of RFC 9110, section 5.6.7; returns seconds since 1970, or -1
/// for anything else and for times before.
std::int64_t parse_http_date(std::string_view text) noexcept;

}  // namespace tenon::base
