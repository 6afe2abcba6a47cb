#include <gtest/gtest.h>

#include "expression/tests/sqlite_engine.hpp"
#include "expression/tests/support.hpp"

namespace tenon::expression::test {
namespace {

constexpr std::int64_t fixed_now = 1795320000123;

TEST(ExpressionSqlTest, ComparisonsWithConstantsAreBare) {
  EXPECT_EQ(sql("title = 'x'"), R"(("t"."title" = ?1))");
  EXPECT_EQ(sql("owner = @user"), R"(("t"."owner" = ?1))");
  EXPECT_EQ(sql("count < 5"), R"(("t"."count" < ?1))");
  EXPECT_EQ(sql("count = 5.0"), R"(("t"."count" = ?1))");
  EXPECT_EQ(sql("done"), R"(("t"."done" = ?1))");
  EXPECT_EQ(sql("title = null"), R"(("t"."title" IS NULL))");
  EXPECT_EQ(sql("code != 'x'"), R"(("t"."code" <> ?1))");
}

TEST(ExpressionSqlTest, UnderNotEmptyIsFalse) {
  EXPECT_EQ(sql("not (title = 'x')"), R"((NOT ("t"."title" IS ?1)))");
  EXPECT_EQ(sql("title != 'x'"), R"(("t"."title" IS NOT ?1))");
  EXPECT_EQ(sql("not count < 5"), R"((("t"."count" < ?1) IS NOT TRUE))");
  EXPECT_EQ(sql("owner != @user"), R"((("t"."owner" = ?1) IS NOT TRUE))");
  EXPECT_EQ(sql("not (done or count > 2)"),
            R"((NOT (("t"."done" IS ?1) OR (("t"."count" > ?2) IS TRUE))))");
}

TEST(ExpressionSqlTest, PathsAreSubqueries) {
  EXPECT_EQ(sql("board.top.title = 'x'"),
            R"(((SELECT "e2"."title" FROM "boards" AS "e1" JOIN "cards" AS "e2" ON "e2"."id" = )"
            R"("e1"."top" WHERE "e1"."id" = "t"."board") = ?1))");
  EXPECT_EQ(sql("board.id = 'x'"), R"(("t"."board" = ?1))");
  EXPECT_EQ(sql("@user in assignees"),
            R"((EXISTS (SELECT 1 FROM "cards__assignees" AS "e1" WHERE "e1"."record" = "t"."id" )"
            R"(AND (?1 = "e1"."target"))))");
  EXPECT_EQ(sql("labels.board.name = 'x'"),
            R"((EXISTS (SELECT 1 FROM "cards__labels" AS "e1" JOIN "labels" AS "e2" ON "e2"."id" )"
            R"(= "e1"."target" LEFT JOIN "boards" AS "e3" ON "e3"."id" = "e2"."board" WHERE )"
            R"("e1"."record" = "t"."id" AND ("e3"."name" = ?1))))");
  EXPECT_EQ(sql("labels = null"),
            R"((NOT EXISTS (SELECT 1 FROM "cards__labels" AS "e1" WHERE "e1"."record" = )"
            R"("t"."id")))");
}

TEST(ExpressionSqlTest, StatesTypesAndOrderForPostgresql) {
  EXPECT_EQ(sql("title < 'x'", Dialect::postgresql), R"((("t"."title" COLLATE "C") < $1::text))");
  EXPECT_EQ(sql("title != 'x'", Dialect::postgresql), R"(("t"."title" IS DISTINCT FROM $1::text))");
  EXPECT_EQ(sql("title like 'x%'", Dialect::postgresql),
            R"((("t"."title" COLLATE "C") ILIKE $1::text ESCAPE '\'))");
  EXPECT_EQ(sql("team in @groups", Dialect::postgresql),
            R"(("t"."team" IN (SELECT jsonb_array_elements_text($1::text::jsonb))))");
  EXPECT_EQ(sql("count + 1 > price", Dialect::postgresql),
            R"((tenon_add(CAST("t"."count" AS double precision), $1::double precision) > )"
            R"("t"."price"))");
}

TEST(ExpressionSqlTest, PutsNoValueIntoTheText) {
  const std::string text = sql(
      "title = 'Needle' or count = 4711 or price = 47.11 or code in ('Needle', 'x') or "
      "title like '%Needle%' or due = '1947-11-04' or can('needle') or if(done, 'Needle', '') = "
      "title or 4711 % 3 = 1");
  for (const std::string_view value : {"eedle", "4711", "47.11", "1947"})
    EXPECT_EQ(text.find(value), std::string::npos) << value;
}

TEST(ExpressionSqlTest, MakesTheTextOnceAndBindsPerRequest) {
  SqlOptions options;
  options.alias = "t";
  options.first_parameter = 5;
  const Sql made = to_sql_condition(
      checked("owner = @user or team in @groups or due = @today or seen < @now or can('p') or "
              "title = 'x' or created_by = @user"),
      options);
  EXPECT_NE(made.text.find("?5"), std::string::npos);
  EXPECT_EQ(made.text.find("?4"), std::string::npos);
  EXPECT_EQ(made.slots.size(), 6U) << "@user has one parameter";

  const Context signed_in("u", {"g", "h\"h"}, fixed_now,
                          [](std::string_view one) { return one == "p"; });
  std::vector<data::Cell> cells;
  append_cells(made, signed_in, cells);
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_EQ(cells[0].text(), "u");
  EXPECT_EQ(cells[1].text(), R"(["g","h\"h"])");
  EXPECT_EQ(cells[2].text(), "2026-11-22");
  EXPECT_EQ(cells[3].text(), "2026-11-22T04:00:00.123Z");
  EXPECT_EQ(cells[4].integer(), 1);
  EXPECT_EQ(cells[5].text(), "x");

  const Context anonymous(std::nullopt, {}, fixed_now, nullptr);
  cells.clear();
  append_cells(made, anonymous, cells);
  EXPECT_TRUE(cells[0].is_null());
  EXPECT_EQ(cells[1].text(), "[]");
  EXPECT_EQ(cells[4].integer(), 0);
}

// How SQLite would look the records up.
class ExpressionPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    Random random(9);
    World(random).write(engine_);
    for (const std::string name : {"title", "count", "owner", "done", "board", "due"})
      engine_.run("CREATE INDEX \"by_" + name + "\" ON \"cards\" (\"" + name + "\")", {});
    engine_.reader();
  }

  std::string plan(std::string_view text) {
    data::Database host(data::test::host_file(engine_.path()));
    SqlOptions options;
    options.alias = "t";
    const Sql made = to_sql_condition(checked(text), options);
    const Context context("u", {"g"}, fixed_now, nullptr);
    std::vector<data::Cell> cells;
    append_cells(made, context, cells);
    auto rows = host.query(
        R"(EXPLAIN QUERY PLAN SELECT "id" FROM "cards" AS "t" WHERE )" + made.text, cells);
    std::string steps;
    while (rows.next())
      steps.append(rows.text(3)).append("; ");
    return steps;
  }

  SqliteEngine engine_;
};

TEST_F(ExpressionPlanTest, OwnFieldsAreLookedUpInTheirIndex) {
  EXPECT_EQ(plan("title = 'x'"), "SEARCH t USING INDEX by_title (title=?); ");
  EXPECT_EQ(plan("owner = @user"), "SEARCH t USING INDEX by_owner (owner=?); ");
  EXPECT_EQ(plan("done and title like 'x%'"), "SEARCH t USING INDEX by_done (done=?); ");
  EXPECT_EQ(plan("count > 3 and count <= 7"),
            "SEARCH t USING INDEX by_count (count>? AND count<?); ");
  EXPECT_EQ(plan("count = 5.0"), "SEARCH t USING INDEX by_count (count=?); ");
  EXPECT_EQ(plan("due >= @today"), "SEARCH t USING INDEX by_due (due>?); ");
  EXPECT_EQ(plan("title in ('a', 'b')"), "SEARCH t USING INDEX by_title (title=?); ");
  EXPECT_EQ(plan("title = null"), "SEARCH t USING INDEX by_title (title=?); ");
}

TEST_F(ExpressionPlanTest, LinksAreLookedUpByRecordAndTarget) {
  const std::string steps = plan("@user in assignees");
  EXPECT_NE(steps.find("SEARCH e1 USING COVERING INDEX sqlite_autoindex_cards__assignees_1 "
                       "(record=? AND target=?)"),
            std::string::npos)
      << steps;
}

// Under the limits of a plugin's connection, with conditions of a caller around.
TEST_F(ExpressionPlanTest, AcceptedPlansFitSqlitesDepth) {
  const Context context("u", {"g"}, fixed_now, nullptr);
  struct Shape {
    std::string_view before;
    std::string_view core;
    std::string_view after;
  };
  for (const auto& [before, core, after] : {
           Shape{"1/(", "board.top.price", ")"},
           Shape{"1+round(", "count", ")"},
           Shape{"(1+", "board.top.count", ")%2"},
           Shape{"-(1-abs(", "price", "))"},
           Shape{"trim('x'+lower(", "board.top.title", "))"},
           Shape{"if(not(price<", "price", "),1,2)"},
           Shape{"if(labels.weight=", "count", ",1,2)"},
           Shape{"coalesce(price,1/(", "price", "))"},
       }) {
    std::size_t taken = 0;
    for (std::size_t depth = 1; depth <= max_depth; ++depth) {
      const std::string text =
          std::string("not (") + (core.ends_with("title") ? "title" : "price") + " = " +
          repeated(before, depth) + std::string(core) + repeated(after, depth) + ")";
      if (!complaint(text).empty()) break;
      taken = depth;
      SqlOptions options;
      options.alias = "t";
      const Sql made = to_sql_condition(checked(text), options);
      std::vector<data::Cell> cells;
      append_cells(made, context, cells);
      EXPECT_NO_THROW(engine_.column(
          R"(SELECT "id" FROM "cards" AS "t" WHERE (("id" > '') AND (1 AND )" + made.text + "))",
          cells, Type::text))
          << text;
    }
    EXPECT_GE(taken, 2U) << before;
  }
}

}  // namespace
}  // namespace tenon::expression::test
