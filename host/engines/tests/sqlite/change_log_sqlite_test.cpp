// What is of SQLite by its nature: OR REPLACE, for whose victims it runs no trigger of deleting,
// and the names by which the authorizer knows the host's triggers. What the log holds is tested on
// both engines by change_log_test.cpp.
#include <string>

#include "engines/tests/schema/change_log_case.hpp"

namespace tenon::data::test {
namespace {

class SqliteOutboxTest : public OutboxCase {};
TENON_ON_SQLITE(SqliteOutboxTest);

TEST_P(SqliteOutboxTest, WhatIsReplacedIsDeleted) {
  add("cards", 1, "title", "'a'");
  add("cards", 2, "title", "'b'");
  changes();
  run("INSERT OR REPLACE INTO cards (id, title) VALUES ('" + id_of(3) + "', 'a')");
  EXPECT_EQ(changes(), "cards 1 delete; cards 3 create");
  run("UPDATE OR REPLACE cards SET title = 'b' WHERE id = '" + id_of(3) + "'");
  EXPECT_EQ(changes(), "cards 2 delete; cards 3 update");
}

TEST_P(SqliteOutboxTest, NothingOfAPluginIsCalledAsTheHostsTriggers) {
  const std::string sql =
      "CREATE TRIGGER tenon__live_x AFTER INSERT ON drafts BEGIN DELETE FROM tenon_changes; END";
  EXPECT_EQ(
      code_of([&] { apply(database(), declare("1.1.0", published_tables, {migration(1, sql)})); }),
      "data.migration_failed");
}

TEST_P(SqliteOutboxTest, NoTriggerIsLeftWhereNothingIsPublished) {
  const auto triggers = [&] {
    return count("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tenon__live%'");
  };
  EXPECT_GT(triggers(), 0);
  bring("1.1.0", closed_tables());
  EXPECT_EQ(triggers(), 0);
}

// It cannot be told beforehand from one that replaces: readers look at what is there.
TEST_P(SqliteOutboxTest, AnInsertThatFindsItsRecordSaysDeleteFirst) {
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
