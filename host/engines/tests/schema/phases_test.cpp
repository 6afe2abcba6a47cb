#include <fstream>
#include <string>
#include <vector>

#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"

namespace tenon::data::test {
namespace {

using schema::Phase;
using schema::Plan;

const std::string title_field = R"({"name":"title","type":"text","required":true,"indexed":true})";
const std::string open_title = R"({"name":"title","type":"text","indexed":true})";
const std::string name_field = R"({"name":"name","type":"text"})";
const std::string needed_name = R"({"name":"name","type":"text","required":true})";

Migration phased(Phase phase, Migration one) {
  one.phase = phase;
  return one;
}

// Copies the old column, and keeps the copy up to date.
const Migration copying = phased(
    Phase::expand,
    migration(1,
              "UPDATE t SET name = title;"
              "CREATE TRIGGER named_new AFTER INSERT ON t WHEN new.name IS NULL BEGIN UPDATE t SET "
              "name = new.title WHERE id = new.id; END;"
              "CREATE TRIGGER named AFTER UPDATE OF title ON t WHEN new.title IS NOT old.title "
              "BEGIN UPDATE t SET name = new.title WHERE id = new.id; END;",
              "UPDATE t SET name = title;"
              "CREATE FUNCTION named() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
              "IF new.name IS NULL THEN new.name := new.title; END IF; RETURN new; END $$;"
              "CREATE TRIGGER named BEFORE INSERT OR UPDATE OF title ON t FOR EACH ROW EXECUTE "
              "FUNCTION named();"));
const Migration dropping = phased(
    Phase::contract,
    migration(2, "DROP TRIGGER named_new; DROP TRIGGER named; ALTER TABLE t DROP COLUMN title;",
              "DROP TRIGGER named ON t; ALTER TABLE t DROP COLUMN title;"));

Declaration first() {
  return declare("1.0.0", table(title_field));
}
Declaration second() {
  return declare("2.0.0", table(open_title + "," + name_field), {copying});
}
Declaration third() {
  return declare("3.0.0", table(needed_name), {copying, dropping});
}

class PhasesTest : public EachEngine {
 protected:
  PhasesTest() : options_(fresh_plugin_database(folder_.file("plugin.db"))) { open(); }
  void open() {
    database_.reset();
    database_ = std::make_unique<Database>(options_);
  }
  Database& database() { return *database_; }
  std::string text(std::string_view sql) {
    auto rows = database().query(sql);
    if (!rows.next()) return "no row";
    return rows.is_null(0) ? "null" : std::string(rows.text(0));
  }
  // As the version does that knows the title alone.
  void add_titled(int number, const std::string& value) {
    database().exec("INSERT INTO t (id, title) VALUES (?1, ?2)", {id_of(number), value});
  }
  std::string name_of(int number) {
    return text("SELECT name FROM t WHERE id = '" + id_of(number) + "'");
  }
  void begin_with_first() {
    apply(database(), first());
    add_titled(1, "one");
  }
  // Nothing is to be done, and nothing is.
  void expect_runs(const Declaration& declaration) {
    const Plan planned = plan(database(), declaration);
    EXPECT_TRUE(planned.is_phased && planned.steps.empty()) << planned.to_text();
    apply(database(), declaration);
    EXPECT_EQ(applied_version(database()), declaration.version);
    EXPECT_TRUE(plan(database(), declaration).is_empty());
  }

  Folder folder_;
  DatabaseOptions options_;
  std::unique_ptr<Database> database_;
};
TENON_ON_BOTH_ENGINES(PhasesTest);

TEST_P(PhasesTest, PreviousVersionWorksOnExpandedTables) {
  begin_with_first();
  const Plan planned = plan(database(), second());
  EXPECT_TRUE(planned.is_phased) << planned.to_text();
  EXPECT_NE(planned.to_text().find("run 0001_step.sql (expand)\n"), std::string::npos)
      << planned.to_text();
  EXPECT_NE(planned.to_text().find("requests are served meanwhile"), std::string::npos);

  expand(database(), second());
  EXPECT_EQ(applied_version(database()), "1.0.0");
  add_titled(2, "two");
  database().exec("UPDATE t SET title = 'uno' WHERE id = ?1", {id_of(1)});
  EXPECT_EQ(name_of(2), "two");

  // After a restart too; and then the next one takes it over, and back again.
  open();
  expect_runs(first());
  add_titled(3, "three");
  expect_runs(second());
  database().exec("INSERT INTO t (id, name) VALUES (?1, 'four')", {id_of(4)});
  expect_runs(first());
  expect_runs(second());
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t"), 4);
}

TEST_P(PhasesTest, ContractRunsOnceTheVersionBeforeIsGone) {
  begin_with_first();
  expand(database(), second());
  apply(database(), second());
  const Plan planned = plan(database(), third());
  EXPECT_TRUE(planned.is_phased) << planned.to_text();
  expand(database(), third());
  add_titled(2, "two");

  // The new one runs with what the one before needs.
  const Plan switched = apply(database(), third());
  EXPECT_EQ(switched.pending_contract, std::vector<std::string>{"0002_step.sql"});
  EXPECT_EQ(applied_version(database()), "3.0.0");
  database().exec("INSERT INTO t (id, name) VALUES (?1, 'three')", {id_of(3)});
  add_titled(4, "four");  // what the one before still has in flight
  open();
  EXPECT_EQ(apply(database(), third()).pending_contract, std::vector<std::string>{"0002_step.sql"});

  const Plan done = contract(database(), third());
  EXPECT_TRUE(done.pending_contract.empty());
  EXPECT_EQ(code_of([&] { add_titled(5, "five"); }), "data.sql");
  EXPECT_EQ(number(database(), "SELECT count(name) FROM t"), 4);
  EXPECT_EQ(
      code_of([&] { database().exec("INSERT INTO t (id, name) VALUES (?1, NULL)", {id_of(6)}); }),
      "data.required")
      << "the bound waited for it";
  EXPECT_TRUE(plan(database(), third()).is_empty());
  EXPECT_TRUE(contract(database(), third()).is_empty()) << "it is done once";
  EXPECT_EQ(code_of([&] { plan(database(), second()); }), "data.newer");
}

TEST_P(PhasesTest, AFailedContractIsRetried) {
  begin_with_first();
  apply(database(), second());
  expand(database(), third());
  database().exec("INSERT INTO t (id) VALUES (?1)", {id_of(2)});  // without a name
  apply(database(), third());
  EXPECT_EQ(code_of([&] { contract(database(), third()); }), "data.migration_refused");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t WHERE title = 'one'"), 1);
  EXPECT_EQ(apply(database(), third()).pending_contract.size(), 1U);
  database().exec("DELETE FROM t WHERE id = ?1", {id_of(2)});
  contract(database(), third());
  EXPECT_TRUE(apply(database(), third()).pending_contract.empty());
}

TEST_P(PhasesTest, ResumesAnInterruptedUpgrade) {
  begin_with_first();
  Declaration failing = second();
  failing.migrations.push_back(
      phased(Phase::expand, migration(2, "INSERT INTO nothing VALUES (1);")));
  failing.version = "2.0.0";
  EXPECT_EQ(code_of([&] { expand(database(), failing); }), "data.migration_failed");
  open();
  expect_runs(first());
  add_titled(2, "two");
  EXPECT_EQ(name_of(2), "two") << "the one before it was done";
  // A hotfix of the version before with the same tables, and the next try.
  Declaration fixed = first();
  fixed.version = "1.0.1";
  expect_runs(fixed);
  Declaration other = declare("1.0.2", table(title_field + R"(,{"name":"more","type":"text"})"));
  EXPECT_EQ(code_of([&] { plan(database(), other); }), "data.newer");
  failing.migrations.back().sql = "UPDATE t SET name = 'x' WHERE name IS NULL;";
  failing.migrations.back().phase = Phase::expand;
  failing.version = "2.0.1";
  const Plan again = plan(database(), failing);
  EXPECT_TRUE(again.is_phased) << again.to_text();
  EXPECT_EQ(again.steps.size(), 1U) << again.to_text();
  expand(database(), failing);
  apply(database(), failing);
  EXPECT_EQ(applied_version(database()), "2.0.1");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t"), 2);
}

TEST_P(PhasesTest, AMigrationThatIsNoExpandIsUndone) {
  begin_with_first();
  Declaration lying = second();
  lying.migrations[0].sql =
      "UPDATE t SET name = title; DROP INDEX tenon_ix_t__title;"
      "ALTER TABLE t DROP COLUMN title;";
  lying.migrations[0].postgresql_sql = "ALTER TABLE t DROP COLUMN title;";
  EXPECT_EQ(code_of([&] { expand(database(), lying); }), "data.migration_refused");
  expect_runs(first());
  EXPECT_EQ(text("SELECT title FROM t"), "one");
}

TEST_P(PhasesTest, ThePlanSaysWhyRequestsWait) {
  begin_with_first();
  const auto why = [&](const Declaration& declaration) {
    const Plan planned = plan(database(), declaration);
    EXPECT_FALSE(planned.is_phased) << planned.to_text();
    const bool is_reported =
        planned.to_text().find("requests wait meanwhile: ") != std::string::npos;
    EXPECT_EQ(is_reported, declaration.declares_phases()) << planned.to_text();
    EXPECT_EQ(code_of([&] { expand(database(), declaration); }), "data.not_phased");
    return planned.blocked_by;
  };
  const auto undeclared = migration(1, "SELECT 1;");
  EXPECT_EQ(why(declare("2.0.0", table(title_field), {undeclared})),
            "0001_step.sql declares no phase");
  EXPECT_EQ(why(declare("2.0.0", table(title_field),
                        {phased(Phase::contract, undeclared),
                         phased(Phase::expand, migration(2, "SELECT 1;"))})),
            "0001_step.sql (contract) is before 0002_step.sql (expand)");
  EXPECT_EQ(
      why(declare("2.0.0", table(name_field), {phased(Phase::contract, undeclared)})).substr(0, 20),
      "t.title is required,");
  EXPECT_EQ(why(declare("2.0.0", table(R"({"name":"label","type":"text","required":true,)"
                                       R"("indexed":true,"formerly":["title"]})"))),
            "rename field t.title to label");
  const std::string field = R"({"name":"title","type":"text","required":true,"indexed":true,)";
  EXPECT_EQ(why(declare("2.0.0", table(field + R"("max":50})"))).substr(0, 13), "tighten field");
  EXPECT_EQ(why(declare("2.0.0", table(field + R"("default":"x"})"))).substr(0, 14),
            "redefine field");
  EXPECT_EQ(why(declare("2.0.0", table(field + R"("unique":true})"))).substr(0, 10), "drop index");
  EXPECT_EQ(why(declare("2.0.0", table(R"({"name":"title","type":"text","required":true})"))),
            "drop index tenon_ix_t__title");
  // No migration says that the previous version can continue with it.
  EXPECT_EQ(why(declare("2.0.0", table(title_field + "," + name_field))),
            "no migration of this version declares its phase");
}

TEST_P(PhasesTest, WhatThePlanAddsByItselfIsExpand) {
  begin_with_first();
  Declaration more = declare(
      "1.1.0",
      R"({"tables":[{"name":"t","fields":[)" + open_title +
          R"(,{"name":"done","type":"boolean","required":true,"default":false},)"
          R"({"name":"code","type":"text","unique":true},{"name":"tags","type":"reference",)"
          R"("table":"tags","many":true}],"indexes":[{"fields":["title","done"]}]},)"
          R"({"name":"tags","fields":[{"name":"tag","type":"text","searchable":true}]}]})");
  more.has_phased_functions = true;
  const Plan planned = plan(database(), more);
  EXPECT_TRUE(planned.is_phased) << planned.to_text();
  expand(database(), more);
  add_titled(2, "two");
  expect_runs(first());
  add_titled(3, "three");
  expect_runs(more);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM t WHERE NOT done"), 3);
  database().exec("INSERT INTO tags (id, tag) VALUES (?1, 'red')", {id_of(9)});
  EXPECT_TRUE(plan(database(), more).is_empty());
  EXPECT_EQ(code_of([&] { plan(database(), declare("1.0.5", table(title_field))); }), "data.newer");
}

// It says of the fields of tables.json what no field can say.
TEST_P(PhasesTest, AMigrationMayBeNothingButItsPhase) {
  begin_with_first();
  const Declaration more =
      declare("1.1.0", table(title_field + "," + name_field),
              {phased(Phase::expand, migration(1, "-- tenon: phase expand\n"))});
  expand(database(), more);
  add_titled(2, "two");
  expect_runs(more);
  expect_runs(first());
}

TEST_P(PhasesTest, SkipsAVersionWithoutASwitch) {
  begin_with_first();
  expand(database(), second());
  Declaration later = second();
  later.version = "2.1.0";
  later.tables = schema::parse_tables(
      table(open_title + "," + name_field + R"(,{"name":"more","type":"text"})"));
  const Plan planned = plan(database(), later);
  EXPECT_TRUE(planned.is_phased) << planned.to_text();
  ASSERT_EQ(planned.steps.size(), 1U) << planned.to_text();
  expand(database(), later);
  expect_runs(first());
  expect_runs(later);
  EXPECT_EQ(code_of([&] { plan(database(), second()); }), "data.newer");
}

TEST_P(PhasesTest, AllAtOnceWithoutAVersionBefore) {
  Declaration all = third();
  for (Migration& one : all.migrations)
    one.upgrade_only = true;
  apply(database(), all);
  EXPECT_TRUE(plan(database(), all).is_empty());
  EXPECT_TRUE(apply(database(), all).pending_contract.empty());
}

// No version uses the data: nothing is deferred.
TEST_P(PhasesTest, RunsAllPhasesWithoutARunningVersion) {
  begin_with_first();
  apply(database(), second());
  EXPECT_TRUE(apply(database(), third()).pending_contract.empty());
  EXPECT_TRUE(plan(database(), third()).is_empty());
  EXPECT_EQ(text("SELECT name FROM t"), "one");
}

TEST(PhaseMarkersTest, AreReadAndRefusedByName) {
  const auto read = [](const std::string& text) {
    return parse_migrations({{"0001_step.sql", text}}).front().phase;
  };
  EXPECT_EQ(read("-- tenon: phase expand\nSELECT 1;"), Phase::expand);
  EXPECT_EQ(read("-- About it.\r\n-- tenon: phase contract\r\nSELECT 1;"), Phase::contract);
  EXPECT_EQ(read("SELECT 1;\n-- tenon: phase expand\n"), Phase::none);
  const auto refused = [&](const std::string& text) { return message_of([&] { read(text); }); };
  EXPECT_EQ(refused("-- tenon: phase grow\nSELECT 1;"),
            "migrations/0001_step.sql: '-- tenon: phase grow' is not known; known are "
            "'-- tenon: upgrade-only', '-- tenon: phase expand' and '-- tenon: phase contract'");
  EXPECT_NE(refused("-- tenon: phase\n"), "");
  EXPECT_EQ(refused("-- tenon: phase expand\n-- tenon: phase contract\n"),
            "migrations/0001_step.sql: it declares its phase twice");
  EXPECT_EQ(message_of([] {
              parse_migrations({{"0001_step.sql", "-- tenon: phase expand\n"},
                                {"0001_step.pg.sql", "SELECT 1;"}});
            }),
            "migrations/0001_step.sql: it and its .pg.sql must agree on their lines '-- tenon: …'");
}

}  // namespace
}  // namespace tenon::data::test
