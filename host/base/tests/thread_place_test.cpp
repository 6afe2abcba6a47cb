#include "base/thread_place.hpp"

#include <array>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

TEST(ThreadPlace, StaysWhileTheThreadLives) {
  const std::uint32_t mine = ThreadPlace::mine();
  EXPECT_LT(mine, ThreadPlace::all);
  std::thread([mine] { EXPECT_NE(ThreadPlace::mine(), mine); }).join();
  EXPECT_EQ(ThreadPlace::mine(), mine);
}

TEST(ThreadPlace, NoTwoThreadsOwnTheSame) {
  constexpr int threads = 60;
  std::vector<std::uint32_t> places(threads);
  std::barrier all(threads);
  std::vector<std::thread> running;
  for (std::uint32_t& place : places) {
    running.emplace_back([&place, &all] {
      place = ThreadPlace::mine();
      all.arrive_and_wait();
    });
  }
  for (std::thread& thread : running)
    thread.join();
  std::set<std::uint32_t> owned;
  int sharing = 0;
  for (const std::uint32_t place : places) {
    ASSERT_LT(place, ThreadPlace::all);
    if (ThreadPlace::is_own(place))
      EXPECT_TRUE(owned.insert(place).second) << place;
    else
      ++sharing;
  }
  EXPECT_GE(sharing, threads - static_cast<int>(ThreadPlace::own));
}

TEST(ThreadPlace, IsGivenBackWithWhatWasWrittenThere) {
  static std::array<int, ThreadPlace::own> counts{};
  constexpr int rounds = 400;
  for (int i = 0; i < rounds; i += 4) {
    std::vector<std::thread> running;
    for (int t = 0; t < 4; ++t) {
      running.emplace_back([] {
        const std::uint32_t place = ThreadPlace::mine();
        ASSERT_TRUE(ThreadPlace::is_own(place));
        ++counts[place];
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
