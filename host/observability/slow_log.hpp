#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "observability/work.hpp"

namespace tenon::observability {

struct AccessEntry;
class Metrics;

/// Times from which a request or statement is slow. Zero: never.
struct SlowLimits {
  std::chrono::milliseconds request{1000};
  std::chrono::milliseconds statement{250};
};

/// Lines of each kind in a second; what is beyond is counted in the next line.
inline constexpr unsigned slow_lines_a_second = 10;

/// Sets the limits of this process; before the first call nothing is slow. Starts the count of
/// lines a second again. Thread-safe.
void set_slow_limits(const SlowLimits& limits) noexcept;

/// While on, every statement is noteworthy: the recorder (recorder.hpp) counts them. Thread-safe.
void note_all_statements(bool is_on) noexcept;

/// Adds tenon_http_slow_requests_total and tenon_data_slow_statements_total.
void add_slow_metrics(Metrics& metrics);

extern std::atomic<std::int64_t> slow_request_ns;
extern std::atomic<std::int64_t> slow_statement_ns;

inline bool is_slow_request(std::int64_t nanoseconds) noexcept {
  return nanoseconds > slow_request_ns.load(std::memory_order_relaxed);
}

/// A warning with everything that the access log says, and the route.
void note_slow_request(const AccessEntry& entry) noexcept;

/// A statement that ended, on the thread that ran it. Times are monotonic nanoseconds.
struct StatementEvent {
  std::string_view sql = {};       ///< as it was prepared, without its values
  std::string_view database = {};  ///< path of the file
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool has_failed = false;  ///< an error, or cancelled at its deadline
};

/// True when note_statement() has something to do; all that a quick statement costs.
inline bool is_noteworthy(std::int64_t nanoseconds) noexcept {
  return nanoseconds > slow_statement_ns.load(std::memory_order_relaxed) ||
         current_trace() != nullptr;
}

/// Writes a warning where it was slow, a span where the thread's work is traced, and records it
/// where its plugin is watched.
void note_statement(const StatementEvent& event) noexcept;

}  // namespace tenon::observability
