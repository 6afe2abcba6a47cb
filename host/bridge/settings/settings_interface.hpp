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

#include "settings/store.hpp"

namespace tenon::plugins {

class Bridge;

/// tenon.settings/1 of one activation: stored values, then the defaults of plugin.json.
/// Reading touches memory only. A stored value that the schema of this version refuses does not
/// count.
class SettingsInterface final : public settings::Listener {
 public:
  static constexpr std::size_t max_value_bytes = settings::max_value_bytes;
  static constexpr std::size_t max_keys = 500;
  static constexpr std::size_t max_watchers = 16;

  static const tenon_settings table;

  explicit SettingsInterface(Bridge& bridge);

  void drop_watchers() noexcept;

  void on_loaded(settings::Values values) override;
  void on_changed(const std::vector<settings::Change>& changes) override;
  void deliver() noexcept override;

 private:
  static tenon_code get(const tenon_host* host, tenon_span key, char* buffer,
                        std::uint64_t capacity, std::uint64_t* length) noexcept;
  static tenon_code set(const tenon_host* host, tenon_span key, tenon_span json,
                        tenon_error* error) noexcept;
  static tenon_code watch(const tenon_host* host, const tenon_settings_watcher* watcher) noexcept;

  tenon_code change(std::string_view key, std::string_view json, tenon_error* error);
  /// Returns the change to store. Throws base::Error if the schema refuses the value.
  settings::Change decide(std::string_view key, std::string_view json,
                          const settings::Values& stored) const;

  Bridge& bridge_;
  std::mutex changing_;  // watchers are notified of changes in their order …
  std::deque<settings::Change> changes_;
  bool is_notifying_ = false;  // … by one thread at a time
  mutable std::shared_mutex reading_;
  settings::Values values_;  // of this version: those that its schema accepts, and the defaults
  std::vector<tenon_settings_watcher> watchers_;  // grows in create and start only
};

}  // namespace tenon::plugins
