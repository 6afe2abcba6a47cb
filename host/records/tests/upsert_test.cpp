#include <gtest/gtest.h>

#include "data/database.hpp"
#include "records/api/key.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class UpsertRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards", "boards", "labels"})
      run("DELETE FROM " + std::string(table));
    run("INSERT INTO boards (id, name) VALUES ('" + id_of(90) + "', 'North')");
  }
  static std::string owned(const std::string& members, const std::string& user) {
    return R"({"owner":")" + user_id(user) + "\"," + members + "}";
  }
  static Reply put(const std::string& members, const std::string& user = "ada",
                   const std::string& key = "code", const std::string& match = {}) {
    std::map<std::string, std::string> fields;
    if (!match.empty()) fields["If-Match"] = match;
    return send("PUT", "/cards?key=" + key, user, owned(members, user), fields);
  }
  static std::string refused(const std::string& members, const std::string& user = "ada",
                             const std::string& key = "code") {
    return problem(put(members, user, key));
  }
  static std::int64_t count(const std::string& from) {
    auto rows = database().query("SELECT count(*) FROM " + from);
    rows.next();
    return rows.integer(0);
  }
};

TENON_ON_BOTH_ENGINES(UpsertRecords);

TEST_P(UpsertRecords, MakesARecordOnceAndChangesItThen) {
  const Reply made = put(R"("code":"ab","title":"one","count":1)");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.field("location"), "/api/planner/cards/" + member(made, "id").substr(1, 36));
  const Reply changed = put(R"("code":"ab","title":"two")");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.field("location"), "");
  EXPECT_EQ(member(changed, "id"), member(made, "id"));
  EXPECT_EQ(member(changed, "title"), "\"two\"");
  EXPECT_EQ(member(changed, "count"), "1") << "what is not sent stays";
  EXPECT_EQ(member(changed, "version"), "2");
  EXPECT_EQ(changed.field("etag"),
            get("/cards/" + member(made, "id").substr(1, 36), "ada").field("etag"));
  EXPECT_EQ(count("cards"), 1);
  EXPECT_EQ(problem(put(R"("code":"ab","title":"x")", "ada", "code", made.field("etag"))),
            "412 records.conflict");
  EXPECT_EQ(put(R"("code":"ab","title":"x")", "ada", "code", changed.field("etag")).status, 200);
  EXPECT_EQ(problem(put(R"("code":"new","title":"x")", "ada", "code", "*")),
            "412 records.conflict");
  EXPECT_EQ(count("cards"), 1);
}

TEST_P(UpsertRecords, TheIdIsAKeyToo) {
  const std::string members = R"("id":")" + id_of(1) + R"(","title":"a")";
  EXPECT_EQ(put(members, "ada", "id").status, 201);
  EXPECT_EQ(put(members, "ada", "id").status, 200);
  EXPECT_EQ(refused(R"("title":"a")", "ada", "id"), "422 records.validation id:required");
  EXPECT_EQ(refused(members, "bob", "id"), "409 records.exists") << "it is ada's";
  EXPECT_EQ(put(members + R"(,"code":"ab")", "ada", "code").status, 409) << "the id is taken";
  ASSERT_EQ(put(R"("title":"a","code":"ab")").status, 201);
  EXPECT_EQ(refused(R"("title":"a","code":"ab","id":")" + id_of(2) + "\""),
            "422 records.validation id:read_only");
}

TEST_P(UpsertRecords, SeveralFieldsTogetherAreAKey) {
  const auto slot = [](const std::string& line, const std::string& location,
                       const std::string& key = "board,place") {
    return send(
        "PUT", "/slots?key=" + key, "ada",
        R"({"board":")" + id_of(90) + R"(","place":)" + location + R"(,"line":")" + line + "\"}");
  };
  EXPECT_EQ(slot("a", "1").status, 201);
  EXPECT_EQ(slot("b", "1", "place,board").status, 200);
  EXPECT_EQ(slot("c", "2").status, 201);
  EXPECT_EQ(count("slots WHERE line = 'b'"), 1);
  EXPECT_EQ(count("slots"), 2);
  EXPECT_EQ(problem(slot("a", "null")), "422 records.validation place:required")
      << "empty values are never the same";
  EXPECT_EQ(problem(slot("a", "1", "place")), "400 records.bad_query key:invalid");
}

TEST_P(UpsertRecords, RefusesAnInvisibleRecordAsCreateDoes) {
  ASSERT_EQ(put(R"("code":"ab","title":"hers")").status, 201);
  const std::string members = R"("code":"ab","title":"his")";
  const Reply created = send("POST", "/cards", "bob", owned(members, "bob"));
  const Reply upserted = put(members, "bob");
  EXPECT_EQ(problem(upserted), "422 records.validation code:unique");
  EXPECT_EQ(problem(upserted), problem(created));
  EXPECT_EQ(member(upserted, "errors"), member(created, "errors"));
  EXPECT_EQ(count("cards WHERE title = 'hers'"), 1);
}

TEST_P(UpsertRecords, BothRulesDecide) {
  ASSERT_EQ(put(R"("code":"ab","title":"a","public":true)").status, 201);
  EXPECT_EQ(refused(R"("code":"ab","title":"b")", "bob"), "403 records.forbidden") << "not bob's";
  EXPECT_EQ(problem(send("PUT", "/cards?key=code", "ada",
                         R"({"code":"cd","title":"a","owner":")" + user_id("bob") + "\"}")),
            "403 records.forbidden");
  EXPECT_EQ(problem(send("PUT", "/cards?key=code", "ada",
                         R"({"code":"ab","title":"a","owner":")" + user_id("bob") + "\"}")),
            "403 records.forbidden");
  EXPECT_EQ(count("cards WHERE title = 'a' AND owner = '" + user_id("ada") + "'"), 1);
  EXPECT_EQ(count("cards"), 1);
  EXPECT_EQ(problem(send("PUT", "/cards?key=code", "", "{}")), "401 identity.signed_out");
  // A field's rule of writing, before a change and after a create.
  EXPECT_EQ(put(R"("code":"ab","title":"a","state":"done")").status, 200);
  EXPECT_EQ(refused(R"("code":"ab","title":"a","note":"n")"),
            "403 records.forbidden note:forbidden");
  EXPECT_EQ(refused(R"("code":"cd","title":"a","note":"n","state":"done")"),
            "403 records.forbidden note:forbidden");
  // Only creating is allowed, and only changing.
  const auto label = [] { return send("PUT", "/labels?key=name", "ada", R"({"name":"bug"})"); };
  EXPECT_EQ(label().status, 201);
  EXPECT_EQ(problem(label()), "403 records.forbidden");
  EXPECT_EQ(
      send("PUT", "/boards?key=id", "ada", R"({"name":"South","id":")" + id_of(90) + "\"}").status,
      200);
  EXPECT_EQ(problem(send("PUT", "/boards?key=id", "ada",
                         R"({"name":"South","id":")" + id_of(91) + "\"}")),
            "403 records.forbidden");
}

TEST_P(UpsertRecords, WhatIsWrongIsNamed) {
  for (const char* key : {"", "title", "nothing", "secret", "code,title", "version", "tags",
                          "code,", "is_done", "code,code"})
    EXPECT_EQ(refused(R"("code":"ab","title":"a")", "ada", key),
              "400 records.bad_query key:invalid")
        << key;
  EXPECT_EQ(problem(send("PUT", "/cards", "ada", owned(R"("title":"a")", "ada"))),
            "400 records.bad_query key:invalid");
  EXPECT_EQ(problem(send("PUT", "/cards?key=code&x=1", "ada", "{}")),
            "400 records.bad_query x:invalid");
  EXPECT_EQ(problem(send("PUT", "/slots?key=hint", "ada", "{}")),
            "400 records.field_not_allowed key:not_allowed")
      << "whose it is depends on the record";
  EXPECT_EQ(refused(R"("code":null,"x":1)"),
            "422 records.validation x:unknown title:required code:required");
  EXPECT_EQ(refused(R"("code":"A","title":"a")"),
            "422 records.validation code:too_short code:pattern");
  EXPECT_EQ(refused(R"("code":"ab","title":"a","board":")" + id_of(99) + "\""),
            "422 records.validation board:reference");
  ASSERT_EQ(put(R"("code":"ab","title":"a")").status, 201);
  EXPECT_EQ(refused(R"("code":"ab","count":3)"), "422 records.validation title:required")
      << "whether there is one already";
  EXPECT_EQ(count("cards"), 1);
}

TEST_P(UpsertRecords, MayBePartOfABatch) {
  ASSERT_EQ(put(R"("code":"ab","title":"a")").status, 201);
  const auto batch = [](const std::string& key, const std::string& text) {
    return send("POST", "/cards/batch" + key, "ada", text);
  };
  const std::string two = R"({"upsert":[)" + owned(R"("code":"ab","title":"b")", "ada") + "," +
                          owned(R"("code":"cd","title":"c")", "ada") + "]}";
  const Reply done = batch("?key=code", two);
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(count("cards WHERE title IN ('b', 'c')"), 2);
  EXPECT_EQ(count("cards"), 2);
  const std::string records = member(done, "upsert");
  EXPECT_NE(records.find(R"("title":"b")"), std::string::npos);
  EXPECT_NE(records.find(R"("title":"c")"), std::string::npos);
  EXPECT_EQ(problem(batch("", two)), "400 records.bad_body");
  EXPECT_EQ(problem(batch("?key=title", two)), "400 records.bad_query key:invalid");
  EXPECT_EQ(problem(batch("?key=code", R"({"upsert":[{"title":"a"}]})")),
            "422 records.validation upsert/0/code:required");
  EXPECT_EQ(
      problem(batch("?key=code",
                    R"({"upsert":[)" + owned(R"("code":"xy","title":"a")", "ada") + "," +
                        owned(R"("code":"ab","title":"a","board":")" + id_of(99) + "\"", "ada") +
                        "]}")),
      "422 records.validation upsert/1/board:reference");
  EXPECT_EQ(count("cards"), 2) << "nothing of it was kept";
}

}  // namespace
}  // namespace tenon::records::test
