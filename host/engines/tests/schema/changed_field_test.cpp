// Changes allowed in a table with records, and changes refused because they would lose some.
#include <string>
#include <vector>

#include "engines/tests/schema/migrate_case.hpp"

namespace tenon::data::test {
namespace {

using schema::Plan;

struct Change {
  const char* name;
  std::string before;
  std::string columns;  // of the one record before
  std::vector<Cell> values;
  std::string after;
  std::string refusal;  // location: part of the reason; empty: allowed
};

class ChangeTest : public MigrateTest, public testing::WithParamInterface<Change> {};

TEST_P(ChangeTest, IsPlannedOrRefusedIfItLosesData) {
  const Change& change = GetParam();
  apply_to(declare("1.0.0", table(change.before)));
  if (!change.columns.empty()) insert(change.columns, change.values);
  const auto schema = schema_of("t");
  const auto next = declare("1.1.0", table(change.after));
  const Plan planned = plan(database(), next);
  if (change.refusal.empty()) {
    EXPECT_FALSE(planned.is_refused()) << planned.to_text();
    EXPECT_NO_THROW(apply_to(next)) << planned.to_text();
    EXPECT_EQ(applied_version(database()), "1.1.0");
    EXPECT_TRUE(plan(database(), next).is_empty());
    return;
  }
  EXPECT_TRUE(planned.is_refused());
  EXPECT_NE(planned.to_text().find(change.refusal), std::string::npos) << planned.to_text();
  EXPECT_EQ(code_of([&] { apply_to(next); }), "data.migration_refused");
  EXPECT_NE(message_of([&] { apply_to(next); }).find(change.refusal), std::string::npos);
  EXPECT_EQ(applied_version(database()), "1.0.0");
  EXPECT_EQ(schema_of("t"), schema) << "nothing was changed";
}

INSTANTIATE_TEST_SUITE_P(
    Plans, ChangeTest,
    testing::Values(
        Change{"drop_field",
               plain_text + R"(,{"name":"b","type":"text"})",
               "b",
               {"x"},
               plain_text,
               "t.b: the field is not declared any more and 1 record"},
        Change{"drop_empty_field",
               plain_text + R"(,{"name":"b","type":"text"})",
               "",
               {},
               plain_text,
               "t.b"},
        Change{"change_type",
               plain_text,
               "a",
               {"1"},
               R"({"name":"a","type":"integer"})",
               "t.a: the type cannot change from text to integer"},
        Change{"text_to_choice",
               plain_text,
               "a",
               {"x"},
               R"({"name":"a","type":"choice","choices":["x"]})",
               "t.a: the type cannot change"},
        Change{"choice_to_text",
               R"({"name":"a","type":"choice","choices":["x"]})",
               "a",
               {"x"},
               plain_text,
               ""},
        Change{"required_new_field",
               plain_text,
               "a",
               {"x"},
               plain_text + R"(,{"name":"b","type":"text","required":true})",
               "t.b: the new field is required"},
        Change{"required_new_field_without_rows",
               plain_text,
               "",
               {},
               plain_text + R"(,{"name":"b","type":"text","required":true})",
               ""},
        Change{"required_with_default",
               plain_text,
               "a",
               {"x"},
               plain_text + R"(,{"name":"b","type":"integer","required":true,"default":1})",
               ""},
        Change{"becomes_required",
               plain_text,
               "a",
               {nullptr},
               R"({"name":"a","type":"text","required":true})",
               "t.a: the field is required now and 1 record"},
        Change{"becomes_required_all_filled",
               plain_text,
               "a",
               {"x"},
               R"({"name":"a","type":"text","required":true})",
               ""},
        Change{"shorter",
               plain_text,
               "a",
               {"abcdef"},
               R"({"name":"a","type":"text","max":5})",
               "t.a: 1 record would break the new bounds"},
        Change{"shorter_all_fit",
               plain_text,
               "a",
               {"abcde"},
               R"({"name":"a","type":"text","max":5})",
               ""},
        Change{"fewer_choices",
               R"({"name":"a","type":"choice","choices":["x","y"]})",
               "a",
               {"y"},
               R"({"name":"a","type":"choice","choices":["x"]})",
               "t.a: 1 record"},
        Change{"raised_minimum",
               R"({"name":"a","type":"integer"})",
               "a",
               {1},
               R"({"name":"a","type":"integer","min":2})",
               "t.a: 1 record"},
        Change{"described",
               plain_text,
               "a",
               {"x"},
               R"({"name":"a","type":"text","description":"New","hidden":true,"pattern":"x"})",
               ""},
        Change{"on_delete",
               R"({"name":"a","type":"reference","table":"t"})",
               "",
               {},
               R"({"name":"a","type":"reference","table":"t","on_delete":"cascade"})",
               ""},
        Change{"to_reference",
               plain_text,
               "a",
               {"x"},
               R"({"name":"a","type":"reference","table":"t"})",
               "t.a: the type cannot change"}),
    [](const auto& change) { return change.param.name; });

TEST_F(MigrateTest, ADroppedTableIsRefused) {
  apply_to(declare("1.0.0", table(plain_text)));
  insert("a", {"x"});
  const auto message = message_of([&] { apply_to(declare("1.1.0", R"({"tables":[]})")); });
  EXPECT_NE(message.find("t: the table is not declared any more and 1 record would be lost"),
            std::string::npos)
      << message;
  apply_to(declare("1.1.0", R"({"tables":[]})", {migration(1, "DROP TABLE t")}));
  EXPECT_EQ(number(database(), "SELECT count(*) FROM sqlite_schema WHERE name = 't'"), 0);
}

TEST_F(MigrateTest, NewUniquenessNeedsDistinctValues) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})")));
  insert("a, b", {"x", "1"});
  insert("a, b", {"x", "1"});
  insert("a", {nullptr});
  insert("a", {nullptr});
  const auto unique =
      declare("1.1.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})",
                             R"(,"indexes":[{"fields":["a","b"],"unique":true}])"));
  EXPECT_NE(message_of([&] { apply_to(unique); }).find("t.a, b: 1 values of (a, b)"),
            std::string::npos)
      << message_of([&] { apply_to(unique); });
  database().exec("UPDATE t SET b = rowid");
  apply_to(unique);
  EXPECT_EQ(code_of([&] { insert("a, b", {"x", "1"}); }), "data.unique");
}

}  // namespace
}  // namespace tenon::data::test
