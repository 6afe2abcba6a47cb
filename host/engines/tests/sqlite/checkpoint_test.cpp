#include "sqlite/wal/checkpoint.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <sqlite3.h>

#include "data/snapshot/snapshot.hpp"
#include "engines/tests/sqlite/faulty_disk.hpp"
#include "engines/tests/support.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/connection/version.hpp"
#include "sqlite/engine/engine.hpp"

namespace tenon::data::test {
namespace {

using std::chrono::milliseconds;

// A connection without Tenon's, as another program has one.
class Plain {
 public:
  explicit Plain(const std::string& path) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
    run("PRAGMA wal_autocheckpoint = 0");
  }
  ~Plain() { sqlite3_close_v2(db_); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;

  void run(const char* sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db_);
  }
  std::string text(const char* sql) {
    std::string text;
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
    if (sqlite3_step(statement) == SQLITE_ROW)
      text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    else
      text = sqlite3_errmsg(db_);
    sqlite3_finalize(statement);
    return text;
  }
  sqlite3* handle() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

// At the critical point of the WAL-reset bug: all frames are copied, another connection is about to
// commit, and a checkpoint that has read the header of the WAL index waits for that commit.
class WalResetTest : public ItemsTest {
 protected:
  static constexpr int filled = 300;

  void SetUp() override {
    ItemsTest::SetUp();
    database().write([](Transaction& transaction) {
      for (int i = 1; i < filled; ++i)
        transaction.exec("INSERT INTO items (text) VALUES (hex(randomblob(300)))");
    });
    other_ = std::make_unique<Plain>(options_.path);
  }
  // Makes the WAL longer than what the tests commit.
  void change_all() { database().exec("UPDATE items SET text = hex(randomblob(300))"); }
  // Makes the index that the others have read stale: only then does FaultyDisk see their next
  // checkpoint.
  void commit_and_copy() {
    other_->run("INSERT INTO items (text) VALUES ('copied')");
    while (sqlite3_wal_checkpoint_v2(other_->handle(), "main", SQLITE_CHECKPOINT_FULL, nullptr,
                                     nullptr) != SQLITE_OK)
      std::this_thread::sleep_for(milliseconds(1));
  }
  // The other connection has the write lock, so that no checkpoint gets it.
  void commit_at_checkpoint() {
    commit_and_copy();
    other_->run("BEGIN IMMEDIATE; INSERT INTO items (text) VALUES ('late')");
    disk_.at_checkpoint = [this] {
      other_->run("COMMIT");
      is_committed_ = true;
    };
  }
  // Returns what a new connection reads from the file.
  std::string content() {
    Plain fresh(options_.path);
    return fresh.text(
        "SELECT count(*) || ' rows, ' || (SELECT * FROM pragma_integrity_check(1)) FROM items");
  }
  static std::string sound(int rows) { return std::to_string(rows) + " rows, ok"; }

  FaultyDisk disk_;
  std::unique_ptr<Plain> other_;
  std::atomic<bool> is_committed_ = false;
};

class WalReset : public WalResetTest, public testing::WithParamInterface<int> {};

std::string mode_name(const testing::TestParamInfo<int>& info) {
  switch (info.param) {
    case SQLITE_CHECKPOINT_FULL:
      return "Full";
    case SQLITE_CHECKPOINT_RESTART:
      return "Restart";
    case SQLITE_CHECKPOINT_TRUNCATE:
      return "Truncate";
    default:
      return "Passive";
  }
}

// Shows that the tests below hold SQLite at the critical point.
TEST_P(WalReset, LosesACommitWithoutTheGuard) {
  if (sqlite::is_wal_reset_fixed())
    GTEST_SKIP() << "SQLite " << sqlite3_libversion() << " has the fix";
  Plain checkpointer(options_.path);
  checkpointer.text("SELECT count(*) FROM items");
  commit_at_checkpoint();
  sqlite3_wal_checkpoint_v2(checkpointer.handle(), "main", GetParam(), nullptr, nullptr);
  ASSERT_TRUE(is_committed_);
  other_->run("INSERT INTO items (text) VALUES ('next')");
  EXPECT_NE(content(), sound(filled + 2));
}

TEST_P(WalReset, KeepsACommitWithTheGuard) {
  sqlite::Connection connection(
      {.path = options_.path, .confinement = Confinement::host(), .role = sqlite::Role::writer});
  sqlite::Checkpointer checkpointer(options_.path);
  commit_at_checkpoint();
  checkpointer.run(connection, GetParam(), milliseconds(0));
  ASSERT_TRUE(is_committed_);
  other_->run("INSERT INTO items (text) VALUES ('next')");
  EXPECT_EQ(content(), sound(filled + 2));
  const auto next = checkpointer.run(connection, GetParam(), milliseconds(1'000));
  EXPECT_EQ(next.code, SQLITE_OK);
  EXPECT_EQ(next.copied, next.frames);
  EXPECT_EQ(content(), sound(filled + 2));
}

INSTANTIATE_TEST_SUITE_P(EachMode, WalReset,
                         testing::Values(SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_FULL,
                                         SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE),
                         mode_name);

TEST_F(WalResetTest, MaintenanceCheckpointKeepsACommitOfTheServer) {
  const auto checkpoints = [this] { return database().statistics().checkpoints; };
  const auto run_checkpoint = [&] {
    const auto before = checkpoints();
    sqlite::Engine::of(database()).want_checkpoint();
    while (checkpoints() == before)
      std::this_thread::sleep_for(milliseconds(1));
  };
  run_checkpoint();
  change_all();
  commit_and_copy();
  disk_.at_checkpoint = [this] {
    database().exec("INSERT INTO items (text) VALUES ('late')");
    is_committed_ = true;
  };
  run_checkpoint();
  ASSERT_TRUE(is_committed_);
  database().exec("INSERT INTO items (text) VALUES ('next')");
  EXPECT_EQ(items(), filled + 2);
  EXPECT_EQ(content(), sound(filled + 2));
}

TEST_F(WalResetTest, ASnapshotKeepsACommitOfAnotherProcess) {
  commit_at_checkpoint();
  EXPECT_GT(snapshot(database(), folder_.file("copy.db"), {}, milliseconds(5'000)), 0U);
  EXPECT_TRUE(is_committed_);
  database().exec("INSERT INTO items (text) VALUES ('next')");
  EXPECT_EQ(items(), filled + 2);
  EXPECT_EQ(content(), sound(filled + 2));
}

TEST_F(WalResetTest, ClosingKeepsACommitOfAnotherProcess) {
  commit_at_checkpoint();
  database_->close();
  EXPECT_TRUE(is_committed_);
  other_->run("INSERT INTO items (text) VALUES ('next')");
  EXPECT_EQ(content(), sound(filled + 2));
}

}  // namespace
}  // namespace tenon::data::test
