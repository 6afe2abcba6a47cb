#include "app/supervisor/supervisor_state.hpp"

#include <gtest/gtest.h>

namespace tenon::app {
namespace {

using std::chrono::milliseconds;

TEST(SupervisorState, SurvivesAsText) {
  SupervisorState state;
  state.handover.listening = 3;
  state.handover.is_announced = true;
  state.handover.restarts = 7;
  state.handover.restart = {plugins::ProcessExit{4711, 11, 0}, true};
  state.history = {{milliseconds(800'000), milliseconds(900'000)}, 2, true};
  state.host = 4712;
  state.messages = 5;
  state.calls = 6;
  state.started = milliseconds(910'000);
  state.data = "/srv/the data: 1 2";
  const std::string text = to_text(state);
  EXPECT_EQ(text, "3 5 6 4712 910000 1 7 1 4711 11 0 2 1 2 800000 900000 /srv/the data: 1 2");
  const auto back = read_supervisor_state(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), text);
  EXPECT_EQ(back->data, state.data);
  EXPECT_EQ(back->handover.restart.process_exit->signal, 11);
  EXPECT_EQ(back->history.crashes, state.history.crashes);

  const auto first = read_supervisor_state("3 5 6 4712 910000 0 0 0 0 0 0 0 0 0 /srv");
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->handover.is_announced);
  EXPECT_FALSE(first->handover.restart.process_exit);
  EXPECT_FALSE(first->handover.restart.is_safe_mode);
  EXPECT_TRUE(first->history.crashes.empty());
}

TEST(SupervisorState, RejectsOtherText) {
  for (const char* text :
       {"", "serve", "3 5 6 4712", "3 5 6 4712 1 0 0 0 0 0 0 0 0 0",
        "3 5 6 4712 1 0 0 0 0 0 0 0 0 0 ", "3 5 6 4712 1 0 0 0 0 0 0 0 0 2 9 /srv",
        "-1 5 6 4712 1 0 0 0 0 0 0 0 0 0 /srv", "3 -5 6 4712 1 0 0 0 0 0 0 0 0 0 /srv",
        "3 5 6 0 1 0 0 0 0 0 0 0 0 0 /srv", "3 5 6 4712 1 0 x 0 0 0 0 0 0 0 /srv",
        "3 5 6 4712 1 2 0 0 0 0 0 0 0 0 /srv", "3 5 6 4712 1 0 0 0 0 0 0 0 0 9999999999 /srv",
        "99999999999 5 6 4712 1 0 0 0 0 0 0 0 0 0 /srv"})
    EXPECT_FALSE(read_supervisor_state(text)) << text;
}

}  // namespace
}  // namespace tenon::app
