#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon::http {

/// A deadline of one owner. Belongs to one I/O thread.
class Timer {
 public:
  virtual void on_timer() noexcept = 0;

 protected:
  virtual ~Timer() = default;

 private:
  friend class Timers;
  Timer* previous_ = nullptr;
  Timer* next_ = nullptr;
  std::int64_t due_ = 0;    // nanoseconds
  std::int64_t tick_ = -1;  // its place in the wheel; -1: not in it
};

/// A timer wheel with a grain of 67 ms. Moving a deadline further away costs nothing, which is what
/// every request of a kept-alive connection does. Not thread-safe.
class Timers {
 public:
  explicit Timers(std::int64_t now) noexcept;

  /// Calls `timer.on_timer()` once, not before `due` (monotonic nanoseconds). Replaces an earlier
  /// deadline.
  void schedule(Timer& timer, std::int64_t due) noexcept;
  void cancel(Timer& timer) noexcept;
  /// Runs what is due.
  void run(std::int64_t now) noexcept;
  /// Milliseconds until run() has something to look at; -1 when nothing is scheduled.
  int next_timeout(std::int64_t now) noexcept;

 private:
  static constexpr int grain_bits = 26;  // 2^26 ns
  static constexpr std::size_t slots = 1024;

  void link(Timer& timer) noexcept;
  void unlink(Timer& timer) noexcept;
  Timer*& slot(std::int64_t tick) noexcept {
    return wheel_[static_cast<std::size_t>(tick) % slots];
  }

  std::array<Timer*, slots> wheel_{};
  std::array<std::uint64_t, slots / 64> occupied_{};
  std::int64_t tick_;
  std::int64_t first_;  // no timer is at a tick before it
  std::size_t count_ = 0;
};

}  // namespace tenon::http
