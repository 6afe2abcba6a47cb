#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/migrate/migrate.hpp"
#include "engines/tests/sqlite/faulty_disk.hpp"
#include "engines/tests/support.hpp"
#include "sqlite/engine/engine.hpp"

namespace tenon::data::test {
namespace {

constexpr int page_bytes = 4096;

class FileCheckTest : public testing::Test {
 protected:
  FileCheckTest() {
    options_.path = folder_.file("plugin.db");
    options_.confinement = Confinement::host();
    options_.check_bytes = checked_file_bytes;
    options_.check_time = CheckTime::while_serving;
    options_.on_fault = [this](Fault fault, std::string_view, std::string_view reason) {
      const std::lock_guard lock(mutex_);
      faults_.push_back(fault);
      reasons_.emplace_back(reason);
    };
    Database database(options_);
    database.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)");
    database.exec("CREATE TABLE other (id INTEGER PRIMARY KEY)");
    database.exec("CREATE INDEX items_text ON items (text)");
    database.write([](Transaction& transaction) {
      for (int i = 0; i < 4000; ++i)
        transaction.exec("INSERT INTO items (text) VALUES (?1)",
                         {std::string(180, 'x') + std::to_string(i)});
    });
  }

  // In the middle of the file, where only the rows of items and their index are.
  void damage() {
    const auto pages = static_cast<int>(std::filesystem::file_size(options_.path) / page_bytes);
    ASSERT_GT(pages, 100);
    std::fstream file(options_.path, std::ios::binary | std::ios::in | std::ios::out);
    for (int page = pages / 2; page < pages / 2 + 8; ++page) {
      file.seekp(page * page_bytes);
      file << std::string(page_bytes, '\x5a');
    }
  }
  // A process that writes and is gone before it closes the file.
  void write_and_be_cut_off() {
    const pid_t child = ::fork();
    if (child == 0) {
      Database database(options_);
      database.exec("INSERT INTO other (id) VALUES (7)");
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    ASSERT_GT(std::filesystem::file_size(options_.path + "-wal"), 0U);
  }

  std::vector<Fault> faults() {
    const std::lock_guard lock(mutex_);
    return faults_;
  }
  std::vector<Fault> await_fault() {
    for (int i = 0; i < 10'000 && faults().empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return faults();
  }

  Folder folder_;
  DatabaseOptions options_;
  std::mutex mutex_;
  std::vector<Fault> faults_;
  std::vector<std::string> reasons_;
};

TEST_F(FileCheckTest, FindsDamageInTheBackground) {
  damage();
  Database database(options_);
  database.exec("INSERT INTO other (id) VALUES (1)");
  EXPECT_EQ(number(database, "SELECT count(*) FROM other"), 1);
  EXPECT_EQ(await_fault(), std::vector<Fault>{Fault::corrupt});
  EXPECT_FALSE(reasons_.front().empty());
  EXPECT_EQ(code_of([&] { database.query("SELECT sum(length(text)) FROM items").next(); }),
            "data.corrupt");
  database.close();
  EXPECT_EQ(faults(), std::vector<Fault>{Fault::corrupt}) << "reported once";
}

TEST_F(FileCheckTest, FindsDamageBeforeOpeningAnUncleanFile) {
  write_and_be_cut_off();
  damage();
  EXPECT_EQ(code_of([&] { const Database found(options_); }), "data.corrupt");
  EXPECT_TRUE(faults().empty()) << "nothing was opened";
  // Perhaps the log is of another file: it was not copied.
  EXPECT_GT(std::filesystem::file_size(options_.path + "-wal"), 0U);
  EXPECT_EQ(code_of([&] { const Database again(options_); }), "data.corrupt");
}

TEST_F(FileCheckTest, SaysNothingOfASoundFile) {
  write_and_be_cut_off();
  {
    Database database(options_);
    EXPECT_EQ(number(database, "SELECT id FROM other"), 7);
  }
  Database database(options_);
  sqlite::Engine::of(database).wait_checked();
  EXPECT_EQ(number(database, "SELECT count(*) FROM items"), 4000);
  database.close();
  EXPECT_TRUE(faults().empty());
}

TEST_F(FileCheckTest, DistinguishesReadErrorsFromDamage) {
  FaultyDisk disk;
  disk.fails_reads_from = page_bytes * 100;
  Database database(options_);
  auto& engine = sqlite::Engine::of(database);
  EXPECT_EQ(code_of([&] { engine.wait_checked(); }), "data.io");
  EXPECT_EQ(await_fault(), std::vector<Fault>{Fault::io_failed});
  disk.fails_reads_from = std::numeric_limits<std::int64_t>::max();
  engine.wait_checked();
  EXPECT_EQ(number(database, "SELECT count(*) FROM items"), 4000);
}

TEST_F(FileCheckTest, WaitsForReadsBeforeOpeningAnUncleanFile) {
  write_and_be_cut_off();
  FaultyDisk disk;
  disk.fails_reads_from = page_bytes * 100;
  EXPECT_EQ(code_of([&] { const Database found(options_); }), "data.io");
  disk.fails_reads_from = std::numeric_limits<std::int64_t>::max();
  Database database(options_);
  EXPECT_EQ(number(database, "SELECT id FROM other"), 7);
}

TEST_F(FileCheckTest, IsBrokenOffByClosing) {
  for (int i = 0; i < 20; ++i) {
    Database first(options_);
    auto others = options_;
    others.path = folder_.file("other.db");
    Database second(others);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 300));
  }
  EXPECT_TRUE(faults().empty());
}

TEST_F(FileCheckTest, ComesBeforeAChangeOfTheSchema) {
  damage();
  Database database(options_);
  Declaration declaration;
  declaration.plugin = "sample";
  declaration.version = "1.0.0";
  declaration.tables =
      schema::parse_tables(R"({"tables":[{"name":"t","fields":[{"name":"a","type":"text"}]}]})");
  EXPECT_EQ(code_of([&] { apply(database, declaration); }), "data.corrupt");
  EXPECT_EQ(number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 't'"), 0);
}

TEST_F(FileCheckTest, LeavesLargerFilesAlone) {
  damage();
  options_.check_bytes = page_bytes;
  Database database(options_);
  sqlite::Engine::of(database).wait_checked();
  database.close();
  EXPECT_TRUE(faults().empty());
}

}  // namespace
}  // namespace tenon::data::test
