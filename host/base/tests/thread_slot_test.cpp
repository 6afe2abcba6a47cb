#include "base/thread_slot.hpp"

#include <array>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

TEST(ThreadSlot, StaysWhileTheThreadLives) {
  const std::uint32_t mine = ThreadSlot::mine();
  EXPECT_LT(mine, ThreadSlot::all);
  std::thread([mine] { EXPECT_NE(ThreadSlot::mine(), mine); }).join();
  EXPECT_EQ(ThreadSlot::mine(), mine);
}

TEST(ThreadSlot, NoTwoThreadsOwnTheSame) {
  constexpr int threads = 60;
  std::vector<std::uint32_t> slots(threads);
  std::barrier all(threads);
  std::vector<std::thread> running;
  for (std::uint32_t& slot : slots) {
    running.emplace_back([&slot, &all] {
      slot = ThreadSlot::mine();
      all.arrive_and_wait();
    });
  }
  for (std::thread& thread : running)
    thread.join();
  std::set<std::uint32_t> owned;
  int sharing = 0;
  for (const std::uint32_t slot : slots) {
    ASSERT_LT(slot, ThreadSlot::all);
    if (ThreadSlot::is_own(slot))
      EXPECT_TRUE(owned.insert(slot).second) << slot;
    else
      ++sharing;
  }
  EXPECT_GE(sharing, threads - static_cast<int>(ThreadSlot::own));
}

TEST(ThreadSlot, IsGivenBackWithWhatWasWrittenThere) {
  static std::array<int, ThreadSlot::own> counts{};
  constexpr int rounds = 400;
  for (int i = 0; i < rounds; i += 4) {
    std::vector<std::thread> running;
    for (int t = 0; t < 4; ++t) {
      running.emplace_back([] {
        const std::uint32_t slot = ThreadSlot::mine();
        ASSERT_TRUE(ThreadSlot::is_own(slot));
        ++counts[slot];
      });
    }
    for (std::thread& thread : running)
      thread.join();
  }
  int sum = 0;
  for (const int count : counts)
    sum += count;
  EXPECT_EQ(sum, rounds);
}

}  // namespace
}  // namespace tenon::base
