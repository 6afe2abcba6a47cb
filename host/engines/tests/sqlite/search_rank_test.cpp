// What is of SQLite by its nature: tenon_rank() beside FTS5's own bm25(), and the lengths that it
// remembers. Which record comes first is tested on both engines by search_index_test.cpp.
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engines/tests/schema/declarations.hpp"
#include "engines/tests/support.hpp"
#include "sqlite/search/search_lengths.hpp"

namespace tenon::data::test {
namespace {

using sqlite::SearchLengths;

class SearchRankTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = std::make_unique<Database>(plugin_file(folder_.file("plugin.db")));
    apply(
        database(),
        declare(
            "1.0.0",
            R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":{"weight":5}},{"name":"body","type":"text","searchable":true}]},
                                {"name":"pages","fields":[{"name":"title","type":"text","searchable":true}]}]})"));
  }
  Database& database() { return *database_; }

  std::string words(std::size_t most) {
    std::string text;
    for (std::size_t i = random() % most + 1; i > 0; --i)
      text.append("word").append(std::to_string(random() % 12)).append(" ");
    return text;
  }
  std::size_t random() { return random_(); }

  // Records and their ranks as text, by FTS5 and by the host; they are to be the same.
  static std::vector<std::string> all_of(Rows rows) {
    std::vector<std::string> all;
    while (rows.next())
      all.emplace_back(rows.text(0));
    return all;
  }
  static std::vector<std::string> by_fts5(Database& database, const std::string& table,
                                          const std::string& ranking, const std::string& asked) {
    const std::string index = "tenon_" + table + "_search";
    return all_of(database.query("SELECT rowid || ' ' || format('%.17g', rank) FROM " + index +
                                     " WHERE " + index +
                                     " MATCH ?1 AND rank MATCH ?2 ORDER BY rank, rowid",
                                 {asked, ranking}));
  }
  static std::vector<std::string> by_host(Database& database, const std::string& table,
                                          const std::string& weights, const std::string& asked) {
    return all_of(
        database.query("SELECT rowid || ' ' || format('%.17g', rank) FROM tenon_found(?1, ?2, ?3) "
                       "ORDER BY rank, rowid",
                       {table, asked, weights}));
  }
  static std::vector<std::string> by_function(Database& database, const std::string& function,
                                              const std::string& table, const std::string& weights,
                                              const std::string& asked) {
    const std::string index = "tenon_" + table + "_search";
    const std::string rank = function + "(" + index + ", ?2, ?3)";
    const std::string shown =
        function == "tenon_rank" ? " || ' ' || format('%.17g', " + rank + ")" : "";
    return all_of(database.query("SELECT rowid" + shown + " FROM " + index + " WHERE " + index +
                                     " MATCH ?1 ORDER BY " + rank + ", rowid",
                                 {asked, table, weights}));
  }
  static std::vector<std::string> without_ranks(std::vector<std::string> all) {
    for (std::string& one : all)
      one.resize(one.find(' '));
    return all;
  }
  void change(Transaction& transaction) {
    for (int i = 0; i < 20; ++i) {
      const auto rowid = static_cast<std::int64_t>(random() % 120 + 1);
      switch (random() % 3) {
        case 0:
          transaction.exec(
              "INSERT INTO cards (rowid, id, title, body) VALUES (?1, ?2, ?3, ?4) ON CONFLICT "
              "(rowid) DO UPDATE SET body = excluded.body",
              {rowid, base::new_id(), words(5), words(30)});
          break;
        case 1:
          transaction.exec("UPDATE cards SET title = ?2 WHERE rowid = ?1", {rowid, words(9)});
          break;
        default:
          transaction.exec("DELETE FROM cards WHERE rowid = ?1", {rowid});
      }
      transaction.exec(
          "INSERT INTO pages (rowid, id, title) VALUES (?1, ?2, ?3) ON CONFLICT (rowid) DO UPDATE "
          "SET title = excluded.title",
          {rowid, base::new_id(), words(12)});
    }
  }
  void expect_same(const std::string& when) {
    for (const char* asked : {"word1", "word2 word3", "{title} : word4 NOT word5", "\"\" wor *",
                              "\"\" \"word1 word2\"", "word6 OR word6", "{body} : word7"}) {
      EXPECT_EQ(by_fts5(database(), "cards", "bm25(5.0, 1.0)", asked),
                by_host(database(), "cards", "[5,1]", asked))
          << when << ": " << asked;
      EXPECT_EQ(by_fts5(database(), "cards", "bm25(5.0, 1.0)", asked),
                by_function(database(), "tenon_rank", "cards", "[5,1]", asked))
          << when << ": " << asked;
      EXPECT_EQ(without_ranks(by_fts5(database(), "cards", "bm25(5.0, 1.0)", asked)),
                by_function(database(), "tenon_order", "cards", "[5,1]", asked))
          << when << ": " << asked;
    }
    EXPECT_EQ(by_fts5(database(), "pages", "bm25()", "word1"),
              by_host(database(), "pages", "[]", "word1"))
        << when;
  }

 private:
  Folder folder_;
  std::unique_ptr<Database> database_;
  std::mt19937 random_{20260722};  // NOLINT(cert-msc51-cpp): the same each time
};

TEST_F(SearchRankTest, IsThatOfFts5WhateverHappens) {
  expect_same("empty");
  for (int round = 0; round < 30; ++round) {
    const bool is_kept = random() % 3 != 0;
    const std::string code = code_of([&] {
      database().write([&](Transaction& transaction) {
        change(transaction);
        // What is undone was seen by its own transaction.
        auto seen = transaction.query(
            "SELECT count(*) FROM tenon_found('cards', 'wor*', '[5,1]') WHERE rank < 0");
        EXPECT_TRUE(seen.next());
        if (!is_kept) throw base::Error(409, "test.undone", "Undone.");
      });
    });
    EXPECT_EQ(code, is_kept ? "none" : "test.undone");
    expect_same((is_kept ? "done " : "undone ") + std::to_string(round));
  }
  EXPECT_GT(by_host(database(), "cards", "[5,1]", "word1").size(), 5U);
}

TEST_F(SearchRankTest, AnotherDeclarationIsAnotherIndex) {
  database().exec(
      "INSERT INTO cards (rowid, id, title, body) VALUES (1, "
      "'a00000000000000000000000000000000000', 'word1', "
      "'word1 word2 word3')");
  database().exec(
      "INSERT INTO cards (rowid, id, title, body) VALUES (2, "
      "'b00000000000000000000000000000000000', 'word2', '')");
  expect_same("both");
  apply(
      database(),
      declare(
          "1.1.0",
          R"({"tables":[{"name":"cards","fields":[{"name":"title","type":"text","searchable":true},{"name":"body","type":"text"}]},
                              {"name":"pages","fields":[{"name":"title","type":"text","searchable":true}]}]})"));
  database().exec("UPDATE cards SET title = 'word1 word2' WHERE rowid = 2");
  EXPECT_EQ(by_fts5(database(), "cards", "bm25()", "word1"),
            by_host(database(), "cards", "[1]", "word1"));
}

TEST(SearchLengths, KeepsTheLastOfEachPlace) {
  SearchLengths lengths;
  EXPECT_EQ(lengths.find({1, 7}), -1);
  lengths.keep({1, 7}, 12);
  lengths.keep({2, 7}, 13);
  lengths.keep({1, -7}, 0);
  EXPECT_EQ(lengths.find({1, 7}), 12);
  EXPECT_EQ(lengths.find({2, 7}), 13);
  EXPECT_EQ(lengths.find({1, -7}), 0);
  lengths.keep({1, 8}, 1 << 30);
  EXPECT_EQ(lengths.find({1, 8}), int{SearchLengths::longest});
  lengths.forget({1, 7});
  EXPECT_EQ(lengths.find({1, 7}), -1);
  EXPECT_EQ(lengths.find({2, 7}), 13);
  lengths.forget_all();
  EXPECT_EQ(lengths.find({2, 7}), -1);

  // More than there are places: what is found is never another's.
  const auto many = static_cast<std::int64_t>(SearchLengths::places) * 3;
  for (std::int64_t rowid = 0; rowid < many; ++rowid)
    lengths.keep({3, rowid}, static_cast<int>(rowid % 1000));
  std::int64_t known = 0;
  for (std::int64_t rowid = 0; rowid < many; ++rowid) {
    const int length = lengths.find({3, rowid});
    if (length < 0) continue;
    ++known;
    ASSERT_EQ(length, rowid % 1000) << rowid;
  }
  EXPECT_GT(known, static_cast<std::int64_t>(SearchLengths::places) / 2);
  EXPECT_LE(known, static_cast<std::int64_t>(SearchLengths::places));
}

TEST(SearchLengths, IsForAnyThread) {
  SearchLengths lengths;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (std::int64_t rowid = 0; rowid < 20'000; ++rowid) {
        const SearchLengths::Key key{1, rowid % 500};
        lengths.keep(key, static_cast<int>(key.rowid));
        const int length = lengths.find(key);
        if (length != -1 && length != key.rowid) ++wrong;
        if (number == 0) lengths.forget(key);
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tenon::data::test
