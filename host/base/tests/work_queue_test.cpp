#include "base/work_queue.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

TEST(WorkQueue, RunsInOrderBetweenStartAndStop) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> ran;
  WorkQueue queue;
  const auto add = [&](int number) {
    queue.add([&, number] {
      const std::lock_guard lock(mutex);
      ran.push_back(number);
      changed.notify_all();
    });
  };
  for (int number = 1; number <= 3; ++number)
    add(number);
  {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(ran.empty()) << "no task runs before start()";
  }
  queue.start();
  add(4);
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(10), [&] { return ran.size() == 4; }));
  }
  queue.stop();
  add(5);
  queue.stop();
  EXPECT_EQ(ran, (std::vector<int>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace tenon::base
