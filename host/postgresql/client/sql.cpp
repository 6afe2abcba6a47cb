#include "postgresql/client/sql.hpp"

#include <utility>

#include "postgresql/client/result_rows.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr RunOptions own{.prefix = {}, .is_own = true};

}  // namespace

Rows Sql::rows(std::string_view sql, Cells cells) {
  return ResultRows::to_rows(session_.run(sql, cells, deadline_, own));
}

void Sql::run(std::string_view sql, Cells cells) {
  session_.run(sql, cells, deadline_, own);
}

std::int64_t Sql::number(std::string_view sql, Cells cells) {
  Rows found = rows(sql, cells);
  return found.next() ? found.integer(0) : 0;
}

std::string Sql::text(std::string_view sql, Cells cells) {
  Rows found = rows(sql, cells);
  return found.next() ? std::string(found.text(0)) : std::string();
}

void Sql::script(const std::string& sql) {
  if (auto error = session_.now(sql, deadline_)) throw SqlError(std::move(*error));
}

}  // namespace tenon::data::postgresql
