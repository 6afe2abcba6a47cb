#include <cstdio>
#include <filesystem>
#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "admin_api/control_socket/control_socket.hpp"
#include "admin_api/control_socket/local_socket.hpp"
#include "app/commands/arguments.hpp"
#include "app/commands/install_command.hpp"
#include "app/commands/local_commands.hpp"
#include "app/commands/registry_install.hpp"
#include "app/commands/subcommands.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "bridge/declaration.hpp"
#include "config/load.hpp"
#include "data/migrate/migrate.hpp"
#include "packages/manifest/manifest.hpp"
#include "postgresql/client/server.hpp"

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

std::string joined(const Poco::JSON::Array& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i)
    line.append(line.empty() ? "" : ", ")
        .append(texts.getElement<std::string>(static_cast<unsigned>(i)));
  return line;
}

// One line of `plugin show`; none if there is nothing to say.
void print_fact(const char* name, const std::string& value) {
  if (!value.empty()) std::printf("  %-12s %s\n", name, value.c_str());
}

void print_public_paths(const Poco::JSON::Object& plugin) {
  const auto paths = plugin.getArray("public_paths");
  for (std::size_t i = 0; i < paths->size(); ++i) {
    const auto path = paths->getObject(static_cast<unsigned>(i));
    const std::string route = path->getValue<std::string>("route");
    const std::string taken_by = path->getValue<std::string>("taken_by");
    const bool is_granted = path->getValue<bool>("granted");
    const std::string state = route.empty()      ? "granted, not used by this version"
                              : is_granted       ? "granted"
                              : taken_by.empty() ? "not granted"
                                                 : "not granted, " + taken_by + " has it";
    print_fact(i == 0 ? "public paths" : "", path->getValue<std::string>("path") +
                                                 (route.empty() ? std::string() : " → " + route) +
                                                 " (" + state + ")");
  }
}

void print_all(const Poco::JSON::Object& plugin) {
  const auto text = [&plugin](const char* name) { return plugin.optValue<std::string>(name, ""); };
  const auto count = [&plugin](const char* name) {
    return std::to_string(plugin.optValue<Poco::UInt64>(name, 0));
  };
  std::printf("%s %s%sis %s\n", text("id").c_str(), text("version").c_str(),
              text("version").empty() ? "" : " ", text("state").c_str());
  print_fact("name", text("name"));
  print_fact("description", text("description"));
  print_fact("author", text("author"));
  if (!plugin.isNull("reason")) {
    const auto reason = plugin.getObject("reason");
    print_fact("reason", reason->optValue<std::string>("code", ""));
    print_fact("", reason->optValue<std::string>("message", ""));
    print_fact("file", reason->optValue<std::string>("file", ""));
    print_fact("location", reason->optValue<std::string>("path", ""));
  }
  if (plugin.has("last_crash") && !plugin.isNull("last_crash")) {
    const auto crash = plugin.getObject("last_crash");
    const auto fact = [&crash](const char* name) { return crash->optValue<std::string>(name, ""); };
    print_fact("last crash", fact("time") + ", " + fact("by"));
    print_fact("", fact("operation"));
    const auto trace = crash->getArray("trace");
    for (std::size_t i = 0; i < trace->size(); ++i)
      print_fact("", trace->getElement<std::string>(static_cast<unsigned>(i)));
  }
  print_fact("signed by", text("signer"));
  print_fact("previous", text("previous"));
  if (plugin.isNull("abi")) {
    print_fact("library", "none");
  } else {
    const auto abi = plugin.getObject("abi");
    print_fact("library", "ABI " + std::to_string(abi->getValue<int>("major")) + "." +
                              std::to_string(abi->getValue<int>("minor")));
  }
  print_fact("page", plugin.optValue<bool>("ui", false) ? "yes" : "none");
  print_fact("tables", joined(*plugin.getArray("tables")));
  const auto permissions = plugin.getArray("permissions");
  for (std::size_t i = 0; i < permissions->size(); ++i) {
    const auto permission = permissions->getObject(static_cast<unsigned>(i));
    const std::string roles = joined(*permission->getArray("roles"));
    print_fact(i == 0 ? "permissions" : "", permission->getValue<std::string>("id") + " (" +
                                                permission->getValue<std::string>("title") +
                                                "): " + (roles.empty() ? "no role" : roles));
  }
  print_fact("headers", joined(*plugin.getArray("response_headers")));
  print_fact("outgoing", joined(*plugin.getArray("outgoing")));
  print_public_paths(plugin);
  if (text("state") != "active") return;
  print_fact("routes", count("routes"));
  print_fact("requests", count("requests") + " since the start, " + count("errors") + " errors");
  print_fact("generation",
             count("generation") + (plugin.optValue<int>("resident", 0) > 0
                                        ? ", earlier ones in memory: " + count("resident")
                                        : std::string()));
}

// Compares a plugin's folder with its data, with a running server or without one, and changes
// nothing. Returns 1 if the upgrade is refused.
int print_plan(const config::Settings& settings, const std::string& folder, bool as_json) {
  std::string absolute = std::filesystem::absolute(folder).lexically_normal().string();
  while (absolute.size() > 1 && absolute.ends_with('/'))
    absolute.pop_back();
  const plugins::Manifest manifest = plugins::read_manifest(absolute);
  const data::Declaration declaration = plugins::read_declaration(manifest, absolute);
  const bool has_writer =
      static_cast<bool>(console::connect_local(settings.data, console::control_socket_name));
  const auto plan =
      settings.database.empty()
          ? data::plan_file(settings.data + "/" + manifest.id + ".db", has_writer, declaration)
          : data::postgresql::Server(settings.database).plan(declaration);
  std::fputs(as_json ? (plan.to_json() + "\n").c_str() : plan.to_text().c_str(), stdout);
  return plan.is_refused() ? 1 : 0;
}

}  // namespace

int plan_plugin(const Arguments& given) {
  const std::string& what = given.operands[0];
  if (std::filesystem::is_regular_file(what) || registry_word(what))
    return print_package_plan(given);
  return print_plan(config::load(config::process_sources(given.configuration)), what,
                    given.has("--json"));
}

int plugin_path(const Arguments& given) {
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  const bool is_grant = action_of(given) == "grant-path";
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("id", given.operands[0])
      .member("path", given.operands[1])
      .end_object();
  const std::string result =
      run_command(settings, is_grant ? "plugin.grant_path" : "plugin.revoke_path", text);
  if (given.has("--json"))
    std::printf("%s\n", result.c_str());
  else
    std::printf("%s is %s at %s\n", given.operands[0].c_str(),
                is_grant ? "served" : "no longer served", given.operands[1].c_str());
  return 0;
}

int plugin(const Arguments& given) {
  const std::string action = action_of(given);
  const bool is_list = action == "list";
  const config::Settings settings = config::load(config::process_sources(given.configuration));

  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  if (!is_list) json.member("id", given.operands[0]);
  json.end_object();

  const std::string result = run_command(settings, "plugin." + action, text);
  if (given.has("--json")) {
    std::printf("%s\n", result.c_str());
    return 0;
  }
  const auto response = base::parse_json_object(result, {.max_bytes = result.size() + 1});
  if (action == "show") {
    print_all(*response);
    return 0;
  }
  if (!is_list) {
    print_plugin(*response);
    return 0;
  }
  const auto plugins = response->getArray("items");
  for (std::size_t i = 0; i < plugins->size(); ++i)
    print_plugin(*plugins->getObject(static_cast<unsigned>(i)));
  return 0;
}

}  // namespace tenon::app
