#include "app/supervisor/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <link.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands/command_line.hpp"
#include "app/supervisor/host_watch.hpp"
#include "app/supervisor/process_limits.hpp"
#include "app/supervisor/process_list.hpp"
#include "app/supervisor/process_title.hpp"
#include "app/supervisor/restart_policy.hpp"
#include "crash/crash_record.hpp"
#include "lifecycle/probation/crash_journal.hpp"

namespace tenon::app {

namespace {

using Milliseconds = RestartPolicy::Milliseconds;

Milliseconds now() {
  return std::chrono::duration_cast<Milliseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

// Programs such as timeout send a signal twice at once; a user who sends it once more later does
// not want to wait.
constexpr Milliseconds impatience{1'000};

// How long the next host waits for them. A process that waits for a disk cannot be ended.
constexpr Milliseconds orphans_end_within{1'000};

// Before a silent host is ended by SIGKILL.
constexpr Milliseconds aborts_within{500};

timespec to_timespec(Milliseconds time) {
  return {time.count() / 1000, time.count() % 1000 * 1'000'000};
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The variable in which an earlier program of this process left the state.
constexpr const char* state_variable = "TENON_SUPERVISOR";

// How long after a fork the program is renewed, and how often it is looked whether the host is
// ready: one that starts needs the processor.
constexpr Milliseconds renewal_delay{1'000};

// False where an upgrade of the system took a library away that this program is linked with: it
// runs, and could not be started again.
bool has_its_libraries() {
  const auto is_missing = [](dl_phdr_info* library, std::size_t, void*) noexcept -> int {
    return std::strchr(library->dlpi_name, '/') != nullptr &&
           ::access(library->dlpi_name, R_OK) != 0;
  };
  return ::dl_iterate_phdr(is_missing, nullptr) == 0;
}

class Supervisor {
 public:
  Supervisor(SupervisorState state, const std::vector<std::string>& arguments);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Role run();

 private:
  struct End {
    plugins::ProcessExit process_exit;
    plugins::CrashReport report;
    bool was_ready = false;
    bool is_in_order = false;
    bool is_attributed = false;  // a record names one or more
  };

  std::optional<Role> start();
  Handover become_host(pid_t parent, int channel);
  End wait();
  void end_orphans(const ProcessFacts& host) const;
  int next_signal();
  bool has_message() const;
  void look_at_host();
  void end_host(std::string cause);
  void renew();
  bool has_ended() const;
  void hand_on(int signal);
  bool pause(Milliseconds duration);
  End end_of_host(int status) const;
  std::optional<int> decide_restart(const End& end, Milliseconds lived);

  SupervisorState state_;
  const std::vector<std::string>& arguments_;
  sigset_t awaited_{};
  RestartPolicy policy_;
  Milliseconds pause_{0};
  bool is_used_ = false;  // a host has the addresses of this program
  std::optional<HostWatch> watch_;
  std::string cause_;  // why this ends the host; empty: it does not
  std::optional<Milliseconds> ending_since_;
};

Supervisor::Supervisor(SupervisorState state, const std::vector<std::string>& arguments)
    : state_(std::move(state)), arguments_(arguments), policy_(state_.history) {
  // A parent that ignores it would have the system reap the host.
  std::signal(SIGCHLD, SIG_DFL);
  // Processes that plugins fork become children of this process when the host ends; see
  // end_orphans().
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigemptyset(&awaited_);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT})
    sigaddset(&awaited_, signal);
  for (const int signal : {SIGHUP, SIGQUIT}) {
    if (!is_ignored(signal)) sigaddset(&awaited_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &awaited_, nullptr);
}

Supervisor::~Supervisor() {
  if (state_.handover.listening >= 0) ::close(state_.handover.listening);
}

Role Supervisor::run() {
  while (true) {
    if (state_.host < 0) {
      if (std::optional<Role> role = start()) return *role;
    }
    const End end = wait();
    state_.host = -1;
    watch_.reset();
    if (const std::optional<int> code = decide_restart(end, now() - state_.started)) return *code;
    if (!pause(pause_)) return exit_done;
  }
}

// Nothing in the supervisor where it did.
std::optional<Role> Supervisor::start() {
  int channel[2];
  pid_t process = -1;
  const pid_t parent = ::getpid();
  const int calls = plugins::RunningCalls::make_area();
  if (::pipe2(channel, O_CLOEXEC | O_NONBLOCK) == 0) {
    process = ::fork();
    if (process == 0) {
      ::close(channel[0]);
      Handover handover = become_host(parent, channel[1]);
      handover.calls = calls;
      return handover;
    }
    ::close(channel[1]);
    if (process < 0) ::close(channel[0]);
  }
  if (process < 0) {
    if (calls >= 0) ::close(calls);
    std::fprintf(stderr, "tenon: the host cannot be started: %s\n", std::strerror(errno));
    return exit_refused;
  }
  state_.host = process;
  state_.messages = channel[0];
  state_.calls = calls;
  state_.started = now();
  is_used_ = true;
  return std::nullopt;
}

Handover Supervisor::become_host(pid_t parent, int channel) {
  // Signals of a terminal reach it once, through the supervisor; processes that it leaves can be
  // ended with it.
  ::setpgid(0, 0);
  // It may write to a terminal whose foreground it is not in.
  std::signal(SIGTTOU, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(exit_refused);
  ::sigprocmask(SIG_UNBLOCK, &awaited_, nullptr);
  show_as_host();
  Handover handover = state_.handover;
  handover.channel = channel;
  state_.handover.listening = -1;  // it is the host's
  return handover;
}

// Runs the program again in this process, for other addresses. If that fails, this one continues.
void Supervisor::renew() {
  is_used_ = false;
  if (!has_its_libraries()) return;
  state_.history = policy_.history();
  std::vector<char*> words{program_invocation_name, const_cast<char*>("serve")};
  for (const std::string& argument : arguments_)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const auto inherit = [this](int flags) {
    ::fcntl(state_.handover.listening, F_SETFD, flags);
    ::fcntl(state_.messages, F_SETFD, flags);
    if (state_.calls >= 0) ::fcntl(state_.calls, F_SETFD, flags);
  };
  inherit(0);
  ::setenv(state_variable, to_text(state_).c_str(), 1);
  // The same version also where another took the place of its file.
  ::execv("/proc/self/exe", words.data());
  ::unsetenv(state_variable);
  inherit(FD_CLOEXEC);
}

// Its id is not free for others yet.
bool Supervisor::has_ended() const {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(state_.host), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return true;
  return info.si_pid == state_.host;
}

// -1 when it is time to look again.
int Supervisor::next_signal() {
  if (ending_since_) return ::sigwaitinfo(&awaited_, nullptr);
  if (!is_used_) release_code();
  const timespec time = to_timespec(is_used_ ? renewal_delay : HostWatch::interval);
  const int signal = ::sigtimedwait(&awaited_, nullptr, &time);
  if (signal < 0 && errno == EAGAIN && has_message()) {
    if (is_used_)
      renew();
    else
      look_at_host();
  }
  return signal;
}

// A plugin may have closed descriptors, lowered limits or stopped threads of a host that still
// runs.
void Supervisor::look_at_host() {
  bool has_failed = false;
  const std::string limits = restore_limits(state_.host, has_failed);
  if (!limits.empty()) {
    std::fprintf(stderr, "tenon: %s of the host were lowered from inside; %s\n", limits.c_str(),
                 has_failed ? "the system does not let them be raised, so it is started again"
                            : "they are raised again");
    if (has_failed) return end_host("lowered limits");
  }
  if (!watch_)
    watch_.emplace(state_.host, state_.handover.listening, state_.calls, now());
  else if (watch_->is_silent(now()))
    end_host("an I/O thread did not respond for 5 s");
}

// By a signal that it notes what its threads run at, and then by one that cannot be caught.
void Supervisor::end_host(std::string cause) {
  std::fprintf(stderr, "tenon: the host is ended: %s\n", cause.c_str());
  cause_ = std::move(cause);
  ::kill(state_.host, SIGABRT);
  ::kill(state_.host, SIGCONT);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const Milliseconds until = now() + aborts_within;
  while (!has_ended() && now() < until) {
    const timespec time = to_timespec(until - now());
    ::sigtimedwait(&child_ended, nullptr, &time);
  }
  ::kill(state_.host, SIGKILL);
}

// Returns whether the host is ready: a message waits, which end_of_host() reads.
bool Supervisor::has_message() const {
  int bytes = 0;
  return ::ioctl(state_.messages, FIONREAD, &bytes) == 0 && bytes > 0;
}

Supervisor::End Supervisor::wait() {
  while (!has_ended()) {
    const int signal = next_signal();
    if (signal > 0 && signal != SIGCHLD) hand_on(signal);
    // A process that has no other parent, where this one is the first of a container.
    siginfo_t info{};
    while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
           info.si_pid != state_.host)
      ::waitpid(info.si_pid, nullptr, 0);
  }
  ::kill(-state_.host, SIGKILL);
  const std::optional<ProcessFacts> host = facts_of_process(state_.host);
  int status = 0;
  ::waitpid(state_.host, &status, 0);
  if (host) end_orphans(*host);
  End end = end_of_host(status);
  ::close(state_.messages);
  if (state_.calls >= 0) ::close(std::exchange(state_.calls, -1));
  return end;
}

// Ends the processes that plugins started and the host left, with what those started: they may hold
// locks and ports. Children of this process that are older than the host are not the host's: a
// shell may have left them before it executed tenon.
void Supervisor::end_orphans(const ProcessFacts& host) const {
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const Milliseconds until = now() + orphans_end_within;
  while (true) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG) != 0) return;  // there are no children
    if (info.si_pid != 0) continue;
    bool has_orphans = false;
    for (const ProcessFacts& child : processes()) {
      if (child.parent != ::getpid() || child.started < host.started) continue;
      ::kill(child.process, SIGKILL);
      has_orphans = true;
    }
    const Milliseconds left = until - now();
    if (!has_orphans || left <= Milliseconds(0)) return;
    const timespec time = to_timespec(left);
    ::sigtimedwait(&child_ended, nullptr, &time);
  }
}

// The backlog is closed with the host's own socket: no client must wait for a host that does not
// come.
void Supervisor::hand_on(int signal) {
  if (ending_since_) {
    if (now() - *ending_since_ >= impatience) ::kill(state_.host, SIGKILL);
    return;
  }
  ending_since_ = now();
  ::close(std::exchange(state_.handover.listening, -1));
  ::kill(state_.host, signal);
}

// False when a signal says that nothing is to be started any more.
bool Supervisor::pause(Milliseconds duration) {
  const Milliseconds until = now() + duration;
  while (true) {
    const Milliseconds left = std::max(Milliseconds(0), until - now());
    const timespec time = to_timespec(left);
    const int signal = ::sigtimedwait(&awaited_, nullptr, &time);
    if (signal > 0 && signal != SIGCHLD) return false;
    if (signal < 0 && errno == EAGAIN) return true;
  }
}

Supervisor::End Supervisor::end_of_host(int status) const {
  End end;
  end.process_exit.process = state_.host;
  if (WIFSIGNALED(status))
    end.process_exit.signal = WTERMSIG(status);
  else
    end.process_exit.exit_code = WEXITSTATUS(status);
  char message = 0;
  while (::read(state_.messages, &message, 1) == 1) {
    end.was_ready |= message == Handover::ready;
    end.is_in_order |= message == Handover::ended;
  }
  // The calls of others are no reason when the end came from outside.
  if (plugins::is_fault(end.process_exit) && !end.is_in_order)
    end.report = plugins::read_report(state_.calls).value_or(plugins::CrashReport());
  const auto left = plugins::read_crash_journal(state_.data);
  end.is_attributed = !end.report.is_empty() || (left && left->process == state_.host &&
                                                 plugins::suspect_of(*left) != nullptr);
  return end;
}

// The exit code of all; nothing when the host is to be started again, after `pause_`.
std::optional<int> Supervisor::decide_restart(const End& end, Milliseconds lived) {
  state_.handover.is_announced |= end.was_ready;
  const plugins::ProcessExit& process_exit = end.process_exit;
  if (ending_since_) {
    if (process_exit.signal == 0) return process_exit.exit_code;
    std::fprintf(stderr, "tenon: the host was to stop and ended by %s\n",
                 plugins::to_text(process_exit).c_str());
    return 128 + process_exit.signal;
  }
  const bool is_refusal =
      process_exit.signal == 0 && !end.is_attributed && !end.was_ready &&
      (process_exit.exit_code == exit_refused || process_exit.exit_code == exit_usage);
  if (is_refusal && state_.handover.restarts == 0) return process_exit.exit_code;

  using Kind = RestartPolicy::End;
  Kind kind = Kind::crash;
  if (end.is_attributed)
    kind = Kind::attributed;
  else if (is_refusal || (end.is_in_order && process_exit.exit_code != exit_done))
    kind = Kind::own_will;
  const RestartPolicy::Next next = policy_.after(kind, lived, now());
  if (next.gives_up) {
    std::fprintf(
        stderr,
        "tenon: the host ended %u times in a row, at last by %s, and is not started again. "
        "The log says what it did before; tenon doctor looks at the data directory, tenon "
        "plugin disable ID takes a plugin out.\n",
        RestartPolicy::ends_to_give_up, plugins::to_text(process_exit).c_str());
    return exit_refused;
  }
  ++state_.handover.restarts;
  state_.handover.restart.is_safe_mode = next.is_safe_mode;
  // One that refused has not looked at what the one before it left.
  if (!is_refusal || !state_.handover.restart.process_exit) {
    state_.handover.restart.process_exit = process_exit;
    state_.handover.restart.report = end.report;
    state_.handover.restart.lived = lived;
    state_.handover.restart.cause = std::exchange(cause_, {});
  }
  pause_ = next.pause;
  return std::nullopt;
}

}  // namespace

Role supervise(SupervisorState state, const std::vector<std::string>& arguments) {
  return Supervisor(std::move(state), arguments).run();
}

std::optional<SupervisorState> take_supervisor_state() {
  const char* const text = std::getenv(state_variable);
  if (text == nullptr) return std::nullopt;
  std::optional<SupervisorState> state = read_supervisor_state(text);
  // Nothing that a plugin starts is to have it, nor the descriptors.
  ::unsetenv(state_variable);
  if (!state) return std::nullopt;
  ::fcntl(state->handover.listening, F_SETFD, FD_CLOEXEC);
  ::fcntl(state->messages, F_SETFD, FD_CLOEXEC);
  if (state->calls >= 0) ::fcntl(state->calls, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_NAME, "tenon");
  return state;
}

}  // namespace tenon::app
