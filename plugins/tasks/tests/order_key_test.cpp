#include "order_key.hpp"

#include <string>

#include <gtest/gtest.h>

namespace tasks {
namespace {

TEST(OrderKey, BeginsWhereTheLibraryOfTheBrowserDoes) {
  EXPECT_EQ(key_after(""), "a0");
}

// The results of generateKeyBetween(key, null) of fractional-indexing.
TEST(OrderKey, IsTheNextWholeOne) {
  EXPECT_EQ(key_after("a0"), "a1");
  EXPECT_EQ(key_after("a9"), "aA");
  EXPECT_EQ(key_after("aZ"), "aa");
  EXPECT_EQ(key_after("az"), "b00");
  EXPECT_EQ(key_after("b0z"), "b10");
  EXPECT_EQ(key_after("bzz"), "c000");
}

TEST(OrderKey, DropsAFraction) {
  EXPECT_EQ(key_after("a0V"), "a1");
  EXPECT_EQ(key_after("b12GV"), "b13");
}

TEST(OrderKey, CountsUpBelowZero) {
  EXPECT_EQ(key_after("Zz"), "a0");
  EXPECT_EQ(key_after("Zy"), "Zz");
  EXPECT_EQ(key_after("Yzz"), "Z0");
  EXPECT_EQ(key_after("Yzy"), "Yzz");
}

TEST(OrderKey, KeepsManyKeysInOrder) {
  std::string key;
  for (int count = 0; count < 10'000; ++count) {
    const std::string next = key_after(key);
    ASSERT_LT(key, next);
    key = next;
  }
  EXPECT_LE(key.size(), 4U);
}

}  // namespace
}  // namespace tasks
