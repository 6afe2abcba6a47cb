#include <cstdio>
#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "app/arguments.hpp"
#include "app/local_commands.hpp"
#include "app/subcommands.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"

namespace tenon::app {

namespace {

void print_plugin(const Poco::JSON::Object& plugin) {
  std::printf("%-24s %-12s %-12s %s\n", plugin.getValue<std::string>("id").c_str(),
              plugin.optValue<std::string>("version", "").c_str(),
              plugin.getValue<std::string>("state").c_str(),
              plugin.optValue<std::string>("name", "").c_str());
  if (plugin.isNull("reason")) return;
  const auto reason = plugin.getObject("reason");
  std::printf("  %s: %s\n", reason->optValue<std::string>("code", "").c_str(),
              reason->optValue<std::string>("message", "").c_str());
}

}  // namespace

int plugin(const std::vector<std::string>& arguments) {
  const Arguments given = parse_arguments(arguments, {}, {"--json"});
  if (given.words.empty()) throw UsageError("say what to do: list, enable ID or disable ID");
  const std::string& action = given.words[0];
  const bool is_list = action == "list";
  if (!is_list && action != "enable" && action != "disable") {
    throw UsageError("\"" + action + "\" is none of list, enable, disable");
  }
  if (given.words.size() != (is_list ? 1U : 2U))
    throw UsageError(action + (is_list ? " takes no id" : " takes the id of one plugin"));
  const config::Settings settings = config::load(config::process_sources(given.configuration));

  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  if (!is_list) json.member("id", given.words[1]);
  json.end_object();

  const std::string result = run_command(settings, "plugin." + action, text);
  if (given.has("--json")) {
    std::printf("%s\n", result.c_str());
    return 0;
  }
  const auto answer = base::parse_json_object(result, {.max_bytes = result.size() + 1});
  if (!is_list) {
    print_plugin(*answer);
    return 0;
  }
  const auto plugins = answer->getArray("items");
  for (std::size_t i = 0; i < plugins->size(); ++i)
    print_plugin(*plugins->getObject(static_cast<unsigned>(i)));
  return 0;
}

}  // namespace tenon::app
