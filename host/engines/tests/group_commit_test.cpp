#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

class GroupCommitTest : public BothEnginesTest {
 protected:
  void SetUp() override {
    // On a slow machine no group ends before its time.
    options_.groups.age = std::chrono::seconds(30);
    BothEnginesTest::SetUp();
  }
  // Starts `count` writers after a transaction that holds the write lock, so that they are in the
  // queue together and share a group once it ends.
  template <typename Work>
  void together(int count, Work work, const std::function<void(Transaction&)>& first = {}) {
    auto holder = database().begin(Mode::write);
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&, i] { work(i); });
      // One after the other, so that their order is known.
      while (database().statistics().waiting < static_cast<std::uint64_t>(i) + 1)
        std::this_thread::yield();
    }
    if (first) first(holder);
    holder_code_ = code_of([&] {
      if (holder.is_open()) holder.commit();
    });
    for (auto& thread : threads)
      thread.join();
  }
  void insert(Transaction& transaction, int id) {
    transaction.exec("INSERT INTO items (id) VALUES (?1)", {id});
  }

  std::string holder_code_;  ///< result of the first holder of the write lock
};

/// Tests behaviour of SQLite alone.
class SqliteGroupCommitTest : public GroupCommitTest {};

TEST_P(GroupCommitTest, EveryAcknowledgedWriteIsThereAndGroupsForm) {
  constexpr int threads = 64;
  constexpr int each = 50;
  std::atomic<int> acknowledged{0};
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        if (t % 2 == 0) {
          database().write([&](Transaction& transaction) { insert(transaction, t * each + i); });
        } else {
          auto transaction = database().begin(Mode::write);
          insert(transaction, t * each + i);
          transaction.commit();
        }
        ++acknowledged;
      }
    });
  }
  for (auto& writer : writers)
    writer.join();
  EXPECT_EQ(acknowledged, threads * each);
  EXPECT_EQ(items(), threads * each);
  const auto statistics = database().statistics();
  EXPECT_EQ(statistics.writes, static_cast<std::uint64_t>(threads * each) + 1);
  // How large they grow is a matter of speed: a group ends after some milliseconds.
  EXPECT_LT(statistics.groups, statistics.writes);
  EXPECT_GT(statistics.max_group_size, 1U);
  EXPECT_EQ(statistics.waiting, 0U);
  EXPECT_EQ(statistics.open, 0U);
}

TEST_P(GroupCommitTest, QueuedWritersShareOneCommit) {
  const auto before = database().statistics().groups;
  together(10, [&](int i) {
    database().write([&](Transaction& transaction) { insert(transaction, i); });
  });
  EXPECT_EQ(items(), 10);
  EXPECT_EQ(database().statistics().groups, before + 1);
}

TEST_P(GroupCommitTest, AGroupEndsAtItsBound) {
  options_.groups.members = 4;
  database_.reset();
  open();
  const auto before = database().statistics();
  together(11, [&](int i) {
    database().write([&](Transaction& transaction) { insert(transaction, i); });
  });
  EXPECT_EQ(items(), 11);
  EXPECT_EQ(database().statistics().max_group_size, 4U);
  EXPECT_EQ(database().statistics().groups, before.groups + 3);
}

TEST_P(GroupCommitTest, ALoneWriterCommitsAtOnce) {
  for (int i = 0; i < 5; ++i) {
    auto transaction = database().begin(Mode::write);
    insert(transaction, i);
    transaction.commit();
    EXPECT_EQ(items(), i + 1);
  }
  EXPECT_EQ(database().statistics().max_group_size, 1U);
}

TEST_P(GroupCommitTest, GrantsTheWriteLockInQueueOrder) {
  std::vector<int> order;
  together(20, [&](int i) { database().write([&](Transaction&) { order.push_back(i); }); });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(order.at(static_cast<std::size_t>(i)), i);
}

TEST_P(GroupCommitTest, ARolledBackMemberUndoesOnlyItself) {
  std::atomic<int> failed{0};
  together(12, [&](int i) {
    if (i % 3 == 0) {
      auto transaction = database().begin(Mode::write);
      insert(transaction, i);
      transaction.rollback();
    } else if (i % 3 == 1) {
      const auto code = code_of([&] {
        database().write([&](Transaction& transaction) {
          insert(transaction, i);
          throw base::Error(422, "test.refused", "");
        });
      });
      if (code == "test.refused") ++failed;
    } else {
      database().write([&](Transaction& transaction) { insert(transaction, i); });
    }
  });
  EXPECT_EQ(failed, 4);
  EXPECT_EQ(items(), 4);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items WHERE id % 3 <> 2"), 0);
  EXPECT_EQ(database().statistics().group_rolled_back, 0U);
}

TEST_P(GroupCommitTest, ARollbackOfTheFirstMemberKeepsOthers) {
  together(
      3,
      [&](int i) { database().write([&](Transaction& transaction) { insert(transaction, i); }); },
      [&](Transaction& holder) {
        insert(holder, 100);
        holder.rollback();
      });
  EXPECT_EQ(items(), 3);
}

TEST_P(GroupCommitTest, IsolatesAFailedStatement) {
  database().exec(
      "CREATE TABLE strict_items (name TEXT NOT NULL UNIQUE CHECK "
      "(length(name) < 5),"
      " item INTEGER REFERENCES items (id))" +
      strict());
  database().exec("INSERT INTO strict_items (name) VALUES ('ab')");
  std::vector<std::pair<std::string, std::string>> failing = {
      {"INSERT INTO strict_items (name) VALUES ('ab')", "data.unique"},
      {"INSERT INTO strict_items (name) VALUES (NULL)", "data.required"},
      {"INSERT INTO strict_items (name) VALUES ('too long')", "data.check"},
      {"INSERT INTO strict_items (name, item) VALUES ('x', 'y')", "data.type"},
      {"INSERT INTO strict_items (name, item) VALUES ('x', 777)", "data.reference"},
      {"INSERT INTO nowhere VALUES (1)", "data.sql"},
  };
  if (is_sqlite()) {
    failing.insert(
        failing.end(),
        {{"INSERT OR FAIL INTO strict_items (name) VALUES ('cd'), ('ab')", "data.unique"},
         {"SELECT abs(-9223372036854775808)", "data.sql"},
         {"INSERT INTO items (text) VALUES (zeroblob(100000000))", "data.too_large"},
         {"ATTACH 'x' AS x", "data.denied"}});
  }
  std::vector<std::string> codes(failing.size());
  together(static_cast<int>(failing.size()) * 2, [&](int i) {
    const auto index = static_cast<std::size_t>(i / 2);
    if (i % 2 == 0) {
      database().write([&](Transaction& transaction) { insert(transaction, i); });
      return;
    }
    database().write([&](Transaction& transaction) {
      insert(transaction, i);
      // The statement alone is undone; the transaction continues.
      codes[index] = code_of([&] { transaction.exec(failing[index].first); });
    });
  });
  for (std::size_t i = 0; i < failing.size(); ++i)
    EXPECT_EQ(codes[i], failing[i].second) << failing[i].first;
  EXPECT_EQ(items(), static_cast<std::int64_t>(failing.size()) * 2);
  EXPECT_EQ(database().statistics().group_rolled_back, 0U);
}

// Errors that make SQLite roll back the whole transaction: no member of the group succeeds.
class LostGroupTest : public GroupCommitTest {
 protected:
  void lose(const std::string& sql, const std::string& expected,
            std::chrono::milliseconds timeout = {}) {
    std::vector<std::string> codes(8);
    together(8, [&](int i) {
      codes[static_cast<std::size_t>(i)] = code_of([&] {
        if (i == 4) {
          auto transaction = database().begin(Mode::write, timeout);
          insert(transaction, i);
          const auto code = code_of([&] { transaction.exec(sql); });
          EXPECT_EQ(code, expected);
          EXPECT_FALSE(transaction.is_open());
          EXPECT_NE(code_of([&] { transaction.commit(); }), "none");
          throw base::Error(500, code, "");
        }
        database().write([&](Transaction& transaction) { insert(transaction, i); });
      });
    });
    EXPECT_EQ(holder_code_, "data.group_rolled_back");
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(codes[static_cast<std::size_t>(i)], "data.group_rolled_back") << i;
    EXPECT_EQ(codes[4], expected);
    for (int i = 5; i < 8; ++i)
      EXPECT_EQ(codes[static_cast<std::size_t>(i)], "none") << i;
    EXPECT_EQ(number(database(), "SELECT count(*) FROM items WHERE id < 5"), 0);
    EXPECT_EQ(items(), 3) << "later ones continue";
    EXPECT_EQ(database().statistics().group_rolled_back, 5U);
    EXPECT_EQ(database().statistics().open, 0U);
  }
};

TEST_P(LostGroupTest, ByOnConflictRollback) {
  database().exec("CREATE TABLE u (x UNIQUE)");
  database().exec("INSERT INTO u VALUES (1)");
  lose("INSERT OR ROLLBACK INTO u VALUES (1)", "data.unique");
}

TEST_P(LostGroupTest, ByARaiseInATrigger) {
  database().exec("CREATE TABLE u (x)");
  database().exec("CREATE TRIGGER t BEFORE INSERT ON u BEGIN SELECT raise(ROLLBACK, 'no'); END");
  lose("INSERT INTO u VALUES (1)", "data.refused");
}

TEST_P(LostGroupTest, ByACancelledWrite) {
  lose(
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO items (text) "
      "SELECT count(*) FROM n",
      "data.timeout", std::chrono::milliseconds(2'000));
}

TEST_P(LostGroupTest, ByAFullFile) {
  database_.reset();
  options_.confinement.limits.file_bytes = 1024 * 1024;
  open();
  lose("INSERT INTO items (text) VALUES (hex(randomblob(2000000)))", "data.disk_full");
}

TEST_P(GroupCommitTest, ACancelledReadInsideAWriteLosesNothing) {
  auto transaction = database().begin(Mode::write, std::chrono::milliseconds(1'000));
  insert(transaction, 1);
  EXPECT_EQ(code_of([&] {
              transaction
                  .query(
                      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                      "2000000000) SELECT count(*) FROM n")
                  .next();
            }),
            "data.timeout");
  EXPECT_EQ(database().statistics().group_rolled_back, 0U);
}

TEST_P(SqliteGroupCommitTest, ABrokenDeferredReferenceFailsItsMemberOnly) {
  database().exec(
      "CREATE TABLE child (item INTEGER REFERENCES items (id) DEFERRABLE INITIALLY DEFERRED)");
  std::vector<std::string> codes(6);
  together(6, [&](int i) {
    codes[static_cast<std::size_t>(i)] = code_of([&] {
      if (i == 2) {
        auto transaction = database().begin(Mode::write);
        transaction.exec("INSERT INTO child VALUES (99)");
        transaction.commit();
      } else if (i == 4) {
        database().write(
            [&](Transaction& transaction) { transaction.exec("INSERT INTO child VALUES (99)"); });
      } else {
        database().write([&](Transaction& transaction) {
          transaction.exec("INSERT INTO child VALUES (?1)", {i});
          insert(transaction, i);
        });
      }
    });
  });
  EXPECT_EQ(codes, (std::vector<std::string>{"none", "none", "data.reference", "none",
                                             "data.reference", "none"}));
  EXPECT_EQ(number(database(), "SELECT count(*) FROM child"), 4);
}

TEST_P(SqliteGroupCommitTest, AFullTextIndexFollowsASavepoint) {
  database().exec("CREATE VIRTUAL TABLE found USING fts5 (text)");
  together(9, [&](int i) {
    const std::string word = i % 3 == 1 ? "undone" : "kept";
    code_of([&] {
      database().write([&](Transaction& transaction) {
        transaction.exec("INSERT INTO found (rowid, text) VALUES (?1, ?2)", {i, word});
        if (i % 3 == 1) throw base::Error(409, "test.refused", "");
      });
    });
  });
  EXPECT_EQ(number(database(), "SELECT count(*) FROM found('kept')"), 6);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM found('undone')"), 0);
  EXPECT_EQ(
      code_of([&] { database().exec("INSERT INTO found (found) VALUES ('integrity-check')"); }),
      "none");
}

TEST_P(GroupCommitTest, ReportsAsynchronousCommitsAfterTheGroup) {
  std::vector<std::promise<std::string>> results(5);
  const auto before = database().statistics().groups;
  {
    auto holder = database().begin(Mode::write);
    std::thread last(
        [&] { database().write([&](Transaction& transaction) { insert(transaction, 100); }); });
    while (database().statistics().waiting == 0)
      std::this_thread::yield();
    insert(holder, 0);
    holder.commit_async(
        [&](const std::exception_ptr& error) { results[0].set_value(error ? "error" : "done"); });
    EXPECT_FALSE(holder.is_open());
    last.join();
  }
  EXPECT_EQ(results[0].get_future().get(), "done");
  EXPECT_EQ(database().statistics().groups, before + 1);
  auto alone = database().begin(Mode::write);
  insert(alone, 1);
  bool is_reported = false;
  alone.commit_async([&](const std::exception_ptr& error) { is_reported = !error; });
  EXPECT_TRUE(is_reported) << "without a waiting writer it is on disk at once";
  EXPECT_EQ(items(), 3);
}

TEST_P(GroupCommitTest, TheQueueIsBounded) {
  options_.waits.waiting = 3;
  options_.waits.queue = std::chrono::milliseconds(200);
  database_.reset();
  open();
  auto holder = database().begin(Mode::write);
  std::vector<std::thread> threads;
  std::atomic<int> late{0};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      late += code_of([&] { database().exec("DELETE FROM items"); }) == "data.busy" ? 1 : 0;
    });
  }
  while (database().statistics().waiting < 3)
    std::this_thread::yield();
  EXPECT_EQ(code_of([&] { database().begin(Mode::write); }), "data.busy")
      << "one too many, refused at once";
  EXPECT_EQ(late, 0);
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(late, 3) << "the wait is bounded too";
  EXPECT_EQ(database().statistics().busy, 4U);
  insert(holder, 1);
  holder.commit();
  EXPECT_EQ(items(), 1);
}

TEST_P(GroupCommitTest, ATransactionWandersBetweenThreads) {
  auto transaction = database().begin(Mode::write);
  std::thread([&] { insert(transaction, 1); }).join();
  std::thread([&] { insert(transaction, 2); }).join();
  std::thread([&] { transaction.commit(); }).join();
  EXPECT_EQ(items(), 2);
}

TEST_P(GroupCommitTest, CallsOnOneTransactionExcludeEachOther) {
  auto transaction = database().begin(Mode::write);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i)
        insert(transaction, t * 100 + i);
    });
  }
  for (auto& thread : threads)
    thread.join();
  transaction.commit();
  EXPECT_EQ(items(), 400);
}

TENON_ON_BOTH_ENGINES(GroupCommitTest);
TENON_ON_SQLITE(SqliteGroupCommitTest);
// SQLite rolls back the whole group; PostgreSQL rolls back the member alone.
TENON_ON_SQLITE(LostGroupTest);

}  // namespace
}  // namespace tenon::data::test
