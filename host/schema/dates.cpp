#include "schema/dates.hpp"

#include <array>

namespace tenon::data::schema {

namespace {

// '0' matches any digit, any other character itself.
bool has_shape(std::string_view text, std::string_view shape) noexcept {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool fits = shape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == shape[i];
    if (!fits) return false;
  }
  return true;
}

int two(std::string_view text, std::size_t at) noexcept {
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

}  // namespace

bool is_date(std::string_view text) noexcept {
  if (!has_shape(text, "0000-00-00")) return false;
  const int year = two(text, 0) * 100 + two(text, 2);
  const int month = two(text, 5);
  const int day = two(text, 8);
  constexpr std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= lengths[static_cast<std::size_t>(month - 1)] + (month == 2 && is_leap ? 1 : 0);
}

bool is_datetime(std::string_view text) noexcept {
  return has_shape(text, "0000-00-00T00:00:00.000Z") && is_date(text.substr(0, 10)) &&
         two(text, 11) < 24 && two(text, 14) < 60 && two(text, 17) < 60;
}

}  // namespace tenon::data::schema
