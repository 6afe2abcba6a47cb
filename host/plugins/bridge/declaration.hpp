#pragma once

#include <string>
#include <string_view>

#include "data/migrate.hpp"

namespace tenon::plugins {

struct Manifest;

/// What a plugin's folder says about its data: tables.json (absent: no tables) and migrations.
/// Throws what these are refused with ("data.tables_invalid", "data.migration_invalid"), and 422
/// "data.tables_invalid" for a table of a plugin that the manifest does not require, and for an
/// expression that does not compile.
data::Declaration read_declaration(const Manifest& manifest, const std::string& folder);

/// The same with this text in the place of tables.json.
data::Declaration read_declaration(const Manifest& manifest, const std::string& folder,
                                   std::string_view tables);

}  // namespace tenon::plugins
