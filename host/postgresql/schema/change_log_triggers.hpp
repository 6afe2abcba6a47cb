#pragma once

#include <string>
#include <vector>

#include "postgresql/client/sql.hpp"
#include "schema/change_log.hpp"
#include "schema/tables.hpp"

namespace tenon::data::postgresql {

/// The statements that make the functions and triggers of the log in a schema; none where no table
/// is published. The functions run with the rights of their owner, so that no other role needs the
/// right to write the log.
std::vector<std::string> change_log_statements(const std::string& schema,
                                               const schema::Tables& tables);

/// Whether the schema's log is not the one that these tables need.
bool is_change_log_stale(Sql& sql, const std::string& schema, const schema::Tables& tables);

/// In the transaction of a migration: takes the triggers away, so that nothing is logged.
void drop_change_log(Sql& sql);

/// Recreates the change log: empty, with a new id (`tenon_meta`, "log"). Removes it if no table is
/// published.
void create_change_log(Sql& sql, const std::string& schema, const schema::Tables& tables);

}  // namespace tenon::data::postgresql
