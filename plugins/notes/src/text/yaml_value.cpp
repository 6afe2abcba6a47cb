#include "text/yaml_value.hpp"

#include <cstddef>

#include "text/utf8.hpp"

namespace notes::text {
namespace {

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Reads the hex digits of \x, \u, \U after `place`; false when they are not there.
bool append_hex(std::string_view in, std::size_t& place, std::size_t digits, std::string& out) {
  if (place + digits >= in.size()) return false;
  char32_t value = 0;
  for (std::size_t i = 1; i <= digits; ++i) {
    const int digit = hex_value(in[place + i]);
    if (digit < 0) return false;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  if (value == 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
  append_character(out, value);
  place += digits;
  return true;
}

void append_escape(std::string_view in, std::size_t& place, std::string& out) {
  const char kind = in[place];
  switch (kind) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'x':
      if (append_hex(in, place, 2, out)) return;
      break;
    case 'u':
      if (append_hex(in, place, 4, out)) return;
      break;
    case 'U':
      if (append_hex(in, place, 8, out)) return;
      break;
    default:
      break;
  }
  out += kind;
}

/// Reads a quoted scalar that begins at `place`; `place` is then after it.
std::string quoted_at(std::string_view in, std::size_t& place) {
  const char quote = in[place++];
  std::string out;
  for (; place < in.size(); ++place) {
    const char c = in[place];
    if (c == quote) {
      const bool doubled = quote == '\'' && place + 1 < in.size() && in[place + 1] == '\'';
      if (!doubled) {
        ++place;
        return out;
      }
      ++place;
    } else if (c == '\\' && quote == '"' && place + 1 < in.size()) {
      ++place;
      append_escape(in, place, out);
      continue;
    }
    out += c;
  }
  return out;
}

std::string_view without_comment(std::string_view plain) {
  if (!plain.empty() && plain.front() == '#') return {};
  for (std::size_t place = 1; place < plain.size(); ++place) {
    if (plain[place] == '#' && (plain[place - 1] == ' ' || plain[place - 1] == '\t')) {
      return plain.substr(0, place);
    }
  }
  return plain;
}

}  // namespace

std::string yaml_scalar(std::string_view written) {
  written = trim(written);
  if (written.empty()) return {};
  if (written.front() == '"' || written.front() == '\'') {
    std::size_t place = 0;
    return quoted_at(written, place);
  }
  if (std::string_view("|>{}[]&*!%@`").find(written.front()) != std::string_view::npos) return {};
  return std::string(trim(without_comment(written)));
}

std::vector<std::string> yaml_list(std::string_view written) {
  written = trim(written);
  const bool is_flow = !written.empty() && written.front() == '[';
  if (is_flow)
    written.remove_prefix(1);
  else
    written = without_comment(written);
  std::vector<std::string> items;
  for (std::size_t place = 0; place < written.size();) {
    const char c = written[place];
    if (is_flow && c == ']') break;
    if (c == ',' || c == ' ' || c == '\t') {
      ++place;
    } else if (c == '"' || c == '\'') {
      items.push_back(quoted_at(written, place));
    } else {
      const std::size_t end = written.find_first_of(is_flow ? ",]" : ",", place);
      const std::size_t stop = end == std::string_view::npos ? written.size() : end;
      items.emplace_back(trim(written.substr(place, stop - place)));
      place = stop;
    }
  }
  return items;
}

std::string yaml_quoted(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\x0D";
    } else {
      out += c;
    }
  }
  return out += '"';
}

}  // namespace notes::text
