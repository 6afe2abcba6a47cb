#pragma once

#include <string>

namespace tenon::data::sqlite {

/// Returns the URI with which SQLite opens a file for reading only. `has_writer`: a server may
/// write the file in the meantime. Otherwise, a file without a WAL is opened as immutable, so that
/// SQLite creates no files next to it.
std::string read_only_uri(const std::string& path, bool has_writer);

}  // namespace tenon::data::sqlite
