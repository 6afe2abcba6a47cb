#include "app/commands/dev_command.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/arguments.hpp"
#include "app/commands/command_line.hpp"
#include "app/commands/package_command.hpp"
#include "app/commands/subcommands.hpp"
#include "app/dev/dev_session.hpp"
#include "base/error.hpp"
#include "config/load.hpp"

namespace tenon::app {

int dev(const std::vector<std::string>& arguments) {
  const Arguments given = parse_arguments(arguments, {}, {});
  if (given.words.size() > 1) throw UsageError("dev takes the folder of one plugin");
  PluginProject project(given.words.empty() ? "." : given.words[0], sdk_folder(), BuildKind::dev);
  std::filesystem::create_directories(project.plugin());
  std::vector<std::string> options = given.configuration;
  const std::array<std::pair<std::string, std::string>, 5> defaults{
      {{"--data", project.data()},
       {"--plugins", project.plugins()},
       {"--log", "text"},
       {"--log-access", "false"},
       {"--development", "true"}}};
  for (const auto& entry : defaults) {
    const std::string& option = entry.first;
    const bool is_given = std::any_of(options.begin(), options.end(), [&](const std::string& one) {
      return one == option || one.starts_with(option + "=");
    });
    if (!is_given) options.insert(options.end(), {option, entry.second});
  }
  config::Settings settings = config::load(config::process_sources(options));
  return DevSession(std::move(project), std::move(settings), std::move(options)).run();
}

namespace {

void run_or_throw(const Command& command, const char* what) {
  if (const int code = run_command_line(command); code != 0) {
    throw base::Error(500, "dev.failed",
                      std::string(what) + " failed: " + command.words[0] + " ended with code " +
                          std::to_string(code) + ".");
  }
}

PluginProject project_of(const Arguments& given, BuildKind kind) {
  if (given.words.size() > 2) throw UsageError(given.words[0] + " takes the folder of one plugin");
  return {given.words.size() < 2 ? "." : given.words[1], sdk_folder(), kind};
}

void build(const PluginProject& project) {
  if (const auto install = project.install_ui())
    run_or_throw(*install, "Installing the packages of ui/");
  if (project.has_ui()) run_or_throw(project.build_ui(), "Building ui/");
  if (project.has_native()) {
    run_or_throw(project.configure_native(), "Configuring the native code");
    run_or_throw(project.build_native(), "Building the native code");
  }
  project.lay_out();
}

}  // namespace

int build_plugin(const Arguments& given) {
  const PluginProject project = project_of(given, BuildKind::release);
  build(project);
  std::printf("%s\n  %s %s. Create the package: tenon plugin pack %s\n", project.plugin().c_str(),
              project.id().c_str(), project.version().c_str(), project.plugin().c_str());
  return 0;
}

int test_plugin(const Arguments& given) {
  const PluginProject project = project_of(given, BuildKind::dev);
  build(project);
  const auto native = project.test_native();
  const auto ui = project.test_ui();
  if (!native && !ui) {
    throw base::Error(404, "dev.no_tests",
                      project.folder() + " has no tests: neither tests/ nor ui/.");
  }
  if (ui) run_or_throw(*ui, "Testing ui/");
  if (native) run_or_throw(*native, "Testing the plugin");
  return 0;
}

}  // namespace tenon::app
