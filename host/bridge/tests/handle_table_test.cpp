#include "bridge/handle_table.hpp"

#include <barrier>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace tenon::plugins {
namespace {

std::atomic<int> finished{0};

struct Thing {
  std::atomic<int> value{0};
  struct Rest {};
  Rest finish() noexcept {
    value = 0;
    ++finished;
    return {};
  }
};
using Things = HandleTable<Thing>;
using CachedThings = HandleTable<Thing, FreeSlots::cached>;
constexpr auto share_nothing = [](Thing&) noexcept {};

TEST(HandleTable, FindsOpenItemsOnly) {
  Things things(HandleKind::request, 200, 1234);
  auto opened = things.open();
  opened.pin->value = 7;
  EXPECT_NE(opened.handle, 0U);
  EXPECT_EQ(things.pin(opened.handle)->value, 7);
  constexpr tenon_handle one = 1;
  const tenon_handle good = opened.handle;
  for (const tenon_handle wrong :
       std::vector<tenon_handle>{0, ~tenon_handle{0}, good + 1, good ^ (one << 20),
                                 good ^ (one << 24), good ^ (one << 63), good | 0xfffff}) {
    EXPECT_FALSE(things.pin(wrong)) << wrong;
  }
  Things of_another_kind(HandleKind::cursor, 200, 1234);
  auto other = of_another_kind.open();
  EXPECT_FALSE(things.pin(other.handle));
  Things of_another_activation(HandleKind::request, 200, 99);
  auto later = of_another_activation.open();
  EXPECT_FALSE(of_another_activation.pin(opened.handle));
}

TEST(HandleTable, EndsWithTheLastPin) {
  Things things(HandleKind::request, 64, 1);
  finished = 0;
  auto opened = things.open();
  Things::Pin second = things.pin(opened.handle);
  EXPECT_TRUE(opened.pin.close());
  EXPECT_FALSE(second.close());
  EXPECT_FALSE(things.pin(opened.handle));
  opened.pin.reset();
  EXPECT_EQ(finished, 0);
  EXPECT_EQ(things.size(), 1U);
  second.reset();
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(things.size(), 0U);
  auto next = things.open();
  EXPECT_NE(next.handle, opened.handle);
  EXPECT_FALSE(things.pin(opened.handle));
  next.pin.close();
}

TEST(HandleTable, EndsAloneOrLeavesTheRestToOthers) {
  Things things(HandleKind::request, 64, 1);
  finished = 0;
  int shared = 0;
  const auto share = [&shared](Thing&) noexcept { ++shared; };
  auto alone = things.open();
  alone.pin.end(share);
  EXPECT_FALSE(alone.pin);
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(shared, 0);
  EXPECT_FALSE(things.pin(alone.handle));
  auto closed = things.open();
  closed.pin.close();
  closed.pin.end(share);
  EXPECT_EQ(finished, 2);
  EXPECT_EQ(shared, 0);
  auto opened = things.open();
  Things::Pin second = things.pin(opened.handle);
  opened.pin.end(share);
  EXPECT_EQ(finished, 2);
  EXPECT_EQ(shared, 1);
  EXPECT_FALSE(things.pin(opened.handle));
  second.reset();
  EXPECT_EQ(finished, 3);
  EXPECT_EQ(things.size(), 0U);
}

TEST(HandleTable, ReusesACachedSlotUnderAnotherHandle) {
  CachedThings things(HandleKind::request, 64, 1);
  std::set<tenon_handle> handles;
  tenon_handle last = 0;
  for (int i = 0; i < 100; ++i) {
    auto opened = things.reuse([](Thing&) noexcept {});
    if (i == 0) {
      EXPECT_FALSE(opened.pin);
      opened = things.open();
    }
    ASSERT_TRUE(opened.pin);
    EXPECT_FALSE(things.pin(last));
    EXPECT_TRUE(things.pin(opened.handle));
    EXPECT_TRUE(handles.insert(opened.handle).second);
    last = opened.handle;
    opened.pin.end(share_nothing);
  }
  // One in the slot that this thread caches, and one opened in addition.
  auto first = things.open();
  auto second = things.open();
  EXPECT_NE(first.handle, second.handle);
  second.pin.end(share_nothing);
  first.pin.end(share_nothing);
  EXPECT_EQ(things.size(), 0U);
}

TEST(HandleTable, FindsAnItemOrSetsItsFlag) {
  constexpr int rounds = 5'000;
  CachedThings things(HandleKind::request, 64, 1);
  std::atomic<bool> flag{false};
  bool is_seen = false;
  std::size_t found = 0;
  int missed = 0;
  std::barrier begin(2);
  std::barrier opened_and_looked(2, [&]() noexcept {
    if (!is_seen && found == 0) ++missed;
  });
  std::thread opening([&] {
    for (int i = 0; i < rounds; ++i) {
      begin.arrive_and_wait();
      auto opened = things.open();
      is_seen = flag.load(std::memory_order_seq_cst);
      opened_and_looked.arrive_and_wait();
      opened.pin.end(share_nothing);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    flag.store(false);
    begin.arrive_and_wait();
    flag.store(true, std::memory_order_seq_cst);
    found = things.size();
    opened_and_looked.arrive_and_wait();
  }
  opening.join();
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(things.size(), 0U);
}

TEST(HandleTable, EndsItemsOfOtherThreads) {
  CachedThings things(HandleKind::request, 4096, 1);
  finished = 0;
  std::atomic<tenon_handle> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20'000; ++i) {
        auto opened = things.open([t](Thing& thing) noexcept { thing.value = t + 1; });
        ASSERT_TRUE(opened.pin);
        CachedThings::Pin other = things.pin(shared.exchange(opened.handle));
        if (other) {
          ASSERT_NE(other->value, 0);
          other.close();
        }
        ASSERT_EQ(opened.pin->value, t + 1);
        opened.pin.end(share_nothing);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(finished, 80'000);
  EXPECT_EQ(things.size(), 0U);
}

TEST(HandleTable, LimitsOpenItems) {
  Things things(HandleKind::request, 128, 1);
  std::vector<tenon_handle> handles;
  for (int i = 0; i < 128; ++i) {
    auto opened = things.open();
    ASSERT_TRUE(opened.pin);
    handles.push_back(opened.handle);
  }
  EXPECT_EQ(std::set<tenon_handle>(handles.begin(), handles.end()).size(), 128U);
  EXPECT_FALSE(things.open().pin);
  things.pin(handles[50]).close();
  EXPECT_TRUE(things.open().pin);
  int seen = 0;
  things.for_each([&seen](Things::Pin pin) {
    ++seen;
    pin.close();
  });
  EXPECT_EQ(seen, 128);
  EXPECT_EQ(things.size(), 0U);
}

TEST(HandleTable, GivesEachItemOneOwner) {
  Things things(HandleKind::request, 4096, 1);
  finished = 0;
  std::atomic<int> opened_total{0};
  std::atomic<tenon_handle> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20'000; ++i) {
        auto opened = things.open();
        ASSERT_TRUE(opened.pin);
        ++opened_total;
        opened.pin->value = t + 1;
        shared.store(opened.handle);
        // Another thread's, perhaps over by now: found whole, or not at all.
        if (Things::Pin other = things.pin(shared.load())) {
          ASSERT_NE(other->value, 0);
        }
        ASSERT_EQ(opened.pin->value, t + 1);
        opened.pin.close();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(finished, opened_total);
  EXPECT_EQ(things.size(), 0U);
}

}  // namespace
}  // namespace tenon::plugins
