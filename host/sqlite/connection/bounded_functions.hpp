#pragma once

struct sqlite3;

namespace tenon::data::sqlite {

/// Replaces those SQL functions of SQLite 3.40 that can compute for minutes or hours within one
/// call, where no deadline reaches them, for the statements of plugins:
/// - `instr` takes time in proportion to the sizes of its arguments, not to their product;
/// - `printf` and `format` with a precision of `%c` beyond SQLITE_LIMIT_LENGTH, and `replace`,
/// `trim`,
///   `ltrim`, `rtrim` and `json_patch` of two texts whose sizes multiply to more than max_work
///   says, fail with SQLITE_TOOBIG (413 "data.too_large").
/// Their results are the same. Call it after SQLITE_LIMIT_LENGTH is set. Throws as sqlite_error.
void add_bounded_functions(sqlite3* db);

}  // namespace tenon::data::sqlite
