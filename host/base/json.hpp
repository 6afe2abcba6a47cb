#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

namespace tenon::base {

/// Bounds on JSON text that comes from outside.
struct JsonLimits {
  std::size_t max_bytes = 1024 * 1024;  ///< length of the text, bytes
  int max_depth = 64;                   ///< nested arrays and objects
};

/// Parses one JSON text strictly: RFC 8259, valid UTF-8, no comments, no trailing text, no
/// duplicate keys, no whole number beyond 64 bits, within the limits. Throws Error 400
/// "json.invalid" whose message carries the reason and, where known, line and column, or 413
/// "json.too_large". For configuration, manifests and console requests; not for hot paths.
Poco::Dynamic::Var parse_json(std::string_view text, const JsonLimits& limits = {});

/// The same for a text that must be an object.
Poco::JSON::Object::Ptr parse_json_object(std::string_view text, const JsonLimits& limits = {});

/// Checks the text as parse_json does without building anything; throws the same errors.
void check_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace tenon::base
