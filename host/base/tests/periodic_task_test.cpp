#include "base/periodic_task.hpp"

#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

using namespace std::chrono_literals;

// Waits until the task has run at least this often.
bool has_run(const std::atomic<int>& runs, int count) {
  for (int tries = 0; tries < 1000 && runs < count; ++tries)
    std::this_thread::sleep_for(10ms);
  return runs >= count;
}

TEST(PeriodicTask, RepeatsAfterEachPause) {
  std::atomic<int> runs{0};
  PeriodicTask task(1ms, [&] { ++runs; });
  task.start();
  EXPECT_TRUE(has_run(runs, 3));
}

TEST(PeriodicTask, NeverRunsWithoutPause) {
  std::atomic<int> runs{0};
  PeriodicTask task(0ms, [&] { ++runs; });
  task.start();
  task.wake();
  task.stop();
  EXPECT_EQ(0, runs);
}

TEST(PeriodicTask, StartsNowAndRunsWhenWoken) {
  std::atomic<int> runs{0};
  PeriodicTask task(0ms, [&] { ++runs; });
  task.start_now();
  EXPECT_TRUE(has_run(runs, 1));
  task.wake();
  EXPECT_TRUE(has_run(runs, 2));
}

TEST(PeriodicTask, WaitsForTheRunWhenStopped) {
  std::atomic<bool> is_running{false};
  std::atomic<bool> is_done{false};
  PeriodicTask task(1h, [&] {
    is_running = true;
    std::this_thread::sleep_for(20ms);
    is_done = true;
  });
  task.start_now();
  while (!is_running)
    std::this_thread::yield();
  task.stop();
  EXPECT_TRUE(is_done);
}

TEST(PeriodicTask, DoesNotStartAfterStop) {
  std::atomic<int> runs{0};
  PeriodicTask task(1ms, [&] { ++runs; });
  task.stop();
  task.start_now();
  EXPECT_EQ(0, runs);
}

}  // namespace
}  // namespace tenon::base
