#include <random>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "identity/users/permissions.hpp"
#include "records/query/dialect.hpp"
#include "records/query/list_query.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class Paging : public RecordsFixture {
 protected:
  void SetUp() override { run("DELETE FROM cards"); }

  static std::string next_of(const Reply& reply) {
    const std::string next = member(reply, "next");
    return next == "null" ? "" : next.substr(1, next.size() - 2);
  }
  static std::string ids_by(const std::string& sql) {
    std::string ids;
    auto rows = database().query(sql);
    while (rows.next())
      ids += (ids.empty() ? "" : " ") + std::string(rows.text(0).substr(34));
    return ids;
  }
  static void fill(std::mt19937& random) {
    const auto pick = [&](auto... values) -> std::string {
      const char* const list[] = {values...};
      return list[random() % sizeof...(values)];
    };
    for (int i = 10; i < 60; ++i) {
      run("INSERT INTO cards (id, title, public, rank, count, price, due, state) VALUES ('" +
          id_of(i) + "', " + pick("'a'", "'b'", "''", "'\xC3\xA4'") + ", " + pick("0", "1") + ", " +
          pick("-5", "0", "9007199254740993") + ", " + pick("NULL", "1", "2") + ", " +
          pick("NULL", "0.1", "1e300", "-3", "-0.0") + ", " +
          pick("NULL", "'2026-01-01'", "'2025-12-31'") + ", " + pick("'open'", "'done'") + ")");
    }
  }
};

TENON_ON_BOTH_ENGINES(Paging);

TEST_P(Paging, ReturnsEveryRecordOnceInOrder) {
  std::mt19937 random(20261122);
  fill(random);
  const std::vector<std::string> fields = {"title", "public", "rank", "count",   "price",
                                           "due",   "state",  "id",   "created", "version"};
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> left = fields;
    std::shuffle(left.begin(), left.end(), random);
    std::string sort;
    std::string order;
    std::string last;
    for (std::size_t i = 0, keys = random() % 5; i < keys; ++i) {
      last = random() % 2 == 0 ? " DESC" : "";
      sort += (i == 0 ? "" : ",") + std::string(last.empty() ? "" : "-") + left[i];
      order += left[i] + std::string(dialect::order(GetParam(), !last.empty())) + ", ";
    }
    const std::string limit = std::to_string(1 + random() % 20);
    std::string path = "/cards?limit=" + limit + (sort.empty() ? "" : "&sort=" + sort);
    std::string found;
    std::string cursor;
    int pages = 0;
    do {
      const Reply page = get(path + (cursor.empty() ? "" : "&cursor=" + cursor), "root");
      ASSERT_EQ(page.status, 200) << page.body;
      found += (found.empty() ? "" : " ") + items(page);
      cursor = next_of(page);
      ASSERT_LT(++pages, 60);
    } while (!cursor.empty());
    EXPECT_EQ(found, ids_by("SELECT id FROM cards ORDER BY " + order + "rowid" + last)) << sort;
  }
}

TEST_P(Paging, ACursorFitsItsListAlone) {
  std::mt19937 random(7);
  fill(random);
  const Reply page = get("/cards?limit=5&sort=rank", "root");
  const std::string cursor = "&cursor=" + next_of(page);
  EXPECT_EQ(get("/cards?limit=9&sort=rank" + cursor, "root").status, 200);
  for (const char* other : {"/cards?sort=-rank", "/cards?sort=rank,title", "/cards?limit=5",
                            "/boards?limit=5", "/cards?sort=rank&filter=true"})
    EXPECT_EQ(problem(get(other + cursor, "root")), "400 records.bad_cursor") << other;
  // With the admin's cursor bob continues where the admin was, with the records that he sees
  // himself.
  run("UPDATE cards SET public = 0");
  EXPECT_EQ(items(get("/cards?sort=rank" + cursor, "bob")), "");
}

TEST_P(Paging, AnIndexedFieldIsSearchedAndNotSorted) {
  if (GetParam() != data::Dialect::sqlite)
    GTEST_SKIP() << "PostgreSQL plans by how many records there are";
  const auto model =
      std::make_shared<const Model>(data::schema::parse_tables(planner_tables), GetParam());
  const identity::Permissions permissions;
  const TableContext table_context{
      model, *model->find("cards"), "/api/planner/cards", nullptr, permissions, users(), {}};
  const expression::Context context("u", {}, 0, {});
  for (const char* sort : {"rank", "-rank", "-id", ""}) {
    ListQuery query =
        read_list_query(table_context, "fields=title&sort=" + std::string(sort), context);
    query.after.assign(query.sort.keys.size(), std::int64_t{0});
    query.after.emplace_back(std::int64_t{5});
    const Statement page = page_statement(table_context, query, context, Visibility::some);
    std::string plan;
    auto rows = database().query("EXPLAIN QUERY PLAN " + page.sql, page.cells);
    while (rows.next())
      plan += std::string(rows.text(3)) + "\n";
    EXPECT_TRUE(plan.starts_with("SEARCH t USING")) << page.sql << "\n" << plan;
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
  }
}

TEST_P(Paging, StopsAtValuesThatFitNoCursor) {
  for (int i = 10; i < 12; ++i)
    run("INSERT INTO boards (id, name) VALUES ('" + id_of(i) + "', '" + std::string(5000, 'x') +
        "')");
  EXPECT_EQ(problem(get("/boards?limit=1&sort=name", "root")),
            "400 records.bad_query sort:invalid");
  EXPECT_EQ(items(get("/boards?limit=2&sort=name", "root")), "10 11");
  run("DELETE FROM boards");
}

}  // namespace
}  // namespace tenon::records::test
