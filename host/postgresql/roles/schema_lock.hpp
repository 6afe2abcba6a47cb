#pragma once

#include <string>
#include <string_view>

namespace tenon::data::postgresql {

/// The key of the advisory lock by which the writers of a schema take turns, those of other hosts
/// too, as SQL.
inline std::string write_lock_key(std::string_view schema) {
  return "pg_catalog.hashtextextended('tenon " + std::string(schema) + "', 0)";
}

}  // namespace tenon::data::postgresql
