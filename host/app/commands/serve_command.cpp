#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "app/commands/arguments.hpp"
#include "app/commands/command_line.hpp"
#include "app/commands/subcommands.hpp"
#include "app/server/server.hpp"
#include "app/supervisor/handover.hpp"
#include "app/supervisor/process_limits.hpp"
#include "app/supervisor/stop_limit.hpp"
#include "app/supervisor/supervisor.hpp"
#include "app/supervisor/termination.hpp"
#include "config/load.hpp"
#include "crash/crash_record.hpp"
#include "http/loop/listening_socket.hpp"
#include "observability/log.hpp"

namespace tenon::app {

namespace {

// Time from `ready` until the code of the start is released: after the first requests, which need
// much of it.
constexpr std::chrono::milliseconds code_release_delay{500};

void log_restart(const Handover& handover) {
  const plugins::Restart& restart = handover.restart;
  if (restart.process_exit) {
    const plugins::NamedCall* const call = restart.report.culprit();
    std::string suspects, trace;
    for (const plugins::NamedCall& other : restart.report.others)
      if (&other != call) (suspects += suspects.empty() ? "" : ", ") += other.plugin;
    for (const std::string& frame : restart.report.trace)
      (trace += trace.empty() ? "" : " ") += frame;
    observability::log_error("the host went down and was started again",
                             {{"by", plugins::to_text(*restart.process_exit)},
                              {"cause", restart.cause},
                              {"restarts", handover.restarts},
                              {"plugin", call ? call->plugin : ""},
                              {"in", call ? plugins::to_text(*call) : ""},
                              {"other_plugins", suspects},
                              {"trace", trace}});
  }
  if (restart.is_safe_mode) {
    observability::log_error("safe mode: the host was started without plugins",
                             {{"code", plugins::safe_mode_code}});
  }
}

config::Settings load(const std::vector<std::string>& arguments) {
  return config::load(config::process_sources(arguments));
}

// Standard output as scripts read it: the lines `ready` and `setup`, and nothing else. Output of
// plugins to it goes to standard error, where the log is.
class ScriptOutput {
 public:
  ScriptOutput() : file_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    std::fflush(stdout);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~ScriptOutput() { close(); }
  ScriptOutput(const ScriptOutput&) = delete;
  ScriptOutput& operator=(const ScriptOutput&) = delete;

  void print(const char* what, const std::string& value) const {
    if (file_ >= 0) ::dprintf(file_, "%s %s\n", what, value.c_str());
  }
  void close() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }

 private:
  int file_;
};

int run_host(const config::Settings& settings, const Handover& handover) {
  ScriptOutput output;
  raise_open_files_limit();
  keep_memory_small();
  end_forks_with_their_threads();
  if (handover.calls >= 0) {
    plugins::RunningCalls::use_area(handover.calls);
    ::close(handover.calls);
  }
  plugins::note_faults();
  Termination termination;
  observability::LogOptions log_options;
  log_options.format = settings.log.format;
  log_options.level = settings.log.level;
  log_options.access = settings.log.access;
  observability::Log log(log_options);
  observability::install_log(&log);
  int exit_code = exit_done;
  {
    log_restart(handover);
    std::optional<StopLimit> limit;  // ends after the server
    Server server(settings, handover);
    server.start();
    if (!handover.is_announced) {
      output.print("ready", server.url());
      const std::string setup = server.setup_url();
      if (!setup.empty()) output.print("setup", setup);
    }
    output.close();
    handover.send(Handover::ready);
    const Termination::Reason reason =
        termination.wait(handover.is_supervised(), code_release_delay, &release_code);
    exit_code = reason.exit_code;
    if (reason.is_own_signal)
      observability::log_error("a plugin sent the signal to stop to its own process");
    observability::log_info("stopping");
    limit.emplace(settings.shutdown_deadline + StopLimit::grace_period, exit_code);
    server.stop();
  }
  observability::log_info("stopped");
  log.flush();
  observability::install_log(nullptr);
  handover.send(Handover::ended);
  return exit_code;
}

}  // namespace

int serve(const Arguments& given) {
  const std::vector<std::string>& configuration = given.configuration;
  if (given.has("--no-supervisor")) return run_host(load(configuration), {});
  std::optional<config::Settings> settings;
  std::optional<SupervisorState> state = take_supervisor_state();
  if (!state) {
    settings = load(configuration);
    state.emplace();
    state->data = settings->data;
    state->handover.listening =
        http::open_listening_socket(settings->listen_host, settings->listen_port);
  }
  const Role role = supervise(std::move(*state), configuration);
  if (const int* const exit_code = std::get_if<int>(&role)) return *exit_code;
  const Handover& handover = std::get<Handover>(role);
  // The configuration may have changed since the supervisor was started.
  if (!settings || handover.restarts > 0) settings = load(configuration);
  return run_host(*settings, handover);
}

}  // namespace tenon::app
