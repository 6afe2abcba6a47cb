#pragma once

#include <string>

#include "packages/archive/archive.hpp"
#include "packages/manifest/manifest.hpp"

namespace tenon::plugins {

/// A package in memory.
struct PackedPlugin {
  Manifest manifest;
  std::string bytes;
};

/// Makes the unsigned package of a plugin's folder; the same files give the same bytes. The
/// manifest, tables.json and the library for this machine are checked first; libraries for other
/// machines are taken unread. Throws Refusal as SourceFolder, parse_manifest() and
/// inspect_library(), "plugins.missing_library", "plugins.package_too_large", and base::Error
/// "data.tables_invalid".
PackedPlugin pack_folder(const std::string& folder);

/// The bytes of the same package signed with `key`, with the plugin's id and version as the trusted
/// comment. All of its files are compared with FILES first. Throws as Contents and
/// parse_manifest().
std::string sign_package(const Archive& archive, const SecretKey& key);

/// The plugin.json of a package. Throws as Contents and parse_manifest().
Manifest manifest_of(const Contents& contents, const std::string& file);

}  // namespace tenon::plugins
