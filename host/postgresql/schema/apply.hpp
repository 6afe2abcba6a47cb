#pragma once

#include "postgresql/client/sql.hpp"
#include "schema/renames.hpp"
#include "schema/tables.hpp"

namespace tenon::data::postgresql {

// The host's part of an upgrade in an open transaction; what and when as in
// sqlite/schema/apply.hpp. The comment of a column holds a hash of the constraints applied to it,
// so they are applied again to a column that a migration recreated.

/// Renames tables with their link tables, columns, constraints and planned indexes. Throws 409
/// data.migration_refused that names what cannot be renamed.
void apply_renames(Sql& sql, const schema::Renames& renames, const schema::Tables& declared);

/// Missing tables and fields, and values of types that changed without loss. Throws 409
/// data.migration_refused where something of the plugin's keeps a type as it is.
void add_tables_and_fields(Sql& sql, const schema::Tables& stored, const schema::Tables& declared);

/// Drops the link tables of stored tables that a migration dropped.
void drop_orphaned_link_tables(Sql& sql, const schema::Tables& stored,
                               const schema::Tables& declared);

/// Constraints, defaults and indexes. The rows have been compared with the constraints, so these
/// are not checked against them once more here (NOT VALID), while everybody waits; see
/// validate_constraints().
void apply_constraints(Sql& sql, const schema::Tables& declared);

/// Lets the role write the rows of all tables but those of the host.
void grant_rows(Sql& sql, const std::string& role);

/// Constraints that no row has been compared with by the server itself, "table constraint" as SQL
/// identifiers. To be validated each in a transaction of its own, which holds up no reader and no
/// writer.
std::vector<std::pair<std::string, std::string>> unvalidated_constraints(Sql& sql);

}  // namespace tenon::data::postgresql
