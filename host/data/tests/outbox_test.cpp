#include "data/sqlite/schema/outbox.hpp"

#include <atomic>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "data/migrate.hpp"
#include "data/tests/support.hpp"

namespace tenon::data {
namespace {

const char* const tables_text = R"json({"tables":[
  {"name":"cards","publish":true,"version":true,"fields":[
    {"name":"title","type":"text","unique":true},{"name":"price","type":"number"},
    {"name":"done","type":"boolean"},{"name":"more","type":"json"},
    {"name":"tags","type":"choice","many":true,"choices":["red","blue"]},
    {"name":"board","type":"reference","table":"boards","on_delete":"clear"},
    {"name":"labels","type":"reference","table":"labels","many":true},
    {"name":"loud","type":"computed","expression":"upper(title)"}]},
  {"name":"boards","fields":[{"name":"name","type":"text"}]},
  {"name":"labels","fields":[{"name":"name","type":"text"}]},
  {"name":"drafts","fields":[{"name":"name","type":"text"}]}
]})json";

std::string id_of(char last) {
  return std::string("01900000-0000-7000-8000-00000000000") + last;
}
const std::string one = id_of('1');
const std::string two = id_of('2');

// Somebody who opens the file without the host.
class Outside {
 public:
  explicit Outside(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
  }
  ~Outside() { sqlite3_close(db_); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db_);
  }

 private:
  sqlite3* db_ = nullptr;
};

class OutboxTest : public testing::Test {
 protected:
  OutboxTest() { bring("1.0.0", tables_text); }

  void bring(const std::string& version, const std::string& text) {
    Declaration declaration{"planner", version, schema::parse_tables(text), {}};
    apply(database(), declaration);
  }
  Database& database() {
    if (!database_) database_.emplace(plugin_file(file()));
    return *database_;
  }
  void reopen() { database_.reset(); }
  std::string file() const { return folder_.file("planner.db"); }
  static DatabaseOptions plugin_file(const std::string& path) { return test::plugin_file(path); }

  void run(const std::string& sql) { database().exec(sql); }
  void add(const std::string& table, const std::string& id, const std::string& more = "") {
    run("INSERT INTO " + table + " (id" + (more.empty() ? "" : ", ") +
        more.substr(0, more.find('=')) + ") VALUES ('" + id + "'" +
        (more.empty() ? "" : ", " + more.substr(more.find('=') + 1)) + ")");
  }
  std::string text(const std::string& sql) {
    Rows rows = database().query(sql);
    return rows.next() ? std::string(rows.text(0)) : "nothing";
  }
  // "cards 1 create; …", and what was told is forgotten.
  std::string changes() {
    std::string all;
    Rows rows = database().query(
        "SELECT tbl || ' ' || substr(record, -1) || ' ' || kind FROM "
        "tenon_changes WHERE seq > " +
        std::to_string(seen_) + " ORDER BY seq");
    while (rows.next())
      all.append(all.empty() ? "" : "; ").append(rows.text(0));
    seen_ = test::number(database(), "SELECT coalesce(max(seq), 0) FROM tenon_changes");
    return all;
  }

 private:
  test::Folder folder_;
  std::optional<Database> database_;
  std::int64_t seen_ = 0;
};

TEST_F(OutboxTest, EveryChangeIsARowWithWhatWasBefore) {
  add("cards", one,
      "title, price, done, more, tags='Ada''s \"card\"', 0.1, 1, '{\"a\":1}', '[\"red\"]'");
  EXPECT_EQ(changes(), "cards 1 create");
  run("UPDATE cards SET title = 'b', version = 2");
  EXPECT_EQ(changes(), "cards 1 update");
  EXPECT_EQ(text("SELECT before FROM tenon_changes ORDER BY seq DESC"),
            "[{\"title\":\"Ada's \\\"card\\\"\",\"price\":\"0.10000000000000001\",\"done\":1,"
            "\"more\":1,\"tags\":[\"red\"],\"board\":null,\"labels\":[],\"version\":1}]");
  run("DELETE FROM cards");
  EXPECT_EQ(changes(), "cards 1 delete");
}

TEST_F(OutboxTest, ValuesOfManyReferencesAreChangesOfTheirRecord) {
  add("labels", one);
  add("labels", two);
  add("cards", one);
  changes();
  const std::string insert = "INSERT INTO cards__labels (record, target, position) VALUES ('";
  run(insert + one + "', '" + one + "', 0)");
  run(insert + one + "', '" + two + "', 1)");
  EXPECT_EQ(changes(), "cards 1 links; cards 1 links");
  EXPECT_NE(text("SELECT before FROM tenon_changes ORDER BY seq DESC").find("[\"" + one + "\"]"),
            std::string::npos);
  // By the reference's own action.
  run("DELETE FROM labels WHERE id = '" + one + "'");
  EXPECT_EQ(changes(), "labels 1 delete; cards 1 links");
  run("DELETE FROM cards");
  EXPECT_EQ(changes(), "cards 1 delete");
  EXPECT_NE(text("SELECT before FROM tenon_changes ORDER BY seq DESC").find("[\"" + two + "\"]"),
            std::string::npos);
}

TEST_F(OutboxTest, WhatAReferenceDoesIsLoggedToo) {
  add("boards", one);
  add("cards", one, "board='" + one + "'");
  changes();
  run("DELETE FROM boards");
  EXPECT_EQ(changes(), "boards 1 delete; cards 1 update");
  add("drafts", one);
  EXPECT_EQ(changes(), "");
}

TEST_F(OutboxTest, WhatIsReplacedIsDeleted) {
  add("cards", one, "title='a'");
  add("cards", two, "title='b'");
  changes();
  run("INSERT OR REPLACE INTO cards (id, title) VALUES ('" + id_of('3') + "', 'a')");
  EXPECT_EQ(changes(), "cards 1 delete; cards 3 create");
  run("UPDATE OR REPLACE cards SET title = 'b' WHERE id = '" + id_of('3') + "'");
  EXPECT_EQ(changes(), "cards 2 delete; cards 3 update");
  run("UPDATE cards SET id = '" + id_of('4') + "'");
  EXPECT_EQ(changes(), "cards 4 create; cards 3 update");
}

TEST_F(OutboxTest, WhatIsUndoneLeavesNothing) {
  {
    Transaction transaction = database().begin(Mode::write);
    transaction.exec("INSERT INTO cards (id) VALUES ('" + one + "')");
    transaction.rollback();
  }
  EXPECT_EQ(changes(), "");
  add("cards", one);
  EXPECT_EQ(test::number(database(), "SELECT max(seq) FROM tenon_changes"), 1);
}

TEST_F(OutboxTest, NobodyElseWritesTheLog) {
  for (const char* sql :
       {"INSERT INTO tenon_changes (tbl, record, kind) VALUES ('cards', 'x', 'create')",
        "DELETE FROM tenon_changes", "UPDATE tenon_changes SET kind = 'x'",
        "WITH tenon__live_x AS (SELECT 1) DELETE FROM tenon_changes",
        "DROP TRIGGER tenon__live_cards_insert"}) {
    EXPECT_EQ(test::code_of([&] { run(sql); }), "data.denied") << sql;
  }
  for (const char* sql :
       {"CREATE TRIGGER tenon__live_x AFTER INSERT ON drafts BEGIN DELETE FROM tenon_changes; END",
        "CREATE VIEW tenon__live_x AS SELECT 1", "DROP TRIGGER tenon__live_cards_insert",
        "DELETE FROM tenon_changes"}) {
    Declaration declaration{"planner", "1.1.0", schema::parse_tables(tables_text), {}};
    declaration.migrations.push_back({1, "0001_x.sql", sql, false});
    EXPECT_EQ(test::code_of([&] { apply(database(), declaration); }), "data.migration_failed")
        << sql;
  }
}

TEST_F(OutboxTest, ItKeepsSoManyAndNoLonger) {
  const auto fill = [&](std::int64_t count) {
    run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
        std::to_string(count) +
        ") INSERT INTO boards (id) SELECT format('01900000-0000-7000-8000-%012d', i + " +
        std::to_string(100 * count) + ") FROM n");
  };
  fill(schema::kept_changes + 2 * schema::trimmed_every);
  EXPECT_LE(test::number(database(), "SELECT count(*) FROM tenon_changes"),
            schema::kept_changes + schema::trimmed_every);
  EXPECT_GE(test::number(database(), "SELECT count(*) FROM tenon_changes"), schema::kept_changes);
  reopen();
  {
    Outside outside(file());
    outside.run("UPDATE tenon_changes SET at = at - " + std::to_string(schema::kept_seconds + 60));
  }
  fill(2 * schema::trimmed_every);
  EXPECT_LE(test::number(database(), "SELECT count(*) FROM tenon_changes"),
            2 * schema::trimmed_every);
}

TEST_F(OutboxTest, LongTextsAreLeftOut) {
  add("cards", one, "title='" + std::string(schema::kept_characters + 1, 'x') + "'");
  run("UPDATE cards SET title = 'short'");
  EXPECT_EQ(text("SELECT json_extract(before, '$[0].title') FROM tenon_changes WHERE before"
                 " IS NOT NULL"),
            "0");
}

TEST_F(OutboxTest, AWideTableIsLoggedWhole) {
  std::string fields;
  for (std::size_t i = 0; i < schema::max_fields; ++i) {
    std::string name = "f" + std::to_string(i) + "_";
    name.resize(schema::max_name_length, 'x');
    fields += std::string(i == 0 ? "" : ",") + R"({"name":")" + name + R"(","type":"text"})";
  }
  std::string wider = tables_text;
  wider.insert(wider.find('[') + 1,
               R"({"name":"wide","publish":true,"timestamps":true,"authorship":true,"fields":[)" +
                   fields + "]},");
  bring("1.1.0", wider);
  add("wide", one);
  run("UPDATE wide SET created_by = 'ada'");
  EXPECT_EQ(changes(), "wide 1 create; wide 1 update");
  EXPECT_EQ(test::number(database(),
                         "SELECT count(*) FROM tenon_changes, json_each(before) AS part, "
                         "json_each(part.value) WHERE before IS NOT NULL"),
            static_cast<std::int64_t>(schema::max_fields) + 4);
}

TEST_F(OutboxTest, ANewVersionBeginsANewLog) {
  add("cards", one);
  const std::string log = text("SELECT value FROM tenon_meta WHERE name = 'log'");
  reopen();
  bring("1.0.0", tables_text);
  EXPECT_EQ(text("SELECT value FROM tenon_meta WHERE name = 'log'"), log);
  std::string renamed = tables_text;
  renamed.replace(renamed.find("\"name\":\"price\""), 14,
                  "\"name\":\"cost\",\"formerly\":[\"price\"]");
  bring("1.1.0", renamed);
  EXPECT_NE(text("SELECT value FROM tenon_meta WHERE name = 'log'"), log);
  EXPECT_EQ(test::number(database(), "SELECT count(*) FROM tenon_changes"), 0);
  run("UPDATE cards SET cost = 2");
  EXPECT_EQ(test::number(database(), "SELECT min(seq) FROM tenon_changes"), 2);
  std::string closed = renamed;
  closed.erase(closed.find("\"publish\":true,"), 15);
  bring("1.2.0", closed);
  EXPECT_EQ(test::number(database(),
                         "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tenon_live%' OR "
                         "name = 'tenon_changes'"),
            0);
  add("cards", two);
}

TEST_F(OutboxTest, AFileOfAnEarlierHostGetsItsLog) {
  reopen();
  {
    Outside outside(file());
    for (const std::string& sql : schema::outbox_triggers(schema::parse_tables(tables_text))) {
      const auto begin = sql.find('"');
      outside.run("DROP TRIGGER " + sql.substr(begin, sql.find('"', begin + 1) - begin + 1));
    }
    outside.run("DROP TABLE tenon_changes");
    outside.run("DELETE FROM tenon_meta WHERE name IN ('log', 'outbox')");
  }
  bring("1.0.0", tables_text);
  add("cards", one);
  EXPECT_EQ(changes(), "cards 1 create");
}

TEST_F(OutboxTest, ACommitIsToldOf) {
  std::atomic<int> told{0};
  database().on_commit([&] { ++told; });
  add("cards", one);
  add("cards", two);
  EXPECT_EQ(told, 2);
  database().on_commit({});
  run("DELETE FROM cards");
  EXPECT_EQ(told, 2);
}

TEST_F(OutboxTest, EachWhoAskedIsToldOfACommit) {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  database().on_commit([&] { ++first; }, &first);
  database().on_commit([&] { ++second; }, &second);
  add("cards", one);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
  database().on_commit({}, &first);
  add("cards", two);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  database().on_commit({}, &second);
}

}  // namespace
}  // namespace tenon::data
