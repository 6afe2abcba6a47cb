#include "schema/version.hpp"

#include <algorithm>

namespace tenon::data::schema {

namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_number(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::string_view take(std::string_view& text, char end) noexcept {
  const auto at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

// Numbers without leading zeros compare by length, then digit by digit.
int compare_numbers(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return left.compare(right);
}

int compare_identifiers(std::string_view left, std::string_view right) noexcept {
  const bool left_number = is_number(left);
  const bool right_number = is_number(right);
  if (left_number && right_number) return compare_numbers(left, right);
  if (left_number != right_number) return left_number ? -1 : 1;
  return left.compare(right);
}

bool are_identifiers(std::string_view text, bool refuses_leading_zeros) noexcept {
  for (;;) {
    const auto dot = text.find('.');
    const std::string_view one = text.substr(0, dot);
    const bool is_word = !one.empty() && std::all_of(one.begin(), one.end(), [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    });
    if (!is_word) return false;
    if (refuses_leading_zeros && is_number(one) && one.size() > 1 && one.front() == '0')
      return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_version(std::string_view text) noexcept {
  if (text.size() > 64) return false;
  if (const auto plus = text.find('+'); plus != std::string_view::npos) {
    if (!are_identifiers(text.substr(plus + 1), false)) return false;
    text = text.substr(0, plus);
  }
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    if (!are_identifiers(text.substr(dash + 1), true)) return false;
    text = text.substr(0, dash);
  }
  if (std::count(text.begin(), text.end(), '.') != 2) return false;
  for (int i = 0; i < 3; ++i) {
    const std::string_view number = take(text, '.');
    if (!is_number(number) || number.size() > 18 || (number.size() > 1 && number.front() == '0'))
      return false;
  }
  return true;
}

int compare_versions(std::string_view left, std::string_view right) noexcept {
  left = left.substr(0, left.find('+'));
  right = right.substr(0, right.find('+'));
  std::string_view left_core = take(left, '-');
  std::string_view right_core = take(right, '-');
  for (int i = 0; i < 3; ++i) {
    if (const int order = compare_numbers(take(left_core, '.'), take(right_core, '.')))
      return order;
  }
  // A release comes after its pre-releases.
  if (left.empty() || right.empty())
    return static_cast<int>(left.empty()) - static_cast<int>(right.empty());
  while (!left.empty() && !right.empty()) {
    if (const int order = compare_identifiers(take(left, '.'), take(right, '.'))) return order;
  }
  return static_cast<int>(right.empty()) - static_cast<int>(left.empty());
}

}  // namespace tenon::data::schema
