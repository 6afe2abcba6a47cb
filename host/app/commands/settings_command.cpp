#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "app/commands/arguments.hpp"
#include "app/commands/local_commands.hpp"
#include "app/commands/subcommands.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"
#include "settings/schema.hpp"

namespace tenon::app {

namespace {

// The response of the server: a schema and the stored values.
struct StoredSettings {
  explicit StoredSettings(const std::string& json) {
    base::JsonSlice(json).each_member(
        [this](const std::string& name, const base::JsonSlice& value) {
          if (name == "schema" && !value.is_null())
            schema = std::make_unique<settings::Schema>(value.text());
          if (name == "values")
            value.each_member([this](const std::string& key, const base::JsonSlice& one) {
              values.emplace(key, one.text());
            });
          if (name == "secrets")
            value.each_element(
                [this](const base::JsonSlice& key) { values.emplace(key.string(), ""); });
          if (name == "errors") errors = value.text();
        });
  }
  std::unique_ptr<settings::Schema> schema;
  settings::Values values;  // a secret has an empty text
  std::string errors;
};

// A string without its quotes; other values as JSON.
std::string shown(const std::string& json) {
  const base::JsonSlice value(json);
  return value.type() == base::JsonType::string ? value.string() : json;
}

std::string text_of(const StoredSettings& stored, const settings::Property& property) {
  const auto found = stored.values.find(property.key);
  if (property.is_secret) return found == stored.values.end() ? "(not set)" : "(secret)";
  if (found != stored.values.end()) return shown(found->second);
  return property.default_json.empty() ? "(not set)" : shown(property.default_json) + "  (default)";
}

// VALUE as JSON: a text for a setting that is one, else what is JSON, else a text.
std::string json_of(const settings::Property& property, const std::string& word) {
  if (property.type != "string") {
    try {
      base::check_json(word);
      return word;
    } catch (const base::Error&) {  // a text: the schema decides whether it is allowed
    }
  }
  std::string json;
  base::append_json_string(json, word);
  return json;
}

std::string read_line() {
  std::string line;
  if (!std::getline(std::cin, line))
    throw UsageError("VALUE is \"-\" and standard input has no line");
  return line;
}

std::string arguments_of(const std::string& id) {
  std::string text;
  base::JsonWriter(text).begin_object().member("id", id).end_object();
  return text;
}

const settings::Property& require_property(const StoredSettings& stored, const std::string& id,
                                           const std::string& key) {
  const settings::Property* property = stored.schema ? stored.schema->find(key) : nullptr;
  if (property) return *property;
  throw base::Error(422, "plugins.settings_invalid",
                    "The plugin \"" + id + "\" has no setting \"" + key +
                        "\". List them with: tenon plugin settings " + id);
}

int print_all(const StoredSettings& stored, const std::string& id) {
  if (!stored.schema || stored.schema->properties().empty()) {
    std::printf("The plugin \"%s\" declares no settings.\n", id.c_str());
    return 0;
  }
  for (const settings::Property& property : stored.schema->properties())
    std::printf("%s = %s\n", property.key.c_str(), text_of(stored, property).c_str());
  return 0;
}

}  // namespace

int plugin_settings(const Arguments& given) {
  const bool has_default = given.has("--default");
  const std::size_t count = given.operands.size();
  if (has_default && count != 2) throw UsageError("--default needs ID and KEY, and no VALUE");
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  const std::string& id = given.operands[0];
  std::string result = run_command(settings, "plugin.settings", arguments_of(id));
  if (count > 1) {
    const StoredSettings stored(result);
    const settings::Property& property = require_property(stored, id, given.operands[1]);
    if (count == 2 && !has_default) {
      if (!given.has("--json")) {
        std::printf("%s\n", text_of(stored, property).c_str());
        return 0;
      }
    } else {
      const std::string word = has_default                ? ""
                               : given.operands[2] == "-" ? read_line()
                                                          : given.operands[2];
      std::string arguments;
      base::JsonWriter(arguments)
          .begin_object()
          .member("id", id)
          .member("key", property.key)
          .member("json", has_default ? "null" : json_of(property, word))
          .end_object();
      result = run_command(settings, "plugin.set_setting", arguments);
      if (!given.has("--json")) {
        std::printf("%s = %s\n", property.key.c_str(),
                    text_of(StoredSettings(result), property).c_str());
        return 0;
      }
    }
  }
  if (given.has("--json")) {
    std::printf("%s\n", result.c_str());
    return 0;
  }
  return print_all(StoredSettings(result), id);
}

}  // namespace tenon::app
