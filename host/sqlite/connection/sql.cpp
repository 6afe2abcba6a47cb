#include "sqlite/connection/sql.hpp"

#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"

namespace tenon::data::sqlite {

Sql::Sql(Connection& connection, std::string_view sql, Cells cells)
    : connection_(connection), statement_(prepare_one(connection.handle(), sql, false)) {
  try {
    bind_cells(connection.handle(), statement_, cells, true);
  } catch (...) {
    sqlite3_finalize(statement_);
    throw;
  }
}

Sql::~Sql() {
  sqlite3_finalize(statement_);
}

bool Sql::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) throw sqlite_error(connection_.handle(), code);
  return false;
}

int Sql::columns() const noexcept {
  return sqlite3_column_count(statement_);
}

bool Sql::is_null(int column) const noexcept {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Sql::integer(int column) const noexcept {
  return sqlite3_column_int64(statement_, column);
}

std::string Sql::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text
             ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)))
             : std::string();
}

void Sql::run(Connection& connection, std::string_view sql, Cells cells) {
  Sql statement(connection, sql, cells);
  while (statement.next()) {
  }
}

std::int64_t Sql::number(Connection& connection, std::string_view sql, Cells cells) {
  Sql statement(connection, sql, cells);
  return statement.next() ? statement.integer(0) : 0;
}

}  // namespace tenon::data::sqlite
