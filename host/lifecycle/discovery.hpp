#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "packages/installed/package_store.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

/// A folder with a plugin.json.
struct DiscoveredPlugin {
  std::string id;
  std::string folder;  ///< absolute
  std::optional<Manifest> manifest;
  std::optional<Reason> refused;              ///< why it cannot be one
  std::optional<InstalledVersion> installed;  ///< set if a package installed it
};

/// A directory of plugins that has none, and why.
struct FolderProblem {
  std::string directory;
  std::string reason;
};

/// The folders of plugins: those installed from packages, and directories with a folder for each.
/// Thread-safe; blocks.
class PluginFolders {
 public:
  /// Directories in order of precedence; `store` outlives it, null: nothing is installed.
  PluginFolders(std::vector<std::string> directories, const PackageStore* store)
      : directories_(std::move(directories)), store_(store) {}

  /// Returns all plugins, sorted by id. An installed one takes precedence over directories, which
  /// are then not read for its id. An id that is in two directories is refused in all but the first
  /// ("plugins.duplicate_id"); that entry follows the first one. Directories that are not there
  /// have no plugins.
  std::vector<DiscoveredPlugin> all() const;
  /// Returns one plugin by id, as all() would list it first; nothing if it is nowhere.
  std::optional<DiscoveredPlugin> one(const std::string& id) const;
  /// Returns the plugin from the directories, whatever is installed.
  std::optional<DiscoveredPlugin> in_directories(const std::string& id) const;
  /// Returns directories that are missing, have no plugin, or are the folder of one.
  std::vector<FolderProblem> problems() const;

 private:
  DiscoveredPlugin look_at(const InstalledVersion& installed) const;

  const std::vector<std::string> directories_;
  const PackageStore* const store_;
};

/// Reads a version in a folder of its own, whether it is the current one or not.
DiscoveredPlugin look_at_version(const std::string& folder, const std::string& id);

}  // namespace tenon::plugins
