#include "engines/tests/schema/json_schema.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <Poco/JSON/Array.h>

#include "schema/findings.hpp"

namespace tenon::data::test {

namespace {

using Poco::Dynamic::Var;
using Poco::JSON::Array;
using Poco::JSON::Object;

bool is_object(const Var& value) {
  return value.type() == typeid(Object::Ptr);
}
bool is_array(const Var& value) {
  return value.type() == typeid(Array::Ptr);
}
bool is_number(const Var& value) {
  return value.isNumeric() && !value.isBoolean();
}

std::string text_of(const Var& value) {
  std::ostringstream text;
  Poco::JSON::Stringifier::stringify(value, text);
  return text.str();
}

bool has_type(const Var& value, const std::string& type) {
  if (type == "object") return is_object(value);
  if (type == "array") return is_array(value);
  if (type == "string") return value.isString();
  if (type == "boolean") return value.isBoolean();
  if (type == "number") return is_number(value);
  if (type == "integer") return is_number(value) && value.isInteger();
  throw std::logic_error("type " + type);
}

}  // namespace

bool JsonSchema::check(const Var& schema, const Var& value, Names& evaluated) const {
  if (schema.isBoolean()) return schema.extract<bool>();
  const auto& object = schema.extract<Object::Ptr>();
  static const std::set<std::string> known = {"$schema",
                                              "$id",
                                              "$defs",
                                              "title",
                                              "description",
                                              "type",
                                              "required",
                                              "properties",
                                              "additionalProperties",
                                              "unevaluatedProperties",
                                              "items",
                                              "minItems",
                                              "maxItems",
                                              "uniqueItems",
                                              "minLength",
                                              "maxLength",
                                              "pattern",
                                              "minimum",
                                              "maximum",
                                              "enum",
                                              "const",
                                              "allOf",
                                              "anyOf",
                                              "not",
                                              "if",
                                              "then",
                                              "$ref"};
  for (const auto& [key, ignored] : *object) {
    if (!known.contains(key)) throw std::logic_error("keyword " + key);
  }
  Names own;
  const bool fits = check_scalar(*object, value) && check_array(*object, value) &&
                    check_object(*object, value, own) && check_combined(*object, value, own);
  if (!fits) return false;
  if (object->has("unevaluatedProperties") && is_object(value)) {
    for (const auto& [key, ignored] : *value.extract<Object::Ptr>()) {
      if (!own.contains(key)) return false;
    }
  }
  evaluated.insert(own.begin(), own.end());
  return true;
}

bool JsonSchema::check_scalar(const Object& schema, const Var& value) const {
  if (schema.has("type") && !has_type(value, schema.getValue<std::string>("type"))) return false;
  if (schema.has("const") && text_of(schema.get("const")) != text_of(value)) return false;
  if (schema.has("enum")) {
    const auto list = schema.getArray("enum");
    if (std::none_of(list->begin(), list->end(),
                     [&](const Var& one) { return text_of(one) == text_of(value); }))
      return false;
  }
  if (is_number(value)) {
    if (schema.has("minimum") && value.convert<double>() < schema.getValue<double>("minimum"))
      return false;
    if (schema.has("maximum") && value.convert<double>() > schema.getValue<double>("maximum"))
      return false;
  }
  if (value.isString()) {
    const auto& text = value.extract<std::string>();
    const auto length = schema::characters(text);
    if (schema.has("minLength") && length < schema.getValue<std::size_t>("minLength")) return false;
    if (schema.has("maxLength") && length > schema.getValue<std::size_t>("maxLength")) return false;
    if (schema.has("pattern") &&
        !std::regex_search(text, std::regex(schema.getValue<std::string>("pattern"))))
      return false;
  }
  return true;
}

bool JsonSchema::check_array(const Object& schema, const Var& value) const {
  if (!is_array(value)) return true;
  const auto& array = value.extract<Array::Ptr>();
  if (schema.has("minItems") && array->size() < schema.getValue<std::size_t>("minItems"))
    return false;
  if (schema.has("maxItems") && array->size() > schema.getValue<std::size_t>("maxItems"))
    return false;
  Names seen;
  for (const Var& one : *array) {
    Names ignored;
    if (schema.has("items") && !check(schema.get("items"), one, ignored)) return false;
    if (schema.has("uniqueItems") && !seen.insert(text_of(one)).second) return false;
  }
  return true;
}

bool JsonSchema::check_object(const Object& schema, const Var& value, Names& evaluated) const {
  if (!is_object(value)) return true;
  const auto& object = value.extract<Object::Ptr>();
  if (schema.has("required")) {
    for (const Var& name : *schema.getArray("required")) {
      if (!object->has(name.convert<std::string>())) return false;
    }
  }
  const auto properties =
      schema.has("properties") ? schema.getObject("properties") : Object::Ptr(new Object);
  for (const auto& [key, member] : *object) {
    if (properties->has(key)) {
      Names ignored;
      if (!check(properties->get(key), member, ignored)) return false;
      evaluated.insert(key);
    } else if (schema.has("additionalProperties")) {
      return false;
    }
  }
  return true;
}

bool JsonSchema::check_combined(const Object& schema, const Var& value, Names& evaluated) const {
  if (schema.has("$ref")) {
    const auto location = schema.getValue<std::string>("$ref");
    const auto name = location.substr(std::string("#/$defs/").size());
    if (!check(root_->getObject("$defs")->get(name), value, evaluated)) return false;
  }
  if (schema.has("allOf")) {
    for (const Var& one : *schema.getArray("allOf")) {
      if (!check(one, value, evaluated)) return false;
    }
  }
  if (schema.has("anyOf")) {
    bool fits = false;
    for (const Var& one : *schema.getArray("anyOf"))
      fits |= check(one, value, evaluated);
    if (!fits) return false;
  }
  Names ignored;
  if (schema.has("not") && check(schema.get("not"), value, ignored)) return false;
  if (schema.has("if") && check(schema.get("if"), value, evaluated))
    return check(schema.get("then"), value, evaluated);
  return true;
}

}  // namespace tenon::data::test
