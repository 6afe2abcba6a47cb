#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "data_copy/row_digest.hpp"
#include "data_copy/tests/copy_case.hpp"

namespace tenon::data::test {
namespace {

using copying::Compared;
using copying::Progress;

class CopyingTest : public CopyingCase {};

TEST_P(CopyingTest, EveryKindOfValueComesAsItWas) {
  fill();
  make_target();
  copy();
  expect_equal();
  Database database(to_.options);
  auto row = database.query(
      "SELECT pages, price, loaned, bought, read, extra, kind, rowid FROM books ORDER BY id");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(0), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(row.number(1), 1.0 / 3);
  EXPECT_EQ(row.integer(2), 1);
  EXPECT_EQ(row.text(4), "2026-11-22T10:00:00.123Z");
  EXPECT_EQ(row.text(5), R"({"a":[1,null,"x"]})");
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.number(1), std::numeric_limits<double>::denorm_min());
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.number(1), -2.5e-308);
  ASSERT_TRUE(row.next());
  ASSERT_TRUE(row.next());
  EXPECT_TRUE(std::isinf(row.number(1)));
  ASSERT_TRUE(row.next());
  EXPECT_TRUE(row.is_null(0) && row.is_null(1) && row.is_null(2) && row.is_null(6));
  auto raw = database.query("SELECT raw FROM totals WHERE name = 'books'");
  ASSERT_TRUE(raw.next());
  EXPECT_EQ(raw.blob(0), std::string_view("\x00\xff", 2));
}

TEST_P(CopyingTest, TriggersDoNotRunMeanwhileAndDoAfterwards) {
  fill();
  make_target();
  copy();
  Database database(to_.options);
  EXPECT_EQ(number(database, "SELECT n FROM totals WHERE name = 'books'"), 106);
  EXPECT_EQ(number(database, "SELECT count(*) FROM totals"), 1) << "a seed of the migration stays";
  EXPECT_EQ(number(database, "SELECT count(*) FROM tenon_changes"), 0);
  add_book(database, 6);
  EXPECT_EQ(number(database, "SELECT n FROM totals WHERE name = 'books'"), 107);
  EXPECT_EQ(number(database, "SELECT count(*) FROM tenon_changes"), 1);
  EXPECT_EQ(number(database, "SELECT rowid FROM books WHERE id = ?1", {id_of(1006)}), 7);
  EXPECT_EQ(code_of([&] { database.exec("DELETE FROM shelves WHERE id = ?1", {id_of(1)}); }),
            "data.reference");
}

TEST_P(CopyingTest, WhatIsSearchedIsFound) {
  fill();
  make_target();
  copy();
  Database database(to_.options);
  for (const char* word : {"uber", "unter"}) {
    const std::int64_t found =
        to_.dialect == Dialect::sqlite
            ? number(
                  database,
                  "SELECT count(*) FROM tenon_shelves_search WHERE tenon_shelves_search MATCH ?1",
                  {word})
            : number(database,
                     "SELECT count(*) FROM tenon_shelves_search WHERE words @@ "
                     "tenon_search_query(?1)",
                     {R"({"fields":[0],"terms":[{"text":")" + std::string(word) +
                      R"(","beginning":false,"excluded":false}]})"});
    EXPECT_EQ(found, word == std::string_view("uber") ? 1 : 0) << word;
  }
}

TEST_P(CopyingTest, ResumesAnInterruptedCopyWithoutDuplicates) {
  constexpr int many = 30'000;
  fill();
  {
    Database database(from_.options);
    database.write(
        [&](Transaction& transaction) {
          for (int i = 0; i < many; ++i)
            transaction.exec("INSERT INTO tokens (what) VALUES (?1)", {std::to_string(i % 1000)});
        },
        std::chrono::seconds(50));
  }
  struct Interrupted {};
  int steps = 0;
  bool is_finished = false;
  // Each run stops at its first or second step.
  for (int allowed = 0; !is_finished; ++allowed) {
    make_target();
    steps = 0;
    try {
      copy([&](const Progress&) {
        if (steps++ == allowed % 2) throw Interrupted();
      });
      is_finished = true;
    } catch (const Interrupted&) {
      EXPECT_FALSE(copying::is_copied(*to_.side()));
    }
    ASSERT_LT(allowed, 100);
  }
  EXPECT_TRUE(copying::is_copied(*to_.side()));
  expect_equal();
  Database database(to_.options);
  EXPECT_EQ(number(database, "SELECT count(*) FROM tokens"), many + 3);
}

TEST_P(CopyingTest, FindsChangedAndMissingRows) {
  fill();
  make_target();
  copy();
  {
    Database database(to_.options);
    database.exec("UPDATE books SET price = 0.25 WHERE id = ?1", {id_of(1002)});
    database.exec("DELETE FROM tokens");
  }
  for (const Compared& one : compare()) {
    EXPECT_EQ(one.is_equal, one.table != "books" && one.table != "tokens") << one.table;
    if (one.table == "tokens") {
      EXPECT_EQ(one.rows, 3);
      EXPECT_EQ(one.other_rows, 0);
    }
  }
}

TEST_P(CopyingTest, CopiesLargeRowsAfterSmallOnes) {
  // Asked for at once, by the size of those before, and together more than a result as text.
  constexpr std::size_t large = std::size_t{640} * 1024;
  for (TestDatabase* database : {&from_, &to_}) {
    if (database->options.postgresql)
      database->options.postgresql->result_bytes = std::size_t{8} * 1024 * 1024;
  }
  fill();
  {
    Database database(from_.options);
    for (int i = 0; i < 9; ++i) {
      const std::string bytes(large, static_cast<char>(i));
      database.exec("INSERT INTO totals (name, n, raw) VALUES (?1, 0, ?2)",
                    {"large " + std::to_string(i), Cell::blob(bytes)});
    }
  }
  make_target();
  copy();
  expect_equal();
  Database database(to_.options);
  EXPECT_EQ(number(database, "SELECT count(*) FROM totals WHERE length(raw) = ?1", {large}), 9);
}

INSTANTIATE_TEST_SUITE_P(Engines, CopyingTest,
                         testing::Combine(testing::Values(Dialect::sqlite, Dialect::postgresql),
                                          testing::Values(Dialect::sqlite, Dialect::postgresql)),
                         pair_name);

TEST(RowDigest, IgnoresTheOrderOfRows) {
  const std::vector<std::vector<Cell>> rows = {{1, "a"}, {2, "b"}, {2, "b"}};
  copying::RowDigest forward;
  copying::RowDigest backward;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    forward.add(rows[i]);
    backward.add(rows[rows.size() - 1 - i]);
  }
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward.text(), backward.text());
  backward.add(rows[0]);
  EXPECT_FALSE(forward == backward);
}

TEST(RowDigest, DistinguishesKinds) {
  const std::vector<std::vector<Cell>> rows = {{nullptr},
                                               {0},
                                               {""},
                                               {Cell::blob("")},
                                               {"0"},
                                               {0.5},
                                               {0.25},
                                               {1},
                                               {"a", ""},
                                               {"", "a"},
                                               {Cell::blob("a")},
                                               {1e300},
                                               {std::numeric_limits<double>::infinity()}};
  std::vector<std::string> seen;
  for (const auto& row : rows) {
    copying::RowDigest digest;
    digest.add(row);
    for (const std::string& other : seen)
      EXPECT_NE(digest.text(), other);
    seen.push_back(digest.text());
  }
  copying::RowDigest integer;
  integer.add(std::vector<Cell>{5});
  copying::RowDigest whole;
  whole.add(std::vector<Cell>{5.0});
  EXPECT_EQ(integer, whole);
  copying::RowDigest zero;
  zero.add(std::vector<Cell>{0});
  copying::RowDigest negative;
  negative.add(std::vector<Cell>{-0.0});
  EXPECT_EQ(zero, negative);
}

}  // namespace
}  // namespace tenon::data::test
