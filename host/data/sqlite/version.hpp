#pragma once

#include <string_view>

namespace tenon::data::sqlite {

/// Of the library that runs: "3.40.1".
std::string_view sqlite_version() noexcept;
/// Of the headers that this was compiled with.
std::string_view sqlite_version_compiled() noexcept;

}  // namespace tenon::data::sqlite
