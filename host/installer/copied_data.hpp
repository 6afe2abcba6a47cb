#pragma once

#include <functional>
#include <string>

#include "data/database.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::plugins {

/// Writes the rows of the schema `place`, of one moment, into the new file `file`: of SQLite, with
/// the tables that `declaration()` makes there, on disk at the return, without a log beside it.
/// Both are compared then, table by table. In bounded memory; room for two such files is needed
/// meanwhile (`file`-begun). False where the schema has nothing, and no file is made. Throws 422
/// data.copy_refused for what SQLite has no place for, Refusal 409 "plugins.export_differs", and
/// what the engines fail with; nothing stays then.
bool copy_schema_to_file(const data::PostgresqlSchema& place,
                         const std::function<data::Declaration()>& declaration,
                         const std::string& file);

/// The way back, into the empty schema `place`: `file`, whoever wrote it, first becomes what
/// `declaration` says, which changes it, then its rows go into tables that `declaration` makes in
/// the schema. Not one text of the file is run there. Throws as that, and what data::apply()
/// throws; the schema is then to be dropped.
void copy_file_to_schema(const std::string& file, const data::Declaration& declaration,
                         const data::PostgresqlSchema& place);

}  // namespace tenon::plugins
