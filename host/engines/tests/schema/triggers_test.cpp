#include <chrono>
#include <string>
#include <vector>

#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"

namespace tenon::data::test {
namespace {

// Shelves with books that go with them.
Declaration declare_library(const std::string& version, std::vector<Migration> migrations) {
  return test::declare(version, R"json({"tables":[
    {"name":"shelves","fields":[{"name":"name","type":"text"},{"name":"books","type":"integer","default":0}]},
    {"name":"books","publish":true,"fields":[
      {"name":"title","type":"text","searchable":true},{"name":"loaned","type":"boolean","default":false},
      {"name":"shelf","type":"reference","table":"shelves","on_delete":"cascade"}]}]})json",
                       std::move(migrations));
}

std::string function(const std::string& name, const std::string& body) {
  return "CREATE FUNCTION " + name + "() RETURNS trigger LANGUAGE plpgsql AS $$\n" + body +
         "\n$$;\n";
}

std::string trigger(const std::string& name, const std::string& when) {
  return "CREATE TRIGGER " + name + " " + when + " FOR EACH ROW EXECUTE FUNCTION " + name + "();\n";
}

class TriggersTest : public EachEngine {
 protected:
  void SetUp() override { database_ = std::make_unique<Database>(options_); }
  Database& database() { return *database_; }
  void exec(const std::string& sql) { database().exec(sql); }
  std::string json(std::string_view sql) {
    JsonText out;
    database().append_json(JsonShape::rows, out, sql);
    return std::string(out.view());
  }
  void add_book(int id, const std::string& title, int shelf) {
    database().exec("INSERT INTO books (id, title, shelf) VALUES (?1, ?2, ?3)",
                    {id_of(id), title, id_of(shelf)});
  }
  std::string failure(const std::string& sql) {
    return code_of([&] { apply(database(), declare_library("1.1.0", {migration(1, sql, sql)})); });
  }

  Folder folder_;
  DatabaseOptions options_ = fresh_plugin_database(folder_.file("plugin.db"));
  std::unique_ptr<Database> database_;
};
TENON_ON_BOTH_ENGINES(TriggersTest);

TEST_P(TriggersTest, KeepTablesInStepForEveryWriter) {
  apply(
      database(),
      declare_library(
          "1.0.0",
          {migration(
              1,
              "CREATE VIEW entered (title, shelf) AS SELECT title, shelf FROM books;\n"
              "CREATE TRIGGER enter INSTEAD OF INSERT ON entered BEGIN INSERT INTO books (id, "
              "title, shelf) VALUES ('" +
                  id_of(9) +
                  "', new.title, new.shelf); END;\n"
                  "CREATE TRIGGER counted AFTER INSERT ON books BEGIN UPDATE shelves SET books = "
                  "books + 1 WHERE id = new.shelf; END;\n"
                  "CREATE TRIGGER discounted AFTER DELETE ON books BEGIN UPDATE shelves SET books "
                  "= books - 1 WHERE id = old.shelf; END;\n"
                  "CREATE TRIGGER kept BEFORE DELETE ON books WHEN old.loaned BEGIN SELECT "
                  "RAISE(ABORT, 'It is loaned.'); END;",
              "CREATE VIEW entered (title, shelf) AS SELECT title, shelf FROM books;\n" +
                  function("enter", "BEGIN INSERT INTO books (id, title, shelf) VALUES ('" +
                                        id_of(9) + "', new.title, new.shelf); RETURN new; END") +
                  trigger("enter", "INSTEAD OF INSERT ON entered") +
                  function("counted",
                           "BEGIN UPDATE shelves SET books = books + 1 WHERE id = new.shelf; "
                           "RETURN NULL; END") +
                  trigger("counted", "AFTER INSERT ON books") +
                  function("discounted",
                           "BEGIN UPDATE shelves SET books = books - 1 WHERE id = old.shelf; "
                           "RETURN NULL; END") +
                  trigger("discounted", "AFTER DELETE ON books") +
                  function("kept", "BEGIN RAISE EXCEPTION 'It is loaned.'; END") +
                  "CREATE TRIGGER kept BEFORE DELETE ON books FOR EACH ROW WHEN (old.loaned) "
                  "EXECUTE "
                  "FUNCTION kept();")}));
  exec("INSERT INTO shelves (id, name) VALUES ('" + id_of(1) + "', 'a')");
  add_book(2, "one", 1);
  add_book(3, "two", 1);
  exec("INSERT INTO entered VALUES ('three', '" + id_of(1) + "')");
  EXPECT_EQ(json("SELECT books FROM shelves"), R"([{"books":3}])");
  EXPECT_EQ(json("SELECT title FROM books ORDER BY id"),
            R"([{"title":"one"},{"title":"two"},{"title":"three"}])");
  exec("DELETE FROM books WHERE title = 'one'");
  EXPECT_EQ(json("SELECT books FROM shelves"), R"([{"books":2}])");
  exec("UPDATE books SET loaned = true WHERE title = 'two'");
  EXPECT_EQ(code_of([&] { exec("DELETE FROM books"); }), "data.refused");
  EXPECT_EQ(message_of([&] { exec("DELETE FROM books WHERE loaned"); }), "It is loaned.");
  EXPECT_EQ(code_of([&] { exec("DELETE FROM shelves"); }), "data.refused");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM books"), 2);
  // Rows that a trigger wrote are in the log and the search like all others.
  EXPECT_EQ(json("SELECT kind FROM tenon_changes WHERE tbl = 'books' ORDER BY seq"),
            R"([{"kind":"create"},{"kind":"create"},{"kind":"create"},{"kind":"delete"},)"
            R"({"kind":"update"}])");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_books_search"), 2);
  // A write precedes the writes that its triggers made.
  EXPECT_EQ(json("SELECT tbl FROM tenon_changes ORDER BY seq LIMIT 3"),
            R"([{"tbl":"shelves"},{"tbl":"books"},{"tbl":"shelves"}])");
  exec("UPDATE books SET loaned = false");
  exec("DELETE FROM shelves");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM books"), 0);
}

TEST_P(TriggersTest, FollowANewVersion) {
  const auto first =
      migration(1,
                "CREATE TRIGGER named AFTER INSERT ON books BEGIN UPDATE shelves SET name = 'one' "
                "WHERE id = new.shelf; END;",
                function("named",
                         "BEGIN UPDATE shelves SET name = 'one' WHERE id = new.shelf; RETURN NULL; "
                         "END") +
                    trigger("named", "AFTER INSERT ON books"));
  apply(database(), declare_library("1.0.0", {first}));
  exec("INSERT INTO shelves (id, name) VALUES ('" + id_of(1) + "', 'a')");
  add_book(2, "a", 1);
  EXPECT_EQ(json("SELECT name FROM shelves"), R"([{"name":"one"}])");
  const auto second =
      migration(2,
                "DROP TRIGGER named; CREATE TRIGGER named AFTER INSERT ON books BEGIN UPDATE "
                "shelves SET name = 'two' WHERE id = new.shelf; END; UPDATE shelves SET name = '';",
                "CREATE OR REPLACE FUNCTION named() RETURNS trigger AS $a$ BEGIN UPDATE shelves "
                "SET name = 'two' WHERE id = new.shelf; RETURN NULL; END $a$ LANGUAGE plpgsql; "
                "UPDATE shelves SET name = '';");
  const auto next = declare_library("1.1.0", {first, second});
  apply(database(), next);
  EXPECT_TRUE(plan(database(), next).is_empty());
  add_book(3, "b", 1);
  EXPECT_EQ(json("SELECT name FROM shelves"), R"([{"name":"two"}])");
  const auto third = migration(3, "DROP TRIGGER named;",
                               "DROP TRIGGER named ON books; DROP FUNCTION named(); UPDATE shelves "
                               "SET name = 'three';");
  apply(database(), declare_library("1.2.0", {first, second, third}));
  exec("UPDATE shelves SET name = 'three'");
  add_book(4, "c", 1);
  EXPECT_EQ(json("SELECT name FROM shelves"), R"([{"name":"three"}])");
}

class PostgresqlTriggersTest : public TriggersTest {
 protected:
  static void as_superuser(const std::string& sql) {
    std::string url = PostgresqlCluster::shared().superuser_url();
    const std::string_view other = "@/postgres?";
    url.replace(url.find(other), other.size(), "@/tenon?");
    PostgresqlCluster::run(url, "SET search_path = ''; " + sql);
  }
  const PostgresqlSchema& location() const { return *options_.postgresql; }
};
INSTANTIATE_TEST_SUITE_P(, PostgresqlTriggersTest, testing::Values(Dialect::postgresql),
                         [](const auto&) { return "Postgresql"; });

// A trigger runs with the rights of the role that fires it: the plugin's role, the owner if a
// reference cascades, an administrator by psql. Names in it are the plugin's for all of them.
TEST_P(PostgresqlTriggersTest, RunAsTheWriterInTheirSchema) {
  apply(database(),
        declare_library(
            "1.0.0",
            {migration(1, "",
                       "CREATE TABLE seen (title TEXT, who TEXT);" +
                           function("noted",
                                    "BEGIN INSERT INTO seen VALUES (old.title, current_user); "
                                    "RETURN old; END") +
                           trigger("noted", "BEFORE DELETE ON books"))}));
  exec("INSERT INTO shelves (id, name) VALUES ('" + id_of(1) + "', 'a')");
  for (int book = 2; book < 5; ++book)
    add_book(book, std::to_string(book), 1);
  exec("DELETE FROM books WHERE title = '2'");
  as_superuser("DELETE FROM \"" + location().schema + "\".books WHERE title = '3'");
  exec("DELETE FROM shelves");
  EXPECT_EQ(json("SELECT title, who FROM seen ORDER BY title"),
            R"([{"title":"2","who":")" + location().user + R"("},{"title":"3","who":"postgres"},)" +
                R"({"title":"4","who":")" + location().owner + R"("}])");
}

TEST_P(PostgresqlTriggersTest, DoNothingThatAPluginMayNot) {
  apply(database(), declare_library("1.0.0", {}));
  for (const char* body :
       {"BEGIN EXECUTE 'SET ROLE postgres'; RETURN NULL; END",
        "BEGIN DELETE FROM tenon_changes; RETURN NULL; END",
        "BEGIN DELETE FROM tenon.users; RETURN NULL; END",
        "BEGIN UPDATE sales.accounts SET total = 0; RETURN NULL; END",
        "BEGIN PERFORM cron.schedule('x', '* * * * *', 'ALTER ROLE x SUPERUSER'); RETURN NULL; END",
        "BEGIN PERFORM pg_advisory_lock(1); RETURN NULL; END",
        "BEGIN LOOP BEGIN PERFORM 1; EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END"})
    EXPECT_EQ(failure(function("f", body)), "data.migration_failed") << body;
  EXPECT_EQ(failure("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
                    "$$BEGIN RETURN NULL; END$$"),
            "data.migration_failed");
  EXPECT_EQ(applied_version(database()), "1.0.0");
}

TEST_P(PostgresqlTriggersTest, EndAtTheDeadlineAndAtTheirDepth) {
  apply(database(),
        declare_library("1.0.0",
                        {migration(1, "",
                                   function("endless", "BEGIN LOOP NULL; END LOOP; END") +
                                       trigger("endless", "AFTER INSERT ON shelves") +
                                       function("again",
                                                "BEGIN UPDATE books SET title = title || '.' "
                                                "WHERE id = new.id; RETURN NULL; END") +
                                       trigger("again", "AFTER UPDATE ON books"))}));
  options_.waits.transaction = std::chrono::milliseconds(200);
  database_ = std::make_unique<Database>(options_);
  EXPECT_EQ(code_of([&] { exec("INSERT INTO shelves (id) VALUES ('" + id_of(1) + "')"); }),
            "data.timeout");
  options_.waits.transaction = std::chrono::seconds(30);
  database_ = std::make_unique<Database>(options_);
  exec("INSERT INTO books (id, title) VALUES ('" + id_of(2) + "', 'a')");
  EXPECT_EQ(code_of([&] { exec("UPDATE books SET title = 'b'"); }), "data.too_large");
  EXPECT_EQ(json("SELECT title FROM books"), R"([{"title":"a"}])");
}

}  // namespace
}  // namespace tenon::data::test
