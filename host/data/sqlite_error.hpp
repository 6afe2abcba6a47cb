#pragma once

#include "data/sql_error.hpp"

struct sqlite3;

namespace tenon::data {

/// The error for the result code that `db` gave last. Call it before the statement is reset.
SqlError sqlite_error(sqlite3* db, int code);

/// True where the disk did not confirm a write.
bool is_sync_failure(int code) noexcept;

/// True for a file that does not read as a database.
bool is_corruption(int code) noexcept;

/// Errors of the room itself.
SqlError damaged_error(std::string detail);
base::Error closed_error();
base::Error busy_error();
base::Error expired_error();
base::Error over_error();
base::Error group_rolled_back_error();
base::Error storage_failed_error();

}  // namespace tenon::data
