#include "sqlite/connection/bounded_functions.hpp"

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace tenon::data::sqlite {
namespace {

class Plain {
 public:
  Plain() {
    sqlite3_open(":memory:", &db_);
    sqlite3_limit(db_, SQLITE_LIMIT_LENGTH, 16 * 1024 * 1024);
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  ~Plain() { sqlite3_close(db_); }

  sqlite3* handle() const { return db_; }

  // Kind and text of the result; the message of the error.
  std::string value_of(const std::string& sql, const std::vector<std::string>& texts = {}) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      return sqlite3_errmsg(db_);
    int number = 0;
    for (const std::string& text : texts)
      sqlite3_bind_text(statement, ++number, text.data(), static_cast<int>(text.size()),
                        SQLITE_TRANSIENT);
    std::string value;
    if (sqlite3_step(statement) == SQLITE_ROW) {
      value = std::to_string(sqlite3_column_type(statement, 0)) + " ";
      const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, 0));
      value.append(data == nullptr ? "" : data,
                   static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    } else {
      value = sqlite3_errmsg(db_);
    }
    sqlite3_finalize(statement);
    return value;
  }

 private:
  sqlite3* db_ = nullptr;
};

class BoundedFunctions : public testing::Test {
 protected:
  BoundedFunctions() { add_bounded_functions(bounded_.handle()); }

  Plain plain_;
  Plain bounded_;
};

TEST_F(BoundedFunctions, GiveWhatSQLitesGive) {
  for (const char* call : {"instr('äöü', 'ü')",
                           "instr(x'c3a4c3b6', x'b6')",
                           "instr('äö', x'b6')",
                           "instr(NULL, 'a')",
                           "instr('a', NULL)",
                           "instr('abc', '')",
                           "instr('', 'a')",
                           "instr('', '')",
                           "instr(12345, 34)",
                           "instr(x'00ff', x'')",
                           "instr('abcabc', 'ca')",
                           "instr(1.5, '.')",
                           "replace('banana', 'a', 'ä')",
                           "replace(NULL, 'a', 'b')",
                           "replace('a', '', 'b')",
                           "replace(101, 0, 2)",
                           "replace('a', 'b')",
                           "trim('  a  ')",
                           "trim('xxaxyx', 'yx')",
                           "ltrim('ääbä', 'ä')",
                           "rtrim('abb', 'b')",
                           "trim(NULL, 'a')",
                           "trim('a', NULL)",
                           "json_patch('{\"a\":1,\"b\":2}', '{\"a\":null,\"c\":[1]}')",
                           "json_patch('{', '{}')",
                           "json_patch('{}', NULL)",
                           "printf('%d %s', 3, 'x')",
                           "printf('%5.2f|%-8s|%08.3e', 3.14159, 'ab', 2)",
                           "printf('%.*c|%*d', 3, 'x', 5, 7)",
                           "printf('%%%c%n%.3c', 'a', 'b')",
                           "printf('%,d', 1234567)",
                           "printf('%!.20f', 0.1)",
                           "printf('%q %Q %w', 'a''b', NULL, 'a\"b')",
                           "printf(NULL)",
                           "printf()",
                           "format('%lld', 9007199254740993)",
                           "printf('%')",
                           "printf('%.-5c', 'a')",
                           "printf('%.*c')"}) {
    const std::string sql = std::string("SELECT ") + call;
    EXPECT_EQ(bounded_.value_of(sql), plain_.value_of(sql)) << call;
  }
}

TEST_F(BoundedFunctions, FindWhatSQLiteFindsInAnyBytes) {
  std::mt19937 random(7);
  const std::string bytes("ab\xC3\xA4\xA4\x80\xFF", 7);
  const auto text = [&](std::size_t max_length) {
    std::string made;
    for (std::size_t left = random() % (max_length + 1); left > 0; --left)
      made += bytes[random() % bytes.size()];
    return made;
  };
  for (int i = 0; i < 5000; ++i) {
    const std::vector<std::string> texts{text(12), text(3)};
    for (const char* sql :
         {"SELECT instr(?1, ?2)", "SELECT instr(CAST(?1 AS BLOB), CAST(?2 AS BLOB))"})
      ASSERT_EQ(bounded_.value_of(sql, texts), plain_.value_of(sql, texts))
          << texts[0] << " " << texts[1];
  }
}

TEST_F(BoundedFunctions, CanBeUsedInIndexesAndChecks) {
  EXPECT_EQ(bounded_.value_of(
                "CREATE TABLE t (a TEXT CHECK (instr(a, 'x') > 0), b AS (replace(a, 'x', 'y')))"),
            "no more rows available");
  EXPECT_EQ(bounded_.value_of("CREATE INDEX i ON t (trim(a, 'x'), printf('%s', a))"),
            "no more rows available");
  EXPECT_EQ(bounded_.value_of("INSERT INTO t (a) VALUES ('ax')"), "no more rows available");
  EXPECT_EQ(bounded_.value_of("SELECT b FROM t INDEXED BY i WHERE trim(a, 'x') = 'a'"), "3 ay");
}

// Each of these computes for many seconds, max_length for hours, where SQLite's own function is
// called.
TEST_F(BoundedFunctions, ThatWouldComputeForHoursEndAtOnce) {
  const std::string large = "replace(hex(zeroblob(4000000)), '0', 'a')";
  EXPECT_EQ(bounded_.value_of("SELECT instr(" + large + ", substr(" + large + ", 4000000) || 'b')"),
            "1 0");
  for (const std::string& call :
       {std::string("printf('%.*c', 1000000000, 'x')"),
        std::string("format('%s %.1000000000c', 'a', 'x')"),
        std::string("printf('%*.*c', 1, -1000000000, 'x')"),
        "replace(" + large + ", substr(" + large + ", 4000000) || 'b', '')",
        "trim(" + large + ", 'bcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZa')",
        "ltrim(" + large + ", " + large + ")", "rtrim(" + large + ", " + large + ")",
        "json_patch('{\"a\":\"' || " + large + " || '\"}', '{\"a\":\"' || " + large +
            " || '\"}')"}) {
    EXPECT_EQ(bounded_.value_of("SELECT " + call), "string or blob too big") << call;
  }
}

}  // namespace
}  // namespace tenon::data::sqlite
