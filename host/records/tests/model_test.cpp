#include "records/model/model.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "records/model/action.hpp"
#include "records/model/limits.hpp"
#include "records/query/filters.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records {
namespace {

TEST(Model, NamesTheLocationOfInvalidExpressions) {
  const auto tables = data::schema::parse_tables(R"({"tables":[{"name":"a","fields":[]},
    {"name":"b","rules":{"read":"unknown = 1","delete":"true and"},"fields":[
      {"name":"x","type":"text","rules":{"read":"x","write":"'a'"}},
      {"name":"y","type":"computed","expression":"z + 1"}]}]})");
  try {
    const Model model(tables, data::Dialect::sqlite);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "data.tables_invalid");
    std::string locations;
    for (const auto& field : error.fields())
      locations += field.field + " ";
    EXPECT_EQ(locations,
              "/tables/1/fields/0/rules/read "
              "/tables/1/fields/1/expression /tables/1/rules/read "
              "/tables/1/fields/0/rules/write /tables/1/rules/delete ");
  }
}

TEST(Model, NumbersTheParametersOfEachTable) {
  const auto tables = data::schema::parse_tables(R"({"tables":[{"name":"b",
    "rules":{"read":"x = 'r'","update":"x = 'u'"},"fields":[
      {"name":"x","type":"text","rules":{"read":"x = 'f'","write":"x = 'w'"}},
      {"name":"y","type":"computed","expression":"x + 'c'","reveals":true}]}]})");
  const Model model(tables, data::Dialect::sqlite);
  const TableModel& table = *model.find("b");
  EXPECT_NE(table.fields[0].read->sql.text.find("?1)"), std::string::npos);
  EXPECT_NE(table.fields[1].value.find("?2"), std::string::npos);
  EXPECT_NE(table.read->sql.text.find("?3)"), std::string::npos);
  EXPECT_EQ(table.read_slots.slots.size(), 3U);
  EXPECT_NE(table.fields[0].write->sql.text.find("?4)"), std::string::npos);
  EXPECT_NE(table.update->sql.text.find("?5)"), std::string::npos);
  EXPECT_EQ(table.write_slots.slots.size(), 5U);
  EXPECT_FALSE(table.create);
}

TEST(Actions, NameWhatIsWrong) {
  const auto tables = data::schema::parse_tables(R"({"tables":[{"name":"b","fields":[
      {"name":"x","type":"text","max":3,"hidden":true},{"name":"n","type":"integer"},
      {"name":"y","type":"computed","expression":"x + 'c'","reveals":true}]}]})");
  const Model model(tables, data::Dialect::sqlite);
  const auto fault = [&](Action::Kind kind, const char* table, const char* where,
                         const char* set = "{}") {
    try {
      check_action({kind, table, where, set}, model);
    } catch (const ActionFault& found) {
      return found.member;
    }
    return std::string("none");
  };
  using enum Action::Kind;
  EXPECT_EQ(fault(remove, "b", "x = 'a' and n > 1"), "none");
  EXPECT_EQ(fault(remove, "c", "true"), "table");
  EXPECT_EQ(fault(remove, "b", "z = 1"), "where");
  EXPECT_EQ(fault(remove, "b", "n + 1"), "where");
  EXPECT_EQ(fault(update, "b", "true", R"({"x":"abc","n":null})"), "none");
  EXPECT_EQ(fault(update, "b", "true"), "set");
  EXPECT_EQ(fault(update, "b", "true", R"({"z":1})"), "set.z");
  EXPECT_EQ(fault(update, "b", "true", R"({"x":"abcd"})"), "set.x");
  EXPECT_EQ(fault(update, "b", "true", R"({"n":"1"})"), "set.n");
  EXPECT_EQ(fault(update, "b", "true", R"({"y":"1"})"), "set.y");
  EXPECT_EQ(fault(update, "b", "true", R"({"id":"1"})"), "set.id");
}

TEST(Actions, CheckTheirTimes) {
  EXPECT_NO_THROW(check_times("*/5 * * * *", "Europe/Berlin"));
  EXPECT_NO_THROW(check_times("@daily", ""));
  EXPECT_THROW(check_times("61 * * * *", ""), ActionFault);
  EXPECT_THROW(check_times("@daily", "Europe/Nowhere"), ActionFault);
}

TEST(Filters, KeepThoseUsedLast) {
  const Model model(data::schema::parse_tables(test::planner_tables), data::Dialect::sqlite);
  const TableModel& cards = *model.find("cards");
  Filters filters;
  const auto text = [](std::size_t number) { return "count = " + std::to_string(number); };
  const auto first = filters.get(model, cards, text(0));
  for (std::size_t i = 1; i < max_cached_filters; ++i)
    filters.get(model, cards, text(i));
  EXPECT_EQ(filters.get(model, cards, text(0)), first);
  const auto second = filters.get(model, cards, text(1));
  filters.get(model, cards, text(0));
  for (std::size_t i = 0; i < max_cached_filters - 1; ++i)
    filters.get(model, cards, text(1000 + i));
  EXPECT_EQ(filters.size(), max_cached_filters);
  EXPECT_EQ(filters.get(model, cards, text(0)), first);
  EXPECT_NE(filters.get(model, cards, text(1)), second) << "it was used before all others";
}

}  // namespace
}  // namespace tenon::records
