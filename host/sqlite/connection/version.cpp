#include "sqlite/connection/version.hpp"

#include <sqlite3.h>

namespace tenon::data::sqlite {

std::string_view sqlite_version() noexcept {
  return sqlite3_libversion();
}

std::string_view sqlite_version_compiled() noexcept {
  return SQLITE_VERSION;
}

bool is_wal_reset_fixed() noexcept {
  const int version = sqlite3_libversion_number();
  return version >= 3051003 || (version >= 3050007 && version < 3051000) ||
         (version >= 3044006 && version < 3045000);
}

}  // namespace tenon::data::sqlite
