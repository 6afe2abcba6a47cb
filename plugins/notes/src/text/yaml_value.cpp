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

/// Reads the hex digits of \x, \u, \U after `position`; false when they are not there.
bool append_hex(std::string_view in, std::size_t& position, std::size_t digits, std::string& out) {
  if (position + digits >= in.size()) return false;
  char32_t value = 0;
  for (std::size_t i = 1; i <= digits; ++i) {
    const int digit = hex_value(in[position + i]);
    if (digit < 0) return false;
    value = value * 16 + static_cast<char32_t>(digit);
  }
  if (value == 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
  append_character(out, value);
  position += digits;
  return true;
}

void append_escape(std::string_view in, std::size_t& position, std::string& out) {
  const char kind = in[position];
  switch (kind) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'x':
      if (append_hex(in, position, 2, out)) return;
      break;
    case 'u':
      if (append_hex(in, position, 4, out)) return;
      break;
    case 'U':
      if (append_hex(in, position, 8, out)) return;
      break;
    default:
      break;
  }
  out += kind;
}

/// Reads a quoted scalar that begins at `position`; `position` is then after it.
std::string quoted_at(std::string_view in, std::size_t& position) {
  const char quote = in[position++];
  std::string out;
  for (; position < in.size(); ++position) {
    const char c = in[position];
    if (c == quote) {
      const bool doubled = quote == '\'' && position + 1 < in.size() && in[position + 1] == '\'';
      if (!doubled) {
        ++position;
        return out;
      }
      ++position;
    } else if (c == '\\' && quote == '"' && position + 1 < in.size()) {
      ++position;
      append_escape(in, position, out);
      continue;
    }
    out += c;
  }
  return out;
}

std::string_view without_comment(std::string_view plain) {
  if (!plain.empty() && plain.front() == '#') return {};
  for (std::size_t position = 1; position < plain.size(); ++position) {
    if (plain[position] == '#' && (plain[position - 1] == ' ' || plain[position - 1] == '\t')) {
      return plain.substr(0, position);
    }
  }
  return plain;
}

}  // namespace

std::string yaml_scalar(std::string_view written) {
  written = trim(written);
  if (written.empty()) return {};
  if (written.front() == '"' || written.front() == '\'') {
    std::size_t position = 0;
    return quoted_at(written, position);
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
  for (std::size_t position = 0; position < written.size();) {
    const char c = written[position];
    if (is_flow && c == ']') break;
    if (c == ',' || c == ' ' || c == '\t') {
      ++position;
    } else if (c == '"' || c == '\'') {
      items.push_back(quoted_at(written, position));
    } else {
      const std::size_t end = written.find_first_of(is_flow ? ",]" : ",", position);
      const std::size_t stop = end == std::string_view::npos ? written.size() : end;
      items.emplace_back(trim(written.substr(position, stop - position)));
      position = stop;
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
