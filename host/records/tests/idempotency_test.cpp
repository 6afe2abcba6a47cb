#include "records/service/idempotency.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "engines/tests/support.hpp"
#include "records/model/limits.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class RepeatRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"slots", "cards", "boards", "labels", "news"})
      run("DELETE FROM " + std::string(table));
    if (has_table("tenon_idempotency")) as_host("DELETE FROM tenon_idempotency");
  }
  static void as_host(const std::string& sql) {
    database().write([&](data::Transaction& transaction) { transaction.exec_as_host(sql); });
  }
  static std::int64_t count(const std::string& from) {
    auto rows = database().query("SELECT count(*) FROM " + from);
    rows.next();
    return rows.integer(0);
  }
  static std::string card(const std::string& title, const std::string& user = "ada") {
    return R"({"owner":")" + user_id(user) + R"(","title":")" + title + "\"}";
  }
  static Reply post(const std::string& key, const std::string& body,
                    const std::string& user = "ada", const std::string& path = "/cards") {
    return send("POST", path, user, body, {{"Idempotency-Key", key}});
  }
};

TENON_ON_BOTH_ENGINES(RepeatRecords);

TEST_P(RepeatRecords, GetTheSameResponseWhenRepeated) {
  const Reply first = post("\"one\"", card("a"));
  ASSERT_EQ(first.status, 201) << first.body;
  const Reply second = post("\"one\"", card("a"));
  EXPECT_EQ(second.status, 201);
  EXPECT_EQ(second.body, first.body);
  EXPECT_EQ(second.field("location"), first.field("location"));
  EXPECT_EQ(second.field("etag"), first.field("etag"));
  EXPECT_EQ(post("one", card("a")).body, first.body) << "quotes are the header's, not the key's";
  EXPECT_EQ(count("cards"), 1);
  // Also where the record has changed since.
  run("UPDATE cards SET title = 'b'");
  EXPECT_EQ(post("\"one\"", card("a")).body, first.body);
  EXPECT_NE(post("\"two\"", card("a")).body, first.body);
  EXPECT_EQ(send("POST", "/cards", "ada", card("a")).status, 201);
  EXPECT_EQ(count("cards"), 3);
}

TEST_P(RepeatRecords, OfABatchToo) {
  const std::string body = R"({"create":[)" + card("a") + "," + card("b") + "]}";
  const Reply first = post("b", body, "ada", "/cards/batch");
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(post("b", body, "ada", "/cards/batch").body, first.body);
  EXPECT_EQ(count("cards"), 2);
}

TEST_P(RepeatRecords, AKeyBelongsToOneRequest) {
  ASSERT_EQ(post("k", card("a")).status, 201);
  EXPECT_EQ(problem(post("k", card("b"))), "422 records.idempotency_mismatch");
  EXPECT_EQ(problem(post("k", R"({"name":"a"})", "ada", "/labels")),
            "422 records.idempotency_mismatch");
  const Reply bobs = post("k", card("b", "bob"), "bob");
  EXPECT_EQ(bobs.status, 201);
  EXPECT_EQ(member(bobs, "title"), "\"b\"");
  EXPECT_EQ(count("cards"), 2);
  EXPECT_EQ(count("labels"), 0);
}

TEST_P(RepeatRecords, WhatFailedIsTriedAgain) {
  EXPECT_EQ(problem(post("k", R"({"title":"a"})")), "403 records.forbidden");
  EXPECT_EQ(post("k", card("a")).status, 201) << "nothing was kept of it";
  EXPECT_EQ(problem(post("l", R"({"title":1})")), "422 records.validation title:type");
  EXPECT_EQ(count("tenon_idempotency"), 1);
}

TEST_P(RepeatRecords, TheFirstMustBeThroughBeforeTheSecond) {
  auto write = std::make_unique<data::Transaction>(database().begin(data::Mode::write));
  Reply first;
  std::thread sender([&] { first = post("k", card("a")); });
  while (database().statistics().waiting == 0)
    std::this_thread::yield();
  EXPECT_EQ(problem(post("k", card("a"))), "409 records.idempotency_running");
  write.reset();
  sender.join();
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(post("k", card("a")).body, first.body);
  EXPECT_EQ(count("cards"), 1);
}

TEST_P(RepeatRecords, KeepResponsesForADay) {
  const Reply first = post("k", card("a"));
  as_host("UPDATE tenon_idempotency SET made = made - " +
          std::to_string(response_retention_ms - 60'000));
  EXPECT_EQ(post("k", card("a")).body, first.body);
  as_host("UPDATE tenon_idempotency SET made = made - 60000");
  const Reply second = post("k", card("b"));
  EXPECT_EQ(second.status, 201) << second.body;
  EXPECT_NE(second.body, first.body);
  EXPECT_EQ(count("cards"), 2);
  as_host("UPDATE tenon_idempotency SET made = made - " + std::to_string(response_retention_ms));
  ASSERT_EQ(post("l", card("c")).status, 201);
  EXPECT_EQ(count("tenon_idempotency"), 1) << "expired responses are deleted";
}

TEST_P(RepeatRecords, ThereAreNotTooManyOfThem) {
  ASSERT_EQ(post("k", card("a")).status, 201);
  const std::string more =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO "
      "tenon_idempotency SELECT \"user\", 'more ' || i, fingerprint, made, status, location, etag, "
      "bytes, body FROM tenon_idempotency, n WHERE \"key\" = 'k' LIMIT ";
  as_host(more + std::to_string(max_retained_responses - 2));
  EXPECT_EQ(post("l", card("a")).status, 201);
  EXPECT_EQ(problem(post("m", card("a"))), "429 records.too_many_keys");
  EXPECT_EQ(post("k", card("a")).status, 201) << "stored responses are returned";
  EXPECT_EQ(post("m", card("a", "bob"), "bob").status, 201) << "another's";
  EXPECT_EQ(count("cards"), 3) << "nothing was made of what was refused";
  as_host("DELETE FROM tenon_idempotency WHERE \"key\" LIKE 'more%'");
  as_host("UPDATE tenon_idempotency SET bytes = " + std::to_string(max_retained_response_bytes) +
          " WHERE \"key\" = 'k'");
  EXPECT_EQ(problem(post("m", card("a"))), "429 records.too_many_keys");
}

TEST_P(RepeatRecords, WhatIsNoKeyIsRefused) {
  for (const std::string& key :
       {std::string("\"\""), std::string("\"a"), std::string("a\"b\""), std::string("a, b"),
        std::string("a;b=c"), std::string("\"a\\b\""), std::string("\"a\\"),
        std::string("\"\xC3\xA4\""), "\"" + std::string(max_idempotency_key_bytes + 1, 'x') + "\""})
    EXPECT_EQ(problem(post(key, card("a"))), "400 records.bad_idempotency_key") << key;
  EXPECT_EQ(post("\"" + std::string(max_idempotency_key_bytes, 'x') + "\"", card("a")).status, 201);
  EXPECT_EQ(post(R"("a \"b\" \\, c")", card("a")).status, 201);
  EXPECT_EQ(count("cards"), 2);
  EXPECT_EQ(problem(post("k", R"({"line":"a"})", "", "/news")), "401 identity.signed_out");
}

}  // namespace
}  // namespace tenon::records::test
