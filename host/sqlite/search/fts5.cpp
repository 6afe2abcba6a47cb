#include "sqlite/search/fts5.hpp"

namespace tenon::data::sqlite {

fts5_api* fts5_of(sqlite3* db) noexcept {
  fts5_api* fts5 = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_bind_pointer(statement, 1, static_cast<void*>(&fts5), "fts5_api_ptr", nullptr) ==
          SQLITE_OK)
    sqlite3_step(statement);
  sqlite3_finalize(statement);
  return fts5;
}

}  // namespace tenon::data::sqlite
