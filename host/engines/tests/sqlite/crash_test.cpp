#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/sampling.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/sqlite/faulty_disk.hpp"
#include "engines/tests/support.hpp"

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

TEST(CrashTest, AcknowledgedWritesSurviveAKill) {
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

TEST(CrashTest, AKilledMigrationIsAtomic) {
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
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  int killed = 0;
  int kept = 0;
  for (int at = 1 + steps.first();; at += steps.interval()) {
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
      if (++kept % 7 == 0) {
        apply(database, second_version());
        EXPECT_EQ(applied_version(database), "2.0.0");
      }
    }
    if (is_done) break;
    ++killed;
  }
  EXPECT_GT(killed * steps.interval(), 20);
  EXPECT_GT(kept * steps.interval(), 10);
}

// Kills the process before the statement of a number, counted on every connection opened from now
// on; triggers' own statements count too.
std::atomic<int> statements_left{0};

int count_statement(unsigned, void*, void*, void*) {
  if (statements_left.fetch_sub(1) == 1) ::kill(::getpid(), SIGKILL);
  return 0;
}

int watch_connection(sqlite3* connection, char**, const sqlite3_api_routines*) {
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, count_statement, nullptr);
}

void die_at_statement(int number) {
  statements_left = number;
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch_connection));
}

Declaration before_renames() {
  Declaration declaration;
  declaration.plugin = "sample";
  declaration.version = "1.0.0";
  declaration.tables = schema::parse_tables(R"({"tables":[
    {"name":"people","fields":[{"name":"name","type":"text","unique":true}]},
    {"name":"books","fields":[
      {"name":"title","type":"text","indexed":true,"searchable":true},
      {"name":"pages","type":"integer"},
      {"name":"author","type":"reference","table":"people"},
      {"name":"readers","type":"reference","table":"people","many":true}]}]})");
  return declaration;
}

Declaration after_renames() {
  Declaration declaration;
  declaration.plugin = "sample";
  declaration.version = "2.0.0";
  declaration.tables = schema::parse_tables(R"({"tables":[
    {"name":"persons","formerly":["people"],"fields":[{"name":"name","type":"text","unique":true}]},
    {"name":"works","formerly":["books"],"fields":[
      {"name":"heading","formerly":["title"],"type":"text","required":true,"searchable":true},
      {"name":"pages","type":"text"},
      {"name":"authors","formerly":["author"],"type":"reference","table":"persons","many":true},
      {"name":"fans","formerly":["readers"],"type":"reference","table":"persons","many":true},
      {"name":"cover","type":"blob"}]}]})");
  Migration fill;
  fill.number = 1;
  fill.name = "0001_fill.sql";
  fill.sql = "UPDATE works SET heading = 'untitled' WHERE heading IS NULL;";
  declaration.migrations = {fill};
  return declaration;
}

TEST(CrashTest, AKilledUpgradeIsAtomic) {
  const Folder folder;
  const auto before = folder.file("before.db");
  {
    Database database(plugin_file(before));
    apply(database, before_renames());
    database.write([](Transaction& transaction) {
      const std::string person = base::new_id();
      transaction.exec("INSERT INTO people (id, name) VALUES (?1, 'a')", {person});
      for (int i = 0; i < 20; ++i) {
        const std::string book = base::new_id();
        transaction.exec("INSERT INTO books (id, title, pages, author) VALUES (?1, ?2, ?3, ?4)",
                         {book, i % 4 == 0 ? Cell() : Cell("a title"), i, person});
        transaction.exec("INSERT INTO books__readers (record, target, position) VALUES (?1, ?2, 0)",
                         {book, person});
      }
    });
  }
  const auto path = folder.file("upgraded.db");
  const auto tables = [](Database& database) {
    auto rows = database.query(
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE type = 'table' "
        "AND name NOT LIKE 'tenon_m%' AND name NOT LIKE '%_search_%' ORDER BY name)");
    return rows.next() ? std::string(rows.text(0)) : std::string();
  };
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  int kept = 0;
  bool is_done = false;
  for (int at = 1 + steps.first(); !is_done; at += steps.interval()) {
    copy_database(before, path);
    const int status = in_child([&] {
      die_at_statement(at);
      Database database(plugin_file(path));
      apply(database, after_renames());
    });
    is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ASSERT_TRUE(is_done || was_killed(status)) << status;
    Database database(plugin_file(path));
    ASSERT_TRUE(database.quick_check().empty());
    if (applied_version(database) == "2.0.0") {
      EXPECT_EQ(tables(database), "persons tenon_works_search works works__authors works__fans")
          << at;
      EXPECT_EQ(
          number(database,
                 "SELECT count(*) FROM works AS w JOIN works__authors AS a ON a.record = w.id "
                 "JOIN works__fans AS f ON f.record = w.id AND f.target = a.target WHERE "
                 "w.heading IS NOT NULL AND w.pages = CAST(w.rowid - 1 AS TEXT)"),
          20)
          << at;
      EXPECT_EQ(number(database,
                       "SELECT count(*) FROM tenon_works_search('heading : untitled OR title')"),
                20)
          << at;
      EXPECT_TRUE(plan(database, after_renames()).is_empty()) << at;
    } else {
      EXPECT_EQ(applied_version(database), "1.0.0") << at;
      EXPECT_EQ(tables(database), "books books__readers people tenon_books_search") << at;
      EXPECT_EQ(
          number(database,
                 "SELECT count(*) FROM books AS b JOIN books__readers AS r ON r.record = b.id "
                 "AND r.target = b.author WHERE b.pages = b.rowid - 1"),
          20)
          << at;
      EXPECT_EQ(number(database, "SELECT count(*) FROM tenon_books_search('title : title')"), 15)
          << at;
      EXPECT_TRUE(plan(database, before_renames()).is_empty()) << at;
      ++kept;
    }
  }
  EXPECT_GT(kept * steps.interval(), 100);
}

TEST(CrashTest, AKilledFirstInstallationStartsAgain) {
  const Folder folder;
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  for (int at = 1 + steps.first();; at += steps.interval()) {
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
