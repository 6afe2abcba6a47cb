#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/settings.h>

namespace tenon::plugins {

class Bridge;

/// tenon.settings/1 of one activation: stored values, then the defaults of plugin.json.
/// Reading touches memory only.
class SettingsInterface {
 public:
  static constexpr std::size_t max_value_bytes = 64 * 1024;
  static constexpr std::size_t max_keys = 500;
  static constexpr std::size_t max_watchers = 16;

  static const tenon_settings table;

  /// Loads the stored values.
  explicit SettingsInterface(Bridge& bridge);

  void drop_watchers() noexcept;

 private:
  static tenon_code get(const tenon_host* host, tenon_span key, char* buffer,
                        std::uint64_t capacity, std::uint64_t* length) noexcept;
  static tenon_code set(const tenon_host* host, tenon_span key, tenon_span json,
                        tenon_error* error) noexcept;
  static tenon_code watch(const tenon_host* host, const tenon_settings_watcher* watcher) noexcept;

  tenon_code change(std::string_view key, std::string_view json, tenon_error* error);
  void notify_watchers();

  Bridge& bridge_;
  struct Change {
    std::string key;
    std::string json;
  };
  std::mutex changing_;         // changes are kept one after the other …
  std::deque<Change> changes_;  // … and watchers notified in that order, by one thread at a time
  bool is_notifying_ = false;
  mutable std::shared_mutex reading_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<tenon_settings_watcher> watchers_;  // grows in create and start only
};

}  // namespace tenon::plugins
