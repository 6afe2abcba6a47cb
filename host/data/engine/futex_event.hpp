#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon::data {

/// Passes a value once from one thread to one waiting thread. Cheaper than a mutex with a condition
/// variable: one system call if the waiter sleeps, else none. The waiter may destroy the event as
/// soon as wait() returned.
class FutexEvent {
 public:
  /// Sets `value` (2 or more) and wakes the waiter.
  void set(std::uint32_t value) noexcept {
    if (state_.exchange(value, std::memory_order_acq_rel) == sleeping) {
      // The waiter may be gone by now; waking a stale address is harmless.
      syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
  }

  /// Waits for the value. Returns 0 if `deadline` (base::monotonic_nanoseconds; negative: none)
  /// passed before.
  std::uint32_t wait(std::int64_t deadline = -1) noexcept {
    timespec until{};
    until.tv_sec = static_cast<time_t>(deadline / 1'000'000'000);
    until.tv_nsec = static_cast<long>(deadline % 1'000'000'000);
    for (;;) {
      std::uint32_t seen = idle;
      if (!state_.compare_exchange_strong(seen, sleeping, std::memory_order_acq_rel) &&
          seen != sleeping) {
        return seen;
      }
      const long result = syscall(SYS_futex, &state_, FUTEX_WAIT_BITSET_PRIVATE, sleeping,
                                  deadline < 0 ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
      if (result == -1 && errno == ETIMEDOUT) {
        seen = state_.load(std::memory_order_acquire);
        return seen == sleeping ? 0 : seen;
      }
    }
  }

  /// Prepares for another value. For the waiter, after wait() returned a value.
  void reset() noexcept { state_.store(idle, std::memory_order_relaxed); }

  /// Returns the value if it is set, else 0.
  std::uint32_t value() const noexcept {
    const std::uint32_t seen = state_.load(std::memory_order_acquire);
    return seen == sleeping ? 0 : seen;
  }

 private:
  static constexpr std::uint32_t idle = 0;
  static constexpr std::uint32_t sleeping = 1;
  std::atomic<std::uint32_t> state_{idle};
};

}  // namespace tenon::data
