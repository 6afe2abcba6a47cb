#include "app/supervisor/termination.hpp"

#include <atomic>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace tenon::app {

namespace {

std::atomic<int> requested{0};

sigset_t awaited() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Termination::Termination() {
  const sigset_t set = awaited();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

Termination::Reason Termination::wait(bool is_supervised, std::chrono::milliseconds rest,
                                      void (*at_rest)() noexcept) {
  const sigset_t set = awaited();
  const timespec time{rest.count() / 1000, rest.count() % 1000 * 1'000'000};
  siginfo_t info{};
  if (sigtimedwait(&set, &info, &time) < 0) {
    at_rest();
    while (sigwaitinfo(&set, &info) < 0) {
    }
  }
  if (!is_supervised) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  const int exit_code = requested.load();
  return {.exit_code = exit_code, .is_own_signal = exit_code == 0 && info.si_pid == getpid()};
}

void Termination::request(int exit_code) noexcept {
  requested.store(exit_code);
  kill(getpid(), SIGTERM);
}

}  // namespace tenon::app
