#include <limits>
#include <string>

#include "engines/tests/support.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/engine/engine.hpp"

namespace tenon::data::test {
namespace {

class JsonRowsTest : public BothEnginesTest {
 protected:
  std::string rows(std::string_view sql, Cells cells = {}) {
    JsonText text;
    database().append_json(JsonShape::rows, text, sql, cells);
    return std::string(text.view());
  }
  std::string value(std::string_view sql, Cells cells = {}) {
    JsonText text;
    EXPECT_EQ(database().query(sql, cells).append_json(JsonShape::row, text), 1U);
    return std::string(text.view());
  }
};

/// Tests behaviour of SQLite alone.
class SqliteJsonRowsTest : public JsonRowsTest {};

TEST_P(JsonRowsTest, EveryTypeBecomesWhatItsColumnHolds) {
  EXPECT_EQ(
      value("SELECT 1 AS a, -2.5 AS b, 'x' AS c, NULL AS d, ?1 AS e, 1 AS \"f:boolean\", "
            "0 AS \"g:boolean\", NULL AS \"h:boolean\", '[1,{\"a\":2}]' AS \"i:json\", NULL AS "
            "\"j:json\"",
            {Cell::blob({"\x00\xff\x10", 3})}),
      R"({"a":1,"b":-2.5,"c":"x","d":null,"e":"AP8Q","f":true,"g":false,"h":null,)"
      R"("i":[1,{"a":2}],"j":null})");
}

TEST_P(JsonRowsTest, NumbersAreWhole) {
  EXPECT_EQ(
      value("SELECT ?1 AS max_whole, ?2 AS min_whole, 9007199254740993 AS odd",
            {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}),
      R"({"max_whole":9223372036854775807,"min_whole":-9223372036854775808,"odd":9007199254740993})");
  EXPECT_EQ(value("SELECT 9e999 AS inf, -9e999 AS low, 0.1 AS tenth, 1e300 AS large, ?1 AS nan",
                  {std::numeric_limits<double>::quiet_NaN()}),
            R"({"inf":null,"low":null,"tenth":0.1,"large":1e+300,"nan":null})");
}

TEST_P(SqliteJsonRowsTest, TextIsAlwaysValidJson) {
  EXPECT_EQ(value("SELECT ?1 AS t", {std::string_view("a\"\\\n\x01\0<\x7f", 8)}),
            R"({"t":"a\"\\\n\u0001\u0000\u003c\u007f"})");
  EXPECT_EQ(value("SELECT ?1 AS t", {"\xC0\xAF|\xE2\x82"}),
            "{\"t\":\"\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\"}");
  EXPECT_EQ(value("SELECT 1 AS \"a\"\"b\""), R"({"a\"b":1})");
}

TEST_P(JsonRowsTest, MembersAreThoseThatTheTableHasNow) {
  database().exec("CREATE TABLE changed (a TEXT)");
  database().exec("INSERT INTO changed VALUES ('x')");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(rows("SELECT * FROM changed"), R"([{"a":"x"}])");
  database().exec("ALTER TABLE changed RENAME COLUMN a TO b");
  EXPECT_EQ(rows("SELECT * FROM changed"), R"([{"b":"x"}])");
  database().exec("ALTER TABLE changed ADD COLUMN c INTEGER");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(rows("SELECT * FROM changed"), R"([{"b":"x","c":null}])");
}

TEST_P(JsonRowsTest, LongTextsAreWholeAtEveryPosition) {
  // Characters of one to four bytes, so that some cross every boundary of a piece.
  for (const char* letter : {"a", "é", "€", "😀", "\""}) {
    for (int lead = 0; lead < 4; ++lead) {
      std::string text(static_cast<std::size_t>(lead), 'x');
      std::string expected = text;
      for (int i = 0; i < 5000; ++i) {
        text += letter;
        expected += letter[0] == '"' ? "\\\"" : letter;
      }
      EXPECT_EQ(value("SELECT ?1 AS t", {text}), "{\"t\":\"" + expected + "\"}");
    }
  }
}

TEST_P(JsonRowsTest, BlobsAreBase64) {
  EXPECT_EQ(value("SELECT ?1 AS a, ?2 AS b, ?3 AS c, ?4 AS d",
                  {Cell::blob(""), Cell::blob("f"), Cell::blob("fo"), Cell::blob("foobar")}),
            R"({"a":"","b":"Zg==","c":"Zm8=","d":"Zm9vYmFy"})");
}

TEST_P(JsonRowsTest, RowsAreAnArray) {
  EXPECT_EQ(rows("SELECT id FROM items"), "[]");
  database().exec("INSERT INTO items (id, text) VALUES (1, 'a'), (2, NULL)");
  EXPECT_EQ(rows("SELECT id, text FROM items ORDER BY id"),
            R"([{"id":1,"text":"a"},{"id":2,"text":null}])");
  JsonText text;
  EXPECT_EQ(database().query("SELECT id FROM items WHERE id = 3").append_json(JsonShape::row, text),
            0U);
  EXPECT_EQ(text.view(), "");
  EXPECT_EQ(value("SELECT id FROM items ORDER BY id"), R"({"id":1})");
}

TEST_P(SqliteJsonRowsTest, NamesFollowTheSchema) {
  database().exec("INSERT INTO items (id, text) VALUES (1, 'a')");
  EXPECT_EQ(rows("SELECT * FROM items"), R"([{"id":1,"text":"a"}])");
  sqlite::Engine::of(database()).with_write_lock([](sqlite::Connection& connection) {
    connection.run_internal("ALTER TABLE items RENAME COLUMN text TO words");
  });
  EXPECT_EQ(rows("SELECT * FROM items"), R"([{"id":1,"words":"a"}])");
}

TEST_P(JsonRowsTest, ATransactionReadsItsOwnWrites) {
  auto transaction = database().begin(Mode::write);
  transaction.exec("INSERT INTO items (id, text) VALUES (1, 'a')");
  JsonText text;
  transaction.query("SELECT id FROM items").append_json(JsonShape::rows, text);
  EXPECT_EQ(text.view(), R"([{"id":1}])");
  // Its rows are given back, or the commit would be refused.
  transaction.commit();
}

TEST_P(JsonRowsTest, WhatIsNoJsonIsRefused) {
  for (const char* bad : {"", "{", "[1,]", "a", "1 2"}) {
    JsonText text;
    EXPECT_EQ(
        code_of([&] {
          database().query("SELECT ?1 AS \"t:json\"", {bad}).append_json(JsonShape::row, text);
        }),
        "data.sql")
        << bad;
  }
  EXPECT_EQ(value("SELECT 1 AS a"), R"({"a":1})");
}

TEST_P(JsonRowsTest, ReturnsTheReaderAfterATooLargeText) {
  constexpr std::string_view many =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
      "SELECT ?1 AS b FROM n";
  const std::string megabyte(1'000'000, 'x');
  for (std::size_t i = 0; i < default_readers + 1; ++i) {
    JsonText text;
    EXPECT_EQ(
        code_of([&] { database().query(many, {megabyte}).append_json(JsonShape::rows, text); }),
        "data.too_large");
  }
  EXPECT_EQ(rows("SELECT 1 AS a"), R"([{"a":1}])");
}

TEST_P(JsonRowsTest, KeepsSmallMemoryOnly) {
  JsonText text;
  text.put(std::string(100, 'a'));
  text.clear();
  EXPECT_EQ(text.view(), "");
  text.put("b");
  EXPECT_EQ(text.view(), "b");
  text.put(std::string(1'000'000, 'a'));
  text.clear();
  text.put("c");
  EXPECT_EQ(text.view(), "c");
}

TEST_P(JsonRowsTest, APageSaysWhereItEnded) {
  constexpr std::string_view sql =
      "WITH n(i) AS (VALUES (1), (2), (3)) SELECT i AS id, 'x' || i AS \"t:key\", NULL AS "
      "\"u:key\" "
      "FROM n LIMIT ?1";
  const auto page = [&](int rows, std::size_t limit) {
    JsonText text;
    const JsonPageEnd end = database().query(sql, {rows}).append_json_page(limit, text);
    return std::string(text.view()) + " " + std::to_string(end.rows) +
           (end.has_more ? " more " : " ") + end.keys;
  };
  EXPECT_EQ(page(3, 2), R"([{"id":1},{"id":2}] 2 more ["x2",null])");
  EXPECT_EQ(page(2, 2), R"([{"id":1},{"id":2}] 2 )");
  EXPECT_EQ(page(1, 2), R"([{"id":1}] 1 )");
  EXPECT_EQ(page(0, 2), "[] 0 ");
}

TENON_ON_BOTH_ENGINES(JsonRowsTest);
TENON_ON_SQLITE(SqliteJsonRowsTest);

}  // namespace
}  // namespace tenon::data::test
