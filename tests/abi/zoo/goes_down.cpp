// Takes the process down where and how the file says that ZOO_GOES_DOWN names: "start abort".
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/types.h>
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
    if (::fork() == 0) {
      while (true)
        ::pause();
    }
    std::abort();
  }
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
