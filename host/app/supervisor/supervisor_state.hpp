#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <sys/types.h>

#include "app/supervisor/handover.hpp"
#include "app/supervisor/restart_policy.hpp"

namespace tenon::app {

/// The state of a supervisor, which it passes on when it runs its program again in its own process.
struct SupervisorState {
  /// For the next host; `channel` is of the host that runs now.
  Handover handover;
  RestartHistory history;
  pid_t host = -1;
  int messages = -1;  ///< descriptor that the messages of this host are read from
  int calls = -1;     ///< the area of its RunningCalls; -1: it has none
  std::chrono::milliseconds started{0};  ///< this host, by the steady clock
  std::string data;                      ///< directory, absolute
};

std::string to_text(const SupervisorState& state);
/// Nothing when it is no such text.
std::optional<SupervisorState> read_supervisor_state(std::string_view text);

}  // namespace tenon::app
