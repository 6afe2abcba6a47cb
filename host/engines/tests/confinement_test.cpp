#include <chrono>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

class ConfinementTest : public testing::Test {
 protected:
  void SetUp() override { prepare(plugin_file(folder_.file("plugin.db"))); }

  void prepare(const DatabaseOptions& options) {
    database_.reset();
    database_ = std::make_unique<Database>(options);
    Declaration declaration;
    declaration.plugin = "sample";
    declaration.version = "1.0.0";
    declaration.tables = schema::parse_tables(
        R"({"tables":[{"name":"items","fields":[{"name":"text","type":"text"},{"name":"data","type":"json"}]}]})");
    Migration search;
    search.number = 1;
    search.name = "0001_search.sql";
    search.sql =
        "CREATE VIRTUAL TABLE items_search USING fts5 (text, content='items', "
        "content_rowid='rowid');\n"
        "CREATE TRIGGER items_added AFTER INSERT ON items BEGIN\n"
        "  INSERT INTO items_search (rowid, text) VALUES (new.rowid, new.text);\n"
        "END;\n"
        "CREATE TRIGGER items_removed AFTER DELETE ON items BEGIN\n"
        "  INSERT INTO items_search (items_search, rowid, text) VALUES ('delete', old.rowid, "
        "old.text);\n"
        "END;";
    declaration.migrations = {search};
    apply(*database_, declaration);
    declaration_ = declaration;
  }
  Database& database() { return *database_; }
  std::string exec(std::string_view sql, Cells cells = {}) {
    return code_of([&] { database().exec(sql, cells); });
  }
  std::string read(std::string_view sql) {
    return code_of([&] {
      auto rows = database().query(sql);
      while (rows.next()) {
      }
    });
  }
  void add(std::string_view text) {
    database().exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {base::new_id(), text});
  }

  Folder folder_;
  std::unique_ptr<Database> database_;
  Declaration declaration_;
};

TEST_F(ConfinementTest, OrdinaryWorkIsAllowed) {
  EXPECT_EQ(
      exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {base::new_id(), "the quick brown fox"}),
      "none")
      << last_detail();
  EXPECT_EQ(exec("UPDATE items SET data = json_object('a', 1)"), "none");
  EXPECT_EQ(number(database(), "SELECT json_extract(data, '$.a') FROM items"), 1);
  EXPECT_EQ(
      number(database(), "SELECT count(*) FROM items_search WHERE items_search MATCH 'quick'"), 1);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items_search('quick')"), 1);
  EXPECT_EQ(read("SELECT highlight(items_search, 0, '<', '>'), bm25(items_search) FROM "
                 "items_search('brown')"),
            "none")
      << last_detail();
  auto rows = database().query(
      "SELECT highlight(items_search, 0, '<', '>'), bm25(items_search) FROM items_search('brown')");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "the quick <brown> fox");
  while (rows.next()) {
  }
  EXPECT_EQ(exec("INSERT INTO items_search (items_search) VALUES ('optimize')"), "none");
  EXPECT_EQ(exec("DELETE FROM items"), "none");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items_search('quick')"), 0);
  EXPECT_EQ(read("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) "
                 "SELECT i FROM n"),
            "none");
  EXPECT_EQ(read("SELECT value FROM json_each('[1,2]')"), "none");
  EXPECT_EQ(read("SELECT name FROM sqlite_schema"), "none");
}

TEST_F(ConfinementTest, LetsTheHostWriteItsOwnTables) {
  const std::string write = "INSERT INTO tenon_kept (word) VALUES (?1)";
  database().write([&](Transaction& transaction) {
    transaction.exec_as_host("CREATE TABLE IF NOT EXISTS tenon_kept (word TEXT)");
    transaction.exec_as_host(write, {"a"});
    EXPECT_EQ(code_of([&] { transaction.exec(write, {"b"}); }), "data.denied");
    transaction.exec_as_host(write, {"c"});
  });
  EXPECT_EQ(exec(write, {"d"}), "data.denied") << "the same text, prepared before for the host";
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_kept"), 2);
  EXPECT_EQ(code_of([&] {
              database().write([&](Transaction& transaction) {
                transaction.exec_as_host(write, {"e"});
                throw base::Error(409, "test.undone", "Undone.");
              });
            }),
            "test.undone");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM tenon_kept"), 2);
}

TEST_F(ConfinementTest, OtherFilesAreOutOfReach) {
  const auto other = folder_.file("other.db");
  EXPECT_EQ(exec("ATTACH '" + other + "' AS other"), "data.denied") << last_detail();
  EXPECT_EQ(read("ATTACH '" + other + "' AS other"), "data.denied") << last_detail();
  EXPECT_EQ(exec("DETACH main"), "data.denied") << last_detail();
  EXPECT_NE(exec("VACUUM INTO '" + other + "'"), "none");
  EXPECT_NE(read("VACUUM INTO '" + other + "'"), "none");
  EXPECT_NE(read("VACUUM"), "none");
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(read("SELECT load_extension('x')"), "data.denied") << last_detail();
  EXPECT_EQ(read("SELECT fts3_tokenizer('simple')"), "data.denied") << last_detail();
  EXPECT_NE(read("SELECT readfile('/etc/passwd')"), "none");
  EXPECT_NE(exec("CREATE VIRTUAL TABLE temp.files USING fsdir"), "none");
}

TEST_F(ConfinementTest, PragmasAreDenied) {
  for (const char* pragma :
       {"journal_mode = DELETE", "synchronous = OFF", "writable_schema = ON", "foreign_keys = OFF",
        "table_info(items)", "database_list", "wal_checkpoint", "user_version",
        "max_page_count = 1", "data_version = 1", "trusted_schema = ON",
        "defer_foreign_keys = ON"}) {
    EXPECT_EQ(exec(std::string("PRAGMA ") + pragma), "data.denied") << pragma;
    EXPECT_EQ(read(std::string("PRAGMA ") + pragma), "data.denied") << pragma;
  }
  for (const char* table :
       {"pragma_database_list", "pragma_table_info('items')", "pragma_journal_mode",
        "pragma_writable_schema(1)", "pragma_compile_options"}) {
    EXPECT_EQ(read(std::string("SELECT * FROM ") + table), "data.denied")
        << table << ": " << last_detail();
  }
}

TEST_F(ConfinementTest, TransactionsAreTheHosts) {
  for (const char* sql : {"BEGIN", "COMMIT", "ROLLBACK", "END", "SAVEPOINT a", "RELEASE member",
                          "ROLLBACK TO member"}) {
    auto transaction = database().begin(Mode::write);
    transaction.exec("INSERT INTO items (id) VALUES (?1)", {base::new_id()});
    EXPECT_EQ(code_of([&] { transaction.exec(sql); }), "data.denied") << sql;
    transaction.rollback();
  }
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items"), 0);
}

TEST_F(ConfinementTest, TheSchemaIsTheHosts) {
  for (const char* sql :
       {"CREATE TABLE more (x)", "CREATE TEMP TABLE more (x)", "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE TEMP TRIGGER t AFTER INSERT ON items BEGIN SELECT 1; END", "DROP TABLE items",
        "ALTER TABLE items ADD COLUMN x", "CREATE INDEX i ON items (text)",
        "DROP TRIGGER items_added", "CREATE VIEW v AS SELECT 1", "REINDEX", "ANALYZE",
        "CREATE VIRTUAL TABLE v USING fts5 (x)", "DELETE FROM sqlite_schema",
        "UPDATE sqlite_schema SET sql = ''",
        "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'x')"}) {
    EXPECT_NE(exec(sql), "none") << sql;
  }
  EXPECT_NE(exec("DELETE FROM items_search_data"), "none") << "shadow tables of FTS5";
  EXPECT_NE(read("SELECT * FROM dbstat"), "none");
  EXPECT_NE(read("SELECT * FROM sqlite_stmt"), "none");
  EXPECT_NE(exec("UPDATE sqlite_dbpage SET data = zeroblob(4096)"), "none");
  EXPECT_TRUE(database().quick_check().empty());
}

TEST_F(ConfinementTest, WhatTheHostRecordsCannotBeWritten) {
  for (const char* sql :
       {"UPDATE tenon_meta SET value = '9.9.9'", "DELETE FROM tenon_meta",
        "DELETE FROM tenon_migrations", "INSERT INTO tenon_meta VALUES ('a', 'b')",
        "UPDATE TENON_META SET value = ''",
        "INSERT OR REPLACE INTO tenon_migrations VALUES ('sample', 2, 'x', 'x', 'x')"}) {
    EXPECT_EQ(exec(sql), "data.denied") << sql;
  }
  EXPECT_EQ(applied_version(database()), "1.0.0");
}

TEST_F(ConfinementTest, MigrationsAreConfinedToo) {
  const std::string other = folder_.file("other.db");
  for (const std::string& sql :
       {std::string("UPDATE tenon_meta SET value = '9.9.9';"),
        std::string("DROP TABLE tenon_migrations;"),
        std::string("ALTER TABLE tenon_meta RENAME TO mine;"),
        std::string("CREATE TABLE tenon_more (x);"),
        std::string("CREATE TRIGGER t AFTER UPDATE ON tenon_meta BEGIN SELECT 1; END;"),
        std::string("CREATE INDEX tenon_ix_mine ON items (text);"),
        std::string("PRAGMA foreign_keys = ON;"), std::string("PRAGMA writable_schema = ON;"),
        "ATTACH '" + other + "' AS other;", std::string("COMMIT;"), std::string("BEGIN;"),
        std::string("CREATE TEMP TABLE t (x);"),
        std::string("CREATE VIRTUAL TABLE r USING rtree (a, b, c);"),
        std::string("SELECT load_extension('x');"),
        std::string("INSERT OR ROLLBACK INTO items (id) VALUES (NULL);"),
        // A trigger runs with the access of the one who fires it.
        std::string(
            "CREATE TRIGGER t AFTER INSERT ON items BEGIN UPDATE tenon_meta SET value = '9'; END;"
            "INSERT INTO items (id) VALUES ('000000000000000000000000000000000000');")}) {
    Declaration declaration = declaration_;
    declaration.version = "1.1.0";
    Migration evil;
    evil.number = 2;
    evil.name = "0002_evil.sql";
    evil.sql = sql;
    declaration.migrations.push_back(evil);
    EXPECT_EQ(code_of([&] { apply(database(), declaration); }), "data.migration_failed") << sql;
    EXPECT_EQ(applied_version(database()), "1.0.0") << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(ConfinementTest, ConfinesCodeStoredInTheSchema) {
  Declaration declaration = declaration_;
  declaration.version = "1.1.0";
  Migration schema;
  schema.number = 2;
  schema.name = "0002_sly.sql";
  schema.sql =
      "CREATE VIEW files AS SELECT * FROM pragma_database_list;\n"
      "CREATE VIEW pages AS SELECT * FROM dbstat;\n"
      "CREATE TABLE fuse (x);\n"
      "CREATE TRIGGER loads AFTER INSERT ON fuse WHEN new.x = 'load' BEGIN SELECT "
      "load_extension('x'); END;\n"
      "CREATE TABLE bomb (x);\n"
      "CREATE TRIGGER writes AFTER INSERT ON bomb BEGIN UPDATE tenon_meta SET value = '9.9.9'; "
      "END;";
  declaration.migrations.push_back(schema);
  ASSERT_EQ(code_of([&] { apply(database(), declaration); }), "none") << last_detail();
  EXPECT_EQ(read("SELECT * FROM files"), "data.denied") << last_detail();
  EXPECT_EQ(read("SELECT * FROM pages"), "data.denied") << last_detail();
  EXPECT_EQ(exec("INSERT INTO fuse VALUES ('load')"), "data.denied") << last_detail();
  EXPECT_EQ(exec("INSERT INTO bomb VALUES (1)"), "data.denied") << last_detail();
  EXPECT_EQ(applied_version(database()), "1.1.0");
}

TEST_F(ConfinementTest, StatementsAreLimited) {
  const std::string huge(17 * 1024 * 1024, 'x');
  EXPECT_EQ(exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {base::new_id(), huge}),
            "data.too_large")
      << last_detail();
  EXPECT_EQ(read("SELECT zeroblob(100000000)"), "data.too_large") << last_detail();
  EXPECT_EQ(read("SELECT length(replace(hex(zeroblob(8000000)), '0', 'xxxx'))"), "data.too_large")
      << last_detail();
  EXPECT_EQ(read("SELECT printf('%.*c', 1000000000, 'x')"), "data.too_large") << last_detail();
  EXPECT_EQ(read("SELECT 'a' LIKE '" + std::string(201, '_') + "'"), "data.sql");
  EXPECT_EQ(read("SELECT '" + std::string(300 * 1024, 'x') + "'"), "data.too_large")
      << last_detail();
  std::string deep = "1";
  for (int i = 0; i < 200; ++i)
    deep = "(" + deep + "+1)";
  EXPECT_EQ(read("SELECT " + deep), "data.sql");
  std::string wide = "1";
  for (int i = 0; i < 300; ++i)
    wide += ",1";
  EXPECT_EQ(read("SELECT " + wide), "data.sql");
  std::string compound = "SELECT 1";
  for (int i = 0; i < 100; ++i)
    compound += " UNION ALL SELECT 1";
  EXPECT_EQ(read(compound), "data.sql");
  EXPECT_EQ(read("SELECT ?99999"), "data.sql");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items"), 0);
}

TEST_F(ConfinementTest, RunawayStatementsAreCancelled) {
  const char* forever =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  EXPECT_EQ(code_of([&] { database().query(forever, {}, std::chrono::milliseconds(50)).next(); }),
            "data.timeout");
  EXPECT_EQ(
      code_of([&] {
        auto transaction = database().begin(Mode::write, std::chrono::milliseconds(1'000));
        transaction.exec(std::string("INSERT INTO items (id, text) SELECT 'x', (") + forever + ")");
      }),
      "data.timeout");
  EXPECT_EQ(database().statistics().timeouts, 2U);
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items"), 0) << "the database continues";
  add("after");
  EXPECT_EQ(number(database(), "SELECT count(*) FROM items"), 1);
}

TEST_F(ConfinementTest, TheFileIsBoundedAndHeals) {
  auto options = plugin_file(folder_.file("small.db"));
  options.confinement.limits.file_bytes = 512 * 1024;
  prepare(options);
  const std::string text(10'000, 'x');
  std::string code;
  for (int i = 0; i < 200 && (code.empty() || code == "none"); ++i) {
    code = exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {base::new_id(), text});
  }
  EXPECT_EQ(code, "data.disk_full");
  EXPECT_GE(database().statistics().disk_full, 1U);
  EXPECT_EQ(exec("DELETE FROM items WHERE rowid > 3"), "none");
  EXPECT_EQ(exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {base::new_id(), text}), "none");
  EXPECT_LE(database().file_facts().bytes, 512U * 1024);
}

TEST_F(ConfinementTest, TheHostIsFreerButAttachesNothing) {
  Database host(host_file(folder_.file("host.db")));
  host.exec("CREATE TABLE t (x)");
  EXPECT_EQ(number(host, "SELECT count(*) FROM pragma_table_info('t')"), 1);
  EXPECT_EQ(code_of([&] { host.exec("ATTACH 'x' AS x"); }), "data.denied") << last_detail();
  EXPECT_EQ(code_of([&] { host.exec("COMMIT"); }), "data.denied") << last_detail();
  EXPECT_EQ(code_of([&] { host.query("SELECT load_extension('x')").next(); }), "data.denied")
      << last_detail();
}

}  // namespace
}  // namespace tenon::data::test
