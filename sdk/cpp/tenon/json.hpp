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

namespace detail {

/// Returns the error 422 "request.invalid" for a body whose JSON does not have the expected form.
/// The field is a JSON pointer where nlohmann's message has one (TENON_JSON_DIAGNOSTICS in CMake,
/// which `tenon dev` sets); without it, it is the name of a missing member, or unknown.
inline Error wrong_body(const Json::exception& error) {
  // "[json.exception.out_of_range.403] (/owner) key 'name' not found"
  std::string_view text = error.what();
  if (const std::size_t end = text.find("] "); end != std::string_view::npos)
    text.remove_prefix(end + 2);
  std::string field;
  if (const std::size_t end = text.find(") "); text.starts_with("(/") && end != std::string::npos) {
    field = text.substr(1, end - 1);
    text.remove_prefix(end + 2);
  }
  constexpr std::string_view key = "key '";
  constexpr std::string_view missing = "' not found";
  const bool is_missing = text.starts_with(key) && text.ends_with(missing);
  if (is_missing) {
    text.remove_prefix(key.size());
    text.remove_suffix(missing.size());
#if defined(JSON_DIAGNOSTICS) && JSON_DIAGNOSTICS
    field.append("/");
#endif
    field.append(text);
  }
  Error invalid(422, "request.invalid",
                field.empty() ? "The body has the wrong format: " + std::string(text) + "."
                              : std::string("The body has an invalid field."));
  if (field.empty()) return invalid;
  return invalid.in_other_words(
      invalid.message(), {is_missing ? FieldError{field, "required", "This field is required."}
                                     : FieldError{field, "wrong_type", std::string(text) + "."}});
}

}  // namespace detail

/// Converts a value to T by nlohmann's from_json. Throws Error 422 "request.invalid" if it does not
/// match T; the field as detail::wrong_body() has it.
template <class T>
T from_json_value(const Json& value) {
  try {
    return value.get<T>();
  } catch (const Json::exception& error) {
    throw detail::wrong_body(error);
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
