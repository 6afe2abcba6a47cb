// Fields that get another type and keep their values.
#include <string>
#include <vector>

#include "engines/tests/schema/upgrade_case.hpp"

namespace tenon::data::test {
namespace {

using schema::Plan;

struct ConversionCase {
  const char* name;
  std::string before;
  std::vector<Cell> values;
  std::string after;
  std::string expected;  // the values in the order of the records, as SQLite writes them
};

class ConversionTest : public UpgradeTest, public testing::WithParamInterface<ConversionCase> {};

TEST_P(ConversionTest, LosesNothing) {
  const ConversionCase& kept = GetParam();
  const auto make =
      migration(1,
                "CREATE TABLE log (x); CREATE TRIGGER changed AFTER UPDATE ON t BEGIN "
                "INSERT INTO log VALUES (new.rowid); END; CREATE INDEX own ON t (b);"
                "CREATE VIEW ids AS SELECT id FROM t;");
  const std::string rest =
      R"(,{"name":"b","type":"reference","table":"t"},{"name":"c","type":"text","required":true,"max":3,"default":"x"})";
  apply_to(declare("1.0.0", table(R"({"name":"a",)" + kept.before + "}" + rest), {make}));
  std::int64_t rowid = 3;
  for (const Cell& value : kept.values) {
    database().exec("INSERT INTO t (rowid, id, a, b) VALUES (?1, ?2, ?3, ?2)",
                    {rowid, base::new_id(), value});
    rowid += 4;
  }
  const auto ids = text("SELECT group_concat(rowid || id || b) FROM t");
  const auto next = declare("2.0.0", table(R"({"name":"a",)" + kept.after + "}" + rest), {make});
  const Plan planned = plan(database(), next);
  EXPECT_NE(planned.to_text().find("  rebuild field t.a (from "), std::string::npos)
      << planned.to_text();
  EXPECT_FALSE(planned.is_refused()) << planned.to_text();
  apply_to(next);
  EXPECT_EQ(text("SELECT group_concat(rowid || id || b) FROM t"), ids);
  const bool is_link = next.tables.tables[0].fields[0].is_link();
  EXPECT_EQ(text(is_link ? "SELECT group_concat(target || record || position) FROM t__a"
                         : "SELECT group_concat(coalesce(a, 'null'), ' ') FROM (SELECT a FROM t "
                           "ORDER BY rowid)"),
            is_link ? text("SELECT group_concat('" + kept.expected +
                           "' || id || 0) FROM t WHERE rowid = 3")
                    : kept.expected);
  EXPECT_TRUE(plan(database(), next).is_empty()) << plan(database(), next).to_text();
  EXPECT_TRUE(database().quick_check().empty());
  database().exec("UPDATE t SET c = 'y' WHERE rowid = 3");
  EXPECT_EQ(count("SELECT x FROM log"), 3) << "the trigger is there";
  EXPECT_EQ(count("SELECT count(*) FROM sqlite_schema WHERE name = 'own'"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM ids"), static_cast<std::int64_t>(kept.values.size()));
  EXPECT_EQ(code_of([&] { database().exec("UPDATE t SET c = 'four'"); }), "data.check");
  EXPECT_EQ(code_of([&] { database().exec("UPDATE t SET b = 'unknown'"); }), "data.reference");
}

INSTANTIATE_TEST_SUITE_P(
    Values, ConversionTest,
    testing::Values(
        ConversionCase{"integer_to_number",
                       R"("type":"integer")",
                       {5, nullptr, -9007199254740992},
                       R"("type":"number")",
                       "5.0 null -9.00719925474099e+15"},
        ConversionCase{"integer_to_text",
                       R"("type":"integer","unique":true)",
                       {-5, nullptr, INT64_MIN},
                       R"("type":"text","unique":true)",
                       "-5 null -9223372036854775808"},
        ConversionCase{"number_to_text",
                       R"("type":"number","indexed":true)",
                       {0.1, 3, nullptr, 1e300, -2.5},
                       R"("type":"text")",
                       "0.1 3 null 1e+300 -2.5"},
        ConversionCase{"boolean_to_text",
                       R"("type":"boolean","default":true)",
                       {1, 0, nullptr},
                       R"("type":"text","default":"true")",
                       "true false null"},
        ConversionCase{"date_to_datetime",
                       R"("type":"date","min":"2000-01-01")",
                       {"2024-02-29", nullptr},
                       R"("type":"datetime","min":"2000-01-01T00:00:00.000Z")",
                       "2024-02-29T00:00:00.000Z null"},
        ConversionCase{"choice_to_many",
                       R"("type":"choice","choices":["x","don't"],"default":"x")",
                       {"x", "don't", nullptr},
                       R"("type":"choice","choices":["x","don't","z"],"many":true,"default":["x"])",
                       R"(["x"] ["don't"] null)"},
        ConversionCase{"blob_to_many",
                       R"("type":"blob")",
                       {R"({"id":"00","name":"n"})", nullptr},
                       R"("type":"blob","many":true)",
                       R"([{"id":"00","name":"n"}] null)"},
        ConversionCase{"user_to_many",
                       R"("type":"user","indexed":true)",
                       {"u", nullptr},
                       R"("type":"user","many":true)",
                       "u"},
        ConversionCase{"group_to_many",
                       R"("type":"reference","table":"core:groups","required":true)",
                       {"g"},
                       R"("type":"reference","table":"core:groups","required":true,"many":true)",
                       "g"}),
    [](const auto& kept) { return kept.param.name; });

TEST_F(UpgradeTest, AReferenceBecomesMany) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"reference","table":"t"})")));
  const std::string first = base::new_id();
  database().exec("INSERT INTO t (id) VALUES (?1)", {first});
  database().exec("INSERT INTO t (id, a) VALUES (?1, ?2)", {base::new_id(), first});
  const auto next =
      declare("2.0.0", table(R"({"name":"a","type":"reference","table":"t","many":true})"));
  EXPECT_NE(
      plan(database(), next)
          .to_text()
          .find("rebuild field t.a (from reference to t to reference to t, many, on delete clear)"),
      std::string::npos)
      << plan(database(), next).to_text();
  apply_to(next);
  expect_as_new(next);
  EXPECT_EQ(text("SELECT target FROM t__a"), first);
  database().exec("DELETE FROM t WHERE id = ?1", {first});
  EXPECT_EQ(count("SELECT count(*) FROM t__a"), 0);
}

}  // namespace
}  // namespace tenon::data::test
