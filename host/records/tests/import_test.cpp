#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "jobs/jobs.hpp"
#include "records/tests/records_fixture.hpp"
#include "records/transfer/import_request.hpp"

namespace tenon::records::test {
namespace {

class Imports : public RecordsFixture {
 protected:
  void SetUp() override {
    run("DELETE FROM cards");
    run("DELETE FROM labels");
  }

  // A body with the file in it; `more` are members after it: ",\"dry_run\":true".
  static std::string with_text(std::string_view text, const std::string& more = {}) {
    std::string body = "{\"text\":";
    base::append_json_string(body, text);
    return body + more + "}";
  }
  static std::string start(const std::string& table, const std::string& body,
                           const std::string& user) {
    const Reply reply = send("POST", "/" + table + "/import", user, body);
    EXPECT_EQ(reply.status, 202) << reply.body;
    const std::string job = member(reply, "job");
    EXPECT_EQ(reply.field("location"),
              "/api/planner/" + table + "/import/" + job.substr(1, job.size() - 2));
    return "/" + table + "/import/" + job.substr(1, job.size() - 2);
  }
  // Waits until it has finished and returns its result.
  static Reply result(const std::string& path, const std::string& user) {
    Reply reply;
    for (int i = 0; i < 3000; ++i) {
      reply = get(path, user);
      const std::string state = member(reply, "state");
      if (state != "\"waiting\"" && state != "\"running\"") return reply;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return reply;
  }
  static Reply import(const std::string& table, const std::string& body,
                      const std::string& user = "ada") {
    return result(start(table, body, user), user);
  }
  // "done 3 2+0 1: 3 count:type": rows, created, changed, wrong, then errors.
  static std::string summary(const Reply& reply) {
    std::string text = member(reply, "state");
    text = text.substr(1, text.size() - 2) + " " + member(reply, "rows") + " " +
           member(reply, "created") + "+" + member(reply, "changed") + " " +
           member(reply, "wrong") + ":";
    const std::string errors = member(reply, "errors");
    base::JsonSlice(errors).each_element([&](const base::JsonSlice& error) {
      std::string line;
      std::string field;
      std::string code;
      error.each_member([&](const std::string& name, const base::JsonSlice& value) {
        if (name == "line") line = value.text();
        if (name == "field") field = value.string();
        if (name == "code") code = value.string();
      });
      text += " " + line + " " + field + ":" + code;
    });
    return text;
  }
  static std::string csv(const std::string& table, const std::string& query) {
    return get("/" + table + "/export?" + query, "ada").body;
  }
  static int count(const std::string& table) {
    auto rows = database().query("SELECT count(*) FROM " + table);
    rows.next();
    return static_cast<int>(rows.integer(0));
  }
};

TENON_ON_BOTH_ENGINES(Imports);

TEST_P(Imports, EmptyCellOfUserDefaultIsTheImporter) {
  run("DELETE FROM tallies");
  EXPECT_EQ(summary(import("tallies", with_text("slug,keeper\r\na,\r\n"))), "done 1 1+0 0:");
  auto rows = database().query("SELECT keeper FROM tallies");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), user_id("ada"));
}

TEST_P(Imports, MakeRecordsAndNameWhatIsWrong) {
  const std::string ada = user_id("ada");
  const std::string path = start("cards",
                                 with_text("title,owner,count,public,tags\r\n"
                                           "one," +
                                           ada +
                                           ",3,true,\"[\"\"red\"\"]\"\r\n"
                                           "two," +
                                           ada +
                                           ",many,1,\r\n"
                                           "three," +
                                           user_id("bob") +
                                           ",1,,\r\n"
                                           ",,,,\r\n"
                                           "five\r\n"
                                           "'=six," +
                                           ada + ",,0,\r\n"),
                                 "ada");
  const Reply reply = result(path, "ada");
  EXPECT_EQ(summary(reply),
            "done 6 2+0 4: 3 count:type 4 :records.forbidden 5 title:required 6 :cells");
  EXPECT_EQ(csv("cards", "fields=title,count,public,tags&sort=title").substr(0, 28),
            "id,title,count,public,tags\r\n");
  EXPECT_NE(
      csv("cards", "fields=title,count,public,tags").find(",one,3,true,\"[\"\"red\"\"]\"\r\n"),
      std::string::npos);
  EXPECT_EQ(member(get("/cards?sort=title&fields=title", "ada"), "items").find("=six") ==
                std::string::npos,
            false);
  const Reply errors = get(path + "?errors=csv", "ada");
  EXPECT_EQ(errors.field("content-type"), "text/csv; charset=utf-8; header=present");
  EXPECT_EQ(
      errors.body.substr(0, 90),
      "line,field,code,message\r\n3,count,type,\"This is a whole number of at most 64 bits.\"\r\n"
      "4,,rec");
}

TEST_P(Imports, GiveBackWhatWasExported) {
  run("INSERT INTO labels (id, name) VALUES ('" + id_of(1) + "', 'bug'), ('" + id_of(2) +
      "', 'idea')");
  std::mt19937 random(7);
  const auto pick = [&](auto... values) -> std::string {
    const char* const list[] = {values...};
    return list[random() % sizeof...(values)];
  };
  const auto text = [&] {
    std::string made = "'";
    for (std::size_t i = random() % 9; i > 0; --i)
      made +=
          pick("=", "+", "-", "@", "''", "\"", ",", ";", "\r", "\n", "\t", "a", " ", "\xC3\xA4");
    return made + "'";
  };
  for (int i = 100; i < 260; ++i) {
    run("INSERT INTO cards (id, title, owner, state, public, count, rank, price, due, seen, tags, "
        "more, note) VALUES ('" +
        id_of(i) + "', " + text() + ", '" + user_id("ada") + "', 'open', " + pick("0", "1") + ", " +
        pick("NULL", "0", "100") + ", " + pick("-5", "9007199254740993") + ", " +
        pick("NULL", "0.1", "-1e300", "5", "1e-7") + ", " + pick("NULL", "'2026-01-02'") + ", " +
        pick("NULL", "'2026-01-02T03:04:05.678Z'") + ", " +
        pick("NULL", "'[]'", "'[\"red\",\"blue\"]'") + ", " +
        pick("NULL", "'{\"a\": [1, \"=x\"]}'", "'-5'", "'\"x\"'") + ", " +
        pick("NULL", text().c_str()) + ")");
    if (random() % 2 == 0)
      run("INSERT INTO \"cards__labels\" (record, target, position) VALUES ('" + id_of(i) + "', '" +
          id_of(2) + "', 0), ('" + id_of(i) + "', '" + id_of(1) + "', 1)");
  }
  const std::string fields =
      "&sort=id&fields=title,owner,state,public,count,rank,price,due,seen,tags,labels,more,note,"
      "shout";
  for (const std::string format : {"csv", "json", "jsonl"}) {
    const std::string before = csv("cards", "format=" + format + fields);
    run("DELETE FROM cards");
    EXPECT_EQ(summary(import("cards", with_text(before, ",\"format\":\"" + format + "\""))),
              "done 160 160+0 0:");
    EXPECT_EQ(csv("cards", "format=" + format + fields), before);
  }
}

TEST_P(Imports, OfADryRunKeepNothing) {
  const std::string file = "name\nbug\nidea\nbug\n\"\"\n";
  EXPECT_EQ(summary(import("labels", with_text(file, ",\"dry_run\":true"))),
            "done 4 3+0 1: 4 name:unique");
  EXPECT_EQ(count("labels"), 0);
  EXPECT_EQ(summary(import("labels", with_text(file))), "done 4 3+0 1: 4 name:unique");
  EXPECT_EQ(count("labels"), 3);
}

TEST_P(Imports, ChangeWhatIsThereByItsKey) {
  const std::string more = ",\"mode\":\"upsert\",\"key\":\"place,board\"";
  run("DELETE FROM slots");
  run("DELETE FROM boards");
  run("INSERT INTO boards (id, name) VALUES ('" + id_of(9) + "', 'North')");
  const std::string board = id_of(9);
  EXPECT_EQ(
      summary(import("slots",
                     with_text("board,place,line\n" + board + ",1,a\n" + board + ",2,b\n", more))),
      "done 2 2+0 0:");
  EXPECT_EQ(summary(import(
                "slots",
                with_text("board,place,line\n" + board + ",2,c\n" + board + ",3,d\n,4,e\n", more))),
            "done 3 1+1 1: 4 board:required");
  const Reply items = get("/slots?sort=place&fields=line", "ada");
  EXPECT_NE(items.body.find("\"line\":\"c\""), std::string::npos);
  EXPECT_EQ(items.body.find("\"line\":\"b\""), std::string::npos);
}

TEST_P(Imports, AreAtomicIfRequested) {
  const std::string more = ",\"all_or_nothing\":true";
  EXPECT_EQ(summary(import("labels", with_text("name\na\nb\na\n", more))),
            "done 3 0+0 1: 4 name:unique");
  EXPECT_EQ(count("labels"), 0);
  EXPECT_EQ(summary(import("labels", with_text("name\na\nb\n", more))), "done 2 2+0 0:");
  EXPECT_EQ(count("labels"), 2);
  std::string many = "name\n";
  for (int i = 0; i < 2001; ++i)
    many += "n" + std::to_string(i) + "\n";
  const Reply reply = import("labels", with_text(many, more));
  EXPECT_EQ(summary(reply), "failed 0 0+0 0:");
  EXPECT_EQ(member(reply, "error"),
            "\"All or nothing is possible for 2000 rows, and these are more.\"");
}

TEST_P(Imports, TakeUploadsAndOtherNames) {
  const std::string upload_id = upload("ada", "Was;Nr;Rest\nbug;1;x\n");
  EXPECT_EQ(
      summary(import("labels", "{\"upload\":\"" + upload_id +
                                   "\",\"mapping\":{\"Was\":\"name\",\"Nr\":null,\"Rest\":\"\"}}")),
      "done 1 1+0 0:");
  const Reply unknown = import("labels", with_text("name,what\na,b\n"));
  EXPECT_EQ(summary(unknown), "failed 0 0+0 0:");
  EXPECT_EQ(
      member(unknown, "error"),
      "\"The column 'what' is no field. Say with mapping which one it is, or null for none.\"");
  EXPECT_EQ(member(import("labels", with_text("name,name\na,b\n")), "error"),
            "\"The column 'name' is a field that another one is already.\"");
  EXPECT_EQ(member(import("labels", with_text("name\na\n\"b\n")), "error"),
            "\"Line 4 is no CSV: a quote is not closed.\"");
  EXPECT_EQ(member(import("labels", with_text("")), "error"), "\"The file is empty.\"");
  EXPECT_EQ(problem(send("POST", "/labels/import", "bob", "{\"upload\":\"" + upload_id + "\"}")),
            "422 records.bad_import upload:upload");
}

TEST_P(Imports, OfJsonNameUnknownFieldsOfARow) {
  EXPECT_EQ(summary(import("labels", with_text("{\"name\":\"a\"}\n{\"nam\":1}\n{\"name\":}\n",
                                               ",\"format\":\"jsonl\""))),
            "done 3 1+0 2: 2 nam:unknown 2 name:required 3 :json");
}

TEST_P(Imports, BelongToWhoAskedForThem) {
  const std::string path = start("labels", with_text("name\na\n"), "ada");
  EXPECT_EQ(problem(get(path, "bob")), "404 records.no_import");
  EXPECT_EQ(problem(send("DELETE", path, "bob")), "404 records.no_import");
  EXPECT_EQ(problem(get(path)), "401 identity.signed_out");
  const std::string job = path.substr(path.rfind('/'));
  EXPECT_EQ(problem(get("/cards/import" + job, "ada")), "404 records.no_import");
  EXPECT_EQ(problem(get("/labels/import/" + id_of(77), "ada")), "404 records.no_import");
  EXPECT_EQ(summary(result(path, "ada")), "done 1 1+0 0:");
  EXPECT_EQ(problem(send("DELETE", path, "ada")), "409 jobs.finished");
  EXPECT_EQ(problem(send("POST", "/boards/import", "ada", with_text("name\na\n"))),
            "403 records.forbidden");
  EXPECT_EQ(problem(send("POST", "/news/import", "", with_text("line\na\n"))),
            "401 identity.signed_out");
}

TEST_P(Imports, RefuseWhatTheyDoNotUnderstand) {
  const auto refused = [](const std::string& body) {
    return problem(send("POST", "/labels/import", "ada", body));
  };
  EXPECT_EQ(refused("[]"), "422 records.bad_import body:invalid");
  EXPECT_EQ(refused("{}"), "422 records.bad_import upload:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"upload\":\"a\"}"), "422 records.bad_import upload:invalid");
  EXPECT_EQ(refused("{\"text\":1}"), "422 records.bad_import text:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"mode\":\"upsert\"}"), "422 records.bad_import key:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"key\":\"name\"}"), "422 records.bad_import key:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"mode\":\"replace\"}"), "422 records.bad_import mode:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"format\":\"xml\"}"), "422 records.bad_import format:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"dry_run\":1}"), "422 records.bad_import dry_run:invalid");
  EXPECT_EQ(refused("{\"text\":\"\",\"mapping\":{\"a\":\"b\"}}"),
            "422 records.bad_import mapping:unknown");
  EXPECT_EQ(refused("{\"text\":\"\",\"what\":1}"), "422 records.bad_import what:invalid");
}

TEST_P(Imports, ContinueWhereTheyStopped) {
  std::string file = "name\n";
  for (int i = 0; i < 250; ++i)
    file += "n" + std::to_string(i) + "\n";
  const std::string path = start("labels", with_text(file), "ada");
  EXPECT_EQ(summary(result(path, "ada")), "done 250 250+0 0:");
  const auto job = jobs().store().find(path.substr(path.rfind('/') + 1));
  ASSERT_TRUE(job);
  const ImportRequest request = ImportRequest::from_json(job->payload);
  run("DELETE FROM labels");
  // The state after a server that ended after the second batch.
  database().write([&](data::Transaction& transaction) {
    transaction.exec_as_host(
        "UPDATE tenon_imports SET \"rows\" = 200, created = 200, is_over = 0 WHERE id = ?1",
        {request.id});
  });
  const auto again = jobs().enqueue(
      {.plugin = "planner", .kind = std::string(import_kind), .payload = job->payload});
  EXPECT_EQ(summary(result("/labels/import/" + again.id, "ada")), "done 250 250+0 0:");
  EXPECT_EQ(count("labels"), 50);
  auto rows = database().query("SELECT min(CAST(substr(name, 2) AS INTEGER)) FROM labels");
  rows.next();
  EXPECT_EQ(rows.integer(0), 200);
}

TEST_P(Imports, FailIfTheUserWasDisabled) {
  const std::string path = start("labels", with_text("name\na\n"), "ada");
  EXPECT_EQ(summary(result(path, "ada")), "done 1 1+0 0:");
  const auto job = jobs().store().find(path.substr(path.rfind('/') + 1));
  ASSERT_TRUE(job);
  ImportRequest request = ImportRequest::from_json(job->payload);
  database().write([&](data::Transaction& transaction) {
    transaction.exec_as_host("UPDATE tenon_imports SET \"rows\" = 0, is_over = 0 WHERE id = ?1",
                             {request.id});
  });
  run("DELETE FROM labels");
  request.user = id_of(1);
  const auto again = jobs().enqueue(
      {.plugin = "planner", .kind = std::string(import_kind), .payload = request.to_json()});
  std::optional<tenon::jobs::Job> ended;
  for (int i = 0; i < 3000; ++i) {
    ended = jobs().store().find(again.id);
    if (ended->state == tenon::jobs::State::failed) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(ended->error, "The user who started this import may no longer sign in.");
  EXPECT_EQ(count("labels"), 0);
}

TEST_P(Imports, KeepTheFirstThousandErrors) {
  std::string file = "name,id\n";
  for (int i = 0; i < 1500; ++i)
    file += "n,no\n";
  const std::string path = start("labels", with_text(file), "ada");
  const Reply reply = result(path, "ada");
  EXPECT_EQ(member(reply, "wrong"), "1500");
  const std::string lines = get(path + "?errors=csv", "ada").body;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1001);
}

TEST_P(Imports, RefuseHiddenFields) {
  const std::string ada = user_id("ada");
  const Reply columns = import("cards", with_text("title,owner,secret\r\na," + ada + ",s\r\n"));
  EXPECT_EQ(member(columns, "state"), "\"failed\"");
  EXPECT_NE(member(columns, "error").find("'secret' is a field that cannot be set"),
            std::string::npos);
  const std::string rows = R"([{"title":"a","owner":")" + ada +
                           R"(","secret":"s"},{"title":"b","owner":")" + ada +
                           R"(","word":"s"},{"title":"c","owner":")" + ada + "\"}]";
  EXPECT_EQ(
      summary(import("cards", with_text(rows, R"(,"format":"json","mapping":{"word":"secret"})"))),
      "done 3 1+0 2: 1 secret:read_only 2 secret:read_only");
  EXPECT_EQ(count("cards WHERE secret IS NOT NULL"), 0);
  EXPECT_EQ(summary(import("cards", with_text("title,owner,password\r\na," + ada + ",p\r\n"))),
            "done 1 1+0 0:");
  EXPECT_EQ(count("cards WHERE password = 'p'"), 1);
}

TEST_P(Imports, CheckWhatMustHaveTheSameParent) {
  for (const char* table : {"items", "marks", "slots", "boards"})
    run("DELETE FROM " + std::string(table));
  run("INSERT INTO boards (id, name) VALUES ('" + id_of(91) + "', 'North'), ('" + id_of(92) +
      "', 'South')");
  run("INSERT INTO marks (id, board) VALUES ('" + id_of(1) + "', '" + id_of(91) + "')");
  EXPECT_EQ(summary(import("items", with_text("board,mark\r\n" + id_of(91) + "," + id_of(1) +
                                              "\r\n" + id_of(92) + "," + id_of(1) + "\r\n"))),
            "done 2 1+0 1: 3 mark:same");
}

}  // namespace
}  // namespace tenon::records::test
