#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "postgresql/client/sql.hpp"

namespace tenon::data::postgresql {

/// A table with rows of its own.
struct DumpedTable {
  std::string name;
  std::vector<std::string> columns;  ///< those that are written, in their order
  std::vector<std::string> types;    ///< of each, as the server writes them
  bool has_rowid = false;            ///< its primary key is `rowid`
};

/// The rights of a role on the rows of a table or view, or on a sequence.
struct DumpedRights {
  std::string object;  ///< "TABLE x", "SEQUENCE x"
  std::string rights;  ///< "SELECT, INSERT"
};

/// The content of a schema, as statements that recreate it in the empty schema of the same name:
/// everything that a migration can make. Names are those that the search path finds.
struct SchemaDump {
  std::vector<std::string> before;  ///< functions, sequences, tables without constraints
  std::vector<DumpedTable> tables;
  std::vector<std::string> after;  ///< numbers, constraints, views, indexes, triggers, comments
  std::vector<DumpedRights> rights;
  /// A line for each thing, to be compared with those of the schema that was made from it.
  std::vector<std::string> objects;
};

/// Dumps the schema that the search path names. `role`: the role whose rights are dumped; empty:
/// none. Throws 409 data.snapshot_refused, naming what it cannot dump, or what outside of
/// the schema depends on it.
SchemaDump dump_schema(Sql& sql, std::string_view role);

/// Returns only SchemaDump::objects.
std::vector<std::string> objects_of(Sql& sql);

/// Statements that remove all that is in the schema. Throws 409 data.snapshot_refused where
/// something outside of it would go, too.
std::vector<std::string> drop_statements(Sql& sql);

}  // namespace tenon::data::postgresql
