// Parts of the search index that only SQLite has: FTS5's own tables and commands, the queues that a
// commit empties, and a table that a migration recreates with SQLite's SQL. search_index_test.cpp
// tests on both engines which records are found.
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "engines/tests/schema/search_case.hpp"

namespace tenon::data::test {
namespace {

class SqliteSearchIndexTest : public SearchCase {};
TENON_ON_SQLITE(SqliteSearchIndexTest);

TEST_P(SqliteSearchIndexTest, DeniesWritesOfTheQueue) {
  apply_to(declare("1.0.0", cards_by_both));
  for (const char* sql : {"INSERT INTO tenon_cards_search_queued VALUES (1, 1, 'a', 'b')",
                          "DELETE FROM tenon_cards_search_queued"})
    EXPECT_EQ(exec(sql), "data.denied") << sql;
  add(1, "one", "two");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_cards_search_queued"), 0)
      << "the commit has emptied it";
}

// How many records the queue has when the next member of the group begins.
TEST_P(SqliteSearchIndexTest, MembersWithManyRecordsIndexThemThemselves) {
  options_.groups.age = std::chrono::seconds(60);
  open();
  apply_to(declare("1.0.0", cards_by_title));
  std::atomic<std::int64_t> left = -1;
  struct Next final : QueuedWrite {
    explicit Next(std::atomic<std::int64_t>& found) : left(found) {}
    void work(Transaction& transaction) override {
      auto rows = transaction.query("SELECT count(*) FROM tenon_cards_search_queued");
      rows.next();
      left = rows.integer(0);
    }
    void done(std::exception_ptr) noexcept override {}
    std::atomic<std::int64_t>& left;
  };
  for (const int records : {400, 500}) {  // a row, and one in the queue
    left = -1;
    database().write([&](Transaction& transaction) {
      transaction.exec(
          "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
          "INSERT INTO cards (id, title) SELECT ?2 || substr('00000' || i, -5), 'tern ' || i "
          "FROM "
          "n",
          {records, base::new_id().substr(0, 31)});
      database().queue(std::make_unique<Next>(left));
    });
    while (left == -1)
      std::this_thread::yield();
    EXPECT_EQ(left, records == 400 ? 400 : 0);
    EXPECT_TRUE(is_whole("cards", {"title"}));
  }
  EXPECT_EQ(number(database(), "SELECT count(*) FROM cards"), 900);
}

TEST_P(SqliteSearchIndexTest, NothingIsLeftOfOneThatIsDropped) {
  const auto parts = [&] {
    return number(database(),
                  "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'tenon_*_search*'");
  };
  apply_to(declare("1.0.0", cards_by_both));
  EXPECT_GT(parts(), 5);
  apply_to(declare("1.1.0", plain_cards));
  EXPECT_EQ(parts(), 0);
}

TEST_P(SqliteSearchIndexTest, AllowsAMigrationToRecreateTheTable) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "one", "two");
  add(5, "three", "four");
  const std::string text = apply_to(
      declare("2.0.0", cards_by_both,
              {migration(1,
                         "CREATE TABLE fresh (\"rowid\" INTEGER PRIMARY KEY, \"id\" TEXT NOT NULL "
                         "UNIQUE CONSTRAINT \"id\" CHECK (length(\"id\") = 36), \"title\" TEXT, "
                         "\"body\" TEXT) STRICT;\n"
                         "INSERT INTO fresh (id, title, body) SELECT id, title || 's', body FROM "
                         "cards ORDER BY rowid DESC;\n"
                         "DROP TABLE cards;\n"
                         "ALTER TABLE fresh RENAME TO cards;")}));
  EXPECT_NE(text.find("rebuild search index of cards (title, body)"), std::string::npos) << text;
  EXPECT_EQ(found("ones"), "2");
  EXPECT_EQ(found("threes"), "1");
  EXPECT_EQ(exec("DELETE FROM cards WHERE rowid = 2"), "none") << last_detail();
  EXPECT_TRUE(is_whole());
}

TEST_P(SqliteSearchIndexTest, PluginsCannotWriteFts5Tables) {
  apply_to(declare(
      "1.0.0", cards_by_both,
      {migration(1,
                 "CREATE TABLE fuse (x);\nINSERT INTO fuse VALUES ('seed');\n"
                 "CREATE TRIGGER sly AFTER INSERT ON fuse BEGIN INSERT INTO tenon_cards_search "
                 "(rowid, title) VALUES (77, new.x); END;\n"
                 "CREATE TRIGGER slyer AFTER DELETE ON fuse BEGIN DELETE FROM "
                 "tenon_cards_search_data; END;\n"
                 "CREATE TRIGGER fair AFTER UPDATE ON fuse BEGIN UPDATE cards SET title = new.x; "
                 "END;")}));
  add(1, "one", "two");
  EXPECT_EQ(number(database(),
                   "SELECT length(snippet(tenon_cards_search, 0, '<', '>', '', 9)) FROM "
                   "tenon_cards_search WHERE tenon_cards_search MATCH 'one' AND rank MATCH "
                   "'bm25(2.0)' ORDER BY rank"),
            5);
  for (const char* sql :
       {"INSERT INTO tenon_cards_search (rowid, title) VALUES (7, 'x')",
        "INSERT INTO tenon_cards_search (tenon_cards_search) VALUES ('rebuild')",
        "INSERT INTO tenon_cards_search (tenon_cards_search) VALUES ('delete-all')",
        "UPDATE tenon_cards_search SET title = 'x'", "DELETE FROM tenon_cards_search",
        "WITH tenon_x AS (SELECT 7) INSERT INTO tenon_cards_search (rowid) SELECT * FROM tenon_x",
        "INSERT INTO fuse VALUES ('x')", "DROP TABLE tenon_cards_search",
        "DROP TRIGGER tenon_cards_search_insert"}) {
    EXPECT_EQ(exec(sql), "data.denied") << sql << " " << last_detail();
  }
  // The tables in which FTS5 stores the index.
  for (const char* sql :
       {"DELETE FROM tenon_cards_search_data", "UPDATE tenon_cards_search_data SET block = x''",
        "INSERT INTO tenon_cards_search_config VALUES ('a', 1)",
        "DELETE FROM tenon_cards_search_idx", "DELETE FROM tenon_cards_search_docsize",
        "DELETE FROM fuse"}) {
    EXPECT_NE(exec(sql), "none") << sql;
  }
  EXPECT_EQ(exec("UPDATE fuse SET x = 'by its own trigger'"), "none") << last_detail();
  EXPECT_EQ(found("trigger"), "1");
  EXPECT_TRUE(is_whole());
}

}  // namespace
}  // namespace tenon::data::test
