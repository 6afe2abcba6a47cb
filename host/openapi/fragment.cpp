#include "openapi/fragment.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"

namespace tenon::openapi {

namespace {

using base::JsonSlice;
using base::JsonType;

constexpr std::array<std::string_view, 4> sections = {"parameters", "responses", "requestBodies",
                                                      "schemas"};

[[noreturn]] void refuse(const std::string& member, std::string_view why) {
  throw base::Error(422, "openapi.invalid",
                    "The description of the route: " + member + " " + std::string(why) + ".");
}

void require(const std::string& member, const JsonSlice& value, JsonType type, const char* what) {
  if (value.type() != type) refuse(member, what);
}

bool is_component_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string_view::npos;
}

bool is_status(std::string_view text) {
  return text == "default" || (text.size() == 3 && text[0] >= '1' && text[0] <= '5' &&
                               (text.substr(1) == "XX" ||
                                text.find_first_not_of("0123456789") == std::string_view::npos));
}

void read_components(const JsonSlice& json, std::vector<Component>& components) {
  json.each_member([&](const std::string& section, const JsonSlice& members) {
    const std::string location = "x-components/" + section;
    if (std::find(sections.begin(), sections.end(), section) == sections.end())
      refuse(location, "is none of parameters, responses, requestBodies and schemas");
    require(location, members, JsonType::object, "is no object");
    members.each_member([&](const std::string& name, const JsonSlice& value) {
      if (!is_component_name(name)) refuse(location + "/" + name, "is no name of a component");
      require(location + "/" + name, value, JsonType::object, "is no object");
      components.push_back({section, name, std::string(value.text())});
    });
  });
}

}  // namespace

Fragment read_fragment(std::string_view text) {
  Fragment fragment;
  if (text.empty()) return fragment;
  try {
    base::check_json(text, {.max_bytes = max_fragment_bytes});
  } catch (const base::Error& error) {
    refuse("the text", "cannot be read: " + error.message());
  }
  const JsonSlice json(text);
  require("the text", json, JsonType::object, "is no object");
  json.each_member([&](const std::string& name, const JsonSlice& value) {
    if (name == "description") {
      require(name, value, JsonType::string, "is no text");
      fragment.description = value.string();
    } else if (name == "parameters") {
      require(name, value, JsonType::array, "is no list");
      value.each_element([&](const JsonSlice& one) {
        require("parameters/" + std::to_string(fragment.parameters.size()), one, JsonType::object,
                "is no object");
        fragment.parameters.emplace_back(one.text());
      });
    } else if (name == "requestBody") {
      require(name, value, JsonType::object, "is no object");
      fragment.request_body = value.text();
    } else if (name == "responses") {
      require(name, value, JsonType::object, "is no object");
      value.each_member([&](const std::string& status, const JsonSlice& one) {
        if (!is_status(status)) refuse("responses/" + status, "is no status");
        require("responses/" + status, one, JsonType::object, "is no object");
        fragment.responses.emplace_back(status, one.text());
      });
    } else if (name == "x-components") {
      require(name, value, JsonType::object, "is no object");
      read_components(value, fragment.components);
    } else {
      refuse(name, "is none of description, parameters, requestBody, responses and x-components");
    }
  });
  return fragment;
}

Fragment read_fragment_of(std::string_view owner, std::string_view text) {
  Fragment fragment = read_fragment(text);
  const std::string begin = std::string(owner) + ".";
  for (const Component& component : fragment.components) {
    if (!component.name.starts_with(begin)) {
      refuse("x-components/" + component.section + "/" + component.name,
             "does not begin with \"" + begin + "\"");
    }
  }
  return fragment;
}

}  // namespace tenon::openapi
