#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugins/manifest/manifest.hpp"
#include "plugins/reason.hpp"

namespace tenon::plugins {

/// A folder that says it is a plugin.
struct Found {
  std::string id;      ///< the folder's name
  std::string folder;  ///< absolute
  std::optional<Manifest> manifest;
  std::optional<Reason> refused;  ///< why it cannot be one
};

/// Looks for `<directory>/<id>/plugin.json`, directories in order of precedence, sorted by id. An
/// id that stands in two directories is refused in all but the first ("plugins.duplicate_id"); that
/// entry follows the first one. Directories that are not there have no plugins.
std::vector<Found> discover(const std::vector<std::string>& directories);

/// One plugin by id, as discover() would give it first; nothing when no directory has it.
std::optional<Found> discover_one(const std::vector<std::string>& directories,
                                  const std::string& id);

}  // namespace tenon::plugins
