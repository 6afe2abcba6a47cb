#pragma once

// Base of the headers that tenon-types generates from the settings of a plugin's plugin.json.

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/detail/codec.hpp>
#include <tenon/error.hpp>
#include <tenon/settings.hpp>

namespace tenon {

/// A setting that plugin.json declares. `T` is the type of its value: std::string, std::int64_t,
/// double, bool, an enum of its choices, a std::vector of these, or Json; in a std::optional if the
/// setting has no default.
template <class T>
struct Setting {
  std::string_view key;

  /// Returns the value, or the default of plugin.json. Throws Error 500 "settings.wrong_type" if
  /// the value has another type, which the host refuses to store.
  T get(const Settings& settings) const {
    const std::optional<std::string> text = settings.get_text(key);
    if constexpr (detail::is_optional<T>) {
      if (!text) return std::nullopt;
    }
    try {
      return detail::value_of<T>(Json::parse(text ? *text : "null"));
    } catch (const Json::exception&) {
      throw wrong_type();
    } catch (const Misuse&) {
      throw wrong_type();
    }
  }

  /// Stores a value. It is on disk when the function returns. Throws Error 422
  /// "plugins.setting_invalid" if the schema refuses it. Usable from start on; blocks.
  void set(Settings& settings, const detail::unwrapped<T>& value) const {
    settings.set_text(key, to_text(detail::json_of(value)));
  }

  /// Removes the value, so that the default applies again.
  void reset(Settings& settings) const { settings.remove(key); }

 private:
  Error wrong_type() const {
    return {500, "settings.wrong_type",
            "The setting '" + std::string(key) + "' does not match plugin.json."};
  }
};

}  // namespace tenon
