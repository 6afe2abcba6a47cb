#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon::config {

struct Settings;

/// One thing that can be configured. Lists have commas between values, and their flag may be
/// repeated; relative paths start from the current directory in flags and environment, from the
/// data directory in tenon.conf, from the binary's folder in defaults. The table of all keys is the
/// only definition: parsing, help and docs come from it.
struct Key {
  std::string_view name;         ///< as in tenon.conf: "http.json_body"
  std::string_view placeholder;  ///< a placeholder of the value in help: "SIZE"
  std::string_view fallback;     ///< default, in the same spelling as a value
  std::string_view description;  ///< one sentence
  /// Stores a value; throws std::invalid_argument whose text says what is expected ("a size such
  /// as 64KiB").
  void (*apply)(Settings& settings, const std::string& value) = nullptr;
  enum class Kind : std::uint8_t { value, path, paths, list } kind = Kind::value;
  bool in_file = true;             ///< allowed in tenon.conf
  bool is_secret = false;          ///< a value is never shown, not even a wrong one
  std::string_view former_name{};  ///< an older name that is still accepted; empty: none
};

/// All keys in the order of the docs.
std::span<const Key> keys() noexcept;

/// The key under its former name. Only where it has one.
Key with_former_name(Key key) noexcept;

/// "--http-json-body"
std::string flag_name(const Key& key);
/// "TENON_HTTP_JSON_BODY"
std::string environment_name(const Key& key);

/// The options part of `tenon serve --help`.
std::string help_text();

/// docs/configuration.md, whole. A test compares the file with it.
std::string markdown();

}  // namespace tenon::config
