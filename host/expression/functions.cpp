#include "expression/functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tenon::expression {

namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// Returns the position after the code point that begins at `at`.
std::size_t next_code_point(std::string_view text, std::size_t at) noexcept {
  do {
    ++at;
  } while (at < text.size() && (text[at] & 0xc0) == 0x80);
  return at;
}

}  // namespace

bool matches(std::string_view text, std::string_view pattern) noexcept {
  text = text.substr(0, text.find('\0'));
  std::size_t t = 0;
  std::size_t p = 0;
  // The position to continue from after a mismatch, when the last % takes one more character.
  std::size_t retry_pattern = std::string_view::npos;
  std::size_t retry_text = 0;
  for (;;) {
    if (p < pattern.size() && pattern[p] == '%') {
      retry_pattern = ++p;
      retry_text = t;
      continue;
    }
    if (p == pattern.size() && t == text.size()) return true;
    if (p < pattern.size() && t < text.size()) {
      if (pattern[p] == '_') {
        ++p;
        t = next_code_point(text, t);
        continue;
      }
      const std::size_t wanted = pattern[p] == '\\' ? p + 1 : p;
      if (wanted < pattern.size() && lower(pattern[wanted]) == lower(text[t])) {
        p = wanted + 1;
        ++t;
        continue;
      }
    }
    if (retry_pattern == std::string_view::npos || retry_text >= text.size()) return false;
    retry_text = next_code_point(text, retry_text);
    t = retry_text;
    p = retry_pattern;
  }
}

std::int64_t length_of(std::string_view text) noexcept {
  text = text.substr(0, text.find('\0'));
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

Value calculated(Op op, double left, double right) noexcept {
  double result = 0;
  switch (op) {
    case Op::add:
      result = left + right;
      break;
    case Op::subtract:
      result = left - right;
      break;
    case Op::multiply:
      result = left * right;
      break;
    case Op::divide:
      if (right == 0) return {};
      result = left / right;
      break;
    default:
      result = 0.0 - left;
  }
  if (!std::isfinite(result)) return {};
  return result;
}

std::int64_t whole_of(double number) noexcept {
  if (number >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  if (number <= -0x1p63) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

Value remainder_of(std::int64_t dividend, std::int64_t divisor) noexcept {
  if (divisor == 0) return {};
  // The least integer by -1 would trap.
  return divisor == -1 ? std::int64_t{0} : dividend % divisor;
}

double rounded(double number) noexcept {
  if (std::abs(number) > 0x1p52) return number;
  return static_cast<double>(static_cast<std::int64_t>(number + (number < 0 ? -0.5 : 0.5)));
}

std::string text_function(Op op, std::string text) {
  switch (op) {
    case Op::lower:
      std::transform(text.begin(), text.end(), text.begin(), lower);
      return text;
    case Op::upper:
      std::transform(text.begin(), text.end(), text.begin(), upper);
      return text;
    case Op::date:
      text.resize(std::min<std::size_t>(text.size(), 10));
      return text;
    default: {
      const auto first = text.find_first_not_of(' ');
      if (first == std::string::npos) return {};
      return text.substr(first, text.find_last_not_of(' ') - first + 1);
    }
  }
}

std::int64_t date_part(Op op, std::string_view text) noexcept {
  const std::string_view part = op == Op::year    ? text.substr(0, 4)
                                : op == Op::month ? text.substr(5, 2)
                                                  : text.substr(8, 2);
  std::int64_t number = 0;
  std::from_chars(part.data(), part.data() + part.size(), number);
  return number;
}

}  // namespace tenon::expression
