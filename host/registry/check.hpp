#pragma once

#include <string>

#include "registry/fetch.hpp"

namespace tenon::plugins {

/// Fetches every package and picture of a registry and compares it with the index, whose signature
/// was checked; packages stand in `folder` meanwhile, one at a time. Throws as fetch_package(),
/// fetch_picture() and read_package_facts(), and Refusal "plugins.registry_damaged" for a package
/// of which the index says something else than it does itself.
void check_registry(const RegistryLocation& place, const PackageIndex& index,
                    const std::string& folder);

}  // namespace tenon::plugins
