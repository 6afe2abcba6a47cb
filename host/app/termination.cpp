#include "app/termination.hpp"

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

int Termination::wait(bool is_supervised) {
  const sigset_t set = awaited();
  int received = 0;
  sigwait(&set, &received);
  if (!is_supervised) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  return requested.load();
}

void Termination::request(int exit_code) noexcept {
  requested.store(exit_code);
  kill(getpid(), SIGTERM);
}

}  // namespace tenon::app
