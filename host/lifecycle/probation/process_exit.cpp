#include "lifecycle/probation/process_exit.hpp"

#include <csignal>
#include <cstring>

namespace tenon::plugins {

std::string to_text(const ProcessExit& process_exit) {
  if (process_exit.signal == 0) return "exit code " + std::to_string(process_exit.exit_code);
  std::string text = "signal " + std::to_string(process_exit.signal);
  if (const char* name = sigabbrev_np(process_exit.signal))
    text += std::string(" (SIG") + name + ")";
  return text;
}

bool is_fault(const ProcessExit& process_exit) noexcept {
  switch (process_exit.signal) {
    case 0:
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGSEGV:
    case SIGSYS:
    case SIGTRAP:
      return true;
    default:
      return false;
  }
}

}  // namespace tenon::plugins
