#pragma once

#include <functional>
#include <string>

#include "data/database_options.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::plugins {

/// Writes the rows of the schema `location`, as of one moment, into the new SQLite file `file`,
/// with the tables that `declaration()` makes there. Afterwards both are compared, table by table.
/// The file is on disk at the return and has no WAL. Uses bounded memory; meanwhile needs free
/// space for two such files (`file`-begun). Returns false if the schema is empty, and makes no
/// file. Throws 422 data.copy_refused for data that SQLite cannot hold, Refusal 409
/// "plugins.export_differs", and errors of the engines; then no file remains.
bool copy_schema_to_file(const data::PostgresqlSchema& location,
                         const std::function<data::Declaration()>& declaration,
                         const std::string& file);

/// Copies `file`, which may be untrusted, into the empty schema `location`. First applies
/// `declaration` to the file, which changes it; then copies its rows into tables that `declaration`
/// makes in the schema. No SQL of the file is run there. Throws as copy_schema_to_file() and
/// data::apply(); then the caller must drop the schema.
void copy_file_to_schema(const std::string& file, const data::Declaration& declaration,
                         const data::PostgresqlSchema& location);

}  // namespace tenon::plugins
