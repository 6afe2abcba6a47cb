#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {

/// A plugin's file, upgraded from one declaration to the next.
class UpgradeTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    database_.reset();
    database_ = std::make_unique<Database>(plugin_file(folder_.file("plugin.db")));
  }
  Database& database() { return *database_; }
  schema::Plan apply_to(const Declaration& declaration) { return apply(*database_, declaration); }
  std::string text(std::string_view sql) {
    auto rows = database().query(sql);
    if (!rows.next()) return "no row";
    return rows.is_null(0) ? "null" : std::string(rows.text(0));
  }
  std::int64_t count(std::string_view sql) { return number(database(), sql); }
  std::string names(const std::string& type) {
    return text(
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE type = '" +
        type + "' AND sql IS NOT NULL AND name NOT LIKE 'tenon_m%' ORDER BY name)");
  }
  // Expects the upgraded file to equal a first installation, except for the order of columns.
  void expect_as_new(const Declaration& declaration) {
    Declaration plain = declaration;
    plain.migrations.clear();
    const auto path = folder_.file("fresh" + std::to_string(++fresh_) + ".db");
    Database fresh(plugin_file(path));
    apply(fresh, plain);
    const std::string_view columns =
        "SELECT group_concat(line, char(10)) FROM (SELECT t.name || '.' || c.name || ' ' || c.type "
        "|| ' ' || c.\"notnull\" || ' ' || coalesce(c.dflt_value, '') AS line FROM sqlite_schema "
        "AS "
        "t, pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY 1)";
    const std::string_view references =
        "SELECT group_concat(line, char(10)) FROM (SELECT t.name || '.' || f.\"from\" || ' ' || "
        "f.\"table\" || ' ' || f.on_delete AS line FROM sqlite_schema AS t, "
        "pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table' ORDER BY 1)";
    const std::string_view indexes =
        "SELECT group_concat(line, char(10)) FROM (SELECT name || sql AS line FROM sqlite_schema "
        "WHERE type = 'index' AND sql IS NOT NULL ORDER BY 1)";
    for (const auto sql : {columns, references, indexes})
      EXPECT_EQ(text_of(folder_.file("plugin.db"), sql), text_of(path, sql));
    EXPECT_TRUE(database().quick_check().empty());
    EXPECT_TRUE(plan(database(), declaration).is_empty())
        << plan(database(), declaration).to_text();
  }

  Folder folder_;
  std::unique_ptr<Database> database_;
  int fresh_ = 0;

 private:
  // A plugin's own connection may not look at pragma_… tables, the host's trusts no schema.
  static std::string text_of(const std::string& path, std::string_view sql) {
    sqlite3* file = nullptr;
    sqlite3_stmt* statement = nullptr;
    std::string text = "no row";
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    EXPECT_EQ(
        sqlite3_prepare_v2(file, sql.data(), static_cast<int>(sql.size()), &statement, nullptr),
        SQLITE_OK)
        << sqlite3_errmsg(file);
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
      text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(file);
    return text;
  }
};

}  // namespace tenon::data::test
