#pragma once

#include <string>
#include <vector>

#include "packages/archive/archive.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins {

/// The facts of one package in a registry.
struct PackageFacts {
  Manifest manifest;
  IndexedVersion version;
  std::vector<std::string> pictures;  ///< names in the package, one for each screenshot
};

/// Checks the package `bytes`, which is at `file` in a registry's folder and must be signed by one
/// of `keys`: form, signature, every file, manifest, libraries of all machines, CHANGELOG.md and
/// screenshots. Throws Refusal as Archive, Contents, parse_manifest() and foreign_facts();
/// "plugins.registry_key_missing", "plugins.missing_library", "plugins.registry_changelog_invalid",
/// "plugins.registry_screenshot_invalid", "plugins.registry_too_large".
PackageFacts read_package_facts(std::string bytes, const std::string& file,
                                const std::vector<PublicKey>& keys);

}  // namespace tenon::plugins
