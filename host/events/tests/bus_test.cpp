#include "events/bus.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace tenon::events {

TEST(Bus, DeliversWhatWasAskedFor) {
  Bus bus;
  std::vector<std::string> seen;
  const auto subscription = bus.subscribe({"core.plugins", "tasks.*"}, [&](const auto& event) {
    seen.push_back(event->topic + event->data);
  });
  bus.publish("core.plugins", "1");
  bus.publish("core.pluginsx", "2");
  bus.publish("tasks.tasks", "3");
  bus.publish("tasks", "4");
  bus.publish("notes.notes", "5");
  EXPECT_EQ(seen, (std::vector<std::string>{"core.plugins1", "tasks.tasks3"}));
  EXPECT_EQ(bus.newest(), 5U);
}

TEST(Bus, IsSilentAfterTheEndOfASubscription) {
  Bus bus;
  std::atomic<int> calls{0};
  std::atomic<bool> stop{false};
  std::thread publisher([&] {
    while (!stop)
      bus.publish("a", "");
  });
  for (int i = 0; i < 200; ++i) {
    auto alive = std::make_shared<std::atomic<bool>>(true);
    auto subscription = bus.subscribe({"*"}, [&, alive](const auto&) {
      EXPECT_TRUE(alive->load());
      ++calls;
    });
    std::this_thread::yield();
    subscription.reset();
    *alive = false;
  }
  stop = true;
  publisher.join();
}

TEST(Bus, KeepsTheOrderOverThreads) {
  Bus bus;
  std::uint64_t last = 0;
  bool ascending = true;
  const auto subscription = bus.subscribe({"*"}, [&](const auto& event) {
    ascending = ascending && event->number == last + 1;
    last = event->number;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n)
        bus.publish("a", "");
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_TRUE(ascending);
  EXPECT_EQ(last, 4000U);
}

}  // namespace tenon::events
