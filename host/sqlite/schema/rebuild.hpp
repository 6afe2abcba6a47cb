#pragma once

#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

/// Converts the fields of a table whose type changed without loss (Conversion::rebuild), in an open
/// transaction, after the renames. Recreates the table with its rows, rowids and ids, its triggers
/// and the indexes of the plugin, in SQLite's order (lang_altertable.html, section 7). Planned
/// indexes and the constraints of the converted fields are left to apply_constraints. Does nothing
/// where nothing is converted. Throws 409 data.migration_refused that names a trigger or index
/// which cannot be made again. Needs the room's own access, and references not enforced.
void rebuild_table(sqlite::Connection& connection, const Table& stored, const Table& declared);

}  // namespace tenon::data::schema
