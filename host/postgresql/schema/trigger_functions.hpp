#pragma once

#include <string>

#include "postgresql/client/sql.hpp"

namespace tenon::data::postgresql {

/// Pins the search path of the functions that migrations have made: names in them are those of the
/// schema, whatever search path the session has that fires them (a restored backup's is empty).
/// Throws 500 data.denied for a function that check_trigger_function() would refuse.
void pin_search_path(Sql& sql, const std::string& schema);

}  // namespace tenon::data::postgresql
