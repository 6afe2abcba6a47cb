#include "settings/schema.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/poco_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/json.hpp"

namespace tenon::settings {

namespace {

using Object = Poco::JSON::Object;
using Adapter = valijson::adapters::PocoJsonAdapter;

Poco::Dynamic::Var parse_value(std::string_view json) {
  const auto parsed =
      base::parse_json("[" + std::string(json) + "]", {.max_bytes = json.size() + 2});
  return parsed.extract<Poco::JSON::Array::Ptr>()->get(0);
}

std::string text_of(const Poco::Dynamic::Var& value) {
  std::ostringstream out;
  Poco::JSON::Stringifier::stringify(value, out, 0, -1, Poco::JSON_WRAP_STRINGS);
  return out.str();
}

Property read_property(const std::string& key, const Poco::Dynamic::Var& value) {
  Property property;
  property.key = key;
  if (value.type() == typeid(bool)) return property;  // a schema that accepts all, or nothing
  if (value.type() != typeid(Object::Ptr))
    throw SchemaFault{key, "A setting is declared by a JSON Schema, which is an object."};
  const auto& schema = value.extract<Object::Ptr>();
  if (const auto type = schema->get("type"); type.isString()) property.type = type.toString();
  for (const auto& [name, text] : {std::pair<const char*, std::string*>{"title", &property.title},
                                   {"description", &property.description}}) {
    if (const auto found = schema->get(name); found.isString()) *text = found.toString();
  }
  if (schema->has("default")) property.default_json = text_of(schema->get("default"));
  const auto secret = schema->get("writeOnly");
  if (!secret.isEmpty() && secret.type() != typeid(bool))
    throw SchemaFault{key, "\"writeOnly\" is true or false."};
  property.is_secret = !secret.isEmpty() && secret.extract<bool>();
  if (property.is_secret && !property.default_json.empty())
    throw SchemaFault{
        key, "A secret (\"writeOnly\") has no default: every installation would share it."};
  return property;
}

// The choices of an enum, for the message; empty if there are too many to read.
std::string choices_of(const Object::Ptr& schema) {
  constexpr std::size_t max_choices = 12;
  if (!schema || !schema->isArray("enum")) return {};
  const auto choices = schema->getArray("enum");
  if (choices->size() > max_choices) return {};
  std::vector<std::string> texts;
  for (const auto& choice : *choices)
    texts.push_back(choice.isString() ? choice.toString() : text_of(choice));
  return base::join(texts);
}

// The member `name` of a property's schema as text; empty if it is missing.
std::string limit_of(const Object::Ptr& schema, const char* name) {
  return schema && schema->has(name) ? text_of(schema->get(name)) : std::string();
}

// valijson's sentences name constraints. These name what the admin can do, for the usual ones.
base::FieldError plain(const std::string& key, const Object::Ptr& schema,
                       const std::string& found) {
  const auto has = [&](const char* words) { return found.find(words) != std::string::npos; };
  const auto limit = [&](const char* name) { return limit_of(schema, name); };
  if (has("enum values")) {
    const std::string choices = choices_of(schema);
    return {
        key, "unknown",
        choices.empty() ? "Choose one of the declared values." : "Choose one of: " + choices + "."};
  }
  if (has("not permitted by 'type'") && schema && schema->get("type").isString())
    return {key, "wrong_type", "This must be of the type " + schema->get("type").toString() + "."};
  if (has("less than") && !limit("maximum").empty())
    return {key, "too_large", "This must be at most " + limit("maximum") + "."};
  if (has("greater than") && !limit("minimum").empty())
    return {key, "too_small", "This must be at least " + limit("minimum") + "."};
  if (has("no more than") && !limit("maxLength").empty())
    return {key, "too_long", "Use at most " + limit("maxLength") + " characters."};
  if (has("no fewer than") && !limit("minLength").empty())
    return {key, "too_short", "Use at least " + limit("minLength") + " characters."};
  if (has("'pattern'")) return {key, "invalid", "This must match " + limit("pattern") + "."};
  return {key, "invalid", found};
}

void check_pattern(const std::string& pattern) {
  try {
    const std::regex compiled(pattern);
  } catch (const std::regex_error& failure) {
    throw SchemaFault{
        {},
        "The pattern \"" + pattern + "\" is no regular expression (ECMAScript): " + failure.what()};
  }
}

bool check_keyword(const std::string& name, const Poco::Dynamic::Var& value) {
  if (name == "$ref" && value.isString())
    throw SchemaFault{{}, "\"$ref\" is not supported: write the schema in its place."};
  if (name == "multipleOf" && value.isNumeric() && !(value.convert<double>() > 0))
    throw SchemaFault{{}, "\"multipleOf\" must be greater than 0."};
  if (name == "pattern" && value.isString()) {
    check_pattern(value.toString());
    return true;
  }
  if (name != "patternProperties" || value.type() != typeid(Object::Ptr)) return false;
  for (const std::string& pattern : value.extract<Object::Ptr>()->getNames())
    check_pattern(pattern);
  return true;
}

// Throws SchemaFault for what valijson cannot take: references, which may lead to themselves;
// regular expressions that std::regex cannot read; a multipleOf that is not positive, by which it
// would divide. Returns whether the schema has a pattern.
bool check_keywords(const Poco::Dynamic::Var& schema) {
  bool has_pattern = false;
  if (schema.type() == typeid(Poco::JSON::Array::Ptr)) {
    for (const auto& item : *schema.extract<Poco::JSON::Array::Ptr>())
      has_pattern |= check_keywords(item);
  }
  if (schema.type() != typeid(Object::Ptr)) return has_pattern;
  for (const auto& [name, value] : *schema.extract<Object::Ptr>()) {
    // These hold values, not schemas.
    if (name == "default" || name == "const" || name == "enum" || name == "examples") continue;
    has_pattern |= check_keyword(name, value);
    has_pattern |= check_keywords(value);
  }
  return has_pattern;
}

constexpr std::size_t key_at = 1;  // after "<root>"
constexpr std::size_t value_depth = key_at + 1;

// "[items][2]": where a fault lies inside a value.
std::string location_in(const std::vector<std::string>& path) {
  std::string location;
  for (std::size_t i = value_depth; i < path.size(); ++i)
    location += path[i];
  return location;
}

// Whether valijson reports a fault of the whole object that is reported for its value, too.
bool is_repeated(std::string_view description) noexcept {
  return description.starts_with("Missing required property") ||
         description.starts_with("Failed to validate against schema associated with");
}

// The key in valijson's path to a fault, "<root>" "[key]"; empty for the whole object.
std::string key_of(const std::vector<std::string>& path) {
  if (path.size() <= key_at || path[key_at].size() < 2) return {};
  return path[key_at].substr(1, path[key_at].size() - 2);
}

}  // namespace

class Schema::Compiled {
 public:
  explicit Compiled(const Poco::Dynamic::Var& document) : object_(document.extract<Object::Ptr>()) {
    if (const auto properties = object_->getObject("properties")) {
      for (const auto& [key, value] : *properties) {
        if (check_keywords(value)) matched_.insert(key);
      }
    }
    for (const auto& [name, value] : *object_) {
      if (name == "properties") continue;
      matches_all_ |= check_keyword(name, value);
      matches_all_ |= check_keywords(value);
    }
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(Adapter(document), schema_);
  }

  Object::Ptr property(const std::string& key) const {
    const auto properties = object_->getObject("properties");
    return properties ? properties->getObject(key) : nullptr;
  }

  std::vector<base::FieldError> check(const Values& values) const {
    Object::Ptr target = new Object;
    std::vector<base::FieldError> errors;
    for (const auto& [key, json] : values) {
      const auto value = parse_value(json);
      if (json.size() > max_pattern_text && (matches_all_ || matched_.contains(key))) {
        errors.push_back({key, "too_long",
                          "Use at most " + std::to_string(max_pattern_text) +
                              " bytes, because the value is matched with a pattern."});
        continue;
      }
      target->set(key, value);
    }
    if (!errors.empty()) return errors;
    if (const auto required = object_->getArray("required")) {
      for (const auto& key : *required) {
        if (key.isString() && !target->has(key.toString()))
          errors.push_back({key.toString(), "required", "This setting must have a value."});
      }
    }
    valijson::ValidationResults results;
    valijson::Validator validator;
    try {
      if (validator.validate(schema_, Adapter(Poco::Dynamic::Var(target)), &results)) return errors;
    } catch (const std::regex_error& failure) {
      return {{{},
               "invalid",
               std::string("A pattern of the schema is too complex for the values: ") +
                   failure.what()}};
    }
    for (const auto& result : results) {
      const std::string key = key_of(result.context);
      const bool is_known = std::any_of(errors.begin(), errors.end(),
                                        [&](const auto& error) { return error.field == key; });
      // Report one fault for each value.
      if (is_known || is_repeated(result.description)) continue;
      errors.push_back(
          result.context.size() <= value_depth
              ? plain(key, property(key), result.description)
              : base::FieldError{key, "invalid",
                                 "At " + location_in(result.context) + ": " + result.description});
    }
    return errors;
  }

 private:
  Object::Ptr object_;
  valijson::Schema schema_;
  std::set<std::string> matched_;  ///< keys whose values are matched with a pattern
  bool matches_all_ = false;       ///< a pattern outside of `properties` may match any value
};

Schema::Schema(std::string_view json) : json_(json) {
  const auto document = base::parse_json(json, {.max_bytes = json.size() + 1});
  if (document.type() != typeid(Object::Ptr))
    throw SchemaFault{{}, "Settings are declared by a JSON Schema, which is an object."};
  const auto& object = document.extract<Object::Ptr>();
  if (object->isArray("properties") ||
      (object->has("properties") && !object->isObject("properties")))
    throw SchemaFault{{}, "\"properties\" is an object: a JSON Schema for each setting."};
  if (const auto properties = object->getObject("properties")) {
    for (const auto& [key, value] : *properties)
      properties_.push_back(read_property(key, value));
  }
  try {
    compiled_ = std::make_unique<const Compiled>(document);
  } catch (const std::exception& failure) {
    throw SchemaFault{{}, std::string("This is no valid JSON Schema: ") + failure.what()};
  }
  Values defaults = with_defaults({});
  for (const auto& [key, value] : defaults) {
    for (const base::FieldError& error : check({{key, value}})) {
      if (error.field == key)
        throw SchemaFault{key, "The default is refused by its own schema: " + error.message};
    }
  }
}

Schema::~Schema() = default;

const Property* Schema::find(std::string_view key) const noexcept {
  const auto found = std::lower_bound(
      properties_.begin(), properties_.end(), key,
      [](const Property& one, std::string_view wanted) { return one.key < wanted; });
  return found != properties_.end() && found->key == key ? &*found : nullptr;
}

Values Schema::with_defaults(const Values& stored) const {
  Values values = stored;
  for (const Property& property : properties_) {
    if (!property.default_json.empty()) values.emplace(property.key, property.default_json);
  }
  return values;
}

std::vector<base::FieldError> Schema::check(const Values& values) const {
  return compiled_->check(values);
}

std::vector<base::FieldError> Schema::check_change(const Values& stored, const std::string& key,
                                                   const std::string& json) const {
  Values values = stored;
  if (json.empty())
    values.erase(key);
  else
    values.insert_or_assign(key, json);
  const auto is_of_object = [](const base::FieldError& error) { return error.field.empty(); };
  const std::vector<base::FieldError> before = check(with_defaults(stored));
  const bool was_invalid = std::any_of(before.begin(), before.end(), is_of_object);
  std::vector<base::FieldError> errors = check(with_defaults(values));
  std::erase_if(errors, [&](const base::FieldError& error) {
    return is_of_object(error) ? was_invalid : error.field != key;
  });
  return errors;
}

}  // namespace tenon::settings
