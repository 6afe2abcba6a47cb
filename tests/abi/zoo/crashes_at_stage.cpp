// Ends the process at the stage and in the way that the file named by ZOO_CRASHES_AT_STAGE says,
// for example "start abort".
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

// From here on the compiler knows nothing of what it points to.
template <typename T>
void hide(T*& pointer) {
  asm volatile("" : "+r"(pointer) : : "memory");
}

// Ends in the canary of the stack, or in an address that is none.
__attribute__((noinline)) void smash_stack(std::size_t bytes) {
  char room[16];
  char* begin = room;
  hide(begin);
  std::memset(begin, 'x', bytes);
  hide(begin);
}

void overrun_heap() {
  // In front of it lies what the heap knows of it.
  auto* memory = static_cast<std::size_t*>(std::malloc(2000));
  hide(memory);
  memory[-1] = 12345;
  hide(memory);
  std::free(memory);
}

void read_past_end_of_file() {
  const int file = ::memfd_create("empty", MFD_CLOEXEC);
  const auto* const page =
      static_cast<volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
  static_cast<void>(page[0]);
}

void fault_in_own_handler() {
  std::signal(SIGSEGV, [](int) { ::_exit(7); });
  *static_cast<volatile int*>(nullptr) = 1;
}

void close_listening_socket() {
  for (int descriptor = 3; descriptor < 1024; ++descriptor) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0)
      ::close(descriptor);
  }
}

void lower(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  ::getrlimit(resource, &limit);
  limit.rlim_cur = 10;
  ::setrlimit(resource, &limit);
}

[[noreturn]] void pause_for_ever() {
  while (true)
    ::pause();
}

// How it is to go down here; empty: not at all.
std::string order_for(std::string_view here) {
  const char* const path = std::getenv("ZOO_CRASHES_AT_STAGE");
  if (path == nullptr) return {};
  std::ifstream file(path);
  std::string where;
  std::string how;
  return file >> where >> how && where == here ? how : std::string();
}

void go_down_if(std::string_view here) {
  const std::string how = order_for(here);
  if (how.empty()) return;
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(0);
  if (how == "_exit") ::_exit(1);
  if (how == "kill") ::kill(::getpid(), SIGKILL);
  if (how == "stop") ::raise(SIGSTOP);  // the process stops before raise() returns
  if (how == "stack") descend(0);
  if (how == "free") free_twice();
  if (how == "null") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "heap") overrun_heap();
  if (how == "smash") smash_stack(400);
  if (how == "ud2") __builtin_trap();
  if (how == "fpe") {
    volatile int zero = 0;
    zero = 1000 / zero;
  }
  if (how == "bus") read_past_end_of_file();
  if (how == "terminate") std::terminate();
  if (how == "quick_exit") std::quick_exit(3);
  if (how == "raw_exit") ::syscall(SYS_exit_group, 4);
  if (how == "own_handler") fault_in_own_handler();
  if (how == "raise") std::raise(SIGSEGV);
  if (how == "sleep") pause_for_ever();
  if (how == "sleep_once") {
    std::ofstream(std::getenv("ZOO_CRASHES_AT_STAGE")) << "nothing";
    pause_for_ever();
  }
  if (how == "loop") {
    volatile bool is_running = true;
    while (is_running) {
    }
  }
  if (how == "fork") {
    // The child that remains has every descriptor of the host.
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
  if (how == "close") ::close_range(3, ~0U, 0);
  if (how == "close_listening") close_listening_socket();
  if (how == "no_files") lower(RLIMIT_NOFILE);
  if (how == "no_bytes") lower(RLIMIT_FSIZE);
}

class Library {
 public:
  Library() { go_down_if("library"); }
};
const Library library;

class CrashesAtStage : public tenon::Plugin {
 public:
  explicit CrashesAtStage(tenon::Host& host) : Plugin(host) {
    go_down_if("create");
    host.http().get("/ok", tenon::access::everyone, [](const tenon::Request&) {
      go_down_if("handler");
      return tenon::Response::text("ok");
    });
    host.http().get("/inline", tenon::access::everyone, {.is_inline = true},
                    [](const tenon::Request&) {
                      go_down_if("inline");
                      return tenon::Response::text("ok");
                    });
    host.jobs().on("down", [](const tenon::JobRun&) { go_down_if("job"); });
    host.http().post("/job", tenon::access::everyone, [&host](const tenon::Request&) {
      return tenon::Response::json({{"job", host.jobs().enqueue_text("down", "").id}}, 202);
    });

    host.records().before_write("things", tenon::RecordOperation::create,
                                [](const tenon::RecordWrite&) { go_down_if("before_write"); });
    host.records().after_write(
        "things", [](const std::vector<tenon::RecordChange>&) { go_down_if("after_write"); });
    host.records().extend("things", [](const tenon::RecordPage&) { go_down_if("extend"); });
    host.services().offer("work", 1, [](const tenon::ServiceRequest&) -> tenon::Json {
      go_down_if("service");
      return {{"done", true}};
    });
    host.http().get("/sql", tenon::access::everyone, [&host](const tenon::Request& request) {
      const std::string sql(request.query("text", ""));
      return tenon::Response::json(
          {{"value", host.database().first<std::string>(sql).value_or("")}});
    });
  }

  void start() override {
    go_down_if("start");
    if (!order_for("thread").empty()) std::thread([] { go_down_if("thread"); }).detach();
    if (order_for("pthread").empty()) return;
    const auto run = [](void*) -> void* {
      go_down_if("pthread");
      return nullptr;
    };
    pthread_t thread{};
    if (::pthread_create(&thread, nullptr, run, nullptr) == 0) ::pthread_detach(thread);
  }
};

}  // namespace

TENON_PLUGIN(CrashesAtStage)
