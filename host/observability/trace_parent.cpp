#include "observability/trace_parent.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon::observability {

namespace {

// version "-" trace-id "-" parent-id "-" trace-flags
constexpr std::size_t version_00_length = 2 + 1 + 32 + 1 + 16 + 1 + 2;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool is_hex(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return hex_digit(c) >= 0; });
}

bool is_id(std::string_view text) noexcept {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view value) noexcept {
  if (value.size() < version_00_length) return std::nullopt;
  const std::string_view version = value.substr(0, 2);
  const std::string_view trace = value.substr(3, 32);
  const std::string_view span = value.substr(36, 16);
  const std::string_view flags = value.substr(53, 2);
  if (value[2] != '-' || value[35] != '-' || value[52] != '-') return std::nullopt;
  if (!is_hex(version) || version == "ff" || !is_id(trace) || !is_id(span) || !is_hex(flags))
    return std::nullopt;
  if (value.size() > version_00_length && (version == "00" || value[version_00_length] != '-'))
    return std::nullopt;
  TraceParent parent;
  trace.copy(parent.trace_id.data(), parent.trace_id.size());
  span.copy(parent.span_id.data(), parent.span_id.size());
  parent.is_sampled = (hex_digit(flags[1]) & 1) != 0;
  return parent;
}

}  // namespace tenon::observability
