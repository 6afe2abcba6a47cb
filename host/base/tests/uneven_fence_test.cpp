#include "base/uneven_fence.hpp"

#include <barrier>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

TEST(UnevenFence, OneOfTheTwoSeesTheOther) {
  constexpr int rounds = 5'000;
  alignas(64) std::atomic<bool> often{false};
  alignas(64) std::atomic<bool> rare{false};
  bool often_saw = false;
  bool rare_saw = false;
  int neither = 0;
  std::barrier begin(2);
  std::barrier end(2, [&]() noexcept {
    if (!often_saw && !rare_saw) ++neither;
    often.store(false);
    rare.store(false);
  });
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      begin.arrive_and_wait();
      store_ahead(often, true);
      often_saw = rare.load(std::memory_order_seq_cst);
      end.arrive_and_wait();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    begin.arrive_and_wait();
    rare.store(true, std::memory_order_seq_cst);
    fence_all_threads();
    rare_saw = often.load(std::memory_order_seq_cst);
    end.arrive_and_wait();
  }
  other.join();
  EXPECT_EQ(neither, 0);
}

}  // namespace
}  // namespace tenon::base
