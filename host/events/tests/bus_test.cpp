#include "events/bus.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace tenon::events {

TEST(Bus, DeliversSubscribedTopics) {
  Bus bus;
  const std::uint64_t first = bus.newest();
  EXPECT_GT(first, 1'700'000'000'000U);
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
  EXPECT_EQ(bus.newest(), first + 5);
}

TEST(Bus, DeliversNothingAfterUnsubscribing) {
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
  const std::uint64_t first = bus.newest();
  std::uint64_t last = first;
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
  EXPECT_EQ(last, first + 4000);
}

TEST(Bus, KnowsTheTopicsOfPlugins) {
  Bus bus;
  bus.declare("planner", {"planner.ticks", "planner.tocks"});
  EXPECT_TRUE(bus.is_declared("planner.ticks"));
  for (const char* other : {"planner.tick", "planner", "planner.", "", "other.ticks", "*"})
    EXPECT_FALSE(bus.is_declared(other)) << other;
  bus.declare("planner", {"planner.tocks"});
  EXPECT_FALSE(bus.is_declared("planner.ticks"));
  bus.remove_plugin("planner");
  bus.remove_plugin("planner");
  EXPECT_FALSE(bus.is_declared("planner.tocks"));
}

TEST(Bus, NamesTheAudienceOfAnEvent) {
  Bus bus;
  std::vector<std::shared_ptr<const Event>> heard;
  const auto subscription =
      bus.subscribe({"*"}, [&](const auto& event) { heard.push_back(event); });
  bus.publish("core.jobs", "1");
  Audience named{.plugin = "planner", .permission = {}, .users = {"ada"}, .groups = {"team"}};
  bus.publish("planner.ticks", "2", std::make_shared<const Audience>(named));
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0]->audience, nullptr);
  const Audience& audience = *heard[1]->audience;
  EXPECT_TRUE(audience.includes("ada", {}));
  EXPECT_TRUE(audience.includes("bob", {"other", "team"}));
  EXPECT_FALSE(audience.includes("bob", {"other"}));
  EXPECT_FALSE((Audience{.plugin = "planner", .permission = {}}.includes("ada", {"team"})));
  named.is_everybody = true;
  EXPECT_TRUE(named.includes("eve", {}));
}

}  // namespace tenon::events
