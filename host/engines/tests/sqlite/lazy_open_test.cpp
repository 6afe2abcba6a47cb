#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "data/files/clean_close.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/sqlite/faulty_disk.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

namespace fs = std::filesystem;

class LazyOpen : public testing::Test {
 protected:
  LazyOpen() {
    options_ = host_file(folder_.file("plugin.db"));
    options_.check_bytes = checked_file_bytes;
    options_.check_time = CheckTime::while_serving;
    options_.on_fault = [this](Fault fault, std::string_view, std::string_view) {
      const std::lock_guard lock(mutex_);
      faults_.push_back(fault);
    };
    declaration_ = declare("1.0.0", table(R"({"name":"a","type":"text"})"));
    declaration_.digest = "of-1.0.0";
    Database database(options_);
    apply(database, declaration_);
    database.exec("INSERT INTO t (id, a) VALUES (?1, 'first')", {id_of(1)});
    database.close();
    options_.closed = database.clean_close();
  }

  bool is_open() const { return fs::exists(options_.path + "-wal"); }
  static std::int64_t count(Database& database) {
    auto rows = database.query("SELECT count(*) FROM t");
    return rows.next() ? rows.integer(0) : -1;
  }
  // Damages the file and updates the record of its clean close.
  void damage(std::size_t at, std::size_t bytes) {
    {
      std::fstream file(options_.path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(at));
      file << std::string(bytes, '\x5a');
    }
    options_.closed->mark = *fingerprint_if_clean(options_.path);
  }
  std::vector<Fault> faults() {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

  Folder folder_;
  DatabaseOptions options_;
  Declaration declaration_;
  std::mutex mutex_;
  std::vector<Fault> faults_;
};

TEST_F(LazyOpen, OpensAtTheFirstCallThatNeedsIt) {
  ASSERT_TRUE(options_.closed);
  EXPECT_EQ(options_.closed->declaration, "of-1.0.0");
  EXPECT_EQ(options_.closed->mark, fingerprint_if_clean(options_.path));
  Database database(options_);
  std::atomic<int> commits{0};
  database.on_commit([&] { ++commits; });
  EXPECT_EQ(database.dialect(), Dialect::sqlite);
  EXPECT_EQ(database.path(), options_.path);
  EXPECT_EQ(database.statistics().reads, 0U);
  EXPECT_EQ(database.file_facts().bytes, options_.closed->mark.bytes);
  EXPECT_FALSE(is_open());
  EXPECT_EQ(count(database), 1);
  EXPECT_TRUE(is_open());
  database.exec("INSERT INTO t (id, a) VALUES (?1, 'second')", {id_of(2)});
  EXPECT_EQ(commits, 1);
  EXPECT_EQ(database.statistics().writes, 1U);
  EXPECT_FALSE(database.clean_close()) << "it is open";
  database.close();
  ASSERT_TRUE(database.clean_close());
  EXPECT_EQ(database.clean_close()->declaration, "of-1.0.0");
  EXPECT_EQ(database.clean_close()->mark, fingerprint_if_clean(options_.path));
  EXPECT_NE(database.clean_close()->mark, options_.closed->mark);
  EXPECT_EQ(code_of([&] { count(database); }), "data.closed");
  EXPECT_TRUE(faults().empty());
}

TEST_F(LazyOpen, ByManyAtOnceIsOpenedOnce) {
  Database database(options_);
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 2; i < 10; ++i) {
    threads.emplace_back([&, i] {
      const auto code = code_of([&] {
        database.exec("INSERT INTO t (id, a) VALUES (?1, 'x')", {id_of(i)});
        count(database);
      });
      failed += code != "none";
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(count(database), 9);
}

TEST_F(LazyOpen, KeepsItsRecordIfNeverOpened) {
  {
    Database database(options_);
    fs::last_write_time(options_.path, fs::file_time_type::clock::now());
    database.close();
    EXPECT_FALSE(is_open());
    ASSERT_TRUE(database.clean_close());
    EXPECT_EQ(database.clean_close()->mark, options_.closed->mark);
    EXPECT_NE(fingerprint_if_clean(options_.path), options_.closed->mark) << "the next looks at it";
    EXPECT_EQ(code_of([&] { count(database); }), "data.closed");
    EXPECT_FALSE(is_open());
  }
}

TEST_F(LazyOpen, RejectsRecordAfterSchemaChange) {
  {
    Database database(options_);
    database.exec("CREATE TABLE more (id INTEGER PRIMARY KEY)");
    database.close();
    EXPECT_FALSE(database.clean_close());
  }
  options_.closed.reset();
  {
    Database database(options_);
    EXPECT_EQ(count(database), 1);
    database.close();
    EXPECT_FALSE(database.clean_close());
  }
  Database database(options_);
  apply(database, declaration_);
  database.close();
  EXPECT_TRUE(database.clean_close());
}

// A start would not do what is left, nor would one of the version before know that it is so.
TEST_F(LazyOpen, RejectsRecordWhileDataServesTwoVersions) {
  Declaration next = declare_in_phases();
  next.digest = "of-2.0.0";
  const auto is_known_after = [&](const auto& work) {
    options_.closed.reset();
    Database database(options_);
    work(database);
    database.close();
    return database.clean_close().has_value();
  };
  EXPECT_FALSE(is_known_after([&](Database& database) {
    apply(database, declaration_);
    expand(database, next);
  }));
  EXPECT_FALSE(is_known_after([&](Database& database) { apply(database, declaration_); }));
  EXPECT_FALSE(is_known_after([&](Database& database) { apply(database, next); }));
  EXPECT_TRUE(is_known_after([&](Database& database) { contract(database, next); }));
}

TEST_F(LazyOpen, HasNoFingerprintWithWalOrSnapshot) {
  for (const char* suffix : {"-wal", "-journal", "-restore", "-restore.part"}) {
    std::ofstream(options_.path + suffix) << "";
    EXPECT_FALSE(fingerprint_if_clean(options_.path)) << suffix;
    fs::remove(options_.path + suffix);
  }
  EXPECT_TRUE(fingerprint_if_clean(options_.path));
  EXPECT_FALSE(fingerprint_if_clean(options_.path + "-no"));
}

TEST_F(LazyOpen, RefusesARemovedFile) {
  Database database(options_);
  fs::rename(options_.path, options_.path + ".aside");
  EXPECT_EQ(code_of([&] { count(database); }), "data.open");
  EXPECT_FALSE(fs::exists(options_.path)) << "a new one would have no table";
  fs::copy_file(options_.path + ".aside", options_.path);
  EXPECT_EQ(code_of([&] { count(database); }), "data.open");
  fs::rename(options_.path + ".aside", options_.path);
  EXPECT_EQ(count(database), 1);
}

TEST_F(LazyOpen, ReportsDamageFoundByTheFirstCall) {
  damage(0, 100);
  Database database(options_);
  EXPECT_EQ(code_of([&] { count(database); }), "data.corrupt");
  EXPECT_EQ(faults(), std::vector<Fault>{Fault::corrupt});
  database.close();
  EXPECT_FALSE(database.clean_close());
}

TEST_F(LazyOpen, IsCheckedInTheBackgroundWithoutBeingOpened) {
  {
    Database database(options_);
    database.begin_check();
    EXPECT_EQ(count(database), 1) << "a call does not wait for the check";
    database.begin_check();
  }
  damage(2 * 4096, 64);
  Database database(options_);
  database.begin_check();
  for (int i = 0; i < 10'000 && faults().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(faults(), std::vector<Fault>{Fault::corrupt});
  EXPECT_FALSE(is_open());
  database.close();
  EXPECT_FALSE(database.clean_close());
}

TEST_F(LazyOpen, DoesNotTakeReadErrorsForDamage) {
  FaultyDisk disk;
  disk.fails_reads_from = 4096;
  Database database(options_);
  database.begin_check();
  for (int i = 0; i < 10'000 && disk.refused_reads == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(code_of([&] { count(database); }), "data.io");
  disk.fails_reads_from = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(count(database), 1);
  const auto reported = faults();
  EXPECT_EQ(std::count(reported.begin(), reported.end(), Fault::corrupt), 0);
}

TEST_F(LazyOpen, ReportsWhyItCannotOpenUntilItOpens) {
  FaultyDisk disk;
  disk.fails_reads_from = 0;
  Database database(options_);
  EXPECT_EQ(code_of([&] { count(database); }), "data.io");
  EXPECT_EQ(code_of([&] { count(database); }), "data.io");
  EXPECT_EQ(faults(), std::vector<Fault>{Fault::io_failed});
  disk.fails_reads_from = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(count(database), 1);
  EXPECT_EQ(faults(), (std::vector<Fault>{Fault::io_failed, Fault::healed}));
}

}  // namespace
}  // namespace tenon::data::test
