#include "base/asymmetric_fence.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

struct alignas(64) Line {
  std::atomic<int> value{0};
};

void wait_for(const std::atomic<int>& value, int wanted) {
  for (int tries = 0; value.load(std::memory_order_acquire) != wanted; ++tries) {
    if (tries > 1'000) std::this_thread::yield();
  }
}

void spend(int steps) {
  for (int i = 0; i < steps; ++i)
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Delays make the two store at the same moment now and then; if fence_all_threads() did nothing,
// some rounds would fail.
TEST(AsymmetricFence, LetsOneOfTwoSeeTheOther) {
  constexpr int rounds = 20'000;
  constexpr int delays = 300;
  Line often;
  Line rare;
  Line begun;
  Line done;
  int seen_by_often = 0;
  int neither = 0;
  std::thread other([&] {
    for (int i = 1; i <= rounds; ++i) {
      wait_for(begun.value, i);
      spend(i % delays);
      asymmetric_store(often.value, i);
      seen_by_often = rare.value.load(std::memory_order_seq_cst);
      done.value.store(i, std::memory_order_release);
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    begun.value.store(i, std::memory_order_release);
    spend(i / 7 % delays);
    rare.value.store(i, std::memory_order_seq_cst);
    fence_all_threads();
    const int seen_by_rare = often.value.load(std::memory_order_seq_cst);
    wait_for(done.value, i);
    if (seen_by_often != i && seen_by_rare != i) ++neither;
  }
  other.join();
  EXPECT_EQ(neither, 0);
}

}  // namespace
}  // namespace tenon::base
