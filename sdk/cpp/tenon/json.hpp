#pragma once

// JSON by nlohmann-json. A plugin that brings its own JSON defines TENON_WITHOUT_JSON and uses the
// text forms.
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

/// Parses one JSON text. Throws Error 400 "request.json" that says where it is wrong.
inline Json parse_json(std::string_view text) {
  // With diagnostics each value knows its parent, which the reader does not set.
#if !defined(JSON_DIAGNOSTICS) || !JSON_DIAGNOSTICS
  Json value;
  if (detail::JsonReader(text).read(value)) return value;
#endif
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Error(400, "request.json",
                "This is not JSON: wrong at byte " + std::to_string(error.byte) + ".");
  }
}

/// The text of a value; bytes that are not UTF-8 become U+FFFD.
inline std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A value as T, by nlohmann's from_json. Throws Error 422 "request.invalid" when it does not fit.
template <class T>
T from_json_value(const Json& value) {
  try {
    return value.get<T>();
  } catch (const Json::exception& error) {
    throw Error(422, "request.invalid", std::string("The body does not fit: ") + error.what());
  }
}

/// A member of an object as T: empty when it is absent or null, Error 422 that names the field when
/// it has another type.
template <class T>
std::optional<T> member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    throw Error(422, "request.invalid", "The body does not fit.",
                {{name, "wrong_type",
                  "This has the wrong type: " + std::string(found->type_name()) + "."}});
  }
}

/// A member that must be there. Throws Error 422 that names the field.
template <class T>
T required_member(const Json& object, const std::string& name) {
  if (std::optional<T> value = member<T>(object, name)) return *std::move(value);
  throw Error(422, "request.invalid", "The body does not fit.",
              {{name, "required", "This is required."}});
}

}  // namespace tenon

#endif
