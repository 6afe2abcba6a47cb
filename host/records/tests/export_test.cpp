#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/tests/sampling.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class Exports : public RecordsFixture {
 protected:
  void SetUp() override { run("DELETE FROM cards"); }

  static void add(int number, const std::string& columns, const std::string& values) {
    run("INSERT INTO cards (id, title, " + columns + ") VALUES ('" + id_of(number) + "', 'c" +
        std::to_string(number) + "', " + values + ")");
  }
  static std::string csv(const std::string& query, const std::string& user = "ada") {
    return get("/cards/export?" + query, user).body;
  }
  // Labels whose names are their numbers and then some.
  static void fill(int records, int bytes) {
    // More at once can take longer than a transaction may, on a busy machine.
    constexpr int at_once = 500;
    while (database().query("SELECT 1 FROM labels LIMIT 1").next()) {
      run("DELETE FROM labels WHERE id IN (SELECT id FROM labels LIMIT " + std::to_string(at_once) +
          ")");
    }
    for (int first = 0; first < records; first += at_once) {
      run("WITH RECURSIVE n(i) AS (VALUES (" + std::to_string(first) +
          ") UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
          std::to_string(std::min(records, first + at_once)) +
          ") INSERT INTO labels (id, name) SELECT " + id_sql("i") + ", i || '" +
          std::string(static_cast<std::size_t>(bytes), 'x') + "' FROM n");
    }
  }
};

TENON_ON_BOTH_ENGINES(Exports);

TEST_P(Exports, AreCsvWithOneLineARecord) {
  add(1, "public, count, price, due, tags, more, note",
      "1, 3, 0.5, '2026-01-02', '[\"red\",\"blue\"]', '{\"a\": 1}', 'x'");
  add(2, "public, code", "1, 'ab'");
  const Reply reply =
      get("/cards/export?fields=title,public,count,price,due,tags,more,note&sort=title", "ada");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.field("content-type"), "text/csv; charset=utf-8; header=present");
  EXPECT_EQ(reply.field("content-disposition"), "attachment; filename=\"planner-cards.csv\"");
  EXPECT_EQ(reply.field("cache-control"), "no-store");
  EXPECT_EQ(reply.body,
            "id,title,public,count,price,due,tags,more,note\r\n" + id_of(1) +
                ",c1,true,3,0.5,2026-01-02,\"[\"\"red\"\",\"\"blue\"\"]\",\"{\"\"a\"\": 1}\",\r\n" +
                id_of(2) + ",c2,true,,,,,,\r\n");
  EXPECT_EQ(csv("fields=id&bom=true&filter=count%20%3D%203"),
            "\xEF\xBB\xBFid\r\n" + id_of(1) + "\r\n");
}

TEST_P(Exports, AreJsonAsListsAre) {
  add(1, "public, rank, more", "1, 9007199254740993, '{\"a\":\n 1}'");
  add(2, "public, price", "1, -0.1");
  const std::string list = get("/cards?sort=title", "ada").body;
  const std::string items = list.substr(10, list.find("],\"next\"") - 10);
  std::string json = get("/cards/export?format=json&sort=title", "ada").body;
  base::check_json(json);
  std::string expected = "[\n" + items + "\n]\n";
  expected.replace(expected.find("},{\"id\""), 2, "},\n");
  expected.replace(expected.find(":\n 1"), 2, ": ");
  EXPECT_EQ(json, expected);
  const Reply lines = get("/cards/export?format=jsonl&sort=-title&fields=title,more", "ada");
  EXPECT_EQ(lines.field("content-type"), "application/x-ndjson");
  EXPECT_EQ(lines.body, "{\"id\":\"" + id_of(2) + "\",\"title\":\"c2\",\"more\":null}\n{\"id\":\"" +
                            id_of(1) + "\",\"title\":\"c1\",\"more\":{\"a\":  1}}\n");
  run("DELETE FROM cards");
  EXPECT_EQ(csv("format=json"), "[\n]\n");
  EXPECT_EQ(csv("format=jsonl"), "");
  EXPECT_EQ(csv("fields=title"), "id,title\r\n");
}

TEST_P(Exports, GuardFormulasButNotNumbers) {
  add(1, "public, rank, note, owner", "1, -5, '=cmd|''/c calc''!A1', '" + user_id("ada") + "'");
  EXPECT_EQ(csv("fields=rank,note"),
            "id,rank,note\r\n" + id_of(1) + ",-5,\"'=cmd|'/c calc'!A1\"\r\n");
}

TEST_P(Exports, HaveOnlyWhatTheReaderMaySee) {
  add(1, "public, note, owner, secret", "1, 'hers', '" + user_id("bob") + "', 'pin'");
  add(2, "owner, note", "'" + user_id("bob") + "', 'own'");
  add(3, "owner, note", "'" + user_id("ada") + "', 'mine'");
  EXPECT_EQ(csv("fields=title,note&sort=title"),
            "id,title,note\r\n" + id_of(1) + ",c1,\r\n" + id_of(3) + ",c3,mine\r\n");
  const std::string all = csv("sort=title");
  EXPECT_EQ(all.find("pin"), std::string::npos);
  EXPECT_EQ(all.find("secret"), std::string::npos);
  EXPECT_EQ(problem(get("/cards/export?fields=secret", "ada")),
            "400 records.bad_query fields:invalid");
  EXPECT_EQ(problem(get("/cards/export?filter=note%20%3D%20%27own%27", "ada")),
            "400 records.field_not_allowed filter:not_allowed");
  EXPECT_EQ(problem(get("/cards/export?sort=note", "ada")),
            "400 records.field_not_allowed sort:not_allowed");
  EXPECT_EQ(problem(get("/cards/export")), "401 identity.signed_out");
  EXPECT_EQ(get("/news/export").status, 200);
}

TEST_P(Exports, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(problem(get("/cards/export?format=xml", "ada")),
            "400 records.bad_query format:invalid");
  EXPECT_EQ(problem(get("/cards/export?limit=3", "ada")), "400 records.bad_query limit:invalid");
  EXPECT_EQ(problem(get("/cards/export?bom=1", "ada")), "400 records.bad_query bom:invalid");
  EXPECT_EQ(problem(get("/cards/export?bom=true&format=json", "ada")),
            "400 records.bad_query bom:invalid");
}

TEST_P(Exports, SayTheirHeadAloneToHead) {
  const Reply reply = send("HEAD", "/cards/export?format=jsonl", "ada");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.field("content-disposition"), "attachment; filename=\"planner-cards.jsonl\"");
}

// Sanitizers keep what is given back.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#else
constexpr bool is_sanitized = false;
#endif

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST_P(Exports, OfManyRecordsComeWholeInLittleMemory) {
  // As many bytes in fewer records unless all is run: most of the time goes into making them.
  const int records = base::test::is_full_run() ? 20'000 : 4'000;
  fill(records, 40'000'000 / records);
  auto client = open_export("ada", "/labels/export?sort=id", 0);
  ASSERT_TRUE(client.read_until("id,name\r\n"));
  const std::size_t before = resident_bytes();
  std::size_t highest = 0;
  for (std::size_t bytes = 0; bytes < 30'000'000;) {
    const std::size_t got = client.drop_some(64 * 1024);
    ASSERT_GT(got, 0U);
    bytes += got;
    highest = std::max(highest, resident_bytes());
  }
  if (!is_sanitized) {
    EXPECT_LT(highest, before + 16 * 1024 * 1024);
  }
  EXPECT_TRUE(client.read_until(id_of(records - 1) + "," + std::to_string(records - 1) + "x"));
  EXPECT_TRUE(client.read_until("0\r\n\r\n"));
}

TEST_P(Exports, AreOfOneSnapshotAndFewAtOnce) {
  const int records = base::test::is_full_run() ? 10'000 : 2'000;
  fill(records, 10'000'000 / records);
  auto first = open_export("ada", "/labels/export?sort=id", 65536);
  ASSERT_TRUE(first.read_until("id,name\r\n"));
  auto second = open_export("bob", "/labels/export", 65536);
  ASSERT_TRUE(second.read_until("id,name\r\n"));
  EXPECT_EQ(problem(get("/cards/export", "root")), "503 records.too_many_exports");
  for (int until = 1'000; until <= records; until += 1'000)
    run("DELETE FROM labels WHERE id < '" + id_of(until) + "'");
  EXPECT_TRUE(first.read_until(id_of(records - 1) + "," + std::to_string(records - 1) + "x"));
  EXPECT_TRUE(first.read_until("0\r\n\r\n"));
  second.reset();
  Reply reply;
  for (int i = 0; i < 1200 && reply.status != 200; ++i) {
    reply = get("/labels/export", "root");
    if (reply.status != 200) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(reply.body, "id,name\r\n");
  EXPECT_TRUE(reply.is_complete);
}

}  // namespace
}  // namespace tenon::records::test
