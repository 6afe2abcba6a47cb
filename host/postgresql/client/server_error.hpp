#pragma once

#include <string>
#include <string_view>

#include <libpq-fe.h>

#include "data/sql_error.hpp"

namespace tenon::data::postgresql {

/// Returns the error for a result of PostgreSQL. `may_write`: the connection is one for writes,
/// so that it is the server that can only be read (503 data.server_read_only), not the statement
/// that should not write.
SqlError server_error(const PGresult* result, bool may_write);

/// 503 data.connection_lost: the server is gone, or does not let us in.
SqlError lost_error(std::string detail);

}  // namespace tenon::data::postgresql
