#pragma once

#include <string>
#include <vector>

#include "schema/change_log.hpp"
#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

/// The statements that make the triggers of these tables; none where no table is published.
std::vector<std::string> change_log_triggers(const Tables& tables);

/// Whether the file's log is not the one that these tables need. Needs the room's own access, as
/// all below.
bool is_change_log_stale(sqlite::Connection& connection, const Tables& tables);

/// In the transaction of a migration: takes the triggers away, so that nothing is logged.
void drop_change_log(sqlite::Connection& connection);

/// Makes the log anew: empty, under a new name (`tenon_meta`, "log"), so that whoever followed the
/// old one knows. Takes it away where no table is published.
void create_change_log(sqlite::Connection& connection, const Tables& tables);

}  // namespace tenon::data::schema
