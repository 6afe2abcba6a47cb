#include <optional>
#include <string>

#include <sys/stat.h>

#include "engines/tests/support.hpp"

namespace tenon::data::test {
namespace {

using DatabaseTest = BothEnginesTest;

/// Tests behaviour of SQLite alone.
class SqliteDatabaseTest : public DatabaseTest {};

TEST_P(DatabaseTest, ValuesComeBackAsTheyWent) {
  const std::string with_zero("a\0b", 3);
  auto rows = database().query("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7",
                               {nullptr, INT64_MIN, 2.5, "käse", Cell::blob(with_zero), "", true});
  ASSERT_TRUE(rows.next());
  EXPECT_TRUE(rows.is_null(0));
  EXPECT_EQ(rows.integer(1), INT64_MIN);
  EXPECT_EQ(rows.number(2), 2.5);
  EXPECT_EQ(rows.text(3), "käse");
  EXPECT_EQ(rows.blob(4), with_zero);
  EXPECT_EQ(rows.kind(5), CellKind::text);
  EXPECT_EQ(rows.text(5), "");
  EXPECT_TRUE(rows.boolean(6));
  EXPECT_EQ(rows.cell(4).kind(), CellKind::blob);
  EXPECT_EQ(rows.optional_text(0), std::nullopt);
  EXPECT_EQ(rows.optional_text(3), "käse");
  EXPECT_FALSE(rows.next());
  EXPECT_FALSE(rows.next());
}

TEST_P(SqliteDatabaseTest, TheFileIsPrivateAndKeepsALog) {
  struct stat facts {};
  ASSERT_EQ(::stat(database().path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_GT(database().file_facts().wal_bytes, 0U);
  EXPECT_GT(database().file_facts().bytes, 0U);
  EXPECT_GT(database().file_facts().free_bytes, 0U);
  auto rows = database().query("SELECT * FROM pragma_journal_mode");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "wal");
  EXPECT_EQ(number(database(), "SELECT * FROM pragma_synchronous"), 2);
  EXPECT_EQ(number(database(), "SELECT * FROM pragma_foreign_keys"), 1);
}

TEST_P(DatabaseTest, WhatIsCommittedIsThereAfterReopening) {
  auto transaction = database().begin(Mode::write);
  transaction.exec("INSERT INTO items (text) VALUES (?1)", {"kept"});
  transaction.commit();
  {
    auto undone = database().begin(Mode::write);
    undone.exec("INSERT INTO items (text) VALUES (?1)", {"undone"});
  }
  database_.reset();
  open();
  EXPECT_EQ(items(), 1);
}

TEST_P(SqliteDatabaseTest, ExecReportsItsChanges) {
  auto result = database().exec("INSERT INTO items (id, text) VALUES (7, 'a'), (8, 'b')");
  EXPECT_EQ(result.changes, 2);
  EXPECT_EQ(result.last_row_id, 8);
  EXPECT_EQ(database().exec("UPDATE items SET text = 'c' WHERE id = 99").changes, 0);
  EXPECT_EQ(database().exec("CREATE TABLE other (x)").changes, 0);
}

TEST_P(SqliteDatabaseTest, WriteReturnsWhatTheWorkReturns) {
  const auto id = database().write([](Transaction& transaction) {
    return transaction.exec("INSERT INTO items (text) VALUES ('x')").last_row_id;
  });
  EXPECT_EQ(id, 1);
  EXPECT_THROW(database().write([](Transaction& transaction) {
    transaction.exec("INSERT INTO items (text) VALUES ('y')");
    throw std::runtime_error("the caller's own");
  }),
               std::runtime_error);
  EXPECT_EQ(items(), 1);
  EXPECT_EQ(
      code_of([&] { database().write([](Transaction& transaction) { transaction.commit(); }); }),
      "data.transaction_over");
}

TEST_P(DatabaseTest, ReadersSeeOnlyWhatIsCommitted) {
  auto writer = database().begin(Mode::write);
  writer.exec("INSERT INTO items (text) VALUES ('x')");
  EXPECT_EQ(items(), 0);
  auto inside = writer.query("SELECT count(*) FROM items");
  ASSERT_TRUE(inside.next());
  EXPECT_EQ(inside.integer(0), 1);
  EXPECT_FALSE(inside.next());

  auto reader = database().begin(Mode::read);
  const auto count = [&] {
    auto rows = reader.query("SELECT count(*) FROM items");
    rows.next();
    return rows.integer(0);
  };
  EXPECT_EQ(count(), 0);
  writer.commit();
  EXPECT_EQ(count(), 0) << "a snapshot does not move";
  reader.rollback();
  EXPECT_EQ(items(), 1);
}

TEST_P(DatabaseTest, AReaderCannotWrite) {
  EXPECT_EQ(code_of([&] {
              database().query("INSERT INTO items (text) VALUES ('x') RETURNING id").next();
            }),
            "data.read_only");
  auto reader = database().begin(Mode::read);
  EXPECT_EQ(code_of([&] { reader.exec("DELETE FROM items"); }), "data.read_only");
  reader.commit();
  EXPECT_FALSE(reader.is_open());
}

TEST_P(DatabaseTest, AStatementIsExactlyOne) {
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM items; DROP TABLE items"); }), "data.sql");
  EXPECT_EQ(code_of([&] { database().exec("  -- nothing"); }), "data.sql");
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM items; -- done"); }), "none");
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM items WHERE id = ?1"); }), "data.sql");
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM items", {1}); }), "data.sql");
  EXPECT_EQ(items(), 0);
}

TEST_P(DatabaseTest, TheSameStatementMayRunInsideItself) {
  database().exec("INSERT INTO items (id) VALUES (1), (2), (3)");
  auto transaction = database().begin(Mode::read);
  int pairs = 0;
  auto outer = transaction.query("SELECT id FROM items");
  while (outer.next()) {
    auto inner = transaction.query("SELECT id FROM items");
    while (inner.next())
      ++pairs;
  }
  EXPECT_EQ(pairs, 9);
}

TEST_P(DatabaseTest, ManyStatementsPassThroughTheCache) {
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(number(database(), "SELECT " + std::to_string(i)), i);
    }
  }
}

TEST_P(SqliteDatabaseTest, CommitWaitsForNoRows) {
  database().exec("INSERT INTO items (id) VALUES (1), (2)");
  auto transaction = database().begin(Mode::write);
  transaction.exec("INSERT INTO items (id) VALUES (3)");
  std::optional<Rows> rows = transaction.query("SELECT id FROM items");
  ASSERT_TRUE(rows->next());
  EXPECT_EQ(code_of([&] { transaction.commit(); }), "data.rows_open");
  rows.reset();
  transaction.commit();
  EXPECT_EQ(items(), 3);
}

TEST_P(SqliteDatabaseTest, RowsMayOutliveTheirTransaction) {
  database().exec("INSERT INTO items (id) VALUES (1), (2)");
  std::optional<Rows> rows;
  {
    auto transaction = database().begin(Mode::write);
    transaction.exec("INSERT INTO items (id) VALUES (3)");
    rows = transaction.query("SELECT id FROM items");
    ASSERT_TRUE(rows->next());
  }
  EXPECT_EQ(rows->integer(0), 1);
  EXPECT_EQ(code_of([&] { rows->next(); }), "data.transaction_over");
  rows.reset();
  EXPECT_EQ(items(), 2);
  EXPECT_EQ(database().statistics().open, 0U);
}

TEST_P(DatabaseTest, ErrorsNameTheirFields) {
  database().exec(
      "CREATE TABLE rules (name TEXT NOT NULL UNIQUE, size INTEGER CONSTRAINT size CHECK (size < "
      "10),"
      " item INTEGER REFERENCES items (id))" +
      strict());
  database().exec("INSERT INTO rules (name) VALUES ('taken')");
  // Of both engines, for the log.
  const auto check = [&](std::string_view sql, const char* code, int status, const char* field,
                         const char* words = "") {
    try {
      database().exec(sql);
      ADD_FAILURE() << sql;
    } catch (const SqlError& error) {
      EXPECT_EQ(error.code(), code) << sql;
      EXPECT_EQ(error.status(), status) << sql;
      EXPECT_NE(error.detail(), "");
      EXPECT_TRUE(error.detail().ends_with(words)) << error.detail();
      EXPECT_EQ(error.message().find("rules"), std::string::npos)
          << "the public message shows SQL: " << error.message();
      if (field) {
        ASSERT_EQ(error.fields().size(), 1U) << sql;
        EXPECT_EQ(error.fields().front().field, field) << sql;
      }
    }
  };
  check("INSERT INTO rules (name) VALUES ('taken')", "data.unique", 409, "name",
        "UNIQUE constraint failed: rules.name");
  check("INSERT INTO rules (name) VALUES (NULL)", "data.required", 422, "name",
        "NOT NULL constraint failed: rules.name");
  check("INSERT INTO rules (name, size) VALUES ('a', 11)", "data.check", 422, "size",
        "CHECK constraint failed: size");
  check("INSERT INTO rules (name, size) VALUES ('a', 'x')", "data.type", 422,
        is_sqlite() ? "size" : nullptr);
  check("INSERT INTO rules (name, item) VALUES ('a', 99)", "data.reference", 409, nullptr);
  check("SELECT nothing FROM nowhere", "data.sql", 500, nullptr);
}

TEST_P(DatabaseTest, ACursorGivesBatchesWithinItsBounds) {
  database().write([](Transaction& transaction) {
    for (int i = 0; i < 1000; ++i) {
      transaction.exec("INSERT INTO items (id, text) VALUES (?1, ?2)", {i, std::string(100, 'x')});
    }
  });
  auto cursor =
      database().open_cursor("SELECT id, text FROM items ORDER BY id", {}, {300, 1024 * 1024});
  ASSERT_EQ(cursor.names().size(), 2U);
  EXPECT_EQ(cursor.names()[1], "text");
  std::vector<std::size_t> sizes;
  std::int64_t next = 0;
  for (bool more = true; more;) {
    const Batch& batch = cursor.next();
    sizes.push_back(batch.rows);
    more = batch.more;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      EXPECT_EQ(batch.cells[row * batch.columns].integer(), next++);
      EXPECT_EQ(batch.cells[row * batch.columns + 1].text(), std::string(100, 'x'));
    }
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{300, 300, 300, 100}));
  EXPECT_EQ(database().statistics().open, 0U)
      << "the end of the rows ends the cursor's own transaction";
  EXPECT_EQ(cursor.next().rows, 0U);

  auto by_bytes = database().open_cursor("SELECT text FROM items", {}, {1000, 4096});
  const std::size_t rows = by_bytes.next().rows;
  EXPECT_GT(rows, 10U);
  EXPECT_LT(rows, 40U);
  auto at_least_one = database().open_cursor("SELECT text FROM items", {}, {1000, 1});
  EXPECT_EQ(at_least_one.next().rows, 1U);
  EXPECT_TRUE(at_least_one.next().more);
}

TEST_P(DatabaseTest, AnEmptyCursorEndsAtOnce) {
  auto cursor = database().open_cursor("SELECT id FROM items");
  const Batch& batch = cursor.next();
  EXPECT_EQ(batch.rows, 0U);
  EXPECT_EQ(batch.columns, 1U);
  EXPECT_FALSE(batch.more);
}

TEST_P(DatabaseTest, CursorsEndWithTheirTransaction) {
  database().exec("INSERT INTO items (id) VALUES (1), (2), (3)");
  auto transaction = database().begin(Mode::write);
  auto cursor = transaction.open_cursor("SELECT id FROM items", {}, {1, 1000});
  auto closed = transaction.open_cursor("SELECT id FROM items", {}, {1, 1000});
  const Batch& batch = cursor.next();
  closed.close();
  transaction.commit();
  EXPECT_EQ(batch.cells[0].integer(), 1) << "the last batch stays readable";
  EXPECT_EQ(code_of([&] { cursor.next(); }), "data.transaction_over");
  EXPECT_EQ(closed.next().rows, 0U);
}

TEST_P(DatabaseTest, ReadersAreBounded) {
  options_.readers = 2;
  options_.waits.queue = std::chrono::milliseconds(30);
  database_.reset();
  open();
  auto first = database().begin(Mode::read);
  auto second = database().begin(Mode::read);
  EXPECT_EQ(code_of([&] { database().begin(Mode::read); }), "data.busy");
  second.rollback();
  EXPECT_EQ(items(), 0);
  EXPECT_EQ(database().statistics().readers, 2U);
  EXPECT_EQ(database().statistics().busy, 1U);
}

TEST_P(DatabaseTest, AWaitingReaderGetsAFreedConnection) {
  options_.readers = 1;
  database_.reset();
  open();
  auto first = std::make_optional(database().begin(Mode::read));
  std::thread other([&] { EXPECT_EQ(items(), 0); });
  first.reset();
  other.join();
}

TEST_P(DatabaseTest, ClosingEndsEverything) {
  auto reader = database().begin(Mode::read);
  auto writer = database().begin(Mode::write);
  writer.exec("INSERT INTO items (id) VALUES (1)");
  auto cursor = reader.open_cursor("SELECT 1");
  std::thread waiting(
      [&] { EXPECT_EQ(code_of([&] { database().begin(Mode::write); }), "data.closed"); });
  while (database().statistics().waiting == 0)
    std::this_thread::yield();
  database().close();
  waiting.join();
  EXPECT_EQ(code_of([&] { reader.query("SELECT 1"); }), "data.closed");
  EXPECT_EQ(code_of([&] { cursor.next(); }), "data.closed");
  EXPECT_EQ(code_of([&] { writer.commit(); }), "data.closed");
  EXPECT_EQ(code_of([&] { database().begin(Mode::write); }), "data.closed");
  EXPECT_EQ(code_of([&] { database().query("SELECT 1"); }), "data.closed");
  EXPECT_EQ(code_of([&] { database().exec("DELETE FROM items"); }), "data.closed");
  database().close();
  database_.reset();
  EXPECT_FALSE(writer.is_open());
  open();
  EXPECT_EQ(items(), 0);
}

TEST_P(DatabaseTest, RowsMayOutliveTheDatabase) {
  database().exec("INSERT INTO items (id) VALUES (1), (2)");
  auto rows = database().query("SELECT id FROM items");
  ASSERT_TRUE(rows.next());
  database_.reset();
  EXPECT_TRUE(rows.next());
  EXPECT_EQ(rows.integer(0), 2);
  EXPECT_FALSE(rows.next());
}

TEST_P(DatabaseTest, ASoundFileHasNoFindings) {
  database().exec("INSERT INTO items (id) VALUES (1)");
  EXPECT_TRUE(database().quick_check().empty());
}

TEST_P(DatabaseTest, StatisticsCount) {
  database().exec("INSERT INTO items (id) VALUES (1)");
  EXPECT_EQ(items(), 1);
  const auto statistics = database().statistics();
  EXPECT_EQ(statistics.writes, 2U);
  EXPECT_EQ(statistics.groups, 2U);
  EXPECT_EQ(statistics.max_group_size, 1U);
  EXPECT_EQ(statistics.reads, 1U);
  EXPECT_EQ(statistics.statements, 3U);
  EXPECT_GT(statistics.statement_time.nanoseconds, 0U);
}

TEST(OpeningTest, RefusesWhatIsNoDatabase) {
  const Folder folder;
  const auto path = folder.file("text.db");
  std::FILE* file = std::fopen(path.c_str(), "w");
  for (int i = 0; i < 1000; ++i)
    std::fputs("this is not a database\n", file);
  std::fclose(file);
  EXPECT_EQ(code_of([&] { const Database database(host_file(path)); }), "data.corrupt");
  EXPECT_EQ(code_of([&] { const Database database(host_file(folder.file("no/such/folder.db"))); }),
            "data.open");
}

TENON_ON_BOTH_ENGINES(DatabaseTest);
TENON_ON_SQLITE(SqliteDatabaseTest);

}  // namespace
}  // namespace tenon::data::test
