#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/manifest/manifest.hpp"
#include "plugins/reason.hpp"
#include "plugins/store/package_store.hpp"

namespace tenon::plugins {

/// A folder that says it is a plugin.
struct Found {
  std::string id;
  std::string folder;  ///< absolute
  std::optional<Manifest> manifest;
  std::optional<Reason> refused;              ///< why it cannot be one
  std::optional<InstalledVersion> installed;  ///< where a package put it there
};

/// A directory of plugins that has none, and why.
struct FolderProblem {
  std::string directory;
  std::string reason;
};

/// Where plugins lie: what was installed from packages, and directories with a folder for each.
/// Thread-safe; blocks.
class PluginFolders {
 public:
  /// Directories in order of precedence; `store` outlives it, null: nothing is installed.
  PluginFolders(std::vector<std::string> directories, const PackageStore* store)
      : directories_(std::move(directories)), store_(store) {}

  /// All plugins, sorted by id. An installed one stands before what directories have, which is not
  /// looked at then. An id that stands in two directories is refused in all but the first
  /// ("plugins.duplicate_id"); that entry follows the first one. Directories that are not there
  /// have no plugins.
  std::vector<Found> all() const;
  /// One plugin by id, as all() would give it first; nothing when it is nowhere.
  std::optional<Found> one(const std::string& id) const;
  /// What the directories have of it, whatever is installed.
  std::optional<Found> in_directories(const std::string& id) const;
  /// Directories that are not there, have no plugin, or are the folder of one.
  std::vector<FolderProblem> problems() const;

 private:
  Found look_at(const InstalledVersion& installed) const;

  const std::vector<std::string> directories_;
  const PackageStore* const store_;
};

/// A version that lies in a folder of its own, whether it counts or not.
Found look_at_version(const std::string& folder, const std::string& id);

}  // namespace tenon::plugins
