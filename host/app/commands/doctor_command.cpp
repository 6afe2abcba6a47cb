#include <cstdio>
#include <sstream>
#include <string>

#include "app/commands/arguments.hpp"
#include "app/commands/subcommands.hpp"
#include "app/version.hpp"
#include "base/error.hpp"
#include "config/load.hpp"
#include "maintenance/doctor/doctor.hpp"

namespace tenon::app {

int doctor(const Arguments& given) {
  const config::Sources sources = config::process_sources(given.configuration);
  console::CheckedInstallation installation;
  installation.is_full = given.has("--full");
  installation.host_version = host_version;
  try {
    installation.settings = config::load(sources);
  } catch (const base::Error& error) {
    if (error.code() == "config.usage") throw;
    std::istringstream lines(error.message());
    for (std::string line; std::getline(lines, line);)
      installation.mistakes.push_back(line);
  }
  installation.data = config::data_directory(sources);
  const console::Report report = console::run_checks(installation);
  if (given.has("--json"))
    std::printf("%s\n", report.json().c_str());
  else
    std::fputs(report.text().c_str(), stdout);
  return report.is_healthy() ? 0 : 1;
}

}  // namespace tenon::app
