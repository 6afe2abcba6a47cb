// Parts of the search index that only PostgreSQL has: the words as a tsvector with a GIN index, the
// trigger that writes them, and ranks by ts_rank. search_index_test.cpp tests on both engines which
// records are found.
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/schema/search_case.hpp"

namespace tenon::data::test {
namespace {

class PostgresqlSearchIndexTest : public SearchCase {
 protected:
  std::string text(std::string_view sql, Cells cells = {}) {
    auto rows = database().query(sql, cells);
    if (!rows.next()) return "no row";
    return rows.is_null(0) ? "null" : std::string(rows.text(0));
  }
};
TENON_ON_POSTGRESQL(PostgresqlSearchIndexTest);

TEST_P(PostgresqlSearchIndexTest, PrefixesWordsWithTheNumberOfTheirField) {
  apply_to(declare("1.0.0", cards_by_both));
  add(1, "Caf\xC3\xA9 caf\xC3\xA9", "late");
  EXPECT_EQ(text("SELECT words FROM tenon_cards_search"), "'0.cafe':1,2 '1.late':3");
  EXPECT_EQ(found("cafe", "cards", "0"), "1");
  EXPECT_EQ(found("cafe", "cards", "1"), "");
}

TEST_P(PostgresqlSearchIndexTest, IsAskedThroughItsGinIndex) {
  apply_to(declare("1.0.0", cards_by_both));
  const std::string plan =
      "DO $$ DECLARE line text; plan text := ''; BEGIN SET LOCAL enable_seqscan = off; FOR line IN "
      "EXECUTE 'EXPLAIN SELECT rowid FROM tenon_cards_search WHERE words @@ "
      "tenon_search_query(''" +
      asked("tern") + "'')' LOOP plan := plan || line; END LOOP; ";
  EXPECT_TRUE(run_outside(plan + "IF plan NOT LIKE '%Bitmap Index Scan on "
                                 "tenon_cards_search_words_idx%' THEN RAISE '%', plan; END IF; END "
                                 "$$"))
      << last_detail();
}

// The words of 150,000 characters, shared by the fields; of one word 250 characters.
TEST_P(PostgresqlSearchIndexTest, TakesSoManyWordsAndNoMore) {
  apply_to(declare("1.0.0", cards_by_both));
  std::string body;
  for (int i = 0; i < 15'000; ++i)
    body += "hay x";  // 75,000 characters
  const std::string long_word(250, 'w');
  add(1, long_word + "and more", body.substr(0, 75'000 - 7) + " within beyond");
  EXPECT_EQ(found("within"), "1");
  EXPECT_EQ(found("beyond"), "");
  EXPECT_EQ(found(long_word), "1");
  EXPECT_TRUE(is_whole());
}

TEST_P(PostgresqlSearchIndexTest, ChangesOfOtherFieldsDoNotWriteIt) {
  apply_to(declare(
      "1.0.0",
      R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":true},{"name":"n","type":"integer"}]}]})"));
  database().exec("INSERT INTO cards (rowid, id, title) VALUES (1, ?1, 'one')", {id_of(1)});
  const std::string written = text("SELECT xmin::text FROM tenon_cards_search");
  database().exec("UPDATE cards SET n = 1, title = 'one'");
  EXPECT_EQ(text("SELECT xmin::text FROM tenon_cards_search"), written);
  database().exec("UPDATE cards SET title = 'two'");
  EXPECT_NE(text("SELECT xmin::text FROM tenon_cards_search"), written);
}

// A trigger of SQLite cannot change the row that is being written, one of PostgreSQL can.
TEST_P(PostgresqlSearchIndexTest, HasWhatATriggerPutIntoTheRow) {
  apply_to(declare(
      "1.0.0",
      R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":true},{"name":"n","type":"integer"}]}]})",
      {migration(
          1, "",
          "CREATE FUNCTION named() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.title := "
          "'number ' || new.n; RETURN new; END $$;\n"
          "CREATE TRIGGER named BEFORE INSERT OR UPDATE ON cards FOR EACH ROW EXECUTE FUNCTION "
          "named();")}));
  database().exec("INSERT INTO cards (rowid, id, n) VALUES (1, ?1, 7)", {id_of(1)});
  EXPECT_EQ(found("number 7"), "1");
  database().exec("UPDATE cards SET n = 8");
  EXPECT_EQ(found("number 8"), "1");
  EXPECT_EQ(found("7"), "");
  EXPECT_TRUE(is_whole("cards", {"title"}));
}

TEST_P(PostgresqlSearchIndexTest, RecreatesADisabledTrigger) {
  apply_to(declare("1.0.0", cards_by_both));
  ASSERT_TRUE(run_outside("ALTER TABLE cards DISABLE TRIGGER ALL")) << last_detail();
  add(1, "one", "two");
  EXPECT_EQ(found("one"), "");
  apply_to(declare("1.0.0", cards_by_both));
  EXPECT_EQ(found("one"), "1");
  EXPECT_TRUE(plan(database(), declare("1.0.0", cards_by_both)).is_empty());
}

// Ranks of what is stored are those of the texts, and ts_rank's by weight.
TEST_P(PostgresqlSearchIndexTest, RanksAreThoseOfTheTextsWhateverHappens) {
  apply_to(declare("1.0.0", cards_by_both));
  std::mt19937 random(20260722);  // NOLINT(cert-msc51-cpp): the same each time
  const auto words = [&](std::size_t max) {
    std::string all;
    for (std::size_t i = random() % max + 1; i > 0; --i)
      all.append("word").append(std::to_string(random() % 12)).append(" ");
    return all;
  };
  const auto ranks = [&](const std::string& ranking, const std::string& looked_for) {
    auto rows =
        database().query("SELECT s.rowid || ' ' || " + ranking +
                             " FROM (SELECT tenon_search_query(?1) AS found, "
                             "tenon_search_parts(?1) AS parts, tenon_search_weights(?1, '[5,1]') "
                             "AS weights OFFSET 0) AS q CROSS JOIN tenon_cards_search AS s JOIN "
                             "cards AS c ON c.rowid = s.rowid WHERE s.words @@ q.found ORDER BY "
                             "s.rowid",
                         {asked(looked_for)});
    std::vector<std::string> all;
    while (rows.next())
      all.emplace_back(rows.text(0));
    return all;
  };
  const std::string fresh = "(tenon_search_words(0, c.title) || tenon_search_words(1, c.body))";
  const std::string parts = "-(5 * ts_rank(" + fresh +
                            ", q.parts[1], 1)::double precision + ts_rank(" + fresh +
                            ", q.parts[2], 1)::double precision)";
  for (int round = 0; round < 12; ++round) {
    const bool is_kept = random() % 3 != 0;
    const std::string code = code_of([&] {
      database().write([&](Transaction& transaction) {
        for (int i = 0; i < 20; ++i) {
          const auto rowid = static_cast<std::int64_t>(random() % 60 + 1);
          if (random() % 3 == 0) {
            transaction.exec("DELETE FROM cards WHERE rowid = ?1", {rowid});
            continue;
          }
          transaction.exec(
              "INSERT INTO cards (rowid, id, title, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT "
              "(rowid) DO UPDATE SET body = excluded.body",
              {rowid, base::new_id(), words(5), words(30)});
        }
        if (!is_kept) throw base::Error(409, "test.undone", "Undone.");
      });
    });
    EXPECT_EQ(code, is_kept ? "none" : "test.undone");
    for (const char* looked_for : {"word1", "word2 word3", "wor*"}) {
      EXPECT_EQ(ranks("tenon_search_rank(s.words, q.parts, q.weights)", looked_for),
                ranks(parts, looked_for))
          << round << " " << looked_for;
    }
  }
  EXPECT_GT(ranks("1", "word1").size(), 5U);
}

}  // namespace
}  // namespace tenon::data::test
