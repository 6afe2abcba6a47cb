#pragma once

#include <string_view>

namespace tenon::data::schema {

/// A day of the Gregorian calendar, YYYY-MM-DD.
bool is_date(std::string_view text) noexcept;

/// A moment in UTC with milliseconds, YYYY-MM-DDTHH:MM:SS.mmmZ (RFC 3339), the one form that is
/// stored.
bool is_datetime(std::string_view text) noexcept;

}  // namespace tenon::data::schema
