#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/cell.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// One statement of the room itself, on a connection that the room has to itself; not cached.
/// Prepared under the connection's access of the moment. Throws SqlError.
class Sql {
 public:
  Sql(Connection& connection, std::string_view sql, Cells cells = {});
  ~Sql();
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  bool next();
  int columns() const noexcept;
  bool is_null(int column) const noexcept;
  std::int64_t integer(int column) const noexcept;
  std::string text(int column) const;

  /// Runs a statement to its end.
  static void run(Connection& connection, std::string_view sql, Cells cells = {});
  /// The first column of the first row; 0 without rows.
  static std::int64_t number(Connection& connection, std::string_view sql, Cells cells = {});

 private:
  Connection& connection_;
  sqlite3_stmt* statement_;
};

}  // namespace tenon::data::sqlite
