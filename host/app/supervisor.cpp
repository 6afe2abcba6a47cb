#include "app/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/handover.hpp"
#include "app/restart_policy.hpp"
#include "http/listening_socket.hpp"
#include "plugins/quarantine/loading_record.hpp"

namespace tenon::app {

namespace {

using Milliseconds = RestartPolicy::Milliseconds;

Milliseconds now() {
  return std::chrono::duration_cast<Milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

// Programs such as timeout send a signal twice at once; somebody who sends it once more later does
// not want to wait.
constexpr Milliseconds impatience{1'000};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The child's side between fork and exec, in its own words for what it may call there.
[[noreturn]] void become_host(char* const* arguments, pid_t parent, const sigset_t& mask,
                              int listening, int channel) {
  // Signals of a terminal reach it once, through the supervisor; what it leaves behind can be ended
  // with it.
  ::setpgid(0, 0);
  // It may write to a terminal whose foreground it is not in.
  std::signal(SIGTTOU, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(exit_refused);
  ::fcntl(listening, F_SETFD, 0);
  ::fcntl(channel, F_SETFD, 0);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execv("/proc/self/exe", arguments);
  std::fprintf(stderr, "tenon: the host cannot be started: %s\n", std::strerror(errno));
  ::_exit(exit_refused);
}

class Supervisor {
 public:
  explicit Supervisor(const Supervised& supervised);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  int run();

 private:
  struct Host {
    pid_t process = -1;
    int channel = -1;
    Milliseconds started{0};
  };
  struct End {
    plugins::Death death;
    bool was_ready = false;
    bool is_in_order = false;
    bool is_attributed = false;  // its record names one
  };

  std::optional<Host> start();
  End wait(const Host& host);
  static bool has_ended(const Host& host);
  void hand_on(int signal, pid_t host);
  bool pause(Milliseconds duration);
  End end_of(const Host& host, int status) const;
  std::optional<int> answer_to(const End& end, Milliseconds lived);

  const Supervised& supervised_;
  int listening_;
  sigset_t awaited_{};
  sigset_t before_{};
  RestartPolicy policy_;
  Handover handover_;
  Milliseconds pause_{0};
  std::optional<Milliseconds> ending_since_;
};

Supervisor::Supervisor(const Supervised& supervised)
    : supervised_(supervised),
      listening_(http::open_listening_socket(supervised.listen_host, supervised.listen_port)) {
  // A parent that ignores it would have the system reap the host.
  std::signal(SIGCHLD, SIG_DFL);
  sigemptyset(&awaited_);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT})
    sigaddset(&awaited_, signal);
  for (const int signal : {SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) sigaddset(&awaited_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &awaited_, &before_);
}

Supervisor::~Supervisor() {
  if (listening_ >= 0) ::close(listening_);
}

int Supervisor::run() {
  while (true) {
    const std::optional<Host> host = start();
    if (!host) return exit_refused;
    const End end = wait(*host);
    if (const std::optional<int> code = answer_to(end, now() - host->started)) return *code;
    if (!pause(pause_)) return exit_done;
  }
}

std::optional<Supervisor::Host> Supervisor::start() {
  int channel[2];
  if (::pipe2(channel, O_CLOEXEC | O_NONBLOCK) != 0) {
    std::fprintf(stderr, "tenon: the host cannot be started: %s\n", std::strerror(errno));
    return std::nullopt;
  }
  handover_.listening = listening_;
  handover_.channel = channel[1];
  std::vector<std::string> words{"tenon", "host", to_argument(handover_)};
  words.insert(words.end(), supervised_.arguments.begin(), supervised_.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process == 0) become_host(arguments.data(), parent, before_, listening_, channel[1]);
  ::close(channel[1]);
  if (process < 0) {
    std::fprintf(stderr, "tenon: the host cannot be started: %s\n", std::strerror(errno));
    ::close(channel[0]);
    return std::nullopt;
  }
  return Host{process, channel[0], now()};
}

// Its id is not free for others yet.
bool Supervisor::has_ended(const Host& host) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(host.process), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return true;
  return info.si_pid == host.process;
}

Supervisor::End Supervisor::wait(const Host& host) {
  while (!has_ended(host)) {
    const int signal = ::sigwaitinfo(&awaited_, nullptr);
    if (signal > 0 && signal != SIGCHLD) hand_on(signal, host.process);
    // A process that has no other parent, where this one is the first of a container.
    siginfo_t info{};
    while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
           info.si_pid != host.process)
      ::waitpid(info.si_pid, nullptr, 0);
  }
  // What plugins left behind holds the lock of the data directory, perhaps.
  ::kill(-host.process, SIGKILL);
  int status = 0;
  ::waitpid(host.process, &status, 0);
  const End end = end_of(host, status);
  ::close(host.channel);
  return end;
}

// The backlog is closed with the host's own socket: nobody is to wait for one that does not come.
void Supervisor::hand_on(int signal, pid_t host) {
  if (ending_since_) {
    if (now() - *ending_since_ >= impatience) ::kill(host, SIGKILL);
    return;
  }
  ending_since_ = now();
  ::close(std::exchange(listening_, -1));
  ::kill(host, signal);
}

// False when a signal says that nothing is to be started any more.
bool Supervisor::pause(Milliseconds duration) {
  const Milliseconds until = now() + duration;
  while (true) {
    const Milliseconds left = std::max(Milliseconds(0), until - now());
    const timespec time{left.count() / 1000, left.count() % 1000 * 1'000'000};
    const int signal = ::sigtimedwait(&awaited_, nullptr, &time);
    if (signal > 0 && signal != SIGCHLD) return false;
    if (signal < 0 && errno == EAGAIN) return true;
  }
}

Supervisor::End Supervisor::end_of(const Host& host, int status) const {
  End end;
  end.death.process = host.process;
  if (WIFSIGNALED(status))
    end.death.signal = WTERMSIG(status);
  else
    end.death.exit_code = WEXITSTATUS(status);
  char message = 0;
  while (::read(host.channel, &message, 1) == 1) {
    end.was_ready |= message == Handover::ready;
    end.is_in_order |= message == Handover::ended;
  }
  const auto left = plugins::read_loading_record(supervised_.data);
  if (!left || left->process != host.process) return end;
  end.is_attributed = plugins::suspect_of(*left) != nullptr;
  return end;
}

// The exit code of all; nothing when the host is to be started again, after `pause_`.
std::optional<int> Supervisor::answer_to(const End& end, Milliseconds lived) {
  handover_.is_announced |= end.was_ready;
  const plugins::Death& death = end.death;
  if (ending_since_) {
    if (death.signal == 0) return death.exit_code;
    std::fprintf(stderr, "tenon: the host was to stop and ended by %s\n",
                 plugins::to_text(death).c_str());
    return 128 + death.signal;
  }
  if (end.is_in_order && death.signal == 0 && death.exit_code == exit_done) return exit_done;
  const bool is_refusal = death.signal == 0 && !end.is_attributed && !end.was_ready &&
                          (death.exit_code == exit_refused || death.exit_code == exit_usage);
  if (is_refusal && handover_.restarts == 0) return death.exit_code;

  using Kind = RestartPolicy::End;
  Kind kind = Kind::crash;
  if (end.is_attributed)
    kind = Kind::attributed;
  else if (is_refusal || end.is_in_order)
    kind = Kind::own_will;
  const RestartPolicy::Next next = policy_.after(kind, lived, now());
  if (next.gives_up) {
    std::fprintf(
        stderr,
        "tenon: the host ended %u times in a row, at last by %s, and is not started again. "
        "The log says what it did before; tenon doctor looks at the data directory, tenon "
        "plugin disable ID takes a plugin out.\n",
        RestartPolicy::ends_to_give_up, plugins::to_text(death).c_str());
    return exit_refused;
  }
  ++handover_.restarts;
  handover_.restart.is_safe_mode = next.is_safe_mode;
  // One that refused has not looked at what the one before it left.
  if (!is_refusal || !handover_.restart.death) handover_.restart.death = death;
  pause_ = next.pause;
  return std::nullopt;
}

}  // namespace

int supervise(const Supervised& supervised) {
  return Supervisor(supervised).run();
}

}  // namespace tenon::app
