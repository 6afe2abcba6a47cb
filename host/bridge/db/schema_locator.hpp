#pragma once

#include <functional>
#include <optional>
#include <string>

#include "data/database_options.hpp"

namespace tenon::plugins {

/// Returns the schema and the role of a plugin on PostgreSQL. If they are missing: creates them if
/// `is_needed`, else returns none. Any thread. Throws what data::postgresql::Server throws.
using SchemaLocator =
    std::function<std::optional<data::PostgresqlSchema>(const std::string& plugin, bool is_needed)>;

/// Returns the location of a plugin's data for messages to an admin: the file, or the schema.
inline std::string data_name(const std::string& directory, const std::string& plugin,
                             bool is_postgresql) {
  return is_postgresql ? "the schema plugin_" + plugin + " of PostgreSQL"
                       : directory + "/" + plugin + ".db";
}

}  // namespace tenon::plugins
