#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::openapi {

inline constexpr std::size_t max_fragment_bytes = 64 * 1024;

/// Something that operations refer to: "schemas", "notes.note", its JSON text.
struct Component {
  std::string section;
  std::string name;
  std::string text;
};

/// The description of a route beyond its method, path, access and summary. All texts but the
/// description are JSON.
struct Fragment {
  std::string description;              ///< CommonMark; empty: none
  std::vector<std::string> parameters;  ///< Parameter objects or references to them
  std::string request_body;             ///< a Request Body object; empty: none
  std::vector<std::pair<std::string, std::string>> responses;  ///< by status
  std::vector<Component> components;
};

/// Reads members of an OpenAPI 3.1 Operation object: `description`, `parameters`, `requestBody`,
/// `responses`, and `x-components`, an object like Components with what the others refer to by
/// "#/components/…". Empty text is an empty fragment. Throws base::Error 422 "openapi.invalid" that
/// names the member.
Fragment read_fragment(std::string_view text);

/// Reads the fragment of a plugin: its components have names that begin with `owner` and a dot.
Fragment read_fragment_of(std::string_view owner, std::string_view text);

}  // namespace tenon::openapi
