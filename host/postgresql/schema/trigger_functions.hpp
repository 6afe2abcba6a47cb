#pragma once

#include <string>

#include "postgresql/client/sql.hpp"

namespace tenon::data::postgresql {

/// Settles the functions that migrations have made: names in them are those of the schema, whatever
/// the search path of who fires them is (a restored backup's is empty). Throws 500 data.denied
/// where one is not what check_trigger_function() lets through.
void pin_search_path(Sql& sql, const std::string& schema);

}  // namespace tenon::data::postgresql
