// A full disk: the space that is reserved for admins, and who may use it.

#include "data/files/space_reserve.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "engines/tests/support.hpp"
#include "observability/work.hpp"

namespace tenon::data::test {
namespace {

constexpr observability::Work by_member{.request_id = "1", .plugin = "notes"};
constexpr observability::Work by_admin{
    .request_id = "2", .plugin = "notes", .may_use_reserve = true};

// A file system of 8 MiB, of which 5 % are reserved.
class SpaceReserveTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(disk_);
    if (::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=8m") != 0)
      GTEST_SKIP() << "may not mount a disk";
    is_mounted_ = true;
    reserve_ = std::make_shared<SpaceReserve>(file_);
    constexpr std::string_view table = "CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)";
    Database(host_file(disk_ + "/notes.db")).exec(table);
    plugin_ = open(plugin_file(disk_ + "/notes.db"));
    host_ = open(host_file(disk_ + "/tenon.db"));
    host_->exec(table);
    wait_for_file(kept);
  }
  void TearDown() override {
    plugin_.reset();
    host_.reset();
    if (is_mounted_) ::umount2(disk_.c_str(), MNT_DETACH);
  }

  std::unique_ptr<Database> open(DatabaseOptions options) {
    options.reserve = reserve_;
    return std::make_unique<Database>(std::move(options));
  }
  // Waits for an effect of a thread of the room.
  template <typename Condition>
  static bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  void wait_for_file(std::uint64_t bytes) {
    EXPECT_TRUE(eventually([&] {
      std::error_code ignored;
      return std::filesystem::file_size(file_, ignored) == bytes;
    }));
  }
  // Until it is refused.
  void fill(const observability::Work* work) {
    const observability::WorkScope scope(work);
    const std::string text(8000, 'x');
    std::string code = "none";
    for (int i = 0; i < 2000 && code == "none"; ++i)
      code = insert(*plugin_, text);
    EXPECT_EQ(code, "data.disk_full") << last_detail();
  }
  static std::string insert(Database& database, const std::string& text) {
    return code_of([&] { database.exec("INSERT INTO items (text) VALUES (?1)", {text}); });
  }
  std::string insert_by(const observability::Work* work, Database& database) {
    const observability::WorkScope scope(work);
    return insert(database, "x");
  }

  static constexpr std::uint64_t kept = 8 * 1024 * 1024 / SpaceReserve::disk_share / 4096 * 4096;
  const Folder folder_;
  const std::string disk_ = folder_.file("disk");
  const std::string file_ = disk_ + "/space-reserve";
  bool is_mounted_ = false;
  std::shared_ptr<SpaceReserve> reserve_;
  std::unique_ptr<Database> plugin_;
  std::unique_ptr<Database> host_;
};

TEST_F(SpaceReserveTest, LetsOnlyAdminsWrite) {
  fill(&by_member);
  EXPECT_TRUE(reserve_->is_released());
  EXPECT_EQ(std::filesystem::file_size(file_), 0U);
  EXPECT_EQ(insert_by(&by_admin, *host_), "none") << last_detail();
  EXPECT_EQ(insert_by(&by_admin, *plugin_), "none") << last_detail();
  EXPECT_EQ(insert_by(nullptr, *host_), "none") << "the host's own maintenance";
  EXPECT_EQ(insert_by(&by_member, *host_), "data.disk_full");
  EXPECT_EQ(insert_by(&by_member, *plugin_), "data.disk_full");
  EXPECT_EQ(insert_by(nullptr, *plugin_), "data.disk_full") << "a thread of the plugin";
}

// A checkpoint is due at 1,000 pages; it would make the file larger.
TEST_F(SpaceReserveTest, RunsNoCheckpointWhileReleased) {
  const std::string file = disk_ + "/notes.db";
  while (std::filesystem::file_size(file + "-wal") < 970U * 4120)
    ASSERT_EQ(insert(*plugin_, "x"), "none") << last_detail();
  const auto size = std::filesystem::file_size(file);
  std::ofstream(disk_ + "/filler") << std::string(8 * 1024 * 1024, 'x');
  fill(&by_member);
  const observability::WorkScope scope(&by_admin);
  while (std::filesystem::file_size(file + "-wal") < 1'010U * 4120)
    ASSERT_EQ(insert(*plugin_, "x"), "none") << last_detail();
  plugin_.reset();
  EXPECT_EQ(std::filesystem::file_size(file), size);
  EXPECT_GT(std::filesystem::file_size(file + "-wal"), 1'000U * 4096);
  EXPECT_EQ(insert(*host_, "x"), "none") << last_detail();
}

TEST_F(SpaceReserveTest, RefusesQueuedWrites) {
  fill(&by_member);
  struct Write final : QueuedWrite {
    void work(Transaction&) override {}
    void done(std::exception_ptr) noexcept override {}
  };
  const observability::WorkScope scope(&by_member);
  EXPECT_EQ(code_of([&] { plugin_->queue(std::make_unique<Write>()); }), "data.disk_full");
  EXPECT_EQ(code_of([&] { plugin_->begin(Mode::write); }), "data.disk_full");
  EXPECT_EQ(code_of([&] { plugin_->query("SELECT count(*) FROM items"); }), "none");
}

TEST_F(SpaceReserveTest, IsAllocatedAgainWhenThereIsSpace) {
  fill(&by_member);
  EXPECT_EQ(::mount("tmpfs", disk_.c_str(), "tmpfs", MS_REMOUNT, "size=16m"), 0);
  EXPECT_EQ(insert_by(&by_member, *plugin_), "none") << last_detail();
  EXPECT_FALSE(reserve_->is_released());
  wait_for_file(kept);
}

TEST_F(SpaceReserveTest, StaysReleasedAfterARestart) {
  fill(&by_member);
  EXPECT_TRUE(SpaceReserve(file_).is_released());
  EXPECT_EQ(::mount("tmpfs", disk_.c_str(), "tmpfs", MS_REMOUNT, "size=16m"), 0);
  EXPECT_FALSE(SpaceReserve(file_).is_released());
}

TEST_F(SpaceReserveTest, StaysWhenOnlyOneFileIsFull) {
  reserve_->release_if_full();
  EXPECT_FALSE(reserve_->is_released());
  EXPECT_EQ(std::filesystem::file_size(file_), kept);
}

}  // namespace
}  // namespace tenon::data::test
