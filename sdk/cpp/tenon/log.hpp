#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/detail/link.hpp>
#include <tenon/log.h>

namespace tenon {

/// A named value of a log line: `{"note", id}`, `{"count", 3}`.
class LogField {
 public:
  template <class T>
  LogField(std::string_view name, const T& value) : name_(name) {
    if constexpr (std::same_as<T, bool>) {
      value_ = value ? "true" : "false";
    } else if constexpr (std::is_arithmetic_v<T>) {
      value_ = std::to_string(value);
    } else {
      value_ = std::string(std::string_view(value));
    }
  }

  std::string_view name() const noexcept { return name_; }
  std::string_view value() const noexcept { return value_; }

 private:
  std::string_view name_;
  std::string value_;
};

/// Writes lines to the host's log, labelled with the plugin, and by Request::log() also with the
/// request. Thread-safe and usable in all states. Never blocks and never throws; a host without a
/// log drops the line.
class Log {
 public:
  explicit Log(detail::Link& link, tenon_handle request = 0) noexcept
      : link_(&link), request_(request) {}

  using Fields = std::initializer_list<LogField>;
  void debug(std::string_view message, Fields fields = {}) const noexcept {
    write(TENON_LOG_DEBUG, message, fields);
  }
  void info(std::string_view message, Fields fields = {}) const noexcept {
    write(TENON_LOG_INFO, message, fields);
  }
  void warning(std::string_view message, Fields fields = {}) const noexcept {
    write(TENON_LOG_WARNING, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) const noexcept {
    write(TENON_LOG_ERROR, message, fields);
  }

  /// Returns whether debug lines are logged. Check it before you build an expensive line.
  bool keeps_debug() const noexcept {
    const tenon_log* log = link_->find<tenon_log>();
    return log != nullptr && log->size >= TENON_NEED(tenon_log, enabled) &&
           log->enabled(link_->host(), TENON_LOG_DEBUG) == 1;
  }

 private:
  void write(std::uint32_t level, std::string_view message, Fields fields) const noexcept {
    const tenon_log* log = link_->find<tenon_log>();
    if (log == nullptr) return;
    std::array<tenon_log_field, 16> raw;
    std::uint32_t count = 0;
    for (const LogField& field : fields) {
      if (count == raw.size()) break;
      raw[count++] = {detail::span(field.name()), detail::span(field.value())};
    }
    log->write(link_->host(), level, detail::span(message), raw.data(), count, request_);
  }

  detail::Link* link_;
  tenon_handle request_;
};

}  // namespace tenon
