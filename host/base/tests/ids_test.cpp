#include "base/ids.hpp"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace tenon::base {

TEST(Ids, AreUuidVersion7AndAscend) {
  std::string last;
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = new_id();
    ASSERT_TRUE(is_id(id)) << id;
    ASSERT_EQ(id[14], '7');
    ASSERT_NE(std::string("89ab").find(id[19]), std::string::npos);
    ASSERT_LT(last, id);
    last = id;
  }
}

TEST(Ids, AreUniqueAcrossThreads) {
  std::vector<std::vector<std::string>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 5000; ++i)
        mine.push_back(new_id());
    });
  }
  for (auto& thread : threads)
    thread.join();
  std::set<std::string> all;
  for (const auto& mine : made)
    all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 20'000U);
}

TEST(Ids, RefusesWhatIsNoUuid) {
  EXPECT_FALSE(is_id(""));
  EXPECT_FALSE(is_id("0190A4E2-0000-7000-8000-000000000000"));
  EXPECT_FALSE(is_id("0190a4e2_0000-7000-8000-000000000000"));
  EXPECT_FALSE(is_id("0190a4e2-0000-7000-8000-00000000000"));
}

TEST(Ids, HashesAndTokens) {
  EXPECT_EQ(short_hash("").size(), 16U);
  EXPECT_EQ(short_hash("abc"), "deee70479684c83f");
  EXPECT_NE(short_hash("abc"), short_hash("abd"));
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(random_token(32).size(), 43U);
  EXPECT_NE(random_token(), random_token());
  EXPECT_TRUE(equal_in_constant_time("same", "same"));
  EXPECT_FALSE(equal_in_constant_time("same", "sane"));
  EXPECT_FALSE(equal_in_constant_time("same", "sam"));
}

TEST(Clock, WritesAndReadsDates) {
  EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(1'763'626'530'123), "2025-11-20T08:15:30.123Z");
  EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(http_date(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784'111'777);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), 784'111'777);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994"), 784'111'777);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 0199 08:49:37 GMT"), -1);
  EXPECT_EQ(parse_http_date("yesterday"), -1);
  EXPECT_EQ(parse_http_date(""), -1);
}

}  // namespace tenon::base
