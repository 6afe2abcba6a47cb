#include "admin_api/plugins/settings_admin.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "observability/audit.hpp"
#include "settings/store.hpp"

namespace tenon::console {

namespace {

using settings::Change;
using settings::Property;
using settings::Schema;
using settings::Values;

constexpr const char* invalid_code = "plugins.settings_invalid";

[[noreturn]] void refuse(std::vector<base::FieldError> errors) {
  std::string message = "The settings were not changed: " + errors.front().message;
  throw base::Error(422, invalid_code, std::move(message), std::move(errors));
}

base::FieldError unknown_setting(const std::string& key) {
  return {key, "unknown", "This plugin has no setting with this name."};
}

const Schema& require_schema(const std::shared_ptr<const Schema>& schema, const std::string& id) {
  if (schema) return *schema;
  throw base::Error(409, "plugins.no_settings", "The plugin \"" + id + "\" declares no settings.");
}

// "null" is no value.
Change change_to(const Property& property, std::string_view json) {
  return {property.key, json == "null" ? std::string() : std::string(json), property.is_secret};
}

void apply(Values& values, const Change& change) {
  if (change.json.empty())
    values.erase(change.key);
  else
    values.insert_or_assign(change.key, change.json);
}

// Keeps what differs from the stored values.
std::vector<Change> differing(std::vector<Change> wanted, const Values& stored) {
  std::erase_if(wanted, [&stored](const Change& change) {
    const auto found = stored.find(change.key);
    return found == stored.end() ? change.json.empty() : found->second == change.json;
  });
  return wanted;
}

}  // namespace

std::string SettingsAdmin::show(const std::string& id) const {
  const std::shared_ptr<const Schema> schema = find_schema_(id);
  const Values stored = schema ? store_.read(id) : Values();
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("schema");
  if (schema)
    json.raw(schema->json());
  else
    json.null();
  json.key("values").begin_object();
  const std::vector<Property> none;
  const std::vector<Property>& properties = schema ? schema->properties() : none;
  for (const Property& property : properties) {
    const auto found = stored.find(property.key);
    if (found != stored.end() && !property.is_secret) json.key(property.key).raw(found->second);
  }
  json.end_object().key("secrets").begin_array();
  for (const Property& property : properties) {
    if (property.is_secret && stored.contains(property.key)) json.value(property.key);
  }
  json.end_array().key("errors").begin_array();
  for (const base::FieldError& error :
       schema ? schema->check(schema->with_defaults(stored)) : std::vector<base::FieldError>()) {
    json.begin_object().member("field", error.field).member("code", error.code);
    json.member("message", error.message).end_object();
  }
  json.end_array().end_object();
  return text;
}

void SettingsAdmin::change(const std::string& id, std::vector<Change> wanted, bool is_whole,
                           const Schema& schema, const std::string& actor) {
  std::vector<std::string> changed;
  store_.change(id, [&](const Values& stored) {
    Values values = stored;
    for (const Change& change : wanted)
      apply(values, change);
    // One value is not refused because of another one that is invalid or missing already.
    std::vector<base::FieldError> errors =
        is_whole ? schema.check(schema.with_defaults(values))
                 : schema.check_change(stored, wanted.front().key, wanted.front().json);
    if (!errors.empty()) refuse(std::move(errors));
    std::vector<Change> changes = differing(std::move(wanted), stored);
    for (const Change& change : changes)
      changed.push_back(change.key);
    return changes;
  });
  if (changed.empty()) return;
  std::string details;
  base::JsonWriter json(details);
  json.begin_object().key("settings").begin_array();
  for (const std::string& key : changed)
    json.value(key);
  json.end_array().end_object();
  audit_.record(
      {.actor = actor, .action = "plugins.settings_changed", .object = id, .details = details});
}

std::string SettingsAdmin::replace(const std::string& id, std::string_view body,
                                   const std::string& actor) {
  const std::shared_ptr<const Schema> found = find_schema_(id);
  const Schema& schema = require_schema(found, id);
  base::check_json(body, {.max_bytes = max_body_bytes});
  Values given;
  std::vector<base::FieldError> errors;
  bool has_values = false;
  const base::JsonSlice document(body);
  if (document.type() == base::JsonType::object) {
    document.each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (name != "values") {
        errors.push_back({name, "unknown", "This member is unknown. Send {\"values\":{…}}."});
        return;
      }
      has_values = value.type() == base::JsonType::object;
      if (!has_values) return;
      value.each_member([&](const std::string& key, const base::JsonSlice& one) {
        if (!schema.find(key))
          errors.push_back(unknown_setting(key));
        else if (one.text().size() > settings::max_value_bytes)
          errors.push_back({key, "too_long", "A setting has at most 64 KiB."});
        given.emplace(key, one.text());
      });
    });
  }
  if (!has_values)
    errors.push_back({"values", "required", "Send an object with the value of each setting."});
  if (!errors.empty()) refuse(std::move(errors));

  std::vector<Change> wanted;
  for (const Property& property : schema.properties()) {
    const auto value = given.find(property.key);
    if (value != given.end())
      wanted.push_back(change_to(property, value->second));
    else if (!property.is_secret)
      wanted.push_back(change_to(property, "null"));
  }
  change(id, std::move(wanted), true, schema, actor);
  return show(id);
}

std::string SettingsAdmin::set(const std::string& id, const std::string& key, std::string_view json,
                               const std::string& actor) {
  const std::shared_ptr<const Schema> found = find_schema_(id);
  const Schema& schema = require_schema(found, id);
  const Property* property = schema.find(key);
  if (!property) refuse({unknown_setting(key)});
  if (json.size() > settings::max_value_bytes)
    refuse({{key, "too_long", "A setting has at most 64 KiB."}});
  base::check_json(json, {.max_bytes = settings::max_value_bytes});
  change(id, {change_to(*property, base::JsonSlice(json).text())}, false, schema, actor);
  return show(id);
}

}  // namespace tenon::console
