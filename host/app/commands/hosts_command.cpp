#include <cstdio>
#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "app/commands/arguments.hpp"
#include "app/commands/local_commands.hpp"
#include "app/commands/subcommands.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"

namespace tenon::app {

namespace {

void print_hosts(const config::Settings& settings, const std::string& result) {
  const auto response = base::parse_json_object(result, {.max_bytes = result.size() + 1});
  const auto hosts = response->getArray("items");
  for (std::size_t i = 0; i < hosts->size(); ++i) {
    const auto host = hosts->getObject(static_cast<unsigned>(i));
    std::printf("%-40s since %s\n", host->getValue<std::string>("name").c_str(),
                host->getValue<std::string>("added").c_str());
  }
  for (const std::string& name : settings.http.hosts)
    std::printf("%-40s by http.hosts\n", name.c_str());
  if (hosts->empty() && settings.http.hosts.empty()) std::puts("none: every host name is allowed");
}

}  // namespace

int hosts(const Arguments& given) {
  const std::string action = action_of(given);
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  if (action != "list") json.member("name", given.operand(0));
  json.end_object();
  const std::string result = run_command(settings, "hosts." + action, text);
  if (given.has("--json"))
    std::printf("%s\n", result.c_str());
  else if (action == "list")
    print_hosts(settings, result);
  else
    std::printf("%s %s\n", given.operand(0).c_str(), action == "add" ? "added" : "removed");
  return 0;
}

}  // namespace tenon::app
