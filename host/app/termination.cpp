#include "app/termination.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace tenon::app {

namespace {

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

void Termination::wait() {
  const sigset_t set = awaited();
  int received = 0;
  sigwait(&set, &received);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Termination::request() noexcept {
  kill(getpid(), SIGTERM);
}

}  // namespace tenon::app
