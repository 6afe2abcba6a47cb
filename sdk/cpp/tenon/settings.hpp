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

/// The plugin's settings: one JSON value a key, kept by the host, with defaults from plugin.json.
/// Thread-safe.
class Settings {
 public:
  explicit Settings(detail::Link& link) noexcept : link_(&link) {}

  /// The JSON text of a value; empty when it is neither set nor given a default.
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

  /// Keeps the text of one JSON value of at most 64 KiB; durable at the return. From start on;
  /// blocks.
  void set_text(std::string_view key, std::string_view json) {
    link_->require(State::starting, State::quiescing, "a setting");
    detail::Link::require_blocking("a setting");
    tenon_error error = detail::empty_error();
    detail::check(
        TENON_CALL(*link_, tenon_settings, set, detail::span(key), detail::span(json), &error),
        error);
  }

  /// Goes back to the default.
  void remove(std::string_view key) { set_text(key, {}); }

  /// Calls `told(key, json text)` after any change is kept; the text is empty when the key was
  /// removed. In the plugin's constructor or start. `told` may come on any thread; what it throws
  /// is logged.
  template <class F>
  void watch(F told) {
    struct Watcher {
      F told;
      detail::Link* link;
      static void fn(void* ctx, tenon_span key, tenon_span json) noexcept {
        auto& self = *static_cast<Watcher*>(ctx);
        try {
          self.told(detail::view(key), detail::view(json));
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
    const tenon_settings_watcher raw{&Watcher::fn, new Watcher{std::move(told), link_},
                                     &Watcher::drop};
    detail::check(settings.watch(link_->host(), &raw), "watching the settings");
  }

#ifndef TENON_WITHOUT_JSON
  /// A value as T; empty when it is neither set nor given a default. Throws Error 500 when it has
  /// another type.
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

  /// As set_text, of anything that nlohmann's to_json knows.
  template <class T>
  void set(std::string_view key, const T& value) {
    set_text(key, to_text(Json(value)));
  }
#endif

 private:
  detail::Link* link_;
};

}  // namespace tenon
