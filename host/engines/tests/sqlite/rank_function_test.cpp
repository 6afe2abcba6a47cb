// tenon_rank_order() compared with FTS5's own bm25(). search_index_test.cpp tests the order of
// records on both engines.
#include "sqlite/search/rank_function.hpp"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

class RankFunctionTest : public testing::Test {
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

  std::string words(std::size_t max) {
    std::string text;
    for (std::size_t i = random_() % max + 1; i > 0; --i)
      text.append("word").append(std::to_string(random_() % 12)).append(" ");
    return text;
  }
  void change(Transaction& transaction) {
    for (int i = 0; i < 20; ++i) {
      const auto rowid = static_cast<std::int64_t>(random_() % 120 + 1);
      if (random_() % 3 == 0) {
        transaction.exec("DELETE FROM cards WHERE rowid = ?1", {rowid});
      } else {
        transaction.exec(
            "INSERT INTO cards (rowid, id, title, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT "
            "(rowid) DO UPDATE SET title = excluded.title, body = excluded.body",
            {rowid, base::new_id(), words(5), words(30)});
      }
    }
  }
  // The matches and their ranks, rounded, in order.
  std::vector<std::string> ranks(const std::string& rank, const std::string& expression,
                                 const std::string& request) {
    auto rows = database().query(
        "SELECT rowid || ' ' || printf('%.9f', " + rank +
            ") FROM tenon_cards_search WHERE tenon_cards_search MATCH ?1 AND ?2 = ?2 ORDER BY " +
            rank + ", rowid",
        {expression, request});
    std::vector<std::string> all;
    while (rows.next())
      all.emplace_back(rows.text(0));
    return all;
  }
  static std::string term(const std::string& text, bool is_excluded = false) {
    return R"({"text":")" + text + R"(","beginning":false,"excluded":)" +
           (is_excluded ? "true}" : "false}");
  }
  void expect_bm25(const std::string& expression, const std::string& terms) {
    EXPECT_EQ(ranks("tenon_rank_order(tenon_cards_search, '[5,1]', ?2)", expression,
                    "{\"terms\":[" + terms + "]}"),
              ranks("bm25(tenon_cards_search, 5.0, 1.0)", expression, ""))
        << expression;
  }
  std::string code_of_rank(const std::string& arguments) {
    return code_of([&] {
      database()
          .query("SELECT tenon_rank_order(" + arguments +
                 ") FROM tenon_cards_search WHERE tenon_cards_search MATCH 'sea'")
          .next();
    });
  }

  Folder folder_;
  std::unique_ptr<Database> database_;
  std::mt19937 random_{20260722};  // NOLINT(cert-msc51-cpp): the same each time
};

TEST_F(RankFunctionTest, ReturnsTheRanksOfBm25) {
  for (int round = 0; round < 20; ++round) {
    const bool is_kept = random_() % 3 != 0;
    static_cast<void>(code_of([&] {
      database().write([&](Transaction& transaction) {
        change(transaction);
        if (!is_kept) throw base::Error(409, "test.undone", "Undone.");
      });
    }));
    expect_bm25("\"word1\"", term("word1"));
    expect_bm25("\"word2\" \"word3\"", term("word2") + "," + term("word3"));
    expect_bm25("\"word1 word2\"", term("word1 word2"));
    expect_bm25("(\"word4\" NOT \"word5\")", term("word4") + "," + term("word5", true));
    expect_bm25("{body} : (\"word7\")", term("&") + "," + term("word7"));
  }
}

TEST_F(RankFunctionTest, CountsAPrefixAsOnePhrase) {
  const auto add = [&](int rowid, const std::string& title) {
    database().exec("INSERT INTO cards (rowid, id, title) VALUES (?1, ?2, ?3)",
                    {rowid, base::new_id(), title});
  };
  add(1, "sea sea land");
  add(2, "seals land land");
  for (int i = 3; i < 9; ++i)
    add(i, "land and more land");
  const std::string rank = "tenon_rank_order(tenon_cards_search, '[5,1]', ?2)";
  const std::string prefix = R"({"terms":[{"text":"sea","beginning":true,"excluded":false}]})";
  EXPECT_EQ(ranks(rank, "(\"sea\" OR \"seals\")", prefix), ranks(rank, "\"sea\" *", prefix));
}

TEST_F(RankFunctionTest, RejectsOtherArguments) {
  database().exec("INSERT INTO cards (id, title) VALUES (?1, 'sea')", {base::new_id()});
  EXPECT_EQ(code_of_rank("tenon_cards_search, '[1]', '{}'"), "none");
  EXPECT_EQ(code_of_rank("tenon_cards_search, NULL, '{}'"), "none");
  EXPECT_EQ(code_of_rank("tenon_cards_search, '[1]'"), "data.sql");
  EXPECT_EQ(code_of_rank("tenon_cards_search, '[1]', '{'"), "data.sql");
}

}  // namespace
}  // namespace tenon::data::test
