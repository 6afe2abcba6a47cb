#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/cell.hpp"
#include "data/rows.hpp"
#include "postgresql/client/session.hpp"

namespace tenon::data::postgresql {

/// Statements of the room itself in a session that it has to itself, until a deadline. Throws
/// SqlError. One thread at a time.
class Sql {
 public:
  Sql(Session& session, std::int64_t deadline) : session_(session), deadline_(deadline) {}

  Rows rows(std::string_view sql, Cells cells = {});
  void run(std::string_view sql, Cells cells = {});
  /// The first column of the first row; 0 and empty without rows.
  std::int64_t number(std::string_view sql, Cells cells = {});
  std::string text(std::string_view sql, Cells cells = {});
  /// Any number of statements, without values.
  void script(const std::string& sql);

 private:
  Session& session_;
  const std::int64_t deadline_;
};

}  // namespace tenon::data::postgresql
