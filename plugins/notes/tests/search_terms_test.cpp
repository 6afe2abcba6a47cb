#include "text/search_terms.hpp"

#include <random>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace notes::text {
namespace {

std::string expression(std::string_view typed, std::string_view column = {}) {
  const auto terms = search_terms(typed);
  return terms.empty() ? std::string() : match_expression(terms, column);
}

TEST(MatchExpression, TakesTheLastWordAsABeginning) {
  EXPECT_EQ(expression("red bic"), "(\"red\" AND \"bic\"*)");
  EXPECT_EQ(expression("red bic "), "(\"red\" AND \"bic\")");
  EXPECT_EQ(expression("e-mail"), "(\"e mail\"*)");
  EXPECT_EQ(expression("\"two words\" x"), "(\"two words\" AND \"x\"*)");
  EXPECT_EQ(expression("\"two wor"), "(\"two wor\"*)");
  EXPECT_EQ(expression("plan -draft "), "(\"plan\") NOT \"draft\"");
  EXPECT_EQ(expression("pl", "title"), "title : ((\"pl\"*))");
}

TEST(MatchExpression, IsEmptyWithoutTerms) {
  for (const auto* typed :
       {"", " ", "\"\"", "-", "-a", "!!! ...", "\xE2\x80\x94", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(expression(typed), "") << typed;
  }
}

TEST(MatchExpression, LooksAtSixteenWords) {
  std::string typed;
  for (int i = 0; i < 40; ++i)
    typed += "w" + std::to_string(i) + " ";
  const std::string made = expression(typed);
  EXPECT_NE(made.find("\"w15\""), std::string::npos);
  EXPECT_EQ(made.find("\"w16\""), std::string::npos);
}

/// The engine itself says whether an expression is well-formed.
class MatchExpressionInFts5 : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_exec(database_,
                     "CREATE VIRTUAL TABLE t USING fts5(title, text, tokenize='unicode61 "
                     "remove_diacritics 2');"
                     "INSERT INTO t VALUES ('Caf\xC3\xA9 plan', 'near AND or NOT e-mail to x.y')",
                     nullptr, nullptr, nullptr),
        SQLITE_OK);
    ASSERT_EQ(sqlite3_prepare_v2(database_, "SELECT count(*) FROM t WHERE t MATCH ?", -1,
                                 &statement_, nullptr),
              SQLITE_OK);
  }
  void TearDown() override {
    sqlite3_finalize(statement_);
    sqlite3_close(database_);
  }
  /// Matches, or -1 for an error.
  int matches(const std::string& expression) {
    sqlite3_reset(statement_);
    sqlite3_bind_text(statement_, 1, expression.data(), static_cast<int>(expression.size()),
                      SQLITE_TRANSIENT);
    return sqlite3_step(statement_) == SQLITE_ROW ? sqlite3_column_int(statement_, 0) : -1;
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

TEST_F(MatchExpressionInFts5, FindsWhatAPersonMeans) {
  for (const auto* typed : {"cafe", "CAF", "NOT", "AND or", "near", "e-mail", "x.y",
                            "\"plan near\" ", "title", "plan -draft"}) {
    if (std::string_view(typed) == "\"plan near\" " || std::string_view(typed) == "title") {
      EXPECT_EQ(matches(expression(typed)), 0) << typed;
    } else {
      EXPECT_EQ(matches(expression(typed)), 1) << typed;
    }
  }
  EXPECT_EQ(matches(expression("plan -near ")), 0);
  EXPECT_EQ(matches(expression("caf", "title")), 1);
  EXPECT_EQ(matches(expression("mail", "title")), 0);
}

TEST_F(MatchExpressionInFts5, NothingTypedIsASyntaxError) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same inputs each time
  const std::vector<std::string> parts = {"\"",
                                          "'",
                                          "*",
                                          "(",
                                          ")",
                                          "^",
                                          ":",
                                          "-",
                                          "+",
                                          "{",
                                          "}",
                                          " ",
                                          "NEAR",
                                          "AND",
                                          "OR",
                                          "NOT",
                                          "a",
                                          "\xC3\xA4",
                                          "\xE2\x82\xAC",
                                          ",",
                                          ".",
                                          "\\",
                                          ";",
                                          "\t",
                                          "title",
                                          "\xFF",
                                          std::string(1, '\0'),
                                          "\xC2\xAA",
                                          "\xE0\xA4\x93"};
  for (int round = 0; round < 20'000; ++round) {
    std::string typed;
    for (auto count = random() % 12; count > 0; --count)
      typed += parts[random() % parts.size()];
    for (const auto& made : {expression(typed), expression(typed, "title")}) {
      if (made.empty()) continue;
      ASSERT_GE(matches(made), 0) << typed << " => " << made;
    }
  }
}

TEST(Segments, SplitAtTheMarks) {
  const auto parts = segments("the \x02plan\x03 of");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].text, "the ");
  EXPECT_FALSE(parts[0].match);
  EXPECT_EQ(parts[1].text, "plan");
  EXPECT_TRUE(parts[1].match);
  EXPECT_TRUE(segments("").empty());
  EXPECT_EQ(segments("\x03\x02").size(), 0U);
}

}  // namespace
}  // namespace notes::text
