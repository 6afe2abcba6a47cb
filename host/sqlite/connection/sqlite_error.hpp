#pragma once

#include "data/errors.hpp"
#include "data/sql_error.hpp"

struct sqlite3;

namespace tenon::data::sqlite {

/// The error for the result code that `db` gave last. Call it before the statement is reset.
SqlError sqlite_error(sqlite3* db, int code);

/// True where the disk did not confirm a write.
bool is_sync_failure(int code) noexcept;

/// True for a file that does not read as a database.
bool is_corruption(int code) noexcept;

/// True when the disk has refused to read the file of `db` since it was opened.
bool is_read_refused(sqlite3* db) noexcept;

/// Returns the error of a read that the disk refused (data.io).
SqlError refused_read_error();

/// A file that does not check.
SqlError damaged_error(std::string detail);

}  // namespace tenon::data::sqlite
