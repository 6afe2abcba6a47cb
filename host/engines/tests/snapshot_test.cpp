#include "data/snapshot/snapshot.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/engine/changed_tables.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

constexpr int mebibyte = 1024 * 1024;

// Files may have so many bytes meanwhile, as on a disk that is full.
class SmallFiles {
 public:
  explicit SmallFiles(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    struct rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  struct rlimit before_ {};
  void (*handler_)(int) = nullptr;
};

// Whether this process has a lock on the file, as another one sees it.
bool is_locked(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ::_exit(::fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

class SnapshotTest : public ItemsTest {
 protected:
  std::string file() const { return folder_.file("snapshot.db"); }
  void fill(int megabytes) {
    const std::string text(mebibyte, 'x');
    for (int i = 0; i < megabytes; ++i)
      database().exec("INSERT INTO items (text) VALUES (?1)", {text});
  }
  static std::int64_t count_in(const std::string& path) {
    Database copy(host_file(path));
    EXPECT_TRUE(copy.quick_check().empty());
    return number(copy, "SELECT count(*) FROM items");
  }
  bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder_.file(name));
  }
};

TEST_F(SnapshotTest, HasWhatIsCommittedAndIsOneFile) {
  fill(3);
  const auto bytes = snapshot(database(), file());
  EXPECT_EQ(bytes, std::filesystem::file_size(file()));
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_FALSE(is_there("snapshot.db.part"));
  EXPECT_TRUE(snapshot_facts(file()).tables.empty());
  EXPECT_FALSE(is_there("snapshot.db-wal") || is_there("snapshot.db-shm"));
  EXPECT_EQ(count_in(file()), 3);
}

TEST_F(SnapshotTest, OthersWriteAndReadMeanwhile) {
  fill(8);
  int pieces = 0;
  snapshot(database(), file(), [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    // More than the log has before the writer would copy it into the file.
    if (++pieces == 1) {
      fill(40);
      EXPECT_EQ(items(), 48);
    }
    return true;
  });
  EXPECT_GT(pieces, 4);
  // The WAL is copied soon, although there are no writes.
  while (std::filesystem::file_size(options_.path) < std::uint64_t{40} * mebibyte)
    std::this_thread::yield();
  EXPECT_EQ(items(), 48);
  EXPECT_EQ(count_in(file()), 8);
  fill(1);
  EXPECT_TRUE(database().quick_check().empty());
}

TEST_F(SnapshotTest, LeavesTheLocksOfTheDatabase) {
  fill(1);
  ASSERT_TRUE(is_locked(options_.path));
  snapshot(database(), file());
  EXPECT_TRUE(is_locked(options_.path));
}

TEST_F(SnapshotTest, OfAnEmptyDatabaseCanBeRestored) {
  const auto path = folder_.file("empty.db");
  {
    Database empty(host_file(path));
    snapshot(empty, file());
  }
  restore_snapshot(path, file());
  Database restored(host_file(path));
  EXPECT_EQ(number(restored, "SELECT count(*) FROM sqlite_schema"), 0);
}

TEST_F(SnapshotTest, NeverWritesOverAFile) {
  snapshot(database(), file());
  EXPECT_EQ(code_of([&] { snapshot(database(), file()); }), "data.snapshot_exists");
}

TEST_F(SnapshotTest, LeavesNoFileAfterCancelOrFullDisk) {
  fill(4);
  EXPECT_EQ(code_of([&] {
              snapshot(database(), file(), [](auto done, auto) { return done < 2 * mebibyte; });
            }),
            "data.snapshot_cancelled");
  EXPECT_FALSE(is_there("snapshot.db") || is_there("snapshot.db.part"));
  {
    const SmallFiles small(2 * mebibyte);
    EXPECT_EQ(code_of([&] { snapshot(database(), file()); }), "data.disk_full");
  }
  EXPECT_FALSE(is_there("snapshot.db") || is_there("snapshot.db.part"));
  EXPECT_EQ(code_of([&] { snapshot(database(), folder_.file("no/folder.db")); }), "data.io");
  fill(1);
  EXPECT_EQ(items(), 5);
  snapshot(database(), file());
  EXPECT_EQ(count_in(file()), 5);
}

TEST_F(SnapshotTest, IsRefusedOnceClosed) {
  database().close();
  EXPECT_EQ(code_of([&] { snapshot(database(), file()); }), "data.closed");
}

TEST_F(SnapshotTest, WaitsForQueriesThatReadTheWal) {
  auto reader = database().begin(Mode::read);
  EXPECT_TRUE(reader.query("SELECT count(*) FROM items").next());
  fill(1);
  std::thread later([&] {
    // Others write between the tries.
    while (database().statistics().checkpoints == 0)
      fill(1);
    reader.rollback();
  });
  snapshot(database(), file());
  later.join();
  EXPECT_GE(count_in(file()), 1);
}

class OnlineSnapshotTest : public SnapshotTest {
 protected:
  std::unique_ptr<OnlineSnapshot> begin() { return start_snapshot(database(), file()); }
  // Returns the other files in the folder of the database.
  std::string others() const {
    std::string names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file(""))) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("snapshot.db")) names += name + " ";
    }
    return names;
  }
};

TEST_F(OnlineSnapshotTest, HasWhatWasCommittedSince) {
  fill(3);
  const auto begun = begin();
  EXPECT_EQ(others(), "snapshot.db.part ");
  fill(2);
  database().exec("UPDATE items SET text = 'short' WHERE rowid = 1");
  const auto bytes = begun->finish();
  EXPECT_EQ(others(), "snapshot.db ");
  EXPECT_EQ(bytes, std::filesystem::file_size(file()));
  EXPECT_TRUE(is_locked(options_.path));
  fill(1);
  EXPECT_EQ(snapshot_facts(file()).bytes, bytes);
  EXPECT_EQ(others(), "snapshot.db ") << "reading it made another file";
  EXPECT_EQ(count_in(file()), 5);
  Database copy(host_file(file()));
  EXPECT_EQ(number(copy, "SELECT count(*) FROM items WHERE text = 'short'"), 1);
}

TEST_F(OnlineSnapshotTest, IsOneWhereNothingWasCommittedSince) {
  fill(3);
  const auto bytes = begin()->finish();
  EXPECT_EQ(bytes, std::filesystem::file_size(file()));
  EXPECT_EQ(others(), "snapshot.db ");
  EXPECT_EQ(count_in(file()), 3);
}

TEST_F(OnlineSnapshotTest, TakesMoreThanTheUsualWal) {
  fill(1);
  const auto begun = begin();
  fill(40);
  begun->finish();
  EXPECT_EQ(count_in(file()), 41);
}

TEST_F(OnlineSnapshotTest, IsAsSmallAsTheDatabaseBecame) {
  fill(8);
  const auto begun = begin();
  database().exec("DELETE FROM items WHERE rowid > 1");
  {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(options_.path.c_str(), &other), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(other, "VACUUM", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
  }
  EXPECT_LT(begun->finish(), std::uint64_t{3} * mebibyte);
  EXPECT_EQ(count_in(file()), 1);
}

TEST_F(OnlineSnapshotTest, MissesNothingOfAWriterThatNeverPauses) {
  fill(4);
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    while (!is_done)
      database().exec("INSERT INTO items (text) VALUES ('one')");
  });
  for (int i = 0; i < 5; ++i) {
    const auto begun = begin();
    ASSERT_TRUE(database().pause_writes(std::chrono::seconds(30)));
    begun->finish();
    const std::int64_t now = items();
    database().resume_writes();
    EXPECT_EQ(count_in(file()), now);
    std::filesystem::remove(file());
  }
  is_done = true;
  writer.join();
}

TEST_F(OnlineSnapshotTest, LeavesNothingUnlessItIsFinished) {
  fill(2);
  begin().reset();
  EXPECT_EQ(others(), "");
  auto begun = begin();
  fill(4);
  {
    const SmallFiles small(std::uint64_t{3} * mebibyte);
    EXPECT_EQ(code_of([&] { begun->finish(); }), "data.disk_full");
  }
  begun.reset();
  EXPECT_EQ(others(), "");
  fill(1);
  EXPECT_EQ(items(), 7);
  EXPECT_TRUE(database().quick_check().empty());
}

class SnapshotDiffTest : public EachEngine {
 protected:
  void apply_tables(const std::string& version, const std::string& tables) {
    apply(*database_, declare(version, tables));
  }
  void insert(const std::string& table, int number, const std::string& title) {
    database_->exec("INSERT INTO " + table + " (id, title) VALUES (?1, ?2)",
                    {id_of(number), title});
  }
  std::string changes(std::chrono::milliseconds timeout = diff_timeout) {
    std::string text;
    for (const auto& one : diff_since(*database_, file_, timeout)) {
      text += one.table + " +" + std::to_string(one.added) + " ~" + std::to_string(one.changed) +
              " -" + std::to_string(one.removed) + (one.is_whole ? "" : " at least") + "\n";
    }
    return text;
  }

  Folder folder_;
  const std::string file_ = folder_.file("snapshot.db");
  std::unique_ptr<Database> database_ =
      std::make_unique<Database>(fresh_plugin_database(folder_.file("plugin.db")));
};

// Tests files of SQLite alone.
class FileSnapshotDiffTest : public SnapshotDiffTest {};
INSTANTIATE_TEST_SUITE_P(Engines, FileSnapshotDiffTest, ::testing::Values(Dialect::sqlite));

constexpr const char* first_tables =
    R"({"tables": [{"name": "notes", "fields": [{"name": "title", "type": "text"}]},
                   {"name": "gone", "fields": [{"name": "title", "type": "text"}]}]})";

TEST_P(SnapshotDiffTest, CountsRecordsByTable) {
  apply_tables("1.0.0", first_tables);
  for (int i = 1; i <= 5; ++i)
    insert("notes", i, "a");
  insert("gone", 1, "a");
  snapshot(*database_, file_);
  EXPECT_EQ(changes(), "");

  const auto facts = snapshot_facts(file_);
  EXPECT_EQ(facts.version, "1.0.0");
  EXPECT_EQ(facts.migration, 0);
  EXPECT_EQ(facts.plugin, "sample");
  EXPECT_EQ(facts.bytes, std::filesystem::file_size(file_));
  EXPECT_GT(facts.time, 0);
  ASSERT_EQ(facts.tables.size(), 2U);
  EXPECT_EQ(facts.tables[0].table, "notes");
  EXPECT_EQ(facts.tables[0].rows, 5);

  insert("notes", 6, "b");
  insert("notes", 7, "b");
  database_->exec("UPDATE notes SET title = 'c' WHERE id <= ?1", {id_of(3)});
  database_->exec("DELETE FROM notes WHERE id = ?1", {id_of(4)});
  database_->exec("DELETE FROM gone");
  insert("gone", 2, "a");  // on SQLite it has the rowid of the one that went
  EXPECT_EQ(changes(), "notes +2 ~3 -1\ngone +1 ~0 -1\n");
  EXPECT_EQ(changes(std::chrono::milliseconds(-1)),
            "notes +0 ~0 -0 at least\ngone +0 ~0 -0 at least\n");
}

TEST_P(SnapshotDiffTest, SeesThroughAnUpgrade) {
  apply_tables("1.0.0", first_tables);
  for (int i = 1; i <= 3; ++i)
    insert("notes", i, "a");
  snapshot(*database_, file_);
  apply_tables("2.0.0",
               R"({"tables": [{"name": "papers", "formerly": ["notes"], "fields":
                    [{"name": "title", "type": "text"}, {"name": "stars", "type": "integer", "default": 3}]},
                   {"name": "gone", "fields": [{"name": "title", "type": "text"}]},
                   {"name": "fresh", "fields": [{"name": "title", "type": "text"}]}]})");
  EXPECT_EQ(changes(), "");
  database_->exec("UPDATE papers SET title = 'b' WHERE id = ?1", {id_of(1)});
  insert("fresh", 1, "a");
  EXPECT_EQ(changes(), "papers +0 ~1 -0\nfresh +1 ~0 -0\n");
  database_->exec("UPDATE papers SET stars = 4 WHERE id = ?1", {id_of(2)});
  const auto found = diff_since(*database_, file_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].new_values, 1);
  EXPECT_EQ(found[0].changed_ids, std::vector<std::string>{id_of(1)});
  EXPECT_EQ(found[1].added_ids, std::vector<std::string>{id_of(1)});
}

// `version` says nothing of what a plugin wrote by itself.
TEST_P(SnapshotDiffTest, ComparesTheColumnsOfBothVersions) {
  const auto tables = [](const std::string& fields) {
    return R"({"tables": [{"name": "notes", "version": true, "timestamps": true, "fields": [)" +
           fields + R"(, {"name": "ids", "type": "reference", "table": "notes", "many": true}]}]})";
  };
  apply_tables("1.0.0",
               tables(R"({"name": "title", "type": "text"}, {"name": "n", "type": "integer"})"));
  for (int i = 1; i <= 25; ++i)
    insert("notes", i, "a");
  snapshot(*database_, file_);
  apply_tables("2.0.0", tables(R"({"name": "name", "formerly": ["title"], "type": "text"},
                                  {"name": "n", "type": "integer"},
                                  {"name": "f", "type": "number"})"));
  EXPECT_EQ(changes(), "");
  database_->exec("UPDATE notes SET name = 'b' WHERE id < ?1", {id_of(25)});
  database_->exec("INSERT INTO notes__ids (record, target, position) VALUES (?1, ?2, 0)",
                  {id_of(3), id_of(4)});
  const auto found = diff_since(*database_, file_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].changed, 24);
  EXPECT_EQ(found[0].new_values, 0);
  EXPECT_TRUE(found[0].is_whole);
  ASSERT_EQ(found[0].changed_ids.size(), max_named_records);
  EXPECT_EQ(found[0].changed_ids.back(), id_of(20));
  EXPECT_EQ(found[1].table, "notes.ids");
  EXPECT_EQ(found[1].added_ids, std::vector<std::string>{id_of(3)});
}

TEST_P(SnapshotDiffTest, IsIncompleteIfAFieldChangedItsType) {
  const auto tables = [](const std::string& type) {
    return R"({"tables": [{"name": "notes", "fields": [{"name": "title", "type": "text"},
               {"name": "day", "type": ")" +
           type + R"("}]}]})";
  };
  apply_tables("1.0.0", tables("date"));
  insert("notes", 1, "a");
  snapshot(*database_, file_);
  apply_tables("2.0.0", tables("datetime"));
  const auto found = diff_since(*database_, file_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].is_whole);
  EXPECT_EQ(found[0].not_compared, std::vector<std::string>{"day"});
  database_->exec("UPDATE notes SET title = 'b'");
  EXPECT_EQ(changes(), "notes +0 ~1 -0 at least\n");
}

TEST_P(SnapshotDiffTest, ComparesRowsOfTablesThatOnlyMigrationsKnow) {
  Declaration declaration = declare("1.0.0", first_tables);
  declaration.migrations = {
      {.number = 1, .name = "0001_a.sql", .sql = "CREATE TABLE raw (n integer, f real, t text)"},
      {.number = 2, .name = "0002_b.sql", .sql = "CREATE TABLE later_gone (n integer)"}};
  apply(*database_, declaration);
  database_->exec("INSERT INTO raw VALUES (1, 0.5, 'a'), (1, 0.5, 'a'), (2, NULL, NULL)");
  database_->exec("INSERT INTO later_gone VALUES (1), (2)");
  snapshot(*database_, file_);
  declaration.version = "2.0.0";
  declaration.migrations.push_back(
      {.number = 3,
       .name = "0003_c.sql",
       .sql = "DROP TABLE later_gone; CREATE TABLE fresh (n integer); INSERT INTO fresh VALUES "
              "(1); ALTER TABLE raw ADD COLUMN more integer DEFAULT 3"});
  apply(*database_, declaration);
  EXPECT_EQ(changes(), "fresh +1 ~0 -0\nlater_gone +0 ~0 -2\n");
  database_->exec("UPDATE raw SET f = 0.25 WHERE n = 2");
  database_->exec("DELETE FROM raw WHERE n = 1");
  database_->exec("INSERT INTO raw VALUES (1, 0.5, 'a', 4)");
  EXPECT_EQ(changes(), "fresh +1 ~0 -0\nlater_gone +0 ~0 -2\nraw +1 ~0 -2\n");
  EXPECT_EQ(diff_since(*database_, file_)[2].new_values, 1);
}

TEST(RowDifference, IsNotKnownOfTooManyRows) {
  RowDifference difference;
  for (std::size_t i = 0; i <= RowDifference::max_rows; ++i)
    difference.add_then(std::to_string(i));
  EXPECT_FALSE(difference.is_known());
  TableChanges changes;
  difference.write_to(changes);
  EXPECT_FALSE(changes.is_whole);
  EXPECT_TRUE(has_changes(changes));
}

TEST_P(FileSnapshotDiffTest, ComparesAFileThatIsInUse) {
  apply_tables("1.0.0", first_tables);
  insert("notes", 1, "a");
  snapshot(*database_, file_);
  insert("notes", 2, "a");
  const std::string now = folder_.file("plugin.db");
  const auto text = [&](const std::string& path, bool has_writer, const std::string& then) {
    std::string found;
    for (const auto& one : diff_file_since(path, has_writer, then))
      found += one.table + " +" + std::to_string(one.added) + " -" + std::to_string(one.removed);
    return found;
  };
  EXPECT_EQ(text(now, true, file_), "notes +1 -0");
  EXPECT_EQ(text(now, true, ""), "notes +2 -0");
  EXPECT_EQ(text(folder_.file("none.db"), false, file_), "notes +0 -1");
  EXPECT_FALSE(std::filesystem::exists(folder_.file("none.db")));
  database_->close();
  EXPECT_EQ(text(now, false, file_), "notes +1 -0");
  EXPECT_EQ(text(now, true, file_), "notes +1 -0");
  EXPECT_EQ(code_of([&] { diff_file_since(now, false, folder_.file("none.db")); }),
            "data.snapshot_refused");
}

TEST_P(SnapshotDiffTest, ReportsTheLastMigrationThatRan) {
  Declaration declaration = declare("1.0.0", first_tables);
  declaration.migrations = {{.number = 3, .name = "0003_a.sql", .sql = "SELECT 1;"},
                            {.number = 12, .name = "0012_b.sql", .sql = "SELECT 1;"}};
  apply(*database_, declaration);
  snapshot(*database_, file_);
  EXPECT_EQ(snapshot_facts(file_).migration, 12);
}

TEST_P(SnapshotDiffTest, RefusesWhatIsNoDatabase) {
  EXPECT_EQ(code_of([&] { diff_since(*database_, file_); }), "data.snapshot_refused");
  EXPECT_EQ(code_of([&] { snapshot_facts(file_); }), "data.snapshot_refused");
}

TENON_ON_BOTH_ENGINES(SnapshotDiffTest);

}  // namespace
}  // namespace tenon::data::test
