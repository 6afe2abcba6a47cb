#include "routing/lease.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::routing {

using std::chrono::milliseconds;

TEST(LeaseGate, AdmitsNoCallOnceClosed) {
  LeaseGate gate;
  ASSERT_TRUE(gate.enter());
  gate.close();
  EXPECT_FALSE(gate.enter());
  EXPECT_EQ(gate.in_flight(), 1);
  EXPECT_FALSE(gate.wait_idle(milliseconds(1)));
  gate.leave();
  EXPECT_TRUE(gate.wait_idle(milliseconds(0)));
}

TEST(LeaseGate, CountsLeavesOnOtherThreads) {
  LeaseGate gate;
  std::vector<Lease> leases;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(gate.enter());
    leases.emplace_back(&gate);
  }
  gate.close();
  std::thread([taken = std::move(leases)]() mutable { taken.clear(); }).join();
  EXPECT_EQ(gate.in_flight(), 0);
}

// The owner destroys the thing right after wait_idle: no call inside may still see it.
TEST(LeaseGate, IsNeverFalselyIdle) {
  for (int round = 0; round < 50; ++round) {
    auto gate = std::make_unique<LeaseGate>();
    std::atomic<bool> alive{true};
    std::atomic<int> wrong{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (!stop.load()) {
          if (!gate->enter()) return;
          if (!alive.load()) ++wrong;
          gate->leave();
        }
      });
    }
    std::this_thread::yield();
    gate->close();
    ASSERT_TRUE(gate->wait_idle(std::chrono::seconds(10)));
    alive = false;
    stop = true;
    for (auto& thread : threads)
      thread.join();
    EXPECT_EQ(wrong.load(), 0);
  }
}

}  // namespace tenon::routing
