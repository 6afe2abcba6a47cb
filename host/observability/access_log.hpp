#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::observability {

class Log;
class Trace;

/// A finished request. There is no query and no header in it on purpose: they carry secrets (set-up
/// token, cookies).
struct AccessEntry {
  std::string_view method = {};
  std::string_view path = {};  ///< without the query
  std::string_view peer = {};
  std::string_view request_id = {};
  std::string_view plugin = {};   ///< empty for the host's own routes
  std::string_view user_id = {};  ///< empty when no user was signed in
  int status = 0;
  std::uint64_t bytes = 0;  ///< sent
  std::int64_t duration_ns = 0;
  std::string_view route = {};  ///< method and pattern, for the slow log; empty where none matched
  Trace* trace = nullptr;       ///< null: not traced
};

/// Writes one line of level info with the message "request". Never blocks, never throws.
void write_access(Log& log, const AccessEntry& entry) noexcept;

}  // namespace tenon::observability
