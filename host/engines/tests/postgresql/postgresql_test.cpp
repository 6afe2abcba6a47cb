#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/tests/sampling.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/support.hpp"
#include "postgresql/client/server.hpp"

namespace tenon::data::test {
namespace {

using std::chrono::milliseconds;

class PostgresqlTest : public ItemsTest {
 protected:
  PostgresqlTest() : ItemsTest({}, Dialect::postgresql) {}
};

TEST_F(PostgresqlTest, ReportsItsDialect) {
  EXPECT_EQ(database().dialect(), Dialect::postgresql);
}

TEST_F(PostgresqlTest, InfersTheTypesOfParameters) {
  database().exec("CREATE TABLE kinds (yes BOOLEAN, at TIMESTAMPTZ, n NUMERIC, j JSONB, b BYTEA)");
  database().exec("INSERT INTO kinds VALUES (?1, ?2, ?3, ?4, ?5)",
                  {1, "2026-01-02T03:04:05Z", 2.5, R"({"a":[1]})", Cell::blob({"\0\xff", 2})});
  auto rows =
      database().query("SELECT yes, n, b, j FROM kinds WHERE yes = ?1 AND n > ?2 AND j = ?3",
                       {1, 2, R"({"a":[1]})"});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 1);
  EXPECT_EQ(rows.number(1), 2.5);
  EXPECT_EQ(rows.blob(2), std::string_view("\0\xff", 2));
  EXPECT_EQ(rows.text(3), R"({"a": [1]})");
  EXPECT_FALSE(rows.next());
  // The same text with other kinds of values.
  for (const Cell& cell : {Cell(1), Cell(1.5), Cell("x"), Cell(), Cell::blob("y"), Cell(2)}) {
    auto same = database().query("SELECT ?1", {cell});
    ASSERT_TRUE(same.next());
    EXPECT_EQ(same.kind(0), cell.kind());
  }
}

TEST_F(PostgresqlTest, InfersTypesInsideATransaction) {
  database().exec("CREATE TABLE flags (yes BOOLEAN)");
  auto transaction = database().begin(Mode::write);
  transaction.exec("INSERT INTO items (id) VALUES (1)");
  transaction.exec("INSERT INTO flags VALUES (?1)", {1});
  transaction.exec("INSERT INTO items (id) VALUES (2)");
  transaction.commit();
  EXPECT_EQ(items(), 2);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM flags WHERE yes = ?1", {1}), 1);
}

TEST_F(PostgresqlTest, TextWithANulIsRefused) {
  EXPECT_EQ(code_of([&] {
              database().exec("INSERT INTO items (text) VALUES (?1)",
                              {std::string_view("a\0b", 3)});
            }),
            "data.type");
  EXPECT_EQ(code_of([&] { database().exec("INSERT INTO items (text) VALUES (?1)", {"\xff"}); }),
            "data.type");
  EXPECT_EQ(items(), 0);
}

TEST_F(PostgresqlTest, AStatementIsCancelledFromHere) {
  const auto begin = base::monotonic_nanoseconds();
  EXPECT_EQ(code_of([&] { database().query("SELECT pg_sleep(30)", {}, milliseconds(100)); }),
            "data.timeout");
  auto transaction = database().begin(Mode::write, milliseconds(1'000));
  EXPECT_EQ(code_of([&] {
              transaction.exec("SET statement_timeout = 0");
              transaction.exec("SELECT pg_sleep(30)");
            }),
            "data.timeout");
  transaction.rollback();
  EXPECT_LT(base::monotonic_nanoseconds() - begin, 20'000'000'000);
  database().exec("INSERT INTO items (id) VALUES (1)");
  EXPECT_EQ(items(), 1);
  EXPECT_GE(database().statistics().timeouts, 2U);
}

TEST_F(PostgresqlTest, AResultHasABound) {
  EXPECT_EQ(code_of([&] {
              database().query("SELECT repeat('x', 1000000) FROM generate_series(1, 1000)", {},
                               milliseconds(60'000));
            }),
            "data.too_large");
  // Little more, which has arrived before anybody counts it.
  for (int i = 0; i < (base::test::is_full_run() ? 5 : 1); ++i) {
    EXPECT_EQ(code_of([&] {
                database().query("SELECT repeat('x', 65 * 1024 * 1024)", {}, milliseconds(60'000));
              }),
              "data.too_large");
  }
  auto rows = database().query("SELECT length(a) FROM repeat('x', 63 * 1024 * 1024) AS a", {},
                               milliseconds(60'000));
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 63 * 1024 * 1024);
}

// At most the limit arrives: the client cancels the statement on the server.
TEST_F(PostgresqlTest, CancelsATooLargeResultWhileStreaming) {
  database().exec("CREATE SEQUENCE sent");
  EXPECT_EQ(code_of([&] {
              auto transaction = database().begin(Mode::write, milliseconds(60'000));
              transaction.query(
                  "SELECT repeat('x', 1000000), nextval('sent') FROM generate_series(1, 2000)");
            }),
            "data.too_large");
  EXPECT_LT(number(database(), "SELECT last_value FROM sent"), 500) << "of a megabyte each";
}

TEST_F(PostgresqlTest, SerializesWritersOfTwoHosts) {
  Database other(options_);
  constexpr int each = 50;
  database().exec("INSERT INTO items (id, text) VALUES (1, '0')");
  const auto count_up = [](Database& host) {
    for (int i = 0; i < each; ++i) {
      host.write([](Transaction& transaction) {
        auto rows = transaction.query("SELECT CAST(text AS BIGINT) FROM items WHERE id = 1");
        rows.next();
        transaction.exec("UPDATE items SET text = ?1 WHERE id = 1",
                         {std::to_string(rows.integer(0) + 1)});
      });
    }
  };
  std::thread neighbour([&] { count_up(other); });
  count_up(database());
  neighbour.join();
  EXPECT_EQ(number(database(), "SELECT CAST(text AS BIGINT) FROM items WHERE id = 1"), 2 * each);
}

TEST_F(PostgresqlTest, ABrokenDeferredReferenceFailsItsMemberOnly) {
  database().exec(
      "CREATE TABLE links (item BIGINT REFERENCES items(id) DEFERRABLE INITIALLY DEFERRED)");
  Database fresh(options_);
  EXPECT_EQ(code_of([&] { fresh.exec("INSERT INTO links VALUES (7)"); }), "data.reference");
  fresh.write([](Transaction& transaction) {
    transaction.exec("INSERT INTO links VALUES (8)");
    transaction.exec("INSERT INTO items (id) VALUES (8)");
  });
  EXPECT_EQ(number(fresh, "SELECT count(*) FROM links"), 1);
}

TEST_F(PostgresqlTest, RoomsMigrateOnce) {
  const std::vector<EmbeddedMigration> first = {
      {1, "things", "CREATE TABLE things (id BIGINT PRIMARY KEY); CREATE INDEX i ON things (id)"}};
  migrate_room(database(), "room", first);
  migrate_room(database(), "room", first);
  const std::vector<EmbeddedMigration> failing = {first[0],
                                                  {2, "bad", "DROP TABLE things; SELECT nothing"}};
  EXPECT_EQ(code_of([&] { migrate_room(database(), "room", failing); }), "data.migration_failed");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM things"), 0);
  const std::vector<EmbeddedMigration> changed = {{1, "things", "CREATE TABLE others (id INT)"}};
  EXPECT_EQ(code_of([&] { migrate_room(database(), "room", changed); }), "data.migration_changed");
  EXPECT_EQ(code_of([&] { migrate_room(database(), "room", {}); }), "data.newer");
  std::vector<std::thread> hosts;
  std::atomic<int> done{0};
  for (int i = 0; i < 4; ++i) {
    hosts.emplace_back([&] {
      Database host(options_);
      const std::vector<EmbeddedMigration> one = {{1, "once", "CREATE TABLE once (id INT)"}};
      migrate_room(host, "other", one);
      ++done;
    });
  }
  for (auto& host : hosts)
    host.join();
  EXPECT_EQ(done, 4);
}

TEST(PostgresqlCrashTest, AServerThatIsKilledIsFoundAgain) {
  PostgresqlCluster cluster;
  DatabaseOptions options;
  options.confinement = Confinement::host();
  options.postgresql = cluster.fresh_schema();
  Database database(options);
  database.exec("CREATE TABLE items (id BIGINT PRIMARY KEY)");
  auto open = database.begin(Mode::write);
  open.exec("INSERT INTO items VALUES (1)");
  cluster.kill();
  EXPECT_EQ(code_of([&] { open.exec("INSERT INTO items VALUES (2)"); }), "data.connection_lost");
  EXPECT_NE(code_of([&] { open.commit(); }), "none");
  EXPECT_EQ(code_of([&] { database.exec("INSERT INTO items VALUES (3)"); }),
            "data.connection_lost");
  EXPECT_EQ(code_of([&] { database.query("SELECT 1"); }), "data.connection_lost");
  cluster.start();
  std::string code;
  for (int i = 0; i < 400 && code != "none"; ++i) {
    code = code_of([&] { database.exec("INSERT INTO items VALUES (4)"); });
    std::this_thread::sleep_for(milliseconds(25));
  }
  EXPECT_EQ(code, "none");
  EXPECT_EQ(number(database, "SELECT count(*) FROM items"), 1);
}

/// The host's server, and two plugins of it.
class PostgresqlRolesTest : public testing::Test {
 protected:
  void SetUp() override {
    postgresql::Server server(PostgresqlCluster::shared().url());
    host_ = server.host_schema();
    notes_ = server.plugin_schema("notes");
    other_ = server.plugin_schema("other-one");
    for (const auto* plugin : {&notes_, &other_}) {
      PostgresqlCluster::run(PostgresqlCluster::shared().url(),
                             "CREATE TABLE IF NOT EXISTS \"" + plugin->schema +
                                 "\".items (id BIGINT PRIMARY KEY, text TEXT)");
    }
  }
  static Database open(const PostgresqlSchema& location, bool is_trusted) {
    DatabaseOptions options;
    options.postgresql = location;
    if (is_trusted) options.confinement = Confinement::host();
    return Database(options);
  }
  PostgresqlSchema host_;
  PostgresqlSchema notes_;
  PostgresqlSchema other_;
};

// The server's statements with names keep one plan. Which is best for a search depends on its
// words.
TEST_F(PostgresqlRolesTest, PlansEachSearchWithItsWords) {
  Database host(open(host_, true));
  // One transaction has one connection.
  Transaction transaction = host.begin(Mode::write);
  transaction.exec(
      "CREATE FUNCTION pg_temp.tenon_search_query(asked text) RETURNS text LANGUAGE sql IMMUTABLE "
      "AS 'SELECT asked'");
  for (const char* word : {"tern", "gull", "tern"}) {
    auto rows = transaction.query("SELECT 'tern' = pg_temp.tenon_search_query(?1)", {word});
    ASSERT_TRUE(rows.next());
    EXPECT_EQ(rows.integer(0) == 1, word == std::string_view("tern"));
  }
  const auto prepared = [&](const char* pattern) {
    auto rows = transaction.query(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE ?1", {pattern});
    return rows.next() ? rows.integer(0) : -1;
  };
  EXPECT_EQ(prepared("%pg_temp.tenon%"), 0);
  EXPECT_EQ(prepared("%FROM pg_prepared%"), 1);
}

TEST_F(PostgresqlRolesTest, APluginHasItsOwnRows) {
  Database notes(open(notes_, false));
  notes.exec("DELETE FROM items");
  notes.exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {1, "mine"});
  EXPECT_EQ(number(notes, "SELECT count(*) FROM items"), 1);
  EXPECT_EQ(postgresql::Server(PostgresqlCluster::shared().url()).plugin_schema("notes").password,
            notes_.password);
  EXPECT_EQ(code_of([&] {
              postgresql::Server(PostgresqlCluster::shared().url()).plugin_schema("x\"; DROP");
            }),
            "data.plugin_invalid");
}

TEST_F(PostgresqlRolesTest, AWrongPasswordIsNone) {
  PostgresqlSchema wrong = notes_;
  wrong.password = "guessed";
  EXPECT_EQ(code_of([&] { Database database(open(wrong, false)); }), "data.connection_lost");
}

// The host's own gate is off: what is left is what PostgreSQL's rights deny.
TEST_F(PostgresqlRolesTest, TheRoleItselfHasNoRightsElsewhere) {
  const Database host(open(host_, true));
  Database notes(open(notes_, true));
  const std::string other = "\"" + other_.schema + "\"";
  for (const std::string& sql : std::vector<std::string>{
           "SELECT * FROM " + other + ".items",
           "INSERT INTO " + other + ".items VALUES (1)",
           "SELECT * FROM tenon.tenon_roles",
           "CREATE TABLE mine (a INT)",
           "CREATE TABLE public.mine (a INT)",
           "CREATE TEMPORARY TABLE mine (a INT)",
           "CREATE SCHEMA mine",
           "DROP TABLE items",
           "ALTER TABLE items ADD COLUMN a INT",
           "TRUNCATE items",
           "COPY items FROM PROGRAM 'id'",
           "COPY items TO '/tmp/stolen'",
           "CREATE FUNCTION f() RETURNS INT LANGUAGE c AS 'a', 'b'",
           "CREATE FUNCTION f() RETURNS INT LANGUAGE sql AS 'SELECT 1'",
           "CREATE EXTENSION dblink",
           "SET ROLE tenon",
           "SET SESSION AUTHORIZATION tenon",
           "CREATE ROLE mine",
           "ALTER ROLE \"" + notes_.user + "\" SUPERUSER",
           "ALTER ROLE \"" + other_.user + "\" PASSWORD 'x'",
           "SELECT pg_read_file('/etc/passwd')",
           "SELECT * FROM pg_catalog.pg_authid",
           "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tenon'"})
    EXPECT_NE(code_of([&] { notes.exec(sql); }), "none") << sql;
  // There is nothing to walk out to.
  EXPECT_EQ(code_of([&] {
              auto transaction = notes.begin(Mode::write);
              transaction.exec("RESET ROLE");
              transaction.exec("RESET SESSION AUTHORIZATION");
              transaction.query("SELECT * FROM tenon.tenon_roles");
            }),
            "data.denied");
}

TEST_F(PostgresqlRolesTest, PluginSqlCannotListenOrRaiseLimits) {
  Database notes(open(notes_, false));
  for (const char* sql :
       {"LISTEN spy", "SET statement_timeout = 0", "SELECT set_config('work_mem', '1GB', false)",
        "RESET ROLE", "BEGIN", "COPY items TO STDOUT", "SELECT pg_advisory_lock(1)"})
    EXPECT_EQ(code_of([&] { notes.exec(sql); }), "data.denied") << sql;
  EXPECT_EQ(code_of([&] { notes.query("SELECT pg_sleep(9)"); }), "data.denied");
  auto cursor = notes.open_cursor("SELECT 1");
  EXPECT_EQ(cursor.next().rows, 1U);
  EXPECT_EQ(code_of([&] { notes.open_cursor("LISTEN spy"); }), "data.denied");
}

}  // namespace
}  // namespace tenon::data::test
