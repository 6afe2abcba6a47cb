#include "postgresql/sql_guard/statement_text.hpp"

#include <string>

#include <gtest/gtest.h>

#include "engines/tests/support.hpp"

namespace tenon::data::postgresql {
namespace {

std::string translated(std::string_view sql) {
  return translate(sql, true).sql;
}

std::string statement_refusal(std::string_view sql) {
  return test::code_of([&] { translate(sql, false); });
}

TEST(StatementTextTest, PlaceholdersAreNumbered) {
  EXPECT_EQ(translated("SELECT ?, ?, ?1, ?7, ?"), "SELECT $1, $2, $1, $7, $8");
  EXPECT_EQ(translate("SELECT ?3", true).parameters, 3U);
  EXPECT_EQ(translate("SELECT $2 + ?", true).sql, "SELECT $2 + $3");
  EXPECT_EQ(translate("SELECT 1", true).parameters, 0U);
}

TEST(StatementTextTest, TextsNamesAndCommentsAreLeftAlone) {
  for (const char* sql : {"SELECT '?', 'it''s ?'", "SELECT E'\\'?' ", "SELECT \"a?\"\"?\"",
                          "SELECT 1 -- ?\n", "SELECT /* ? /* ? */ ? */ 1", "SELECT $$?$$",
                          "SELECT $tag$ ? $$ ? $tag$", "SELECT a$1 FROM b"})
    EXPECT_EQ(translated(sql), sql);
  EXPECT_EQ(translated("SELECT '?' -- ?\n, ?"), "SELECT '?' -- ?\n, $1");
  // An unclosed token ends with the text.
  for (const char* sql :
       {"SELECT '?", "SELECT \"?", "SELECT /* ?", "SELECT $a$ ?", "SELECT 1 -- ?"})
    EXPECT_EQ(translated(sql), sql);
}

TEST(StatementTextTest, ANameBeforeAPlaceholderStaysOne) {
  EXPECT_EQ(translated("SELECT?1 WHERE a IN(?)AND b=?"), "SELECT $1 WHERE a IN($2)AND b=$3");
  EXPECT_EQ(translated("SELECT '?'?"), "SELECT '?'$1");
}

// If the scan and PostgreSQL disagreed on what is text, a plugin could hide what it may not do.
TEST(StatementTextTest, ReadsCodeAsPostgresqlDoes) {
  for (const char* sql :
       {"SELECT 1 -- x\r, pg_sleep(1)", "SELECT 1 -- x\n, pg_sleep(1)",
        "SELECT E'a'\n'\\'', pg_sleep(1), ''", "SELECT e'\\'', pg_sleep(1), ''",
        "SELECT 'a'\n'\\', pg_sleep(1), ''", "SELECT $a$ $b$ $a$, pg_sleep(1), $b$",
        "SELECT /* /* */ */ pg_sleep(1)", "SELECT a$b$, pg_sleep(1), $b$", ";LISTEN spy",
        "SELECT 1$a$ $a$, pg_sleep(1), '$a$'"})
    EXPECT_EQ(statement_refusal(sql), "data.denied") << sql;
  EXPECT_EQ(translated("SELECT E'a'\n'\\'?', ?"), "SELECT E'a'\n'\\'?', $1");
  EXPECT_EQ(translated("SELECT E'a' '\\', ?"), "SELECT E'a' '\\', $1");
}

TEST(StatementTextTest, ATextWithoutAStatementIsNone) {
  for (const char* sql : {"", " \n", "-- SELECT 1", "/* SELECT */ ;"})
    EXPECT_EQ(test::code_of([&] { translate(sql, true); }), "data.sql") << sql;
  EXPECT_EQ(test::code_of([&] { translate("SELECT ?0", true); }), "data.sql");
  EXPECT_EQ(test::code_of([&] { translate({"SELECT\0 1", 9}, true); }), "data.sql");
  EXPECT_EQ(test::code_of([&] { translate("SELECT ?65536", true); }), "data.sql");
}

TEST(StatementTextTest, APluginReadsAndWritesRows) {
  for (const char* sql :
       {"SELECT 1", "  /* first */ insert INTO t VALUES (?)", "UPDATE t SET a = ?", "DELETE FROM t",
        "WITH a AS (SELECT 1) SELECT * FROM a", "VALUES (1)", "(SELECT 1) UNION (SELECT 2)",
        "SELECT lower(a), pages, log FROM books", "SELECT 'pg_sleep', 'LISTEN'"})
    EXPECT_EQ(statement_refusal(sql), "none") << sql;
}

TEST(StatementTextTest, APluginDoesNothingElse) {
  for (const char* sql : {"LISTEN spy",
                          "NOTIFY other",
                          "SET statement_timeout = 0",
                          "RESET ROLE",
                          "COPY t TO STDOUT",
                          "COPY t FROM PROGRAM 'id'",
                          "DO $$ BEGIN END $$",
                          "CALL p()",
                          "BEGIN",
                          "COMMIT",
                          "ROLLBACK",
                          "SAVEPOINT a",
                          "CREATE TABLE a (b int)",
                          "CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'x'",
                          "DROP TABLE t",
                          "ALTER ROLE a SET b = 1",
                          "DECLARE c CURSOR FOR SELECT 1",
                          "LOCK TABLE t",
                          "PREPARE a AS SELECT 1",
                          "EXPLAIN SELECT 1",
                          "VACUUM",
                          "/**/ -- x\n listen spy",
                          "SELECT set_config('statement_timeout', '0', false)",
                          "SELECT PG_SLEEP(1)",
                          "SELECT pg_catalog.set_config('a', 'b', true)",
                          "SELECT \"pg_notify\"('a', 'b')",
                          "SELECT pg_advisory_lock(1)",
                          "SELECT * FROM pg_authid",
                          "SELECT lo_import('/etc/passwd')",
                          "SELECT * FROM information_schema.tables",
                          "SELECT query_to_xml('SELECT 1', true, true, '')",
                          "SELECT ts_stat('SELECT 1')",
                          "SELECT extensions.crosstab('SELECT 1')",
                          "SELECT * FROM \"extensions\" /* a */ . crosstab -- b\n ('SELECT 1')",
                          "INSERT INTO t VALUES (sales.f(1))",
                          "SELECT 1 FROM t JOIN u ON sales.f(t.a)",
                          "WITH a AS (SELECT postgres.sales.f(1)) SELECT 1 FROM a",
                          "SELECT U&\"p\\0067_sleep\"(1)",
                          "SELECT u&'a'"})
    EXPECT_EQ(statement_refusal(sql), "data.denied") << sql;
}

TEST(StatementTextTest, AllowsQualifiedTablesBeforeColumns) {
  for (const char* sql : {"INSERT INTO plugin_a.t (a, b) VALUES (?, ?)",
                          "SELECT t.a, count(*) FROM plugin_a.t AS t WHERE t.a IN (?) GROUP BY t.a",
                          "SELECT sum(t.a) OVER (ORDER BY t.b) FROM t"})
    EXPECT_EQ(statement_refusal(sql), "none") << sql;
  for (const char* sql :
       {"CREATE TABLE plugin_a.t (a integer REFERENCES plugin_a.u (a))",
        "CREATE TABLE IF NOT EXISTS plugin_a.t (a integer)", "CREATE INDEX i ON plugin_a.t (a)",
        "CREATE VIEW plugin_a.v (a) AS SELECT 1", "ALTER TABLE plugin_a.t ADD b integer"})
    EXPECT_EQ(test::code_of([&] { check_migration(sql); }), "none") << sql;
}

// Defaults, checks and triggers run with the rights of the role that writes the row.
TEST(StatementTextTest, RefusesForeignCallsInMigrations) {
  for (const char* sql :
       {"CREATE TABLE t (a text DEFAULT sales.f('x'))",
        "ALTER TABLE t ALTER a SET DEFAULT sales.f()", "ALTER TABLE t ADD CHECK (sales.f(a))",
        "CREATE INDEX i ON plugin_a.t (sales.f(a))",
        "CREATE VIEW v AS SELECT 1 FROM t JOIN u ON sales.f(t.a)",
        "CREATE TRIGGER a AFTER INSERT ON t EXECUTE FUNCTION sales.f()",
        "CREATE TABLE a AS EXECUTE s1", "CREATE TABLE a (b) AS /* c */ execute s1"})
    EXPECT_EQ(test::code_of([&] { check_migration(sql); }), "data.denied") << sql;
}

}  // namespace
}  // namespace tenon::data::postgresql
