#include "identity/sessions/token_digest.hpp"

#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace tenon::identity {
namespace {

TEST(TokenDigest, IsThatOfTheStandard) {
  // FIPS 180-4, the example "abc".
  EXPECT_EQ(hex_of(digest_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_from_hex(hex_of(digest_of("abc"))), digest_of("abc"));
}

// Many more than a thread remembers, in an order that makes them push each other out.
TEST(TokenDigest, EqualsTheRememberedDigest) {
  const auto compare = [] {
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 1000; ++i) {
        const std::string token = "token-" + std::to_string(i * 7919 % 1000);
        ASSERT_EQ(remembered_digest_of(token), digest_of(token));
        ASSERT_EQ(remembered_digest_of(token), digest_of(token));
      }
    }
  };
  std::thread other(compare);
  compare();
  other.join();
}

}  // namespace
}  // namespace tenon::identity
