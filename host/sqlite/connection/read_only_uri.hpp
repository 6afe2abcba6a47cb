#pragma once

#include <string>

namespace tenon::data::sqlite {

/// SQLite's URI to look at a file without changing anything. `is_live`: a server may write it
/// meanwhile. Without one and without a log to read it is opened as a file that does not change, so
/// that nothing is made beside it.
std::string read_only_uri(const std::string& path, bool is_live);

}  // namespace tenon::data::sqlite
