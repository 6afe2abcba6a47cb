#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/detail/link.hpp>
#include <tenon/json.hpp>
#include <tenon/settings.h>

namespace tenon {

/// The plugin's settings: one JSON value for each key, stored by the host, with defaults from
/// plugin.json. Thread-safe.
class Settings {
 public:
  explicit Settings(detail::Link& link) noexcept : link_(&link) {}

  /// Returns the JSON text of a value, or empty if it has neither a value nor a default.
  std::optional<std::string> get_text(std::string_view key) const {
    std::string buffer(256, '\0');
    for (;;) {
      std::uint64_t length = 0;
      const tenon_code code = TENON_CALL(*link_, tenon_settings, get, detail::span(key),
                                         buffer.data(), buffer.size(), &length);
      if (code == TENON_E_NOT_FOUND) return std::nullopt;
      if (code == TENON_E_TOO_LARGE && length > buffer.size()) {
        buffer.resize(static_cast<std::size_t>(length));
        continue;
      }
      detail::check(code, "reading a setting");
      buffer.resize(static_cast<std::size_t>(length));
      return buffer;
    }
  }

  /// Stores the text of one JSON value of at most 64 KiB. The value is on disk when the function
  /// returns. Usable from start on; blocks.
  void set_text(std::string_view key, std::string_view json) {
    link_->require(State::starting, State::quiescing, "a setting");
    detail::Link::require_blocking("a setting");
    tenon_error error = detail::empty_error();
    detail::check(
        TENON_CALL(*link_, tenon_settings, set, detail::span(key), detail::span(json), &error),
        error);
  }

  /// Removes the value, so that the default applies again.
  void remove(std::string_view key) { set_text(key, {}); }

  /// Registers `on_change(key, json text)`, which is called after each change is stored. The text
  /// is empty if the key was removed. It may run on any thread; exceptions are logged. Call watch()
  /// in the plugin's constructor or start.
  template <class F>
  void watch(F on_change) {
    struct Watcher {
      F on_change;
      detail::Link* link;
      static void fn(void* ctx, tenon_span key, tenon_span json) noexcept {
        auto& self = *static_cast<Watcher*>(ctx);
        try {
          self.on_change(detail::view(key), detail::view(json));
        } catch (const std::exception& error) {
          self.link->report(TENON_LOG_ERROR, "a settings watcher failed", error.what());
        } catch (...) {
          self.link->report(TENON_LOG_ERROR, "a settings watcher failed", {});
        }
      }
      static void drop(void* ctx) noexcept { delete static_cast<Watcher*>(ctx); }
    };
    const tenon_settings& settings =
        link_->need<tenon_settings>(TENON_NEED(tenon_settings, watch), "watch");
    const tenon_settings_watcher raw{&Watcher::fn, new Watcher{std::move(on_change), link_},
                                     &Watcher::drop};
    detail::check(settings.watch(link_->host(), &raw), "watching the settings");
  }

#ifndef TENON_WITHOUT_JSON
  /// Returns a value as T, or empty if it has neither a value nor a default. Throws Error 500 if it
  /// has another type.
  template <class T>
  std::optional<T> get(std::string_view key) const {
    const std::optional<std::string> text = get_text(key);
    if (!text) return std::nullopt;
    try {
      return Json::parse(*text).get<T>();
    } catch (const Json::exception&) {
      throw Error(500, "settings.wrong_type",
                  "The setting '" + std::string(key) + "' has the wrong type.");
    }
  }

  template <class T>
  T get(std::string_view key, T fallback) const {
    std::optional<T> value = get<T>(key);
    return value ? *std::move(value) : std::move(fallback);
  }

  /// Stores a value of any type that nlohmann's to_json supports. The value is on disk when the
  /// function returns. Usable from start on; blocks.
  template <class T>
  void set(std::string_view key, const T& value) {
    set_text(key, to_text(Json(value)));
  }
#endif

 private:
  detail::Link* link_;
};

}  // namespace tenon
