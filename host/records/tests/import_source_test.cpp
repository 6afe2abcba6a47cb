#include "records/transfer/import_source.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::records::test {
namespace {

// Rows as "1:a|b;2:c|d", or the message of what is refused.
std::string read_source(std::string_view bytes, TransferFormat format = TransferFormat::csv) {
  ImportSource source(format, [&](std::uint64_t offset, char* buffer, std::size_t capacity) {
    const std::string_view rest = bytes.substr(std::min<std::size_t>(offset, bytes.size()));
    return rest.copy(buffer, capacity);
  });
  std::string found;
  try {
    while (const auto row = source.next()) {
      found.append(found.empty() ? "" : ";").append(std::to_string(row->line)).append(":");
      found += row->json;
      for (std::size_t i = 0; i < row->cells.size(); ++i)
        found.append(i == 0 ? "" : "|").append(row->cells[i].text);
    }
  } catch (const base::Error& error) {
    return error.message();
  }
  return found;
}

std::string utf16(std::u16string_view text, bool is_big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += is_big ? high : low;
    bytes += is_big ? low : high;
  }
  return bytes;
}

TEST(ImportSources, FindTheDelimiterInTheFirstLine) {
  EXPECT_EQ(read_source("a,b\n1;2,3\n"), "1:a|b;2:1;2|3");
  EXPECT_EQ(read_source("a;\"b,c,d\"\n1;2\n"), "1:a|b,c,d;2:1|2");
  EXPECT_EQ(read_source("a\tb\n1\t2,3\n"), "1:a|b;2:1|2,3");
  EXPECT_EQ(read_source("a\n1\n"), "1:a;2:1");
}

TEST(ImportSources, KnowTheirEncodingByItsMark) {
  EXPECT_EQ(read_source("\xEF\xBB\xBFid\n\xC3\xA4\n"), "1:id;2:\xC3\xA4");
  for (const bool is_big : {false, true}) {
    const std::string bytes = utf16(
        u"\xFEFF"
        u"id;n\r\n\xE4;\xD83D\xDE00\r\n",
        is_big);
    EXPECT_EQ(read_source(bytes), "1:id|n;2:\xC3\xA4|\xF0\x9F\x98\x80");
    EXPECT_EQ(read_source(bytes + "x"), "The file ends within a character.");
    EXPECT_EQ(read_source(utf16(u"\xFEFF\xDE00", is_big)),
              "The file is no UTF-16, as its first bytes say.");
    EXPECT_EQ(read_source(utf16(u"\xFEFF\xD83D", is_big)), "The file ends within a character.");
  }
}

TEST(ImportSources, SplitRecordsOfJson) {
  const auto json = TransferFormat::json;
  EXPECT_EQ(read_source("[]", json), "");
  EXPECT_EQ(read_source(" [\n{\"a\":[1,{}]} , {\"b\":\"}\\\"]\"}\n]\n", json),
            "1:{\"a\":[1,{}]};2:{\"b\":\"}\\\"]\"}");
  EXPECT_EQ(read_source("{}", json), "The file is no array of JSON.");
  EXPECT_EQ(read_source("[{}", json), "The file ends within record 2 or its array.");
  EXPECT_EQ(read_source("[{}]{", json), "The end of the array is followed by more text.");
  EXPECT_EQ(read_source("[1]", json), "What follows record 0 is no JSON object.");
  EXPECT_EQ(read_source("{\"a\":1}\n\n{}\n", TransferFormat::jsonl), "1:{\"a\":1};2:{}");
  EXPECT_EQ(read_source("{}\n[]\n", TransferFormat::jsonl),
            "What follows record 1 is no JSON object.");
  EXPECT_EQ(read_source("{\"a\":\n", TransferFormat::jsonl),
            "The file ends within record 1 or its array.");
  EXPECT_EQ(read_source("{\"" + std::string(1024 * 1024, 'a') + "\":1}", TransferFormat::jsonl),
            "Record 1 has more than 1048576 bytes.");
}

TEST(ImportSources, AreReadInPieces) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20'000; ++i)
    text += std::to_string(i) + ",\"x\ny\"\n";
  const std::string rows = read_source(text);
  EXPECT_TRUE(rows.ends_with(";40000:19999|x\ny"));
}

}  // namespace
}  // namespace tenon::records::test
