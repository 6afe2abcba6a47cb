#include "app/supervisor/restart_policy.hpp"

#include <gtest/gtest.h>

namespace tenon::app {
namespace {

using End = RestartPolicy::End;
using Milliseconds = RestartPolicy::Milliseconds;

constexpr Milliseconds briefly{10};

TEST(RestartPolicy, WaitsLongerEachTimeUntilItGivesUp) {
  RestartPolicy policy;
  Milliseconds now{0};
  Milliseconds expected{0};
  for (unsigned i = 1; i < RestartPolicy::ends_to_give_up; ++i) {
    const auto next = policy.after(End::own_will, briefly, now += briefly);
    EXPECT_EQ(next.pause, expected) << i;
    EXPECT_FALSE(next.gives_up) << i;
    EXPECT_FALSE(next.is_safe_mode) << i;
    expected = i == 1 ? RestartPolicy::first_pause : 2 * expected;
  }
  EXPECT_TRUE(policy.after(End::own_will, briefly, now += briefly).gives_up);
}

TEST(RestartPolicy, ResetsAfterStableHost) {
  RestartPolicy policy;
  Milliseconds now{0};
  for (unsigned i = 0; i < 3 * RestartPolicy::ends_to_give_up; ++i) {
    const auto next =
        policy.after(End::crash, RestartPolicy::stable_after, now += RestartPolicy::stable_after);
    EXPECT_EQ(next.pause, Milliseconds(0));
    EXPECT_FALSE(next.gives_up);
    EXPECT_FALSE(next.is_safe_mode);
  }
}

TEST(RestartPolicy, EntersSafeModeAfterThreeCrashesPerMinute) {
  RestartPolicy policy;
  EXPECT_FALSE(policy.after(End::crash, briefly, Milliseconds(0)).is_safe_mode);
  EXPECT_FALSE(policy.after(End::crash, briefly, Milliseconds(30'000)).is_safe_mode);
  // The first is too long ago.
  EXPECT_FALSE(policy.after(End::crash, briefly, Milliseconds(60'001)).is_safe_mode);
  EXPECT_TRUE(policy.after(End::crash, briefly, Milliseconds(90'000)).is_safe_mode);
  EXPECT_TRUE(policy.after(End::attributed, briefly, Milliseconds(900'000)).is_safe_mode);
}

TEST(RestartPolicy, NeverWaitsForAPluginThatStaysOut) {
  RestartPolicy policy;
  for (int i = 0; i < 1'000; ++i) {
    const auto next = policy.after(End::attributed, briefly, Milliseconds(i));
    EXPECT_EQ(next.pause, Milliseconds(0));
    EXPECT_FALSE(next.gives_up);
    EXPECT_FALSE(next.is_safe_mode);
  }
}

}  // namespace
}  // namespace tenon::app
