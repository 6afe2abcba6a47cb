#include <gtest/gtest.h>

#include "base/error.hpp"
#include "data/database.hpp"
#include "engines/tests/support.hpp"
#include "identity/users/permissions.hpp"
#include "records/query/list_query.hpp"
#include "records/service/writer.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class ReadRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards", "boards", "labels", "news", "vaults"})
      run("DELETE FROM " + std::string(table));
    run("INSERT INTO boards (id, name, pin, plan) VALUES ('" + id_of(90) +
        "', 'North', '4711', 'x')");
    run("INSERT INTO labels (id, name) VALUES ('" + id_of(81) + "', 'bug'), ('" + id_of(82) +
        "', 'late')");
    add(1, "ada", "true");
    add(2, "ada", "false");
    add(3, "bob", "true");
    add(4, "bob", "false");
    run("INSERT INTO cards__labels (record, target, position) VALUES ('" + id_of(1) + "', '" +
        id_of(82) + "', 0), ('" + id_of(1) + "', '" + id_of(81) + "', 1)");
  }
  static void add(int number, const std::string& owner, const std::string& is_public) {
    run("INSERT INTO cards (id, title, public, owner, board, secret, note, tags, more, count, "
        "price) "
        "VALUES ('" +
        id_of(number) + "', 'Card " + std::to_string(number) + "', " + is_public + ", '" +
        user_id(owner) + "', '" + id_of(90) +
        "', 'hush', 'mine', '[\"red\",\"blue\"]', '{\"a\":[1]}', " + std::to_string(number * 10) +
        ", 1.5)");
  }
  static std::string filter(const std::string& text, const std::string& user = "ada") {
    const Reply reply = get("/cards?filter=" + encoded(text), user);
    return reply.status == 200 ? items(reply) : problem(reply);
  }
};

TENON_ON_BOTH_ENGINES(ReadRecords);

TEST_P(ReadRecords, EverybodySeesWhatTheRuleLetsThem) {
  EXPECT_EQ(items(get("/cards", "ada")), "01 02 03");
  EXPECT_EQ(items(get("/cards", "bob")), "01 03 04");
  EXPECT_EQ(items(get("/cards", "root")), "01 02 03 04");
  EXPECT_EQ(member(get("/cards?count=true", "ada"), "total"), "3") << "others' are not counted";
  EXPECT_EQ(member(get("/cards?count=true&limit=1", "root"), "total"), "4");
  EXPECT_EQ(member(get("/cards", "ada"), "total"), "none");
  EXPECT_EQ(problem(get("/cards")), "401 identity.signed_out");
  EXPECT_EQ(get("/cards/" + id_of(2), "ada").status, 200);
  EXPECT_EQ(problem(get("/cards/" + id_of(2), "bob")), "404 records.not_found");
  EXPECT_EQ(problem(get("/cards/" + id_of(99), "ada")), "404 records.not_found");
  EXPECT_EQ(problem(get("/cards/x'%20or%20'1'='1", "root")), "404 records.not_found");
  EXPECT_EQ(get("/vaults", "root").status, 404) << "it is not published";
}

TEST_P(ReadRecords, ReturnsAnEmptyListWithoutGroups) {
  run("DELETE FROM shifts");
  run("INSERT INTO shifts (id, title, crew) VALUES ('" + id_of(71) + "', 'Early', '" + id_of(50) +
      "')");
  const std::string record = "/shifts/" + id_of(71);
  EXPECT_EQ(get("/shifts?count=true", "ada").body, R"({"items":[],"next":null,"total":0})");
  EXPECT_EQ(get("/shifts?expand=crew&sort=title", "ada").status, 400) << "groups are not expanded";
  EXPECT_EQ(items(get("/shifts?q=early", "ada")), "");
  EXPECT_EQ(items(get("/shifts?q=early&sort=title&filter=" + encoded("title = 'Early'"), "ada")),
            "");
  EXPECT_EQ(get("/shifts?agg=count", "ada").body, R"({"items":[{"count":0}],"more":false})");
  EXPECT_EQ(get("/shifts?group=title&agg=count", "ada").body, R"({"items":[],"more":false})");
  EXPECT_EQ(get("/shifts/export?format=json", "ada").body.find("Early"), std::string::npos);
  EXPECT_EQ(get("/shifts/export?format=json", "ada").status, 200);
  EXPECT_EQ(problem(get(record, "ada")), "404 records.not_found");
  EXPECT_EQ(problem(get(record + "/sheet", "ada")), "404 records.not_found");
  EXPECT_EQ(problem(send("PATCH", record, "ada", R"({"title":"x"})")), "404 records.not_found");
  EXPECT_EQ(problem(send("DELETE", record, "ada")), "404 records.not_found");
  const Reply made = send("POST", "/shifts", "ada", R"({"title":"Late"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(member(made, "title"), "none") << "its id alone";
  EXPECT_EQ(problem(get("/shifts")), "401 identity.signed_out");
}

TEST_P(ReadRecords, AMissingPermissionIsRefusedInAnyGroup) {
  EXPECT_EQ(problem(get("/vans", "ada")), "403 records.forbidden");
  EXPECT_EQ(problem(get("/vans/" + id_of(1), "ada")), "403 records.forbidden");
  EXPECT_EQ(problem(get("/vans/export", "ada")), "403 records.forbidden");
  EXPECT_EQ(items(get("/vans", "root")), "") << "the permission is held, and there is no group";
}

TEST_P(ReadRecords, AnonymousRequestsReachOnlyPublicRecords) {
  run("INSERT INTO news (id, shown) VALUES ('" + id_of(1) + "', 1), ('" + id_of(2) + "', 0)");
  EXPECT_EQ(items(get("/news")), "01");
  EXPECT_EQ(get("/news/" + id_of(2)).status, 404);
  EXPECT_EQ(items(get("/news", "ada")), "01");
}

TEST_P(ReadRecords, ARecordHasItsFieldsAsJson) {
  const Reply card = get("/cards/" + id_of(1), "ada");
  EXPECT_EQ(member(card, "title"), "\"Card 1\"");
  EXPECT_EQ(member(card, "public"), "true");
  EXPECT_EQ(member(card, "tags"), R"(["red","blue"])");
  EXPECT_EQ(member(card, "labels"), "[\"" + id_of(82) + "\",\"" + id_of(81) + "\"]");
  EXPECT_EQ(member(card, "more"), R"({"a":[1]})");
  EXPECT_EQ(member(card, "is_done"), "false");
  EXPECT_EQ(member(card, "shout"), "\"CARD 1!\"");
  EXPECT_EQ(member(card, "price"), "1.5");
  EXPECT_EQ(member(card, "due"), "null");
  EXPECT_EQ(member(card, "version"), "1");
  EXPECT_EQ(member(card, "note"), "\"mine\"");
  EXPECT_EQ(member(get("/cards/" + id_of(1), "bob"), "note"), "null") << "its rule";
  EXPECT_EQ(member(get("/cards/" + id_of(2), "ada"), "labels"), "[]");
  EXPECT_EQ(get("/cards/" + id_of(1) + "?fields=title,count", "ada").body,
            "{\"id\":\"" + id_of(1) + "\",\"title\":\"Card 1\",\"count\":10}");
  EXPECT_EQ(get("/cards?fields=count&limit=1", "ada").body,
            "{\"items\":[{\"id\":\"" + id_of(1) + "\",\"count\":10}],\"next\":" +
                member(get("/cards?fields=count&limit=1", "ada"), "next") + "}");
}

TEST_P(ReadRecords, HiddenFieldsAreNowhere) {
  for (const char* user : {"ada", "bob", "root"}) {
    for (const std::string& path :
         {std::string("/cards"), "/cards/" + id_of(1), std::string("/boards")}) {
      const Reply reply = get(path, user);
      EXPECT_EQ(reply.status, 200);
      for (const char* word : {"hush", "secret", "4711", "pin"})
        EXPECT_EQ(reply.body.find(word), std::string::npos) << path << " " << word;
    }
  }
  EXPECT_EQ(problem(get("/cards?fields=secret", "root")), "400 records.bad_query fields:invalid");
  EXPECT_EQ(problem(get("/cards?sort=secret", "root")), "400 records.bad_query sort:invalid");
  EXPECT_EQ(filter("secret like 'h%'", "root"), "422 expression.invalid filter:invalid");
  EXPECT_EQ(filter("board.pin = '4711'", "root"), "422 expression.invalid filter:invalid");
}

TEST_P(ReadRecords, AFilterProbesNothing) {
  EXPECT_EQ(filter("count > 10"), "02 03");
  EXPECT_EQ(filter("count > 10", "bob"), "03 04");
  EXPECT_EQ(filter("count > 10 or true"), "01 02 03");
  EXPECT_EQ(filter("board.name = 'North' and labels.name = 'bug'"), "01");
  EXPECT_EQ(filter("labels = null"), "02 03");
  EXPECT_EQ(filter("owner = @user"), "01 02");
  // Its rule depends on the record.
  EXPECT_EQ(filter("note = 'mine'"), "400 records.field_not_allowed filter:not_allowed");
  EXPECT_EQ(problem(get("/cards?sort=note", "ada")),
            "400 records.field_not_allowed sort:not_allowed");
  // Its rule depends on who asks.
  EXPECT_EQ(filter("board.plan = 'x'"), "400 records.field_not_allowed filter:not_allowed");
  EXPECT_EQ(filter("board.plan = 'x'", "root"), "01 02 03 04");
  // Records of another table, and others of the same, that the reader may not see.
  EXPECT_EQ(filter("vault.word = 'x'", "root"), "400 records.field_not_allowed filter:not_allowed");
  EXPECT_EQ(filter("parent.title = 'x'"), "400 records.field_not_allowed filter:not_allowed");
  EXPECT_EQ(filter("parent = null"), "01 02 03");
  EXPECT_EQ(filter("vault = null"), "01 02 03");
}

TEST_P(ReadRecords, WhatIsWrongIsNamed) {
  const auto refused = [](const std::string& query) {
    return problem(get("/cards?" + query, "ada"));
  };
  EXPECT_EQ(refused("limits=1"), "400 records.bad_query limits:invalid");
  for (const char* limit : {"0", "201", "-1", "x", "", "1e2", "99999999999999999999"})
    EXPECT_EQ(refused("limit=" + std::string(limit)), "400 records.bad_query limit:invalid");
  EXPECT_EQ(get("/cards?limit=200", "ada").status, 200);
  EXPECT_EQ(refused("count=1"), "400 records.bad_query count:invalid");
  EXPECT_EQ(refused("sort=title,-title"), "400 records.bad_query sort:invalid");
  EXPECT_EQ(refused("sort=id,title,count,price,due"), "400 records.bad_query sort:invalid");
  for (const char* field :
       {"tags", "labels", "more", "file", "is_done", "rowid", "nothing", "", "--title"})
    EXPECT_EQ(refused("sort=title," + std::string(field)), "400 records.bad_query sort:invalid")
        << field;
  EXPECT_EQ(refused("fields=title,title"), "400 records.bad_query fields:invalid");
  EXPECT_EQ(refused("fields="), "400 records.bad_query fields:invalid");
  EXPECT_EQ(problem(get("/cards/" + id_of(1) + "?filter=true", "ada")),
            "400 records.bad_query filter:invalid");
  EXPECT_EQ(filter("titel = 'x'"), "422 expression.invalid filter:invalid");
  EXPECT_EQ(filter(std::string("title = 'a\0b'", 13)), "422 expression.invalid filter:invalid");
  EXPECT_EQ(filter("title = '" + std::string(5000, 'x') + "'"),
            "422 expression.invalid filter:invalid");
  for (const char* cursor : {"x", "AAAA", "%00", "a'b", "W10"})
    EXPECT_EQ(refused("cursor=" + std::string(cursor)), "400 records.bad_cursor") << cursor;
}

TEST_P(ReadRecords, SqlInAParameterIsOnlyText) {
  const std::string sql = encoded("title\"; DROP TABLE cards; --' OR 1=1");
  for (const char* name : {"filter", "sort", "fields", "limit", "cursor", "count", "x"}) {
    const Reply reply = get("/cards?" + std::string(name) + "=" + sql, "ada");
    EXPECT_TRUE(reply.status == 400 || reply.status == 422) << name << " " << reply.body;
  }
  EXPECT_EQ(filter("title = '''; DROP TABLE cards; --'"), "");
  EXPECT_EQ(items(get("/cards", "root")), "01 02 03 04");
}

// The parser's stack must do for the largest filter inside of this room's statements.
TEST_P(ReadRecords, TheDeepestFilterStillParses) {
  std::string sum = "count";
  for (int depth = 0; depth < 40; ++depth) {
    std::string deeper = "1 / (" + sum + ")";
    const Reply reply =
        get("/cards?count=true&sort=-count,title&filter=" + encoded(deeper + " > 0"), "ada");
    if (reply.status != 200) {
      EXPECT_EQ(problem(reply), "422 expression.invalid filter:invalid");
      EXPECT_GT(depth, 4);
      return;
    }
    sum = std::move(deeper);
  }
  FAIL() << "no bound";
}

TEST_P(ReadRecords, TheDeepestRulesStillParse) {
  const std::pair<std::string, std::string> shapes[] = {
      {"1 / (", ")"}, {"if(name = 'a', 1, ", ")"}, {"length(name) - (", ")"}};
  const identity::Permissions permissions;
  const expression::Context context("u", {}, 0, {});
  for (const auto& [open, close] : shapes) {
    std::string value = "length(name)";
    std::shared_ptr<const Model> model;
    int depth = 0;
    for (; depth < 40; ++depth) {
      const std::string rule = value + " < 1000";
      try {
        model = std::make_shared<const Model>(
            data::schema::parse_tables(
                R"({"tables":[{"name":"boards","rules":{"read":")" + rule + R"(","update":")" +
                rule + R"("},"fields":[{"name":"name","type":"text","rules":{"read":")" + rule +
                R"(","write":")" + rule + "\"}}]}]}"),
            GetParam());
      } catch (const base::Error&) {
        break;
      }
      value = open + value + close;
    }
    EXPECT_GT(depth, 4);
    ASSERT_LT(depth, 40);
    const TableModel& table = *model->find("boards");
    const TableContext table_context{model,   table, "/api/planner/boards", nullptr, permissions,
                                     users(), {}};
    const ListQuery query =
        read_list_query(table_context, "sort=-id&filter=id%20!%3D%20null", context);
    const Statement page = page_statement(table_context, query, context, Visibility::some);
    EXPECT_TRUE(database().query(page.sql, page.cells).next()) << open;
    data::Transaction transaction = database().begin(data::Mode::write);
    Writer writer(table_context, context, transaction);
    EXPECT_EQ(data::test::code_of([&] {
                writer.update(id_of(90),
                              read_body(table, base::JsonSlice(R"({"name":"b"})"), Kind::update),
                              {});
              }),
              "none")
        << data::test::last_detail();
  }
}

TEST_P(ReadRecords, DoesNotSendAnUnchangedResponseAgain) {
  const Reply first = get("/cards/" + id_of(1), "ada");
  const std::string etag = first.field("etag");
  ASSERT_TRUE(etag.starts_with("\"1-")) << etag;
  const auto again = [&](const std::string& user) {
    return send("GET", "/cards/" + id_of(1), user, {}, {{"If-None-Match", etag}});
  };
  EXPECT_EQ(again("ada").status, 304);
  EXPECT_EQ(again("ada").body, "");
  EXPECT_EQ(again("bob").status, 200) << "he sees less of it";
  run("UPDATE cards SET title = 'Other' WHERE id = '" + id_of(1) + "'");
  EXPECT_EQ(again("ada").status, 200);
  EXPECT_EQ(send("HEAD", "/cards/" + id_of(1), "ada").status, 200);
}

}  // namespace
}  // namespace tenon::records::test
