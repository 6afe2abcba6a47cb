#include "records/query/query_text.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::records {
namespace {

std::string refused(std::string_view query) {
  try {
    parse_query(query);
  } catch (const base::Error& error) {
    return std::to_string(error.status()) + " " + error.code();
  }
  return {};
}

TEST(QueryText, TakesAQueryApart) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse_query(""), Pairs{});
  EXPECT_EQ(parse_query("a=b&c=d%20e+f&&g&h=i=j%C3%A4"),
            (Pairs{{"a", "b"}, {"c", "d e f"}, {"g", ""}, {"h", "i=j\xC3\xA4"}}));
}

TEST(QueryText, RefusesWhatIsNoQuery) {
  for (const char* query : {"a=%", "a=%4", "a=%zz", "a=%ff", "a=1&a=2", "%61=1&a=1"})
    EXPECT_EQ(refused(query), "400 records.bad_query") << query;
}

TEST(QueryText, BytesComeBackFromBase64url) {
  for (const std::string& bytes :
       {std::string(), std::string("a"), std::string("\0\xFF", 2), std::string(1000, '\xFB')}) {
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
    EXPECT_EQ(to_base64url(bytes).find_first_of("+/="), std::string::npos);
  }
  for (const char* text : {"a", "a=", "+/+/", "YQ==", "YR", "Y Q", "W10\xFF"})
    EXPECT_FALSE(from_base64url(text)) << text;
}

TEST(QueryText, AQuotedFieldIsReadAsItIs) {
  EXPECT_EQ(read_quoted("\"a b, c\""), "a b, c");
  EXPECT_EQ(read_quoted(R"("a\"b\\c")"), R"(a"b\c)");
  EXPECT_EQ(read_quoted("\"\""), "");
  EXPECT_EQ(read_quoted("a-b_c:d"), "a-b_c:d");
  for (const char* text : {"\"", "\"a", "a\"", "a\"b\"", "\"a\"b\"", "a b", "a,b", "a;b",
                           R"("a\b")", R"("a\")", "\"\t\"", "\"\x7f\"", "\xC3\xA4"})
    EXPECT_FALSE(read_quoted(text)) << text;
}

}  // namespace
}  // namespace tenon::records
