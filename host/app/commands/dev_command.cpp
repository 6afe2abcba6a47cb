#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/arguments.hpp"
#include "app/commands/command_line.hpp"
#include "app/commands/subcommands.hpp"
#include "app/dev/dev_session.hpp"
#include "config/load.hpp"

namespace tenon::app {

int dev(const std::vector<std::string>& arguments) {
  const Arguments given = parse_arguments(arguments, {}, {});
  if (given.words.size() > 1) throw UsageError("dev takes the folder of one plugin");
  const std::string program = config::process_sources({}).program_directory;
  const std::string sdk =
      (std::filesystem::path(program) / "../share/tenon/sdk").lexically_normal().string();
  PluginProject project(given.words.empty() ? "." : given.words[0], sdk);
  std::filesystem::create_directories(project.plugin());
  std::vector<std::string> options = given.configuration;
  const std::array<std::pair<std::string, std::string>, 4> defaults{
      {{"--data", project.data()},
       {"--plugins", project.plugins()},
       {"--log", "text"},
       {"--log-access", "false"}}};
  for (const auto& [option, value] : defaults) {
    const bool is_given = std::any_of(options.begin(), options.end(), [&](const std::string& one) {
      return one == option || one.starts_with(option + "=");
    });
    if (!is_given) options.insert(options.end(), {option, value});
  }
  config::Settings settings = config::load(config::process_sources(options));
  return DevSession(std::move(project), std::move(settings), std::move(options)).run();
}

}  // namespace tenon::app
