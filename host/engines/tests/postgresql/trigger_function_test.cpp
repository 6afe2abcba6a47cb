#include "postgresql/sql_guard/trigger_function.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engines/tests/support.hpp"
#include "postgresql/sql_guard/statement_text.hpp"

namespace tenon::data::postgresql {
namespace {

std::string trigger_refusal(std::string_view statement) {
  return test::code_of([&] { check_migration(statement); });
}

std::string function(const std::string& body) {
  return "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$" + body + "$$";
}

// Returns the refusal of a function with these statements.
std::string refusal_of(const std::string& statements) {
  return trigger_refusal(function("BEGIN " + statements + " RETURN NEW; END"));
}

TEST(TriggerFunctionTest, AreMadeInOneForm) {
  for (const char* sql :
       {"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$",
        "create or replace function \"My\" ( ) returns TRIGGER as $a$ begin return new; end; $a$ "
        "language PLPGSQL;",
        "/* a */ CREATE -- b\n FUNCTION f() RETURNS trigger AS $$ -- c\nBEGIN RETURN NULL; END $$ "
        "LANGUAGE plpgsql"})
    EXPECT_EQ(trigger_refusal(sql), "none") << sql;
  const std::string rest = " AS $$BEGIN RETURN NULL; END$$";
  for (const std::string& sql : std::vector<std::string>{
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql" + rest + " SECURITY DEFINER",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql EXTERNAL SECURITY DEFINER" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql SET search_path = tenon" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql SET ROLE postgres" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql COST 1" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql LANGUAGE sql" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql" + rest + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql" + rest + ", 'x'",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE 'plpgsql'" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE \"plpgsql\"" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE sql" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpython3u" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE c AS 'a', 'b'",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE internal AS $$pg_sleep$$",
           "CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION f() RETURNS SETOF trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION f(a text) RETURNS trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION tenon_add() RETURNS trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION \"tenon_add\"() RETURNS trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION pg_x() RETURNS trigger LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION U&\"f\"() RETURNS trigger LANGUAGE plpgsql" + rest,
           "CREATE PROCEDURE f() LANGUAGE plpgsql" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql",
           "CREATE FUNCTION f() RETURNS trigger" + rest,
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN END",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$$$",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS E'BEGIN END'",
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE sql RETURN 1",
           "CREATE FUNCTION f() RETURNS trigger BEGIN ATOMIC SELECT 1; END",
           "CREATE AGGREGATE f(text) (SFUNC = a, STYPE = b)",
           "ALTER FUNCTION f() SECURITY DEFINER",
           "ALTER FUNCTION f() OWNER TO postgres",
           "ALTER TRIGGER a ON t RENAME TO b",
           "CREATE EVENT TRIGGER a ON ddl_command_end EXECUTE FUNCTION f()",
           "CREATE CONSTRAINT TRIGGER a AFTER INSERT ON t EXECUTE FUNCTION f()",
           "CREATE TRIGGER a AFTER INSERT ON tenon_changes EXECUTE FUNCTION f()",
           "CREATE TRIGGER tenon_a AFTER INSERT ON t EXECUTE FUNCTION f()",
           "CREATE TRIGGER a AFTER INSERT ON t EXECUTE FUNCTION tenon_search_write()",
           "CREATE TRIGGER a AFTER INSERT ON t WHEN (pg_sleep(9)) EXECUTE FUNCTION f()",
           "DROP TRIGGER tenon__live_after ON t",
           "DROP FUNCTION \"tenon_add\"",
           "DROP PROCEDURE f",
       })
    EXPECT_EQ(trigger_refusal(sql), "data.denied") << sql;
  for (const char* sql :
       {"CREATE TRIGGER a AFTER UPDATE OF b ON t FOR EACH ROW WHEN (new.b <> old.b) EXECUTE "
        "FUNCTION f()",
        "CREATE OR REPLACE TRIGGER a INSTEAD OF INSERT ON v FOR EACH ROW EXECUTE FUNCTION f()",
        "DROP TRIGGER IF EXISTS a ON t", "DROP FUNCTION IF EXISTS f() CASCADE"})
    EXPECT_EQ(trigger_refusal(sql), "none") << sql;
}

TEST(TriggerFunctionTest, SayWhatStatementsSay) {
  for (const char* statements :
       {"INSERT INTO seen VALUES (new.id, 'EXECUTE', $x$ DO; LISTEN $x$);",
        "UPDATE books SET pages = pages + 1 WHERE id = new.id;", "DELETE FROM seen;",
        "IF new.a IS NULL THEN RETURN new; ELSIF b THEN NULL; ELSE UPDATE a SET b = 1; END IF;",
        "new.title := lower(new.title); new.pages = 3; \"New\".a[1] := 2;",
        "IF (CASE WHEN new.a THEN 1 ELSE 2 END) = 1 THEN NULL; END IF;",
        "new.a := CASE WHEN new.b THEN 'x' ELSE 'y' END;",
        "FOR r IN SELECT * FROM t LOOP UPDATE u SET a = r.a; END LOOP;",
        "FOR r IN (SELECT 1) UNION (SELECT 2) LOOP CONTINUE WHEN r.a; END LOOP;",
        "FOR i IN REVERSE 10..1 LOOP NULL; END LOOP; FOR i IN a..least(b, 2) LOOP EXIT; END LOOP;",
        "FOREACH a IN ARRAY string_to_array(new.b, ',') LOOP PERFORM a; END LOOP;",
        "FOREACH a SLICE 1 IN ARRAY b LOOP PERFORM a[1]; END LOOP;",
        "WHILE new.a < 3 LOOP new.a := new.a + 1; END LOOP; LOOP EXIT WHEN true; END LOOP;",
        "DECLARE a text; b CONSTANT integer NOT NULL := 3; c t.x%TYPE; BEGIN a := 1; END;",
        "RAISE EXCEPTION 'no % here', new.title;", "IF pg_trigger_depth() > 1 THEN NULL; END IF;",
        "SELECT count(*) INTO new.n FROM seen; WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a;",
        "new.public := 1; UPDATE t SET tenon = new.tenon;"})
    EXPECT_EQ(refusal_of(statements), "none") << statements;
}

TEST(TriggerFunctionTest, SayNothingElse) {
  for (const char* statements :
       {// Texts that are run.
        "EXECUTE 'SET ROLE x';", "execute format('DROP TABLE %I', a);", "EXECUTE a USING b;",
        "FOR r IN EXECUTE 'SELECT 1' LOOP NULL; END LOOP;",
        "FOR r IN/**/EXECUTE a LOOP NULL; END LOOP;", "OPEN c FOR EXECUTE 'SELECT 1';",
        "OPEN c FOR SELECT 1;", "RETURN QUERY EXECUTE 'SELECT 1';", "RETURN QUERY SELECT 1;",
        "RETURN NEXT new;", "PERFORM query_to_xml('DROP TABLE a', true, true, '');",
        "new.a := (SELECT \"query_to_xml\"('x', true, true, ''));",
        "IF ts_stat('SELECT 1') IS NULL THEN NULL; END IF;", "DO $x$BEGIN NULL; END$x$;",
        "CALL p();", "PREPARE a AS SELECT 1;", "DEALLOCATE a;",
        // Settings, roles, the session.
        "SET ROLE postgres;", "SET LOCAL statement_timeout = 0;", "RESET ROLE;", "SET x TO 1;",
        "PERFORM set_config('role', 'x', true);", "new.a := set_config('role', 'x', true);",
        "new.a := pg_catalog.set_config('role', 'x', true);",
        "new.a := \"pg_catalog\".\"set_config\"('role', 'x', true);",
        "PERFORM PG_ADVISORY_LOCK(1);", "PERFORM pg_sleep(9);", "PERFORM pg_notify('a', 'b');",
        "LISTEN a;", "NOTIFY a;", "UNLISTEN *;", "DISCARD ALL;", "LOAD 'x';",
        // Other notations of PL/pgSQL.
        "PERFORM U&\"p\\0067_sleep\"(1);", "new.a := u&'a';", "new.a := U&'\\0041' UESCAPE '!';",
        "new.a := E'\\'';", "new.a := e'\\'; EXECUTE x; --';",
        // The schema and whole tables.
        "CREATE TABLE a (b int);", "DROP TABLE t;", "ALTER TABLE t DISABLE TRIGGER ALL;",
        "TRUNCATE t;", "GRANT ALL ON t TO PUBLIC;", "COMMENT ON TABLE t IS 'x';", "LOCK TABLE t;",
        "COPY t TO PROGRAM 'id';", "COPY t TO STDOUT;", "VACUUM;", "ANALYZE t;",
        "EXPLAIN SELECT 1;", "IMPORT FOREIGN SCHEMA a FROM SERVER b INTO c;",
        "REFRESH MATERIALIZED VIEW a;",
        "FOR r IN EXPLAIN ANALYZE DELETE FROM t LOOP NULL; END LOOP;",
        "FOR r IN SHOW data_directory LOOP NULL; END LOOP;",
        "FOR r IN (EXPLAIN SELECT 1) LOOP NULL; END LOOP;",
        "FOR r IN FETCH ALL FROM c LOOP NULL; END LOOP;",
        // The host's and others'.
        "INSERT INTO tenon_changes VALUES (1);", "DELETE FROM \"tenon_changes\";",
        "UPDATE tenon_schema SET a = 1;", "SELECT 1 FROM TENON_ROLES;",
        "INSERT INTO tenon.users VALUES (1);", "INSERT INTO \"tenon\" . users VALUES (1);",
        "INSERT INTO plugin_notes.notes VALUES (1);", "DELETE FROM \"plugin_a-b\".t;",
        "DELETE FROM public.t;", "SELECT 1 FROM a, /* */ Tenon /* */ . users;",
        "SELECT 1 FROM pg_authid;", "SELECT 1 FROM information_schema.tables;",
        "new.a := lo_import('/etc/passwd');",
        // Transactions and errors.
        "COMMIT;", "ROLLBACK;", "SAVEPOINT a;", "START TRANSACTION;", "ABORT;", "END; COMMIT;",
        "BEGIN NULL; EXCEPTION WHEN OTHERS THEN NULL; END;",
        "LOOP BEGIN PERFORM 1; EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP;",
        "EXCEPTION WHEN SQLSTATE '57014' THEN NULL;", "RAISE;", "RAISE NOTICE 'x';",
        "RAISE LOG 'x';", "RAISE WARNING 'x';", "RAISE 'x';", "RAISE disk_full;",
        "RAISE EXCEPTION disk_full;", "RAISE EXCEPTION SQLSTATE '53100';",
        "RAISE EXCEPTION 'x' USING ERRCODE = '53100';", "RAISE USING MESSAGE = 'x';",
        "ASSERT false;",
        // Cursors, labels, what is not read here.
        "DECLARE c CURSOR FOR SELECT 1; BEGIN NULL; END;", "DECLARE c refcursor; BEGIN NULL; END;",
        "FETCH c INTO a;", "MOVE c;", "CLOSE c;", "<<a>> LOOP NULL; END LOOP;",
        "CASE new.a WHEN 1 THEN EXECUTE 'x'; END CASE;", "CASE WHEN true THEN NULL; END CASE;",
        "GET DIAGNOSTICS a = PG_CONTEXT;", "GET STACKED DIAGNOSTICS a = MESSAGE_TEXT;",
        "#option dump\n", "FOREACH a IN EXECUTE b LOOP NULL; END LOOP;", "a b;", "\"LISTEN\" a;",
        "a;", "a();", ";", "1;", "'x';", "(SELECT 1);"})
    EXPECT_EQ(refusal_of(statements), "data.denied") << statements;
}

// A name before a dot is a schema, if the name after the dot is called or is a table, a type, a
// collation. All else with a dot is a variable or a column.
TEST(TriggerFunctionTest, NamesNothingOfAnotherSchema) {
  for (const char* statements :
       {// Calls.
        "PERFORM cron.schedule('x', '* * * * *', 'ALTER ROLE x SUPERUSER');",
        "PERFORM \"cron\" /* */ . \"schedule\" ('x');", "new.a := tenon.public.f(1);",
        "IF sales.f(new.a) THEN NULL; END IF;", "SELECT * INTO r FROM sales.f(1);",
        "new.a := new.b OPERATOR(sales.+) 1;", "new.a := sales.domain 'text';",
        "PERFORM nextval('sales.numbers');", "PERFORM \"setval\"('sales.numbers', 1);",
        "FOR i IN 1..sales.f() LOOP NULL; END LOOP;",
        // Tables.
        "UPDATE sales.accounts SET a = 1;", "UPDATE ONLY sales.accounts SET a = 1;",
        "INSERT INTO sales.accounts VALUES (1);", "INSERT INTO \"sales\".accounts SELECT 1;",
        "DELETE FROM sales.accounts;", "DELETE FROM update.accounts;",
        "DELETE FROM ONLY (sales.accounts);", "DELETE FROM t USING sales.accounts;",
        "DELETE FROM t USING u, sales.accounts;",
        "MERGE INTO sales.accounts AS a USING t ON true WHEN MATCHED THEN DELETE;",
        "MERGE INTO t USING sales.accounts AS a ON true WHEN MATCHED THEN DELETE;",
        "SELECT a INTO new.a FROM sales.accounts;", "PERFORM a FROM t, sales.accounts;",
        "PERFORM a FROM t AS where_, sales.accounts;", "PERFORM a FROM (sales.a JOIN t ON true);",
        "PERFORM a FROM t JOIN sales.accounts ON true;", "PERFORM a FROM t, LATERAL sales.f(1);",
        "PERFORM a FROM t JOIN u ON CASE WHEN true THEN 1 END = 1, sales.accounts;",
        "PERFORM a FROM t JOIN u ON t.where = u.where, sales.accounts;",
        "PERFORM a FROM t JOIN u ON t.a IS DISTINCT FROM u.a, sales.accounts;",
        "PERFORM 1 AS case FROM sales.accounts;", "PERFORM 1 distinct FROM sales.accounts;",
        "PERFORM new.is distinct FROM sales.accounts;", "new.a := b FROM sales.accounts;",
        "PERFORM ARRAY(TABLE sales.accounts);", "SELECT 1 INTO new.a UNION TABLE sales.accounts;",
        "IF EXISTS (SELECT 1 FROM sales.accounts) THEN NULL; END IF;",
        "IF EXISTS (SELECT EXTRACT(day FROM a) FROM sales.accounts) THEN NULL; END IF;",
        "FOR r IN WITH w AS (DELETE FROM sales.accounts RETURNING 1) SELECT 1 LOOP NULL; END LOOP;",
        "UPDATE t SET a = 1 FROM u, sales.accounts;",
        // Types and collations.
        "new.a := 1::sales.kind;", "new.a := CAST(1 AS sales.kind);",
        "new.a := new.a COLLATE sales.c;", "DECLARE a sales.kind; BEGIN NULL; END;",
        "DECLARE a CONSTANT sales.kind := 1; BEGIN NULL; END;",
        "DECLARE a sales.t.b%TYPE; BEGIN NULL; END;", "DECLARE a sales.t%ROWTYPE; BEGIN NULL; END;",
        "DECLARE a CONSTANT \"sales\" . t % rowtype := NULL; BEGIN NULL; END;",
        "new.a := CAST(1 AS SETOF sales.kind);", "new.a := 1::setof sales.kind;",
        "new.a := json_value(new.b, '$' RETURNING sales.kind);",
        "new.a := json_array(update RETURNING sales.kind);",
        "INSERT INTO t VALUES (json_object('a': new.b RETURNING sales.kind)) RETURNING t.a;",
        "new.a := CASE WHEN true THEN json_scalar(1 RETURNING sales.kind) END;",
        // Those of columns.
        "PERFORM 1 FROM f() AS (a sales.kind);", "PERFORM 1 FROM f() AS t(a sales.kind);",
        "PERFORM 1 FROM f() AS t(a int, \"b\" \"sales\".\"kind\"[]);",
        "PERFORM 1 FROM f() t(a int, b sales.kind);", "PERFORM 1 FROM f() \"t\" (a sales . kind);",
        "PERFORM 1 FROM ROWS FROM (f() AS (a int), g() AS (b sales.kind)) AS t;",
        "PERFORM 1 FROM a, LATERAL f(a.b) AS values(update sales.kind);",
        "PERFORM 1 FROM f() materialized (a sales.kind);",
        "PERFORM 1 FROM f() AS materialized(a sales.kind);",
        "PERFORM 1 FROM f() over (a sales.kind);",
        "PERFORM 1 FROM a JOIN f() AS (insert int, b sales.kind) ON true;",
        "FOR r IN SELECT * FROM f() AS (a int, b sales.kind) LOOP NULL; END LOOP;",
        "DELETE FROM t USING f() AS (a sales.kind);",
        "UPDATE t SET a = 1 FROM f() u(a sales.kind);",
        "WITH w AS (SELECT 1) SELECT 1 FROM f() AS (a sales.kind);",
        "WITH w AS (SELECT 1 FROM f() AS (a sales.kind)) SELECT 1;",
        "WITH w AS MATERIALIZED (SELECT 1 FROM f() t(a sales.kind)) SELECT 1;",
        // Text that looks like WITH or WINDOW and is not.
        "PERFORM 1 AS with FROM (SELECT 1) AS q, f() AS (a sales.kind);",
        "PERFORM 1 AS window FROM f() AS (a sales.kind);",
        "PERFORM 1 FROM f() WITH ORDINALITY AS t, g() AS (a sales.kind);",
        "PERFORM a::timestamp with time zone FROM f() AS (a sales.kind);",
        "PERFORM t.with, t.window FROM t JOIN f() AS (a sales.kind) ON true;",
        "PERFORM 1 FROM a WINDOW w AS (ORDER BY a.b) UNION SELECT 1 FROM f() AS (a sales.kind);",
        "PERFORM * FROM xmltable('/a' PASSING b COLUMNS a sales.kind);",
        "PERFORM * FROM json_table(b, '$' COLUMNS (a sales.kind));",
        // PL/pgSQL cuts out the INTO, which joins the text around it.
        "UPDATE INTO a sales.accounts SET b = 1 RETURNING b;", "SELECT sales. INTO a f(1);",
        "SELECT 1 FROM t JOIN INTO a sales.accounts ON true;",
        "SELECT 1 FROM INTO a sales.accounts;", "SELECT 1 FROM t INTO a, sales.accounts JOIN u;",
        "SELECT new.insert INTO a sales.accounts;"})
    EXPECT_EQ(refusal_of(statements), "data.denied") << statements;
  for (const char* statements :
       {"SELECT a.b, c.d INTO new.a, new.b FROM a JOIN c ON a.id = c.id;",
        "SELECT INTO STRICT new.a max(t.b) FROM t WHERE t.c = old.c;",
        "SELECT t.a FROM t INTO r.a, r.b;",
        "INSERT INTO t SELECT new.a, u.b FROM u, v;",
        "INSERT INTO t (a, b) VALUES (new.a, old.b) RETURNING t.a INTO new.a;",
        "UPDATE t SET a = new.a, b = u.b FROM u WHERE u.id IN (new.a, t.c);",
        "IF new.a IS DISTINCT FROM old.a OR new.b IS NOT DISTINCT FROM old.b THEN NULL; END IF;",
        "new.a := EXTRACT(epoch FROM new.b) || trim(BOTH ' ' FROM new.c);",
        "PERFORM t.a FROM t, unnest(new.b) AS u GROUP BY t.a, u.c ORDER BY t.a, u.c;",
        "PERFORM t.a FROM t UNION SELECT u.a, u.b FROM u;",
        "FOR r IN SELECT * FROM t LOOP PERFORM r.a, r.b; END LOOP;",
        "IF count(*) > 0 FROM t THEN PERFORM new.a, old.a; END IF;",
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET a = u.a, b = u.b;",
        "DELETE FROM t USING u WHERE t.a = u.a RETURNING t.a, u.a;",
        "WITH v AS (DELETE FROM t RETURNING t.a) SELECT v.a INTO new.a FROM v;",
        "WITH w(b) AS MATERIALIZED (INSERT INTO u VALUES (1) RETURNING u.b) SELECT w.b FROM w;",
        "new.a := json_value(new.b, '$' RETURNING int);",
        "FOR r.a IN SELECT 1 LOOP new.a[1:new.b] := r.a::text; END LOOP;",
        "PERFORM t.a FROM f() AS t(a numeric(10, 2), b double precision, c text[]) WHERE t.a > 1;",
        "PERFORM a.b FROM a JOIN f() AS t(a int) ON (a.b = t.a) AND (a.c IN (t.b, new.d));",
        "WITH v AS (SELECT new.a), w (b) AS MATERIALIZED (SELECT t.b FROM t) SELECT v.a FROM v, w;",
        "INSERT INTO t (a) WITH RECURSIVE w(b) AS (SELECT u.a FROM u) SELECT w.b FROM w;",
        "PERFORM sum(t.a) OVER w FROM t WINDOW w AS (ORDER BY CASE t.d WHEN 1 THEN 2 END);",
        "PERFORM rank() OVER (ORDER BY t.b) FROM t WINDOW w AS (ORDER BY t.c), v AS ();",
        "PERFORM count(*) FILTER (WHERE t.a > new.a) FROM f(new.b) AS t(a);",
        "PERFORM 1 FROM json_to_record(new.a) AS t(a int) JOIN (SELECT u.b FROM u) AS v USING (a);",
        "new.a := CAST(new.b AS numeric(10, 2)) + CAST(new.c AS int);",
        "DECLARE a cards.title%TYPE; b CONSTANT cards%ROWTYPE := NULL; BEGIN NULL; END;",
        "new.a := CASE WHEN new.b IS DISTINCT FROM old.b THEN new.c ELSE old.c END;"})
    EXPECT_EQ(refusal_of(statements), "none") << statements << " " << test::last_detail();
}

// PL/pgSQL ends a condition at the first THEN outside of parentheses, and a statement at the first
// semicolon. Were it read otherwise, what follows would not be seen as a statement.
TEST(TriggerFunctionTest, StatementsBeginWherePlpgsqlBeginsThem) {
  for (const char* statements : {"IF CASE WHEN a THEN LISTEN x; ELSE b END THEN NULL; END IF;",
                                 "IF new.case THEN LISTEN x; END IF;",
                                 "IF a THEN ELSE LISTEN x; END IF;",
                                 "IF a THEN NULL; ELSIF b THEN SET a = b; END IF;",
                                 "WHILE a LOOP LISTEN x; END LOOP;",
                                 "FOR i IN 1..2 LOOP LISTEN x; END LOOP;",
                                 "FOR i IN SELECT 1 LOOP COMMIT; END LOOP;",
                                 "FOR i IN 1. .2 LOOP NULL; END LOOP;",
                                 "FOR i IN EXPLAIN a . . b LOOP NULL; END LOOP;",
                                 "FOR i IN EXPLAIN SELECT (1..2) LOOP NULL; END LOOP;",
                                 "SELECT (1; LISTEN x; SELECT 1);",
                                 "SELECT 'a' -- '\r; LISTEN x; --'\n;",
                                 "SELECT /* /* */ ; LISTEN x; */ 1; LISTEN x;",
                                 "SELECT $a$ $b$ $a$; LISTEN x; SELECT $b$;",
                                 "SELECT 'a\\'; LISTEN x; --';",
                                 "SELECT \"a\\\"; LISTEN x; --\";",
                                 "DECLARE a text; BEGIN LISTEN x; END;",
                                 "DECLARE a text := 'x'; LISTEN b; BEGIN NULL; END; COMMIT;",
                                 "LOOP LISTEN x; END LOOP;",
                                 "BEGIN LISTEN x; END;",
                                 "END IF LISTEN x;",
                                 "END LISTEN x;",
                                 "new.a[1; LISTEN x;] := 2;",
                                 "new.a := 1) ; LISTEN x;",
                                 "new.a := (1 ; LISTEN x;",
                                 "IF a) THEN NULL; END IF;",
                                 "IF (a THEN LISTEN x; END IF;"})
    EXPECT_EQ(refusal_of(statements), "data.denied") << statements;
  for (const char* body :
       {"LISTEN x", "<<a>> BEGIN RETURN NEW; END", "#option dump\nBEGIN RETURN NEW; END",
        "BEGIN RETURN NEW; END; LISTEN x", "BEGIN RETURN NEW", "", " -- x\n", "DECLARE a text",
        "DECLARE a text := 1; EXECUTE BEGIN RETURN NEW; END",
        "BEGIN RETURN NEW; EXCEPTION WHEN query_canceled THEN RETURN NEW; END"})
    EXPECT_EQ(trigger_refusal(function(body)), "data.denied") << body;
}

}  // namespace
}  // namespace tenon::data::postgresql
