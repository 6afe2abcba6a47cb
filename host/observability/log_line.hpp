#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "observability/log.hpp"

namespace tenon::observability {

/// Returns "debug", "info", "warning" or "error".
std::string_view level_name(Level level);

/// The contents of one line.
struct LogLine {
  std::int64_t time_ms = 0;  ///< since 1970
  Level level = Level::info;
  std::string_view message = {};
  std::string_view request_id = {};
  std::string_view plugin = {};
  std::span<const LogField> fields = {};
  std::string_view trace_id = {};
  std::string_view route = {};
};

/// Appends the line as one JSON object and a line feed.
void append_json_line(std::string& out, const LogLine& line);

/// Appends the line for people: "2026-11-20T08:15:30.123Z info    message  key=value key="a b"".
/// Control characters are escaped, so that no text can pretend to be another line.
void append_text_line(std::string& out, const LogLine& line);

}  // namespace tenon::observability
