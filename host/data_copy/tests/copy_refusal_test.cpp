#include <string>
#include <tuple>

#include "base/error.hpp"
#include "data_copy/tests/copy_case.hpp"

namespace tenon::data::test {
namespace {

class CopyingRefusalTest : public CopyingCase {};

TEST_P(CopyingRefusalTest, TablesThatDifferAreRefused) {
  fill();
  from_.run("CREATE TABLE strays (a TEXT)");
  make_target();
  copy();
  from_.run("INSERT INTO strays VALUES ('x')");
  to_.run("ALTER TABLE tokens ADD COLUMN why TEXT");
  const std::string said = message_of([&] { compare(); });
  EXPECT_NE(said.find("strays is not in the target"), std::string::npos) << said;
  EXPECT_NE(said.find("tokens has the column why in the target only"), std::string::npos) << said;
}

TEST_P(CopyingRefusalTest, ARowThatTheTargetRefusesIsNamed) {
  fill();
  make_target();
  to_.run("CREATE UNIQUE INDEX once ON tokens (what)");
  const std::string said = message_of([&] { copy(); });
  EXPECT_NE(said.find("The row of tokens with what = 'the same' cannot be copied"),
            std::string::npos)
      << said;
  EXPECT_FALSE(copying::is_copied(*to_.side()));
  to_.run("DROP INDEX once");
  copy();
  expect_equal();
}

TEST_P(CopyingRefusalTest, AValueOfAnotherTypeIsRefused) {
  fill();
  make_target();
  from_.run("CREATE TABLE loose (name TEXT, a TEXT)");
  from_.run("INSERT INTO loose VALUES ('one', 'x')");
  to_.run(to_.dialect == Dialect::sqlite ? "CREATE TABLE loose (name TEXT, a INTEGER) STRICT"
                                         : "CREATE TABLE loose (name TEXT, a bigint)");
  const std::string said = message_of([&] { copy(); });
  EXPECT_NE(said.find("The row of loose with a = 'x', name = 'one' cannot be copied: a: 'x' is not "
                      "of its type there, "),
            std::string::npos)
      << said;
}

TEST_P(CopyingRefusalTest, RefusesReferencesToMissingRows) {
  fill();
  make_target();
  from_.run("CREATE TABLE owners (name TEXT PRIMARY KEY)");
  from_.run("CREATE TABLE pets (owner TEXT)");
  from_.run("INSERT INTO pets VALUES ('unknown')");
  to_.run("CREATE TABLE owners (name TEXT PRIMARY KEY)");
  to_.run("CREATE TABLE pets (owner TEXT REFERENCES owners (name))");
  try {
    copy();
    ADD_FAILURE() << "it was copied";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), 409);
    EXPECT_EQ(error.code(), "data.copy_refused");
    const std::string expected = to_.dialect == Dialect::sqlite
                                     ? "pets: 1 rows refer to rows of owners that are not there."
                                     : "Rows do not fit together: ";
    EXPECT_TRUE(error.message().starts_with(expected)) << error.message();
    EXPECT_NE(error.message().find("pets"), std::string::npos) << error.message();
  }
  EXPECT_FALSE(copying::is_copied(*to_.side()));
}

class CopyingToPostgresqlTest : public CopyingCase {};

TEST_P(CopyingToPostgresqlTest, NamesARefusedRow) {
  fill();
  {
    Database database(from_.options);
    database.exec("INSERT INTO shelves (id, title) VALUES (?1, ?2)",
                  {id_of(77), std::string_view("a\0b", 3)});
  }
  make_target();
  const std::string said = message_of([&] { copy(); });
  EXPECT_NE(said.find("The row of shelves with id = '" + id_of(77) + "'"), std::string::npos)
      << said;
  EXPECT_NE(said.find("title: PostgreSQL keeps no text with the character U+0000"),
            std::string::npos)
      << said;
  EXPECT_TRUE(said.ends_with("with a server on the source, empty the target, and copy again."))
      << said;
  {
    Database database(from_.options);
    database.exec("UPDATE shelves SET title = 'ab' WHERE id = ?1", {id_of(77)});
  }
  copy();
  expect_equal();
}

TEST_P(CopyingToPostgresqlTest, RefusesACustomColumnType) {
  fill();
  make_target();
  from_.run("CREATE TABLE odd (a TEXT)");
  to_.run("CREATE TABLE odd (a jsonb)");
  const std::string said = message_of([&] { copy(); });
  EXPECT_NE(said.find("odd has the column a of the type jsonb in the target, whose values are not "
                      "the same on both engines"),
            std::string::npos)
      << said;
}

class CopyingFromPostgresqlTest : public CopyingCase {};

TEST_P(CopyingFromPostgresqlTest, RefusesACustomColumnType) {
  fill();
  make_target();
  from_.run("CREATE TABLE odd (a jsonb)");
  to_.run("CREATE TABLE odd (a TEXT)");
  const std::string said = message_of([&] { copy(); });
  EXPECT_NE(said.find("odd has the column a of the type jsonb, whose values are not the same on "
                      "both engines"),
            std::string::npos)
      << said;
}

TEST_P(CopyingFromPostgresqlTest, NanIsRefused) {
  fill();
  make_target();
  from_.run("UPDATE books SET price = 'NaN' WHERE id = '" + id_of(1002) + "'");
  const std::string said = message_of([&] { copy(); });
  EXPECT_NE(said.find("The row of books with id = '" + id_of(1002) + "'"), std::string::npos)
      << said;
  EXPECT_NE(said.find("price: NaN is kept by one engine only."), std::string::npos) << said;
}

// Each of its values is one that PostgreSQL takes.
TEST_P(CopyingFromPostgresqlTest, ARowLargerThanAResultIsNamed) {
  from_.options.postgresql->result_bytes = std::size_t{4} * 1024 * 1024;
  fill();
  make_target();
  // SQLite's column of a type that it does not know takes what comes.
  for (const TestDatabase* database : {&from_, &to_})
    database->run("CREATE TABLE wide (name TEXT PRIMARY KEY, a bytea, b bytea, c bytea)");
  from_.run("INSERT INTO wide VALUES ('one')");
  from_.run(
      "INSERT INTO wide SELECT 'two', d, d, d FROM convert_to(repeat('x', 1024 * 1024), "
      "'UTF8') AS d");
  const std::string said = message_of([&] { copy(); });
  EXPECT_TRUE(said.starts_with("Row 2 of wide, in the order of its key, cannot be copied")) << said;
  EXPECT_NE(said.find(", 4 MiB as text."), std::string::npos) << said;
  from_.run("UPDATE wide SET a = '', b = '', c = ''");
  copy();
  expect_equal();
}

class CopyingToSqliteTest : public CopyingCase {};

TEST_P(CopyingToSqliteTest, RefusesAFullTextTableWithOwnContent) {
  fill();
  make_target();
  to_.run("CREATE VIRTUAL TABLE own USING fts5(a)");
  const std::string said = message_of([&] { copy(); });
  EXPECT_TRUE(said.starts_with("The full-text table own keeps texts of its own")) << said;
}

TEST_P(CopyingToSqliteTest, AFullTextTableWithoutTextsIsRefused) {
  fill();
  make_target();
  to_.run("CREATE VIRTUAL TABLE bare USING fts5(a, content='')");
  EXPECT_EQ(code_of([&] { copy(); }), "data.copy_refused");
  const std::string said = message_of([&] { copy(); });
  EXPECT_TRUE(said.starts_with("The full-text table bare cannot be filled")) << said;
  EXPECT_FALSE(copying::is_prepared(*to_.side())) << "something was begun";
}

TEST_P(CopyingToSqliteTest, DoesNotFillVocabularyTables) {
  fill();
  make_target();
  to_.run("CREATE VIRTUAL TABLE words USING fts5vocab(tenon_shelves_search, row)");
  to_.run("CREATE VIRTUAL TABLE kinds USING fts5(kind, content='books')");
  copy();
  expect_equal();
  Database database(to_.options);
  EXPECT_EQ(number(database, "SELECT doc FROM words WHERE term = 'uber'"), 1);
  EXPECT_EQ(number(database, "SELECT count(*) FROM kinds WHERE kinds MATCH 'a'"), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, CopyingRefusalTest,
                         testing::Combine(testing::Values(Dialect::sqlite, Dialect::postgresql),
                                          testing::Values(Dialect::sqlite, Dialect::postgresql)),
                         pair_name);
INSTANTIATE_TEST_SUITE_P(Engines, CopyingToPostgresqlTest,
                         testing::Values(std::tuple(Dialect::sqlite, Dialect::postgresql)),
                         pair_name);
INSTANTIATE_TEST_SUITE_P(Engines, CopyingFromPostgresqlTest,
                         testing::Combine(testing::Values(Dialect::postgresql),
                                          testing::Values(Dialect::sqlite, Dialect::postgresql)),
                         pair_name);
INSTANTIATE_TEST_SUITE_P(Engines, CopyingToSqliteTest,
                         testing::Combine(testing::Values(Dialect::sqlite, Dialect::postgresql),
                                          testing::Values(Dialect::sqlite)),
                         pair_name);

}  // namespace
}  // namespace tenon::data::test
