#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::base {
struct FieldError;
}

namespace tenon::settings {

/// Settings of a plugin: the JSON text of each value by its key.
using Values = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t max_value_bytes = 64 * 1024;  ///< JSON text of a value

/// A setting that `plugin.json` declares.
struct Property {
  std::string key;
  std::string type;  ///< "string", "integer", …; empty if the schema names none or several
  std::string title;
  std::string description;
  std::string default_json;  ///< empty: no default
  bool is_secret = false;    ///< `"writeOnly": true`
};

/// Why a schema cannot be used. Immutable.
struct SchemaFault {
  std::string key;  ///< the property; empty: the schema itself
  std::string message;
};

/// The member `settings` of a plugin.json: a JSON Schema (draft 7) of an object, compiled with
/// valijson. References (`$ref`) are refused. Immutable and thread-safe.
class Schema {
 public:
  /// The JSON text of a value that is matched with a `pattern` must not be longer, because
  /// std::regex recurses for each character.
  static constexpr std::size_t max_pattern_text = 1024;

  /// `json` is a JSON object that base::parse_json() accepts. Throws SchemaFault if it is no valid
  /// schema, or a default does not satisfy it.
  explicit Schema(std::string_view json);
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  const std::string& json() const noexcept { return json_; }
  /// Sorted by key.
  const std::vector<Property>& properties() const noexcept { return properties_; }
  /// Returns null if the schema does not declare the key.
  const Property* find(std::string_view key) const noexcept;
  /// Returns the stored values, and the default of each setting that has none.
  Values with_defaults(const Values& stored) const;

  /// Checks an object of values against the whole schema. Returns an error for each fault; `field`
  /// is the key, or empty if the fault is in no single value. `values` are JSON texts that
  /// base::parse_json() accepts.
  std::vector<base::FieldError> check(const Values& values) const;
  /// Checks the change of one stored value; an empty `json` removes it. Returns the faults of this
  /// value, and a fault of the whole object that the stored values do not have already.
  std::vector<base::FieldError> check_change(const Values& stored, const std::string& key,
                                             const std::string& json) const;

 private:
  class Compiled;
  std::string json_;
  std::vector<Property> properties_;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace tenon::settings
