#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tenon::http {

/// How long a handler keeps its thread, learned from its runs: jumps up at once, comes down by an
/// eighth a run. Thread-safe, roughly.
class HandlerTime {
 public:
  void add(std::int64_t nanoseconds) noexcept {
    const std::uint32_t old = typical_.load(std::memory_order_relaxed);
    const auto run = static_cast<std::uint32_t>(std::clamp<std::int64_t>(nanoseconds, 0, slow));
    const std::uint32_t next = std::max(run, old - old / 8);
    if (next != old) typical_.store(next, std::memory_order_relaxed);
  }
  void call_slow() noexcept { typical_.store(slow, std::memory_order_relaxed); }
  /// Nanoseconds.
  std::int64_t typical() const noexcept { return typical_.load(std::memory_order_relaxed); }
  /// Less than what handing over to a worker and back costs.
  bool is_quick() const noexcept { return typical_.load(std::memory_order_relaxed) < quick; }

 private:
  static constexpr std::uint32_t quick = 50'000;
  static constexpr std::uint32_t slow = 1'000'000'000;
  // Unknown: a few dozen runs must show it.
  std::atomic<std::uint32_t> typical_{10'000'000};
};

}  // namespace tenon::http
