#pragma once

// JSON with nlohmann-json. A plugin with another JSON library defines TENON_WITHOUT_JSON and uses
// the functions for JSON texts.
#ifndef TENON_WITHOUT_JSON

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <tenon/detail/json_reader.hpp>
#include <tenon/error.hpp>

namespace tenon {

using Json = nlohmann::json;

/// Parses one JSON text. Throws Error 400 "request.json" with the position of the error.
inline Json parse_json(std::string_view text) {
  // With JSON_DIAGNOSTICS each value has a pointer to its parent, which JsonReader does not set.
#if !defined(JSON_DIAGNOSTICS) || !JSON_DIAGNOSTICS
  Json value;
  if (detail::JsonReader(text).read(value)) return value;
#endif
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Error(400, "request.json",
                "This is not valid JSON: error at byte " + std::to_string(error.byte) + ".");
  }
}

/// Serializes a value. Bytes that are not UTF-8 become U+FFFD.
inline std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Converts a value to T by nlohmann's from_json. Throws Error 422 "request.invalid" if it does not
/// match T.
template <class T>
T from_json_value(const Json& value) {
  try {
    return value.get<T>();
  } catch (const Json::exception& error) {
    throw Error(422, "request.invalid",
                std::string("The body has the wrong format: ") + error.what());
  }
}

/// Returns a member of an object as T, or empty if it is absent or null. Throws Error 422 that
/// names the field if it has another type.
template <class T>
std::optional<T> member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    throw Error(422, "request.invalid", "The body has an invalid field.",
                {{name, "wrong_type",
                  "This has the wrong type: " + std::string(found->type_name()) + "."}});
  }
}

/// Returns a required member of an object. Throws Error 422 that names the field if it is missing.
template <class T>
T required_member(const Json& object, const std::string& name) {
  if (std::optional<T> value = member<T>(object, name)) return *std::move(value);
  throw Error(422, "request.invalid", "The body has an invalid field.",
              {{name, "required", "This field is required."}});
}

}  // namespace tenon

#endif
