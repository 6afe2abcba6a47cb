// The search index of a plugin's table, on both engines: results after every kind of change of the
// table, and how the declaration adds and drops the index.
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/schema/search_case.hpp"

namespace tenon::data::test {
namespace {

class SearchIndexTest : public SearchCase {};
TENON_ON_BOTH_ENGINES(SearchIndexTest);

TEST_P(SearchIndexTest, FollowsEveryWrite) {
  EXPECT_NE(
      apply_to(declare("1.0.0", cards_by_both)).find("add search index of cards (title, body)"),
      std::string::npos);
  add(1, "Caf\xC3\xA9", "open late");
  add(2, "Tea house", "open early");
  EXPECT_EQ(found("open"), "1 2");
  EXPECT_EQ(found("cafe"), "1");
  EXPECT_EQ(found("ear*"), "2");
  EXPECT_EQ(found("ear"), "");
  EXPECT_EQ(found("tea open"), "2") << "each in any field";
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
  EXPECT_EQ(found("bar"), "9");
  EXPECT_EQ(found("new"), "");
  EXPECT_EQ(found("cafe"), "");
  EXPECT_TRUE(is_whole());
  EXPECT_EQ(exec("DELETE FROM cards"), "none") << last_detail();
  for (const char* word : {"open", "closed", "bar"})
    EXPECT_EQ(found(word), "") << word;
  EXPECT_TRUE(is_whole());
  EXPECT_TRUE(plan(database(), declare("1.0.0", cards_by_both)).is_empty());
}

TEST_P(SearchIndexTest, IgnoresCaseAndAccentsInAnyScript) {
  apply_to(declare("1.0.0", cards_by_title));
  add(1, "\xC3\x84pfel, B\xC3\x8CRNEN & 42nd street!", "");
  add(2, "\xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0 \xCE\xB1\xCE\xB2\xCE\xB3", "");
  add(3, "self-made e.mail", "");
  for (const char* words : {"apfel", "\xC3\xA4PFEL", "birnen", "42nd", "street birnen"})
    EXPECT_EQ(found(words), "1") << words;
  EXPECT_EQ(found("\xD0\xBC\xD0\x9E\xD1\x81\xD0\xBA*"), "2");
  EXPECT_EQ(found("\xCE\xB1\xCE\xB2\xCE\xB3"), "2");
  EXPECT_EQ(found("made mail"), "3");
  EXPECT_EQ(found("selfmade"), "");
}

// By a reference's own action, and by a trigger of the plugin.
TEST_P(SearchIndexTest, FollowsWhatOthersDoToARecord) {
  const char* const tables =
      R"({"tables":[{"name":"boards","fields":[{"name":"n","type":"integer"}]},
      {"name":"cards","fields":[{"name":"title","type":"text","searchable":true},{"name":"body","type":"text","searchable":true},
       {"name":"n","type":"integer"},{"name":"board","type":"reference","table":"boards","on_delete":"cascade"}]}]})";
  apply_to(declare(
      "1.0.0", tables,
      {migration(1,
                 "CREATE TRIGGER named AFTER UPDATE OF n ON boards BEGIN UPDATE cards SET title = "
                 "'number ' || new.n WHERE board = new.id; END;",
                 "CREATE FUNCTION named() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE "
                 "cards SET title = 'number ' || new.n WHERE board = new.id; RETURN NULL; END $$;\n"
                 "CREATE TRIGGER named AFTER UPDATE OF n ON boards FOR EACH ROW EXECUTE FUNCTION "
                 "named();")}));
  database().exec("INSERT INTO boards (id) VALUES (?1)", {id_of(1)});
  database().exec("INSERT INTO cards (rowid, id, title, board) VALUES (5, ?1, 'first', ?2)",
                  {id_of(2), id_of(1)});
  EXPECT_EQ(exec("UPDATE boards SET n = 7"), "none") << last_detail();
  EXPECT_EQ(found("number 7"), "5");
  EXPECT_EQ(found("first"), "");
  EXPECT_EQ(exec("DELETE FROM boards"), "none") << last_detail();
  EXPECT_EQ(found("number"), "");
  EXPECT_TRUE(is_whole());
}

TEST_P(SearchIndexTest, WhatIsUndoneIsNotFound) {
  apply_to(declare("1.0.0", cards_by_both));
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

// A statement that fails is undone alone.
TEST_P(SearchIndexTest, AFailedStatementOfATransactionLeavesNothing) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "kept", "");
  database().write([](Transaction& transaction) {
    transaction.exec("UPDATE cards SET body = 'before'");
    EXPECT_EQ(code_of([&] {
                transaction.exec(
                    "INSERT INTO cards (rowid, id, title) SELECT rowid + 1, 'too short', 'failed' "
                    "FROM cards");
              }),
              "data.check");
    transaction.exec("UPDATE cards SET title = 'after'");
  });
  EXPECT_EQ(found("after before"), "1");
  EXPECT_EQ(found("kept"), "");
  EXPECT_EQ(found("failed"), "");
  EXPECT_TRUE(is_whole());
}

TEST_P(SearchIndexTest, AnyChangesOfATransactionAreOne) {
  apply_to(declare("1.0.0", cards_by_both));
  std::mt19937 chance(7);  // NOLINT(cert-msc51-cpp): the same each time
  const auto pick = [&](unsigned max) { return static_cast<int>(chance() % max); };
  const auto word = [&] { return "w" + std::to_string(pick(9)); };
  // On SQLite the conflict policy of a statement holds in the triggers too.
  const auto policies =
      is_sqlite() ? std::vector<std::string>{"", "OR REPLACE ", "OR IGNORE "}
                  : std::vector<std::string>{"", " ON CONFLICT DO NOTHING",
                                             " ON CONFLICT (rowid) DO UPDATE SET title = 'w1'"};
  const auto change = [&](Transaction& transaction) {
    const std::string rowid = std::to_string(pick(6) + 1);
    const std::string texts = "'" + word() + " " + word() + "', '" + word() + "'";
    const std::string& policy = policies[chance() % 3];
    const std::string update = "UPDATE " + (is_sqlite() ? policy : "");
    switch (pick(5)) {
      case 0:
        transaction.exec("DELETE FROM cards WHERE rowid = " + rowid);
        break;
      case 1:
        transaction.exec(update + "cards SET body = '" + word() + "', title = '" + word() +
                         "' WHERE rowid <= " + rowid);
        break;
      case 2:
        transaction.exec("DELETE FROM cards WHERE rowid = 7");
        transaction.exec(update + "cards SET rowid = 7 WHERE rowid = " + rowid);
        break;
      default:
        // FTS5 keeps the words of a record that OR REPLACE replaces, as docs/tables.md says.
        if (is_sqlite()) transaction.exec("DELETE FROM cards WHERE rowid = " + rowid);
        transaction.exec("INSERT " + (is_sqlite() ? policy : "") +
                             "INTO cards (rowid, id, title, body) VALUES (" + rowid + ", ?1, " +
                             texts + ")" + (is_sqlite() ? "" : policy),
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
}

TEST_P(SearchIndexTest, ATransactionFindsWhatItWrote) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "old", "");
  const auto hits = [](Transaction& transaction, const char* words) {
    auto rows = transaction.query("SELECT count(*)" + from_found(), {asked(words)});
    return rows.next() ? rows.integer(0) : -1;
  };
  database().write([&](Transaction& transaction) {
    EXPECT_EQ(hits(transaction, "old"), 1);
    transaction.exec("UPDATE cards SET title = 'new'");
    EXPECT_EQ(hits(transaction, "old"), 0);
    EXPECT_EQ(hits(transaction, "new"), 1);
    EXPECT_EQ(found("old"), "1") << "other transactions do not find it yet";
    transaction.exec("DELETE FROM cards");
    EXPECT_EQ(hits(transaction, "new"), 0);
  });
  EXPECT_EQ(found("old"), "");
  EXPECT_TRUE(is_whole());
}

TEST_P(SearchIndexTest, DeniesWritesByThePlugin) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "one", "two");
  const std::string column = is_sqlite() ? "title" : "words";
  for (const std::string& sql : std::vector<std::string>{
           "INSERT INTO tenon_cards_search (rowid, " + column + ") VALUES (7, 'x')",
           "UPDATE tenon_cards_search SET " + column + " = 'x'", "DELETE FROM tenon_cards_search",
           "WITH tenon_x AS (SELECT 7 AS a) DELETE FROM tenon_cards_search WHERE rowid = 7",
           "DROP TABLE tenon_cards_search"})
    EXPECT_EQ(exec(sql), "data.denied") << sql << " " << last_detail();
  EXPECT_EQ(found("one two"), "1");
  EXPECT_TRUE(is_whole());
}

TEST_P(SearchIndexTest, WhatAnotherProgramWroteIsFound) {
  apply_to(declare("1.0.0", cards_by_title));
  ASSERT_TRUE(run_outside("INSERT INTO cards (rowid, id, title) VALUES (1, '" + base::new_id() +
                          "', 'coffee')"));
  EXPECT_EQ(found("coffee"), "1");
  ASSERT_TRUE(run_outside("UPDATE cards SET title = 'tea'"));
  EXPECT_EQ(found("coffee"), "");
  EXPECT_EQ(found("tea"), "1");
  EXPECT_TRUE(is_whole("cards", {"title"}));
}

TEST_P(SearchIndexTest, FollowsTheDeclaration) {
  apply_to(declare("1.0.0", plain_cards));
  EXPECT_FALSE(has_index());
  add(1, "one", "two");
  EXPECT_NE(apply_to(declare("1.1.0", cards_by_title)).find("add search index of cards (title)"),
            std::string::npos);
  EXPECT_EQ(found("one"), "1");
  EXPECT_EQ(found("two"), "");
  const std::string text = apply_to(declare("1.2.0", cards_by_both));
  EXPECT_NE(text.find("drop search index of cards"), std::string::npos) << text;
  EXPECT_NE(text.find("add search index of cards (title, body)"), std::string::npos) << text;
  EXPECT_EQ(found("two"), "1");
  EXPECT_TRUE(is_whole());
  // A weight is no part of the index.
  std::string heavier = cards_by_both;
  heavier.replace(heavier.find(":5"), 2, ":6");
  EXPECT_EQ(apply_to(declare("1.3.0", heavier)).find("search"), std::string::npos);
  EXPECT_NE(apply_to(declare("1.4.0", plain_cards)).find("drop search index of cards"),
            std::string::npos);
  EXPECT_FALSE(has_index());
  add(2, "three", "");
}

TEST_P(SearchIndexTest, FollowsRenamesAndConversions) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "one", "two");
  const std::string text = apply_to(declare(
      "2.0.0",
      R"({"tables":[{"name":"notes","formerly":["cards"],"timestamps":true,"fields":[{"name":"heading","formerly":["title"],"type":"text","searchable":true},
      {"name":"body","type":"text","required":true,"max":50,"searchable":true},{"name":"n","type":"integer"}]}]})"));
  EXPECT_NE(text.find("drop search index of cards"), std::string::npos) << text;
  EXPECT_EQ(found("one", "notes"), "1");
  EXPECT_EQ(exec("INSERT INTO notes (rowid, id, heading, body, n) VALUES "
                 "(2, '000000000000000000000000000000000000', 'three', 'four', 4)"),
            "none")
      << last_detail();
  // Another field is converted: on SQLite the table is recreated.
  apply_to(declare(
      "3.0.0",
      R"({"tables":[{"name":"notes","timestamps":true,"fields":[{"name":"heading","type":"text","searchable":true},
      {"name":"body","type":"text","required":true,"max":50,"searchable":true},{"name":"n","type":"text"}]}]})"));
  EXPECT_EQ(found("one", "notes"), "1");
  EXPECT_EQ(found("three four", "notes"), "2");
  EXPECT_EQ(exec("UPDATE notes SET heading = 'five' WHERE rowid = 2"), "none") << last_detail();
  EXPECT_EQ(found("three", "notes"), "");
  EXPECT_TRUE(is_whole("notes", {"heading", "body"}));
}

TEST_P(SearchIndexTest, AMigrationMayChangeEveryRow) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "one", "two");
  add(5, "three", "four");
  const char* const sql =
      "UPDATE cards SET rowid = 7 - rowid, title = title || 's'; "
      "DELETE FROM cards WHERE body = 'four';";
  const std::string text = apply_to(declare("2.0.0", cards_by_both, {migration(1, sql)}));
  EXPECT_NE(text.find("rebuild search index of cards (title, body)"), std::string::npos) << text;
  EXPECT_EQ(found("ones"), "6");
  EXPECT_EQ(found("threes"), "");
  EXPECT_EQ(exec("DELETE FROM cards WHERE rowid = 6"), "none") << last_detail();
  EXPECT_EQ(found("ones"), "");
  EXPECT_TRUE(is_whole());
}

TEST_P(SearchIndexTest, RebuildsAnIndexWithoutTriggers) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "one", "two");
  ASSERT_TRUE(run_outside(is_sqlite() ? "DROP TRIGGER tenon_cards_search_insert"
                                      : "DROP TRIGGER tenon_search ON cards"))
      << last_detail();
  add(2, "three", "four");
  EXPECT_EQ(found("three"), "");
  const std::string text = apply_to(declare("1.0.0", cards_by_both));
  EXPECT_NE(text.find("drop search index of cards"), std::string::npos) << text;
  EXPECT_EQ(found("three"), "2");
  EXPECT_TRUE(is_whole());
  ASSERT_TRUE(run_outside(
      is_sqlite() ? "DROP TABLE tenon_cards_search; DROP TRIGGER tenon_cards_search_insert; DROP "
                    "TRIGGER tenon_cards_search_update; DROP TRIGGER tenon_cards_search_delete"
                  : "DROP TABLE tenon_cards_search; DROP FUNCTION tenon_cards_search_write() "
                    "CASCADE"))
      << last_detail();
  apply_to(declare("1.0.0", cards_by_both));
  EXPECT_EQ(found("one"), "1");
  EXPECT_EQ(found("three"), "2");
  EXPECT_TRUE(plan(database(), declare("1.0.0", cards_by_both)).is_empty());
}

TEST_P(SearchIndexTest, KeepsSimilarTableNamesApart) {
  const std::vector<std::string> names = {"a", "a_search", "a_data", "a_search_data",
                                          "a_search_insert"};
  std::string tables;
  for (const std::string& name : names) {
    tables += (tables.empty() ? "" : ",") + std::string(R"({"name":")") + name +
              R"(","fields":[{"name":"title","type":"text","searchable":true}]})";
  }
  apply_to(declare("1.0.0", R"({"tables":[)" + tables + "]}"));
  for (const std::string& name : names) {
    EXPECT_EQ(exec("INSERT INTO " + name + " (rowid, id, title) VALUES (1, '" + id_of(1) +
                   "', 'of " + name + "')"),
              "none")
        << last_detail();
    EXPECT_EQ(found("of " + name.substr(name.rfind('_') + 1), name), "1") << name;
    EXPECT_TRUE(is_whole(name, {"title"})) << name;
  }
  EXPECT_TRUE(plan(database(), declare("1.0.0", R"({"tables":[)" + tables + "]}")).is_empty());
}

// The order that records.md promises: more often, in fields of more weight, in shorter texts.
TEST_P(SearchIndexTest, TheBestComeFirst) {
  apply_to(declare("1.0.0", cards_by_both));
  const std::string hay = " hay hay hay hay hay hay hay hay";
  add(1, "", "one needle" + hay + hay + hay);
  add(2, "", "one needle" + hay);
  add(3, "", "needle needle needle" + hay);
  add(4, "needle" + hay, "");
  add(5, "other words", "than these");
  const std::string ranked =
      is_sqlite() ? "SELECT rowid" + from_found() + " AND rank MATCH 'bm25(5.0, 1.0)' ORDER BY rank"
                  : "SELECT s.rowid FROM (SELECT tenon_search_query(?1) AS found, "
                    "tenon_search_parts(?1) AS parts, tenon_search_weights(?1, '[5,1]') AS weights "
                    "OFFSET 0) AS q CROSS JOIN tenon_cards_search AS s WHERE s.words @@ q.found "
                    "ORDER BY tenon_search_rank(s.words, q.parts, q.weights)";
  std::string order;
  auto rows = database().query(ranked, {asked("needle")});
  while (rows.next())
    order += std::to_string(rows.integer(0));
  EXPECT_EQ(order, "4321");
}

}  // namespace
}  // namespace tenon::data::test
