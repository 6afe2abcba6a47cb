#include "base/json_slice.hpp"

#include <charconv>
#include <cmath>

namespace tenon::base {

namespace {

constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Returns the position after the closing quote of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return text.size();
}

std::size_t end_of_value(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return end_of_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
           !is_space(text[at]))
      ++at;
    return at;
  }
  for (std::size_t depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) break;
  }
  return at;
}

unsigned unit_at(std::string_view text, std::size_t at) noexcept {
  unsigned unit = 0;
  if (at + 4 <= text.size()) std::from_chars(text.data() + at, text.data() + at + 4, unit, 16);
  return unit;
}

void put_utf8(std::string& out, unsigned point) {
  const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

}  // namespace

JsonSlice::JsonSlice(std::string_view checked) noexcept : text_(checked) {
  while (!text_.empty() && is_space(text_.front()))
    text_.remove_prefix(1);
  while (!text_.empty() && is_space(text_.back()))
    text_.remove_suffix(1);
}

JsonType JsonSlice::type() const noexcept {
  switch (text_.empty() ? 'n' : text_.front()) {
    case '{':
      return JsonType::object;
    case '[':
      return JsonType::array;
    case '"':
      return JsonType::string;
    case 't':
    case 'f':
      return JsonType::boolean;
    case 'n':
      return JsonType::null;
    default:
      return JsonType::number;
  }
}

std::optional<std::int64_t> JsonSlice::integer() const noexcept {
  std::int64_t whole = 0;
  const char* const last = text_.data() + text_.size();
  const auto [stop, failure] = std::from_chars(text_.data(), last, whole);
  if (failure == std::errc{} && stop == last) return whole;
  constexpr double exact = 9007199254740992.0;  // 2^53
  const double value = number();
  if (std::trunc(value) != value || std::fabs(value) > exact) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

double JsonSlice::number() const noexcept {
  double value = 0;
  std::from_chars(text_.data(), text_.data() + text_.size(), value);
  return value;
}

std::string JsonSlice::string() const {
  std::string out;
  if (text_.size() < 2) return out;
  const std::string_view inside = text_.substr(1, text_.size() - 2);
  out.reserve(inside.size());
  for (std::size_t i = 0; i < inside.size();) {
    const std::size_t escape = inside.find('\\', i);
    out.append(inside.substr(i, escape - i));
    if (escape == std::string_view::npos || escape + 1 >= inside.size()) break;
    i = escape + 2;
    switch (const char c = inside[escape + 1]) {
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        unsigned point = unit_at(inside, i);
        i += 4;
        if (point >= 0xD800 && point < 0xDC00) {
          point = 0x10000 + ((point - 0xD800) << 10) + (unit_at(inside, i + 2) - 0xDC00);
          i += 6;
        }
        put_utf8(out, point);
        break;
      }
      default:
        out += c;
    }
  }
  return out;
}

std::size_t JsonSlice::skip_space(std::size_t at) const noexcept {
  while (at < text_.size() && is_space(text_[at]))
    ++at;
  return at;
}

std::size_t JsonSlice::first() const noexcept {
  const std::size_t at = skip_space(1);
  return at + 1 >= text_.size() ? end : at;
}

JsonSlice JsonSlice::value_at(std::size_t at) const noexcept {
  if (at >= text_.size()) return JsonSlice({});
  return JsonSlice(text_.substr(at, end_of_value(text_, at) - at));
}

std::size_t JsonSlice::after(std::size_t at, const JsonSlice& name) const noexcept {
  return skip_space(skip_space(at + name.text_.size()) + 1);
}

std::size_t JsonSlice::next(const JsonSlice& value) const noexcept {
  const std::size_t following =
      skip_space(static_cast<std::size_t>(value.text_.data() - text_.data()) + value.text_.size());
  if (value.text_.empty() || following >= text_.size() || text_[following] != ',') return end;
  return skip_space(following + 1);
}

}  // namespace tenon::base
