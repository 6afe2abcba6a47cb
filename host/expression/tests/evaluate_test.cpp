#include "expression/evaluate.hpp"

#include <gtest/gtest.h>

#include "expression/functions.hpp"
#include "expression/tests/sqlite_engine.hpp"
#include "expression/tests/support.hpp"

namespace tenon::expression::test {
namespace {

// One card, and what its record holds is all there is.
class ExpressionEvaluateTest : public testing::Test, public Records {
 protected:
  std::shared_ptr<const Record> find(std::string_view, std::string_view) override {
    return nullptr;
  }

  // Returns the evaluator's value, after a check that SQLite gives the same.
  Value value(std::string_view text) {
    const Checked one = checked(text, Purpose::value);
    const Value expected = evaluate(one, card, *this, context);
    SqlOptions options;
    options.alias = "t";
    const Sql made = to_sql_value(one, options);
    std::vector<data::Cell> cells;
    append_cells(made, context, cells);
    const auto found =
        engine().column("SELECT " + made.text + R"( FROM "cards" AS "t")", cells, one.type());
    EXPECT_EQ(found.at(0), expected) << text << "\n" << made.text;
    return expected;
  }
  bool is_true(std::string_view text) { return value(text) == Value(std::int64_t{1}); }

  static SqliteEngine& engine() {
    static SqliteEngine shared;
    static const bool is_made = [] {
      shared.run(R"(CREATE TABLE "cards" ("title" TEXT, "count" INTEGER) STRICT)", {});
      shared.run(R"(INSERT INTO "cards" VALUES (NULL, NULL))", {});
      return true;
    }();
    EXPECT_TRUE(is_made);
    return shared;
  }

  MemoryRecord card;
  Context context{"u", {"g"}, 1795320000123, [](std::string_view one) { return one == "yes"; }};
};

TEST_F(ExpressionEvaluateTest, NullIsAValueForEqualityOnly) {
  EXPECT_TRUE(is_true("title = null"));
  EXPECT_TRUE(is_true("title != 'x'"));
  EXPECT_TRUE(is_true("title = title"));
  EXPECT_FALSE(is_true("title < 'x'"));
  EXPECT_TRUE(is_true("not title < 'x'"));
  EXPECT_FALSE(is_true("title in ('x', title)"));
  EXPECT_TRUE(is_true("title not in ('x', title)"));
  EXPECT_FALSE(is_true("title like '%'"));
  EXPECT_TRUE(is_true("title not like '%'"));
  EXPECT_EQ(value("title + 'x'"), Value());
  EXPECT_EQ(value("count + 1"), Value());
}

TEST_F(ExpressionEvaluateTest, AnonymousUserOwnsNothing) {
  context = Context(std::nullopt, {}, 0, nullptr);
  EXPECT_EQ(value("@user"), Value());
  EXPECT_TRUE(is_true("@user = null"));
  EXPECT_FALSE(is_true("@user = @user"));
  EXPECT_TRUE(is_true("@user != @user"));
  EXPECT_FALSE(is_true("@user in (@user)"));
}

TEST_F(ExpressionEvaluateTest, ArithmeticIsThatOfDoubles) {
  EXPECT_EQ(value("1 + 2"), Value(3.0));
  EXPECT_EQ(value("7 / 2"), Value(3.5));
  EXPECT_EQ(value("9223372036854775807 + 1"), Value(9223372036854775808.0));
  EXPECT_EQ(value("9007199254740993 + 0"), Value(9007199254740992.0));
  EXPECT_EQ(value("1 / 0"), Value());
  EXPECT_EQ(value("1.0 / 0.0"), Value());
  EXPECT_EQ(value("1e308 * 10"), Value());
  EXPECT_EQ(value("1e308 * 10 - 1e308 * 10"), Value());
  EXPECT_EQ(value("1 / (1e308 * 10)"), Value());
  EXPECT_EQ(value("-(1e308 + 1e308)"), Value());
  EXPECT_EQ(value("5e-324 / 2"), Value(0.0));
  EXPECT_EQ(value("-7 % 3"), Value(std::int64_t{-1}));
  EXPECT_EQ(value("7.9 % 3.9"), Value(std::int64_t{1}));
  EXPECT_EQ(value("1 % 0"), Value());
  EXPECT_EQ(value("-9223372036854775808 % -1"), Value(std::int64_t{0}));
  EXPECT_EQ(value("1e300 % 10"), Value(std::int64_t{7}));
  EXPECT_EQ(value("abs(-9223372036854775808)"), Value(9223372036854775808.0));
  EXPECT_EQ(value("round(2.5)"), Value(3.0));
  EXPECT_EQ(value("round(-2.5)"), Value(-3.0));
  EXPECT_EQ(value("round(1e300)"), Value(1e300));
  EXPECT_TRUE(is_true("9007199254740993 > 9007199254740992"));
}

TEST_F(ExpressionEvaluateTest, TextsAreCodePoints) {
  EXPECT_EQ(value("length('日本😀')"), Value(std::int64_t{3}));
  EXPECT_EQ(value("upper('aä')"), Value(std::string("Aä")));
  EXPECT_EQ(value("trim('  a b ')"), Value(std::string("a b")));
  EXPECT_TRUE(is_true("'Z' < 'a' and 'z' < 'ä' and 'ﾊ' < '😀'"));
  EXPECT_TRUE(is_true("'Hello' like 'h_l%' and 'a%b' like 'a\\%b' and '日本' like '__'"));
  EXPECT_FALSE(is_true("'Ä' like 'ä'"));
  EXPECT_FALSE(is_true("'axb' like 'a\\%b'"));
  EXPECT_TRUE(is_true("'aab' like '%ab' and '' like '' and '' like '%'"));
}

TEST_F(ExpressionEvaluateTest, DatesHaveParts) {
  EXPECT_EQ(value("@now"), Value(std::string("2026-11-22T04:00:00.123Z")));
  EXPECT_EQ(value("date(@now)"), Value(std::string("2026-11-22")));
  EXPECT_EQ(value("year(@today)"), Value(std::int64_t{2026}));
  EXPECT_EQ(value("month(@now)"), Value(std::int64_t{11}));
  EXPECT_EQ(value("day('2024-02-29')"), Value(std::int64_t{29}));
  EXPECT_EQ(value("days_ago(22)"), Value(std::string("2026-10-31T04:00:00.123Z")));
  EXPECT_EQ(value("date(days_ago(0))"), Value(std::string("2026-11-22")));
  EXPECT_TRUE(is_true("days_ago(2) < days_ago(1) and days_ago(1) < @now"));
}

TEST_F(ExpressionEvaluateTest, WhatNeedsNoRecordIsConstant) {
  const auto constant = [&](std::string_view text) { return is_constant(checked(text), context); };
  EXPECT_EQ(constant("true"), true);
  EXPECT_EQ(constant("can('no')"), false);
  EXPECT_EQ(constant("can('yes') or owner = @user"), true);
  EXPECT_EQ(constant("can('no') and owner = @user"), false);
  EXPECT_EQ(constant("can('no') or owner = @user"), std::nullopt);
  EXPECT_EQ(constant("not (can('no') and done)"), true);
  EXPECT_EQ(constant("title = 'x'"), std::nullopt);
  EXPECT_EQ(constant("owner = @user or @user in assignees"), std::nullopt);
  context = Context(std::nullopt, {}, 0, nullptr);
  EXPECT_EQ(constant("owner = @user or @user in assignees or team in @groups"), false);
  EXPECT_EQ(constant("assignees != @user"), std::nullopt);
  EXPECT_EQ(constant("owner != @user"), true);
}

TEST_F(ExpressionEvaluateTest, PermissionsDecideWhenTheResultIsShared) {
  const auto decided = [&](std::string_view text) {
    return is_decided_by_permissions(checked(text), context);
  };
  context = Context("ada", {}, 0, [](std::string_view name) { return name == "yes"; });
  EXPECT_TRUE(decided("true"));
  EXPECT_TRUE(decided("can('no')"));
  EXPECT_TRUE(decided("can('no') and team in @groups"));
  EXPECT_TRUE(decided("can('yes') or team in @groups"));
  EXPECT_FALSE(decided("team in @groups")) << "another one may be in the group";
  EXPECT_FALSE(decided("can('no') or team in @groups"));
  EXPECT_FALSE(decided("can('yes') and team in @groups"));
  EXPECT_FALSE(decided("@user = null"));
  EXPECT_FALSE(decided("not (@now < '2000-01-01T00:00:00.000Z' or year(@today) < 2000)"));
  context = Context(std::nullopt, {}, 0, nullptr);
  EXPECT_FALSE(decided("owner = @user or @user in assignees"));
}

TEST(ExpressionFunctionsTest, LikeIsNotSlowForManyWildcards) {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 400; ++i)
    pattern += "%a";
  EXPECT_FALSE(matches(text, pattern + "%b"));
  EXPECT_TRUE(matches(text, pattern + "%"));
}

}  // namespace
}  // namespace tenon::expression::test
