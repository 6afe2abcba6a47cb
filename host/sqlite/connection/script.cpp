#include "sqlite/connection/script.hpp"

#include <algorithm>

#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

[[noreturn]] void fail(sqlite3* db, int code, const std::string& file, std::size_t line) {
  const SqlError error = sqlite_error(db, code);
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
      throw SqlError(error);
    default:
      throw SqlError(
          500, "data.migration_failed",
          file + ", line " + std::to_string(line) + ": " + error.detail() + "; nothing was changed",
          error.sqlite_code(), error.detail());
  }
}

class LengthScope {
 public:
  LengthScope(sqlite3* db, std::size_t length)
      : db_(db), before_(sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, -1)) {
    sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, std::max(before_, static_cast<int>(length) + 1));
  }
  ~LengthScope() { sqlite3_limit(db_, SQLITE_LIMIT_SQL_LENGTH, before_); }
  LengthScope(const LengthScope&) = delete;
  LengthScope& operator=(const LengthScope&) = delete;

 private:
  sqlite3* db_;
  int before_;
};

}  // namespace

void run_script(Connection& connection, std::string_view sql, const std::string& file) {
  sqlite3* db = connection.handle();
  // SQLite counts the rest of the text, not the one statement.
  const LengthScope length_scope(db, sql.size());
  std::size_t line = 1;
  while (!sql.empty()) {
    const auto start = std::min(sql.find_first_not_of(" \t\r\n;"), sql.size());
    line += static_cast<std::size_t>(
        std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
    sql.remove_prefix(start);
    if (sql.empty()) return;
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement, &tail);
    if (code != SQLITE_OK) fail(db, code, file, line);
    const auto length = static_cast<std::size_t>(tail - sql.data());
    if (statement) {
      while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      }
      sqlite3_finalize(statement);
      if (code != SQLITE_DONE) fail(db, code, file, line);
      if (connection.is_autocommit()) {
        throw SqlError(
            500, "data.migration_failed",
            file + ", line " + std::to_string(line) + ": the statement ended the transaction",
            SQLITE_ERROR, "the statement ended the transaction");
      }
    }
    line += static_cast<std::size_t>(
        std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    sql.remove_prefix(length);
  }
}

}  // namespace tenon::data::sqlite
