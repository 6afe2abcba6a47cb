#pragma once

#include <string>
#include <string_view>

#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// Runs the statements of a migration in the open transaction, under the connection's access of the
/// moment. Throws 500 data.migration_failed that names `file`, the line and SQLite's reason; a full
/// disk, a damaged file, a deadline keep their own error.
void run_script(Connection& connection, std::string_view sql, const std::string& file);

}  // namespace tenon::data::sqlite
