#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tenon::http {

/// Measures how long a handler keeps its thread: a mean in which each run counts an eighth, and
/// none for more than `max`, because a thread that lost its core in between says nothing of the
/// handler. The supervisor finds a handler that really keeps its thread for long. Thread-safe,
/// roughly.
class HandlerTime {
 public:
  void add(std::int64_t nanoseconds) noexcept {
    const std::int64_t old = typical_.load(std::memory_order_relaxed);
    const std::int64_t run = std::clamp<std::int64_t>(nanoseconds, 0, max);
    const std::int64_t next = old + (run - old) / 8;
    if (next != old) typical_.store(static_cast<std::uint32_t>(next), std::memory_order_relaxed);
  }
  void mark_slow() noexcept { typical_.store(slow, std::memory_order_relaxed); }
  /// Records that it ran inline and blocked its I/O thread: it gets a worker from now on.
  void mark_stalled() noexcept { has_stalled_.store(true, std::memory_order_relaxed); }
  bool has_stalled() const noexcept { return has_stalled_.load(std::memory_order_relaxed); }
  /// Nanoseconds.
  std::int64_t typical() const noexcept { return typical_.load(std::memory_order_relaxed); }
  /// Not much more than what handing over to a worker and back costs.
  bool is_quick() const noexcept { return typical_.load(std::memory_order_relaxed) < quick; }

 private:
  static constexpr std::uint32_t quick = 100'000;
  static constexpr std::int64_t max = 8 * quick;
  static constexpr std::uint32_t slow = 1'000'000'000;
  // Unknown: a few dozen runs must show it.
  std::atomic<std::uint32_t> typical_{10'000'000};
  std::atomic<bool> has_stalled_{false};
};

}  // namespace tenon::http
