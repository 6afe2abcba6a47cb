#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/tests/sqlite/faulty_disk.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

class FaultsTest : public ItemsTest {
 protected:
  void SetUp() override {
    options_.groups.age = std::chrono::seconds(30);
    options_.on_fault = [this](Fault fault, std::string_view path, std::string_view) {
      EXPECT_EQ(path, options_.path);
      const std::lock_guard lock(mutex_);
      faults_.push_back(fault);
    };
    ItemsTest::SetUp();
  }
  void TearDown() override { database_.reset(); }

  // Runs four writers in one group; returns the result of each.
  std::vector<std::string> group_of_four(int first_id) {
    std::vector<std::string> codes(4);
    auto holder = database().begin(Mode::write);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        codes[static_cast<std::size_t>(i)] =
            code_of([&] { database().exec("INSERT INTO items (id) VALUES (?1)", {first_id + i}); });
      });
    }
    while (database().statistics().waiting < 4)
      std::this_thread::yield();
    holder.rollback();
    for (auto& thread : threads)
      thread.join();
    return codes;
  }
  // Returns the reported faults, once there are `count`.
  std::vector<Fault> await_faults(std::size_t count) {
    for (int i = 0; i < 5000 && faults().size() < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return faults();
  }
  std::vector<Fault> faults() {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

  FaultyDisk disk_;
  std::mutex mutex_;
  std::vector<Fault> faults_;
};

using Codes = std::vector<std::string>;

TEST_F(FaultsTest, ReportsAFullDiskToEveryMember) {
  disk_.is_full = true;
  EXPECT_EQ(group_of_four(0), Codes(4, "data.disk_full"));
  EXPECT_EQ(items(), 0) << "reading continues";
  EXPECT_EQ(code_of([&] { database().exec("INSERT INTO items (id) VALUES (50)"); }),
            "data.disk_full");
  disk_.is_full = false;
  EXPECT_EQ(group_of_four(10), Codes(4, "none"));
  EXPECT_EQ(items(), 4);
  EXPECT_EQ(await_faults(1), std::vector<Fault>{Fault::disk_full}) << "reported once";
  for (int i = 0; i < 5000 && faults().size() < 2; ++i) {
    database().exec("UPDATE items SET text = 'again' WHERE id = 10");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(faults(), (std::vector<Fault>{Fault::disk_full, Fault::healed}));
  EXPECT_GE(database().statistics().disk_full, 2U);
  database_.reset();
  open();
  EXPECT_EQ(items(), 4);
  EXPECT_TRUE(database().quick_check().empty());
}

TEST_F(FaultsTest, ReportsAFailedWriteToEveryMember) {
  disk_.fails_writes = true;
  EXPECT_EQ(group_of_four(0), Codes(4, "data.io"));
  disk_.fails_writes = false;
  EXPECT_EQ(group_of_four(10), Codes(4, "none"));
  EXPECT_EQ(items(), 4);
  EXPECT_EQ(await_faults(1), std::vector<Fault>{Fault::io_failed});
}

TEST_F(FaultsTest, AFailedSyncIsFatal) {
  EXPECT_EQ(group_of_four(0), Codes(4, "none"));
  disk_.fails_syncs = true;
  EXPECT_EQ(group_of_four(10), Codes(4, "data.storage_failed"));
  disk_.fails_syncs = false;
  EXPECT_EQ(code_of([&] { database().exec("INSERT INTO items (id) VALUES (50)"); }),
            "data.storage_failed")
      << "a disk that lied once is not believed again";
  EXPECT_EQ(code_of([&] { database().begin(Mode::write); }), "data.storage_failed");
  EXPECT_EQ(await_faults(1), std::vector<Fault>{Fault::sync_failed});
  EXPECT_GE(items(), 4) << "what was acknowledged stays readable";
  const auto before = std::filesystem::file_size(options_.path);
  database_.reset();
  EXPECT_GT(std::filesystem::file_size(options_.path + "-wal"), 0U)
      << "a log that may not be on disk is not copied";
  EXPECT_EQ(std::filesystem::file_size(options_.path), before);
  open();
  EXPECT_EQ(std::filesystem::file_size(options_.path + "-wal"), 0U)
      << "recovered before anything is written after it";
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items WHERE id < 10"), 4);
  database().exec("INSERT INTO items (id) VALUES (60)");
}

TEST_F(FaultsTest, ReportsADamagedFileOnly) {
  database().write([](Transaction& transaction) {
    for (int i = 0; i < 2000; ++i)
      transaction.exec("INSERT INTO items (text) VALUES (?1)", {std::string(200, 'x')});
  });
  auto neighbour_options = host_file(folder_.file("neighbour.db"));
  Database neighbour(neighbour_options);
  neighbour.exec("CREATE TABLE t (x)");
  database_.reset();
  {
    const int file = ::open(options_.path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    const std::string noise(4096, '\x5a');
    for (int page = 3; page < 60; ++page) {
      ASSERT_EQ(::pwrite(file, noise.data(), noise.size(), page * 4096), 4096);
    }
    ::close(file);
  }
  open();
  EXPECT_EQ(code_of([&] { database().query("SELECT sum(length(text)) FROM items").next(); }),
            "data.corrupt");
  EXPECT_EQ(code_of([&] { database().query("SELECT sum(length(text)) FROM items").next(); }),
            "data.corrupt");
  EXPECT_EQ(await_faults(1), std::vector<Fault>{Fault::corrupt}) << "reported once";
  EXPECT_FALSE(database().quick_check(5).empty());
  auto checked = options_;
  checked.check_bytes = checked_file_bytes;
  EXPECT_EQ(code_of([&] { const Database found(checked); }), "data.corrupt");
  checked.check_bytes = 4096;
  EXPECT_EQ(code_of([&] { const Database too_large(checked); }), "none");
  neighbour.exec("INSERT INTO t VALUES (1)");
  EXPECT_EQ(number(neighbour, "SELECT count(*) FROM t"), 1);
}

TEST_F(FaultsTest, TheLogIsCopiedAndStartsAgain) {
  const std::string text(3000, 'x');
  for (int round = 0; round < 60; ++round) {
    database().write([&](Transaction& transaction) {
      for (int i = 0; i < 100; ++i)
        transaction.exec("INSERT INTO items (text) VALUES (?1)", {text});
    });
  }
  // Some 24 MiB were written; without copying, all of it would be in the WAL.
  EXPECT_GT(database().statistics().checkpoints, 0U);
  EXPECT_LT(database().file_facts().wal_bytes, 20U * 1024 * 1024);
  database_.reset();
  EXPECT_FALSE(std::filesystem::exists(options_.path + "-wal")) << "closing empties the log";
  open();
  EXPECT_EQ(items(), 6000);
}

TEST_F(FaultsTest, AReadingProcessKeepsTheWal) {
  const std::string text(3000, 'x');
  // Long enough that the maintenance thread has opened its own connection.
  for (int i = 0; i < 5000 && database().statistics().checkpoints == 0; ++i) {
    database().write([&](Transaction& transaction) {
      for (int row = 0; row < 100; ++row)
        transaction.exec("INSERT INTO items (text) VALUES (?1)", {text});
    });
  }
  ASSERT_GT(database().statistics().checkpoints, 0U);
  const auto before = items();
  database().exec("INSERT INTO items (text) VALUES ('kept')");
  const std::string look =
      "sqlite3 '" + options_.path + "' 'SELECT count(*) FROM items' > /dev/null";
  ASSERT_EQ(std::system(look.c_str()), 0);
  EXPECT_TRUE(std::filesystem::exists(options_.path + "-wal"));
  database().exec("INSERT INTO items (text) VALUES ('kept, too')");
  const std::string count = "test \"$(sqlite3 '" + options_.path +
                            "' 'SELECT count(*) FROM items')\" = " + std::to_string(before + 2);
  EXPECT_EQ(std::system(count.c_str()), 0) << "others see what was acknowledged";
}

TEST(FullDiskTest, ARealSmallDiskFillsAndHeals) {
  const Folder folder;
  const auto mount_point = folder.file("disk");
  std::filesystem::create_directory(mount_point);
  if (::mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=1m") != 0)
    GTEST_SKIP() << "may not mount a disk";
  struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } const unmount{mount_point};
  {
    Database database(host_file(mount_point + "/small.db"));
    database.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)");
    const std::string text(8000, 'x');
    std::string code = "none";
    std::int64_t acknowledged = 0;
    for (int i = 0; i < 500; ++i) {
      code = code_of([&] { database.exec("INSERT INTO items (text) VALUES (?1)", {text}); });
      if (code != "none") break;
      ++acknowledged;
    }
    EXPECT_EQ(code, "data.disk_full") << last_detail();
    EXPECT_EQ(number(database, "SELECT count(*) FROM items"), acknowledged);
    EXPECT_EQ(::mount("tmpfs", mount_point.c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(code_of([&] { database.exec("INSERT INTO items (text) VALUES (?1)", {text}); }),
                "none")
          << last_detail();
    }
    EXPECT_EQ(number(database, "SELECT count(*) FROM items"), acknowledged + 20);
    EXPECT_TRUE(database.quick_check().empty());
  }
}

}  // namespace
}  // namespace tenon::data::test
