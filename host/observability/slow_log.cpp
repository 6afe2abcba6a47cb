#include "observability/slow_log.hpp"

#include <array>
#include <limits>
#include <mutex>
#include <span>

#include "base/clock.hpp"
#include "observability/access_log.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/recorder.hpp"
#include "observability/trace.hpp"

namespace tenon::observability {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::int64_t limit_of(std::chrono::milliseconds time) {
  return time.count() <= 0 ? never : std::chrono::nanoseconds(time).count();
}

// Lets so many a second through, and counts the others.
class Valve {
 public:
  /// True when the line may be written; `left_out` is how many were not since the last.
  bool open(std::uint64_t& left_out) noexcept {
    const std::lock_guard lock(mutex_);
    ++seen_;
    const std::int64_t second = base::monotonic_nanoseconds() / 1'000'000'000;
    if (second != second_) {
      second_ = second;
      written_ = 0;
    }
    if (written_ >= slow_lines_a_second) {
      ++left_out_;
      return false;
    }
    ++written_;
    left_out = left_out_;
    left_out_ = 0;
    return true;
  }
  /// As when another second begins.
  void begin_second() noexcept {
    const std::lock_guard lock(mutex_);
    written_ = 0;
  }
  std::uint64_t seen() noexcept {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::int64_t second_ = -1;
  unsigned written_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t seen_ = 0;
};

Valve& requests() {
  static Valve valve;
  return valve;
}
Valve& statements() {
  static Valve valve;
  return valve;
}

double milliseconds(std::int64_t nanoseconds) {
  const std::int64_t microseconds = nanoseconds / 1000;
  return static_cast<double>(microseconds) / 1000;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::atomic<std::int64_t> slow_request_ns{never};
std::atomic<std::int64_t> slow_statement_ns{never};

namespace {

// The limit that is set; slow_statement_ns is below all times while all statements are noted.
std::mutex statement_limit_mutex;
std::atomic<std::int64_t> statement_limit_ns{never};
bool are_all_noted = false;

void apply_statement_limit() noexcept {
  slow_statement_ns.store(are_all_noted ? -1 : statement_limit_ns.load(std::memory_order_relaxed),
                          std::memory_order_relaxed);
}

}  // namespace

void note_all_statements(bool is_on) noexcept {
  const std::lock_guard lock(statement_limit_mutex);
  are_all_noted = is_on;
  apply_statement_limit();
}

void set_slow_limits(const SlowLimits& limits) noexcept {
  slow_request_ns.store(limit_of(limits.request), std::memory_order_relaxed);
  {
    const std::lock_guard lock(statement_limit_mutex);
    statement_limit_ns.store(limit_of(limits.statement), std::memory_order_relaxed);
    apply_statement_limit();
  }
  requests().begin_second();
  statements().begin_second();
}

void add_slow_metrics(Metrics& metrics) {
  metrics.add_collector([](MetricsSink& sink) {
    sink.counter("tenon_http_slow_requests_total", "Requests above slow.request.", {},
                 requests().seen());
    sink.counter("tenon_data_slow_statements_total", "Statements above slow.statement.", {},
                 statements().seen());
  });
}

void note_slow_request(const AccessEntry& entry) noexcept {
  std::uint64_t left_out = 0;
  if (!requests().open(left_out)) return;
  const Work work{entry.request_id, entry.plugin, entry.route, entry.trace};
  const WorkScope scope(&work);
  const std::array fields{LogField("duration_ms", milliseconds(entry.duration_ns)),
                          LogField("method", entry.method),
                          LogField("path", entry.path),
                          LogField("status", entry.status),
                          LogField("bytes", entry.bytes),
                          LogField("left_out", left_out)};
  const std::span<const LogField> all(fields);
  log().write(Level::warning, "slow request", left_out == 0 ? all.first(all.size() - 1) : all);
}

void note_statement(const StatementEvent& event) noexcept {
  const std::int64_t duration = event.end - event.begin;
  const std::string_view database = file_name(event.database);
  if (Trace* trace = current_trace(); trace != nullptr)
    trace->add("statement", event.begin, event.end, event.sql, database, event.has_failed);
  if (const Work* work = current_work(); work != nullptr && recorder().is_recording())
    recorder().add_statement(work->plugin, event.sql, duration, event.has_failed);
  if (duration <= statement_limit_ns.load(std::memory_order_relaxed)) return;
  std::uint64_t left_out = 0;
  if (!statements().open(left_out)) return;
  const std::array fields{LogField("duration_ms", milliseconds(duration)),
                          LogField("database", database), LogField("statement", event.sql),
                          LogField("failed", event.has_failed), LogField("left_out", left_out)};
  const std::span<const LogField> all(fields);
  log().write(Level::warning, "slow statement", left_out == 0 ? all.first(all.size() - 1) : all);
}

}  // namespace tenon::observability
