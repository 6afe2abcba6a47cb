#include <algorithm>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "records/model/limits.hpp"
#include "records/query/group_query.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class GroupRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards", "boards", "labels", "news", "vaults"})
      run("DELETE FROM " + std::string(table));
    run("INSERT INTO boards (id, name) VALUES ('" + id_of(90) + "', 'North')");
    add(1, "ada", "'open', 1, 10, 1.5, '2026-01-31', '" + id_of(90) + "'");
    add(2, "ada", "'done', 0, 20, 2.5, '2026-02-01', NULL");
    add(3, "bob", "'open', 1, 30, NULL, '2026-02-28', '" + id_of(90) + "'");
    add(4, "bob", "'open', 0, 40, 8, NULL, NULL");
  }
  static void add(int number, const std::string& owner, const std::string& values) {
    run("INSERT INTO cards (id, title, owner, secret, note, state, public, count, price, due, "
        "board) VALUES ('" +
        id_of(number) + "', 'Card', '" + user_id(owner) + "', 'hush', 'mine', " + values + ")");
  }
  // With ' for ".
  static std::string json(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
  }
  // Returns the items of the response, or its error.
  static std::string groups(const std::string& query, const std::string& user = "ada") {
    const Reply reply = get("/cards?" + query, user);
    return reply.status == 200 ? member(reply, "items") : problem(reply);
  }
};

TENON_ON_BOTH_ENGINES(GroupRecords);

TEST_P(GroupRecords, CountsAndSumsWhatItsReaderSees) {
  EXPECT_EQ(groups("group=state"), json("[{'state':'done','count':1},{'state':'open','count':2}]"));
  EXPECT_EQ(groups("group=state&agg=count,sum(count)", "bob"),
            json("[{'state':'open','count':3,'sum(count)':80}]"))
      << "the done one is ada's";
  EXPECT_EQ(groups("group=state&agg=sum(count)", "root"),
            json("[{'state':'done','sum(count)':20},{'state':'open','sum(count)':80}]"));
  EXPECT_EQ(groups("agg=count,count(price),sum(price),avg(price),avg(count),min(due),max(due)"),
            json("[{'count':3,'count(price)':2,'sum(price)':4,'avg(price)':2,'avg(count)':20,"
                 "'min(due)':'2026-01-31','max(due)':'2026-02-28'}]"));
  EXPECT_EQ(groups("agg=count,sum(count),avg(count),max(due)&filter=false"),
            json("[{'count':0,'sum(count)':null,'avg(count)':null,'max(due)':null}]"));
  EXPECT_EQ(groups("group=state&filter=false"), "[]");
  EXPECT_EQ(groups("agg=count&filter=" + encoded("count > 10")), json("[{'count':2}]"));
  EXPECT_EQ(get("/cards?agg=count", "ada").body, json("{'items':[{'count':3}],'more':false}"));
}

TEST_P(GroupRecords, GroupsByEveryKindOfField) {
  EXPECT_EQ(groups("group=public,state", "root"),
            json("[{'public':false,'state':'done','count':1},{'public':false,'state':'open',"
                 "'count':1},{'public':true,'state':'open','count':2}]"));
  EXPECT_EQ(groups("group=board"),
            json("[{'board':null,'count':1},{'board':'" + id_of(90) + "','count':2}]"));
  EXPECT_EQ(groups("group=owner&agg=max(title)&filter=" + encoded("owner = @user")),
            json("[{'owner':'" + user_id("ada") + "','max(title)':'Card'}]"));
  EXPECT_EQ(groups("group=year(due),month(due)", "root"),
            json("[{'year(due)':null,'month(due)':null,'count':1},{'year(due)':2026,'month(due)':1,"
                 "'count':1},{'year(due)':2026,'month(due)':2,'count':2}]"));
  EXPECT_EQ(groups("group=day(due)&sort=-day(due)&limit=1"), json("[{'day(due)':31,'count':1}]"));
}

TEST_P(GroupRecords, AreSortedAndCut) {
  EXPECT_EQ(groups("group=state&agg=count&sort=-count"),
            json("[{'state':'open','count':2},{'state':'done','count':1}]"));
  EXPECT_EQ(groups("group=count&agg=max(price)&sort=-max(price),-count", "root"),
            json("[{'count':40,'max(price)':8},{'count':20,'max(price)':2.5},"
                 "{'count':10,'max(price)':1.5},{'count':30,'max(price)':null}]"));
  EXPECT_EQ(get("/cards?group=count&agg=min(count)&limit=1", "ada").body,
            json("{'items':[{'count':10,'min(count)':10}],'more':true}"));
}

TEST_P(GroupRecords, ReportsSumBeyond64Bits) {
  run("INSERT INTO cards (id, title, public, rank) VALUES ('" + id_of(5) +
      "', 'a', 1, 9223372036854775807), ('" + id_of(6) + "', 'a', 1, 1)");
  EXPECT_EQ(groups("agg=sum(rank)"), "422 records.overflow");
  EXPECT_EQ(groups("agg=avg(rank)&filter=" + encoded("rank = 1")), json("[{'avg(rank)':1}]"));
  EXPECT_EQ(groups("agg=max(rank)"), json("[{'max(rank)':9223372036854775807}]"));
}

TEST_P(GroupRecords, ProbeNothing) {
  const auto not_allowed = [](const std::string& parameter) {
    return "400 records.field_not_allowed " + parameter + ":not_allowed";
  };
  EXPECT_EQ(groups("group=note"), not_allowed("group"));
  EXPECT_EQ(groups("agg=count(note)"), not_allowed("agg"));
  EXPECT_EQ(groups("agg=count&filter=" + encoded("note = 'mine'")), not_allowed("filter"));
  for (const char* name : {"secret", "nothing", "", "tags", "labels", "more", "file", "is_done",
                           "rowid", "month(title)", "month(secret)", "month(due", "week(due)",
                           "month(board.due)", "state%22", "state,state", "lower(title)"})
    EXPECT_EQ(groups("group=" + std::string(name)), "400 records.bad_query group:invalid") << name;
  for (const char* name :
       {"", "sum", "sum()", "sum(title)", "sum(secret)", "avg(public)", "max(owner)", "max(public)",
        "total(count)", "count,count", "count(*)", "count()", "sum(count", "min(tags)",
        "sum(count)+1", "group_concat(title)"})
    EXPECT_EQ(groups("agg=" + encoded(name)), "400 records.bad_query agg:invalid") << name;
  for (const char* name : {"price", "count,count", "-", "state,-state", "rowid"})
    EXPECT_EQ(groups("group=state&sort=" + std::string(name)), "400 records.bad_query sort:invalid")
        << name;
  for (const char* name : {"fields", "expand", "cursor", "x"})
    EXPECT_EQ(groups("group=state&" + std::string(name) + "=title"),
              "400 records.bad_query " + std::string(name) + ":invalid");
  EXPECT_EQ(groups("agg=count&filter=" + encoded("secret = 'hush'")),
            "422 expression.invalid filter:invalid");
  EXPECT_EQ(groups("agg=count", ""), "401 identity.signed_out");
  EXPECT_EQ(problem(get("/labels/" + id_of(1) + "?agg=count", "ada")),
            "400 records.bad_query agg:invalid");
}

TEST_P(GroupRecords, TheirLimitsHold) {
  EXPECT_EQ(groups("group=state,public,rank,price,due"), "400 records.bad_query group:invalid");
  EXPECT_EQ(get("/cards?group=state,public,rank,price", "ada").status, 200) << max_group_keys;
  const std::string full_list =
      "count,min(count),max(count),sum(count),avg(count),min(price),max(price),sum(price),avg("
      "price),min(due)";
  EXPECT_EQ(get("/cards?agg=" + full_list, "ada").status, 200) << max_aggregates;
  EXPECT_EQ(groups("agg=" + full_list + ",max(due)"), "400 records.bad_query agg:invalid");
  EXPECT_EQ(groups("agg=count&limit=" + std::to_string(max_groups)), R"([{"count":3}])");
  EXPECT_EQ(groups("agg=count&limit=" + std::to_string(max_groups + 1)),
            "400 records.bad_query limit:invalid");
  run("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) INSERT INTO cards (id, "
      "title, public, rank) SELECT " +
      id_sql("500000 + i") + ", 'c', 1, i FROM n LIMIT " + std::to_string(default_groups + 1));
  const std::string all = get("/cards?group=rank", "ada").body;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = all.find("{\"rank\"", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, default_groups);
  EXPECT_TRUE(all.ends_with(R"("more":true})"));
}

}  // namespace
}  // namespace tenon::records::test
