#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/sampling.hpp"
#include "data/files/deferred_unlink.hpp"
#include "data/snapshot/snapshot.hpp"
#include "engines/tests/killed_child.hpp"
#include "engines/tests/support.hpp"
#include "sqlite/connection/inspection.hpp"

namespace tenon::data::test {
namespace {

namespace fs = std::filesystem;

std::string step_of(long call) {
  switch (call) {
    case SYS_fsync:
      return "sync ";
    case SYS_linkat:
#ifdef SYS_link
    case SYS_link:
#endif
      return "link ";
    case SYS_renameat2:
    case SYS_renameat:
#ifdef SYS_rename
    case SYS_rename:
#endif
      return "rename ";
    case SYS_unlinkat:
#ifdef SYS_unlink
    case SYS_unlink:
#endif
      return "remove ";
    default:
      return {};
  }
}

// The system calls of `work` that name or sync files, in their order: "sync rename sync".
std::string steps_of(const std::function<void()>& work) {
  const pid_t child = traced(work);
  std::string steps;
  int status = 0;
  ::waitpid(child, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);
  while (WIFSTOPPED(status)) {
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
      steps += step_of(static_cast<long>(info.entry.nr));
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
  }
  return steps;
}

class RestoreTest : public testing::Test {
 protected:
  RestoreTest() {
    fs::create_directories(folder_.file("old"));
    fs::create_directories(folder_.file("now"));
    {
      Database database(host_file(snapshot_));
      database.exec("CREATE TABLE items (text TEXT)");
      database.exec("CREATE TABLE restored (text TEXT)");
      for (int i = 0; i < 50; ++i)
        database.exec("INSERT INTO items VALUES ('new')");
      data::snapshot(database, folder_.file("snapshot.db"));
    }
    make_old();
    lay_out();
  }

  // A database with most of its content in the log, as a kill leaves it.
  void make_old() {
    const std::string path = folder_.file("old/plugin.db");
    const pid_t child = ::fork();
    if (child == 0) {
      auto* database = new Database(host_file(path));
      database->exec("CREATE TABLE items (text TEXT)");
      for (int i = 0; i < 30; ++i)
        database->exec("INSERT INTO items VALUES ('old')");
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(fs::file_size(path + "-wal") > 0);
  }
  // Restores the old file in its place, and nothing else.
  void lay_out() {
    fs::remove_all(folder_.file("now"));
    fs::copy(folder_.file("old"), folder_.file("now"));
  }
  // "old" or "new" where it is that wholly.
  std::string found() {
    Database database(host_file(path_));
    if (const auto findings = database.quick_check(); !findings.empty()) return findings.front();
    const auto count = [&](const char* text) {
      return number(database, "SELECT count(*) FROM items WHERE text = ?1", {text});
    };
    const auto rows = std::to_string(count("old")) + " " + std::to_string(count("new")) + " " +
                      std::to_string(number(
                          database, "SELECT count(*) FROM sqlite_schema WHERE name = 'restored'"));
    return rows == "30 0 0" ? "old" : rows == "0 50 1" ? "new" : "a mixture: " + rows;
  }
  bool has_leftovers() const {
    for (const auto& entry : fs::directory_iterator(folder_.file("now"))) {
      if (entry.path().filename().string().find("-restore") != std::string::npos) return true;
    }
    return false;
  }

  Folder folder_;
  const std::string snapshot_ = folder_.file("source.db");
  const std::string path_ = folder_.file("now/plugin.db");
  const std::string copy_ = folder_.file("snapshot.db");
};

TEST_F(RestoreTest, ReplacesAFileAndItsWal) {
  restore_snapshot(path_, copy_);
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
  EXPECT_EQ(found(), "new");
  EXPECT_TRUE(fs::exists(copy_));
  restore_snapshot(path_, copy_);
  EXPECT_EQ(found(), "new");
}

TEST_F(RestoreTest, MakesAFileThatIsNotThere) {
  fs::remove_all(folder_.file("now"));
  fs::create_directories(folder_.file("now"));
  restore_snapshot(path_, copy_);
  EXPECT_EQ(found(), "new");
}

TEST_F(RestoreTest, ResetsTheChangeLogId) {
  const std::string source = folder_.file("logged.db");
  const std::string copy = folder_.file("logged-snapshot.db");
  {
    Database database(host_file(source));
    database.exec("CREATE TABLE tenon_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
    database.exec("INSERT INTO tenon_meta VALUES ('log', 'first'), ('outbox', 'mark')");
    data::snapshot(database, copy);
  }
  const auto value_of = [](const std::string& file, const char* name) {
    Database database(host_file(file));
    Rows row = database.query("SELECT value FROM tenon_meta WHERE name = ?1", {name});
    return row.next() ? std::string(row.text(0)) : std::string();
  };
  restore_snapshot(path_, copy);
  const std::string second = value_of(path_, "log");
  EXPECT_EQ(second.size(), 36U);
  EXPECT_EQ(value_of(path_, "outbox"), "mark");
  restore_snapshot(path_, copy);
  EXPECT_EQ(value_of(path_, "log").size(), 36U);
  EXPECT_NE(value_of(path_, "log"), second);
  EXPECT_EQ(value_of(copy, "log"), "first");
}

TEST_F(RestoreTest, IsAtomicWhereverItIsKilled) {
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  int olds = 0;
  int news = 0;
  for (int when = steps.first();; when += steps.interval()) {
    ASSERT_LT(when, 5000);
    lay_out();
    const End end = run_until([&] { restore_snapshot(path_, copy_); }, when);
    if (end == End::untraceable) GTEST_SKIP() << "this process may not trace another";
    if (end == End::finished) break;
    const std::string is = found();
    EXPECT_TRUE(is == "old" || is == "new") << is << " at stop " << when;
    EXPECT_FALSE(has_leftovers()) << "at stop " << when;
    (is == "old" ? olds : news) += 1;
  }
  EXPECT_EQ(found(), "new");
  EXPECT_GT(olds * steps.interval(), 10);
  EXPECT_GT(news * steps.interval(), 10);
}

TEST_F(RestoreTest, EachStepIsOnDiskBeforeTheNext) {
  const auto steps = steps_of([&] { restore_snapshot(path_, copy_); });
  if (steps.empty()) GTEST_SKIP() << "this process may not trace another";
  // Leftovers of a kill; the copy and its name; the WAL; the path.
  EXPECT_EQ(steps, "remove sync rename sync remove remove remove sync rename sync ");
  EXPECT_EQ(found(), "new");
}

TEST_F(RestoreTest, IsFinishedWhereverItsFinishIsKilled) {
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  for (int when = steps.first();; when += steps.interval()) {
    ASSERT_LT(when, 5000);
    lay_out();
    fs::copy_file(copy_, path_ + "-restore");
    const End end = run_until([&] { const Database database(host_file(path_)); }, when);
    if (end == End::untraceable) GTEST_SKIP() << "this process may not trace another";
    EXPECT_EQ(found(), "new") << "at stop " << when;
    if (end == End::finished) break;
    // The rest is SQLite's own opening.
    if (when > 200) break;
  }
}

TEST_F(RestoreTest, WhoOnlyLooksSeesWhatIsDecided) {
  fs::copy_file(copy_, path_ + "-restore");
  sqlite::Inspection look(path_, false);
  EXPECT_EQ(look.number("SELECT count(*) FROM items WHERE text = 'new'"), 50);
  EXPECT_TRUE(fs::exists(path_ + "-wal"));
}

// The snapshot's own file takes the place.
class RestoreByLinkTest : public RestoreTest {
 protected:
  RestoreByLinkTest() { lay_out_all(); }
  void lay_out_all() {
    lay_out();
    fs::copy_file(copy_, linked_);
  }
  // Does the steps of a process that restores, before the file is opened.
  std::string end() {
    restore_by_link(path_, linked_);
    fs::remove(linked_);
    return found();
  }

  const std::string linked_ = folder_.file("now/linked.db");
};

TEST_F(RestoreByLinkTest, ReplacesAFileAndItsWal) {
  const auto bytes = fs::file_size(linked_);
  EXPECT_FALSE(is_snapshot_linked(path_, linked_));
  restore_by_link(path_, linked_);
  EXPECT_TRUE(is_snapshot_linked(path_, linked_));
  EXPECT_EQ(fs::file_size(linked_), bytes);
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
  EXPECT_FALSE(has_leftovers());
  EXPECT_EQ(end(), "new");
  EXPECT_FALSE(is_snapshot_linked(path_, linked_));
}

TEST_F(RestoreByLinkTest, FreesTheOldFileWithItsLastHandle) {
  // Names that this process still has of files without one.
  const auto removed = [&] {
    int count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      count += fs::read_symlink(entry, gone) == path_ + " (deleted)" ? 1 : 0;
    }
    return count;
  };
  {
    const DeferredUnlink held(path_);
    restore_by_link(path_, linked_);
    EXPECT_EQ(removed(), 1);
  }
  for (int i = 0; i < 5'000 && removed() != 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(removed(), 0);
  EXPECT_EQ(end(), "new");
  const DeferredUnlink nothing(folder_.file("now/not-there.db"));
}

TEST_F(RestoreByLinkTest, DoesNotReplaceAnOpenFile) {
  const DeferredUnlink held(path_);
  const int open = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(code_of([&] { restore_by_link(path_, linked_); }), "data.restore_in_use");
  ::close(open);
}

TEST_F(RestoreByLinkTest, MakesAFileThatIsNotThere) {
  fs::remove(path_);
  fs::remove(path_ + "-wal");
  EXPECT_EQ(end(), "new");
}

TEST_F(RestoreByLinkTest, IsAtomicWhereverItIsKilled) {
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  int olds = 0;
  int news = 0;
  bool is_begun_again = false;
  for (int when = steps.first();; when += steps.interval()) {
    ASSERT_LT(when, 5000);
    lay_out_all();
    const End killed = run_until([&] { restore_by_link(path_, linked_); }, when);
    if (killed == End::untraceable) GTEST_SKIP() << "this process may not trace another";
    if (killed == End::finished) break;
    // Opened without the process that began it, and by the next start, which begins it again.
    is_begun_again = !is_begun_again;
    if (!is_begun_again) {
      const std::string is = found();
      EXPECT_TRUE(is == "old" || is == "new") << is << " at stop " << when;
      (is == "old" ? olds : news) += 1;
    } else {
      EXPECT_EQ(end(), "new") << "at stop " << when;
    }
    EXPECT_FALSE(has_leftovers()) << "at stop " << when;
  }
  EXPECT_EQ(end(), "new");
  EXPECT_GT(olds * steps.interval(), 10);
  EXPECT_GT(news * steps.interval(), 5);
}

TEST_F(RestoreByLinkTest, EachStepIsOnDiskBeforeTheNext) {
  const auto steps = steps_of([&] { restore_by_link(path_, linked_); });
  if (steps.empty()) GTEST_SKIP() << "this process may not trace another";
  // The snapshot and its second name; the log; the place.
  EXPECT_EQ(steps, "sync link sync remove remove remove sync rename sync ");
  EXPECT_EQ(end(), "new");
}

TEST_F(RestoreByLinkTest, HalfOfARenamingTakesNoLogAway) {
  restore_by_link(path_, linked_);
  fs::rename(linked_, path_ + "-restore");
  EXPECT_EQ(found(), "new");
  EXPECT_FALSE(has_leftovers());
}

TEST_F(RestoreByLinkTest, CopiesFromAnotherDisk) {
  const std::string away = "/dev/shm/tenon-moved-" + std::to_string(::getpid()) + ".db";
  struct stat here {};
  struct stat there {};
  if (::stat("/dev/shm", &there) != 0 || ::stat(path_.c_str(), &here) != 0 ||
      here.st_dev == there.st_dev)
    GTEST_SKIP() << "there is one disk alone";
  fs::copy_file(copy_, away);
  restore_by_link(path_, away);
  EXPECT_FALSE(is_snapshot_linked(path_, away));
  EXPECT_TRUE(fs::remove(away));
  EXPECT_EQ(found(), "new");
}

TEST_F(RestoreByLinkTest, RefusesWhatARestoreRefuses) {
  {
    Database database(host_file(path_));
    EXPECT_EQ(code_of([&] { restore_by_link(path_, linked_); }), "data.restore_in_use");
    EXPECT_EQ(number(database, "SELECT count(*) FROM items"), 30);
  }
  fs::resize_file(linked_, fs::file_size(linked_) - 4096);
  EXPECT_EQ(code_of([&] { restore_by_link(path_, linked_); }), "data.snapshot_refused");
  EXPECT_FALSE(has_leftovers());
  EXPECT_EQ(found(), "old");
}

TEST_F(RestoreTest, AReplacedFileKeepsItsWalOnClose) {
  {
    Database database(host_file(path_));
    database.exec("DELETE FROM items");
    const auto share = database.share();
    share->leave_wal();
  }
  EXPECT_GT(fs::file_size(path_ + "-wal"), 0U);
  Database again(host_file(path_));
  EXPECT_EQ(number(again, "SELECT count(*) FROM items"), 0);
}

TEST_F(RestoreTest, RefusesAFileThatIsOpen) {
  Database database(host_file(path_));
  EXPECT_EQ(code_of([&] { restore_snapshot(path_, copy_); }), "data.restore_in_use");
  EXPECT_EQ(number(database, "SELECT count(*) FROM items"), 30);
}

TEST_F(RestoreTest, RefusesASnapshotThatIsNotSound) {
  const std::string refused = "data.snapshot_refused";
  EXPECT_EQ(code_of([&] { restore_snapshot(path_, folder_.file("none.db")); }), refused);
  std::ofstream(folder_.file("text.db")) << "This is no database.";
  EXPECT_EQ(code_of([&] { restore_snapshot(path_, folder_.file("text.db")); }), refused);

  const std::string cut = folder_.file("cut.db");
  fs::copy_file(copy_, cut);
  fs::resize_file(cut, fs::file_size(cut) - 4096);
  EXPECT_EQ(code_of([&] { restore_snapshot(path_, cut); }), refused);

  std::ofstream(copy_ + "-wal") << "something";
  EXPECT_EQ(code_of([&] { restore_snapshot(path_, copy_); }), refused);
  EXPECT_EQ(found(), "old");
}

TEST_F(RestoreTest, KeepsTheOldFileIfItFails) {
  EXPECT_EQ(code_of([&] { restore_snapshot(path_, copy_, [](auto, auto) { return false; }); }),
            "data.snapshot_cancelled");
  EXPECT_FALSE(has_leftovers());
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 8192;
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto code = code_of([&] { restore_snapshot(path_, copy_); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, "data.disk_full");
  EXPECT_FALSE(has_leftovers());
  EXPECT_EQ(found(), "old");
}

}  // namespace
}  // namespace tenon::data::test
