#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <tenon/plugin.hpp>

#include "data/schema/ddl.hpp"
#include "data/schema/tables.hpp"
#include "running_plugin.hpp"
#include "typed_tables.hpp"

namespace tenon::test {

/// typed/tables.json as the host would make it, in the fake host's SQLite.
class TypedDatabase : public testing::Test {
 protected:
  TypedDatabase() {
    run("PRAGMA foreign_keys = ON");
    std::ifstream file(TENON_SOURCE_DIR "/tests/abi/typed/tables.json");
    const auto tables = data::schema::parse_tables(
        std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
    for (const auto& table : tables.tables) {
      const auto fields = table.all_fields();
      run(data::schema::create_sql(table.name, fields));
      for (const auto& index : data::schema::planned_indexes(table))
        run(index.sql);
      for (const auto& field : fields) {
        if (!field.is_link()) continue;
        run(data::schema::create_link_sql(table.name, field));
        for (const auto& index : data::schema::link_indexes(table.name, field.name))
          run(index.sql);
      }
    }
  }

  /// Runs `work(Database&)` inside start(); what it throws fails the test.
  template <class F>
  void with(F work) {
    bool ran = false;
    const RunningPlugin plugin(host, Steps{.start = [&](Scripted& self) {
                                 work(self.database());
                                 ran = true;
                               }});
    EXPECT_EQ(plugin.started, TENON_OK) << plugin.error.message;
    EXPECT_TRUE(ran);
    EXPECT_EQ(host.open_cursors, 0);
    EXPECT_EQ(host.open_transactions, 0);
  }

  void run(const std::string& sql) {
    char* message = nullptr;
    if (sqlite3_exec(host.sqlite(), sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
      throw std::runtime_error(sql + ": " + message);
  }

  FakeHost host;
};

/// "code: field code, …" of what `work` throws; empty where nothing is.
template <class F>
std::string failure_of(F work) {
  try {
    work();
  } catch (const Error& error) {
    std::string text = error.code();
    for (const auto& field : error.fields())
      text += (&field == error.fields().data() ? ": " : ", ") + field.field + " " + field.code;
    return text;
  }
  return {};
}

}  // namespace tenon::test
