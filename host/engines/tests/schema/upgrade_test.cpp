// Tables that are renamed, linked and dropped from one version to the next.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engines/tests/schema/upgrade_case.hpp"

namespace tenon::data::test {
namespace {

using schema::Plan;

const char* const library_one = R"({"tables":[
  {"name":"shelves","fields":[{"name":"name","type":"text","unique":true}]},
  {"name":"books","fields":[
    {"name":"title","type":"text","required":true,"max":50,"indexed":true},
    {"name":"shelf","type":"reference","table":"shelves","on_delete":"clear"},
    {"name":"before","type":"reference","table":"books"},
    {"name":"readers","type":"user","many":true},
    {"name":"near","type":"reference","table":"shelves","many":true}]}]})";

// Renamed: both tables, a field with an index, a reference, both link fields.
const char* const library_two = R"({"tables":[
  {"name":"racks","formerly":["cupboards","shelves"],"fields":[{"name":"label","type":"text","unique":true,"formerly":["name"]}]},
  {"name":"works","formerly":["books"],"fields":[
    {"name":"heading","formerly":["title"],"type":"text","required":true,"max":50,"indexed":true},
    {"name":"rack","formerly":["shelf"],"type":"reference","table":"racks","on_delete":"clear"},
    {"name":"before","type":"reference","table":"works"},
    {"name":"people","formerly":["readers"],"type":"user","many":true},
    {"name":"near","type":"reference","table":"racks","many":true}]}]})";

class LibraryTest : public UpgradeTest {
 protected:
  void SetUp() override {
    open();
    apply_to(declare("1.0.0", library_one));
    database().exec("INSERT INTO shelves (id, name) VALUES (?1, 'upper')", {shelf_});
    for (int i = 0; i < 3; ++i) {
      database().exec(
          "INSERT INTO books (rowid, id, title, shelf, before) VALUES (?1, ?2, 'one', ?3, ?2)",
          {10 + i, base::new_id(), shelf_});
    }
    database().exec(
        "INSERT INTO books__readers (record, target, position) SELECT id, 'u', 0 FROM "
        "books");
    database().exec(
        "INSERT INTO books__near (record, target, position) SELECT id, ?1, 7 FROM books", {shelf_});
  }
  const std::string shelf_ = base::new_id();
};

TEST_F(LibraryTest, RenamesKeepRowsLinksIndexesAndReferences) {
  const auto next = declare("2.0.0", library_two);
  const Plan planned = plan(database(), next);
  EXPECT_EQ(planned.to_text(),
            "sample: 1.0.0 -> 2.0.0\n"
            "  rename table shelves to racks\n"
            "  rename field racks.name to label\n"
            "  rename table books to works\n"
            "  rename field works.title to heading\n"
            "  rename field works.shelf to rack\n"
            "  rename field works.readers to people\n");
  EXPECT_NE(planned.to_json().find(R"({"kind":"rename_field","table":"works","field":"rack",)"),
            std::string::npos)
      << planned.to_json();
  apply_to(next);
  EXPECT_EQ(names("table"), "racks works works__near works__people");
  EXPECT_EQ(
      text("SELECT group_concat(w.rowid || heading || r.label || p.target || n.position) FROM "
           "works AS w JOIN racks AS r ON r.id = w.rack JOIN works__people AS p ON p.record = "
           "w.id JOIN works__near AS n ON n.record = w.before AND n.target = r.id"),
      "10oneupperu7,11oneupperu7,12oneupperu7");
  expect_as_new(next);
  database().exec("DELETE FROM works WHERE rowid = 10");
  EXPECT_EQ(count("SELECT count(*) FROM works__near"), 2) << "references are acted upon";
  database().exec("DELETE FROM racks");
  EXPECT_EQ(count("SELECT count(*) FROM works__near"), 0);
  EXPECT_EQ(text("SELECT rack FROM works"), "null");
}

TEST_F(LibraryTest, AVersionMayBeSkipped) {
  std::string third = library_two;
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(third.find(from), std::string::npos) << from;
    third.replace(third.find(from), from.size(), to);
  };
  replace(R"("name":"works","formerly":["books"])",
          R"("name":"items","formerly":["books","works"])");
  replace(R"("name":"heading","formerly":["title"])",
          R"("name":"a","formerly":["title","heading"])");
  replace(R"("table":"works")", R"("table":"items")");
  const auto last = declare("3.0.0", third);
  apply_to(last);
  expect_as_new(last);
  EXPECT_EQ(count("SELECT count(*) FROM items WHERE a = 'one'"), 3);
}

TEST_F(LibraryTest, GivesTheSameVersionByVersion) {
  apply_to(declare("2.0.0", library_two));
  std::string third = library_two;
  const std::string from = R"("name":"works","formerly":["books"])";
  third.replace(third.find(from), from.size(), R"("name":"items","formerly":["books","works"])");
  third.replace(third.find(R"("table":"works")"), 15, R"("table":"items")");
  const auto last = declare("3.0.0", third);
  EXPECT_EQ(plan(database(), last).to_text(),
            "sample: 2.0.0 -> 3.0.0\n  rename table works to items\n");
  apply_to(last);
  expect_as_new(last);
  EXPECT_EQ(count("SELECT count(*) FROM items__people"), 3);
}

TEST_F(LibraryTest, TriggersAndViewsFollow) {
  const auto make = migration(
      1,
      "CREATE TABLE seen (title);"
      "CREATE TRIGGER added AFTER UPDATE OF title ON books BEGIN INSERT INTO seen SELECT s.name || "
      "new.title FROM shelves AS s WHERE s.id = new.shelf; END;"
      "CREATE VIEW titles AS SELECT title FROM books;");
  apply_to(declare("1.1.0", library_one, {make}));
  auto next = declare("2.0.0", library_two, {make});
  apply_to(next);
  database().exec("UPDATE works SET heading = 'two' WHERE rowid = 11");
  EXPECT_EQ(text("SELECT title FROM seen"), "uppertwo");
  EXPECT_EQ(count("SELECT count(*) FROM titles"), 3);
}

TEST_F(LibraryTest, ABrokenViewHoldsUpARename) {
  const auto make = migration(1, "CREATE VIEW broken AS SELECT a FROM nowhere;");
  apply_to(declare("1.1.0", library_one, {make}));
  const auto next = declare("2.0.0", library_two, {make});
  const auto message = message_of([&] { apply_to(next); });
  EXPECT_NE(message.find("racks: it cannot be renamed from shelves: error in view broken"),
            std::string::npos)
      << message;
  EXPECT_EQ(code_of([&] { apply_to(next); }), "data.migration_refused");
  EXPECT_EQ(applied_version(database()), "1.1.0");
  EXPECT_EQ(names("table"), "books books__near books__readers shelves");
}

TEST_F(LibraryTest, MigrationRebuildsTheSearchOfARenamedTable) {
  const auto make =
      migration(1,
                "CREATE VIRTUAL TABLE found USING fts5 (title, content = 'books', "
                "content_rowid='rowid'); INSERT INTO found (found) VALUES ('rebuild');");
  apply_to(declare("1.1.0", library_one, {make}));
  const auto refused = plan(database(), declare("2.0.0", library_two, {make}));
  ASSERT_TRUE(refused.is_refused());
  EXPECT_NE(refused.to_text().find("the search table found reads books"), std::string::npos)
      << refused.to_text();
  const auto other = declare("2.0.0", library_two, {make, migration(2, "SELECT 1")});
  EXPECT_FALSE(plan(database(), other).is_refused());
  EXPECT_EQ(code_of([&] { apply_to(other); }), "data.migration_refused");
  apply_to(declare(
      "2.0.0", library_two,
      {make,
       migration(2,
                 "DROP TABLE found; CREATE VIRTUAL TABLE found USING fts5 (heading, content = "
                 "'works', content_rowid='rowid'); INSERT INTO found (found) VALUES "
                 "('rebuild');")}));
  EXPECT_EQ(count("SELECT count(*) FROM found('one')"), 3);
}

TEST_F(UpgradeTest, TwoFormerNamesInOneFileAreRefused) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})")));
  const auto next = declare("2.0.0", table(R"({"name":"c","type":"text","formerly":["a","b"]})"));
  const Plan planned = plan(database(), next);
  ASSERT_TRUE(planned.is_refused());
  EXPECT_EQ(planned.refusals.front().field, "c");
  EXPECT_NE(planned.to_text().find("both 'a' and 'b'"), std::string::npos) << planned.to_text();
}

TEST_F(UpgradeTest, ARenamedFieldMayChangeToo) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"integer","unique":true})")));
  database().exec("INSERT INTO t (id, a) VALUES (?1, 5)", {base::new_id()});
  const auto refused =
      declare("2.0.0", table(R"({"name":"b","type":"number","formerly":["a"],"min":6})"));
  EXPECT_NE(plan(database(), refused).to_text().find("t.b: 1 record would break the new bounds"),
            std::string::npos)
      << plan(database(), refused).to_text();
  const auto next =
      declare("2.0.0", table(R"({"name":"b","type":"number","formerly":["a"],"min":5})"));
  EXPECT_EQ(
      plan(database(), next).to_text(),
      "sample: 1.0.0 -> 2.0.0\n  drop index tenon_ux_t__b\n  rename field t.a to b\n  rebuild "
      "field t.b (from integer to number, at least 5.0)\n");
  apply_to(next);
  expect_as_new(next);
  EXPECT_EQ(text("SELECT b FROM t"), "5.0");
}

TEST_F(UpgradeTest, WhatWouldLoseSomethingIsRefused) {
  struct Case {
    std::string before;
    Cell value;
    std::string after;
    std::string reason;
  };
  const std::vector<Case> cases = {
      {R"("type":"integer")", 9007199254740993, R"("type":"number")",
       "as a number 1 record would lose digits"},
      {R"("type":"integer")", INT64_MAX, R"("type":"number")",
       "as a number 1 record would lose digits"},
      {R"("type":"number")", 1.5, R"("type":"integer")", "the type cannot change from number to"},
      {R"("type":"user","many":true)", nullptr, R"("type":"user")",
       "the field is not declared any more and 0 records would lose it; declare it, or drop the "
       "table t__a in a numbered migration"},
      {R"("type":"choice","choices":["x"],"many":true)", R"(["x"])",
       R"("type":"choice","choices":["x"])", "the type cannot change from choice, many to choice"},
      {R"("type":"choice","choices":["x","y"],"many":true)", R"(["x","y"])",
       R"("type":"choice","choices":["x"],"many":true)", "1 record would break the new bounds"},
      {R"("type":"choice","choices":["x"],"many":true)", "[]",
       R"("type":"choice","choices":["x"],"many":true,"required":true)",
       "1 record would break the new bounds"},
      {R"("type":"user")", nullptr, R"("type":"user","many":true,"required":true)",
       "the field is required now and 1 record have no value"},
      {R"("type":"user")", "u", R"("type":"reference","table":"core:groups")",
       "the type cannot change from user to reference to core:groups"},
      {R"("type":"reference","table":"core:groups")", "g",
       R"("type":"reference","table":"crm:contacts")",
       "the type cannot change from reference to core:groups to reference to crm:contacts"},
      {R"("type":"blob")", "{}", R"("type":"text")", "the type cannot change from blob to text"},
      {R"("type":"text")", "x", R"("type":"computed","expression":"1")",
       "the field is not declared any more and 1 record would lose it"},
  };
  int number = 0;
  for (const auto& one : cases) {
    Database file(plugin_file(folder_.file("case" + std::to_string(++number) + ".db")));
    apply(file, declare("1.0.0", table(R"({"name":"a",)" + one.before + "}")));
    if (declare("1.0.0", table(R"({"name":"a",)" + one.before + "}"))
            .tables.tables[0]
            .fields[0]
            .has_column())
      file.exec("INSERT INTO t (id, a) VALUES (?1, ?2)", {base::new_id(), one.value});
    const auto next = declare("2.0.0", table(R"({"name":"a",)" + one.after + "}"));
    const Plan planned = plan(file, next);
    EXPECT_TRUE(planned.is_refused()) << one.before << one.after;
    EXPECT_NE(planned.to_text().find("refused: t.a: " + one.reason), std::string::npos)
        << planned.to_text();
    EXPECT_EQ(code_of([&] { apply(file, next); }), "data.migration_refused");
    EXPECT_EQ(applied_version(file), "1.0.0");
  }
}

TEST_F(UpgradeTest, MigrationsAddChangeAndDropLinks) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"})")));
  const std::string record = base::new_id();
  database().exec("INSERT INTO t (id) VALUES (?1)", {record});
  const auto with = [&](const std::string& field) {
    return table(R"({"name":"a","type":"text"},{"name":"l",)" + field + "}");
  };
  const auto required = R"("type":"reference","table":"t","many":true,"required":true)";
  EXPECT_NE(
      plan(database(), declare("1.1.0", with(required))).to_text().find("refused: t.l: the new"),
      std::string::npos);
  const auto filled = declare(
      "1.1.0", with(required),
      {migration(1, "INSERT INTO t__l (record, target, position) SELECT id, id, 0 FROM t")});
  apply_to(filled);
  expect_as_new(filled);
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM t"); }), "data.reference");

  const auto clear =
      declare("1.2.0", with(R"("type":"reference","table":"t","many":true)"), filled.migrations);
  EXPECT_EQ(plan(database(), clear).to_text(),
            "sample: 1.1.0 -> 1.2.0\n  widen field t.l (reference to t, many, on delete clear)\n");
  apply_to(clear);
  expect_as_new(clear);

  const auto gone = declare("1.3.0", table(R"({"name":"a","type":"text"})"), filled.migrations);
  const Plan refused = plan(database(), gone);
  ASSERT_EQ(refused.refusals.size(), 1U);
  EXPECT_EQ(refused.refusals[0].kind, schema::StepKind::drop_field);
  EXPECT_NE(refused.to_json().find(R"({"table":"t","field":"l","kind":"drop_field","reason":)"),
            std::string::npos)
      << refused.to_json();
  auto dropped = gone;
  dropped.migrations.push_back(migration(2, "DROP TABLE t__l"));
  EXPECT_EQ(plan(database(), dropped).deferred_refusals.size(), 1U);
  const Plan done = apply_to(dropped);
  EXPECT_NE(done.to_text().find("  drop field t.l\n"), std::string::npos) << done.to_text();
  expect_as_new(dropped);
}

TEST_F(LibraryTest, LinksOfADroppedTableGoWithIt) {
  const auto next = declare("2.0.0", R"({"tables":[
      {"name":"shelves","fields":[{"name":"name","type":"text","unique":true}]}]})",
                            {migration(1, "DROP TABLE books")});
  const Plan done = apply_to(next);
  EXPECT_NE(done.to_text().find("  drop table books\n"), std::string::npos) << done.to_text();
  EXPECT_EQ(names("table"), "shelves");
  expect_as_new(next);
}

TEST_F(UpgradeTest, ComputedFieldsAndRulesChangeNoRow) {
  apply_to(declare("1.0.0", table(R"({"name":"a","type":"text"})")));
  const auto schema = text("SELECT sql FROM sqlite_schema WHERE name = 't'");
  const auto two = declare(
      "2.0.0",
      table(
          R"({"name":"a","type":"text","rules":{"read":"true"}},{"name":"b","type":"computed","expression":"a"})",
          R"(,"publish":true,"rules":{"read":"true"})"));
  EXPECT_EQ(plan(database(), two).to_text(),
            "sample: 1.0.0 -> 2.0.0\n  describe table t\n  describe field t.a\n  add field t.b "
            "(computed as a)\n");
  apply_to(two);
  const auto three = declare(
      "3.0.0",
      table(R"({"name":"a","type":"text"},{"name":"b","type":"computed","expression":"a + a"})"));
  EXPECT_EQ(plan(database(), three).to_text(),
            "sample: 2.0.0 -> 3.0.0\n  describe table t\n  describe field t.a\n  describe field "
            "t.b\n");
  apply_to(three);
  EXPECT_EQ(plan(database(), declare("4.0.0", table(R"({"name":"a","type":"text"})"))).to_text(),
            "sample: 3.0.0 -> 4.0.0\n  drop field t.b (computed)\n");
  EXPECT_EQ(text("SELECT sql FROM sqlite_schema WHERE name = 't'"), schema);
}

// A file made by the host before it knew former names, as its own text.
TEST_F(UpgradeTest, AFileOfAnEarlierHostIsUpgraded) {
  std::ifstream stream(std::filesystem::path(TENON_SOURCE_DIR) /
                       "host/engines/tests/files/before_former_names.sql");
  const std::string sql{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_FALSE(sql.empty());
  database_.reset();
  for (const char* part : {"", "-wal", "-shm"})
    std::filesystem::remove(folder_.file("plugin.db") + part);
  sqlite3* file = nullptr;
  ASSERT_EQ(sqlite3_open(folder_.file("plugin.db").c_str(), &file), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(file);
  sqlite3_close(file);
  open();
  EXPECT_EQ(applied_version(database()), "1.0.0");
  const auto next = declare("2.0.0", R"({"tables":[
    {"name":"racks","formerly":["shelves"],"fields":[{"name":"name","type":"text","unique":true}]},
    {"name":"works","formerly":["books"],"timestamps":true,"authorship":true,"version":true,"publish":true,
     "fields":[
       {"name":"heading","formerly":["title"],"type":"text","required":true,"min":1,"max":200,"default":"Untitled"},
       {"name":"isbn","type":"text","unique":true},
       {"name":"pages","type":"text"},
       {"name":"weight","type":"number"},
       {"name":"loaned","type":"boolean","required":true,"default":false},
       {"name":"bought","type":"datetime"},
       {"name":"read","type":"datetime"},
       {"name":"extra","type":"json"},
       {"name":"states","formerly":["state"],"type":"choice","choices":["open","don't"],"many":true},
       {"name":"racks","formerly":["shelf"],"type":"reference","table":"racks","many":true},
       {"name":"owner","type":"user","required":true},
       {"name":"cover","type":"blob"},
       {"name":"short","type":"computed","expression":"heading"}]}]})");
  const Plan planned = plan(database(), next);
  EXPECT_FALSE(planned.is_refused()) << planned.to_text();
  EXPECT_EQ(code_of([&] { apply_to(next); }), "none") << last_detail();
  expect_as_new(next);
  EXPECT_EQ(text("SELECT heading || '|' || pages || '|' || bought || '|' || states || '|' || "
                 "w.version || '|' || r.name FROM works AS w JOIN works__racks AS l ON l.record = "
                 "w.id JOIN racks AS r ON r.id = l.target"),
            R"(Dune|412|2020-02-29T00:00:00.000Z|["open"]|1|upper)");
}

}  // namespace
}  // namespace tenon::data::test
