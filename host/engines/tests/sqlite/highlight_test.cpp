#include <memory>
#include <random>
#include <string>

#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

class HighlightTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = std::make_unique<Database>(plugin_file(folder_.file("plugin.db")));
  }
  static std::string term(const std::string& text, bool is_beginning = false) {
    return R"({"text":")" + text + R"(","beginning":)" + (is_beginning ? "true" : "false") +
           R"(,"excluded":false})";
  }
  static std::string asked(const std::string& terms) { return R"({"terms":[)" + terms + "]}"; }

  std::string pieces(const std::string& text, const std::string& terms, int max_words = 32) {
    auto rows =
        database_->query("SELECT tenon_search_pieces(?1, ?2, ?3)", {text, asked(terms), max_words});
    rows.next();
    return rows.is_null(0) ? "" : std::string(rows.text(0));
  }
  std::string highlight(const std::string& sql, const std::string& terms) {
    JsonText text;
    database_->append_json(JsonShape::row, text, sql, {asked(terms)});
    return std::string(text.view());
  }
  Database& database() { return *database_; }

 private:
  Folder folder_;
  std::unique_ptr<Database> database_;
};

// A text of ASCII is cut into words by the host, any other by FTS5: what one letter at the end, of
// no word, decides.
TEST_F(HighlightTest, AsciiIsCutAsFts5CutsIt) {
  const std::string last = "\xE2\x98\x83";  // no letter
  std::mt19937 chance(5);
  const auto random_text = [&](std::size_t max_size) {
    static constexpr std::string_view common = "abAB zZ09 _-'.@[`{/:\t\n";
    std::string text;
    for (std::size_t left = chance() % max_size; left > 0; --left) {
      const auto any = static_cast<char>(chance() % 127 + 1);
      text += chance() % 4 == 0 ? any : common[chance() % common.size()];
    }
    return text;
  };
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(60);
    std::string word;
    for (std::size_t left = chance() % 3 + 1; left > 0; --left)
      word += "abAB09 "[chance() % 7];
    const std::string terms = term(word, chance() % 2 == 0) + "," + term("z", true);
    const std::string own = pieces(text, terms, 200);
    std::string by_fts5 = pieces(text + last, terms, 200);
    // The letter is in a piece without a match.
    if (const auto at = by_fts5.rfind(last); at != std::string::npos) {
      by_fts5.erase(at, last.size());
      constexpr std::string_view empty = R"(,{"text":"","match":false})";
      if (const auto none = by_fts5.rfind(empty); none != std::string::npos)
        by_fts5.erase(none, empty.size());
    }
    ASSERT_EQ(own, by_fts5) << text << " for " << word;
    found += own.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 300);
  EXPECT_LT(found, 2900);
}

TEST_F(HighlightTest, FoldsLettersAnywhereInAWord) {
  for (std::size_t position = 0; position < 20; ++position) {
    std::string text = std::string(position, '.') + "ZEBRA-cAbLe@[`{" + std::string(position, '.');
    EXPECT_EQ(
        pieces(text, term("zebra") + "," + term("cable")),
        R"([)" +
            (position == 0 ? std::string()
                           : R"({"text":")" + std::string(position, '.') + R"(","match":false},)") +
            R"({"text":"ZEBRA","match":true},{"text":"-","match":false},)"
            R"({"text":"cAbLe","match":true},{"text":"@[`{)" +
            std::string(position, '.') + R"(","match":false}])");
  }
  EXPECT_EQ(pieces("zebr", term("zebra")), "");
  EXPECT_EQ(pieces("zebra", term("z\xC3\xA9"
                                 "bra")),
            R"([{"text":"zebra","match":true}])");
  EXPECT_EQ(pieces("z\xC3\xA9"
                   "bra",
                   term("ZEBRA")),
            "[{\"text\":\"z\xC3\xA9"
            "bra\",\"match\":true}]");
}

TEST_F(HighlightTest, HasAMemberForEachTextWithMatches) {
  EXPECT_EQ(highlight("SELECT tenon_highlight(?1, 32, 'a', 'The sea', 'b', NULL, 'c', "
                      "'land', 'd', 'sea') AS \"h:json\"",
                      term("sea")),
            R"({"h":{"a":[{"text":"The ","match":false},{"text":"sea","match":true}],)"
            R"("d":[{"text":"sea","match":true}]}})");
  EXPECT_EQ(highlight("SELECT tenon_highlight(?1, 32, 'a', 'land') AS \"h:json\"", term("sea")),
            R"({"h":{}})");
  EXPECT_EQ(highlight("SELECT tenon_highlight(?1, 32) AS \"h:json\"", term("sea")), R"({"h":{}})");
  for (const char* sql : {"SELECT tenon_highlight(?1)", "SELECT tenon_highlight(?1, 32, 'a')"})
    EXPECT_EQ(code_of([&] { highlight(sql, term("sea")); }), "data.sql") << sql;
  EXPECT_EQ(
      code_of([&] { database().query("SELECT tenon_highlight('{', 32, 'a', 'sea')").next(); }),
      "data.sql");
}

TEST_F(HighlightTest, ChecksTheResultOfAHighlight) {
  const std::string one = "tenon_highlight(?1, 32, 'a', 'sea')";
  for (const std::string& sql : {one + " || '}'", "substr(" + one + ", 2)"})
    EXPECT_EQ(code_of([&] { highlight("SELECT " + sql + " AS \"h:json\"", term("sea")); }),
              "data.sql")
        << sql;
  EXPECT_EQ(highlight("SELECT h AS \"h:json\" FROM (SELECT " + one +
                          " AS h UNION SELECT '{}') "
                          "ORDER BY h DESC LIMIT 1",
                      term("sea")),
            R"({"h":{}})");
}

}  // namespace
}  // namespace tenon::data::test
