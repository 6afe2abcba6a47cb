#include <cstdio>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/prctl.h>

#include "app/arguments.hpp"
#include "app/command_line.hpp"
#include "app/handover.hpp"
#include "app/process_limits.hpp"
#include "app/server.hpp"
#include "app/subcommands.hpp"
#include "app/supervisor.hpp"
#include "app/termination.hpp"
#include "config/keys.hpp"
#include "config/load.hpp"
#include "observability/log.hpp"

namespace tenon::app {

namespace {

constexpr std::string_view alone = "--no-supervisor";

void log_restart(const Handover& handover) {
  const plugins::Restart& restart = handover.restart;
  if (restart.death) {
    observability::log_error(
        "the host went down and was started again",
        {{"by", plugins::to_text(*restart.death)}, {"restarts", handover.restarts}});
  }
  if (restart.is_safe_mode) {
    observability::log_error("safe mode: the host was started without plugins",
                             {{"code", plugins::safe_mode_code}});
  }
}

int run_host(const config::Settings& settings, const Handover& handover) {
  raise_open_files_limit();
  keep_memory_small();
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
    Server server(settings, handover);
    server.start();
    if (!handover.is_announced) {
      // Scripts wait for these lines, and read them through a pipe.
      std::printf("ready %s\n", server.url().c_str());
      std::fflush(stdout);
      const std::string setup = server.setup_url();
      if (!setup.empty()) std::printf("setup %s\n", setup.c_str());
      std::fflush(stdout);
    }
    handover.tell(Handover::ready);
    exit_code = termination.wait(handover.is_supervised());
    observability::log_info("stopping");
    server.stop();
  }
  observability::log_info("stopped");
  log.flush();
  observability::install_log(nullptr);
  handover.tell(Handover::ended);
  return exit_code;
}

}  // namespace

int serve(const std::vector<std::string>& arguments) {
  std::vector<std::string> configuration;
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      std::printf(
          "Usage: tenon serve [OPTIONS]\n\n%s\n  --no-supervisor\n      One process, which nobody "
          "starts again when it goes down.\n",
          config::help_text().c_str());
      return 0;
    }
    if (argument != alone) configuration.push_back(argument);
  }
  config::Settings settings = config::load(config::process_sources(configuration));
  if (configuration.size() != arguments.size()) return run_host(settings, {});
  return supervise({settings.listen_host, settings.listen_port, settings.data, configuration});
}

int host(const std::vector<std::string>& arguments) {
  const auto handover = arguments.empty() ? std::nullopt : read_handover(arguments.front());
  if (!handover) throw UsageError("it is what tenon serve starts");
  ::prctl(PR_SET_NAME, "tenon");
  // Nothing that a plugin starts is to have them.
  ::fcntl(handover->listening, F_SETFD, FD_CLOEXEC);
  ::fcntl(handover->channel, F_SETFD, FD_CLOEXEC);
  return run_host(config::load(config::process_sources({arguments.begin() + 1, arguments.end()})),
                  *handover);
}

}  // namespace tenon::app
