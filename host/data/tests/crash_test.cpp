#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/migrate.hpp"
#include "data/tests/faulty_disk.hpp"
#include "data/tests/support.hpp"

namespace tenon::data::test {
namespace {

// Runs `work` in a child process; the status that waitpid gives.
int in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool was_killed(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST(CrashTest, EveryAcknowledgedWriteOfManyIsThereAfterAKill) {
  const Folder folder;
  const auto path = folder.file("many.db");
  {
    Database database(host_file(path));
    database.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)");
  }
  std::set<std::uint32_t> acknowledged;
  for (std::uint32_t round = 0; round < 3; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Database database(host_file(path));
      std::vector<std::thread> writers;
      for (std::uint32_t t = 0; t < 64; ++t) {
        writers.emplace_back([&, t] {
          for (std::uint32_t i = 0;; ++i) {
            const std::uint32_t id = (round * 64 + t) * 100'000 + i;
            if (t % 2 == 0) {
              database.exec("INSERT INTO items (id) VALUES (?1)", {id});
            } else {
              auto transaction = database.begin(Mode::write);
              transaction.exec("INSERT INTO items (id) VALUES (?1)", {id});
              transaction.commit();
            }
            if (::write(ends[1], &id, sizeof id) != sizeof id) ::_exit(1);
          }
        });
      }
      for (auto& writer : writers)
        writer.join();
    }
    ::close(ends[1]);
    std::uint32_t id = 0;
    std::size_t count = 0;
    while (::read(ends[0], &id, sizeof id) == sizeof id) {
      acknowledged.insert(id);
      if (++count == 1500) ::kill(child, SIGKILL);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(was_killed(status));
    Database database(host_file(path));
    EXPECT_TRUE(database.quick_check().empty());
    std::set<std::uint32_t> present;
    auto rows = database.query("SELECT id FROM items");
    while (rows.next())
      present.insert(static_cast<std::uint32_t>(rows.integer(0)));
    for (const auto one : acknowledged)
      EXPECT_TRUE(present.contains(one)) << one;
  }
  EXPECT_GE(acknowledged.size(), 4500U);
}

Declaration first_version() {
  Declaration declaration;
  declaration.plugin = "sample";
  declaration.version = "1.0.0";
  declaration.tables = schema::parse_tables(R"({"tables":[
    {"name":"books","fields":[{"name":"title","type":"text"},{"name":"pages","type":"integer"}]}]})");
  return declaration;
}

Declaration second_version() {
  Declaration declaration;
  declaration.plugin = "sample";
  declaration.version = "2.0.0";
  declaration.tables = schema::parse_tables(R"({"tables":[
    {"name":"shelves","fields":[{"name":"name","type":"text","required":true,"unique":true}]},
    {"name":"books","timestamps":true,"fields":[
      {"name":"title","type":"text","required":true,"max":200},
      {"name":"pages","type":"integer","min":1,"indexed":true},
      {"name":"state","type":"choice","choices":["open","read"],"default":"open","required":true},
      {"name":"shelf","type":"reference","table":"shelves","on_delete":"clear"}]}]})");
  Migration fill;
  fill.number = 1;
  fill.name = "0001_fill.sql";
  fill.sql =
      "UPDATE books SET title = 'untitled' WHERE title IS NULL;\n"
      "CREATE VIRTUAL TABLE books_search USING fts5 (title);\n"
      "INSERT INTO books_search (rowid, title) SELECT rowid, title FROM books;";
  declaration.migrations = {fill};
  return declaration;
}

void copy_database(const std::string& from, const std::string& to) {
  for (const char* part : {"", "-wal", "-shm"}) {
    std::filesystem::remove(to + part);
    if (std::filesystem::exists(from + part)) std::filesystem::copy_file(from + part, to + part);
  }
}

TEST(CrashTest, AMigrationKilledAtAnyWriteIsWhollyOldOrWhollyNew) {
  const Folder folder;
  const auto before = folder.file("before.db");
  {
    Database database(plugin_file(before));
    apply(database, first_version());
    database.write([](Transaction& transaction) {
      for (int i = 0; i < 500; ++i) {
        transaction.exec("INSERT INTO books (id, title, pages) VALUES (?1, ?2, ?3)",
                         {base::new_id(), i % 10 == 0 ? Cell() : Cell("a title"), i + 1});
      }
    });
  }
  const auto path = folder.file("upgraded.db");
  int killed = 0;
  int kept = 0;
  for (int at = 1;; ++at) {
    copy_database(before, path);
    const int status = in_child([&] {
      FaultyDisk disk;
      disk.dies_at = at;
      Database database(plugin_file(path));
      apply(database, second_version());
    });
    const bool is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ASSERT_TRUE(is_done || was_killed(status)) << status;
    Database database(plugin_file(path));
    ASSERT_TRUE(database.quick_check().empty());
    const auto version = applied_version(database);
    const bool has_search =
        number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'books_search'") == 1;
    const bool has_shelves =
        number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'shelves'") == 1;
    ASSERT_EQ(number(database, "SELECT count(*) FROM books"), 500);
    const auto empty_titles = number(database, "SELECT count(*) FROM books WHERE title IS NULL");
    if (version == "2.0.0") {
      EXPECT_TRUE(has_search && has_shelves) << at;
      EXPECT_EQ(empty_titles, 0);
      EXPECT_TRUE(plan(database, second_version()).is_empty());
    } else {
      EXPECT_EQ(version, "1.0.0") << at;
      EXPECT_FALSE(has_search || has_shelves) << at;
      EXPECT_EQ(empty_titles, 50);
      ++kept;
      if (at % 7 == 0) {
        apply(database, second_version());
        EXPECT_EQ(applied_version(database), "2.0.0");
      }
    }
    if (is_done) break;
    ++killed;
  }
  EXPECT_GT(killed, 20);
  EXPECT_GT(kept, 10);
}

TEST(CrashTest, AFirstInstallationKilledAtAnyWriteStartsAgain) {
  const Folder folder;
  for (int at = 1;; ++at) {
    const auto path = folder.file("new" + std::to_string(at) + ".db");
    const int status = in_child([&] {
      FaultyDisk disk;
      disk.dies_at = at;
      Database database(plugin_file(path));
      apply(database, second_version());
    });
    Database database(plugin_file(path));
    const auto version = applied_version(database);
    EXPECT_TRUE(version.empty() || version == "2.0.0") << at;
    apply(database, second_version());
    EXPECT_EQ(applied_version(database), "2.0.0");
    EXPECT_EQ(number(database, "SELECT count(*) FROM books"), 0);
    if (!was_killed(status)) break;
  }
}

}  // namespace
}  // namespace tenon::data::test
