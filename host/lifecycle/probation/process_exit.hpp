#pragma once

#include <string>

namespace tenon::plugins {

/// How a process of the host ended, as its parent process knows.
struct ProcessExit {
  int process = 0;    ///< its id
  int signal = 0;     ///< 0: it exited
  int exit_code = 0;  ///< if it exited
};

/// Returns the end as text: "signal 11 (SIGSEGV)", "exit code 3".
std::string to_text(const ProcessExit& process_exit);

/// Returns true if code that ran in the process caused its end: a signal that a fault raises, or an
/// exit. Others, SIGKILL above all, are sent from outside: by a person, or by the system when
/// memory is short.
bool is_fault(const ProcessExit& process_exit) noexcept;

}  // namespace tenon::plugins
