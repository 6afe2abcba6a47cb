#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "observability/trace_parent.hpp"
#include "observability/work.hpp"

namespace tenon::observability {

/// A part of a traced request. Times are base::monotonic_nanoseconds().
struct Span {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  const char* name = "";  ///< a literal
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string statement;  ///< SQL without its values; empty where it is none
  std::string database;   ///< name of the file, with `statement`
  bool has_failed = false;
};

/// The facts of a traced request as a whole.
struct TracedRequest {
  std::string method;
  std::string route;  ///< the pattern; empty where none matched
  std::string path;   ///< without the query
  std::string plugin;
  std::string request_id;
  std::string peer;
  std::string user_id = {};  ///< for the recorder; not exported
  int status = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The spans of one request while it runs. Exists only for requests that are traced. Thread-safe
/// but for `request`, which belongs to the code that finishes the request.
class Trace {
 public:
  static constexpr std::size_t max_spans = 256;  ///< later ones are counted and left out
  static constexpr std::size_t max_statement_bytes = 4096;

  /// Continues `parent`, or begins a new trace where that is null.
  explicit Trace(const TraceParent* parent);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// 32 hex digits.
  std::string_view id() const noexcept { return {id_.data(), id_.size()}; }
  /// The caller's span, 16 hex digits; empty for none.
  std::string_view parent() const noexcept {
    return {parent_.data(), has_parent_ ? parent_.size() : 0};
  }
  /// Returns the id of the request's own span.
  std::uint64_t root() const noexcept { return first_id_; }

  /// A new id, and what is added from now on is below it until leave().
  std::uint64_t enter() noexcept;
  void leave(std::uint64_t span, const char* name, std::int64_t begin) noexcept;

  /// Adds a span below what was entered last. Never throws; drops it where memory is short.
  void add(const char* name, std::int64_t begin, std::int64_t end, std::string_view statement = {},
           std::string_view database = {}, bool has_failed = false) noexcept;

  /// Returns the spans for writing, once no code adds any more.
  const std::vector<Span>& spans() const noexcept { return spans_; }
  std::uint64_t dropped_spans() const noexcept { return dropped_; }
  /// Nanoseconds since 1970 of a monotonic time.
  std::int64_t unix_time(std::int64_t monotonic) const noexcept { return monotonic + to_unix_; }

  TracedRequest request;

 private:
  void push(Span span) noexcept;

  std::array<char, 32> id_;
  std::array<char, 16> parent_{};
  bool has_parent_ = false;
  std::int64_t to_unix_;
  std::uint64_t first_id_;
  std::atomic<std::uint64_t> next_id_;
  std::atomic<std::uint64_t> current_;
  std::mutex mutex_;
  std::vector<Span> spans_;
  std::uint64_t dropped_ = 0;
};

/// Adds its own life as a span where the thread works for a traced request; else costs one branch.
class SpanTimer {
 public:
  explicit SpanTimer(const char* name) noexcept
      : trace_(current_trace()),
        name_(name),
        begin_(trace_ == nullptr ? 0 : base::monotonic_nanoseconds()) {}
  ~SpanTimer() {
    if (trace_ != nullptr) trace_->add(name_, begin_, base::monotonic_nanoseconds());
  }
  SpanTimer(const SpanTimer&) = delete;
  SpanTimer& operator=(const SpanTimer&) = delete;

 private:
  Trace* trace_;
  const char* name_;
  std::int64_t begin_;
};

}  // namespace tenon::observability
