#include "bridge/bounded_call.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace tenon::plugins {
namespace {

using namespace std::chrono_literals;

std::atomic<int> ended_threads;

struct CountsItsEnd {
  ~CountsItsEnd() { ++ended_threads; }
};

void touch_a_thread_local() {
  thread_local const CountsItsEnd counts;
  (void)&counts;
}

TEST(BoundedThread, RunsAllCallsOnOneThread) {
  ended_threads = 0;
  std::thread::id first;
  std::thread::id last;
  BoundedThread thread;
  EXPECT_TRUE(thread.run([&] { touch_a_thread_local(), first = std::this_thread::get_id(); }, 30s));
  EXPECT_EQ(0, ended_threads);
  EXPECT_TRUE(thread.run_last([&] { last = std::this_thread::get_id(); }, 30s));
  EXPECT_EQ(1, ended_threads);
  EXPECT_EQ(first, last);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(BoundedThread, EndsWithItsOwner) {
  ended_threads = 0;
  {
    BoundedThread thread;
    EXPECT_TRUE(thread.run(touch_a_thread_local, 30s));
    EXPECT_EQ(0, ended_threads);
  }
  EXPECT_EQ(1, ended_threads);
  const BoundedThread unused;
}

TEST(BoundedThread, AbandonsACallThatDoesNotReturn) {
  // The first call, and one that follows another.
  for (const bool is_first : {true, false}) {
    ended_threads = 0;
    const auto gate = std::make_shared<std::promise<void>>();
    const auto is_out = std::make_shared<std::atomic<bool>>(false);
    {
      BoundedThread thread;
      if (!is_first) {
        EXPECT_TRUE(thread.run([] {}, 30s));
      }
      EXPECT_FALSE(thread.run(
          [gate, is_out] {
            touch_a_thread_local();
            gate->get_future().wait();
            *is_out = true;
          },
          20ms));
    }
    EXPECT_FALSE(*is_out);
    gate->set_value();
    while (ended_threads == 0)
      std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(*is_out);
  }
}

TEST(BoundedThread, LosesNoCallOfMany) {
  int calls = 0;
  BoundedThread thread;
  for (int i = 0; i < 2'000; ++i)
    ASSERT_TRUE(thread.run([&calls] { ++calls; }, 30s));
  EXPECT_EQ(2'000, calls);
}

TEST(RunBounded, EndsItsThreadBeforeItReturnsTrue) {
  ended_threads = 0;
  EXPECT_TRUE(run_bounded(touch_a_thread_local, 30s));
  EXPECT_EQ(1, ended_threads);
}

}  // namespace
}  // namespace tenon::plugins
