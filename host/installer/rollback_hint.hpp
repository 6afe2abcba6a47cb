#pragma once

#include <optional>
#include <string>

#include "packages/installed/package_store.hpp"

namespace tenon::plugins {

/// What is said behind "data.newer", where an older version of a plugin was to take the place of a
/// newer one: how to go back all the same. `kept` is the version before, where one is kept.
std::string way_back(const std::string& id, const std::optional<InstalledVersion>& kept);

}  // namespace tenon::plugins
