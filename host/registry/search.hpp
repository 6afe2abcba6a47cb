#pragma once

#include <string_view>
#include <vector>

#include "registry/package_index.hpp"

namespace tenon::plugins {

/// Plugins of an index that hold every word of `query`, upper and lower case alike, in id, name,
/// author or description; the best first, then by id. All of them, by id, for a query without a
/// word. Throws base::Error 422 "plugins.registry_query" for more than 200 bytes or what is no
/// UTF-8; words beyond the tenth are left out. Refers to the index.
std::vector<const IndexedPlugin*> search_plugins(const PackageIndex& index, std::string_view query);

}  // namespace tenon::plugins
