// Tests tables of plugins on PostgreSQL alone: their owner, and how they are changed.
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"
#include "postgresql/client/server.hpp"

namespace tenon::data::test {
namespace {

class PostgresqlTablesTest : public testing::Test {
 protected:
  static DatabaseOptions location(PostgresqlCluster& cluster, const std::string& plugin) {
    postgresql::Server server(cluster.url());
    server.host_schema();
    DatabaseOptions options;
    options.postgresql = server.plugin_schema(plugin);
    return options;
  }
};

TEST_F(PostgresqlTablesTest, AMigrationReachesNothingOutsideItsSchema) {
  auto& cluster = PostgresqlCluster::shared();
  Database neighbour(location(cluster, "neighbour"));
  apply(neighbour, declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  Database database(location(cluster, "curious"));
  apply(database, declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  for (const char* sql : {"SELECT * FROM plugin_neighbour.t",
                          "DROP TABLE plugin_neighbour.t",
                          "SELECT * FROM tenon.tenon_roles",
                          "CREATE TABLE public.mine (a TEXT)",
                          "CREATE SCHEMA mine",
                          "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS 'SELECT 1'",
                          "CREATE OR REPLACE PROCEDURE f() LANGUAGE sql AS 'SELECT 1'",
                          "DO 'BEGIN END'",
                          "SET ROLE postgres",
                          "RESET ROLE",
                          "SELECT set_config('role', 'tenon', false)",
                          "SELECT pg_advisory_lock(1)",
                          "LISTEN x",
                          "GRANT SELECT ON t TO PUBLIC",
                          "ALTER ROLE CURRENT_USER CREATEDB",
                          "CREATE EXTENSION dblink",
                          "COPY t TO '/tmp/x'",
                          "CREATE TEMPORARY TABLE mine (a TEXT)",
                          "COMMENT ON SCHEMA public IS 'x'",
                          "CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION x()",
                          "DROP FUNCTION tenon_add",
                          "ALTER TABLE t DISABLE TRIGGER \"tenon__live_after\"",
                          "ALTER TABLE t OWNER TO postgres"}) {
    EXPECT_EQ(code_of([&] {
                apply(database, declare("1.1.0", table(R"({"name":"f","type":"text"})"),
                                        {migration(1, sql)}));
              }),
              "data.migration_failed")
        << sql;
  }
  apply(
      database,
      declare("1.1.0", table(R"({"name":"f","type":"text"})"),
              {migration(1,
                         "CREATE UNIQUE INDEX mine ON t (f); CREATE OR REPLACE VIEW seen AS SELECT "
                         "f FROM t; CREATE SEQUENCE numbers; COMMENT ON COLUMN t.f IS 'mine'; DROP "
                         "VIEW IF EXISTS seen; TRUNCATE t;")}));
  EXPECT_EQ(applied_version(database), "1.1.0");
}

TEST_F(PostgresqlTablesTest, DroppedTablesCanBeCreatedAgain) {
  auto& cluster = PostgresqlCluster::shared();
  const auto tables = declare("1.0.0", table(R"({"name":"f","type":"text"})"));
  for (int round = 0; round < 2; ++round) {
    Database database(location(cluster, "dropped"));
    EXPECT_EQ(applied_version(database), "");
    apply(database, tables);
    database.exec("INSERT INTO t (id, f) VALUES (?1, 'a')", {id_of(1)});
    database.close();
    postgresql::Server server(cluster.url());
    server.drop_plugin("dropped");
    EXPECT_FALSE(server.known_schema("dropped"));
    server.drop_plugin("dropped");
  }
}

TEST_F(PostgresqlTablesTest, AKilledMigrationLeavesTheOld) {
  PostgresqlCluster cluster;
  const auto options = location(cluster, "killed");
  {
    Database database(options);
    apply(database, declare("1.0.0", table(R"({"name":"f","type":"integer"})")));
    database.exec("INSERT INTO t (id, f) VALUES (?1, 1)", {id_of(1)});
    std::atomic<bool> is_done{false};
    std::string code;
    std::thread upgrade([&] {
      code = code_of([&] {
        apply(database,
              declare("1.1.0", table(R"({"name":"f","type":"text"},{"name":"g","type":"text"})"),
                      {migration(1,
                                 "UPDATE t SET f = 'two'; UPDATE t SET f = (SELECT "
                                 "count(*)::text FROM generate_series(1, 100000) AS a, "
                                 "generate_series(1, 100000) AS b);")}));
      });
      is_done = true;
    });
    // Killed in the midst of the last statement.
    for (bool is_running = false; !is_running && !is_done;) {
      try {
        PostgresqlCluster::run(
            cluster.superuser_url(),
            "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND "
            "query LIKE '%generate_series%' AND pid <> pg_backend_pid()) THEN RAISE 'not yet'; END "
            "IF; END $$");
        is_running = true;
      } catch (const std::runtime_error&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    cluster.kill();
    upgrade.join();
    EXPECT_EQ(code, "data.connection_lost");
  }
  cluster.start();
  Database database(options);
  EXPECT_EQ(applied_version(database), "1.0.0");
  auto rows = database.query("SELECT f FROM t");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.kind(0), CellKind::integer);
  EXPECT_EQ(code_of([&] { database.query("SELECT g FROM t"); }), "data.sql");
}

TEST_F(PostgresqlTablesTest, NewConstraintsAreValidatedAfterwards) {
  auto& cluster = PostgresqlCluster::shared();
  Database database(location(cluster, "validated"));
  apply(database, declare("1.0.0", table(R"({"name":"f","type":"text"})")));
  database.exec("INSERT INTO t (id, f) VALUES (?1, 'abc')", {id_of(1)});
  apply(database, declare("1.1.0", table(R"({"name":"f","type":"text","max":3})")));
  PostgresqlCluster::run(
      cluster.url(),
      "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_constraint WHERE NOT convalidated AND "
      "connamespace = 'plugin_validated'::regnamespace) THEN RAISE 'some are not'; END IF; END $$");
  EXPECT_EQ(code_of([&] { database.exec("UPDATE t SET f = 'abcd'"); }), "data.check");
}

TEST_F(PostgresqlTablesTest, ANameThatPostgresqlWouldCutIsRefused) {
  Database database(location(PostgresqlCluster::shared(), "named"));
  const std::string long_name(40, 'a');
  const auto linked = [&](const std::string& field) {
    return declare("1.0.0",
                   R"({"tables":[{"name":")" + long_name +
                       R"(","fields":[{"name":"f","type":"text","unique":true},{"name":")" + field +
                       R"(","type":"user","many":true}],"indexes":[{"fields":["f","id"]}]}]})");
  };
  EXPECT_EQ(code_of([&] { apply(database, linked(std::string(30, 'b'))); }),
            "data.migration_refused");
  apply(database, linked(std::string(21, 'b')));
  EXPECT_TRUE(plan(database, linked(std::string(21, 'b'))).is_empty());
}

}  // namespace
}  // namespace tenon::data::test
