#pragma once

#include <string>

#include "registry/fetch.hpp"

namespace tenon::plugins {

/// Fetches every package and picture of a registry and compares it with the index, whose signature
/// was checked; packages are in `folder` meanwhile, one at a time. Throws as fetch_package(),
/// fetch_picture() and read_package_facts(), and Refusal "plugins.registry_damaged" for a package
/// that differs from its entry in the index.
void check_registry(const RegistryLocation& location, const PackageIndex& index,
                    const std::string& folder);

}  // namespace tenon::plugins
