#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "expression/tests/support.hpp"

namespace tenon::expression::test {
namespace {

TEST(ExpressionCheckTest, WhatFitsIsTaken) {
  for (const std::string_view text : {
           "title = 'x'",
           "title + code = 'x'",
           "count < 3 and price >= 2",
           "count = 2.5",
           "rank in (1, 2.5, price)",
           "done",
           "not done and done = (count = 1)",
           "due < '2026-01-31' or '2026-01-31' >= due",
           "seen < '2026-01-31T10:00:00Z' and seen > '2026-01-31' and created < @now",
           "date(seen) = @today and date('2026-01-31') = due and year('2026-01-31T00:00:00Z') > 1",
           "stage = 'todo' and 'done' in tags and tags in ('todo', 'done')",
           "owner = @user and owner.id = @user and @user in assignees",
           "team in @groups and teams in @groups",
           "contact = 'anything' and contact.id != 'else'",
           "board.top.parent.owner = @user",
           "labels.name = 'x' and labels.board.open and related.labels.name != null",
           "labels = null or tags != null or files = null or board.marks = null",
           "meta = null and cover != null",
           "parent = id and id in related",
           "coalesce(price, count, 0) > 1 and if(done, title, null) = 'x'",
           "can('cards.see')",
           "seen < days_ago(30) and due < date(days_ago(7))",
           "true",
           "secret = 'x'",
       })
    EXPECT_EQ(complaint(text), "") << text;
}

TEST(ExpressionCheckTest, NamesAreLookedUp) {
  EXPECT_EQ(complaint("titel = 'x'"),
            "byte 0: the table 'cards' has no field 'titel'; did you mean 'title'?");
  EXPECT_EQ(complaint("board.nmae = 'x'"),
            "byte 6: the table 'boards' has no field 'nmae'; did you mean 'name'?");
  EXPECT_EQ(complaint("qqqqqq = 'x'"), "byte 0: the table 'cards' has no field 'qqqqqq'");
  EXPECT_EQ(complaint("title.name = 'x'"), "byte 6: 'title' is no reference and has no 'name'");
  EXPECT_EQ(complaint("title.id = 'x'"), "byte 6: 'title' is no reference and has no 'id'");
  EXPECT_EQ(complaint("owner.name = 'x'"),
            "byte 6: 'owner' refers to core:users, another database, of which only the id can be "
            "named");
  EXPECT_EQ(complaint("seen < days_ago(count)"),
            "byte 16: days_ago() takes a whole number of 0 to 36500, and no field");
  EXPECT_EQ(complaint("seen < days_ago(36501)"),
            "byte 16: days_ago() takes a whole number of 0 to 36500, and no field");
  EXPECT_EQ(complaint("uper(title) = 'X'"),
            "byte 0: there is no function 'uper'; did you mean 'upper'?");
}

// tables.test.ts of shell-ui/packages/rollup-preset compares the types in TypeScript with the same
// file.
TEST(ExpressionCheckTest, ComputedTypesMatchTypeScript) {
  std::ifstream file(TENON_SOURCE_DIR "/shell-ui/packages/rollup-preset/tests/computed-types.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::size_t count = 0;
  data::schema::Tables all;
  base::JsonSlice(text).each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "tables") {
      all = data::schema::parse_tables(R"({"tables":)" + std::string(value.text()) + "}");
      return;
    }
    value.each_member([&](const std::string& expression, const base::JsonSlice& expected) {
      const Checked found = check(parse(expression), all, *all.find("cards"), Purpose::value);
      const bool is_number = found.type() == Type::integer || found.type() == Type::number;
      std::string type = is_number                       ? "number"
                         : found.type() == Type::boolean ? "boolean"
                                                         : "string";
      if (found.root().is_nullable) type += " | null";
      EXPECT_EQ(type, expected.string()) << expression;
      ++count;
    });
  });
  EXPECT_GT(count, 50U);
}

TEST(ExpressionCheckTest, HiddenFieldsDoNotExistForFilters) {
  EXPECT_EQ(complaint("secret = 'x'", Purpose::filter),
            "byte 0: the table 'cards' has no field 'secret'");
  EXPECT_EQ(complaint("parent.secret = 'x'", Purpose::filter),
            "byte 7: the table 'cards' has no field 'secret'");
  EXPECT_EQ(complaint("secre = 'x'", Purpose::filter),
            "byte 0: the table 'cards' has no field 'secre'");
  EXPECT_EQ(complaint("secret", Purpose::value), "");
}

TEST(ExpressionCheckTest, ComputedFieldsCannotBeNamed) {
  data::schema::Tables all = world_tables();
  data::schema::Field total;
  total.name = "total";
  total.type = data::schema::FieldType::computed;
  total.expression = "count * price";
  all.tables[0].fields.push_back(total);
  try {
    check(parse("total > 1"), all, all.tables[0], Purpose::filter);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.message(),
              "byte 0: 'total' is computed and cannot be named in an expression; write what it is "
              "computed from");
  }
}

TEST(ExpressionCheckTest, TypesMustFit) {
  EXPECT_EQ(complaint("count = 'x'"), "byte 6: cannot compare an integer with a text");
  EXPECT_EQ(complaint("title < 5"), "byte 6: cannot compare a text with an integer");
  EXPECT_EQ(complaint("due = seen"),
            "byte 4: cannot compare a date with a datetime; date(…) is the day of a datetime");
  EXPECT_EQ(complaint("owner = board"),
            "byte 6: cannot compare an id of core:users with an id of boards");
  EXPECT_EQ(complaint("owner = title"), "byte 6: cannot compare an id with a text");
  EXPECT_EQ(complaint("owner in @groups"),
            "byte 6: cannot compare an id of core:users with an id of core:groups");
  EXPECT_EQ(complaint("title + 1 = 'x'"), "byte 6: cannot add a text and an integer");
  EXPECT_EQ(complaint("-title = 1"), "byte 1: found a text, expected a number");
  EXPECT_EQ(complaint("title"),
            "byte 0: found a text, expected a condition; compare it with something");
  EXPECT_EQ(complaint("count and done"),
            "byte 0: found an integer, expected a condition; compare it with something");
  EXPECT_EQ(complaint("meta = 'x'"), "byte 0: json and blob fields can only be compared with null");
  EXPECT_EQ(complaint("files = 'x'"),
            "byte 0: json and blob fields can only be compared with null");
  EXPECT_EQ(complaint("done < true"), "byte 5: true and false have no order; compare with = or !=");
  EXPECT_EQ(complaint("count < null"), "byte 6: null has no order; compare with = or !=");
  EXPECT_EQ(complaint("count in (1, null)"), "byte 13: null is in no list; add: or count = null");
  EXPECT_EQ(complaint("count like '1'"), "byte 6: like looks into a text, and this is an integer");
  EXPECT_EQ(complaint("title like code"), "byte 11: the pattern of like must be a text in quotes");
  EXPECT_EQ(complaint("title like 'x\\'"),
            "byte 11: the pattern ends with \\, which must be followed by a character");
  EXPECT_EQ(complaint("title like 'x\\\\'"), "");
  EXPECT_EQ(complaint("null", Purpose::value), "byte 0: null alone has no type");
  EXPECT_EQ(complaint("meta", Purpose::value),
            "byte 0: json and blob fields can only be compared with null");
}

TEST(ExpressionCheckTest, ValidatesTextsComparedWithDatesAndChoices) {
  EXPECT_EQ(complaint("due = '2026-02-30'"), "byte 6: '2026-02-30' is no date; write '2026-01-31'");
  EXPECT_EQ(complaint("seen = 'today'"),
            "byte 7: 'today' is no datetime; write '2026-01-31T12:00:00Z' (UTC), or a date");
  EXPECT_EQ(complaint("stage = 'tood'"),
            "byte 8: 'tood' is none of the field's choices; did you mean 'todo'?");
  EXPECT_EQ(complaint("stage in ('todo', 'x')"), "byte 18: 'x' is none of the field's choices");
  EXPECT_EQ(complaint("tags = 'x'"), "byte 7: 'x' is none of the field's choices");
}

TEST(ExpressionCheckTest, AllowsOnePathThroughManyPerComparison) {
  EXPECT_EQ(complaint("labels.name", Purpose::value),
            "byte 0: 'labels.name' has several values; compare it with something");
  EXPECT_EQ(complaint("labels.name = related.title"),
            "byte 14: 'related.title' has several values, and a comparison can have only "
            "one such path");
  EXPECT_EQ(complaint("@user in owner"), "byte 9: 'owner' is one value; compare it with =");
  EXPECT_EQ(complaint("related.labels = null"),
            "byte 0: only one field of a path that is compared with null can be many");
}

TEST(ExpressionCheckTest, CallsTakeWhatTheyTake) {
  EXPECT_EQ(complaint("length() = 1"), "byte 0: length() takes 1 values, and here are 0");
  EXPECT_EQ(complaint("coalesce(title) = 'x'"),
            "byte 0: coalesce() takes at least 2 values, and here are 1");
  EXPECT_EQ(complaint("lower(count) = 'x'"),
            "byte 6: lower() takes a text, and this is an integer");
  EXPECT_EQ(complaint("year(title) = 1"),
            "byte 5: year() takes a date or datetime, and this is a text");
  EXPECT_EQ(complaint("can(title)"), "byte 4: can() takes the name of a permission in quotes");
  EXPECT_EQ(complaint("if(done, 1, 'x') = 1"), "byte 12: cannot give an integer with a text");
}

TEST(ExpressionCheckTest, FieldsThatItReadsAreListed) {
  const auto one = checked("board.top.title = title or @user in assignees or title = 'x'");
  const std::vector<NamedField> expected = {
      {"cards", "board"}, {"boards", "top"}, {"cards", "title"}, {"cards", "assignees"}};
  EXPECT_EQ(one.fields(), expected);
}

TEST(ExpressionCheckTest, WhatSqliteCannotNestIsRefused) {
  std::string deep = "price";
  for (int i = 0; i < 6; ++i)
    deep = "1/(" + deep + ")";
  EXPECT_EQ(complaint("price < " + deep), "");
  for (int i = 0; i < 4; ++i)
    deep = "1/(" + deep + ")";
  EXPECT_EQ(complaint("price < " + deep),
            "byte 6: the expression is nested too deeply for the database; make it flatter");
}

}  // namespace
}  // namespace tenon::expression::test
