#include "sqlite/engine/cached_read_transaction.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <sqlite3.h>

#include "base/tests/sampling.hpp"
#include "engines/tests/support.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/wal/wal_index.hpp"

namespace tenon::data::test {
namespace {

// Acts on the file as another process.
class Other {
 public:
  explicit Other(const std::string& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
    sqlite3_exec(db_, "PRAGMA wal_autocheckpoint = 0", nullptr, nullptr, nullptr);
  }
  ~Other() { sqlite3_close_v2(db_); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  int run(const char* sql) { return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }
  // Copies the log and cuts it off.
  int cut_log() {
    return sqlite3_wal_checkpoint_v2(db_, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }
  int copy_log() {
    return sqlite3_wal_checkpoint_v2(db_, "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
  sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

class CachedReadTransactionTest : public ItemsTest {
 protected:
  bool is_one_kept() { return sqlite::Engine::of(database()).readers().end_snapshots(0); }
  // Reads until a snapshot is kept; a machine that is busy may need more than two queries.
  void keep_one() {
    do
      items();
    while (!is_one_kept());
  }
};

TEST_F(CachedReadTransactionTest, SecondQueryCachesOneUntilMaintenanceEndsIt) {
  keep_one();
  while (is_one_kept())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(items(), 0);
  keep_one();
}

TEST_F(CachedReadTransactionTest, TheNextQuerySeesACommit) {
  for (int i = 1; i <= 50; ++i) {
    keep_one();
    database().exec("INSERT INTO items (text) VALUES ('one')");
    EXPECT_EQ(items(), i);
    EXPECT_EQ(items(), i);
  }
}

TEST_F(CachedReadTransactionTest, TheNextQuerySeesCommitsOfOtherProcesses) {
  Other other(database().path());
  for (int i = 1; i <= 20; ++i) {
    keep_one();
    ASSERT_EQ(other.run("INSERT INTO items (text) VALUES ('one')"), SQLITE_OK);
    EXPECT_EQ(items(), i);
  }
}

TEST_F(CachedReadTransactionTest, EveryThreadSeesAcknowledgedCommits) {
  constexpr int writes = 300;
  std::atomic<std::int64_t> acknowledged{0};
  std::atomic<int> stale{0};
  std::vector<std::thread> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      std::int64_t seen = 0;
      while (seen < writes) {
        const std::int64_t minimum = acknowledged.load(std::memory_order_acquire);
        const std::int64_t now = items();
        if (now < minimum || now < seen) ++stale;
        seen = now;
      }
    });
  }
  for (int i = 1; i <= writes; ++i) {
    database().exec("INSERT INTO items (text) VALUES ('one')");
    acknowledged.store(i, std::memory_order_release);
  }
  for (std::thread& reader : readers)
    reader.join();
  EXPECT_EQ(stale.load(), 0);
}

TEST_F(CachedReadTransactionTest, ACachedStatementSeesAChangedSchema) {
  const auto columns = [&] { return database().query("SELECT * FROM items").columns(); };
  keep_one();
  EXPECT_EQ(columns(), 2);
  database().exec("ALTER TABLE items ADD COLUMN more TEXT");
  database().exec("INSERT INTO items (text, more) VALUES ('a', 'b')");
  auto rows = database().query("SELECT * FROM items");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.columns(), 3);
  EXPECT_EQ(rows.text(2), "b");
}

TEST_F(CachedReadTransactionTest, AQueryThatFailedLeavesNone) {
  keep_one();
  EXPECT_EQ(code_of([&] {
              database()
                  .query(
                      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                      "SELECT sum(i) FROM n",
                      {}, std::chrono::milliseconds(1))
                  .next();
            }),
            "data.timeout");
  EXPECT_FALSE(is_one_kept());
  database().exec("INSERT INTO items (text) VALUES ('one')");
  EXPECT_EQ(items(), 1);
}

TEST_F(CachedReadTransactionTest, TransactionsAndCursorsHaveTheirOwn) {
  keep_one();
  auto cursor = database().open_cursor("SELECT id FROM items");
  EXPECT_FALSE(is_one_kept());
  cursor.next();
  keep_one();
  auto reading = database().begin(Mode::read);
  EXPECT_FALSE(is_one_kept());
  EXPECT_FALSE(reading.query("SELECT id FROM items").next());
  database().exec("INSERT INTO items (text) VALUES ('one')");
  EXPECT_FALSE(reading.query("SELECT id FROM items").next());
  EXPECT_EQ(items(), 1);
}

TEST_F(CachedReadTransactionTest, WalMayBeTruncatedWhileReadersAreBusy) {
  Other other(database().path());
  sqlite3_busy_timeout(other.handle(), 5'000);
  database().exec("INSERT INTO items (text) VALUES ('one')");
  std::atomic<bool> is_done{false};
  std::thread reader([&] {
    while (!is_done)
      items();
  });
  for (int i = 0; i < 20; ++i) {
    database().exec("INSERT INTO items (text) VALUES ('one')");
    EXPECT_EQ(other.cut_log(), SQLITE_OK);
  }
  is_done = true;
  reader.join();
  EXPECT_EQ(items(), 21);
}

TEST_F(CachedReadTransactionTest, WalRestartsUnderConstantReaders) {
  std::atomic<bool> is_done{false};
  std::vector<std::thread> readers;
  readers.reserve(2);
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!is_done)
        number(database(), "SELECT id FROM items ORDER BY id DESC LIMIT 1");
    });
  }
  // 72 or 120 MiB of changes: four or seven times what the log holds when the writer itself copies
  // it, and more than it may ever hold.
  const int changes = base::test::is_full_run() ? 1'920 : 1'152;
  const std::string text(64 * 1024, 'x');
  std::uint64_t max_bytes = 0;
  for (int i = 0; i < changes; ++i) {
    database().exec("INSERT OR REPLACE INTO items (id, text) VALUES (?1, ?2)", {i % 16, text});
    max_bytes = std::max(max_bytes, database().file_facts().wal_bytes);
  }
  is_done = true;
  for (std::thread& reader : readers)
    reader.join();
  EXPECT_GT(max_bytes, std::uint64_t{1} << 20);
  EXPECT_LT(max_bytes, std::uint64_t{64} << 20);
}

TEST_F(CachedReadTransactionTest, WalIndexShowsCommitsAndCheckpoints) {
  Other other(database().path());
  ASSERT_EQ(other.run("SELECT count(*) FROM items"), SQLITE_OK);
  sqlite::WalIndex index;
  ASSERT_TRUE(index.open(other.handle()));
  const auto before = index.version();
  const auto pages = index.pages();
  EXPECT_GT(pages, 0U);
  EXPECT_FALSE(index.is_copied());
  EXPECT_EQ(index.version(), before);
  ASSERT_EQ(other.copy_log(), SQLITE_OK);
  EXPECT_TRUE(index.is_copied());
  EXPECT_EQ(index.version(), before);
  database().exec("INSERT INTO items (text) VALUES ('one')");
  EXPECT_NE(index.version(), before);
  EXPECT_FALSE(index.is_copied());
  EXPECT_GT(index.pages(), 0U);
  {
    auto undone = database().begin(Mode::write);
    undone.exec("INSERT INTO items (text) VALUES ('two')");
    const auto open = index.version();
    undone.rollback();
    EXPECT_EQ(index.version(), open);
  }
}

TEST(WalIndexTest, AFileWithoutOneIsNotKnown) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  sqlite::WalIndex index;
  EXPECT_FALSE(index.open(db));
  EXPECT_FALSE(static_cast<bool>(index));
  sqlite3_close(db);
}

}  // namespace
}  // namespace tenon::data::test
