#include <cstdio>
#include <string>

#include "app/command_line.hpp"
#include "app/process_limits.hpp"
#include "app/server.hpp"
#include "app/subcommands.hpp"
#include "app/termination.hpp"
#include "config/keys.hpp"
#include "config/load.hpp"
#include "observability/log.hpp"

namespace tenon::app {

int serve(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      std::printf("Usage: tenon serve [OPTIONS]\n\n%s", config::help_text().c_str());
      return 0;
    }
  }
  const config::Settings settings = config::load(config::process_sources(arguments));
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
    Server server(settings);
    server.start();
    // Scripts wait for these lines, and read them through a pipe.
    std::printf("ready %s\n", server.url().c_str());
    std::fflush(stdout);
    const std::string setup = server.setup_url();
    if (!setup.empty()) std::printf("setup %s\n", setup.c_str());
    std::fflush(stdout);
    exit_code = termination.wait();
    observability::log_info("stopping");
    server.stop();
  }
  observability::log_info("stopped");
  log.flush();
  observability::install_log(nullptr);
  return exit_code;
}

}  // namespace tenon::app
