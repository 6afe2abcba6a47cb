#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/support.hpp"
#include "observability/work.hpp"

namespace tenon::data::test {
namespace {

/// Counts the results of the queued writes of a test.
struct WriteResults {
  std::atomic<int> works{0};
  std::atomic<int> written{0};
  std::atomic<int> failed{0};
  std::atomic<int> gone{0};
  std::mutex mutex;
  std::vector<std::string> codes;  // of those that failed
  std::vector<std::string> messages;

  int reported() const { return written + failed; }
  std::size_t count(const std::string& code) {
    const std::lock_guard lock(mutex);
    return static_cast<std::size_t>(std::count(codes.begin(), codes.end(), code));
  }
};

class ReportedInsert final : public QueuedWrite {
 public:
  using Then = std::function<void(Transaction&)>;
  ReportedInsert(WriteResults& results, int id, Then then = {})
      : results_(results), id_(id), then_(std::move(then)) {}
  ~ReportedInsert() override { ++results_.gone; }
  ReportedInsert(const ReportedInsert&) = delete;
  ReportedInsert& operator=(const ReportedInsert&) = delete;

  void work(Transaction& transaction) override {
    ++results_.works;
    transaction.exec("INSERT INTO items (id) VALUES (?1)", {id_});
    if (then_) then_(transaction);
  }
  void done(std::exception_ptr error) noexcept override {
    if (!error) {
      ++results_.written;
      return;
    }
    const std::lock_guard lock(results_.mutex);
    results_.codes.push_back(code_of([&] { std::rethrow_exception(error); }));
    results_.messages.push_back(message_of([&] { std::rethrow_exception(error); }));
    ++results_.failed;
  }

 private:
  WriteResults& results_;
  int id_;
  Then then_;
};

class QueuedWriteTest : public BothEnginesTest {
 protected:
  void queue(int id, ReportedInsert::Then then = {}) {
    database().queue(std::make_unique<ReportedInsert>(results_, id, std::move(then)));
  }
  void wait_for(int count) const {
    while (results_.reported() < count)
      std::this_thread::yield();
  }
  void reopen() {
    database_.reset();
    open();
  }
  WriteResults results_;
};

TEST_P(QueuedWriteTest, IsOnDiskWhenItIsReported) {
  queue(1);
  wait_for(1);
  EXPECT_EQ(results_.written, 1);
  EXPECT_EQ(items(), 1);
  reopen();
  EXPECT_EQ(items(), 1);
  EXPECT_EQ(results_.gone, 1);
}

TEST_P(QueuedWriteTest, ThoseThatWaitTogetherShareACommit) {
  constexpr int count = 100;
  const auto before = database().statistics().groups;
  {
    auto holder = database().begin(Mode::write);
    for (int i = 0; i < count; ++i)
      queue(i);
    EXPECT_EQ(results_.reported(), 0);
    EXPECT_EQ(database().statistics().waiting, static_cast<std::uint64_t>(count));
    holder.rollback();
  }
  wait_for(count);
  EXPECT_EQ(results_.written, count);
  EXPECT_EQ(items(), count);
  EXPECT_LT(database().statistics().groups - before, static_cast<std::uint64_t>(count));
}

TEST_P(QueuedWriteTest, OneThatFailsLeavesTheOthers) {
  {
    auto holder = database().begin(Mode::write);
    queue(1);
    queue(1);
    queue(2, [](Transaction& transaction) {
      transaction.exec("INSERT INTO items (id) VALUES (3)");
      throw base::Error(422, "test.no", "No.");
    });
    queue(4, [](Transaction& transaction) { transaction.rollback(); });
    queue(5);
    holder.rollback();
  }
  wait_for(5);
  EXPECT_EQ(results_.written, 2);
  EXPECT_EQ(results_.count("data.unique"), 1U);
  EXPECT_EQ(results_.count("test.no"), 1U);
  EXPECT_EQ(results_.count("data.transaction_over"), 1U);
  EXPECT_EQ(items(), 2);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items WHERE id IN (1, 5)"), 2);
}

TEST_P(QueuedWriteTest, RunsAlongWithBlockingWriters) {
  constexpr int threads = 6;
  constexpr int each = 100;
  std::vector<std::thread> writers;
  for (int t = 0; t < threads; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0; i < each; ++i) {
        const int id = t * each + i;
        if (t % 3 == 0) {
          queue(id);
        } else if (t % 3 == 1) {
          database().exec("INSERT INTO items (id) VALUES (?1)", {id});
        } else {
          auto transaction = database().begin(Mode::write);
          transaction.exec("INSERT INTO items (id) VALUES (?1)", {id});
          if (i % 10 == 0) {
            transaction.rollback();
            queue(id);
          } else {
            transaction.commit();
          }
        }
      }
    });
  }
  for (auto& writer : writers)
    writer.join();
  wait_for(2 * each + 2 * each / 10);
  EXPECT_EQ(results_.failed, 0);
  EXPECT_EQ(items(), threads * each);
}

TEST_P(QueuedWriteTest, ClosingRefusesAndReportsWaitingWrites) {
  auto holder = database().begin(Mode::write);
  for (int i = 0; i < 10; ++i)
    queue(i);
  database().close();
  EXPECT_EQ(results_.count("data.closed"), 10U);
  EXPECT_EQ(results_.works, 0);
  EXPECT_EQ(results_.gone, 10);
  EXPECT_EQ(code_of([&] { queue(11); }), "data.closed");
  EXPECT_EQ(results_.reported(), 10);
  EXPECT_EQ(results_.gone, 11);
}

TEST_P(QueuedWriteTest, ClosingWaitsForReports) {
  for (int round = 0; round < 20; ++round) {
    const int before = results_.gone;
    for (int i = 0; i < 20; ++i)
      queue(round * 20 + i);
    database().close();
    EXPECT_EQ(results_.gone - before, 20);
    reopen();
    EXPECT_EQ(items(), results_.written);
  }
}

class NarrowQueueTest : public QueuedWriteTest {
 protected:
  void SetUp() override {
    options_.waits.waiting = 4;
    QueuedWriteTest::SetUp();
  }
};

TEST_P(NarrowQueueTest, RefusesMoreThanMayWait) {
  auto holder = database().begin(Mode::write);
  for (int i = 0; i < 4; ++i)
    queue(i);
  EXPECT_EQ(code_of([&] { queue(5); }), "data.busy");
  holder.rollback();
  wait_for(4);
  EXPECT_EQ(results_.written, 4);
  EXPECT_EQ(results_.gone, 5);
}

class ShortQueueTest : public QueuedWriteTest {
 protected:
  void SetUp() override {
    options_.waits.queue = std::chrono::milliseconds(1);
    QueuedWriteTest::SetUp();
  }
};

TEST_P(ShortQueueTest, IsNotBegunWhenItWaitedTooLong) {
  auto holder = database().begin(Mode::write);
  queue(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  holder.rollback();
  wait_for(1);
  EXPECT_EQ(results_.count("data.busy"), 1U);
  EXPECT_EQ(results_.works, 0);
}

TEST_P(ShortQueueTest, IsRefusedWhileAnotherHoldsTheLock) {
  const observability::Work work{.plugin = "slow", .route = "POST /api/slow/hold"};
  const observability::WorkScope scope(&work);
  auto holder = database().begin(Mode::write);
  queue(1);
  wait_for(1);
  EXPECT_EQ(results_.count("data.busy"), 1U);
  EXPECT_EQ(results_.works, 0);
  EXPECT_EQ(results_.messages.front().find("The plugin \"slow\" (POST /api/slow/hold) has held"),
            0U)
      << results_.messages.front();
  holder.rollback();
  // The lock is free again.
  queue(2);
  wait_for(2);
}

TENON_ON_BOTH_ENGINES(QueuedWriteTest);
TENON_ON_BOTH_ENGINES(NarrowQueueTest);
TENON_ON_BOTH_ENGINES(ShortQueueTest);

}  // namespace
}  // namespace tenon::data::test
