#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/dialect.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::records {
class Model;
}

namespace tenon::plugins {

struct Manifest;

/// Identifies a program by the inode, size and times of its file, because builds of one version may
/// apply a declaration differently. A missing file has a mark as well.
std::string program_mark(const std::string& path);

/// Reads what a plugin's folder declares about its data: tables.json (absent: no tables) and
/// migrations. Throws their errors ("data.tables_invalid", "data.migration_invalid"), and 422
/// "data.tables_invalid" for a table of a plugin that the manifest does not require, and for an
/// expression that does not compile, and Refusal "plugins.schedule_invalid".
data::Declaration read_declaration(const Manifest& manifest, const std::string& folder);

/// The same with its tables compiled for an engine.
struct Declared {
  data::Declaration declaration;
  std::shared_ptr<const records::Model> model;  ///< never null
};
Declared read_declared(const Manifest& manifest, const std::string& folder, data::Dialect engine);

/// The same with this text instead of tables.json.
data::Declaration read_declaration(const Manifest& manifest, const std::string& folder,
                                   std::string_view tables);

}  // namespace tenon::plugins
