#include "observability/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/clock.hpp"
#include "base/json_writer.hpp"

namespace tenon::observability {

std::string_view level_name(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

namespace {

// A text within the limit, cut between characters, and whether something is missing.
struct Clipped {
  std::string_view text;
  bool is_cut = false;
};

Clipped clip(std::string_view text) {
  if (text.size() <= Log::max_text_bytes) return {text, false};
  std::size_t end = Log::max_text_bytes;
  while (end > Log::max_text_bytes - 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;
  return {text.substr(0, end), true};
}

void append_time(std::string& out, std::int64_t time_ms) {
  // Lines come thousands a second: the calendar is asked once a second.
  thread_local std::int64_t cached_second = -1;
  thread_local std::string cached_text;
  if (time_ms / 1000 != cached_second || cached_text.empty()) {
    cached_second = time_ms / 1000;
    cached_text = base::rfc3339(cached_second * 1000);
  }
  const auto rest = static_cast<unsigned>(time_ms % 1000);
  out.append(cached_text, 0, cached_text.size() - 4);
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
  out += 'Z';
}

std::span<const LogField> bounded(std::span<const LogField> fields) {
  return fields.first(std::min(fields.size(), Log::max_fields));
}

template <typename Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

// Says which bytes need no escape in a JSON string and in a quoted text, and which also none
// without quotes. Nearly all text consists of them, and then it is copied at once: a line is
// written for every request.
constexpr unsigned char plain = 1;
constexpr unsigned char bare = 2;
constexpr std::array<unsigned char, 256> byte_kinds = [] {
  std::array<unsigned char, 256> table{};
  for (unsigned byte = 0x20; byte < 0x7F; ++byte) {
    if (byte == '"' || byte == '\\' || byte == '<') continue;
    table[byte] = byte == ' ' || byte == '=' ? plain : plain | bare;
  }
  return table;
}();

bool consists_of(unsigned char kind, std::string_view text) {
  unsigned char common = kind;
  for (const char c : text)
    common &= byte_kinds[static_cast<unsigned char>(c)];
  return common == kind;
}

void append_json_text(std::string& out, std::string_view text) {
  if (!consists_of(plain, text)) return base::append_json_string(out, text);
  ((out += '"') += text) += '"';
}

void append_escaped_text(std::string& out, std::string_view text, bool quoted) {
  if (consists_of(plain, text)) {
    out += text;
    return;
  }
  static constexpr char hex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      ((out += "\\x") += hex[byte >> 4]) += hex[byte & 15];
    else if (quoted && (c == '"' || c == '\\'))
      (out += '\\') += c;
    else
      out += c;
  }
}

void append_text_value(std::string& out, std::string_view whole) {
  const auto [text, is_cut] = clip(whole);
  const bool needs_quotes = text.empty() || !consists_of(bare, text);
  if (needs_quotes) out += '"';
  append_escaped_text(out, text, true);
  if (is_cut) out += "…";
  if (needs_quotes) out += '"';
}

void append_text_field(std::string& out, std::string_view name, const LogField::Value& value) {
  append_escaped_text(out += ' ', name, false);
  out += '=';
  std::visit(
      [&](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::string_view>)
          append_text_value(out, content);
        else if constexpr (std::is_same_v<Content, bool>)
          out += content ? "true" : "false";
        else
          append_number(out, content);
      },
      value);
}

void append_clipped_json(std::string& out, std::string_view whole) {
  const auto [text, is_cut] = clip(whole);
  if (is_cut)
    append_json_text(out, std::string(text) + "…");
  else
    append_json_text(out, text);
}

void append_json_value(std::string& out, const LogField::Value& value) {
  std::visit(
      [&](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::string_view>) {
          append_clipped_json(out, content);
        } else if constexpr (std::is_same_v<Content, bool>) {
          out += content ? "true" : "false";
        } else if constexpr (std::is_same_v<Content, double>) {
          if (std::isfinite(content))
            append_number(out, content);
          else
            out += "null";
        } else {
          append_number(out, content);
        }
      },
      value);
}

}  // namespace

void append_json_line(std::string& out, const LogLine& line) {
  out += R"({"time":")";
  append_time(out, line.time_ms);
  ((out += R"(","level":")") += level_name(line.level)) += R"(","message":)";
  append_clipped_json(out, line.message);
  if (!line.request_id.empty()) append_json_text(out += R"(,"request_id":)", line.request_id);
  if (!line.plugin.empty()) append_json_text(out += R"(,"plugin":)", line.plugin);
  if (!line.route.empty()) append_json_text(out += R"(,"route":)", line.route);
  if (!line.trace_id.empty()) append_json_text(out += R"(,"trace_id":)", line.trace_id);
  for (const LogField& field : bounded(line.fields)) {
    append_json_text(out += ',', field.name);
    append_json_value(out += ':', field.value);
  }
  out += "}\n";
}

void append_text_line(std::string& out, const LogLine& line) {
  append_time(out, line.time_ms);
  out += ' ';
  const std::string_view level = level_name(line.level);
  out += level;
  out.append(8 - level.size(), ' ');
  const auto [message, is_cut] = clip(line.message);
  append_escaped_text(out, message, false);
  if (is_cut) out += "…";
  if (!line.plugin.empty()) append_text_field(out, "plugin", line.plugin);
  for (const LogField& field : bounded(line.fields))
    append_text_field(out, field.name, field.value);
  if (!line.route.empty()) append_text_field(out, "route", line.route);
  if (!line.request_id.empty()) append_text_field(out, "request_id", line.request_id);
  if (!line.trace_id.empty()) append_text_field(out, "trace_id", line.trace_id);
  out += '\n';
}

}  // namespace tenon::observability
