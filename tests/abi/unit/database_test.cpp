#include <functional>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

struct Note {
  std::string id;
  std::string title;
  std::optional<std::string> parent;
  std::int64_t version = 0;
  bool is_pinned = false;
  std::optional<double> score;
  std::optional<std::int64_t> size;
  Time at;
};

class DatabaseTest : public testing::Test {
 protected:
  /// Runs `work` inside start(); what it throws fails the test.
  template <class F>
  void with_database(F work) {
    bool ran = false;
    const RunningPlugin plugin(
        host, Steps{.start = [&](Scripted& self) {
          self.database().exec(
              "CREATE TABLE IF NOT EXISTS t (id TEXT PRIMARY KEY, title TEXT NOT NULL, parent "
              "TEXT, version INTEGER, "
              "pinned INTEGER, score REAL, size INTEGER, at TEXT, data BLOB)");
          work(self.database());
          ran = true;
        }});
    EXPECT_EQ(plugin.started, TENON_OK) << plugin.error.message;
    EXPECT_TRUE(ran);
    EXPECT_EQ(host.open_cursors, 0);
    EXPECT_EQ(host.open_transactions, 0);
  }

  static void insert(Statements& to, std::string_view id, std::string_view title = "t") {
    to.exec("INSERT INTO t (id, title, version) VALUES (?, ?, 1)", id, title);
  }
  static std::int64_t count(Database& db) {
    return db.first<std::int64_t>("SELECT count(*) FROM t").value();
  }

  FakeHost host;
};

TEST_F(DatabaseTest, EveryKindOfValueGoesInAndOut) {
  with_database([](Database& db) {
    const std::byte raw[] = {std::byte{0}, std::byte{255}};
    const Time at = *parse_rfc3339("2026-11-20T08:15:30.123Z");
    const Changes changes = db.exec("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                    std::string("a"), "título", std::optional<std::string>(),
                                    INT64_MIN, true, 2.5, nullptr, rfc3339(at), Bytes(raw));
    EXPECT_EQ(changes.rows, 1);
    int rows = 0;
    for (const Row& row : db.query("SELECT * FROM t")) {
      ++rows;
      EXPECT_EQ(row.size(), 9u);
      EXPECT_EQ(row.get<std::string_view>("title"), "título");
      EXPECT_EQ(row.get<std::optional<std::string>>("parent"), std::nullopt);
      EXPECT_EQ(row.get<std::int64_t>(3), INT64_MIN);
      EXPECT_TRUE(row.get<bool>("pinned"));
      EXPECT_EQ(row.get<double>("score"), 2.5);
      EXPECT_TRUE(row.is_null(6));
      EXPECT_EQ(row.get<Time>("at"), at);
      EXPECT_EQ(row.get<std::vector<std::byte>>("data"), (std::vector<std::byte>{raw[0], raw[1]}));
      EXPECT_EQ(row.get<Bytes>("data").size(), 2u);
    }
    EXPECT_EQ(rows, 1);
  });
}

TEST_F(DatabaseTest, SaysWhatKeepsIt) {
  host.engine = TENON_DB_POSTGRESQL;
  with_database([](Database& db) {
    EXPECT_EQ(db.engine(), Engine::postgresql);
    db.transaction([](Transaction& all) { EXPECT_EQ(all.engine(), Engine::postgresql); });
  });
}

TEST_F(DatabaseTest, AnOlderHostKeepsSqlite) {
  host.engine = TENON_DB_POSTGRESQL;
  host.limit(TENON_DB_ID, TENON_NEED(tenon_db, migrate));
  with_database([](Database& db) { EXPECT_EQ(db.engine(), Engine::sqlite); });
}

TEST_F(DatabaseTest, RowsCrossBatches) {
  with_database([](Database& db) {
    for (const char* id : {"a", "b", "c", "d", "e"})
      insert(db, id);
    std::string seen;
    for (const Row& row : db.query("SELECT id FROM t ORDER BY id"))
      seen += row.get<std::string_view>(0);
    EXPECT_EQ(seen, "abcde");
    EXPECT_EQ(db.all<std::string>("SELECT id FROM t WHERE id > ? ORDER BY id", "b").size(), 3u);
    EXPECT_TRUE(db.query("SELECT id FROM t WHERE 0").empty());
    for (const Row& row : db.query("SELECT id FROM t WHERE 0"))
      FAIL() << row.get<std::string>(0);
  });
}

TEST_F(DatabaseTest, ARowBecomesAStructTupleOrValue) {
  with_database([](Database& db) {
    db.exec(
        "INSERT INTO t VALUES ('a', 'Plan', NULL, 3, 1, 2.5, NULL, '2026-01-02T03:04:05.006Z', "
        "NULL)");
    const auto note =
        db.first<Note>("SELECT id, title, parent, version, pinned, score, size, at FROM t");
    ASSERT_TRUE(note);
    EXPECT_EQ(note->id, "a");
    EXPECT_EQ(note->title, "Plan");
    EXPECT_EQ(note->parent, std::nullopt);
    EXPECT_EQ(note->version, 3);
    EXPECT_TRUE(note->is_pinned);
    EXPECT_EQ(note->score, 2.5);
    EXPECT_EQ(note->size, std::nullopt);
    EXPECT_EQ(rfc3339(note->at), "2026-01-02T03:04:05.006Z");
    const auto pair = db.first<std::tuple<std::string, int>>("SELECT title, version FROM t");
    EXPECT_EQ(pair, (std::tuple<std::string, int>("Plan", 3)));
    EXPECT_EQ(db.first<std::string>("SELECT id FROM t WHERE id = 'z'"), std::nullopt);
  });
}

TEST_F(DatabaseTest, AWrongTypeNamesTheColumn) {
  with_database([](Database& db) {
    insert(db, "a");
    const auto message = [&](auto read) {
      try {
        read();
      } catch (const Misuse& misuse) {
        return std::string(misuse.what());
      }
      return std::string("nothing");
    };
    EXPECT_EQ(message([&] { (void)db.first<std::int64_t>("SELECT title FROM t"); }),
              "column 'title' holds text, not an integer");
    EXPECT_EQ(message([&] { (void)db.first<std::string>("SELECT parent FROM t"); }),
              "column 'parent' holds null, not text");
    EXPECT_EQ(message([&] { (void)db.first<std::string>("SELECT id, title FROM t"); }),
              "the row has 2 columns, but the type has 1");
    EXPECT_NE(message([&] { (void)db.first<std::uint8_t>("SELECT 300"); }), "nothing");
    EXPECT_NE(message([&] {
                for (const Row& r : db.query("SELECT id FROM t"))
                  (void)r.get<int>("nope");
              }),
              "nothing");
    EXPECT_NE(message([&] {
                for (const Row& r : db.query("SELECT id FROM t"))
                  (void)r.get<int>(1);
              }),
              "nothing");
  });
}

TEST_F(DatabaseTest, ATransactionCommitsAtItsEnd) {
  with_database([](Database& db) {
    const int result = db.transaction([](Transaction& tx) {
      insert(tx, "a");
      return static_cast<int>(tx.first<std::int64_t>("SELECT count(*) FROM t").value());
    });
    EXPECT_EQ(result, 1);
    EXPECT_EQ(count(db), 1);
  });
}

TEST_F(DatabaseTest, ATransactionIsUndoneWhenItsScopeThrows) {
  with_database([](Database& db) {
    EXPECT_THROW(db.transaction([](Transaction& tx) {
      insert(tx, "a");
      throw Error(409, "test.stop", "Stop.");
    }),
                 Error);
    EXPECT_EQ(count(db), 0);
    db.transaction([](Transaction& tx) {
      insert(tx, "b");
      tx.rollback();
      EXPECT_THROW(insert(tx, "c"), Misuse);
    });
    EXPECT_EQ(count(db), 0);
  });
}

TEST_F(DatabaseTest, ReportsConstraintWithItsOwnCode) {
  with_database([](Database& db) {
    insert(db, "a");
    try {
      insert(db, "a");
      FAIL();
    } catch (const Error& error) {
      EXPECT_TRUE(error.is(TENON_E_CONSTRAINT));
      EXPECT_EQ(error.status(), 409);
      EXPECT_EQ(error.code(), "data.unique");
    }
    EXPECT_THROW(db.exec("NONSENSE"), Error);
  });
}

TEST_F(DatabaseTest, ATransactionInsideATransactionIsABug) {
  with_database([](Database& db) {
    EXPECT_THROW(db.transaction([&](Transaction&) { db.transaction([](Transaction&) {}); }),
                 Misuse);
    db.transaction([](Transaction& tx) { insert(tx, "after"); });
    EXPECT_EQ(count(db), 1);
  });
}

TEST_F(DatabaseTest, ASnapshotEndsWithItsScope) {
  with_database([](Database& db) {
    insert(db, "a");
    const auto ids = db.read([](Read& read) { return read.all<std::string>("SELECT id FROM t"); });
    EXPECT_EQ(ids, std::vector<std::string>{"a"});
    EXPECT_THROW(db.read([](Read&) -> int { throw Error(404, "x", "x"); }), Error);
  });
}

TEST_F(DatabaseTest, ASnapshotMayOutliveTheCall) {
  with_database([this](Database& db) {
    insert(db, "a");
    std::unique_ptr<Read> snapshot = db.snapshot();
    EXPECT_EQ(host.open_transactions, 1);
    EXPECT_EQ(snapshot->all<std::string>("SELECT id FROM t"), std::vector<std::string>{"a"});
    snapshot.reset();
    EXPECT_EQ(host.open_transactions, 0);
  });
}

TEST_F(DatabaseTest, ArgumentsGrowAtRunTime) {
  with_database([](Database& db) {
    Arguments ids;
    std::string marks;
    for (int i = 0; i < 100; ++i) {
      const std::string id = "note-" + std::to_string(i);
      insert(db, id);
      if (i % 2 == 0) {
        ids.add(id);
        marks += marks.empty() ? "?" : ",?";
      }
    }
    const auto found =
        db.first<std::int64_t>("SELECT count(*) FROM t WHERE id IN (" + marks + ")", ids);
    EXPECT_EQ(found, 50);
  });
}

TEST_F(DatabaseTest, TextAndBlobsWithoutBytesAreNotNull) {
  with_database([](Database& db) {
    db.exec("INSERT INTO t (id, title, data) VALUES (?, ?, ?)", "e", std::string_view(), Bytes());
    const auto row = db.first<std::tuple<std::string, bool>>("SELECT title, data IS NULL FROM t");
    EXPECT_EQ(row, (std::tuple<std::string, bool>("", false)));
    EXPECT_THROW(db.exec("SELECT ?", UINT64_MAX), Error);
  });
}

TEST_F(DatabaseTest, IsAvailableBetweenStartAndStopOnly) {
  const RunningPlugin early(host, [](Scripted& self) { self.database().exec("SELECT 1"); });
  EXPECT_EQ(early.created, TENON_E_INTERNAL);
  EXPECT_STREQ(early.error.name, "plugin.misuse");
  bool refused = false;
  {
    const RunningPlugin late(host, Steps{.stop = [&](Scripted& self) {
                               try {
                                 self.database().exec("SELECT 1");
                               } catch (const Misuse&) {
                                 refused = true;
                               }
                             }});
  }
  EXPECT_TRUE(refused);
}

TEST_F(DatabaseTest, RowsComeAsJson) {
  with_database([](Database& db) {
    EXPECT_EQ(db.json_rows("SELECT id FROM t"), "[]");
    EXPECT_EQ(db.json_row("SELECT id FROM t WHERE id = ?", "a"), std::nullopt);
    insert(db, "a");
    insert(db, "b");
    EXPECT_EQ(db.json_rows("SELECT id, version FROM t ORDER BY id"),
              R"([{"id":"a","version":1},{"id":"b","version":1}])");
    EXPECT_EQ(db.json_row("SELECT id FROM t WHERE id = ?", "b"), R"({"id":"b"})");
    db.read([](Read& snapshot) { EXPECT_EQ(snapshot.json_rows("SELECT 1 AS n"), R"([{"n":1}])"); });
    EXPECT_THROW(static_cast<void>(db.json_rows("SELEC")), Error);
  });
}

/// A plugin with one route whose handler writes through the queue.
class QueuedWriteTest : public testing::Test {
 protected:
  using Work = std::function<Response(Transaction&)>;
  void serve(Work work) {
    plugin.emplace(host, [work = std::move(work)](Scripted& self) {
      self.host().http().post("/x", access::everyone, {.is_inline = true},
                              [&self, work](const Request& request) {
                                return self.database().write(request.defer(), work);
                              });
    });
    ASSERT_EQ(plugin->started, TENON_OK) << plugin->error.message;
    sqlite3_exec(host.sqlite(), "CREATE TABLE t (id TEXT PRIMARY KEY)", nullptr, nullptr, nullptr);
  }
  tenon_handle post() { return host.start({.method = TENON_HTTP_POST, .pattern = "/x"}); }
  int rows() {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(host.sqlite(), "SELECT count(*) FROM t", -1, &statement, nullptr);
    sqlite3_step(statement);
    const int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return count;
  }

  FakeHost host;
  std::optional<RunningPlugin> plugin;
};

TEST_F(QueuedWriteTest, RespondsAfterCommit) {
  serve([](Transaction& db) {
    db.exec("INSERT INTO t VALUES ('a')");
    return Response::text("made", 201);
  });
  const tenon_handle request = post();
  EXPECT_EQ(host.response(request).returned, TENON_PENDING);
  EXPECT_EQ(host.response(request).status, 0);
  host.run_writes();
  EXPECT_EQ(host.response(request).status, 201);
  EXPECT_EQ(host.response(request).body, "made");
  EXPECT_EQ(rows(), 1);
}

TEST_F(QueuedWriteTest, RespondsWithErrorOfCommit) {
  serve([](Transaction& db) {
    db.exec("INSERT INTO t VALUES ('a')");
    return Response::text("made", 201);
  });
  const tenon_handle request = post();
  host.run_writes(TENON_E_DISK_FULL);
  EXPECT_EQ(host.response(request).status, 507);
  EXPECT_EQ(host.response(request).code, "data.disk_full");
  EXPECT_EQ(rows(), 0);
}

TEST_F(QueuedWriteTest, RollsBackAndSendsErrorThrownByWork) {
  serve([](Transaction& db) -> Response {
    db.exec("INSERT INTO t VALUES ('a')");
    throw Error(422, "test.bad", "Bad.");
  });
  const tenon_handle request = post();
  host.run_writes();
  EXPECT_EQ(host.response(request).code, "test.bad");
  EXPECT_EQ(rows(), 0);
  plugin.reset();
  serve([](Transaction&) -> Response { throw std::runtime_error("inner"); });
  const tenon_handle second = post();
  host.run_writes();
  EXPECT_EQ(host.response(second).status, 500);
}

TEST_F(QueuedWriteTest, SendsResponseAfterRollback) {
  serve([](Transaction& db) {
    db.exec("INSERT INTO t VALUES ('a')");
    db.rollback();
    EXPECT_THROW(db.exec("INSERT INTO t VALUES ('b')"), Misuse);
    return Response::text("seen");
  });
  const tenon_handle request = post();
  host.run_writes();
  EXPECT_EQ(host.response(request).body, "seen");
  EXPECT_EQ(rows(), 0);
}

TEST_F(QueuedWriteTest, RespondsAtOnceIfQueueIsFull) {
  serve([](Transaction&) { return Response::empty(); });
  host.is_busy = true;
  EXPECT_EQ(host.response(post()).code, "data.busy");
}

TEST_F(QueuedWriteTest, AnOlderHostHasNoQueue) {
  host.limit(TENON_DB_ID, TENON_NEED(tenon_db, rollback));
  serve([](Transaction&) { return Response::empty(); });
  EXPECT_EQ(host.response(post()).status, 501);
}

}  // namespace
}  // namespace tenon::test
