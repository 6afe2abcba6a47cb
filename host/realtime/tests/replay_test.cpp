#include <map>
#include <random>

#include "base/json_slice.hpp"
#include "base/tests/sampling.hpp"
#include "realtime/tests/realtime_fixture.hpp"

namespace tenon::realtime::test {
namespace {

const char* const replay_tables = R"json({"tables":[
  {"name":"cards","publish":true,
   "rules":{"read":"public or owner = @user or @user in watchers or tags = 'red' or can('planner.see_all')"},"fields":[
    {"name":"title","type":"text"},{"name":"public","type":"boolean","required":true,"default":false},
    {"name":"owner","type":"user"},{"name":"price","type":"number"},
    {"name":"count","type":"integer","unique":true},
    {"name":"watchers","type":"user","many":true},
    {"name":"tags","type":"choice","many":true,"choices":["red","blue"]},
    {"name":"note","type":"text","rules":{"read":"owner = @user"}},
    {"name":"loud","type":"computed","expression":"upper(title) + '!'"}]},
  {"name":"boards","fields":[{"name":"name","type":"text"},{"name":"owner","type":"user"}]},
  {"name":"labels","fields":[{"name":"name","type":"text"}]},
  {"name":"tasks","publish":true,
   "rules":{"read":"board.owner = @user or labels.name = 'open' or parent.board.name = 'x'"},"fields":[
    {"name":"title","type":"text"},{"name":"board","type":"reference","table":"boards","on_delete":"clear"},
    {"name":"parent","type":"reference","table":"tasks","on_delete":"cascade"},
    {"name":"labels","type":"reference","table":"labels","many":true},
    {"name":"mine","type":"computed","expression":"board.owner = @user"}]}
]})json";

constexpr int records = 6;

// The list of a client that updates it by events; a resync makes it read the list again.
struct Mirror {
  std::string user;
  std::string table;
  std::string filter;
  Client client;
  std::map<std::string, std::string> list;
  std::size_t taken = 0;
};

class ReplayTest : public RealtimeFixture {
 protected:
  ReplayTest() { attach(replay_tables); }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  template <std::size_t size>
  std::string one_of(const char* const (&list)[size]) {
    return list[below(size)];
  }
  std::string some_id() { return "'" + id_of(1 + static_cast<int>(below(records))) + "'"; }
  std::string person() { return one_of({"'ada'", "'bob'", "'eve'", "NULL"}); }

  std::string statement() {
    switch (below(14)) {
      case 0:
      case 1:
        return "INSERT OR IGNORE INTO cards (id, title, owner, price) VALUES (" + some_id() +
               ", 'a', " + person() + ", 0.1)";
      case 2:
        return "INSERT OR REPLACE INTO cards (id, title, count) VALUES (" + some_id() + ", 'b', " +
               std::to_string(below(4)) + ")";
      case 3:
        return "UPDATE cards SET owner = " + person() +
               ", title = " + one_of({"'a'", "'b'", "NULL"}) + " WHERE id = " + some_id();
      case 4:
        return "UPDATE OR REPLACE cards SET public = NOT public, count = " +
               std::to_string(below(4)) + " WHERE id = " + some_id();
      case 5:
        return "UPDATE cards SET price = price * 3, note = 'n', tags = " +
               one_of({"NULL", "'[]'", "'[\"red\"]'", "'[\"blue\"]'"}) +
               " WHERE id <= " + some_id();
      case 6:
        return "DELETE FROM cards WHERE id = " + some_id();
      case 7:
        return "INSERT OR REPLACE INTO cards__watchers (record, target, position) SELECT id, "
               "'ada', "
               "1 FROM cards WHERE id = " +
               some_id();
      case 8:
        return "DELETE FROM cards__watchers WHERE record = " + some_id();
      case 9:
        return "INSERT OR IGNORE INTO boards (id, name, owner) VALUES (" + some_id() + ", " +
               one_of({"'x'", "'y'"}) + ", " + person() + ")";
      case 10:
        return one_of(
                   {"UPDATE boards SET name = 'x' WHERE id = ",
                    "UPDATE boards SET owner = 'ada' WHERE id = ", "DELETE FROM boards WHERE id = ",
                    "DELETE FROM tasks WHERE id = ", "UPDATE labels SET name = 'open' WHERE id = ",
                    "DELETE FROM labels WHERE id = ",
                    "INSERT OR IGNORE INTO labels (name, id) SELECT 'shut', "}) +
               some_id();
      case 11:
        return "INSERT OR IGNORE INTO tasks (id, title, board, parent) VALUES (" + some_id() +
               ", 't', (SELECT id FROM boards WHERE id = " + some_id() +
               "), (SELECT id FROM tasks WHERE id = " + some_id() + "))";
      case 12:
        return "INSERT OR IGNORE INTO tasks__labels (record, target, position) SELECT tasks.id, "
               "labels.id, 0 FROM tasks, labels WHERE tasks.id = " +
               some_id() + " AND labels.id = " + some_id();
      default:
        return "UPDATE tasks SET board = (SELECT id FROM boards WHERE id = " + some_id() +
               "), title = 'u' WHERE id = " + some_id();
    }
  }

  // PostgreSQL has no OR REPLACE: an insert that conflicts with a record is skipped or fails alone.
  static void exec(data::Transaction& transaction, std::string sql) {
    if (current() == data::Dialect::sqlite) {
      transaction.exec(sql);
      return;
    }
    const auto end = sql.starts_with("INSERT OR ") ? " ON CONFLICT DO NOTHING" : "";
    for (const std::string word : {" OR IGNORE", " OR REPLACE"}) {
      if (const auto at = sql.find(word); at != std::string::npos) sql.erase(at, word.size());
    }
    const std::string code = data::test::code_of([&] { transaction.exec(sql + end); });
    EXPECT_TRUE(code == "none" || code == "data.unique") << code << ": " << sql;
  }

  void change() {
    // Allow long pauses of the machine: this test does not check time.
    data::Transaction transaction =
        database_->begin(data::Mode::write, data::WaitLimits{}.max_transaction);
    for (std::size_t left = 1 + below(3); left > 0; --left)
      exec(transaction, statement());
    if (below(6) != 0) transaction.commit();
  }

  std::map<std::string, std::string> list(const Mirror& mirror) {
    std::map<std::string, std::string> found;
    for (int i = 1; i <= records; ++i) {
      std::string record = shown(mirror.user, mirror.table, id_of(i), mirror.filter);
      if (!record.empty()) found[id_of(i)] = std::move(record);
    }
    return found;
  }

  void open(Mirror& mirror) {
    const std::string id = mirror.client.stream->id();
    mirror.client = follow(mirror.user, {"planner." + mirror.table}, mirror.filter, id);
    mirror.taken = 0;
    if (id.empty()) mirror.list = list(mirror);
  }

  // True where it had to read again.
  bool take(Mirror& mirror) {
    bool is_read = false;
    const std::vector<SentEvent> sent = mirror.client.stream->sent();
    for (; mirror.taken < sent.size(); ++mirror.taken) {
      const auto& [name, data] = sent[mirror.taken];
      if (name == "resync") {
        mirror.list = list(mirror);
        is_read = true;
        continue;
      }
      std::string action;
      std::string id;
      std::string record;
      base::JsonSlice(data).each_member([&](const std::string& key, const base::JsonSlice& value) {
        if (key == "action") action = value.string();
        if (key == "id") id = value.string();
        if (key == "record") record = value.text();
      });
      if (action == "delete")
        mirror.list.erase(id);
      else
        mirror.list[id] = record;
    }
    return is_read;
  }

  std::mt19937_64 random_;
};

TENON_ON_BOTH_ENGINES(ReplayTest);

TEST_P(ReplayTest, EventsTurnTheFirstListIntoTheLast) {
  std::size_t resyncs_of_cards = 0;
  std::size_t sent = 0;
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(4);
  for (int seed = 1 + steps.first(); seed <= 12; seed += steps.interval()) {
    random_.seed(static_cast<unsigned>(seed));
    std::vector<Mirror> mirrors;
    for (const char* user : {"ada", "bob", "root"}) {
      for (const char* table : {"cards", "tasks"})
        mirrors.push_back({user, table, {}, {}, {}});
    }
    mirrors.push_back({"ada", "cards", "title = 'a' and price > 0.2", {}, {}});
    mirrors.push_back({"root", "cards", "watchers != null and count < 3", {}, {}});
    for (Mirror& mirror : mirrors)
      open(mirror);
    for (int i = 0; i < 150; ++i) {
      change();
      // A tab whose connection breaks.
      if (below(25) == 0) {
        Mirror& mirror = mirrors[below(mirrors.size())];
        take(mirror);
        mirror.client.subscription.reset();
        mirror.client.stream->close();
        change();
        take(mirror);
        open(mirror);
      }
    }
    wait_for_delivery();
    for (Mirror& mirror : mirrors) {
      bool is_read = false;
      // A late client is served after the others.
      eventually([&] {
        is_read = take(mirror) || is_read;
        return mirror.list == list(mirror);
      });
      wait_for_delivery();
      is_read = take(mirror) || is_read;
      if (mirror.table == "cards" && is_read) ++resyncs_of_cards;
      sent += mirror.taken;
      EXPECT_EQ(mirror.list, list(mirror))
          << "seed " << seed << " " << mirror.user << " " << mirror.table << " " << mirror.filter;
    }
  }
  // No rule reads a card over a path, so its changes are sent one by one.
  EXPECT_EQ(resyncs_of_cards, 0U);
  EXPECT_GT(sent * static_cast<std::size_t>(steps.interval()), 1000U);
}

}  // namespace
}  // namespace tenon::realtime::test
