#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/arguments.hpp"
#include "app/commands/subcommands.hpp"
#include "app/dev/dev_session.hpp"
#include "app/dev/new_plugin.hpp"
#include "app/dev/update_plugin.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"

namespace tenon::app {

namespace {

void run_or_throw(const ToolCommand& command, std::FILE* output, const char* what) {
  std::string text;
  if (const int code = run_command_line(command, text, output); code != 0) {
    throw base::Error(500, "dev.failed",
                      std::string(what) + " failed: " + command.words[0] + " ended with code " +
                          std::to_string(code) + ".");
  }
}

PluginProject project_of(const Arguments& given, BuildKind kind) {
  return {given.operands.empty() ? "." : given.operands[0], sdk_folder(), kind};
}

void build(const PluginProject& project, std::FILE* output) {
  if (const auto install = project.install_ui())
    run_or_throw(*install, output, "Installing the packages of ui/");
  if (project.has_ui()) run_or_throw(project.build_ui(), output, "Building ui/");
  if (project.has_native()) {
    run_or_throw(project.configure_native(), output, "Configuring the native code");
    run_or_throw(project.build_native(), output, "Building the native code");
  }
  project.lay_out();
}

}  // namespace

int dev(const Arguments& given) {
  PluginProject project = project_of(given, BuildKind::dev);
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
  return DevSession(std::move(project), std::move(settings), std::move(options),
                    DevOutput(given.has("--json")))
      .run();
}

int build_plugin(const Arguments& given) {
  const PluginProject project = project_of(given, BuildKind::release);
  build(project, given.has("--json") ? stderr : stdout);
  if (given.has("--json")) {
    std::string text;
    base::JsonWriter(text)
        .begin_object()
        .member("id", project.id())
        .member("version", project.version())
        .member("folder", project.plugin())
        .end_object();
    std::printf("%s\n", text.c_str());
    return 0;
  }
  std::printf("%s\n  %s %s. Create the package: tenon plugin pack %s\n", project.plugin().c_str(),
              project.id().c_str(), project.version().c_str(), project.plugin().c_str());
  return 0;
}

int update_plugin(const Arguments& given) {
  const std::string folder = given.operands.empty() ? "." : given.operands[0];
  const UpdateSummary summary = update_sdk_packages(folder, sdk_folder());
  if (given.has("--json")) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().key("changes").begin_array();
    for (const std::string& change : summary)
      json.value(change);
    json.end_array().end_object();
    std::printf("%s\n", text.c_str());
    return 0;
  }
  for (const std::string& change : summary)
    std::printf("%s\n", change.c_str());
  if (summary.empty()) std::printf("The plugin has the packages of this SDK already.\n");
  return 0;
}

int test_plugin(const Arguments& given) {
  const PluginProject project = project_of(given, BuildKind::dev);
  std::FILE* const output = given.has("--json") ? stderr : stdout;
  build(project, output);
  const auto native = project.test_native();
  const auto ui = project.test_ui();
  if (!native && !ui) {
    throw base::Error(404, "dev.no_tests",
                      project.folder() + " has no tests: neither tests/ nor ui/.");
  }
  if (ui) run_or_throw(*ui, output, "Testing ui/");
  if (native) run_or_throw(*native, output, "Testing the plugin");
  if (given.has("--json")) std::printf("{\"passed\":true}\n");
  return 0;
}

}  // namespace tenon::app
