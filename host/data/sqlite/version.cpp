#include "data/sqlite/version.hpp"

#include <sqlite3.h>

namespace tenon::data::sqlite {

std::string_view sqlite_version() noexcept {
  return sqlite3_libversion();
}

std::string_view sqlite_version_compiled() noexcept {
  return SQLITE_VERSION;
}

}  // namespace tenon::data::sqlite
