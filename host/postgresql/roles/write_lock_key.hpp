#pragma once

#include <string>
#include <string_view>

namespace tenon::data::postgresql {

/// Returns, as SQL, the key of the advisory lock that a writer of the schema holds, on any host.
inline std::string write_lock_key(std::string_view schema) {
  return "pg_catalog.hashtextextended('tenon " + std::string(schema) + "', 0)";
}

}  // namespace tenon::data::postgresql
