#include "codegen/settings_header.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "codegen/cpp_names.hpp"

namespace tenon::codegen {

namespace {

using base::JsonSlice;
using base::JsonType;

// Of std::uint8_t; a setting with more choices is a text.
constexpr std::size_t max_enum_values = 256;

std::optional<JsonSlice> member(const JsonSlice& object, std::string_view name) {
  std::optional<JsonSlice> found;
  if (object.type() != JsonType::object) return found;
  object.each_member([&](const std::string& key, const JsonSlice& value) {
    if (key == name) found = value;
  });
  return found;
}

std::string text_of(const JsonSlice& object, std::string_view name) {
  const auto found = member(object, name);
  return found && found->type() == JsonType::string ? found->string() : std::string();
}

// Returns the texts of an `enum` that has nothing but different texts, else none.
std::vector<std::string> choices_of(const JsonSlice& property) {
  std::vector<std::string> choices;
  const auto found = member(property, "enum");
  if (!found || found->type() != JsonType::array) return choices;
  bool has_others = false;
  found->each_element([&](const JsonSlice& value) {
    if (value.type() == JsonType::string)
      choices.push_back(value.string());
    else
      has_others = true;
  });
  if (has_others || choices.size() > max_enum_values) choices.clear();
  return choices;
}

std::string plain_type(const JsonSlice& property) {
  const std::string type = text_of(property, "type");
  if (type == "string") return "std::string";
  if (type == "integer") return "std::int64_t";
  if (type == "number") return "double";
  if (type == "boolean") return "bool";
  if (type == "array") {
    const auto items = member(property, "items");
    const std::string one = items ? plain_type(*items) : "tenon::Json";
    if (one != "tenon::Json") return "std::vector<" + one + ">";
  }
  return "tenon::Json";
}

class SettingsHeader {
 public:
  explicit SettingsHeader(const JsonSlice& manifest)
      : space_(identifier(text_of(manifest, "id")) + "::settings") {
    names_.take("choices_of");
    const auto schema = member(manifest, "settings");
    const auto properties = schema ? member(*schema, "properties") : std::nullopt;
    if (!properties || properties->type() != JsonType::object) return;
    properties->each_member(
        [this](const std::string& key, const JsonSlice& value) { add(key, value); });
  }

  std::string write() const {
    return "// Made of plugin.json by tenon-types: what is written here is lost.\n"
           "#pragma once\n\n"
           "#include <array>\n#include <cstdint>\n#include <optional>\n#include <string>\n"
           "#include <string_view>\n#include <vector>\n\n#include <tenon/setting.hpp>\n\n"
           "namespace " +
           space_ + " {\n\n" + enums_ + constants_ + "\n}  // namespace " + space_ + "\n";
  }

 private:
  void add(const std::string& key, const JsonSlice& property) {
    std::string name = choice_identifier(key);
    // A key may begin with a digit.
    if (name.front() == '_') name.insert(0, "setting");
    name = names_.take(std::move(name));
    const std::vector<std::string> choices = choices_of(property);
    const std::string type =
        choices.empty() ? plain_type(property) : add_enum(key, upper_camel(name), choices);
    const bool has_default = member(property, "default").has_value();
    std::string words = text_of(property, "title");
    if (const std::string description = text_of(property, "description"); !description.empty())
      words.append(words.empty() ? "" : ". ").append(description);
    constants_ += doc_comment(words, "");
    constants_ += "inline constexpr tenon::Setting<" +
                  (has_default ? type : "std::optional<" + type + ">") + "> " + name + "{" +
                  string_literal(key) + "};\n";
  }

  std::string add_enum(const std::string& key, const std::string& wanted,
                       const std::vector<std::string>& choices) {
    const std::string name = names_.take(wanted);
    enums_ += choice_enum(name, key, choices);
    return name;
  }

  std::string space_;
  NameScope names_;
  std::string enums_;
  std::string constants_;
};

}  // namespace

std::string settings_header(std::string_view manifest) {
  base::check_json(manifest);
  const JsonSlice top(manifest);
  if (text_of(top, "id").empty())
    throw base::Error(422, "plugins.manifest_invalid", "The manifest has no id.");
  return SettingsHeader(top).write();
}

}  // namespace tenon::codegen
