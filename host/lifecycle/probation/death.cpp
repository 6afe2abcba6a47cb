#include "lifecycle/probation/death.hpp"

#include <csignal>
#include <cstring>

namespace tenon::plugins {

std::string to_text(const ProcessExit& death) {
  if (death.signal == 0) return "exit code " + std::to_string(death.exit_code);
  std::string text = "signal " + std::to_string(death.signal);
  if (const char* name = sigabbrev_np(death.signal)) text += std::string(" (SIG") + name + ")";
  return text;
}

bool is_fault(const ProcessExit& death) noexcept {
  switch (death.signal) {
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
