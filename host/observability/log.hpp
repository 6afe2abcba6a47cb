#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "config/log_settings.hpp"
#include "observability/work.hpp"

namespace tenon::observability {

using Level = config::LogLevel;

/// One named value of a log line. Views must live until write() returns.
struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, const std::string& text)
      : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, bool flag) : name(field), value(flag) {}
  LogField(std::string_view field, double number) : name(field), value(number) {}
  template <std::signed_integral Integer>
  LogField(std::string_view field, Integer number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>) LogField(std::string_view field, Integer number)
      : name(field), value(static_cast<std::uint64_t>(number)) {}

  std::string_view name;
  Value value;
};

struct LogOptions {
  config::LogFormat format = config::LogFormat::automatic;
  Level level = Level::info;
  int descriptor = 2;  ///< written to, never closed
  bool access = true;  ///< write_access() writes
  /// Text that waits for the descriptor; lines beyond are dropped.
  std::size_t queue_bytes = 4 * 1024 * 1024;
};

/// Writes lines on a thread of its own. write() formats on the caller's thread and copies the line
/// into a queue: it never waits for the descriptor and never throws. When the queue is full the
/// line is dropped and counted, and the next that fits is preceded by one that says how many were.
/// A line is never torn by another of this log. Thread-safe.
class Log {
 public:
  /// Bytes of a message or a value; the rest is cut off and marked with "…".
  static constexpr std::size_t max_text_bytes = 4096;
  static constexpr std::size_t max_fields = 32;  ///< the rest is left out

  explicit Log(LogOptions options = {});
  /// Writes what is queued (for two seconds at most without a reader), then ends the thread.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  bool enabled(Level level) const noexcept;
  void set_level(Level level) noexcept;
  bool has_access_lines() const noexcept;

  /// request_id, plugin, trace_id and, from level warning on, route come from the work of the
  /// calling thread (work.hpp).
  void write(Level level, std::string_view message, std::span<const LogField> fields) noexcept;
  void write(Level level, std::string_view message,
             std::initializer_list<LogField> fields = {}) noexcept {
    write(level, message, std::span<const LogField>(fields.begin(), fields.size()));
  }

  /// Waits until what was queued before the call is written, or five seconds. Not on I/O threads.
  void flush() noexcept;

  /// Lines dropped since the start.
  std::uint64_t dropped() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Names the request and the plugin that this thread works for, until it is destroyed; scopes nest.
/// Route, trace and reserve stay those of the work around it when the request does. The views must
/// outlive it.
class LogScope {
 public:
  explicit LogScope(std::string_view request_id, std::string_view plugin = {}) noexcept
      : work_(inherit(request_id, plugin)), scope_(&work_) {}

 private:
  static Work inherit(std::string_view request_id, std::string_view plugin) noexcept {
    const Work* outer = current_work();
    const bool is_same = outer != nullptr && outer->request_id == request_id;
    return {request_id, plugin, is_same ? outer->route : std::string_view(),
            is_same ? outer->trace : nullptr, is_same && outer->may_use_reserve};
  }

  Work work_;
  WorkScope scope_;
};

/// The log of this process; before install_log() one that writes to stderr from level info on.
Log& log() noexcept;

/// Replaces the log of this process. To be called from main before other threads exist, or by a
/// test. `installed` must outlive its last user.
void install_log(Log* installed) noexcept;

inline void log_info(std::string_view message,
                     std::initializer_list<LogField> fields = {}) noexcept {
  log().write(Level::info, message, fields);
}
inline void log_warning(std::string_view message,
                        std::initializer_list<LogField> fields = {}) noexcept {
  log().write(Level::warning, message, fields);
}
inline void log_error(std::string_view message,
                      std::initializer_list<LogField> fields = {}) noexcept {
  log().write(Level::error, message, fields);
}

}  // namespace tenon::observability
