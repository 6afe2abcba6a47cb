#include "realtime/realtime.hpp"

#include <thread>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "realtime/limits.hpp"
#include "realtime/tests/realtime_fixture.hpp"
#include "records/api/record_text.hpp"

namespace tenon::realtime::test {
namespace {

const char* const planner = R"json({"tables":[
  {"name":"cards","publish":true,"version":true,
   "rules":{"read":"public or owner = @user or @user in watchers or can('planner.see_all')"},"fields":[
    {"name":"title","type":"text"},{"name":"public","type":"boolean","required":true,"default":false},
    {"name":"owner","type":"user"},{"name":"price","type":"number"},
    {"name":"watchers","type":"user","many":true},
    {"name":"tags","type":"choice","many":true,"choices":["red","blue"]},
    {"name":"more","type":"json"},{"name":"secret","type":"text","hidden":true},
    {"name":"note","type":"text","rules":{"read":"owner = @user"}},
    {"name":"loud","type":"computed","expression":"upper(title) + '!'"},
    {"name":"mine","type":"computed","expression":"owner = @user"}]},
  {"name":"boards","fields":[{"name":"name","type":"text"},{"name":"owner","type":"user"}]},
  {"name":"tasks","publish":true,"rules":{"read":"board.owner = @user"},"fields":[
    {"name":"title","type":"text"},{"name":"board","type":"reference","table":"boards","on_delete":"clear"},
    {"name":"board_name","type":"computed","expression":"board.name"}]},
  {"name":"vaults","publish":true,"fields":[{"name":"word","type":"text"}]},
  {"name":"lines","publish":true,"rules":{"read":"true"},"fields":[{"name":"word","type":"text"}]}
]})json";

class RealtimeTest : public RealtimeFixture {
 protected:
  RealtimeTest() { attach(planner); }
  void add(int number, const std::string& owner, const std::string& title = "a") {
    run("INSERT INTO cards (id, title, owner) VALUES ('" + id_of(number) + "', '" + title + "', '" +
        owner + "')");
  }
  std::string refusal(const std::string& topic, const std::string& filter = {}) {
    return data::test::code_of([&] { follow("ada", {topic}, filter); });
  }
};

TENON_ON_BOTH_ENGINES(RealtimeTest);

TEST_P(RealtimeTest, SendsEachUserWhatTheyMaySee) {
  const Client ada = follow("ada", {"planner.cards"});
  const Client bob = follow("bob", {"planner.cards"});
  const Client root = follow("root", {"planner.cards"});
  add(1, "ada");
  wait_for_delivery();
  run("UPDATE cards SET title = 'b'");
  wait_for_delivery();
  run("UPDATE cards SET owner = 'bob'");
  wait_for_delivery();
  run("DELETE FROM cards");
  EXPECT_EQ(news(ada), "create 1; update 1; delete 1");
  EXPECT_EQ(news(bob), "create 1; delete 1");
  EXPECT_EQ(news(root), "create 1; update 1; update 1; delete 1");
}

TEST_P(RealtimeTest, MergesChangesOfAPass) {
  add(1, "ada");
  add(2, "bob");
  const Client ada = follow("ada", {"planner.cards"});
  data::Transaction transaction = database_->begin(data::Mode::write);
  for (const char* sql : {"UPDATE cards SET title = 'b'", "UPDATE cards SET owner = 'bob'",
                          "UPDATE cards SET owner = 'ada'", "UPDATE cards SET title = 'c'"})
    transaction.exec(sql);
  transaction.exec("INSERT INTO cards (id, owner) VALUES ('" + id_of(3) + "', 'ada')");
  transaction.exec("DELETE FROM cards WHERE id = '" + id_of(3) + "'");
  transaction.commit();
  EXPECT_EQ(news(ada), "update 1; create 2");
}

TEST_P(RealtimeTest, SendsARecordAsGetShowsIt) {
  const Client ada = follow("ada", {"planner.cards"});
  const Client root = follow("root", {"planner.cards"});
  run("INSERT INTO cards (id, title, owner, price, tags, more, secret, note) VALUES ('" + id_of(1) +
      "', 'Käse \"x\"', 'ada', 0.1, '[\"red\"]', '{\"a\":\n[1]}', 'hush', 'mine')");
  wait_for_delivery();
  for (const auto& [user, client] : {std::pair("ada", &ada), std::pair("root", &root)}) {
    std::string record = shown(user, "cards", id_of(1));
    for (char& c : record)
      c = c == '\n' ? ' ' : c;
    EXPECT_EQ(client->stream->sent().at(0),
              SentEvent("planner.cards", "{\"table\":\"cards\",\"action\":\"create\",\"id\":\"" +
                                             id_of(1) + "\",\"record\":" + record + "}"));
    EXPECT_EQ(record.find("hush"), std::string::npos);
  }
  EXPECT_NE(ada.stream->sent().at(0).second.find("\"note\":\"mine\""), std::string::npos);
  EXPECT_NE(root.stream->sent().at(0).second.find("\"note\":null"), std::string::npos);
}

TEST_P(RealtimeTest, SendsTheEtagOfTheRecord) {
  const Client ada = follow("ada", {"planner.cards"});
  run("INSERT INTO cards (id, title, owner, note) VALUES ('" + id_of(1) + "', 'a', 'ada', 'mine')");
  wait_for_delivery();
  const std::string tag = records::etag_of(*model_->find("cards"), shown("ada", "cards", id_of(1)));
  EXPECT_EQ(tag.substr(0, 3), "\"1-");
  std::string sent;
  base::JsonSlice(ada.stream->sent().at(0).second)
      .each_member([&](const std::string& name, const base::JsonSlice& value) {
        if (name == "etag") sent = value.string();
      });
  EXPECT_EQ(sent, tag);
}

TEST_P(RealtimeTest, MergesManyReferencesWithTheirChange) {
  const Client bob = follow("bob", {"planner.cards"});
  data::Transaction transaction = database_->begin(data::Mode::write);
  transaction.exec("INSERT INTO cards (id) VALUES ('" + id_of(1) + "')");
  for (const char* user : {"ada", "bob"})
    transaction.exec("INSERT INTO cards__watchers (record, target, position) VALUES ('" + id_of(1) +
                     "', '" + user + "', 0)");
  transaction.commit();
  EXPECT_EQ(news(bob), "create 1");
  run("DELETE FROM cards__watchers WHERE target = 'bob'");
  EXPECT_EQ(news(bob), "create 1; delete 1");
}

TEST_P(RealtimeTest, SendsNothingForARollback) {
  const Client ada = follow("ada", {"planner.cards"});
  {
    data::Transaction transaction = database_->begin(data::Mode::write);
    transaction.exec("INSERT INTO cards (id, owner) VALUES ('" + id_of(1) + "', 'ada')");
  }
  add(2, "ada");
  EXPECT_EQ(news(ada), "create 2");
}

TEST_P(RealtimeTest, AppliesFilters) {
  const Client ada = follow("ada", {"planner.cards"}, "title like 'a%' and price > 1");
  for (const char* sql : {"UPDATE cards SET price = 1.5", "UPDATE cards SET price = 2",
                          "UPDATE cards SET title = 'b'"}) {
    if (news(ada).empty()) add(1, "ada", "all");
    wait_for_delivery();
    run(sql);
  }
  EXPECT_EQ(news(ada), "create 1; update 1; delete 1");
}

TEST_P(RealtimeTest, FollowsOneRecord) {
  const Client ada = follow("ada", {"planner.cards/" + id_of(2)});
  add(1, "ada");
  add(2, "ada");
  EXPECT_EQ(news(ada), "create 2");
  EXPECT_EQ(ada.stream->sent().at(0).first, "planner.cards/" + id_of(2));
}

TEST_P(RealtimeTest, FollowsAllTables) {
  const Client ada = follow("ada", {"planner.*"});
  add(1, "ada");
  run("INSERT INTO lines (id) VALUES ('" + id_of(2) + "')");
  run("INSERT INTO boards (id) VALUES ('" + id_of(3) + "')");
  run("INSERT INTO vaults (id) VALUES ('" + id_of(4) + "')");
  wait_for_delivery();
  std::string names;
  for (const auto& [name, data] : ada.stream->sent())
    names += name + " ";
  EXPECT_EQ(names, "planner.cards planner.lines planner.marks ");
}

TEST_P(RealtimeTest, ResyncsValuesReadOverAPath) {
  run("INSERT INTO boards (id, name, owner) VALUES ('" + id_of(1) + "', 'x', 'ada')");
  run("INSERT INTO tasks (id, board) VALUES ('" + id_of(2) + "', '" + id_of(1) + "')");
  const Client ada = follow("ada", {"planner.tasks"});
  const Client bob = follow("bob", {"planner.tasks"});
  const Client other = follow("bob", {"planner.cards"});
  run("UPDATE boards SET owner = 'bob'");
  EXPECT_EQ(news(ada), "resync planner.tasks");
  EXPECT_EQ(news(bob), "resync planner.tasks");
  run("UPDATE boards SET owner = owner");
  EXPECT_EQ(news(bob), "resync planner.tasks");
  run("UPDATE boards SET name = 'y'");
  EXPECT_EQ(news(bob), "resync planner.tasks; resync planner.tasks");
  EXPECT_EQ(news(other), "");
}

TEST_P(RealtimeTest, ContinuesFromTheLastPosition) {
  Client ada = follow("ada", {"planner.cards"});
  add(1, "ada");
  wait_for_delivery();
  const std::string id = ada.stream->id();
  ada.subscription.reset();
  add(2, "ada");
  add(3, "bob");
  const Client again = follow("ada", {"planner.cards"}, {}, id);
  EXPECT_EQ(news(again), "create 2");
  restart();
  const Client later = follow("ada", {"planner.cards"}, {}, id);
  EXPECT_EQ(news(later), "create 2");
  add(4, "ada");
  EXPECT_EQ(news(later), "create 2; create 4");
}

TEST_P(RealtimeTest, GreetsWithAValidPosition) {
  Client ada = follow("ada", {"planner.cards"});
  EXPECT_TRUE(eventually([&] { return !ada.stream->id().empty(); }));
  const std::string id = ada.stream->id();
  add(1, "ada");
  const Client again = follow("ada", {"planner.cards"}, {}, id);
  EXPECT_EQ(news(again), "create 1");
}

TEST_P(RealtimeTest, ResyncsAForeignOrOldPosition) {
  Client ada = follow("ada", {"planner.cards"});
  add(1, "ada");
  wait_for_delivery();
  const std::string id = ada.stream->id();
  EXPECT_EQ(news(follow("bob", {"planner.cards"}, {}, id)), "resync planner.cards");
  EXPECT_EQ(news(follow("ada", {"planner.cards"}, {}, id + "0")), "resync planner.cards");
  EXPECT_EQ(news(follow("ada", {"planner.cards"}, {}, "planner:000000000000-1")),
            "resync planner.cards");
  EXPECT_EQ(news(follow("ada", {"planner.cards"}, {}, "17")), "");
  permissions_.declare("planner", {{"planner.see_all", "See all", {identity::Role::member}}});
  EXPECT_EQ(news(follow("ada", {"planner.cards"}, {}, id)), "resync planner.cards");
}

TEST_P(RealtimeTest, ResyncsAPositionAfterTheLog) {
  Client ada = follow("ada", {"planner.lines"});
  run("INSERT INTO lines (id) VALUES ('" + id_of(1) + "')");
  wait_for_delivery();
  const std::string id = ada.stream->id();
  ada.subscription.reset();
  for (int i = 0; i < 2; ++i) {
    run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) INSERT "
        "INTO boards (id) SELECT " +
        id_sql("i + " + std::to_string(20000 * i)) + " FROM n");
  }
  EXPECT_EQ(news(follow("ada", {"planner.lines"}, {}, id)), "resync planner.lines");
}

TEST_P(RealtimeTest, ResyncsOnceForManyChanges) {
  const Client ada = follow("ada", {"planner.lines"});
  const Client bob = follow("bob", {"planner.cards"});
  run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO "
      "lines (id, word) SELECT " +
      id_sql("i") +
      ", 'some words of a line that is long enough, so that as many as a round has are too much' "
      "FROM n");
  run("DELETE FROM lines");
  wait_for_delivery();
  ASSERT_FALSE(ada.stream->sent().empty());
  EXPECT_LE(ada.stream->sent().size(), 20000 / round_changes + 1);
  EXPECT_EQ(ada.stream->sent().back(), SentEvent("resync", "{\"topic\":\"planner.lines\"}"));
  EXPECT_EQ(news(bob), "");
}

TEST_P(RealtimeTest, DropsSubscribersThatDoNotRead) {
  const Client slow = follow("ada", {"planner.lines"});
  const Client quick = follow("bob", {"planner.lines"});
  slow.stream->take_only(500);
  for (int i = 1; i < 20; ++i)
    run("INSERT INTO lines (id, word) VALUES ('" + id_of(i) + "', 'x')");
  wait_for_delivery();
  EXPECT_TRUE(slow.stream->is_closed());
  EXPECT_LT(slow.stream->sent().size(), 10U);
  EXPECT_EQ(quick.stream->sent().size(), 19U);
}

TEST_P(RealtimeTest, LeavesOutALongRecord) {
  const Client ada = follow("ada", {"planner.lines"});
  run("INSERT INTO lines (id, word) VALUES ('" + id_of(1) + "', '" +
      std::string(record_bytes, 'x') + "')");
  wait_for_delivery();
  EXPECT_EQ(ada.stream->sent().at(0).second,
            "{\"table\":\"lines\",\"action\":\"create\",\"id\":\"" + id_of(1) + "\"}");
}

TEST_P(RealtimeTest, ResyncsALongTextThatARuleReads) {
  const Client ada = follow("ada", {"planner.cards"}, "title = 'a'");
  const Client all = follow("ada", {"planner.cards"});
  add(1, "ada", std::string(2000, 'x'));
  wait_for_delivery();
  run("UPDATE cards SET title = 'a'");
  EXPECT_EQ(news(ada), "resync planner.cards");
  EXPECT_EQ(news(all), "create 1; update 1");
}

TEST_P(RealtimeTest, SurvivesActivationAndStopOfAPlugin) {
  const Client ada = follow("ada", {"planner.lines", "later.lines"});
  live_->detach("planner");
  run("INSERT INTO lines (id) VALUES ('" + id_of(1) + "')");
  live_->attach("planner", model_, database_);
  EXPECT_EQ(news(ada), "resync planner.lines");
  run("INSERT INTO lines (id) VALUES ('" + id_of(2) + "')");
  EXPECT_EQ(news(ada), "resync planner.lines; create 2");
}

TEST_P(RealtimeTest, RefusesUnknownTopicsAndBadFilters) {
  EXPECT_EQ(refusal("planner.nothing"), "events.unknown_topic");
  EXPECT_EQ(refusal("planner.boards"), "events.unknown_topic");
  EXPECT_EQ(refusal("planner.cards", "title ="), "expression.invalid");
  EXPECT_EQ(refusal("planner.cards", "secret = 'x'"), "expression.invalid");
  EXPECT_EQ(refusal("planner.cards", "note = 'x'"), "records.field_not_allowed");
  EXPECT_EQ(refusal("planner.*", "title = 'x'"), "events.bad_filter");
  EXPECT_EQ(refusal("planner.cards/x", "title = 'x'"), "events.bad_filter");
  EXPECT_EQ(refusal("planner.vaults"), "none");
}

TEST_P(RealtimeTest, SendsChangesOfARecordInOrder) {
  add(1, "ada");
  const Client ada = follow("ada", {"planner.cards"});
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&] {
      for (int j = 0; j < 50; ++j)
        run("UPDATE cards SET version = version + 1");
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  wait_for_delivery();
  const std::vector<SentEvent> sent = ada.stream->sent();
  ASSERT_FALSE(sent.empty());
  int last = 0;
  for (const auto& [name, data] : sent) {
    const std::size_t at = data.rfind("\"version\":");
    const int version = std::stoi(data.substr(at + 10));
    EXPECT_GT(version, last);
    last = version;
  }
  EXPECT_EQ(last, 401);
}

TEST_P(RealtimeTest, UsesNothingAfterStop) {
  Client ada = follow("ada", {"planner.lines"});
  live_->stop();
  live_->detach("planner");
  run("INSERT INTO lines (id) VALUES ('" + id_of(1) + "')");
  ada.subscription.reset();
  EXPECT_TRUE(ada.stream->sent().empty());
}

}  // namespace
}  // namespace tenon::realtime::test
