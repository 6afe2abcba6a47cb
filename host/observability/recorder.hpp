#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "observability/log.hpp"
#include "observability/trace.hpp"

namespace tenon::observability {

/// A line of the log. Texts are cut at Recorder::max_text_bytes.
struct LogRecord {
  std::uint64_t number = 0;  ///< grows with each record of its plugin
  std::int64_t time_ms = 0;  ///< since 1970
  Level level = Level::info;
  std::string message;
  std::string request_id;
  std::string route;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// A finished request. It has neither a query, a header, a body nor a value of a statement.
struct RequestRecord {
  std::uint64_t number = 0;
  std::int64_t time_ms = 0;
  std::string method;
  std::string route;
  std::string path;
  std::string request_id;
  std::string user_id;  ///< empty: not signed in
  int status = 0;
  std::int64_t duration_ns = 0;
  std::vector<Span> spans;  ///< begin and end relative to the request's begin
  std::uint64_t left_out_spans = 0;
};

/// All runs of one statement.
struct StatementRecord {
  std::string sql;  ///< as it was prepared, without its values
  std::uint64_t count = 0;
  std::uint64_t failed = 0;
  std::int64_t total_ns = 0;
  std::int64_t max_ns = 0;
};

/// The recent work of each plugin, in memory, for the inspector. Log lines are always recorded;
/// requests and statements only while an inspector of the plugin is open (watch()), so that a
/// request costs nothing otherwise. Thread-safe.
class Recorder {
 public:
  static constexpr std::size_t max_plugins = 200;  ///< further plugins are not recorded
  static constexpr std::size_t max_text_bytes = 1024;
  static constexpr std::size_t max_log_records = 200;  ///< of a plugin; the oldest are dropped
  static constexpr std::size_t max_fields = 8;         ///< of a log record
  static constexpr std::size_t max_requests = 100;     ///< of a plugin; the oldest are dropped
  static constexpr std::size_t max_spans = 50;         ///< of a request; the rest is counted
  static constexpr std::size_t max_statements = 200;   ///< of a plugin; the rest is counted
  /// Requests and statements are recorded for so long after a watch().
  static constexpr std::chrono::seconds watch_time{15};

  /// The result of read().
  struct Records {
    std::vector<LogRecord> log;               ///< oldest first
    std::vector<RequestRecord> requests;      ///< oldest first
    std::vector<StatementRecord> statements;  ///< the largest total first
    std::uint64_t left_out_statements = 0;    ///< runs of statements beyond max_statements
  };

  Recorder() = default;
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Is called with each error of a plugin, on the thread that logs it. It must not block or log.
  using OnError = std::function<void(std::string_view plugin, const LogRecord& record)>;
  /// For `tenon dev`: errors are shown to clients. An empty function ends that. No other thread may
  /// use the recorder meanwhile.
  void set_development(OnError on_error) { on_error_ = std::move(on_error); }
  bool is_development() const noexcept { return on_error_ != nullptr; }

  void add_log(std::string_view plugin, Level level, std::string_view message,
               std::span<const LogField> fields) noexcept;
  void add_request(const Trace& trace) noexcept;
  void add_statement(std::string_view plugin, std::string_view sql, std::int64_t duration_ns,
                     bool has_failed) noexcept;

  /// Records the requests and statements of a plugin from now on, for watch_time. Forgets those of
  /// an earlier time in which it was not watched.
  void watch(const std::string& plugin);
  /// Whether any plugin may be watched; costs one load.
  bool is_recording() const noexcept { return is_recording_.load(std::memory_order_relaxed); }
  bool is_watched(std::string_view plugin) noexcept;

  /// Returns what was recorded after these numbers.
  Records read(std::string_view plugin, std::uint64_t after_log, std::uint64_t after_request) const;
  /// Returns the errors of the log about one request, oldest first.
  std::vector<LogRecord> errors_of(std::string_view plugin, std::string_view request_id) const;

 private:
  struct Plugin {
    std::uint64_t last_log = 0;
    std::uint64_t last_request = 0;
    std::deque<LogRecord> log;
    std::deque<RequestRecord> requests;
    std::map<std::string, StatementRecord, std::less<>> statements;
    std::uint64_t left_out_statements = 0;
    std::int64_t watched_until_ns = 0;
  };
  Plugin* find(std::string_view plugin);
  Plugin* find_watched(std::string_view plugin);

  mutable std::mutex mutex_;
  std::map<std::string, Plugin, std::less<>> plugins_;
  std::atomic<bool> is_recording_{false};
  OnError on_error_;
};

/// The recorder of this process. Never destroyed.
Recorder& recorder() noexcept;

}  // namespace tenon::observability
