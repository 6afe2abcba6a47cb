#include "records/transfer/csv.hpp"

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::records::test {
namespace {

constexpr CsvLimits limits{64, 128, 8};

// Rows as "a|b;c|d"; cells that are nothing at all as "~"; "line: message" of what is refused.
std::string read_csv(std::string_view text, std::size_t pace = 1000, char delimiter = ',') {
  std::vector<CsvRow> rows;
  CsvReader reader(delimiter, limits);
  try {
    for (std::size_t i = 0; i < text.size(); i += pace)
      reader.take(text.substr(i, pace), rows);
    reader.end(rows);
  } catch (const base::Error& error) {
    return std::string(error.code()) + " " + std::string(error.message());
  }
  std::string found;
  for (const CsvRow& row : rows) {
    if (!found.empty()) found += ";";
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      found.append(i == 0 ? "" : "|").append(row.cells[i].is_empty() ? "~" : row.cells[i].text);
  }
  return found;
}

TEST(Csv, IsReadByRfc4180AtEveryPace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a,b\r\nc,d\r\n", "a|b;c|d"},
      {"a,b\nc,d", "a|b;c|d"},
      {"a,b\rc,d\r", "a|b;c|d"},
      {"a,\"\",,d\r\n", "a||~|d"},
      {"\"a,b\",\"c\"\"d\"\r\n", "a,b|c\"d"},
      {"\"a\r\nb\",c\r\n", "a\r\nb|c"},
      {"\r\n\r\na\r\n\r\nb\r\n", "a;b"},
      {",\r\n", "~|~"},
      {"\"\"\r\n", ""},
      {"", ""},
  };
  for (const auto& [text, expected] : cases) {
    for (const std::size_t pace : {1U, 2U, 3U, 1000U})
      EXPECT_EQ(read_csv(text, pace), expected) << text << " by " << pace;
  }
  EXPECT_EQ(read_csv("a;b,c\n", 1, ';'), "a|b,c");
}

TEST(Csv, NamesTheLineOfWhatIsWrong) {
  const std::string refused = "records.bad_file Line ";
  EXPECT_EQ(read_csv("a\nb\"c\n"),
            refused + "2 is no CSV: a cell that does not begin with a quote contains one.");
  EXPECT_EQ(read_csv("a\r\n\"b\r\nc\"d\n"),
            refused + "3 is no CSV: a closing quote is not followed by the end of the cell.");
  EXPECT_EQ(read_csv("\"a\nb"), refused + "2 is no CSV: a quote is not closed.");
  EXPECT_EQ(read_csv(std::string(65, 'a')),
            refused + "1 is no CSV: a cell has more than 64 bytes.");
  EXPECT_EQ(read_csv(std::string(64, 'a') + "," + std::string(64, 'a') + ",b"),
            refused + "1 is no CSV: a row has more than 128 bytes.");
  EXPECT_EQ(read_csv("1,2,3,4,5,6,7,8"), "1|2|3|4|5|6|7|8");
  EXPECT_EQ(read_csv("1,2,3,4,5,6,7,8,9"), refused + "1 is no CSV: a row has more than 8 cells.");
}

TEST(Csv, ReportsLineWhereRowBegins) {
  std::vector<CsvRow> rows;
  CsvReader reader(',', limits);
  reader.take("a\r\n\"b\r\nb\"\r\n\nc\rd", rows);
  reader.end(rows);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].line, 1U);
  EXPECT_EQ(rows[1].line, 2U);
  EXPECT_EQ(rows[2].line, 5U);
  EXPECT_EQ(rows[3].line, 6U);
}

TEST(Csv, GuardsFormulasAndGivesEveryTextBack) {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "'=1", "''@",
                           "\xEF\xBC\x9D=", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"}) {
    EXPECT_EQ(guarded(text), "'" + std::string(text));
    EXPECT_EQ(unguarded(guarded(text)), text);
  }
  for (const char* text : {"", "a", "'", "'a", "1=1", " =1", "''", "\xEF\xBC\x9E"}) {
    EXPECT_EQ(guarded(text), text);
    EXPECT_EQ(unguarded(text), text);
  }
}

TEST(Csv, GuardsFormulasAfterOtherSeparators) {
  const std::pair<const char*, const char*> texts[] = {
      {"a;=1+1", "a;'=1+1"},   {"a\t@x", "a\t'@x"},   {"a\n- b", "a\n'- b"},
      {"a\r\n+b", "a\r\n'+b"}, {"a;\"=1", "a;'\"=1"}, {"a;'=1", "a;''=1"},
      {"a;b", "a;b"},          {"a,=1", "a,=1"},      {"\t=1", "'\t'=1"}};
  for (const auto& [text, expected] : texts) {
    EXPECT_EQ(guarded(text), expected);
    EXPECT_EQ(unguarded(expected), text);
  }
}

// A program that takes other separators does not find the quotes of most cells.
void expect_no_formula(std::string_view written) {
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::string_view cell = written.substr(at, written.find_first_of(";\t\r\n", at) - at);
    // The first one begins with its quote.
    const std::size_t begin = at == 0 ? cell.starts_with('"') : cell.find_first_not_of('"');
    if (begin < cell.size()) {
      EXPECT_EQ(std::string_view("=+-@").find(cell[begin]), std::string_view::npos) << written;
    }
    at = written.find_first_of(";\t\r\n", at);
    if (at != std::string_view::npos) ++at;
  }
}

TEST(Csv, GivesRandomTextsBack) {
  std::mt19937 random(11);
  constexpr std::string_view alphabet = "a,;\"'\r\n\t =+-@ ";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> texts;
    std::string written;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) {
      std::string text;
      for (std::size_t length = random() % 8; length > 0; --length)
        text += alphabet[random() % alphabet.size()];
      written += i == 0 ? "" : ",";
      append_csv_text(written, guarded(text));
      texts.push_back(std::move(text));
    }
    expect_no_formula(written);
    std::vector<CsvRow> rows;
    CsvReader reader(',', limits);
    reader.take(written + "\r\n", rows);
    reader.end(rows);
    ASSERT_EQ(rows.size(), 1U) << written;
    ASSERT_EQ(rows[0].cells.size(), texts.size()) << written;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_FALSE(rows[0].cells[i].is_empty());
      EXPECT_EQ(unguarded(rows[0].cells[i].text), texts[i]) << written;
    }
  }
}

}  // namespace
}  // namespace tenon::records::test
