#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {

inline const std::string plain_text = R"({"name":"a","type":"text"})";

/// A plugin's file, and what its tables.json and migrations make of it.
class MigrateTest : public testing::Test {
 protected:
  MigrateTest() : database_(std::make_unique<Database>(plugin_file(folder_.file("plugin.db")))) {}

  Database& database() { return *database_; }
  schema::Plan apply_to(const Declaration& declaration) { return apply(*database_, declaration); }
  void insert(const std::string& columns, Cells cells) {
    std::string sql =
        "INSERT INTO t (id" + (columns.empty() ? "" : ", " + columns) + ") VALUES (?1";
    const std::string id = base::new_id();
    std::vector<Cell> all = {id};
    for (const Cell& cell : cells) {
      all.push_back(cell);
      sql += ", ?" + std::to_string(all.size());
    }
    database().exec(sql + ")", all);
  }
  std::string text(std::string_view sql) {
    auto rows = database().query(sql);
    return rows.next() ? std::string(rows.text(0)) : "no row";
  }
  std::string schema_of(const std::string& name) {
    return text("SELECT sql FROM sqlite_schema WHERE name = '" + name + "'");
  }
  void reopen() {
    database_.reset();
    database_ = std::make_unique<Database>(plugin_file(folder_.file("plugin.db")));
  }

  Folder folder_;
  std::unique_ptr<Database> database_;
};

}  // namespace tenon::data::test
