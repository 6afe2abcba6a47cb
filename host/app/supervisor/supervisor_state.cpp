#include "app/supervisor/supervisor_state.hpp"

#include <cstdint>
#include <sstream>

namespace tenon::app {

namespace {

constexpr std::size_t max_crashes = 1'000;

}  // namespace

std::string to_text(const SupervisorState& state) {
  const Handover& handover = state.handover;
  const plugins::ProcessExit process_exit =
      handover.restart.process_exit.value_or(plugins::ProcessExit{});
  std::ostringstream text;
  text << handover.listening << ' ' << state.messages << ' ' << state.calls << ' ' << state.host
       << ' ' << state.started.count() << ' ' << handover.is_announced << ' ' << handover.restarts
       << ' ' << handover.restart.is_safe_mode << ' ' << process_exit.process << ' '
       << process_exit.signal << ' ' << process_exit.exit_code << ' ' << state.history.ends_in_a_row
       << ' ' << state.history.is_safe_mode << ' ' << state.history.crashes.size();
  for (const std::chrono::milliseconds crash : state.history.crashes)
    text << ' ' << crash.count();
  text << ' ' << state.data;
  return text.str();
}

std::optional<SupervisorState> read_supervisor_state(std::string_view text) {
  std::istringstream rest{std::string(text)};
  SupervisorState state;
  Handover& handover = state.handover;
  plugins::ProcessExit process_exit;
  std::int64_t started = 0;
  std::size_t crashes = 0;
  rest >> handover.listening >> state.messages >> state.calls >> state.host >> started >>
      handover.is_announced >> handover.restarts >> handover.restart.is_safe_mode >>
      process_exit.process >> process_exit.signal >> process_exit.exit_code >>
      state.history.ends_in_a_row >> state.history.is_safe_mode >> crashes;
  if (!rest || crashes > max_crashes) return std::nullopt;
  for (std::size_t i = 0; i < crashes; ++i) {
    std::int64_t crash = 0;
    rest >> crash;
    state.history.crashes.emplace_back(crash);
  }
  if (rest.get() != ' ' || !std::getline(rest, state.data)) return std::nullopt;
  if (handover.listening < 0 || state.messages < 0 || state.host <= 0) return std::nullopt;
  state.started = std::chrono::milliseconds(started);
  if (process_exit.process != 0) handover.restart.process_exit = process_exit;
  return state;
}

}  // namespace tenon::app
