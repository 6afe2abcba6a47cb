#pragma once

#include <string>

namespace tenon::plugins {

/// How a process of the host ended, as whoever waited for it knows.
struct ProcessExit {
  int process = 0;    ///< its id
  int signal = 0;     ///< 0: it exited
  int exit_code = 0;  ///< where it exited
};

/// "signal 11 (SIGSEGV)", "exit code 3"
std::string to_text(const ProcessExit& death);

/// True when code that ran in the process brought this about: a signal that a fault raises, or an
/// exit. Others, SIGKILL before all, are sent from outside: by a person, or by the system when
/// memory is short.
bool is_fault(const ProcessExit& death) noexcept;

}  // namespace tenon::plugins
