// Takes the process down where and how the file says that ZOO_GOES_DOWN names: "start abort".
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tenon/plugin.hpp>

namespace {

// Deeper than any stack; the compiler must not see that it never returns.
int descend(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : descend(depth + 1) + room[0];
}

void free_twice() {
  void* volatile memory = std::malloc(100);
  void* const first = memory;
  void* const second = memory;
  std::free(first);
  std::free(second);
}

[[noreturn]] void pause_for_ever() {
  while (true)
    ::pause();
}

void go_down_if(std::string_view here) {
  const char* const path = std::getenv("ZOO_GOES_DOWN");
  if (path == nullptr) return;
  std::ifstream file(path);
  std::string where;
  std::string how;
  if (!(file >> where >> how) || where != here) return;
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(0);
  if (how == "_exit") ::_exit(1);
  if (how == "kill") ::kill(::getpid(), SIGKILL);
  if (how == "stop") ::kill(::getpid(), SIGSTOP);  // until somebody sends SIGCONT
  if (how == "stack") descend(0);
  if (how == "free") free_twice();
  if (how == "null") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "fork") {
    // The one that stays behind has every descriptor of the host.
    if (::fork() == 0) pause_for_ever();
    std::abort();
  }
  if (how == "fork_only" && ::fork() == 0) pause_for_ever();
  if (how == "daemon") {
    // In a session of its own, without the host as its parent, and without the signal when that
    // ends.
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      if (::fork() != 0) ::_exit(0);
      ::prctl(PR_SET_PDEATHSIG, 0);
      pause_for_ever();
    }
    ::waitpid(child, nullptr, 0);
    std::abort();
  }
  if (how == "term") ::kill(::getpid(), SIGTERM);
  if (how == "print") {
    std::puts("ready http://127.0.0.1:1");
    std::fflush(stdout);
  }
  if (how == "umask") ::umask(0);
}

class Library {
 public:
  Library() { go_down_if("library"); }
};
const Library library;

class GoesDown : public tenon::Plugin {
 public:
  explicit GoesDown(tenon::Host& host) : Plugin(host) {
    go_down_if("create");
    host.http().get("/ok", tenon::access::everybody, [](const tenon::Request&) {
      go_down_if("handler");
      return tenon::Response::text("ok");
    });
  }

  void start() override { go_down_if("start"); }
};

}  // namespace

TENON_PLUGIN(GoesDown)
