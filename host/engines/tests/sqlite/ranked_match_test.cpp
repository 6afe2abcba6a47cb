#include "sqlite/search/ranked_match.hpp"

#include <memory>
#include <string>

#include <sqlite3.h>

#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

constexpr const char* tables =
    R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":true},
       {"name":"body","type":"text","searchable":true}]}]})";

class RankedMatchTest : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    database_.reset();
    database_ = std::make_unique<Database>(plugin_file(file_));
    apply(database(), declare("1.0.0", tables));
  }
  Database& database() { return *database_; }

  void add(std::int64_t rowid, const std::string& title) {
    database().exec("INSERT INTO cards (rowid, id, title) VALUES (?1, ?2, ?3)",
                    {rowid, base::new_id(), title});
  }
  // A table in which FTS5 would read many records for a prefix.
  void make_large() { add(sqlite::max_prefix_scan + 1, "tern"); }
  void run_outside(const std::string& sql) {
    database_.reset();
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(file);
  }
  static std::string term(const std::string& text, bool is_beginning = false,
                          bool is_excluded = false) {
    return R"({"text":")" + text + R"(","beginning":)" + (is_beginning ? "true" : "false") +
           R"(,"excluded":)" + (is_excluded ? "true}" : "false}");
  }
  std::string match(const std::string& terms, bool is_complete = false,
                    const std::string& more = "") {
    auto rows = database().query("SELECT tenon_match('cards', ?1, ?2)",
                                 {R"({"terms":[)" + terms + "]" + more + "}", is_complete ? 1 : 0});
    rows.next();
    return std::string(rows.text(0));
  }
  std::int64_t matches(const std::string& expression) {
    return number(database(),
                  "SELECT count(*) FROM tenon_cards_search WHERE tenon_cards_search MATCH '" +
                      expression + "'");
  }

  Folder folder_;
  std::string file_ = folder_.file("plugin.db");
  std::unique_ptr<Database> database_;
};

TEST_F(RankedMatchTest, ReturnsAnExpressionForAnyTerms) {
  EXPECT_EQ(match(term("call") + "," + term("back ada")), R"((("call" "back ada")))");
  EXPECT_EQ(match(term("call") + "," + term("done", false, true)), R"((("call") NOT "done"))");
  EXPECT_EQ(match(term("calls", true)), R"((("calls" *)))");
  EXPECT_EQ(match(term("&") + "," + term("call")), R"((("call")))");
  EXPECT_EQ(match(term("done", false, true)), R"((("") NOT "done"))");
  EXPECT_EQ(match(term("a"), false, R"j(,"columns":"\"body\"")j"), R"({"body"} : (("a")))");
  EXPECT_EQ(matches(match("")), 0);
}

TEST_F(RankedMatchTest, ReplacesAPrefixInALargeTable) {
  add(1, "printer printers");
  add(2, "Prints of prints");
  add(3, "print");
  add(4, "prey");
  const std::string all = R"((("prin" *)))";
  EXPECT_EQ(match(term("prin", true)), all) << "the table is small";
  make_large();
  const std::string words = R"(((("print" OR "printer" OR "printers" OR "prints"))))";
  EXPECT_EQ(match(term("prin", true)), words);
  EXPECT_EQ(matches(words), 3);
  EXPECT_EQ(match(term("Prin", true)), words) << "folded as in the index";
  EXPECT_EQ(match(term("call") + "," + term("of prin", true)),
            R"((("call" AND ("of print" OR "of printer" OR "of printers" OR "of prints"))))");
  EXPECT_EQ(matches(match(term("prints") + "," + term("of prin", true))), 1);
  EXPECT_EQ(match(term("prin", true), true), all) << "complete";
  EXPECT_EQ(match(term("pri", true)), R"((("pri" *)))") << "has an index of its own";
  EXPECT_EQ(match(term("prix", true)), R"((("prix" *)))") << "no word has it";
}

TEST_F(RankedMatchTest, SkipsTheOccurrencesOfFrequentWords) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += "print printer ";
  add(1, text);
  add(2, "printed");
  make_large();
  EXPECT_EQ(match(term("prin", true)), R"(((("print" OR "printed" OR "printer"))))");
}

TEST_F(RankedMatchTest, EndsWithASpaceIfIncomplete) {
  std::string text;
  for (std::size_t i = 0; i < sqlite::max_prefix_words; ++i)
    text += "word" + std::to_string(1000 + i) + " ";
  add(1, text);
  make_large();
  EXPECT_TRUE(match(term("word", true)).ends_with(")"));
  add(2, "word9");
  const std::string expression = match(term("word", true));
  EXPECT_TRUE(expression.ends_with(") "));
  EXPECT_EQ(matches(expression), 1);
  EXPECT_EQ(matches(match(term("word", true), true)), 2);
}

TEST_F(RankedMatchTest, FindsWhatTheTransactionWrote) {
  make_large();
  database().write([&](Transaction& transaction) {
    transaction.exec("INSERT INTO cards (id, title) VALUES (?1, 'petrels')", {base::new_id()});
    auto rows = transaction.query(
        "SELECT count(*) FROM tenon_cards_search WHERE tenon_cards_search MATCH "
        "tenon_match('cards', ?1, 0)",
        {R"({"terms":[)" + term("petr", true) + "]}"});
    EXPECT_TRUE(rows.next());
    EXPECT_EQ(rows.integer(0), 1);
  });
}

TEST_F(RankedMatchTest, AddsTheWordTableToAnOlderFile) {
  add(1, "printer");
  make_large();
  run_outside("DROP TABLE tenon_cards_search_words");
  database_ = std::make_unique<Database>(plugin_file(file_));
  EXPECT_EQ(match(term("prin", true)), R"((("prin" *)))");
  EXPECT_TRUE(apply(database(), declare("1.0.0", tables)).is_empty()) << "no index is rebuilt";
  EXPECT_EQ(match(term("prin", true)), R"(((("printer"))))");
}

TEST_F(RankedMatchTest, RejectsWhatIsNotARequest) {
  for (const char* sql : {"SELECT tenon_match('cards', '{', 0)", "SELECT tenon_match('cards')"})
    EXPECT_EQ(code_of([&] { database().query(sql).next(); }), "data.sql") << sql;
}

}  // namespace
}  // namespace tenon::data::test
