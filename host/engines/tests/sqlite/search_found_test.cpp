#include "sqlite/search/search_found.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"
#include "sqlite/search/search_places.hpp"

namespace tenon::data::test {
namespace {

using sqlite::SearchPlace;
using sqlite::SearchPlaces;

class SearchFoundTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = std::make_unique<Database>(plugin_file(folder_.file("plugin.db")));
    apply(
        database(),
        declare(
            "1.0.0",
            R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":{"weight":5}},
                      {"name":"body","type":"text","searchable":true}]}]})"));
  }
  Database& database() { return *database_; }

  void add(int number, const std::string& title, const std::string& body) {
    database().exec("INSERT INTO cards (rowid, id, title, body) VALUES (?1, ?2, ?3, ?4)",
                    {number, id_of(number), title, body});
  }
  // The rowids that a statement says, in its order.
  std::string rowids(const std::string& sql, Cells cells = {}) {
    std::string all;
    const std::string code = code_of([&] {
      auto rows = database().query(sql, cells);
      while (rows.next())
        all.append(all.empty() ? "" : " ").append(std::to_string(rows.integer(0)));
    });
    return code == "none" ? all : code + ": " + last_detail();
  }
  std::string refused(const std::string& sql) {
    const std::string code = code_of([&] {
      auto rows = database().query(sql);
      while (rows.next()) {
      }
    });
    return code + ": " + last_detail();
  }
  // How SQLite does it, a step a line.
  std::string plan_of(const std::string& sql) {
    const std::string folder = folder_.file("plugin.db");
    sqlite3* file = nullptr;
    EXPECT_EQ(sqlite3_open(folder.c_str(), &file), SQLITE_OK);
    sqlite::add_search_found(file, nullptr);
    std::string plan;
    const auto add_step = [](void* text, int /*columns*/, char** values, char** /*names*/) {
      static_cast<std::string*>(text)->append(values[3]).append("\n");
      return 0;
    };
    char* failure = nullptr;
    EXPECT_EQ(sqlite3_exec(file, ("EXPLAIN QUERY PLAN " + sql).c_str(), add_step, &plan, &failure),
              SQLITE_OK)
        << failure;
    sqlite3_free(failure);
    sqlite3_close(file);
    return plan;
  }

 private:
  Folder folder_;
  std::unique_ptr<Database> database_;
};

constexpr const char* best =
    "SELECT rowid FROM tenon_found('cards', ?1, '[5,1]') ORDER BY rank, rowid";

TEST_F(SearchFoundTest, HasTheBestFirst) {
  add(1, "a sea", "of many words, that go on and on");
  add(2, "sea", "");
  add(3, "", "the sea");
  add(4, "", "the sea");
  add(5, "nothing", "here");
  EXPECT_EQ(rowids(best, {"sea"}), "2 1 3 4");
  EXPECT_EQ(rowids("SELECT rowid FROM tenon_found('cards', 'sea', '[1,9]') ORDER BY rank"),
            "3 4 2 1");
  EXPECT_EQ(rowids("SELECT rowid FROM tenon_found('cards', 'sea', '[5,1]') ORDER BY rowid DESC"),
            "4 3 2 1");
  EXPECT_EQ(rowids("SELECT rowid FROM tenon_found('cards', 'sea', '[5,1]') ORDER BY rank DESC, "
                   "rowid"),
            "3 4 1 2");
  EXPECT_EQ(rowids("SELECT rowid FROM tenon_found('cards', 'sea', '[5,1]') WHERE rowid = 3"), "3");
  EXPECT_EQ(rowids("SELECT rowid FROM tenon_found('cards', 'sea', '[5,1]') WHERE rowid = 5"), "");
  EXPECT_EQ(rowids("SELECT rowid FROM tenon_found('cards', 'sea', '[5,1]') WHERE rowid = 3 AND "
                   "rowid = 4"),
            "");
  EXPECT_EQ(rowids(best, {"tide"}), "");
  // One within the other, of one connection.
  EXPECT_EQ(rowids("SELECT f.rowid FROM tenon_found('cards', 'sea', '[5,1]') AS f WHERE f.rowid IN "
                   "(SELECT rowid FROM tenon_found('cards', 'the', '[5,1]') WHERE rank <= f.rank "
                   "OR rank > f.rank) ORDER BY f.rank, f.rowid"),
            "3 4");
}

TEST_F(SearchFoundTest, RanksAreThoseOfTheWholeSearchWhateverIsTaken) {
  for (int i = 1; i < 40; ++i)
    add(i, i % 3 == 0 ? "sea" : "land", "word " + std::string(static_cast<std::size_t>(i), 'x'));
  const auto rank = [&](const std::string& condition) {
    auto rows = database().query(
        "SELECT format('%.17g', rank) FROM tenon_found('cards', 'sea', '[5,1]') WHERE " +
        condition + " ORDER BY rank, rowid LIMIT 1");
    return rows.next() ? std::string(rows.text(0)) : std::string("none");
  };
  EXPECT_EQ(rank("rowid = 3"), rank("1"));
  EXPECT_NE(rank("1"), "none");
}

TEST_F(SearchFoundTest, NothingIsSortedAndNothingBeyondAPageIsLookedAt) {
  const std::string page =
      "SELECT t.id FROM tenon_found('cards', 'sea', '[5,1]') AS p CROSS JOIN cards AS t WHERE "
      "t.rowid = p.rowid AND t.title <> '' ";
  const std::string plan = plan_of(page + "ORDER BY p.rank, p.rowid LIMIT 2");
  EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
  EXPECT_NE(plan.find("SCAN p VIRTUAL TABLE"), std::string::npos) << plan;
  for (const char* order :
       {"p.rank DESC", "p.rowid", "p.rowid, p.rank", "p.rank, p.rowid DESC", "p.rank, t.title"})
    EXPECT_NE(plan_of(page + "ORDER BY " + order).find("TEMP B-TREE"), std::string::npos) << order;
}

TEST_F(SearchFoundTest, MoreThanAreKeptComeAllTheSame) {
  constexpr int many = static_cast<int>(sqlite::max_places) * 2 + 5000;
  // The title's length makes the rank; each has the same as some hundred others.
  database().write([](Transaction& transaction) {
    transaction.exec(
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
        "INSERT INTO cards (rowid, id, title) SELECT i, ?2 || substr('00000' || i, -5), 'tern' || "
        "substr(' a b c d e f g h i j k l', 1, 2 * (i * 7919 % 12)) FROM n",
        {many, base::new_id().substr(0, 31)});
  });
  auto rows = database().query(
      "SELECT p.rowid, p.rank, length(t.title) FROM tenon_found('cards', 'tern', '[5,1]') AS p "
      "CROSS JOIN cards AS t WHERE t.rowid = p.rowid ORDER BY p.rank, p.rowid");
  int count = 0;
  SearchPlace last{-1e9, 0};
  std::int64_t length = 0;
  while (rows.next()) {
    const SearchPlace place{rows.number(1), rows.integer(0)};
    ASSERT_TRUE(last < place) << count;
    ASSERT_LE(length, rows.integer(2)) << "a longer one is worse";
    last = place;
    length = rows.integer(2);
    ++count;
  }
  EXPECT_EQ(count, many);
}

TEST_F(SearchFoundTest, ATransactionFindsWhatItWrote) {
  add(1, "old", "");
  database().write([&](Transaction& transaction) {
    const auto found = [&](const char* asked) {
      auto rows = transaction.query(best, {asked});
      return rows.next() ? rows.integer(0) : 0;
    };
    EXPECT_EQ(found("old"), 1);
    transaction.exec("UPDATE cards SET title = 'new'");
    EXPECT_EQ(found("old"), 0);
    EXPECT_EQ(found("new"), 1);
  });
}

TEST_F(SearchFoundTest, FollowsTheTable) {
  add(1, "sea", "");
  EXPECT_EQ(rowids(best, {"sea"}), "1");
  apply(database(), declare("2.0.0",
                            R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text"},
                                {"name":"body","type":"text","searchable":true}]}]})"));
  add(2, "sea", "see");
  EXPECT_EQ(rowids(best, {"sea"}), "");
  EXPECT_EQ(rowids(best, {"see"}), "2");
  apply(database(), declare("3.0.0",
                            R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text"},
                                {"name":"body","type":"text"}]}]})"));
  EXPECT_NE(refused("SELECT rowid FROM tenon_found('cards', 'see', '[1]')")
                .find("no such table: tenon_cards_search"),
            std::string::npos);
}

TEST_F(SearchFoundTest, SearchesMoreTablesThanItKeepsStatementsOf) {
  constexpr int tables = 40;
  std::string declared = R"({"name":"cards","fields":[{"name":"title","type":"text"},
                             {"name":"body","type":"text"}]})";
  for (int i = 0; i < tables; ++i) {
    declared += R"(,{"name":"t)" + std::to_string(i) +
                R"(","fields":[{"name":"title","type":"text","searchable":true}]})";
  }
  apply(database(), declare("2.0.0", R"({"tables":[)" + declared + "]}"));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < tables; ++i) {
      const std::string table = "t" + std::to_string(i);
      if (round == 0)
        database().exec("INSERT INTO " + table + " (rowid, id, title) VALUES (?1, ?2, 'sea')",
                        {i + 1, id_of(i)});
      EXPECT_EQ(rowids("SELECT rowid FROM tenon_found(?1, 'sea', '[1]')", {table}),
                std::to_string(i + 1));
    }
  }
}

TEST_F(SearchFoundTest, RefusesWhatIsNoSearch) {
  add(1, "sea", "");
  const auto says = [&](const std::string& sql, const std::string& word) {
    const std::string said = refused(sql);
    EXPECT_EQ(said.find("data."), 0U) << said;
    EXPECT_NE(said.find(word), std::string::npos) << said;
  };
  says("SELECT rowid FROM tenon_found('cards', '\"sea', '[1]')", "unterminated string");
  says("SELECT rowid FROM tenon_found('cards', NULL, NULL)", "syntax error");
  says("SELECT rowid FROM tenon_found('boats', 'sea', '[1]')", "tenon_boats_search");
  says("SELECT rowid FROM tenon_found('cards\" x', 'sea', '[1]')", "no such table");
  says("SELECT rowid FROM tenon_found('cards', 'sea')", "no query solution");
  says("SELECT rowid FROM tenon_found", "no query solution");
  // What it reads the index with is its own.
  says(
      "SELECT 1 FROM tenon_cards_search WHERE tenon_cards_search MATCH 'sea' AND "
      "tenon_collect(tenon_cards_search, 1)",
      "tenon_found() alone");
  says(
      "SELECT 1 FROM tenon_cards_search WHERE tenon_cards_search MATCH 'sea' AND "
      "tenon_collect(tenon_cards_search)",
      "tenon_found() alone");
  says("INSERT INTO tenon_found (rank) VALUES (1)", "");
  says(
      "SELECT tenon_rank(tenon_cards_search, 'cards') FROM tenon_cards_search WHERE "
      "tenon_cards_search MATCH 'sea'",
      "needs the index");
  EXPECT_EQ(rowids(best, {"sea"}), "1");
}

TEST_F(SearchFoundTest, IsUndoneAtTheDeadline) {
  for (int i = 0; i < 30; ++i)
    add(i, "sea", "");
  const std::string code = code_of([&] {
    auto rows = database().query(
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n "
        "CROSS JOIN tenon_found('cards', 'sea ' || (CASE n.i WHEN 0 THEN 'x' ELSE '' END), '[]')",
        {}, std::chrono::milliseconds(30));
    rows.next();
  });
  EXPECT_EQ(code, "data.timeout");
  EXPECT_EQ(rowids("SELECT count(*) FROM tenon_found('cards', 'sea', '[]')"), "30");
}

TEST(SearchPlaces, AreThoseOfASort) {
  std::mt19937 chance(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t most = chance() % 20 + 1;
    SearchPlaces places(most);
    std::vector<SearchPlace> all;
    for (std::size_t left = chance() % 70; left > 0; --left) {
      const SearchPlace place{-static_cast<double>(chance() % 9), static_cast<int>(all.size())};
      all.push_back(place);
      places.add(place);
    }
    std::sort(all.begin(), all.end());
    places.settle(0.5);
    std::size_t count = 0;
    for (; places.best() != nullptr; places.take(), ++count) {
      ASSERT_LT(count, all.size());
      EXPECT_EQ(places.best()->rowid, all[count].rowid) << round;
      EXPECT_EQ(places.best()->rank, all[count].rank * 0.5);
    }
    EXPECT_LE(count, most);
    EXPECT_EQ(places.is_cut(), count < all.size()) << round;
    EXPECT_TRUE(places.is_cut() || count == all.size());
  }
}

}  // namespace
}  // namespace tenon::data::test
