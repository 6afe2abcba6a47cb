#pragma once

#include <sqlite3.h>

#include "sqlite/connection/connection.hpp"

namespace tenon::data::schema {

/// A switch of SQLite's connection (SQLITE_DBCONFIG_…) for a scope; afterwards the opposite.
class SwitchScope {
 public:
  SwitchScope(sqlite::Connection& connection, int option, int value)
      : db_(connection.handle()), option_(option), after_(1 - value) {
    sqlite3_db_config(db_, option_, value, nullptr);
  }
  ~SwitchScope() { sqlite3_db_config(db_, option_, after_, nullptr); }
  SwitchScope(const SwitchScope&) = delete;
  SwitchScope& operator=(const SwitchScope&) = delete;

 private:
  sqlite3* db_;
  int option_;
  int after_;
};

}  // namespace tenon::data::schema
