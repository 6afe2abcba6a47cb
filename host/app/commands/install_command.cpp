#include "app/commands/install_command.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "app/commands/arguments.hpp"
#include "app/commands/command_line.hpp"
#include "app/commands/local_commands.hpp"
#include "app/commands/registry_install.hpp"
#include "app/commands/subcommands.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"

namespace tenon::app {

namespace {

using base::JsonWriter;
using Object = Poco::JSON::Object;

Object::Ptr parse(const std::string& json) {
  return base::parse_json_object(json, {.max_bytes = json.size() + 1});
}

std::string absolute_path(const std::string& file) {
  return std::filesystem::absolute(file).lexically_normal().string();
}

std::string run(const Arguments& given, const std::string& command, const std::string& arguments) {
  return run_command(config::load(config::process_sources(given.configuration)),
                     "plugin." + command, arguments);
}

std::string one(const char* name, const std::string& value) {
  std::string text;
  JsonWriter(text).begin_object().member(name, value).end_object();
  return text;
}

std::string two(const char* name, const std::string& value, const char* other,
                const std::string& other_value) {
  std::string text;
  JsonWriter(text).begin_object().member(name, value).member(other, other_value).end_object();
  return text;
}

bool print_as_asked(const Arguments& given, const std::string& result) {
  if (!given.has("--json")) return false;
  std::printf("%s\n", result.c_str());
  return true;
}

int print_plugin(const Arguments& given, const std::string& result) {
  if (print_as_asked(given, result)) return exit_done;
  const Object::Ptr plugin = parse(result);
  std::printf("%s %s is %s\n", plugin->getValue<std::string>("id").c_str(),
              plugin->getValue<std::string>("version").c_str(),
              plugin->getValue<std::string>("state").c_str());
  return exit_done;
}

void print_key(const Object& key) {
  std::printf("%s %-8s %s%s\n", key.getValue<std::string>("number").c_str(),
              key.getValue<std::string>("trust").c_str(), key.getValue<std::string>("name").c_str(),
              key.getValue<std::string>("reason").c_str());
}

int print_one_key(const Arguments& given, const std::string& result) {
  if (!print_as_asked(given, result)) print_key(*parse(result));
  return exit_done;
}

std::vector<std::string> consents_of(const Arguments& given) {
  std::vector<std::string> consents;
  std::string codes = given.value("--consent");
  while (!codes.empty()) {
    const std::size_t end = codes.find(',');
    consents.push_back(codes.substr(0, end));
    codes = end == std::string::npos ? std::string() : codes.substr(end + 1);
  }
  if (given.has("--replace")) consents.emplace_back("replace");
  return consents;
}

std::string install_arguments(const Arguments& given) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .member("file", absolute_path(given.operands[0]))
      .key("consents")
      .begin_array();
  for (const std::string& code : consents_of(given))
    json.value(code);
  json.end_array();
  // A file, or the name of an export that the server has.
  if (const std::string data = given.value("--restore-export"); !data.empty())
    json.member("data", std::filesystem::exists(data) ? absolute_path(data) : data);
  json.end_object();
  return text;
}

// "12 added, 3 changed", or "at least 12 added" where not all could be compared.
std::string counted(const Object& change) {
  std::string text;
  const auto count = [&](const char* member, const char* what) {
    const auto number = change.getValue<std::int64_t>(member);
    if (number == 0) return;
    if (!text.empty()) text += ", ";
    text += std::to_string(number) + " " + what;
  };
  for (const char* what : {"added", "changed", "removed"})
    count(what, what);
  count("new_values", "with values in new fields");
  if (change.getValue<bool>("whole")) return text;
  std::string fields;
  const auto not_compared = change.getArray("not_compared");
  for (std::size_t i = 0; i < not_compared->size(); ++i) {
    fields += (fields.empty() ? "" : ", ") +
              not_compared->getElement<std::string>(static_cast<unsigned>(i));
  }
  if (text.empty())
    text = "not all compared";
  else
    text = "at least " + text;
  return fields.empty() ? text : text + " (" + fields + " has another type now)";
}

// A line for each kind, with the ids that the plan names.
void print_records(const Object& change) {
  const auto records = change.getObject("records");
  for (const char* kind : {"added", "changed", "removed"}) {
    const auto ids = records->getArray(kind);
    if (ids->size() == 0) continue;
    std::string line;
    for (std::size_t i = 0; i < ids->size(); ++i)
      line += " " + ids->getElement<std::string>(static_cast<unsigned>(i));
    const bool is_all =
        static_cast<std::int64_t>(ids->size()) >= change.getValue<std::int64_t>(kind);
    std::printf("    %s:%s%s\n", kind, line.c_str(), is_all ? "" : " …");
  }
}

int print_rollback_plan(const Arguments& given) {
  const std::string result = run(given, "plan_rollback", one("id", given.operands[0]));
  if (print_as_asked(given, result)) return exit_done;
  const Object::Ptr plan = parse(result);
  const std::string left = plan->getValue<std::string>("left");
  std::printf("%s %s → %s: rollback\n", plan->getValue<std::string>("id").c_str(),
              plan->getValue<std::string>("from").c_str(),
              plan->getValue<std::string>("to").c_str());
  if (!plan->getValue<bool>("restores_data")) {
    std::printf("  data: unchanged\n");
    return exit_done;
  }
  const auto changes = plan->isNull("changes") ? nullptr : plan->getArray("changes");
  if (changes && changes->size() == 0) {
    std::printf("  data: nothing changed since %s was replaced on %s\n",
                plan->getValue<std::string>("to").c_str(), left.c_str());
    return exit_done;
  }
  std::printf("  data: this discards all changes since %s\n", left.c_str());
  for (std::size_t i = 0; changes && i < changes->size(); ++i) {
    const auto change = changes->getObject(static_cast<unsigned>(i));
    std::printf("  data: %s: %s\n", change->getValue<std::string>("table").c_str(),
                counted(*change).c_str());
    print_records(*change);
  }
  if (plan->getValue<bool>("may_keep_data"))
    std::printf("  --data-policy keep loses no data: both versions can use the current data\n");
  return exit_done;
}

std::string file_of_export(const Arguments& given, const std::string& name) {
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  return absolute_path(settings.data + "/exports/" + name);
}

void print_lines(const Object& plan, const char* member, const char* before) {
  const auto items = plan.getArray(member);
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto item = items->getObject(static_cast<unsigned>(i));
    std::printf("  %s %s: %s\n", before, item->getValue<std::string>("code").c_str(),
                item->getValue<std::string>("message").c_str());
  }
}

void print_data_plan(const Object& data) {
  const auto steps = data.getArray("steps");
  for (std::size_t i = 0; i < steps->size(); ++i) {
    const auto step = steps->getObject(static_cast<unsigned>(i));
    const std::string phase = step->getValue<std::string>("kind") == "run_migration"
                                  ? step->getValue<std::string>("phase")
                                  : std::string();
    std::printf("  data: %s%s\n", step->getValue<std::string>("text").c_str(),
                phase.empty() ? "" : (" (" + phase + ")").c_str());
  }
  const std::string blocked_by = data.getValue<std::string>("blocked_by");
  if (!blocked_by.empty())
    std::printf("  data: requests wait during the migration: %s\n", blocked_by.c_str());
  else if (data.getValue<bool>("phased") && steps->size() != 0)
    std::printf("  data: requests are served during the migration\n");
}

}  // namespace

int install_plugin(const Arguments& given) {
  if (const auto wanted = registry_word(given.operands[0])) {
    if (!given.value("--restore-export").empty()) {
      throw UsageError(
          "--restore-export needs a package file; download it from the registry first");
    }
    const std::string result =
        install_from_registry(given, *wanted, consents_of(given), given.has("--with-required"));
    return print_plugin(given, result);
  }
  if (given.has("--with-required")) {
    throw UsageError(
        "--with-required needs the id of a plugin in the registry; install the plugins that a "
        "package file requires first");
  }
  return print_plugin(given, run(given, "install", install_arguments(given)));
}

int rollback_plugin(const Arguments& given) {
  if (given.has("--plan")) return print_rollback_plan(given);
  return print_plugin(
      given,
      run(given, "rollback", two("id", given.operands[0], "data", given.value("--data-policy"))));
}

int remove_plugin(const Arguments& given) {
  const std::string data = given.value("--data-policy");
  const std::string choice = data.empty() ? "keep" : data;
  const std::string result = run(given, "remove", two("id", given.operands[0], "data", choice));
  if (print_as_asked(given, result)) return exit_done;
  if (choice == "export") {
    std::printf("%s removed, data exported to %s\n", given.operands[0].c_str(),
                file_of_export(given, parse(result)->getValue<std::string>("export")).c_str());
    return exit_done;
  }
  std::printf("%s removed, data %s\n", given.operands[0].c_str(),
              choice == "purge" ? "deleted" : "kept");
  return exit_done;
}

int list_exports(const Arguments& given) {
  const std::string result = run(given, "exports", "{}");
  if (print_as_asked(given, result)) return exit_done;
  const auto items = parse(result)->getArray("items");
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Object::Ptr item = items->getObject(static_cast<unsigned>(i));
    std::printf("%s\n", file_of_export(given, item->getValue<std::string>("name")).c_str());
    if (item->isNull("facts")) {
      std::printf("  %s\n", item->getObject("reason")->getValue<std::string>("message").c_str());
      continue;
    }
    const Object::Ptr facts = item->getObject("facts");
    std::printf("  %s %s, taken %s, %s records, %s files, %s bytes\n",
                facts->getValue<std::string>("plugin").c_str(),
                facts->getValue<std::string>("version").c_str(),
                facts->getValue<std::string>("taken").c_str(),
                facts->getValue<std::string>("records").c_str(),
                facts->getValue<std::string>("files").c_str(),
                item->getValue<std::string>("bytes").c_str());
  }
  return exit_done;
}

int delete_export(const Arguments& given) {
  const std::string result = run(given, "delete_export", one("name", given.operands[0]));
  if (!print_as_asked(given, result)) std::printf("%s deleted\n", given.operands[0].c_str());
  return exit_done;
}

int trust_key(const Arguments& given) {
  const std::string key = plugins::read_bounded(given.operands[0], plugins::PackageLimits::key_file,
                                                "plugins.signature_key_invalid");
  return print_one_key(given, run(given, "trust", two("key", key, "name", given.value("--name"))));
}

int revoke_key(const Arguments& given) {
  return print_one_key(
      given,
      run(given, "revoke", two("key", given.operands[0], "reason", given.value("--reason"))));
}

int forget_key(const Arguments& given) {
  const std::string result = run(given, "forget", one("key", given.operands[0]));
  if (!print_as_asked(given, result)) std::printf("%s is forgotten\n", given.operands[0].c_str());
  return exit_done;
}

int list_keys(const Arguments& given) {
  const std::string result = run(given, "keys", "{}");
  if (print_as_asked(given, result)) return exit_done;
  const auto items = parse(result)->getArray("items");
  for (std::size_t i = 0; i < items->size(); ++i)
    print_key(*items->getObject(static_cast<unsigned>(i)));
  return exit_done;
}

int print_package_plan(const Arguments& given) {
  const auto wanted = registry_word(given.operands[0]);
  const std::string result =
      wanted ? plan_in_registry(given, *wanted)
             : run(given, "plan_install", one("file", absolute_path(given.operands[0])));
  const Object::Ptr plan = parse(result);
  const bool is_refused = plan->getArray("refusals")->size() > 0;
  if (print_as_asked(given, result)) return is_refused ? exit_refused : exit_done;
  const auto signer = plan->getObject("signer");
  const std::string from = plan->getValue<std::string>("from");
  std::printf("%s %s%s%s: %s\n", plan->getValue<std::string>("id").c_str(), from.c_str(),
              from.empty() ? "" : " → ", plan->getValue<std::string>("to").c_str(),
              plan->getValue<std::string>("change").c_str());
  std::printf("  signed by %s %s (%s)\n", signer->getValue<std::string>("key").c_str(),
              signer->getValue<std::string>("name").c_str(),
              signer->getValue<std::string>("trust").c_str());
  for (const auto& server : *plan->getArray("outgoing"))
    std::printf("  may send requests to %s\n", server.convert<std::string>().c_str());
  const auto paths = plan->getArray("public_paths");
  for (std::size_t i = 0; i < paths->size(); ++i) {
    const auto path = paths->getObject(static_cast<unsigned>(i));
    std::printf("  asks for the public path %s (%s)\n", path->getValue<std::string>("path").c_str(),
                path->getValue<std::string>("title").c_str());
  }
  if (!plan->isNull("data")) print_data_plan(*plan->getObject("data"));
  print_lines(*plan, "consents", "needs your consent to");
  print_lines(*plan, "refusals", "refused:");
  return is_refused ? exit_refused : exit_done;
}

}  // namespace tenon::app
