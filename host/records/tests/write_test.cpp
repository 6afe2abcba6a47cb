#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "records/model/limits.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class WriteRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards", "boards", "labels", "news", "vaults", "tallies"})
      run("DELETE FROM " + std::string(table));
    run("INSERT INTO boards (id, name) VALUES ('" + id_of(90) + "', 'North')");
    run("INSERT INTO labels (id, name) VALUES ('" + id_of(81) + "', 'bug'), ('" + id_of(82) +
        "', 'late')");
    run("INSERT INTO vaults (id, word) VALUES ('" + id_of(70) + "', 'x')");
  }
  // Members in front of the closing brace; the owner is who sends it.
  static Reply create(const std::string& members, const std::string& user = "ada") {
    return send(
        "POST", "/cards", user,
        R"({"owner":")" + user_id(user) + "\"" + (members.empty() ? "" : ",") + members + "}");
  }
  static std::string refused(const std::string& members) { return problem(create(members)); }
  static std::string path(int number) { return "/cards/" + id_of(number); }
  static std::string numbered(int number, const std::string& more = {}) {
    return R"("id":")" + id_of(number) + R"(","title":"a")" + more;
  }
  static std::int64_t count(const std::string& from) {
    auto rows = database().query("SELECT count(*) FROM " + from);
    rows.next();
    return rows.integer(0);
  }
};

TENON_ON_BOTH_ENGINES(WriteRecords);

TEST_P(WriteRecords, StoreSentValuesAndSystemFields) {
  const Reply made = create(
      R"("title":"a","tags":["blue","red"],"labels":[")" + id_of(82) + R"(",")" + id_of(81) +
      R"("],"board":")" + id_of(90) +
      R"(","count":7,"price":1.5,"due":"2026-02-28","seen":"2026-02-28T10:00:00Z","public":true,)"
      R"("more":{"a":[1,null]},"password":"hush","code":"abc","note":"n")");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string where = made.field("location");
  EXPECT_EQ(where, "/api/planner/cards/" + member(made, "id").substr(1, 36));
  EXPECT_EQ(member(made, "labels"), "[\"" + id_of(82) + "\",\"" + id_of(81) + "\"]");
  EXPECT_EQ(member(made, "tags"), R"(["blue","red"])");
  EXPECT_EQ(member(made, "seen"), R"("2026-02-28T10:00:00.000Z")");
  EXPECT_EQ(member(made, "more"), R"({"a":[1,null]})");
  EXPECT_EQ(member(made, "state"), R"("open")") << "its default";
  EXPECT_EQ(member(made, "version"), "1");
  EXPECT_EQ(member(made, "created"), member(made, "updated"));
  EXPECT_EQ(member(made, "created_by"), "\"" + user_id("ada") + "\"");
  EXPECT_EQ(made.body.find("hush"), std::string::npos);
  EXPECT_EQ(count("cards WHERE password = 'hush'"), 1);
  const Reply shown = get(where.substr(12), "ada");
  EXPECT_EQ(shown.body, made.body);
  EXPECT_EQ(shown.field("etag"), made.field("etag"));
}

TEST_P(WriteRecords, DefaultUserIsWhoCreatesTheRecord) {
  const Reply made = send("POST", "/tallies", "ada", R"({"slug":"a"})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(member(made, "keeper"), "\"" + user_id("ada") + "\"");
  EXPECT_EQ(problem(send("POST", "/tallies", "ada",
                         R"({"slug":"b","keeper":")" + user_id("bob") + "\"}")),
            "403 records.forbidden keeper:forbidden")
      << "the rule applies to what a request sets";
  const Reply other =
      send("POST", "/tallies", "root", R"({"slug":"c","keeper":")" + user_id("bob") + "\"}");
  EXPECT_EQ(member(other, "keeper"), "\"" + user_id("bob") + "\"");
  EXPECT_EQ(problem(send("POST", "/tallies", "", R"({"slug":"d"})")),
            "422 records.validation keeper:required");
  EXPECT_EQ(problem(send("POST", "/tallies", "ada", R"({"slug":"e","keeper":null})")),
            "422 records.validation keeper:required");
}

TEST_P(WriteRecords, FieldThatNoCallbackSetIsRequired) {
  EXPECT_EQ(problem(send("POST", "/tallies", "ada", "{}")), "422 records.validation slug:required");
  EXPECT_EQ(problem(send("POST", "/tallies", "", "{}")),
            "422 records.validation keeper:required slug:required");
}

TEST_P(WriteRecords, IncrementAddsToTheValueOfTheRecord) {
  const std::string tally = "/tallies/" + id_of(5);
  ASSERT_EQ(send("POST", "/tallies", "ada", R"({"slug":"a","id":")" + id_of(5) + "\"}").status,
            201);
  const auto patch = [&](const std::string& body) { return send("PATCH", tally, "ada", body); };
  EXPECT_EQ(member(patch(R"({"count":{"increment":3}})"), "count"), "3") << "empty counts as 0";
  const Reply both = patch(R"({"count":{"increment":-5},"weight":{"increment":0.5},"slug":"b"})");
  EXPECT_EQ(member(both, "count"), "-2");
  EXPECT_EQ(member(both, "weight"), "0.5");
  EXPECT_EQ(member(both, "slug"), R"("b")");
  EXPECT_EQ(problem(patch(R"({"count":{"increment":13}})")),
            "422 records.validation count:too_large");
  EXPECT_EQ(problem(patch(R"({"count":{"increment":-4}})")),
            "422 records.validation count:too_small");
  EXPECT_EQ(member(patch(R"({"big":9223372036854775807})"), "big"), "9223372036854775807");
  EXPECT_EQ(problem(patch(R"({"big":{"increment":1}})")), "422 records.validation big:too_large");
  EXPECT_EQ(member(patch(R"({"big":{"increment":-9223372036854775807}})"), "big"), "0");
  EXPECT_EQ(patch(R"({"weight":1.7e308})").status, 200);
  EXPECT_EQ(problem(patch(R"({"weight":{"increment":1.7e308}})")),
            "422 records.validation weight:too_large");
  for (const char* const wrong : {R"({"increment":0.5})", R"({"increment":"1"})", R"({})",
                                  R"({"decrement":1})", R"({"increment":1,"more":1})"})
    EXPECT_EQ(problem(patch(std::string(R"({"count":)") + wrong + "}")),
              "422 records.validation count:type")
        << wrong;
  EXPECT_EQ(problem(patch(R"({"slug":{"increment":1}})")), "422 records.validation slug:type");
  EXPECT_EQ(problem(patch(R"({"secret":{"increment":1}})")),
            "422 records.validation secret:read_only");
  EXPECT_EQ(problem(send("POST", "/tallies", "ada", R"({"slug":"c","count":{"increment":1}})")),
            "422 records.validation count:type");
  const Reply batch = send("POST", "/tallies/batch", "ada",
                           R"({"update":[{"id":")" + id_of(5) + R"(","count":{"increment":1}}]})");
  EXPECT_EQ(batch.status, 200) << batch.body;
  EXPECT_EQ(member(get(tally, "ada"), "count"), "-1");
}

TEST_P(WriteRecords, IncrementNeedsTheRightToReadTheField) {
  const std::string tally = "/tallies/" + id_of(7);
  ASSERT_EQ(
      send("POST", "/tallies", "ada", R"({"slug":"a","score":9,"pin":3,"id":")" + id_of(7) + "\"}")
          .status,
      201)
      << "it may be set unseen";
  EXPECT_EQ(problem(send("PATCH", tally, "ada", R"({"score":{"increment":5}})")),
            "403 records.forbidden score:forbidden")
      << "and not 422, which would say that it is large";
  EXPECT_EQ(problem(send("PATCH", tally, "root", R"({"score":{"increment":5}})")),
            "422 records.validation score:too_large");
  EXPECT_EQ(member(send("PATCH", tally, "root", R"({"score":{"increment":1}})"), "score"), "10");
  EXPECT_EQ(problem(send("PATCH", tally, "root", R"({"pin":{"increment":1}})")),
            "422 records.validation pin:type");
  EXPECT_EQ(count("tallies WHERE pin = 3"), 1);
}

TEST_P(WriteRecords, ConcurrentIncrementsLoseNothing) {
  ASSERT_EQ(send("POST", "/tallies", "ada", R"({"slug":"a","id":")" + id_of(6) + "\"}").status,
            201);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([] {
      for (int k = 0; k < 5; ++k)
        send("PATCH", "/tallies/" + id_of(6), "ada", R"({"big":{"increment":1}})");
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  EXPECT_EQ(member(get("/tallies/" + id_of(6), "ada"), "big"), "20");
}

TEST_P(WriteRecords, EverythingThatIsWrongIsNamedAtOnce) {
  EXPECT_EQ(refused(R"("nothing":1,"created":"x","is_done":true,"file":"x","fixed":"x",)"
                    R"("state":"no","public":"yes","count":101,"price":"1","due":"2026-02-30",)"
                    R"("seen":"now","code":"A","tags":["red","red"],"labels":["x"],"board":")" +
                    id_of(99) + "\""),
            "422 records.validation nothing:unknown created:read_only is_done:read_only "
            "file:type fixed:read_only state:choice public:type count:too_large price:type "
            "due:type seen:type code:too_short code:pattern tags:duplicate labels:type "
            "title:required board:reference");
  EXPECT_EQ(refused(R"("title":")" + std::string(21, 'x') + R"(","count":-1,"id":"X")"),
            "422 records.validation title:too_long count:too_small id:type");
  EXPECT_EQ(refused(R"("title":null,"count":1.5,"tags":"red")"),
            "422 records.validation title:required count:type tags:type");
  EXPECT_EQ(refused(R"("title":true,"tags":["red",1,{}],"state":null)"),
            "422 records.validation title:type tags:type state:required");
  EXPECT_EQ(refused(R"("title":"a","vault":")" + id_of(70) + "\""),
            "422 records.validation vault:reference")
      << "it is there, and no user may see it";
  std::string many;
  for (std::size_t i = 0; i <= max_members; ++i)
    many += (i == 0 ? "\"" : ",\"") + id_of(static_cast<int>(i)) + "\"";
  EXPECT_EQ(refused(R"("title":"a","labels":[)" + many + "]"),
            "422 records.validation labels:too_long");
  EXPECT_EQ(problem(send("POST", "/cards", "ada", "[1]")), "400 records.bad_body");
  EXPECT_EQ(problem(send("POST", "/cards", "ada")), "400 records.bad_body");
  EXPECT_EQ(send("POST", "/cards", "ada", "{\"a\":1,").status, 400);
  EXPECT_EQ(refused(R"("title":"a\u0000b")"), "400 json.invalid");
  EXPECT_EQ(send("POST", "/cards", "ada", "\"" + std::string(max_body_bytes, 'x') + "\"").status,
            413);
  EXPECT_EQ(problem(send("POST", "/cards?x=1", "ada", "{}")), "400 records.bad_query x:invalid");
  EXPECT_EQ(count("cards"), 0);
}

TEST_P(WriteRecords, WhatMustBeUniqueIs) {
  EXPECT_EQ(create(numbered(1, R"(,"code":"ab")")).status, 201);
  EXPECT_EQ(refused(numbered(1)), "409 records.exists");
  EXPECT_EQ(refused(numbered(2, R"(,"code":"ab")")), "422 records.validation code:unique");
}

TEST_P(WriteRecords, StoreNothingThatRulesRefuse) {
  EXPECT_EQ(
      problem(send("POST", "/cards", "ada", R"({"title":"a","owner":")" + user_id("bob") + "\"}")),
      "403 records.forbidden");
  EXPECT_EQ(problem(send("POST", "/cards", "", R"({"title":"a"})")), "401 identity.signed_out");
  EXPECT_EQ(problem(send("POST", "/news", "", R"({"line":"a"})")), "401 identity.signed_out");
  EXPECT_EQ(problem(send("POST", "/boards", "ada", R"({"name":"a"})")), "403 records.forbidden");
  EXPECT_EQ(send("POST", "/boards", "root", R"({"name":"a"})").status, 201);
  EXPECT_EQ(refused(numbered(1, R"(,"state":"done","note":"n")")),
            "403 records.forbidden note:forbidden");
  EXPECT_EQ(count("cards"), 0);
  // An update is asked before and after.
  ASSERT_EQ(create(numbered(1, R"(,"public":true)")).status, 201);
  ASSERT_EQ(create(numbered(2)).status, 201);
  EXPECT_EQ(problem(send("PATCH", path(1), "bob", R"({"title":"b"})")), "403 records.forbidden");
  EXPECT_EQ(problem(send("PATCH", path(2), "bob", R"({"title":"b"})")), "404 records.not_found");
  EXPECT_EQ(problem(send("PATCH", path(1), "ada", R"({"owner":")" + user_id("bob") + "\"}")),
            "403 records.forbidden");
  EXPECT_EQ(problem(send("DELETE", path(1), "bob")), "403 records.forbidden");
  EXPECT_EQ(problem(send("DELETE", path(2), "bob")), "404 records.not_found");
  EXPECT_EQ(count("cards WHERE title = 'a' AND owner = '" + user_id("ada") + "'"), 2);
  // A field's rule is asked of the record before.
  EXPECT_EQ(send("PATCH", path(1), "ada", R"({"state":"done","note":"n"})").status, 200);
  EXPECT_EQ(problem(send("PATCH", path(1), "ada", R"({"note":"m"})")),
            "403 records.forbidden note:forbidden");
  EXPECT_EQ(problem(send("DELETE", path(1), "ada")), "403 records.forbidden") << "it is done";
  EXPECT_EQ(problem(send("DELETE", "/labels/" + id_of(81), "root")), "403 records.forbidden")
      << "there is no rule";
  EXPECT_EQ(send("DELETE", path(2), "ada").status, 204);
  EXPECT_EQ(count("cards"), 1);
}

TEST_P(WriteRecords, AChangeLeavesTheRestAsItWas) {
  ASSERT_EQ(create(numbered(1, R"(,"count":3,"price":2,"labels":[")" + id_of(81) + "\"]")).status,
            201);
  const Reply changed = send("PATCH", path(1), "ada",
                             R"({"price":null,"labels":[")" + id_of(82) + R"("],"title":"b"})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(member(changed, "title"), "\"b\"");
  EXPECT_EQ(member(changed, "count"), "3");
  EXPECT_EQ(member(changed, "price"), "null");
  EXPECT_EQ(member(changed, "labels"), "[\"" + id_of(82) + "\"]");
  EXPECT_EQ(member(changed, "version"), "2");
  EXPECT_EQ(problem(send("PATCH", path(1), "ada", R"({"id":"x","title":null})")),
            "422 records.validation id:read_only title:required");
  EXPECT_EQ(member(send("PATCH", path(1), "ada", "{}"), "version"), "3");
}

TEST_P(WriteRecords, AChangeOfWhatChangedMeanwhileIsRefused) {
  ASSERT_EQ(create(numbered(1, R"(,"public":true)")).status, 201);
  const std::string etag = get(path(1), "ada").field("etag");
  const auto change = [&](const std::string& method, const std::string& match) {
    return send(method, path(1), "ada", method == "PATCH" ? R"({"title":"b"})" : "",
                {{"If-Match", match}});
  };
  EXPECT_EQ(change("PATCH", etag).status, 200);
  const Reply conflict = change("PATCH", etag);
  EXPECT_EQ(problem(conflict), "412 records.conflict");
  EXPECT_EQ(member(conflict, "record"), get(path(1), "ada").body);
  EXPECT_EQ(problem(change("DELETE", etag)), "412 records.conflict");
  EXPECT_EQ(problem(change("DELETE", "\"nonsense\"")), "412 records.conflict");
  EXPECT_EQ(change("PATCH", "*").status, 200);
  EXPECT_EQ(change("PATCH", "\"9-x\", " + get(path(1), "ada").field("etag")).status, 200);
  // Without a version all of it counts.
  const std::string board = "/boards/" + id_of(90);
  const std::string before = get(board, "ada").field("etag");
  EXPECT_EQ(send("PATCH", board, "ada", R"({"name":"South"})", {{"If-Match", before}}).status, 200);
  EXPECT_EQ(problem(send("PATCH", board, "ada", R"({"name":"West"})", {{"If-Match", before}})),
            "412 records.conflict");
}

TEST_P(WriteRecords, WhatIsReferredToIsKept) {
  ASSERT_EQ(create(numbered(1, R"(,"board":")" + id_of(90) + "\"")).status, 201);
  EXPECT_EQ(problem(send("DELETE", "/boards/" + id_of(90), "root")), "409 data.reference");
}

TEST_P(WriteRecords, ApplyABatchAtomically) {
  ASSERT_EQ(create(numbered(1)).status, 201);
  ASSERT_EQ(create(numbered(2)).status, 201);
  const std::string owner = R"("owner":")" + user_id("ada") + "\",";
  const auto batch = [&](const std::string& text) {
    return send("POST", "/cards/batch", "ada", text);
  };
  const Reply done =
      batch(R"({"create":[{)" + owner + numbered(3) + "},{" + owner +
            numbered(4, R"(,"parent":")" + id_of(3) + "\"") + R"(}],"update":[{"id":")" + id_of(1) +
            R"(","title":"b"}],"delete":[")" + id_of(2) + "\"]}");
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(items(get("/cards", "ada")), "01 03 04");
  EXPECT_EQ(member(done, "delete"), "[\"" + id_of(2) + "\"]");
  EXPECT_NE(member(done, "update").find(R"("title":"b")"), std::string::npos);
  EXPECT_EQ(problem(batch(R"({"create":[{)" + owner + numbered(5) + "},{" + owner +
                          R"("title":1,"x":2}],"update":[{}],"delete":["?"]})")),
            "422 records.validation create/1/title:type create/1/x:unknown update/0/id:required "
            "delete/0:type");
  EXPECT_EQ(problem(batch(R"({"create":[{)" + owner + numbered(5) + R"(}],"delete":[")" + id_of(2) +
                          "\"]}")),
            "404 records.not_found delete/0:records.not_found");
  EXPECT_EQ(problem(batch(R"({"create":[{)" + owner + numbered(5) + "},{" + numbered(6) + "}]}")),
            "403 records.forbidden create/1:records.forbidden");
  EXPECT_EQ(problem(batch(R"({"create":[{)" + owner +
                          numbered(5, R"(,"board":")" + id_of(99) + "\"") + "}]}")),
            "422 records.validation create/0/board:reference");
  EXPECT_EQ(items(get("/cards", "ada")), "01 03 04") << "nothing of these was kept";
  std::string many;
  for (std::size_t i = 0; i <= max_batch; ++i)
    many += (i == 0 ? "\"" : ",\"") + id_of(10) + "\"";
  EXPECT_EQ(problem(batch(R"({"delete":[)" + many + "]}")), "400 records.bad_body");
  EXPECT_EQ(problem(batch(R"({"remove":[]})")), "400 records.bad_body");
  EXPECT_EQ(problem(batch(R"({"delete":{}})")), "400 records.bad_body");
}

}  // namespace
}  // namespace tenon::records::test
