#include "app/handover.hpp"

#include <gtest/gtest.h>

namespace tenon::app {

TEST(Handover, ComesBackAsItWas) {
  Handover handover;
  handover.listening = 3;
  handover.channel = 5;
  handover.is_announced = true;
  handover.restarts = 7;
  handover.restart = {plugins::Death{4711, 11, 0}, true};
  EXPECT_EQ(to_argument(handover), "3:5:1:7:1:4711:11:0");
  const auto back = read_handover(to_argument(handover));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_argument(*back), to_argument(handover));
  EXPECT_EQ(back->restart.death->signal, 11);

  const auto first = read_handover("3:5:0:0:0:0:0:0");
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->is_announced);
  EXPECT_FALSE(first->restart.death);
  EXPECT_FALSE(first->restart.is_safe_mode);
}

TEST(Handover, IsNothingElse) {
  for (const char* argument :
       {"", "--data", "3", "3:5:0:0:0:0:0", "3:5:0:0:0:0:0:0:0",
        "3:5:0:0:0:0:0:", "-1:5:0:0:0:0:0:0", "3:5:0:0:0:0:0:x", "99999999999:5:0:0:0:0:0:0"})
    EXPECT_FALSE(read_handover(argument)) << argument;
}

}  // namespace tenon::app
