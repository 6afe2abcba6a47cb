#pragma once

#include <chrono>

namespace tenon::app {

/// Blocks SIGINT and SIGTERM in this thread and all threads made later, and ignores SIGPIPE and
/// SIGXFSZ. To be made first in main.
class Termination {
 public:
  Termination();

  struct Reason {
    int exit_code = 0;           ///< that of request(); 0 for a signal
    bool is_own_signal = false;  ///< this process sent the signal to itself: code of a plugin did
  };

  /// Waits for SIGINT or SIGTERM, or for request(). A second signal after the return ends the
  /// process at once, unless there is a supervisor to do that: both get the signals of a service
  /// manager. Calls `at_rest` once, when that lasts for `rest`.
  Reason wait(bool is_supervised, std::chrono::milliseconds rest, void (*at_rest)() noexcept);

  /// Makes wait() return. Any thread.
  static void request(int exit_code) noexcept;
};

}  // namespace tenon::app
