#include "http/loop/timers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace tenon::http {
namespace {

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t grain = std::int64_t{1} << 26;  // nanoseconds

struct CountedTimer final : Timer {
  void on_timer() noexcept override { ++runs; }
  std::int64_t due = -1;  // nanoseconds; -1: not scheduled
  int runs = 0;
};

TEST(Timers, RunAfterTheirDeadlineDespiteCancellations) {
  std::mt19937 random(7);
  std::int64_t now = 3'600'000 * millisecond;
  Timers timers(now);
  std::array<CountedTimer, 12> all;
  for (int round = 0; round < 20'000; ++round) {
    CountedTimer& timer = all[random() % all.size()];
    if (random() % 4 == 0) {
      timers.cancel(timer);
      timer.due = -1;
    } else {
      // Up to 130 s: the wheel turns once in 69 s.
      timer.due = now + static_cast<std::int64_t>(random() % 130'000) * millisecond;
      timers.schedule(timer, timer.due);
    }
    std::int64_t first = -1;
    for (const CountedTimer& one : all)
      if (one.due >= 0) first = first < 0 ? one.due : std::min(first, one.due);
    const int wait = timers.next_timeout(now);
    ASSERT_EQ(wait < 0, first < 0) << "round " << round;
    // A timer may run a grain late, never later.
    if (first >= 0) {
      ASSERT_LE(now + wait * millisecond, first + 2 * grain) << "round " << round;
    }
    now +=
        static_cast<std::int64_t>(random() % (random() % 50 == 0 ? 90'000 : 3'000)) * millisecond;
    timers.run(now);
    for (CountedTimer& one : all) {
      const int runs = std::exchange(one.runs, 0);
      const bool must_run = one.due >= 0 && one.due + 2 * grain <= now;
      const bool may_run = one.due >= 0 && one.due <= now;
      ASSERT_LE(runs, may_run ? 1 : 0) << "round " << round;
      if (must_run) {
        ASSERT_EQ(runs, 1) << "round " << round;
      }
      if (runs == 1) one.due = -1;
    }
  }
}

TEST(Timers, WaitForNothingWhenNothingIsScheduled) {
  Timers timers(0);
  CountedTimer timer;
  EXPECT_EQ(timers.next_timeout(0), -1);
  timers.schedule(timer, 1000 * millisecond);
  EXPECT_GE(timers.next_timeout(0), 1000);
  timers.cancel(timer);
  EXPECT_EQ(timers.next_timeout(0), -1);
  timers.run(5000 * millisecond);
  EXPECT_EQ(timer.runs, 0);
}

}  // namespace
}  // namespace tenon::http
