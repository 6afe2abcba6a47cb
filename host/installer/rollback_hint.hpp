#pragma once

#include <optional>
#include <string>

#include "packages/installed/package_store.hpp"

namespace tenon::plugins {

/// Returns the hint after "data.newer", when an older version of a plugin should replace a newer
/// one: how to roll back instead. `kept` is the version before, if one is kept.
std::string rollback_hint(const std::string& id, const std::optional<InstalledVersion>& kept);

}  // namespace tenon::plugins
