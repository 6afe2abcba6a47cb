#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds drain_timeout{30'000};

/// Inserts an id and passes the result to `report`.
class NumberedInsert final : public QueuedWrite {
 public:
  NumberedInsert(int id, std::function<void(const std::string&)> report)
      : id_(id), report_(std::move(report)) {}
  void work(Transaction& transaction) override {
    transaction.exec("INSERT INTO items (id) VALUES (?1)", {id_});
  }
  void done(std::exception_ptr error) noexcept override {
    report_(code_of([&] {
      if (error) std::rethrow_exception(error);
    }));
  }

 private:
  const int id_;
  const std::function<void(const std::string&)> report_;
};

class HandlesTest : public BothEnginesTest {
 protected:
  explicit HandlesTest(DatabaseOptions options = {}) : BothEnginesTest(std::move(options)) {}

  static std::string insert(Database& database, int id) {
    return code_of([&] { database.exec("INSERT INTO items (id) VALUES (?1)", {id}); });
  }
  void queue(Database& database, int id) {
    database.queue(std::make_unique<NumberedInsert>(id, [this, id](const std::string& code) {
      const std::lock_guard lock(mutex_);
      results_.push_back(std::to_string(id) + " " + code);
    }));
  }
  std::vector<std::string> results() {
    const std::lock_guard lock(mutex_);
    return results_;
  }
  void wait_for_results(std::size_t count) {
    while (results().size() < count)
      std::this_thread::yield();
  }
  /// Returns a thread that inserts.
  std::thread inserting(Database& database, int id, std::string& code) {
    return std::thread([&database, id, &code] { code = insert(database, id); });
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> results_;
};

TEST_P(HandlesTest, ShareOneDatabase) {
  const auto share = database().share();
  EXPECT_EQ(insert(database(), 1), "none");
  EXPECT_EQ(insert(*share, 2), "none");
  EXPECT_EQ(number(*share, "SELECT count(*) FROM items"), 2);
  EXPECT_EQ(share->path(), database().path());
  EXPECT_EQ(share->statistics().writes, database().statistics().writes);
}

TEST_P(HandlesTest, ClosingOneClosesItAlone) {
  const auto share = database().share();
  auto its = database().begin(Mode::read);
  auto others = share->begin(Mode::read);
  database().close();
  database().close();
  const auto closed = "data.closed";
  EXPECT_EQ(insert(database(), 1), closed);
  EXPECT_EQ(code_of([&] { items(); }), closed);
  EXPECT_EQ(code_of([&] { database().begin(Mode::write); }), closed);
  EXPECT_EQ(code_of([&] { database().begin(Mode::read); }), closed);
  EXPECT_EQ(code_of([&] { database().open_cursor("SELECT 1"); }), closed);
  EXPECT_EQ(code_of([&] { queue(database(), 1); }), closed);
  EXPECT_EQ(code_of([&] { database().engine(); }), closed);
  EXPECT_EQ(code_of([&] { static_cast<void>(database().share()); }), closed);
  EXPECT_EQ(code_of([&] { database().pause_writes(drain_timeout); }), closed);
  EXPECT_EQ(code_of([&] { its.query("SELECT 1"); }), closed);

  EXPECT_TRUE(others.query("SELECT 1").next());
  others.rollback();
  EXPECT_EQ(insert(*share, 1), "none");
  share->close();
  EXPECT_EQ(insert(*share, 2), closed);
  open();
  EXPECT_EQ(items(), 1);
}

TEST_P(HandlesTest, ClosingRollsBackOpenAndRunsQueuedWrites) {
  const auto share = database().share();
  auto mine = database().begin(Mode::write);
  mine.exec("INSERT INTO items (id) VALUES (1)");
  queue(database(), 2);
  queue(*share, 3);
  database().close();
  EXPECT_EQ(code_of([&] { mine.commit(); }), "data.closed");
  wait_for_results(2);
  EXPECT_EQ(results(), (std::vector<std::string>{"2 none", "3 none"}));
  EXPECT_EQ(number(*share, "SELECT sum(id) FROM items"), 5);
}

TEST_P(HandlesTest, WhatIsHeldWaitsForTheRelease) {
  const auto share = database().share();
  ASSERT_TRUE(database().pause_writes(drain_timeout));
  queue(database(), 1);
  queue(database(), 2);
  std::string code;
  auto waiter = inserting(database(), 3, code);
  EXPECT_EQ(items(), 0);
  EXPECT_EQ(insert(*share, 4), "none");
  EXPECT_TRUE(database().begin(Mode::read).query("SELECT 1").next());
  EXPECT_TRUE(database().pause_writes(drain_timeout));
  EXPECT_TRUE(results().empty());
  EXPECT_EQ(items(), 1);

  database().resume_writes();
  waiter.join();
  wait_for_results(2);
  EXPECT_EQ(code, "none");
  EXPECT_EQ(results(), (std::vector<std::string>{"1 none", "2 none"}));
  EXPECT_EQ(items(), 4);
}

TEST_P(HandlesTest, HoldingWaitsForWhatIsUnderWay) {
  auto open = database().begin(Mode::write);
  open.exec("INSERT INTO items (id) VALUES (1)");
  queue(database(), 2);
  EXPECT_FALSE(database().pause_writes(milliseconds(20)));
  std::thread later([&] { open.commit(); });
  EXPECT_TRUE(database().pause_writes(drain_timeout));
  later.join();
  EXPECT_EQ(results(), (std::vector<std::string>{"2 none"}));
  EXPECT_EQ(items(), 2);
  database().resume_writes();
  EXPECT_EQ(insert(database(), 3), "none");
}

TEST_P(HandlesTest, PausesNothingAfterTheTimeout) {
  auto open = database().begin(Mode::write);
  EXPECT_FALSE(database().pause_writes(milliseconds(1)));
  open.rollback();
  EXPECT_EQ(insert(database(), 1), "none");
}

TEST_P(HandlesTest, WaitsUntilAsynchronousCommitsAreReported) {
  auto open = database().begin(Mode::write);
  open.exec("INSERT INTO items (id) VALUES (1)");
  std::atomic<bool> is_reported{false};
  open.commit_async([&](const std::exception_ptr&) { is_reported = true; });
  EXPECT_TRUE(database().pause_writes(drain_timeout));
  EXPECT_TRUE(is_reported);
}

TEST_P(HandlesTest, RejectingRefusesWaitingAndLaterWrites) {
  const auto share = database().share();
  ASSERT_TRUE(database().pause_writes(drain_timeout));
  queue(database(), 1);
  std::string code;
  auto waiter = inserting(database(), 2, code);
  database().reject_writes({503, "test.over", "This version has been replaced."});
  waiter.join();
  EXPECT_EQ(code, "test.over");
  EXPECT_EQ(results(), (std::vector<std::string>{"1 test.over"}));
  EXPECT_EQ(insert(database(), 3), "test.over");
  EXPECT_EQ(code_of([&] { queue(database(), 3); }), "test.over");
  EXPECT_EQ(insert(*share, 4), "none");
  EXPECT_EQ(items(), 1);
  database().resume_writes();
  EXPECT_EQ(insert(database(), 5), "none");
}

TEST_P(HandlesTest, ClosingRefusesWhatIsHeld) {
  for (const bool is_last : {false, true}) {
    auto other = database().share();
    Database& closing = is_last ? database() : *other;
    if (is_last) other.reset();
    ASSERT_TRUE(closing.pause_writes(drain_timeout));
    const std::size_t before = results().size();
    queue(closing, 1);
    std::string code;
    auto waiter = inserting(closing, 2, code);
    closing.close();
    waiter.join();
    EXPECT_EQ(code, "data.closed");
    EXPECT_EQ(results().size(), before + 1);
    EXPECT_EQ(results().back(), "1 data.closed");
  }
}

TEST_P(HandlesTest, NothingIsWrittenWhileWritesAreHeld) {
  const auto share = database().share();
  std::atomic<bool> is_done{false};
  std::atomic<int> next{0};
  std::atomic<int> written{0};
  std::atomic<int> queued{0};
  std::vector<std::thread> writers;
  for (int kind = 0; kind < 3; ++kind) {
    writers.emplace_back([&, kind] {
      while (!is_done) {
        const int id = ++next;
        if (kind == 0) {
          EXPECT_EQ(insert(database(), id), "none");
          ++written;
        } else if (kind == 1) {
          auto transaction = database().begin(Mode::write);
          transaction.exec("INSERT INTO items (id) VALUES (?1)", {id});
          transaction.commit();
          ++written;
        } else {
          queue(database(), id);
          ++queued;
          wait_for_results(static_cast<std::size_t>(queued.load()));
        }
      }
    });
  }
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(database().pause_writes(drain_timeout));
    const auto before = number(*share, "SELECT count(*) FROM items");
    std::this_thread::yield();
    EXPECT_EQ(number(*share, "SELECT count(*) FROM items"), before);
    database().resume_writes();
  }
  is_done = true;
  for (auto& writer : writers)
    writer.join();
  EXPECT_EQ(items(), written + queued);
}
TENON_ON_BOTH_ENGINES(HandlesTest);

class ImpatientHandlesTest : public HandlesTest {
 protected:
  static DatabaseOptions options() {
    DatabaseOptions options;
    options.waits.queue = milliseconds(50);
    return options;
  }
  ImpatientHandlesTest() : HandlesTest(options()) {}
};

TEST_P(ImpatientHandlesTest, WhatIsHeldIsRefusedInTime) {
  ASSERT_TRUE(database().pause_writes(drain_timeout));
  EXPECT_EQ(insert(database(), 1), "data.busy");
  queue(database(), 2);
  wait_for_results(1);
  EXPECT_EQ(results(), (std::vector<std::string>{"2 data.busy"}));
  EXPECT_GE(database().statistics().busy, 1U);
  EXPECT_EQ(items(), 0);
}

TENON_ON_BOTH_ENGINES(ImpatientHandlesTest);

class CrowdedHandlesTest : public HandlesTest {
 protected:
  static DatabaseOptions options() {
    DatabaseOptions options;
    options.waits.waiting = 2;
    return options;
  }
  CrowdedHandlesTest() : HandlesTest(options()) {}
};

TEST_P(CrowdedHandlesTest, SoManyWaitAndNoMore) {
  ASSERT_TRUE(database().pause_writes(drain_timeout));
  queue(database(), 1);
  queue(database(), 2);
  EXPECT_EQ(code_of([&] { queue(database(), 3); }), "data.busy");
  EXPECT_EQ(insert(database(), 4), "data.busy");
  database().resume_writes();
  wait_for_results(2);
  EXPECT_EQ(results(), (std::vector<std::string>{"1 none", "2 none"}));
}
TENON_ON_BOTH_ENGINES(CrowdedHandlesTest);

TEST(HandleFaultsTest, ReportsFaultsToEachHandle) {
  const Folder folder;
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  std::atomic<int> other{0};
  const auto count_in = [](std::atomic<int>& count) {
    return [&count](Fault fault, std::string_view, std::string_view) {
      if (fault == Fault::disk_full) ++count;
    };
  };
  DatabaseOptions options = host_file(folder.file("full.db"));
  options.confinement.limits.file_bytes = 64 * 1024;
  options.on_fault = count_in(first);
  Database database(options);
  const auto share = database.share(count_in(other));
  auto silent = database.share(count_in(first));
  silent.reset();
  database.set_on_fault(count_in(second));
  database.exec("CREATE TABLE items (text TEXT)");
  const std::string text(128 * 1024, 'x');
  EXPECT_EQ(code_of([&] { share->exec("INSERT INTO items VALUES (?1)", {text}); }),
            "data.disk_full");
  while (second == 0 || other == 0)
    std::this_thread::yield();
  EXPECT_EQ(first, 0);
}

}  // namespace
}  // namespace tenon::data::test
