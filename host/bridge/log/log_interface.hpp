#pragma once

#include <atomic>
#include <cstdint>

#include <tenon/log.h>

namespace tenon::plugins {

class Bridge;

/// tenon.log/1 of one activation. A plugin that floods loses its own lines, not those of others.
class LogInterface {
 public:
  static constexpr std::uint64_t max_message_bytes = 4096;  ///< cut beyond
  static constexpr std::uint32_t max_fields = 16;           ///< cut beyond
  static constexpr std::uint32_t max_lines = 1000;  ///< a second; beyond: dropped and counted

  static const tenon_log table;

  explicit LogInterface(Bridge& bridge) noexcept : bridge_(bridge) {}

  /// Whether the plugin may cause another line of the log in this second; counts it.
  bool is_within_rate() noexcept;
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  static tenon_code write(const tenon_host* host, std::uint32_t level, tenon_span message,
                          const tenon_log_field* fields, std::uint32_t field_count,
                          tenon_handle request) noexcept;
  static tenon_code enabled(const tenon_host* host, std::uint32_t level) noexcept;

  Bridge& bridge_;
  std::atomic<std::uint64_t> window_{0};  // second in the upper half, lines of it in the lower
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> reported_{0};
};

}  // namespace tenon::plugins
