#include "records/service/files.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "base/json_slice.hpp"
#include "blobs/blobs.hpp"
#include "data/database.hpp"
#include "engines/tests/support.hpp"
#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"
#include "records/service/orphaned_claims.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

const std::string png_image = "\x89PNG\r\n\x1a\n and what follows";

class TakeFiles : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"pages", "slots", "cards"})
      run("DELETE FROM " + std::string(table));
    if (has_table("tenon_files"))
      database().write([](data::Transaction& transaction) {
        transaction.exec_as_host("DELETE FROM tenon_files");
      });
    core().exec("DELETE FROM blobs_claims");
  }
  static std::int64_t count(data::Database& database, const std::string& from) {
    auto rows = database.query("SELECT count(*) FROM " + from);
    rows.next();
    return rows.integer(0);
  }
  // Claims are ended at the same time as the response is sent; a later write runs after they are.
  static std::int64_t claims() {
    core().write([](data::Transaction&) {});
    return count(core(), "blobs_claims");
  }
  static std::int64_t kept() { return count(database(), "tenon_files"); }
  static std::string taken(const std::string& upload) { return R"({"upload":")" + upload + "\"}"; }
  static Reply create(const std::string& members, const std::string& user = "ada") {
    return send("POST", "/cards", user,
                R"({"owner":")" + user_id(user) + R"(","title":"a",)" + members + "}");
  }
  static Reply change(const std::string& path, const std::string& members,
                      const std::string& user = "ada") {
    return send("PATCH", path, user, "{" + members + "}");
  }
  static std::string path_of(const Reply& made) {
    return "/cards/" + member(made, "id").substr(1, 36);
  }
  static std::string id_of_file(const std::string& json) {
    std::string id;
    base::JsonSlice(json).each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (name == "id") id = value.string();
    });
    return id;
  }
};

TENON_ON_BOTH_ENGINES(TakeFiles);

TEST_P(TakeFiles, AClaimThatACrashLeftIsEnded) {
  EXPECT_EQ(release_orphaned_claims(blobs(), "planner", database()), 0U) << "there is none";
  const Reply made = create(R"("file":)" + taken(upload("ada", "kept")));
  ASSERT_EQ(made.status, 201);
  const std::string blob = keep("left");
  // The state after a server that ends between the claim and the change.
  for (int i = 0; i < 1'500; ++i)
    core().exec("INSERT INTO blobs_claims (plugin, key, id) VALUES ('planner', ?1, ?2)",
                {"records/" + base::new_id(), blob});
  blobs().claim("planner", blob, "records/import/" + base::new_id());
  // Those of others: of the plugin itself, and of another plugin.
  blobs().claim("planner", blob, "records/mine");
  blobs().claim("planner", blob, "notes/1");
  const bool has_imports =
      database().query(dialect::find_table(database().dialect()), {"tenon_imports"}).next();
  EXPECT_EQ(release_orphaned_claims(blobs(), "planner", database()), has_imports ? 1'501U : 1'500U);
  EXPECT_EQ(claims(), has_imports ? 3 : 4);
  EXPECT_EQ(get(path_of(made) + "/file", "ada").body, "kept");
  EXPECT_EQ(release_orphaned_claims(blobs(), "planner", database()), 0U);
}

TEST_P(TakeFiles, ReplacingAMissingFileReleasesNoClaim) {
  data::test::Folder folder;
  data::Database fresh(data::test::plugin_file(folder.file("fresh.db")));
  blobs().claim("planner", keep("left"), "records/" + base::new_id());
  EXPECT_EQ(release_orphaned_claims(blobs(), "planner", fresh), 0U);
  EXPECT_EQ(claims(), 1);
}

TEST_P(TakeFiles, AnUploadBecomesAFileOfTheRecord) {
  const Reply made = create("\"file\":" + taken(upload("ada", "hello")));
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string file = member(made, "file");
  EXPECT_EQ(file, R"({"id":")" + id_of_file(file) +
                      R"(","name":"file.txt","type":"application/octet-stream","size":5})");
  EXPECT_EQ(get(path_of(made) + "/file", "ada").body, "hello");
  EXPECT_EQ(claims(), 1);
  EXPECT_EQ(
      count(core(), "blobs_claims WHERE key LIKE 'records/%' AND id = '" + id_of_file(file) + "'"),
      1);
}

TEST_P(TakeFiles, ReleasesReplacedAndDeletedFiles) {
  const std::string path = path_of(create("\"file\":" + taken(upload("ada", "one"))));
  const Reply second = change(path, "\"file\":" + taken(upload("ada", "two")));
  ASSERT_EQ(second.status, 200) << second.body;
  EXPECT_EQ(get(path + "/file", "ada").body, "two");
  EXPECT_EQ(claims(), 1);
  EXPECT_EQ(change(path, "\"title\":\"b\"").status, 200);
  EXPECT_EQ(claims(), 1) << "it was not named";
  EXPECT_EQ(change(path, "\"file\":" + taken(upload("ada", "two"))).status, 200);
  EXPECT_EQ(claims(), 1) << "the same content";
  EXPECT_EQ(member(change(path, "\"file\":null"), "file"), "null");
  EXPECT_EQ(claims(), 0);
  EXPECT_EQ(change(path, "\"file\":" + taken(upload("ada", "three"))).status, 200);
  EXPECT_EQ(claims(), 1);
  EXPECT_EQ(send("DELETE", path, "ada").status, 204);
  EXPECT_EQ(claims(), 0);
  EXPECT_EQ(kept(), 0);
}

TEST_P(TakeFiles, OfManyThoseStayThatAreNamed) {
  const Reply made =
      create("\"files\":[" + taken(upload("ada", "one")) + "," + taken(upload("ada", "two")) + "]");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string path = path_of(made);
  std::vector<std::string> files;
  base::JsonSlice(member(made, "files")).each_element([&](const base::JsonSlice& file) {
    files.emplace_back(file.text());
  });
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(claims(), 2);
  const Reply changed =
      change(path, "\"files\":[" + taken(upload("ada", "three")) + "," + files[1] + "]");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(claims(), 2);
  EXPECT_EQ(get(path + "/files/" + id_of_file(files[1]), "ada").body, "two");
  EXPECT_EQ(problem(get(path + "/files/" + id_of_file(files[0]), "ada")), "404 records.no_file");
  EXPECT_EQ(problem(change(path, "\"files\":[" + files[0] + "]")),
            "422 records.validation files:reference")
      << "it was released";
  EXPECT_EQ(problem(change(path, "\"files\":[" + files[1] + "," + files[1] + "]")),
            "422 records.validation files:duplicate");
  EXPECT_EQ(member(change(path, "\"files\":[]"), "files"), "[]");
  EXPECT_EQ(claims(), 0);
}

TEST_P(TakeFiles, OnlyFinishedUploadsOfTheWriterAreTaken) {
  const auto refused = [](const std::string& upload) {
    return problem(create("\"file\":" + taken(upload)));
  };
  EXPECT_EQ(refused(upload("bob", "his")), "422 records.validation file:upload");
  EXPECT_EQ(refused(upload("ada", "half", false)), "422 records.validation file:upload");
  EXPECT_EQ(refused("nothing"), "422 records.validation file:upload");
  const Reply made = create("\"file\":" + taken(upload("ada", "hers")));
  const std::string id = id_of_file(member(made, "file"));
  EXPECT_EQ(problem(create(R"("file":{"id":")" + id + "\"}", "bob")),
            "422 records.validation file:reference")
      << "an id is no proof";
  for (const char* value :
       {"1", "\"x\"", "{}", R"({"upload":1})", R"({"upload":"a","id":"b"})", "[]"})
    EXPECT_EQ(problem(create("\"file\":" + std::string(value))), "422 records.validation file:type")
        << value;
  EXPECT_EQ(claims(), 1);
}

TEST_P(TakeFiles, TheFieldsLimitsHold) {
  const auto photo = [](const std::string& bytes) {
    return create("\"photo\":" + taken(upload("ada", bytes)));
  };
  EXPECT_EQ(photo(png_image).status, 201);
  EXPECT_EQ(problem(photo("no image")), "422 records.validation photo:type");
  EXPECT_EQ(problem(photo(png_image + std::string(40, 'x'))),
            "422 records.validation photo:too_large");
  EXPECT_EQ(claims(), 1);
  std::string many;
  for (std::size_t i = 0; i <= max_new_files; ++i)
    many += (i == 0 ? "" : ",") + taken("x");
  EXPECT_EQ(problem(create("\"files\":[" + many + "]")), "422 records.validation files:too_long");
  EXPECT_EQ(problem(send("POST", "/pages", "ada", R"({"scan":null})")),
            "422 records.validation scan:required");
  EXPECT_EQ(problem(send("POST", "/pages", "ada", "{}")), "422 records.validation scan:required");
}

TEST_P(TakeFiles, WhatIsRefusedKeepsNoClaim) {
  const std::string path = path_of(create("\"file\":" + taken(upload("ada", "mine"))));
  run("UPDATE cards SET public = 1");
  EXPECT_EQ(problem(change(path, "\"file\":" + taken(upload("bob", "his")), "bob")),
            "403 records.forbidden");
  EXPECT_EQ(problem(change(path, "\"title\":1,\"file\":" + taken(upload("ada", "x")))),
            "422 records.validation title:type");
  EXPECT_EQ(problem(change(path, "\"code\":\"ab\",\"file\":" + taken(upload("ada", "x")) +
                                     R"(,"board":")" + id_of(99) + "\"")),
            "422 records.validation board:reference");
  // Also where it is the content that the record has.
  EXPECT_EQ(problem(send("PATCH", path, "ada", "{\"file\":" + taken(upload("ada", "mine")) + "}",
                         {{"If-Match", "\"x\""}})),
            "412 records.conflict");
  EXPECT_EQ(claims(), 1);
  EXPECT_EQ(get(path + "/file", "ada").body, "mine");
}

TEST_P(TakeFiles, CascadingDeletesReleaseFiles) {
  const std::string card = path_of(create("\"count\":1"));
  const auto page = [](const std::string& of, const std::string& bytes) {
    return send("POST", "/pages", "ada",
                R"({"card":)" + of + ",\"scan\":" + taken(upload("ada", bytes)) + "}");
  };
  ASSERT_EQ(page("\"" + card.substr(7) + "\"", "first").status, 201);
  ASSERT_EQ(page("null", "second").status, 201);
  EXPECT_EQ(claims(), 2);
  ASSERT_EQ(send("DELETE", card, "ada").status, 204);
  EXPECT_EQ(claims(), 1);
  EXPECT_EQ(kept(), 1);
}

TEST_P(TakeFiles, ARequestThatComesAgainTakesThemOnce) {
  const std::string body = R"({"owner":")" + user_id("ada") + R"(","title":"a","file":)" +
                           taken(upload("ada", "once")) + "}";
  const auto post = [&] {
    return send("POST", "/cards", "ada", body, {{"Idempotency-Key", "files"}});
  };
  const Reply first = post();
  ASSERT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(post().body, first.body);
  EXPECT_EQ(claims(), 1);
}

TEST_P(TakeFiles, SeveralAtOnceAndUpsertsTakeNone) {
  const std::string file = "\"file\":" + taken(upload("ada", "x"));
  EXPECT_EQ(
      problem(send("POST", "/cards/batch", "ada", R"({"create":[{"title":"a",)" + file + "}]}")),
      "422 records.validation create/0/file:read_only");
  EXPECT_EQ(
      problem(send("PUT", "/cards?key=code", "ada", R"({"title":"a","code":"ab",)" + file + "}")),
      "422 records.validation file:read_only");
  const std::string path = path_of(create(file));
  EXPECT_EQ(send("POST", "/cards/batch", "ada", R"({"delete":[")" + path.substr(7) + "\"]}").status,
            200);
  EXPECT_EQ(claims(), 0);
}

TEST_P(TakeFiles, ManyWritersLeaveOneClaimForEachFile) {
  const std::string path = path_of(create("\"file\":" + taken(upload("ada", "start"))));
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&path, writer] {
      for (int round = 0; round < 5; ++round)
        EXPECT_EQ(
            change(path, "\"file\":" + taken(upload("ada", std::to_string((writer + round) % 3))))
                .status,
            200);
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  EXPECT_EQ(claims(), 1);
  const std::string id = id_of_file(member(get(path, "ada"), "file"));
  EXPECT_EQ(count(core(), "blobs_claims WHERE id = '" + id + "'"), 1);
}

}  // namespace
}  // namespace tenon::records::test
