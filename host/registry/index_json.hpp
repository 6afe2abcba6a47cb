#pragma once

#include "base/json_writer.hpp"
#include "registry/package_index.hpp"

namespace tenon::plugins {

/// Writes a plugin as an object of the index.
void write_plugin(base::JsonWriter& json, const IndexedPlugin& plugin);

/// Writes the facts of a version as members of an object that is open.
void write_version_members(base::JsonWriter& json, const IndexedVersion& version);

}  // namespace tenon::plugins
