#pragma once

#include <string>
#include <vector>

#include "schema/change_log.hpp"
#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

/// Returns the statements that create the triggers of these tables; none if no table is published.
std::vector<std::string> change_log_triggers(const Tables& tables);

/// Returns whether the file lacks the change log that these tables need. Needs internal access, as
/// all below.
bool is_change_log_stale(sqlite::Connection& connection, const Tables& tables);

/// Drops the triggers in the transaction of a migration, so that nothing is logged.
void drop_change_log(sqlite::Connection& connection);

/// Recreates the change log: empty, with a new id (`tenon_meta`, "log"), so that its consumers
/// start over. Removes it if no table is published.
void create_change_log(sqlite::Connection& connection, const Tables& tables);

}  // namespace tenon::data::schema
