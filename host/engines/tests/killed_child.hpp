#pragma once

#include <csignal>
#include <cstdint>
#include <functional>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::data::test {

/// The end of a traced child.
enum class End : std::uint8_t { untraceable, killed, finished };

/// A child that stops before `work`, for this process to trace it.
inline pid_t traced(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
  ::raise(SIGSTOP);
  work();
  ::_exit(0);
}

/// Runs `work` in a child that is killed at its stop number `when`: before and after each of its
/// system calls is one.
inline End run_until(const std::function<void()>& work, int when) {
  const pid_t child = traced(work);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return End::untraceable;
  for (int stops = 0;;) {
    if (stops == when) ::kill(child, SIGKILL);
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return End::killed;
    if (WIFEXITED(status)) return End::finished;
    ++stops;
  }
}

}  // namespace tenon::data::test
