#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lifecycle/discovery.hpp"
#include "lifecycle/plugin_states.hpp"
#include "lifecycle/plugin_store.hpp"
#include "lifecycle/probation/quarantine_store.hpp"
#include "lifecycle/public_paths.hpp"

namespace tenon::plugins {

/// Returns the status of a plugin in its folder, before anything is done with it: discovered, or
/// failed with the reason. Without the names of its tables.
PluginStatus status_of(const DiscoveredPlugin& found);
/// Returns the status with the names of its tables, for which tables.json is parsed.
PluginStatus status_with_tables(const DiscoveredPlugin& found);

/// Logs a failure with its reason.
void log_failure(const PluginStatus& status);

/// Plugins while no server runs: what is there, and what is to be enabled at the next start.
/// Nothing of a plugin is loaded. Blocks on the host's database.
class StoredPlugins {
 public:
  /// Makes the room's tables when they are missing. `data` and `folders` as LifecycleOptions has
  /// them.
  StoredPlugins(data::Database& database, std::string data, std::vector<std::string> folders);

  Listing list() const;
  /// Returns one of them. Throws 404 "plugins.unknown".
  PluginStatus find(const std::string& id) const;
  /// Enabling lifts a quarantine. Throws base::Error 404 "plugins.unknown".
  PluginStatus set_enabled(const std::string& id, bool is_enabled);
  /// As Lifecycle::settings_schema().
  std::shared_ptr<const settings::Schema> settings_schema(const std::string& id) const;
  PublicPaths& public_paths() noexcept { return public_paths_; }
  const PublicPaths& public_paths() const noexcept { return public_paths_; }

 private:
  PluginStore store_;
  QuarantineStore quarantine_;
  PublicPaths public_paths_;
  const PackageStore packages_;
  const PluginFolders folders_;
};

}  // namespace tenon::plugins
