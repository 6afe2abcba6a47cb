#pragma once

#include <string>

namespace tenon::data::sqlite {

/// Returns the URI with which SQLite opens a file for reading only. `is_live`: a server may write
/// the file in the meantime. Otherwise, a file without a WAL is opened as immutable, so that SQLite
/// creates no files next to it.
std::string read_only_uri(const std::string& path, bool is_live);

}  // namespace tenon::data::sqlite
