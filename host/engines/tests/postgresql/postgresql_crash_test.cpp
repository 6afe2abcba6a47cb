#include <cstddef>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ids.hpp"
#include "base/tests/sampling.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace {

// How often this process may send to the server yet; at 1 it dies instead. 0: for ever.
int sends_left = 0;

}  // namespace

// Instead of libc's, for libpq too.
extern "C" __attribute__((visibility("default"))) ssize_t send(int socket, const void* bytes,
                                                               std::size_t size, int flags) {
  if (sends_left != 0 && --sends_left == 0) ::kill(::getpid(), SIGKILL);
  return ::sendto(socket, bytes, size, flags, nullptr, 0);
}

namespace tenon::data::test {
namespace {

Declaration old_version() {
  return declare("1.0.0", R"({"tables":[
    {"name":"people","fields":[{"name":"name","type":"text","unique":true}]},
    {"name":"books","publish":true,"fields":[
      {"name":"title","type":"text","indexed":true,"searchable":true},
      {"name":"pages","type":"integer"},
      {"name":"author","type":"reference","table":"people"},
      {"name":"readers","type":"reference","table":"people","many":true}]}]})");
}

Declaration new_version() {
  return declare(
      "2.0.0", R"({"tables":[
    {"name":"persons","formerly":["people"],"fields":[{"name":"name","type":"text","unique":true}]},
    {"name":"works","formerly":["books"],"publish":true,"fields":[
      {"name":"heading","formerly":["title"],"type":"text","required":true,"searchable":true},
      {"name":"pages","type":"text"},
      {"name":"authors","formerly":["author"],"type":"reference","table":"persons","many":true},
      {"name":"fans","formerly":["readers"],"type":"reference","table":"persons","many":true},
      {"name":"cover","type":"blob"}]}]})",
      {migration(1,
                 "UPDATE works SET heading = 'untitled' WHERE heading IS NULL;\n"
                 "CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$\n"
                 "BEGIN new.heading := new.heading || '.'; RETURN new; END $$;\n"
                 "CREATE TRIGGER noted BEFORE INSERT ON works FOR EACH ROW EXECUTE FUNCTION "
                 "noted();")});
}

// A plugin's schema with the old version and ten books in it.
DatabaseOptions old_data() {
  DatabaseOptions options;
  options.postgresql = PostgresqlCluster::shared().fresh_plugin_schema("k");
  Database database(options);
  apply(database, old_version());
  database.write([](Transaction& transaction) {
    const std::string person = base::new_id();
    transaction.exec("INSERT INTO people (id, name) VALUES (?1, 'a')", {person});
    for (int i = 0; i < 10; ++i) {
      const std::string book = base::new_id();
      transaction.exec("INSERT INTO books (id, title, pages, author) VALUES (?1, ?2, ?3, ?4)",
                       {book, i % 2 == 0 ? Cell() : Cell("a title"), i, person});
      transaction.exec("INSERT INTO books__readers (record, target, position) VALUES (?1, ?2, 0)",
                       {book, person});
    }
  });
  return options;
}

// Returns once what the dead process had begun has come to its end: it had this lock.
void wait_for_the_end(const DatabaseOptions& options) {
  PostgresqlCluster::run(PostgresqlCluster::shared().url(),
                         "SELECT pg_advisory_xact_lock(hashtextextended('tenon " +
                             options.postgresql->schema + "', 0))");
}

std::string tables(Database& database) {
  auto rows = database.query(
      "SELECT string_agg(name, ' ' ORDER BY name) FROM (SELECT to_regclass(n)::text AS name FROM "
      "unnest(ARRAY['books', 'books__readers', 'people', 'tenon_books_search', 'persons', "
      "'tenon_works_search', 'works', 'works__authors', 'works__fans']) AS n) AS found");
  return rows.next() ? std::string(rows.text(0)) : std::string();
}

TEST(PostgresqlUpgradeTest, AKilledUpgradeIsAtomic) {
  DatabaseOptions options = old_data();
  SCOPED_TRACE(base::test::how_to_repeat());
  const base::test::SampledSteps steps(8);
  int kept = 0;
  int made = 0;
  bool is_done = false;
  for (int at = 1 + steps.first(); !is_done; at += steps.interval()) {
    const pid_t child = ::fork();
    if (child == 0) {
      sends_left = at;
      Database database(options);
      apply(database, new_version());
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    is_done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ASSERT_TRUE(is_done || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) << status;
    wait_for_the_end(options);
    bool is_new = false;
    {
      Database database(options);
      is_new = applied_version(database) == "2.0.0";
      if (is_new) {
        EXPECT_EQ(tables(database), "persons tenon_works_search works works__authors works__fans")
            << at;
        EXPECT_EQ(
            number(database,
                   "SELECT count(*) FROM works AS w JOIN works__authors AS a ON a.record = w.id "
                   "JOIN works__fans AS f ON f.record = w.id AND f.target = a.target WHERE "
                   "w.heading IS NOT NULL AND w.pages = CAST(w.rowid - 1 AS TEXT)"),
            10)
            << at;
        EXPECT_EQ(number(database, "SELECT count(*) FROM tenon_works_search"), 10) << at;
        EXPECT_TRUE(plan(database, new_version()).is_empty()) << at;
        database.exec("INSERT INTO works (id, heading) VALUES (?1, 'a')", {base::new_id()});
        EXPECT_EQ(number(database, "SELECT count(*) FROM works WHERE heading = 'a.'"), 1) << at;
        EXPECT_EQ(number(database, "SELECT count(*) FROM tenon_changes"), 1) << at;
        ++made;
      } else {
        EXPECT_EQ(applied_version(database), "1.0.0") << at;
        EXPECT_EQ(tables(database), "books books__readers people tenon_books_search") << at;
        EXPECT_EQ(number(database,
                         "SELECT count(*) FROM books AS b JOIN books__readers AS r ON r.record = "
                         "b.id AND r.target = b.author WHERE b.pages = b.rowid - 1"),
                  10)
            << at;
        EXPECT_EQ(number(database, "SELECT count(*) FROM books WHERE title IS NULL"), 5) << at;
        EXPECT_TRUE(plan(database, old_version()).is_empty()) << at;
        ++kept;
      }
    }
    // The next attempt begins with the data that is still old.
    if (is_new && !is_done) options = old_data();
  }
  EXPECT_GT(kept * steps.interval(), 10);
  EXPECT_GT(made * steps.interval(), 2);
}

}  // namespace
}  // namespace tenon::data::test
