#pragma once

#include <vector>

#include "schema/plan.hpp"
#include "schema/renames.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

/// Renames in the file, in an open transaction: tables with their link tables, columns, and
/// whatever triggers, views and references say of them. Throws 409 data.migration_refused where
/// SQLite finds a trigger or view that it cannot change along. Needs the room's own access.
void apply_renames(sqlite::Connection& connection, const Renames& renames);

/// Refuses search tables (FTS5 with `content=`) that read from a renamed table or field and were
/// not recreated: SQLite does not rename in them.
void refuse_stale_search(sqlite::Connection& connection, const Renames& renames,
                         std::vector<Refusal>& refusals);

}  // namespace tenon::data::schema
