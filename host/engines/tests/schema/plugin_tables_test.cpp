#include <string>
#include <vector>

#include "base/error.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

using schema::Plan;

// A plugin's database as the plugin sees it: on PostgreSQL with a role and an owner of its own.
class PluginTablesTest : public testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    if (is_sqlite()) {
      options_ = plugin_file(folder_.file("plugin.db"));
    } else {
      options_.postgresql = PostgresqlCluster::shared().fresh_plugin_schema("t");
    }
    open();
  }
  void open() {
    database_.reset();
    database_ = std::make_unique<Database>(options_);
  }
  bool is_sqlite() const { return GetParam() == Dialect::sqlite; }
  Database& database() { return *database_; }
  Plan migrate_to(const Declaration& declaration) { return apply(*database_, declaration); }
  std::string text(std::string_view sql) {
    auto rows = database().query(sql);
    if (!rows.next()) return "no row";
    return rows.is_null(0) ? "null" : std::string(rows.text(0));
  }
  std::string json(std::string_view sql) {
    JsonText out;
    database().append_json(JsonShape::rows, out, sql);
    return std::string(out.view());
  }
  std::int64_t count(std::string_view sql) { return number(database(), sql); }
  void add(int id, const std::string& names = "", const std::string& values = "") {
    add_to("t", id, names, values);
  }
  void add_to(const std::string& name, int id, const std::string& names = "",
              const std::string& values = "") {
    database().exec("INSERT INTO " + name + " (id" + (names.empty() ? "" : ", " + names) +
                    ") VALUES ('" + id_of(id) + "'" + (values.empty() ? "" : ", " + values) + ")");
  }
  // Returns the refusal of 409 data.migration_refused, "field: …".
  std::string refusal(const Declaration& declaration) {
    const auto planned = plan(database(), declaration);
    try {
      migrate_to(declaration);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), "data.migration_refused");
      return error.message();
    }
    return "none";
  }

  Folder folder_;
  DatabaseOptions options_;
  std::unique_ptr<Database> database_;
};
TENON_ON_BOTH_ENGINES(PluginTablesTest);

const char* const every_field_type = R"json({"tables":[
  {"name":"shelves","fields":[{"name":"name","type":"text","unique":true}]},
  {"name":"books","timestamps":true,"authorship":true,"version":true,"fields":[
    {"name":"title","type":"text","required":true,"min":1,"max":5,"default":"none"},
    {"name":"pages","type":"integer","min":1,"max":1000,"indexed":true,"default":10},
    {"name":"weight","type":"number","min":0,"max":99.5},
    {"name":"loaned","type":"boolean","required":true,"default":false},
    {"name":"bought","type":"date","min":"1900-01-01","default":"@now"},
    {"name":"read","type":"datetime"},
    {"name":"extra","type":"json","default":{"b":1,"a":[1,"x"]}},
    {"name":"state","type":"choice","choices":["open","don't"],"default":"open"},
    {"name":"tags","type":"choice","many":true,"required":true,"choices":["a","b"],"default":["b"]},
    {"name":"cover","type":"blob"},
    {"name":"shelf","type":"reference","table":"shelves","on_delete":"clear"},
    {"name":"before","type":"reference","table":"books","on_delete":"cascade"},
    {"name":"near","type":"reference","table":"shelves","many":true},
    {"name":"owner","type":"user"}],
   "indexes":[{"fields":["shelf","title"],"unique":true}]}]})json";

TEST_P(PluginTablesTest, MakesTablesThatHoldTheSameValues) {
  const auto declaration = declare("1.0.0", every_field_type);
  EXPECT_FALSE(migrate_to(declaration).is_empty());
  EXPECT_TRUE(migrate_to(declaration).is_empty());
  EXPECT_EQ(applied_version(database()), "1.0.0");
  add_to("books", 1, "weight, bought, read, cover",
         "0.1, '2024-02-29', '2024-02-29T23:59:59.999Z', '{\"id\":\"x\"}'");
  EXPECT_EQ(
      json("SELECT id, title, pages, weight, loaned AS \"loaned:boolean\", bought, read, extra AS "
           "\"extra:json\", state, tags AS \"tags:json\", cover AS \"cover:json\", shelf, "
           "version FROM books"),
      R"([{"id":")" + id_of(1) +
          R"(","title":"none","pages":10,"weight":0.1,"loaned":false,"bought":"2024-02-29",)"
          R"("read":"2024-02-29T23:59:59.999Z","extra":{"a":[1,"x"],"b":1},"state":"open",)"
          R"("tags":["b"],"cover":{"id":"x"},"shelf":null,"version":1}])");
  EXPECT_EQ(text("SELECT created FROM books").size(), 24U);
}

TEST_P(PluginTablesTest, RefusesWhatAFieldDoesNotAllow) {
  migrate_to(declare("1.0.0", every_field_type));
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"title", "''"},
      {"title", "'sixsix'"},
      {"pages", "0"},
      {"weight", "99.6"},
      {"bought", "'2023-02-29'"},
      {"bought", "'1900-2-1'"},
      {"bought", "'1899-12-31'"},
      {"read", "'2024-01-01T24:00:00.000Z'"},
      {"read", "'1900-02-29T00:00:00.000Z'"},
      {"extra", "'{'"},
      {"state", "'shut'"},
      {"tags", "'[]'"},
      {"tags", "'{}'"},
      {"cover", "'[]'"},
  };
  for (const auto& [field, value] : bad) {
    try {
      add_to("books", 1, field, value);
      ADD_FAILURE() << field << " = " << value;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), "data.check") << field << " " << value << " " << error.message();
      ASSERT_EQ(error.fields().size(), 1U) << field;
      EXPECT_EQ(error.fields()[0].field, field);
    }
  }
  EXPECT_EQ(code_of([&] { add_to("books", 1, "title", "NULL"); }), "data.required");
  EXPECT_EQ(code_of([&] { add_to("books", 1, "shelf", "'" + id_of(9) + "'"); }), "data.reference");
  for (const auto* fine : {"2000-02-29", "2024-12-31", "1904-02-29"})
    add_to("books", 10 + static_cast<int>(count("SELECT count(*) FROM books")), "bought",
           "'" + std::string(fine) + "'");
}

TEST_P(PluginTablesTest, ReferencesActWhenARecordIsDeleted) {
  migrate_to(declare("1.0.0", every_field_type));
  add_to("shelves", 1, "name", "'a'");
  add_to("books", 2, "shelf", "'" + id_of(1) + "'");
  add_to("books", 3, "before", "'" + id_of(2) + "'");
  database().exec("INSERT INTO books__near (record, target, position) VALUES (?1, ?2, 0)",
                  {id_of(2), id_of(1)});
  database().exec("DELETE FROM shelves");
  EXPECT_EQ(count("SELECT count(*) FROM books__near"), 0);
  EXPECT_EQ(text("SELECT shelf FROM books WHERE id = '" + id_of(2) + "'"), "null");
  database().exec("DELETE FROM books WHERE id = ?1", {id_of(2)});
  EXPECT_EQ(count("SELECT count(*) FROM books"), 0);
  add_to("shelves", 4, "name", "'a'");
  EXPECT_EQ(code_of([&] { add_to("shelves", 5, "name", "'a'"); }), "data.unique");
}

TEST_P(PluginTablesTest, OrdersTextsByTheirBytes) {
  migrate_to(declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  int id = 0;
  for (const auto* value : {"b", "a", "B", "ä", "_", "Z", "é", "1", ""})
    add(++id, "f", "'" + std::string(value) + "'");
  EXPECT_EQ(
      json("SELECT f FROM t ORDER BY f"),
      R"([{"f":""},{"f":"1"},{"f":"B"},{"f":"Z"},{"f":"_"},{"f":"a"},{"f":"b"},{"f":"ä"},{"f":"é"}])");
}

TEST_P(PluginTablesTest, AddsFieldsAndFillsTheirDefaults) {
  migrate_to(declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  add(1);
  const auto planned = migrate_to(declare("1.1.0", table(R"({"name":"f","type":"text"},
        {"name":"n","type":"integer","required":true,"default":7,"max":9},
        {"name":"g","type":"text","indexed":true})")));
  EXPECT_EQ(planned.steps.size(), 3U) << planned.to_text();
  EXPECT_EQ(json("SELECT n, g FROM t"), R"([{"n":7,"g":null}])");
  EXPECT_EQ(code_of([&] { add(2, "n", "10"); }), "data.check");
  EXPECT_EQ(code_of([&] { add(2, "n", "NULL"); }), "data.required");
  EXPECT_NE(
      refusal(declare("1.2.0", table(R"({"name":"f","type":"text"},{"name":"n","type":"integer"},
        {"name":"g","type":"text"},{"name":"h","type":"text","required":true})")))
          .find("t.h: the new field is required and 1 record would be without it"),
      std::string::npos);
}

TEST_P(PluginTablesTest, RefusesLossOfDataAndBrokenConstraints) {
  migrate_to(
      declare("1.0.0", table(R"({"name":"f","type":"text"},{"name":"n","type":"integer"})")));
  add(1, "f, n", "'long', 5");
  add(2, "f, n", "'long', NULL");
  const auto next = [&](const std::string& fields, const std::string& rest = "") {
    return refusal(declare("1.1.0", table(fields, rest)));
  };
  const auto says = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  says(next(R"({"name":"f","type":"text"})"),
       "t.n: the field is not declared any more and 1 record");
  says(next(R"({"name":"f","type":"text","max":3},{"name":"n","type":"integer"})"),
       "t.f: 2 records would break the new bounds");
  says(next(R"({"name":"f","type":"text"},{"name":"n","type":"integer","required":true})"),
       "t.n: the field is required now and 1 record");
  says(next(R"({"name":"f","type":"text","unique":true},{"name":"n","type":"integer"})"),
       "occur in more than one record");
  says(next(R"({"name":"f","type":"integer"},{"name":"n","type":"integer"})"),
       "t.f: the type cannot change from text to integer");
  says(refusal(declare("1.1.0", R"({"tables":[]})")),
       "t: the table is not declared any more and 2 records");
  EXPECT_EQ(applied_version(database()), "1.0.0");
  EXPECT_EQ(code_of([&] { migrate_to(declare("0.9.0", table(R"({"name":"f","type":"text"})"))); }),
            "data.newer");
}

TEST_P(PluginTablesTest, AcceptsAnOlderVersionWithTheSameTables) {
  const auto tables = table(R"({"name":"f","type":"text","searchable":true})");
  const auto one = migration(1, "CREATE TABLE more (n integer)");
  migrate_to(declare("2.0.1", tables, {one}));
  const auto same = declare("2.0.0", tables, {one});
  const Plan planned = plan(database(), same);
  EXPECT_TRUE(planned.is_switch && planned.steps.empty() && !planned.is_refused())
      << planned.to_text();
  migrate_to(same);
  EXPECT_EQ(applied_version(database()), "2.0.0");
  EXPECT_TRUE(plan(database(), same).is_empty());
  migrate_to(declare("2.0.1", tables, {one}));
  const auto refused = [&](const Declaration& older) {
    return code_of([&] { plan(database(), older); });
  };
  EXPECT_EQ(refused(declare("2.0.0", tables)), "data.newer");
  EXPECT_EQ(refused(declare("2.0.0", tables, {migration(1, "SELECT 1")})), "data.newer");
  EXPECT_EQ(refused(declare("2.0.0", tables, {one, migration(2, "SELECT 1")})), "data.newer");
  EXPECT_EQ(refused(declare("2.0.0", table(R"({"name":"f","type":"text"})"), {one})), "data.newer");
}

TEST_P(PluginTablesTest, ConvertsTypesWithoutLoss) {
  migrate_to(declare(
      "1.0.0",
      table(
          R"({"name":"a","type":"integer","max":100,"indexed":true},{"name":"b","type":"boolean","default":true},
        {"name":"c","type":"integer"},{"name":"d","type":"date"},{"name":"e","type":"choice","choices":["x","y"]},
        {"name":"f","type":"user"},{"name":"g","type":"number"},{"name":"h","type":"date"})")));
  add(1, "a, c, d, e, f, g, h", "5, 6, '2026-01-02', 'y', 'me', 2.5, '2026-01-02'");
  add(2);
  migrate_to(declare(
      "1.1.0",
      table(
          R"({"name":"a","type":"number","max":100,"indexed":true},{"name":"b","type":"text","max":5},
        {"name":"c","type":"text"},{"name":"d","type":"datetime"},{"name":"e","type":"choice","choices":["x","y"],"many":true},
        {"name":"f","type":"user","many":true},{"name":"g","type":"text"},{"name":"h","type":"text","max":10})")));
  EXPECT_EQ(
      json("SELECT a, b, c, d, e, g, h FROM t ORDER BY id"),
      R"([{"a":5,"b":"true","c":"6","d":"2026-01-02T00:00:00.000Z","e":"[\"y\"]","g":"2.5","h":"2026-01-02"},)"
      R"({"a":null,"b":"true","c":null,"d":null,"e":null,"g":null,"h":null}])");
  EXPECT_EQ(json("SELECT record, target, position FROM t__f"),
            R"([{"record":")" + id_of(1) + R"(","target":"me","position":0}])");
  EXPECT_EQ(code_of([&] { add(3, "a", "100.5"); }), "data.check");
  add(3, "b", "'off'");
  EXPECT_EQ(code_of([&] { add(4, "d", "'2026-01-02'"); }), "data.check");
}

TEST_P(PluginTablesTest, AWideIntegerIsNoNumber) {
  migrate_to(declare("1.0.0", table(R"({"name":"a","type":"integer"})")));
  add(1, "a", "9007199254740993");
  const auto wide = declare("1.1.0", table(R"({"name":"a","type":"number"})"));
  EXPECT_NE(refusal(wide).find("1 record would lose digits"), std::string::npos);
  database().exec("UPDATE t SET a = 9223372036854775807");
  EXPECT_NE(refusal(wide).find("1 record would lose digits"), std::string::npos);
  database().exec("UPDATE t SET a = 4");
  migrate_to(wide);
  EXPECT_EQ(json("SELECT a FROM t"), R"([{"a":4}])");
}

TEST_P(PluginTablesTest, RenamesByFormerNames) {
  migrate_to(declare("1.0.0", R"json({"tables":[
    {"name":"shelves","fields":[{"name":"name","type":"text","unique":true,"max":9}]},
    {"name":"books","publish":true,"fields":[
      {"name":"title","type":"text","required":true,"indexed":true,"searchable":true},
      {"name":"shelf","type":"reference","table":"shelves","on_delete":"clear"},
      {"name":"near","type":"reference","table":"shelves","many":true}]}]})json"));
  add_to("shelves", 1, "name", "'a'");
  add_to("books", 2, "title, shelf", "'one', '" + id_of(1) + "'");
  database().exec("INSERT INTO books__near (record, target, position) VALUES (?1, ?2, 0)",
                  {id_of(2), id_of(1)});
  const auto next = declare("2.0.0", R"json({"tables":[
    {"name":"racks","formerly":["shelves"],"fields":[{"name":"label","formerly":["name"],"type":"text","unique":true,"max":9}]},
    {"name":"works","formerly":["books"],"publish":true,"fields":[
      {"name":"heading","formerly":["title"],"type":"text","required":true,"indexed":true,"searchable":true},
      {"name":"rack","formerly":["shelf"],"type":"reference","table":"racks","on_delete":"clear"},
      {"name":"by","formerly":["near"],"type":"reference","table":"racks","many":true}]}]})json");
  migrate_to(next);
  EXPECT_TRUE(plan(database(), next).is_empty()) << plan(database(), next).to_text();
  EXPECT_EQ(
      json("SELECT w.heading, r.label, b.target FROM works w, racks r, works__by b WHERE r.id = "
           "w.rack AND b.record = w.id"),
      R"([{"heading":"one","label":"a","target":")" + id_of(1) + R"("}])");
  try {
    add_to("racks", 3, "label", "'longer than 9'");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    ASSERT_EQ(error.fields().size(), 1U) << error.code();
    EXPECT_EQ(error.fields()[0].field, "label");
  }
  EXPECT_EQ(code_of([&] { add_to("racks", 3, "label", "'a'"); }), "data.unique");
  database().exec("DELETE FROM racks");
  EXPECT_EQ(json("SELECT rack FROM works"), R"([{"rack":null}])");
  EXPECT_EQ(count("SELECT count(*) FROM works__by"), 0);
}

TEST_P(PluginTablesTest, MigrationsRunBetweenTheHalvesOfAnUpgrade) {
  migrate_to(declare("1.0.0", table(R"({"name":"old","type":"text"})")));
  add(1, "old", "'5'");
  const auto next = declare(
      "1.1.0", table(R"({"name":"now","type":"integer","required":true})"),
      {migration(
          1,
          "-- Copies; a ; within.\nUPDATE t SET now = CAST(old AS INTEGER);\nALTER TABLE t DROP "
          "COLUMN old;\nCREATE TABLE extra (word TEXT);\nINSERT INTO extra VALUES ('a;b');")});
  const auto done = migrate_to(next);
  EXPECT_EQ(json("SELECT now FROM t"), R"([{"now":5}])");
  EXPECT_EQ(text("SELECT word FROM extra"), "a;b");
  database().exec("INSERT INTO extra VALUES ('c')");
  EXPECT_EQ(code_of([&] { add(2); }), "data.required");
  EXPECT_TRUE(plan(database(), next).is_empty());
  auto changed = next;
  changed.migrations[0].sql += " ";
  EXPECT_EQ(code_of([&] { migrate_to(changed); }), "data.migration_changed");
}

TEST_P(PluginTablesTest, AFailedMigrationLeavesTheOld) {
  migrate_to(declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  add(1, "f", "'x'");
  const auto bad =
      declare("1.1.0", table(R"({"name":"f","type":"text"},{"name":"g","type":"text"})"),
              {migration(1, "UPDATE t SET f = 'y'; UPDATE nowhere SET f = 1;")});
  EXPECT_EQ(code_of([&] { migrate_to(bad); }), "data.migration_failed");
  EXPECT_EQ(applied_version(database()), "1.0.0");
  EXPECT_EQ(text("SELECT f FROM t"), "x");
  EXPECT_EQ(code_of([&] { database().query("SELECT g FROM t"); }), "data.sql");
}

TEST_P(PluginTablesTest, EachEngineRunsItsOwnWords) {
  migrate_to(
      declare("1.0.0", table(R"({"name":"f","type":"text"})"),
              {migration(1, "CREATE TABLE words (w TEXT); INSERT INTO words VALUES ('sqlite')",
                         "CREATE TABLE words (w TEXT); INSERT INTO words VALUES ('postgresql')")}));
  EXPECT_EQ(text("SELECT w FROM words"), is_sqlite() ? "sqlite" : "postgresql");
}

TEST_P(PluginTablesTest, AMigrationStaysInItsOwnTables) {
  migrate_to(declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  for (const char* sql : {"DELETE FROM tenon_meta", "UPDATE tenon_migrations SET number = 2",
                          "COMMIT", "DROP TABLE \"tenon_meta\"", "ROLLBACK; SELECT 1"}) {
    EXPECT_EQ(
        code_of([&] {
          migrate_to(declare("1.1.0", table(R"({"name":"f","type":"text"})"), {migration(1, sql)}));
        }),
        "data.migration_failed")
        << sql;
    EXPECT_EQ(applied_version(database()), "1.0.0");
  }
}

TEST_P(PluginTablesTest, TheHostsTablesAreNotThePlugins) {
  migrate_to(declare(
      "1.0.0", table(R"({"name":"f","type":"text","searchable":true})", R"(,"publish":true)")));
  database().write([](Transaction& transaction) {
    transaction.exec_as_host("CREATE TABLE tenon_kept (word TEXT NOT NULL)");
    transaction.exec_as_host("INSERT INTO tenon_kept VALUES (?1)", {"one"});
    transaction.exec("INSERT INTO t (id, f) VALUES (?1, 'x')", {id_of(1)});
    EXPECT_EQ(code_of([&] { transaction.exec("DELETE FROM tenon_kept"); }), "data.denied");
    transaction.exec_as_host("INSERT INTO tenon_kept VALUES (?1)", {"two"});
  });
  EXPECT_EQ(count("SELECT count(*) FROM tenon_kept"), 2);
  for (const char* sql : {"DELETE FROM tenon_kept", "INSERT INTO tenon_kept VALUES ('x')",
                          "DELETE FROM tenon_changes", "UPDATE tenon_meta SET value = ''",
                          "DELETE FROM tenon_migrations", "DROP TABLE t",
                          "ALTER TABLE t ADD COLUMN x TEXT", "CREATE TABLE other (a TEXT)"})
    EXPECT_EQ(code_of([&] { database().exec(sql); }), "data.denied") << sql;
  // A host's statement that fails leaves the rights as they were.
  database().write([](Transaction& transaction) {
    EXPECT_NE(code_of([&] { transaction.exec_as_host("INSERT INTO tenon_kept VALUES (NULL)"); }),
              "none");
    EXPECT_EQ(code_of([&] { transaction.exec("DELETE FROM tenon_kept"); }), "data.denied");
  });
  EXPECT_EQ(count("SELECT count(*) FROM tenon_changes"), 1);
}

TEST_P(PluginTablesTest, KeepsOtherConnectionsAfterAnUpgrade) {
  migrate_to(declare("1.0.0", table(R"({"name":"a","type":"integer"})")));
  add(1, "a", "1");
  Database other(options_);
  const auto read = [&](Database& from) {
    auto rows = from.query("SELECT a FROM t WHERE id = ?1", {id_of(1)});
    return rows.next() ? rows.kind(0) : CellKind::null;
  };
  const auto write = [&](Database& to) {
    to.exec("UPDATE t SET a = a + ?1 WHERE id = ?2", {1, id_of(1)});
  };
  EXPECT_EQ(read(other), CellKind::integer);
  write(other);
  migrate_to(declare("1.1.0", table(R"({"name":"a","type":"number"})")));
  EXPECT_EQ(read(other), CellKind::number);
  EXPECT_EQ(read(database()), CellKind::number);
  write(other);
  write(database());
  EXPECT_EQ(json("SELECT a FROM t"), R"([{"a":4}])");
}

}  // namespace
}  // namespace tenon::data::test
