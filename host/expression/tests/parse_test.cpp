#include <gtest/gtest.h>

#include "expression/tests/support.hpp"

namespace tenon::expression::test {
namespace {

std::string printed(std::string_view text) {
  return print(parse(text).root);
}

TEST(ExpressionParseTest, OperatorsBindAsDocumented) {
  EXPECT_EQ(printed("a=1 or b=2 and not c=3"), "a = 1 or b = 2 and not c = 3");
  EXPECT_EQ(printed("(a or b) and c"), "(a or b) and c");
  EXPECT_EQ(printed("((a)) or (b and c)"), "a or b and c");
  EXPECT_EQ(printed("1+2*3-(4-5)"), "1 + 2 * 3 - (4 - 5)");
  EXPECT_EQ(printed("(1+2)*-(a)/-b%2"), "(1 + 2) * -a / -b % 2");
  EXPECT_EQ(printed("not (not a)"), "not (not a)");
  EXPECT_EQ(printed("a not in (1,2) and b in c.d and e in @groups"),
            "a not in (1, 2) and b in c.d and e in @groups");
  EXPECT_EQ(printed("a like 'x' and b not like 'it''s'"), "a like 'x' and b not like 'it''s'");
  EXPECT_EQ(printed("(a = b) = (c = d)"), "(a = b) = (c = d)");
}

TEST(ExpressionParseTest, LiteralsAreRead) {
  EXPECT_EQ(parse("-9223372036854775808").root.integer, INT64_MIN);
  EXPECT_EQ(parse("9223372036854775807").root.integer, INT64_MAX);
  EXPECT_EQ(parse("-0.5").root.number, -0.5);
  EXPECT_EQ(parse("1.5e3").root.number, 1500.0);
  EXPECT_EQ(parse("1e-3").root.number, 0.001);
  EXPECT_EQ(parse("'it''s 日本'").root.text, "it's 日本");
  EXPECT_EQ(printed("-(5)"), "-(5)");
  EXPECT_EQ(printed("-(-5)"), "-(-5)");
  EXPECT_EQ(printed("1.0"), "1.0");
  EXPECT_EQ(printed("true = false or a = null"), "true = false or a = null");
}

TEST(ExpressionParseTest, ErrorsSayWhereWhatAndWhatElse) {
  EXPECT_EQ(complaint(""), "byte 0: found the end, expected a value");
  EXPECT_EQ(complaint("done and"), "byte 8: found the end, expected a value");
  EXPECT_EQ(complaint("title == 5"), "byte 7: found =, expected a value");
  EXPECT_EQ(complaint("done AND shown"),
            "byte 5: found AND, expected an operator or the end; keywords are in small letters");
  EXPECT_EQ(complaint("title = 'x"), "byte 8: the text that begins here has no closing quote '");
  EXPECT_EQ(complaint("title = \"x\""),
            "byte 8: '\"' has no meaning here; write texts in single quotes '");
  EXPECT_EQ(complaint("a = b = c"),
            "byte 6: found =, expected and, or or the end; comparisons do not follow each other");
  EXPECT_EQ(complaint("(done"), "byte 5: found the end, expected an operator or )");
  EXPECT_EQ(complaint("@me = owner"),
            "byte 0: there is no '@me'; there are @user, @groups, @now and @today");
  EXPECT_EQ(complaint("@groups = owner"), "byte 0: @groups is possible only after in");
  EXPECT_EQ(complaint("owner in 5"),
            "byte 9: found 5, expected a list in parentheses, a field or @groups");
  EXPECT_EQ(complaint("title not = 'x'"), "byte 10: found =, expected in or like");
  EXPECT_EQ(complaint("not not done"),
            "byte 4: found not, expected a comparison; a second not needs parentheses");
  EXPECT_EQ(complaint("board. = 1"),
            "byte 7: found =, expected the name of a field after the point");
  EXPECT_EQ(complaint("count = 1."), "byte 10: a number needs a digit after its point");
  EXPECT_EQ(complaint("count = 1x"), "byte 9: a name cannot begin within a number");
  EXPECT_EQ(complaint("title = '\xff'"), "byte 9: the text is not valid UTF-8 without NUL");
  EXPECT_EQ(complaint(std::string_view("done\0", 5)),
            "byte 4: the text is not valid UTF-8 without NUL");
}

TEST(ExpressionParseTest, ErrorsNameLineAndColumn) {
  EXPECT_EQ(complaint("title = 'ä' and\n  'ä' = = 2"), "2:9 (byte 26): found =, expected a value");
}

TEST(ExpressionParseTest, IntegersHave64Bits) {
  const std::string what = ": an integer has 64 bits; larger ones are written with .0 at their end";
  EXPECT_EQ(complaint("count = 9223372036854775808"), "byte 8" + what);
  EXPECT_EQ(complaint("count = -9223372036854775809"), "byte 9" + what);
  EXPECT_EQ(complaint("price = 9223372036854775808.0"), "");
  EXPECT_EQ(complaint("price = 1e400"),
            "byte 8: the number is too large or too small for a double");
}

TEST(ExpressionParseTest, LimitsHold) {
  EXPECT_EQ(complaint("title = '" + std::string(max_bytes - 10, 'x') + "'"), "");
  EXPECT_EQ(complaint("title = '" + std::string(max_bytes - 9, 'x') + "'"),
            "byte 4096: an expression has at most 4096 bytes");

  const auto parentheses = [](std::size_t depth) {
    return repeated("(", depth) + "done" + repeated(")", depth);
  };
  EXPECT_EQ(complaint(parentheses(max_depth)), "");
  EXPECT_EQ(complaint(parentheses(max_depth + 1)),
            "byte 32: parentheses are nested more than 32 deep");
  EXPECT_EQ(complaint(repeated("(", 4000)), "byte 32: parentheses are nested more than 32 deep");

  const auto sum = [](std::size_t terms) { return "0 <= 1" + repeated("+1", terms - 1); };
  EXPECT_EQ(complaint(sum(max_depth - 1)), "");
  EXPECT_EQ(complaint(sum(max_depth)), "byte 2: operators are nested more than 32 deep");

  const auto series = [](std::size_t members) {
    return "done" + repeated(" or done", members - 1);
  };
  EXPECT_EQ(complaint(series(max_nodes - 1)), "");
  EXPECT_EQ(complaint(series(max_nodes)),
            "byte 5: an expression has at most 200 values, names and operators");

  const auto path = [](std::size_t steps) { return repeated("parent.", steps - 1) + "done"; };
  EXPECT_EQ(complaint(path(max_steps)), "");
  EXPECT_EQ(complaint(path(max_steps + 1)), "byte 56: a path has at most 8 names");

  const auto list = [](std::size_t members) {
    return "count in (1" + repeated(",1", members - 1) + ")";
  };
  EXPECT_EQ(complaint(list(max_members)), "");
  EXPECT_EQ(complaint(list(max_members + 1)), "byte 210: a list or a call has at most 100 members");

  EXPECT_EQ(complaint("title like '" + std::string(max_pattern_bytes, 'x') + "'"), "");
  EXPECT_EQ(complaint("title like '" + std::string(max_pattern_bytes + 1, 'x') + "'"),
            "byte 11: a pattern has at most 200 bytes");
}

}  // namespace
}  // namespace tenon::expression::test
