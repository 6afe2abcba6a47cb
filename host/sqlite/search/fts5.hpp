#pragma once

#include <sqlite3.h>

namespace tenon::data::sqlite {

/// FTS5's own functions, of a connection; null: it is not there.
/// https://sqlite.org/fts5.html#extending_fts5
fts5_api* fts5_of(sqlite3* db) noexcept;

}  // namespace tenon::data::sqlite
