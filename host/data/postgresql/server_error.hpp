#pragma once

#include <string>
#include <string_view>

#include <libpq-fe.h>

#include "data/sql_error.hpp"

namespace tenon::data::postgresql {

/// The error that a result of PostgreSQL stands for.
SqlError server_error(const PGresult* result);

/// 503 data.connection_lost: the server is gone, or does not let us in.
SqlError lost_error(std::string detail);

}  // namespace tenon::data::postgresql
