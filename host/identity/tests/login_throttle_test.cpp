#include "identity/sessions/login_throttle.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::identity {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

class Throttling : public testing::Test {
 protected:
  milliseconds attempt(std::string_view login, std::string_view address) {
    return throttle_.attempt(login, {address});
  }
  void advance(milliseconds time) { now_ += time.count(); }
  /// Tries until it has to wait; how often it went through.
  int free_attempts(std::string_view login, std::string_view address) {
    int count = 0;
    while (attempt(login, address) == 0ms && count < 1000)
      ++count;
    return count;
  }

  std::atomic<std::int64_t> now_{1'000'000'000};
  LoginThrottle throttle_{[this] { return now_.load(); }};
};

}  // namespace

TEST_F(Throttling, IncreasesWaitsUpToTheirBound) {
  EXPECT_EQ(free_attempts("ada", "10.0.0.1"), LoginThrottle::free_per_account);
  for (const milliseconds expected :
       {1000ms, 2000ms, 4000ms, 8000ms, 16'000ms, 30'000ms, 30'000ms, 30'000ms}) {
    EXPECT_EQ(attempt("ada", "10.0.0.1"), expected);
    advance(expected - 1ms);
    EXPECT_EQ(attempt("ada", "10.0.0.1"), 1ms) << "asking too early neither counts nor prolongs";
    advance(1ms);
    EXPECT_EQ(attempt("ada", "10.0.0.1"), 0ms);
  }
}

TEST_F(Throttling, IgnoresTheCaseOfLogins) {
  for (int i = 0; i < LoginThrottle::free_per_account; ++i)
    attempt(i % 2 == 0 ? "Ada" : "aDA", "10.0.0." + std::to_string(i));
  EXPECT_GT(attempt("ada", "10.0.0.99"), 0ms);
  EXPECT_EQ(attempt("ben", "10.0.0.99"), 0ms);
}

TEST_F(Throttling, SlowsAnAddressThatTriesManyAccounts) {
  int went_through = 0;
  while (attempt("user" + std::to_string(went_through), "10.0.0.1") == 0ms)
    ++went_through;
  EXPECT_EQ(went_through, LoginThrottle::free_per_address);
  EXPECT_EQ(attempt("another", "10.0.0.2"), 0ms);
}

TEST_F(Throttling, IsForgottenAMinuteAFailure) {
  free_attempts("ada", "10.0.0.1");
  advance(LoginThrottle::forget_after * 3);
  EXPECT_EQ(free_attempts("ada", "10.0.0.1"), 3);
  advance(LoginThrottle::forget_after * 1000);
  EXPECT_EQ(free_attempts("ada", "10.0.0.1"), LoginThrottle::free_per_account);
}

TEST_F(Throttling, SparesTheOwnerFromStrangers) {
  ASSERT_EQ(attempt("ada", "10.0.0.1"), 0ms);
  throttle_.succeeded("ada", {"10.0.0.1"});
  for (int i = 0; i < 5000; ++i) {
    attempt("ada", "192.0.2." + std::to_string(i % 250));
    advance(1s);
  }
  EXPECT_GT(attempt("ada", "192.0.2.1"), 0ms);
  EXPECT_EQ(attempt("ada", "10.0.0.1"), 0ms) << "the owner's own address";
}

TEST_F(Throttling, LimitsTheKnownAddressToo) {
  attempt("ada", "10.0.0.1");
  throttle_.succeeded("ada", {"10.0.0.1"});
  EXPECT_EQ(free_attempts("ada", "10.0.0.1"), LoginThrottle::free_per_account);
}

TEST_F(Throttling, ForgetsFailuresOfAnAddressAfterSuccess) {
  attempt("ada", "10.0.0.1");
  throttle_.succeeded("ada", {"10.0.0.1"});
  for (int i = 0; i < 100; ++i) {
    for (int wrong = 0; wrong < LoginThrottle::free_per_account - 1; ++wrong)
      ASSERT_EQ(attempt("ada", "10.0.0.1"), 0ms);
    ASSERT_EQ(attempt("ada", "10.0.0.1"), 0ms);
    throttle_.succeeded("ada", {"10.0.0.1"});
    advance(LoginThrottle::forget_after * 5);
  }
}

TEST_F(Throttling, GrantsNoGuessesAtOthersAfterSuccess) {
  attempt("eve", "10.0.0.1");
  throttle_.succeeded("eve", {"10.0.0.1"});
  int guesses = 0;
  for (int i = 0; i < 200; ++i) {
    if (attempt("ada", "10.0.0.1") == 0ms) ++guesses;
    if (attempt("eve", "10.0.0.1") == 0ms) throttle_.succeeded("eve", {"10.0.0.1"});
  }
  EXPECT_EQ(guesses, LoginThrottle::free_per_account);
}

TEST_F(Throttling, CountsIpv6ByItsNetwork) {
  int went_through = 0;
  while (attempt("user" + std::to_string(went_through),
                 "2001:db8:1:2::" + std::to_string(went_through + 1)) == 0ms)
    ++went_through;
  EXPECT_EQ(went_through, LoginThrottle::free_per_address);
  EXPECT_EQ(attempt("another", "2001:db8:1:3::1"), 0ms);
  EXPECT_EQ(attempt("another", "::ffff:10.0.0.1"), 0ms);
}

TEST_F(Throttling, LocksNoUserOutIfTheClockRewinds) {
  free_attempts("ada", "10.0.0.1");
  advance(-24h * 365);
  EXPECT_LE(attempt("ada", "10.0.0.1"), LoginThrottle::max_wait);
  advance(LoginThrottle::max_wait);
  EXPECT_EQ(attempt("ada", "10.0.0.1"), 0ms);
}

TEST_F(Throttling, KeepsAnAccountThrottledInAFlood) {
  free_attempts("ada", "10.0.0.1");
  // As many accounts as are remembered, each from an address of its own, and each wrong once.
  for (std::size_t i = 0; i < LoginThrottle::capacity; ++i) {
    attempt("flood" + std::to_string(i), "10." + std::to_string(i >> 16) + "." +
                                             std::to_string((i >> 8) & 255) + "." +
                                             std::to_string(i & 255));
  }
  EXPECT_GT(attempt("ada", "172.16.0.1"), 0ms);
}

TEST_F(Throttling, CountsConcurrentAttempts) {
  std::atomic<int> went_through{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        if (attempt("ada", "10.0.0.1") == 0ms) ++went_through;
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(went_through, LoginThrottle::free_per_account);
}

TEST_F(Throttling, SparesOtherClientsOfAProxy) {
  const auto attempt_by = [this](const std::string& login, std::string_view claimed) {
    return throttle_.attempt(login, {"127.0.0.1", true, claimed});
  };
  int went_through = 0;
  while (attempt_by("user" + std::to_string(went_through), "198.51.100.7") == 0ms)
    ++went_through;
  EXPECT_EQ(went_through, LoginThrottle::free_per_address);
  EXPECT_EQ(attempt_by("ada", "198.51.100.8"), 0ms);
  EXPECT_EQ(attempt("ben", "127.0.0.1"), 0ms) << "this machine itself";
  EXPECT_EQ(attempt("cid", "198.51.100.7"), 0ms) << "a claim says nothing of that address";
  for (int i = 0; i < LoginThrottle::free_per_address * 2; ++i)
    EXPECT_EQ(attempt_by("nameless" + std::to_string(i), ""), 0ms)
        << "a proxy that names no client";
}

TEST_F(Throttling, GrantsNoAttemptsForForgedClaims) {
  throttle_.succeeded("ada", {"127.0.0.1", true, "198.51.100.7"});
  int went_through = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string claimed = "198.51.100." + std::to_string(i);
    if (throttle_.attempt("ada", {"127.0.0.1", true, claimed}) == 0ms) ++went_through;
  }
  EXPECT_EQ(went_through, LoginThrottle::free_per_account);
}

TEST_F(Throttling, BoundsForgedClaimsByTheProxy) {
  const auto attempt_number = [this](int number) {
    const std::string text = std::to_string(number);
    return throttle_.attempt("user" + text, {"127.0.0.1", true,
                                             "10.0." + std::to_string(number / 250) + "." +
                                                 std::to_string(number % 250)});
  };
  int went_through = 0;
  while (attempt_number(went_through) == 0ms)
    ++went_through;
  EXPECT_EQ(went_through, LoginThrottle::free_per_shared_address);
  advance(LoginThrottle::forget_shared_after * 2);
  EXPECT_EQ(attempt_number(went_through), 0ms) << "it forgets soon";
}

}  // namespace tenon::identity
