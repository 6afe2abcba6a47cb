#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sqlite3.h>

#include "data/tests/declarations.hpp"
#include "data/tests/support.hpp"

namespace tenon::data::test {
namespace {

const char* const plain =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text"},{"name":"body","type":"text"}]}]})";
const char* const by_title =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":true},{"name":"body","type":"text"}]}]})";
const char* const by_both =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":{"weight":5}},{"name":"body","type":"text","searchable":true}]}]})";

class SearchIndexTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    database_.reset();
    database_ = std::make_unique<Database>(plugin_file(path()));
  }
  std::string path() const { return folder_.file("plugin.db"); }
  Database& database() { return *database_; }
  std::string apply_to(const Declaration& declaration) {
    return apply(database(), declaration).to_text();
  }
  void add(std::int64_t rowid, const std::string& title, const std::string& body) {
    database().exec("INSERT INTO cards (rowid, id, title, body) VALUES (?1, ?2, ?3, ?4)",
                    {rowid, base::new_id(), title, body});
  }
  // The rowids of what is found.
  std::string found(const std::string& words, const std::string& table = "cards") {
    const std::string index = "tenon_" + table + "_search";
    auto rows = database().query("SELECT group_concat(rowid, ' ') FROM (SELECT rowid FROM " +
                                     index + " WHERE " + index + " MATCH ?1 ORDER BY rowid)",
                                 {words});
    return rows.next() && !rows.is_null(0) ? std::string(rows.text(0)) : std::string();
  }
  std::string exec(std::string_view sql) {
    return code_of([&] { database().exec(sql); });
  }
  std::int64_t parts() {
    return number(database(),
                  "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'tenon_*_search*'");
  }
  // SQL that no plugin may say, by another process.
  int run_outside(const std::string& sql) {
    database_.reset();
    sqlite3* file = nullptr;
    EXPECT_EQ(sqlite3_open(path().c_str(), &file), SQLITE_OK);
    const int code = sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(file);
    open();
    return code;
  }
  // Whether the index has exactly the words of the records.
  bool is_whole(const std::string& table = "cards") {
    const std::string index = "tenon_" + table + "_search";
    return run_outside("INSERT INTO " + index + " (" + index +
                       ", rank) VALUES ('integrity-check', 1)") == SQLITE_OK;
  }

  Folder folder_;
  std::unique_ptr<Database> database_;
};

TEST_F(SearchIndexTest, FollowsEveryWrite) {
  EXPECT_NE(apply_to(declare("1.0.0", by_both)).find("add search index of cards (title, body)"),
            std::string::npos);
  add(1, "Caf\xC3\xA9", "open late");
  add(2, "Tea house", "open early");
  EXPECT_EQ(found("open"), "1 2");
  EXPECT_EQ(found("cafe"), "1");
  EXPECT_EQ(found("ear*"), "2");
  EXPECT_EQ(exec("UPDATE cards SET body = 'closed' WHERE rowid = 1"), "none") << last_detail();
  EXPECT_EQ(exec("UPDATE cards SET title = NULL WHERE rowid = 2"), "none") << last_detail();
  EXPECT_EQ(found("open"), "2");
  EXPECT_EQ(found("tea"), "");
  EXPECT_EQ(exec("UPDATE cards SET rowid = 9 WHERE rowid = 1"), "none") << last_detail();
  EXPECT_EQ(found("cafe"), "9");
  EXPECT_EQ(exec("INSERT INTO cards (id, title) SELECT id, 'new' FROM cards WHERE rowid = 9 ON "
                 "CONFLICT (id) DO UPDATE SET title = 'Bar'"),
            "none")
      << last_detail();
  EXPECT_EQ(found("bar OR new OR cafe"), "9");
  EXPECT_TRUE(is_whole());
  EXPECT_EQ(exec("DELETE FROM cards"), "none") << last_detail();
  EXPECT_EQ(found("open OR closed OR bar"), "");
  EXPECT_TRUE(is_whole());
  EXPECT_TRUE(plan(database(), declare("1.0.0", by_both)).is_empty());
}

TEST_F(SearchIndexTest, WhatIsUndoneIsNotFound) {
  apply_to(declare("1.0.0", by_both));
  add(1, "kept", "");
  EXPECT_EQ(code_of([&] {
              database().write([](Transaction& transaction) {
                transaction.exec("UPDATE cards SET title = 'changed'");
                throw base::Error(409, "test.undone", "");
              });
            }),
            "test.undone");
  EXPECT_EQ(found("kept"), "1");
  EXPECT_EQ(found("changed"), "");
  EXPECT_TRUE(is_whole());
}

TEST_F(SearchIndexTest, AnyChangesOfATransactionAreOne) {
  apply_to(declare("1.0.0", by_both));
  std::mt19937 chance(7);
  const auto pick = [&](unsigned most) { return static_cast<int>(chance() % most); };
  const auto word = [&] { return "w" + std::to_string(pick(9)); };
  const auto change = [&](Transaction& transaction) {
    const std::string rowid = std::to_string(pick(6) + 1);
    const std::string texts = "'" + word() + " " + word() + "', '" + word() + "'";
    // The conflict policy of a statement holds in the triggers too.
    const std::string policy =
        std::vector<std::string>{"", "OR REPLACE ", "OR IGNORE "}[chance() % 3];
    switch (pick(5)) {
      case 0:
        transaction.exec("DELETE FROM cards WHERE rowid = " + rowid);
        break;
      case 1:
        transaction.exec("UPDATE " + policy + "cards SET body = '" + word() + "', title = '" +
                         word() + "' WHERE rowid <= " + rowid);
        break;
      case 2:
        transaction.exec("DELETE FROM cards WHERE rowid = 7");
        transaction.exec("UPDATE " + policy + "cards SET rowid = 7 WHERE rowid = " + rowid);
        break;
      default:
        transaction.exec("DELETE FROM cards WHERE rowid = " + rowid);
        transaction.exec("INSERT " + policy + "INTO cards (rowid, id, title, body) VALUES (" +
                             rowid + ", ?1, " + texts + ")",
                         {base::new_id()});
    }
  };
  int done = 0;
  for (int round = 0; round < 60; ++round) {
    const bool is_undone = pick(4) == 0;
    const std::string code = code_of([&] {
      database().write([&](Transaction& transaction) {
        for (int left = pick(8); left >= 0; --left)
          change(transaction);
        if (is_undone) throw base::Error(409, "test.undone", "");
      });
    });
    EXPECT_TRUE(code == "none" || code == "test.undone" || code == "data.unique")
        << code << " " << last_detail();
    done += code == "none" ? 1 : 0;
    ASSERT_TRUE(is_whole()) << round;
  }
  EXPECT_GT(done, 10);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_cards_search_queued"), 0);
}

TEST_F(SearchIndexTest, NobodyElseWritesTheQueue) {
  apply_to(declare("1.0.0", by_both));
  for (const char* sql : {"INSERT INTO tenon_cards_search_queued VALUES (1, 1, 'a', 'b')",
                          "DELETE FROM tenon_cards_search_queued",
                          "INSERT INTO tenon_cards_search (rowid, title) VALUES (1, 'a')"})
    EXPECT_EQ(exec(sql), "data.denied") << sql;
}

TEST_F(SearchIndexTest, ATransactionFindsWhatItWrote) {
  apply_to(declare("1.0.0", by_both));
  add(1, "old", "");
  const auto hits = [](Transaction& transaction, const char* words) {
    auto rows = transaction.query(
        "SELECT count(*) FROM tenon_cards_search WHERE tenon_cards_search MATCH ?1", {words});
    return rows.next() ? rows.integer(0) : -1;
  };
  database().write([&](Transaction& transaction) {
    EXPECT_EQ(hits(transaction, "old"), 1);
    transaction.exec("UPDATE cards SET title = 'new'");
    EXPECT_EQ(hits(transaction, "old"), 0);
    EXPECT_EQ(hits(transaction, "new"), 1);
    transaction.exec("DELETE FROM cards");
    EXPECT_EQ(hits(transaction, "new"), 0);
  });
  EXPECT_TRUE(is_whole());
}

// How many records the queue has when the next member of the group begins.
TEST_F(SearchIndexTest, MembersWithManyRecordsIndexThemThemselves) {
  database_.reset();
  DatabaseOptions options = plugin_file(path());
  options.groups.age = std::chrono::seconds(60);
  database_ = std::make_unique<Database>(options);
  apply_to(declare("1.0.0", by_title));
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
          "INSERT INTO cards (id, title) SELECT ?2 || substr('00000' || i, -5), 'tern ' || i FROM "
          "n",
          {records, base::new_id().substr(0, 31)});
      database().queue(std::make_unique<Next>(left));
    });
    while (left == -1)
      std::this_thread::yield();
    EXPECT_EQ(left, records == 400 ? 400 : 0);
    EXPECT_TRUE(is_whole());
  }
  EXPECT_EQ(number(database(), "SELECT count(*) FROM cards"), 900);
}

TEST_F(SearchIndexTest, WhatAnotherProgramWroteIsFoundAfterAStart) {
  apply_to(declare("1.0.0", by_title));
  ASSERT_EQ(run_outside("INSERT INTO cards (rowid, id, title) VALUES (1, '" + base::new_id() +
                        "', 'coffee')"),
            SQLITE_OK);
  EXPECT_EQ(found("coffee"), "1");
  ASSERT_EQ(run_outside("UPDATE cards SET title = 'tea'"), SQLITE_OK);
  EXPECT_EQ(found("coffee"), "");
  EXPECT_EQ(found("tea"), "1");
  EXPECT_TRUE(is_whole());
}

TEST_F(SearchIndexTest, FollowsTheDeclaration) {
  apply_to(declare("1.0.0", plain));
  EXPECT_EQ(parts(), 0);
  add(1, "one", "two");
  EXPECT_NE(apply_to(declare("1.1.0", by_title)).find("add search index of cards (title)"),
            std::string::npos);
  EXPECT_EQ(found("one"), "1");
  EXPECT_EQ(found("two"), "");
  const std::string text = apply_to(declare("1.2.0", by_both));
  EXPECT_NE(text.find("drop search index of cards"), std::string::npos) << text;
  EXPECT_NE(text.find("add search index of cards (title, body)"), std::string::npos) << text;
  EXPECT_EQ(found("two"), "1");
  EXPECT_TRUE(is_whole());
  // A weight is no part of the index.
  std::string heavier = by_both;
  heavier.replace(heavier.find(":5"), 2, ":6");
  EXPECT_EQ(apply_to(declare("1.3.0", heavier)).find("search"), std::string::npos);
  EXPECT_NE(apply_to(declare("1.4.0", plain)).find("drop search index of cards"),
            std::string::npos);
  EXPECT_EQ(parts(), 0);
}

TEST_F(SearchIndexTest, FollowsRenamesAndConversions) {
  apply_to(declare("1.0.0", by_both));
  add(1, "one", "two");
  const std::string text = apply_to(declare(
      "2.0.0",
      R"({"tables":[{"name":"notes","formerly":["cards"],"timestamps":true,"fields":[{"name":"heading","formerly":["title"],"type":"text","searchable":true},
      {"name":"body","type":"text","required":true,"max":50,"searchable":true},{"name":"n","type":"integer"}]}]})"));
  EXPECT_NE(text.find("drop search index of cards"), std::string::npos) << text;
  EXPECT_EQ(found("heading : one", "notes"), "1");
  EXPECT_EQ(exec("INSERT INTO notes (id, heading, body, n) VALUES "
                 "('000000000000000000000000000000000000', 'three', 'four', 4)"),
            "none")
      << last_detail();
  // A field beside it is converted: the table is made anew.
  apply_to(declare(
      "3.0.0",
      R"({"tables":[{"name":"notes","timestamps":true,"fields":[{"name":"heading","type":"text","searchable":true},
      {"name":"body","type":"text","required":true,"max":50,"searchable":true},{"name":"n","type":"text"}]}]})"));
  EXPECT_EQ(found("one OR three", "notes"), "1 2");
  EXPECT_EQ(exec("UPDATE notes SET heading = 'five' WHERE rowid = 2"), "none") << last_detail();
  EXPECT_EQ(found("three", "notes"), "");
  EXPECT_TRUE(is_whole("notes"));
}

TEST_F(SearchIndexTest, AMigrationMayMakeTheTableAnew) {
  apply_to(declare("1.0.0", by_both));
  add(1, "one", "two");
  add(5, "three", "four");
  const std::string text = apply_to(
      declare("2.0.0", by_both,
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

TEST_F(SearchIndexTest, AFileOfAnEarlierHostGetsOne) {
  apply_to(declare("1.0.0", by_both));
  add(1, "one", "two");
  ASSERT_EQ(run_outside("DROP TRIGGER tenon_cards_search_insert"), SQLITE_OK);
  add(2, "three", "four");
  EXPECT_EQ(found("three"), "");
  const std::string text = apply_to(declare("1.0.0", by_both));
  EXPECT_NE(text.find("drop search index of cards"), std::string::npos) << text;
  EXPECT_EQ(found("three"), "2");
  EXPECT_TRUE(is_whole());
  ASSERT_EQ(run_outside("DROP TABLE tenon_cards_search; DROP TRIGGER tenon_cards_search_insert; "
                        "DROP TRIGGER tenon_cards_search_update; "
                        "DROP TRIGGER tenon_cards_search_delete"),
            SQLITE_OK);
  apply_to(declare("1.0.0", by_both));
  EXPECT_EQ(found("one OR three"), "1 2");
  EXPECT_TRUE(plan(database(), declare("1.0.0", by_both)).is_empty());
}

TEST_F(SearchIndexTest, NamesOfTablesDoNotMeet) {
  std::string tables;
  for (const char* name : {"a", "a_search", "a_data", "a_search_data", "a_search_insert"}) {
    tables += (tables.empty() ? "" : ",") + std::string(R"({"name":")") + name +
              R"(","fields":[{"name":"title","type":"text","searchable":true}]})";
  }
  apply_to(declare("1.0.0", R"({"tables":[)" + tables + "]}"));
  for (const char* name : {"a", "a_search", "a_data", "a_search_data", "a_search_insert"}) {
    EXPECT_EQ(exec("INSERT INTO " + std::string(name) +
                   " (id, title) VALUES ('000000000000000000000000000000000000', '" + name + "')"),
              "none")
        << last_detail();
    EXPECT_EQ(found("\"" + std::string(name) + "\"", name), "1");
    EXPECT_TRUE(is_whole(name)) << name;
  }
  EXPECT_TRUE(plan(database(), declare("1.0.0", R"({"tables":[)" + tables + "]}")).is_empty());
}

TEST_F(SearchIndexTest, PluginsReadItAndDoNotWriteIt) {
  apply_to(declare(
      "1.0.0", by_both,
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
  // What FTS5 keeps it in.
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
