#pragma once

#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

// The host's halves of an upgrade, in an open transaction, before and after the numbered
// migrations. Both need the room's own access. Between them tables are looser than declared, so
// that a migration can fill what is new.

/// Makes missing tables as declared; converts the values of fields whose type changed without loss
/// since `stored` (see rebuild.hpp); adds missing fields with their defaults but without
/// constraints; drops planned indexes that are not declared any more, so that a migration can drop
/// their columns. The renames are done before.
void add_tables_and_fields(sqlite::Connection& connection, const Tables& stored,
                           const Tables& declared);

/// Drops the link tables of stored tables that a migration dropped.
void drop_orphaned_link_tables(sqlite::Connection& connection, const Tables& stored,
                               const Tables& declared);

/// Gives every table the constraints that are declared, and makes its indexes. The rows must
/// satisfy them already, and the columns must be those declared.
void apply_constraints(sqlite::Connection& connection, const Tables& declared);

}  // namespace tenon::data::schema
