// Tests the change log on SQLite alone: OR REPLACE, which runs no delete trigger for the rows that
// it replaces, and the names by which the authorizer knows the host's triggers. change_log_test.cpp
// tests its content on both engines.
#include <string>

#include "engines/tests/schema/change_log_case.hpp"

namespace tenon::data::test {
namespace {

class SqliteChangeLogTest : public ChangeLogCase {};
TENON_ON_SQLITE(SqliteChangeLogTest);

TEST_P(SqliteChangeLogTest, WhatIsReplacedIsDeleted) {
  add("cards", 1, "title", "'a'");
  add("cards", 2, "title", "'b'");
  changes();
  run("INSERT OR REPLACE INTO cards (id, title) VALUES ('" + id_of(3) + "', 'a')");
  EXPECT_EQ(changes(), "cards 1 delete; cards 3 create");
  run("UPDATE OR REPLACE cards SET title = 'b' WHERE id = '" + id_of(3) + "'");
  EXPECT_EQ(changes(), "cards 2 delete; cards 3 update");
}

TEST_P(SqliteChangeLogTest, PluginsCannotUseTheHostsTriggerNames) {
  const std::string sql =
      "CREATE TRIGGER tenon__live_x AFTER INSERT ON drafts BEGIN DELETE FROM tenon_changes; END";
  EXPECT_EQ(
      code_of([&] { apply(database(), declare("1.1.0", published_tables, {migration(1, sql)})); }),
      "data.migration_failed");
}

TEST_P(SqliteChangeLogTest, NoTriggerIsLeftWhereNothingIsPublished) {
  const auto triggers = [&] {
    return count("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tenon__live%'");
  };
  EXPECT_GT(triggers(), 0);
  migrate_to("1.1.0", closed_tables());
  EXPECT_EQ(triggers(), 0);
}

// A trigger cannot distinguish it from one that replaces: readers look at the current row.
TEST_P(SqliteChangeLogTest, LogsAnInsertConflictAsDeleteAndInsert) {
  add("cards", 1, "title", "'a'");
  changes();
  run("INSERT INTO cards (id, title) VALUES ('" + id_of(2) +
      "', 'a') ON CONFLICT (title) DO UPDATE SET price = 1");
  EXPECT_EQ(changes(), "cards 1 delete; cards 1 update");
  run("INSERT OR IGNORE INTO cards (id, title) VALUES ('" + id_of(2) + "', 'a')");
  EXPECT_EQ(changes(), "cards 1 delete");
}

}  // namespace
}  // namespace tenon::data::test
