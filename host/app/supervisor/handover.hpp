#pragma once

#include "lifecycle/probation/quarantine.hpp"

namespace tenon::app {

/// The data that the supervisor passes to a process of the host that it forks. One that was started
/// without a supervisor has the defaults.
struct Handover {
  int listening = -1;         ///< descriptor of the socket that listens
  int channel = -1;           ///< descriptor that the supervisor reads messages from
  int calls = -1;             ///< the area of RunningCalls, which it reads; -1: none
  bool is_announced = false;  ///< an earlier process printed `ready` on stdout
  unsigned restarts = 0;      ///< since the supervisor was started
  plugins::Restart restart;

  /// Messages, a byte each.
  static constexpr char ready = 'r';
  static constexpr char ended = 'e';  ///< all is closed, the exit code is meant

  bool is_supervised() const noexcept { return channel >= 0; }
  /// Sends a message to the supervisor. No effect when there is no supervisor, or it is gone.
  void send(char message) const noexcept;
};

}  // namespace tenon::app
