#pragma once

#include <string_view>

namespace tenon::data::sqlite {

/// Returns the version of the library that runs: "3.40.1".
std::string_view sqlite_version() noexcept;
/// Returns the version of the headers at compile time.
std::string_view sqlite_version_compiled() noexcept;

/// Whether the SQLite that runs has no WAL-reset bug (see checkpoint.hpp): 3.51.3 and later, and
/// 3.50.7 and 3.44.6 of the branches before it.
bool is_wal_reset_fixed() noexcept;

}  // namespace tenon::data::sqlite
