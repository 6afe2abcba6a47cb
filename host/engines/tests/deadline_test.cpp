#include <chrono>
#include <thread>

#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

using std::chrono::milliseconds;

// Enough for a few statements on a machine that is busy, for each test has to wait for its end.
constexpr milliseconds deadline{2'000};

class DeadlineTest : public BothEnginesTest {
 protected:
  void wait_until_expired(std::uint64_t count) {
    while (database().statistics().expired < count)
      std::this_thread::sleep_for(milliseconds(2));
  }
};

/// Tests behaviour of SQLite alone.
class SqliteDeadlineTest : public DeadlineTest {};

TEST_P(DeadlineTest, AnAbandonedWriteIsUndone) {
  auto transaction = database().begin(Mode::write, deadline);
  transaction.exec("INSERT INTO items (id) VALUES (1)");
  auto cursor = transaction.open_cursor("SELECT id FROM items");
  wait_until_expired(1);
  EXPECT_FALSE(transaction.is_open());
  EXPECT_EQ(code_of([&] { transaction.exec("INSERT INTO items (id) VALUES (2)"); }),
            "data.transaction_expired");
  EXPECT_EQ(code_of([&] { transaction.query("SELECT 1"); }), "data.transaction_expired");
  EXPECT_EQ(code_of([&] { cursor.next(); }), "data.transaction_expired");
  EXPECT_EQ(code_of([&] { transaction.commit(); }), "data.transaction_expired");
  transaction.rollback();
  EXPECT_EQ(items(), 0);
  EXPECT_EQ(database().statistics().open, 0U);
}

TEST_P(DeadlineTest, AnAbandonedReadGivesItsConnectionBack) {
  options_.readers = 1;
  database_.reset();
  open();
  auto transaction = database().begin(Mode::read, deadline);
  auto rows = transaction.open_cursor("SELECT id FROM items");
  EXPECT_EQ(items(), 0) << "waits for the only reader";
  EXPECT_EQ(database().statistics().expired, 1U);
  EXPECT_EQ(code_of([&] { transaction.query("SELECT 1"); }), "data.transaction_expired");
}

TEST_P(DeadlineTest, ARestingCursorOfItsOwnExpires) {
  database().exec("INSERT INTO items (id) VALUES (1), (2), (3)");
  auto cursor = database().open_cursor("SELECT id FROM items", {}, {1, 1000}, deadline);
  const Batch& batch = cursor.next();
  ASSERT_TRUE(batch.more);
  wait_until_expired(1);
  EXPECT_EQ(batch.cells[0].integer(), 1);
  EXPECT_EQ(code_of([&] { cursor.next(); }), "data.transaction_expired");
}

TEST_P(DeadlineTest, OthersWriteAfterAnAbandonedOne) {
  auto abandoned = database().begin(Mode::write, deadline);
  abandoned.exec("INSERT INTO items (id) VALUES (1)");
  database().exec("INSERT INTO items (id) VALUES (2)");
  EXPECT_EQ(number(database(), "SELECT sum(id) FROM items"), 2);
}

TEST_P(DeadlineTest, FinishedNeighboursOfAnAbandonedOneAreCommitted) {
  auto first = database().begin(Mode::write);
  first.exec("INSERT INTO items (id) VALUES (1)");
  std::thread abandoning([&] {
    auto transaction = database().begin(Mode::write, deadline);
    transaction.exec("INSERT INTO items (id) VALUES (2)");
    wait_until_expired(1);
  });
  while (database().statistics().waiting == 0)
    std::this_thread::yield();
  first.commit();
  abandoning.join();
  EXPECT_EQ(number(database(), "SELECT sum(id) FROM items"), 1);
}

TEST_P(SqliteDeadlineTest, RowsInUseAreNotTakenAway) {
  database().exec("INSERT INTO items (id, text) VALUES (1, 'kept'), (2, 'x')");
  auto transaction = database().begin(Mode::write, deadline);
  transaction.exec("INSERT INTO items (id) VALUES (3)");
  {
    auto rows = transaction.query("SELECT text FROM items ORDER BY id");
    ASSERT_TRUE(rows.next());
    std::this_thread::sleep_for(deadline);
    EXPECT_EQ(rows.text(0), "kept");
    EXPECT_EQ(code_of([&] { rows.next(); }), "data.transaction_expired");
  }
  wait_until_expired(1);
  EXPECT_EQ(items(), 2);
}

TEST_P(DeadlineTest, DeadlinesAreCut) {
  options_.waits.max_transaction = deadline;
  database_.reset();
  open();
  auto transaction = database().begin(Mode::write, std::chrono::hours(1));
  wait_until_expired(1);
  EXPECT_FALSE(transaction.is_open());
}

TEST_P(DeadlineTest, AJobPastItsDeadlineIsUndone) {
  const auto code = code_of([&] {
    database().write(
        [&](Transaction& transaction) {
          transaction.exec("INSERT INTO items (id) VALUES (1)");
          std::this_thread::sleep_for(deadline);
          // A caller that hides the failure sees no success.
          EXPECT_EQ(code_of([&] { transaction.exec("INSERT INTO items (id) VALUES (2)"); }),
                    "data.transaction_expired");
        },
        deadline);
  });
  EXPECT_EQ(code, "data.transaction_expired");
  EXPECT_EQ(items(), 0);
  database().exec("INSERT INTO items (id) VALUES (3)");
  EXPECT_EQ(items(), 1);
}

TEST_P(DeadlineTest, ManyAbandonedOnesAllEnd) {
  std::vector<Transaction> reads;
  for (int i = 0; i < 8; ++i)
    reads.push_back(database().begin(Mode::read, milliseconds(30 + i)));
  wait_until_expired(8);
  EXPECT_EQ(database().statistics().open, 0U);
  EXPECT_EQ(items(), 0);
}

TENON_ON_BOTH_ENGINES(DeadlineTest);
TENON_ON_SQLITE(SqliteDeadlineTest);

}  // namespace
}  // namespace tenon::data::test
