#include "data/migrate/migrate.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engines/tests/schema/migrate_case.hpp"

namespace tenon::data::test {
namespace {

using schema::Plan;

TEST_F(MigrateTest, AFirstInstallationMakesTables) {
  const auto declaration = declare("1.0.0", table(R"({"name":"a","type":"text"})"));
  const Plan planned = plan(database(), declaration);
  EXPECT_EQ(planned.to_text(), "sample: new -> 1.0.0\n  create table t (1 field)\n");
  EXPECT_EQ(applied_version(database()), "") << "planning changes nothing";
  EXPECT_EQ(number(database(), "SELECT count(*) FROM sqlite_schema"), 0);
  apply_to(declaration);
  EXPECT_EQ(applied_version(database()), "1.0.0");
  insert("a", {"x"});
  EXPECT_TRUE(plan(database(), declaration).is_empty());
  EXPECT_TRUE(apply_to(declaration).is_empty());
  EXPECT_NE(plan(database(), declaration).to_text().find("nothing to do"), std::string::npos);
}

TEST_F(MigrateTest, AVersionAloneIsRecorded) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"})")));
  apply_to(declare("1.0.1", table(R"({"name":"a","type":"text"})")));
  EXPECT_EQ(applied_version(database()), "1.0.1");
}

TEST_F(MigrateTest, OlderCodeIsRefused) {
  const auto tables = table(R"({"name":"a","type":"text"})");
  const auto fewer = R"({"tables":[]})";
  apply_to(declare("1.2.0", tables));
  EXPECT_EQ(code_of([&] { apply_to(declare("1.1.9", fewer)); }), "data.newer");
  EXPECT_EQ(code_of([&] { plan(database(), declare("1.2.0-rc.1", fewer)); }), "data.newer");
  EXPECT_EQ(applied_version(database()), "1.2.0");
  EXPECT_EQ(code_of([&] { apply_to(declare("1.x", tables)); }), "data.version_invalid");
  auto other = declare("2.0.0", tables);
  other.plugin = "other";
  EXPECT_EQ(code_of([&] { apply_to(other); }), "data.wrong_plugin");
}

TEST_F(MigrateTest, FieldsAreAddedWithTheirConstraints) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"})")));
  insert("a", {"old"});
  const auto second = declare(
      "1.1.0", table(R"({"name":"a","type":"text"},
                        {"name":"b","type":"text","required":true,"default":"it's","max":10},
                        {"name":"c","type":"integer","unique":true},
                        {"name":"d","type":"boolean","required":true,"default":true},
                        {"name":"e","type":"json","default":[1]},
                        {"name":"f","type":"reference","table":"t","on_delete":"cascade"})",
                     R"(,"timestamps":true,"version":true,"indexes":[{"fields":["a","b"]}])"));
  const Plan done = apply_to(second);
  EXPECT_NE(
      done.to_text().find("add field t.b (text, required, default it's, at most 10 characters)"),
      std::string::npos)
      << done.to_text();
  EXPECT_NE(done.to_text().find("add unique index on t (c)"), std::string::npos) << done.to_text();
  EXPECT_EQ(text("SELECT b || d || e || version FROM t"), "it's1[1]1");
  EXPECT_EQ(text("SELECT length(created) || (created = updated) FROM t"), "241");
  insert("a, c", {"new", 1});
  EXPECT_EQ(text("SELECT b || d || e || version FROM t WHERE a = 'new'"), "it's1[1]1");
  EXPECT_EQ(code_of([&] { insert("c", {1}); }), "data.unique");
  EXPECT_EQ(code_of([&] { insert("b", {nullptr}); }), "data.required");
  EXPECT_EQ(code_of([&] { insert("b", {"much too long"}); }), "data.check");
  EXPECT_EQ(code_of([&] { insert("f", {"unknown"}); }), "data.reference");
  EXPECT_TRUE(plan(database(), second).is_empty());
  EXPECT_TRUE(database().quick_check().empty());
}

TEST_F(MigrateTest, NewDefaultsDoNotReachOldRows) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"})")));
  for (int i = 0; i < 50; ++i)
    insert("a", {"x"});
  // The column is added without a default: SQLite keeps short rows and reads NULL from them.
  apply_to(declare("1.1.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})")));
  insert("b", {"y"});
  apply_to(
      declare("1.2.0",
              table(R"({"name":"a","type":"text"},{"name":"b","type":"text","default":"first"})")));
  insert("a", {"x"});
  apply_to(declare(
      "1.3.0",
      table(R"({"name":"a","type":"text"},{"name":"b","type":"text","default":"second"})")));
  insert("a", {"x"});
  reopen();
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t WHERE b IS NULL"), 50);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t WHERE b = 'first'"), 1);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t WHERE b = 'second'"), 1);
  apply_to(declare("1.4.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})")));
  insert("a", {"x"});
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t WHERE b IS NULL"), 51);
}

TEST_F(MigrateTest, ConstraintsAreWidenedInPlace) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text","required":true,"max":3},
                                     {"name":"b","type":"choice","choices":["x"]},
                                     {"name":"c","type":"integer","unique":true},
                                     {"name":"d","type":"date"})"),
                   {}));
  insert("a, b, c", {"abc", "x", 1});
  const auto wider = declare("1.1.0", table(R"({"name":"a","type":"text","max":5},
                                               {"name":"b","type":"choice","choices":["x","y"]},
                                               {"name":"c","type":"integer","indexed":true},
                                               {"name":"d","type":"text"})"));
  const auto text_of_plan = apply_to(wider).to_text();
  EXPECT_NE(text_of_plan.find("widen field t.a"), std::string::npos) << text_of_plan;
  EXPECT_NE(text_of_plan.find("widen field t.b (choice, one of x y)"), std::string::npos)
      << text_of_plan;
  EXPECT_NE(text_of_plan.find("widen field t.d"), std::string::npos) << text_of_plan;
  EXPECT_NE(text_of_plan.find("drop index tenon_ux_t__c"), std::string::npos) << text_of_plan;
  insert("a, b, c, d", {"abcde", "y", 1, "not a date"});
  insert("a", {nullptr});
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t"), 3);
  EXPECT_TRUE(database().quick_check().empty());
}

TEST_F(MigrateTest, TriggersAndViewsSurviveChangedConstraints) {
  const auto search =
      migration(1,
                "CREATE VIRTUAL TABLE found USING fts5 (a, content='t', content_rowid='rowid');\n"
                "CREATE TRIGGER added AFTER INSERT ON t BEGIN INSERT INTO found (rowid, a) VALUES "
                "(new.rowid, new.a); END;\n"
                "CREATE VIEW short AS SELECT a FROM t WHERE length(a) < 3;");
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text","max":5})"), {search}));
  insert("a", {"abcde"});
  apply_to(declare(
      "1.1.0",
      table(
          R"({"name":"a","type":"text","max":9},{"name":"b","type":"integer","required":true,"default":4})"),
      {search}));
  insert("a", {"fghijklmn"});
  insert("a", {"op"});
  EXPECT_EQ(number(database(), "SELECT count(*) FROM found('abcde')"), 1);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM found('fghijklmn')"), 1);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM short"), 1);
  EXPECT_EQ(number(database(), "SELECT sum(b) FROM t"), 12);
}

TEST_F(MigrateTest, MigrationResolvesRefusals) {
  apply_to(declare(
      "1.0.0",
      table(R"({"name":"name","type":"text","indexed":true},{"name":"size","type":"text"})")));
  insert("name, size", {"one", "11"});
  insert("name, size", {nullptr, "x"});
  auto move = migration(1,
                        "UPDATE t SET title = coalesce(name, 'untitled');\n"
                        "ALTER TABLE t DROP COLUMN name;\n"
                        "ALTER TABLE t ADD COLUMN size_new INTEGER;\n"
                        "UPDATE t SET size_new = CAST(size AS INTEGER);\n"
                        "ALTER TABLE t DROP COLUMN size;\n"
                        "ALTER TABLE t RENAME COLUMN size_new TO size;");
  move.upgrade_only = true;
  const auto next = declare(
      "2.0.0",
      table(
          R"({"name":"title","type":"text","required":true,"max":20},{"name":"size","type":"integer","min":0})"),
      {move});
  const Plan planned = plan(database(), next);
  EXPECT_FALSE(planned.is_refused()) << planned.to_text();
  EXPECT_EQ(planned.deferred_refusals.size(), 3U) << planned.to_text();
  EXPECT_NE(planned.to_json().find(R"("kind":"run_migration","table":"","field":"0001_step.sql")"),
            std::string::npos)
      << planned.to_json();
  apply_to(next);
  EXPECT_EQ(text("SELECT group_concat(title || size, ' ') FROM (SELECT * FROM t ORDER BY rowid)"),
            "one11 untitled0");
  EXPECT_EQ(code_of([&] { insert("title, size", {"x", -1}); }), "data.check");
  EXPECT_EQ(code_of([&] { insert("size", {1}); }), "data.required");
  EXPECT_TRUE(plan(database(), next).is_empty());
  EXPECT_TRUE(database().quick_check().empty());

  Database fresh(plugin_file(folder_.file("fresh.db")));
  const auto text_of_plan = apply(fresh, next).to_text();
  EXPECT_NE(text_of_plan.find("skip 0001_step.sql (for upgrades only)"), std::string::npos)
      << text_of_plan;
  EXPECT_TRUE(plan(fresh, next).is_empty());
}

TEST_F(MigrateTest, RollsBackAMigrationThatResolvesNothing) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})")));
  insert("a, b", {nullptr, "x"});
  const auto schema = schema_of("t");
  const auto next = declare(
      "2.0.0", table(R"({"name":"a","type":"text","required":true},{"name":"c","type":"text"})"),
      {migration(1, "CREATE TABLE extra (x); UPDATE t SET b = NULL;")});
  const auto message = message_of([&] { apply_to(next); });
  EXPECT_NE(message.find("t.a: the field is required now and 1 record have no value"),
            std::string::npos)
      << message;
  EXPECT_EQ(schema_of("t"), schema);
  EXPECT_EQ(text("SELECT b FROM t"), "x");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), 0);
  EXPECT_EQ(applied_version(database()), "1.0.0");
  for (const char* sql :
       {"DROP TABLE t", "ALTER TABLE t DROP COLUMN a", "ALTER TABLE t RENAME TO u",
        "DROP TABLE t; CREATE TABLE t (id TEXT PRIMARY KEY, a TEXT, b TEXT)"}) {
    EXPECT_EQ(code_of([&] {
                apply_to(declare("2.0.0",
                                 table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})"),
                                 {migration(1, sql)}));
              }),
              "data.migration_refused")
        << sql;
    EXPECT_EQ(schema_of("t"), schema) << sql;
  }
}

TEST_F(MigrateTest, MigrationsRunOnceInOrder) {
  const auto make = migration(1, "CREATE TABLE log (x); INSERT INTO log VALUES ('one')");
  const auto two = migration(2, "INSERT INTO log VALUES ('two')");
  const auto three = migration(3, "INSERT INTO log VALUES ('three')");
  apply_to(declare("1.0.0", table(plain_text), {make, two}));
  apply_to(declare("1.0.1", table(plain_text), {make, two}));
  apply_to(declare("1.1.0", table(plain_text), {make, two, three}));
  EXPECT_EQ(text("SELECT group_concat(x) FROM log"), "one,two,three");
  auto changed = two;
  changed.sql += " ";
  EXPECT_EQ(code_of([&] {
              plan(database(), declare("1.2.0", table(plain_text), {make, changed, three}));
            }),
            "data.migration_changed");
  EXPECT_EQ(code_of([&] {
              apply_to(declare("1.2.0", table(plain_text), {make, two}));
            }),
            "data.newer");
  const auto late = migration(4, "INSERT INTO log VALUES ('four')");
  apply_to(declare("1.2.0", table(plain_text), {make, two, three, migration(5, "SELECT 1")}));
  EXPECT_EQ(code_of([&] {
              apply_to(declare("1.3.0", table(plain_text),
                               {make, two, three, late, migration(5, "SELECT 1")}));
            }),
            "data.migration_changed");
}

TEST_F(MigrateTest, AFailingMigrationNamesItsLine) {
  const auto bad = migration(1,
                             "-- first\nCREATE TABLE log (x);\n\nINSERT INTO log VALUES (1);\n  "
                             "INSERT INTO nowhere VALUES (1);");
  const auto next = declare("1.0.0", table(plain_text), {bad});
  EXPECT_EQ(code_of([&] { apply_to(next); }), "data.migration_failed");
  EXPECT_EQ(message_of([&] { apply_to(next); }),
            "migrations/0001_step.sql, line 5: no such table: nowhere; nothing was changed");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM sqlite_schema"), 0);
}

TEST_F(MigrateTest, AMigrationMayBeLongerThanAStatement) {
  std::string sql = "CREATE TABLE log (x);\n";
  for (int i = 0; i < 8000; ++i)
    sql += "INSERT INTO log VALUES ('some forty characters of text, or a few');\n";
  ASSERT_GT(sql.size(), std::size_t{400'000});
  apply_to(declare("1.0.0", table(plain_text), {migration(1, sql)}));
  EXPECT_EQ(number(database(), "SELECT count(*) FROM log"), 8000);
}

TEST_F(MigrateTest, RecreatesTablesAndKeepsReferences) {
  const std::string two = R"({"tables":[{"name":"p","fields":[{"name":"a","type":"text"}]},
      {"name":"t","fields":[{"name":"p","type":"reference","table":"p","on_delete":"cascade"}]}]})";
  apply_to(declare("1.0.0", two));
  const std::string parent = base::new_id();
  database().exec("INSERT INTO p (id, a) VALUES (?1, 'x')", {parent});
  insert("p", {parent});
  const std::string shape = schema_of("p");
  std::string copy = shape;
  copy.replace(copy.find("\"p\""), 3, "p_new");
  apply_to(declare("1.1.0", two,
                   {migration(1, copy + "; INSERT INTO p_new SELECT * FROM p; DROP TABLE p; ALTER "
                                        "TABLE p_new RENAME TO p;")}));
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t"), 1) << "the cascade did not run";
  EXPECT_EQ(schema_of("p"), shape);
  EXPECT_EQ(code_of([&] { insert("p", {"unknown"}); }), "data.reference")
      << "references are checked again";
  EXPECT_EQ(code_of([&] {
              apply_to(declare("1.2.0", two,
                               {migration(1, copy + "; INSERT INTO p_new SELECT * FROM p; DROP "
                                                    "TABLE p; ALTER TABLE p_new RENAME TO p;"),
                                migration(2, "DELETE FROM p")}));
            }),
            "data.migration_refused")
      << "what a migration leaves must hold";
  EXPECT_EQ(number(database(), "SELECT count(*) FROM p"), 1);
}

TEST_F(MigrateTest, WritersWaitWhileItRuns) {
  apply_to(declare("1.0.0", table(plain_text)));
  auto writer = database().begin(Mode::write);
  writer.exec("INSERT INTO t (id, a) VALUES (?1, 'x')", {base::new_id()});
  std::thread migrating(
      [&] { apply_to(declare("1.1.0", table(R"({"name":"a","type":"text","required":true})"))); });
  while (database().statistics().waiting == 0)
    std::this_thread::yield();
  writer.commit();
  migrating.join();
  EXPECT_EQ(code_of([&] { insert("", {}); }), "data.required");
}

TEST_F(MigrateTest, FilesAreReadInOrderAndChecked) {
  const auto folder = folder_.file("migrations");
  EXPECT_TRUE(read_migrations(folder).empty());
  std::filesystem::create_directory(folder);
  const auto put = [&](const std::string& name, const std::string& content) {
    std::ofstream(folder + "/" + name) << content;
  };
  put("0002_second.sql", "-- About it.\r\n-- tenon: upgrade-only\r\n\nSELECT 2;");
  put("0001_first.sql", "SELECT 1;\n-- tenon: upgrade-only\n");
  put("0001_first.pg.sql", "SELECT pg;");
  const auto read = read_migrations(folder);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].name, "0001_first.sql");
  EXPECT_EQ(read[0].number, 1);
  EXPECT_FALSE(read[0].upgrade_only);
  EXPECT_TRUE(read[1].upgrade_only);
  for (const char* name : {"1_short.sql", "0000_zero.sql", "0003-dash.sql", "0003_Upper.sql",
                           "notes.txt", "0002_twice.sql"}) {
    put(name, "");
    const auto message = message_of([&] { read_migrations(folder); });
    EXPECT_NE(message.find("migrations/"), std::string::npos) << name << ": " << message;
    EXPECT_EQ(code_of([&] { read_migrations(folder); }), "data.migration_invalid") << name;
    std::filesystem::remove(folder + "/" + std::string(name));
  }
}

TEST(RoomMigrationTest, RoomsKeepTheirOwnHistories) {
  const Folder folder;
  Database database(host_file(folder.file("tenon.db")));
  const std::vector<EmbeddedMigration> users = {
      {1, "users", "CREATE TABLE users (id TEXT PRIMARY KEY) STRICT;"},
      {2, "names", "ALTER TABLE users ADD COLUMN name TEXT;"}};
  const std::vector<EmbeddedMigration> settings = {
      {1, "settings", "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);"}};
  migrate_room(database, "identity", {users.data(), 1});
  migrate_room(database, "settings", settings);
  migrate_room(database, "identity", users);
  migrate_room(database, "identity", users);
  database.exec("INSERT INTO users (id, name) VALUES ('1', 'a')");
  EXPECT_EQ(number(database, "SELECT count(*) FROM tenon_migrations"), 3);
  EXPECT_EQ(code_of([&] { migrate_room(database, "identity", {users.data(), 1}); }), "data.newer");
  auto changed = users;
  changed[0].sql = "CREATE TABLE people (id);";
  EXPECT_EQ(code_of([&] { migrate_room(database, "identity", changed); }),
            "data.migration_changed");
  auto failing = users;
  failing.push_back({3, "bad", "CREATE TABLE more (x);\nDROP TABLE nowhere;"});
  EXPECT_EQ(message_of([&] { migrate_room(database, "identity", failing); }),
            "identity 3 bad, line 2: no such table: nowhere; nothing was changed");
  EXPECT_EQ(number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"), 0);
}

}  // namespace
}  // namespace tenon::data::test
