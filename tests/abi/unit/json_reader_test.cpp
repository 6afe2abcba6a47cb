// Compares the quick reader with nlohmann's: a value that it reads is the same there; text that it
// leaves is invalid there too, or rare.

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tenon/json.hpp>

namespace tenon::test {
namespace {

enum class Read { same, left, wrong };

Read compare(const std::string& text) {
  Json quick;
  if (!detail::JsonReader(text).read(quick)) return Read::left;
  const Json slow = Json::parse(text, nullptr, false);
  // dump() distinguishes integers from fractions, and 0 from -0; type() signed from unsigned.
  const bool is_same = !slow.is_discarded() && quick == slow && quick.type() == slow.type() &&
                       quick.flatten().dump() == slow.flatten().dump();
  return is_same ? Read::same : Read::wrong;
}

const std::vector<std::string> well_formed = {
    "{}",
    "[]",
    " [ ] ",
    "\"\"",
    "0",
    "-0",
    "-1",
    "1.5",
    "-1.5e-3",
    "1E+2",
    "0.1",
    "true",
    "false",
    "null",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "4.9e-324",
    "1.7976931348623157e308",
    "123456789012345678901234567890",
    R"({"a":1,"a":2,"b":{"c":[1,[2,{"d":null}]]}})",
    "\t{ \"a\" :\r\n[ 1 , 2 ] }\n",
    R"("\"\\\/\b\f\n\r\t\u0000\u001f\u0041\u00e9\u20AC\ud83d\ude00")",
    "\"1234567\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 and more than eight\"",
    "\"\x7F\"",
    "\"\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\xE0\xA0\x80\xF0\x90\x80\x80\"",
};

const std::vector<std::string> bad = {
    "",
    " ",
    "{",
    "}",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{a:1}",
    "{1:1}",
    "01",
    "-",
    "-01",
    "1.",
    ".1",
    "1e",
    "1e+",
    "+1",
    "0x1",
    "tru",
    "True",
    "nul",
    "NaN",
    "1 2",
    "[] x",
    "\"",
    "\"a",
    "\"\\\"",
    "\"\\x\"",
    "\"\\u12\"",
    "\"\\u12g4\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800\\u0041\"",
    "\"\\ud800x\"",
    "\"\\u+123\"",
    "\"\\u-123\"",
    "\"1234567\n\"",
    "\"\x1F\"",
    "\"\x80\"",
    "\"\xC0\x80\"",
    "\"\xC1\xBF\"",
    "\"\xC3\"",
    "\"\xC3(\"",
    "\"\xE0\x9F\xBF\"",
    "\"\xED\xA0\x80\"",
    "\"\xF0\x8F\xBF\xBF\"",
    "\"\xF4\x90\x80\x80\"",
    "\"\xF5\x80\x80\x80\"",
    "\"\xE2\x82\"",
    "\"12345678\xFF\"",
    "[\"a\" \"b\"]",
    "{\"a\" 1}",
};

TEST(JsonReader, TakesWhatIsJsonWithTheSameValue) {
  for (const std::string& text : well_formed)
    EXPECT_EQ(compare(text), Read::same) << text;
}

TEST(JsonReader, LeavesWhatIsNot) {
  for (const std::string& text : bad) {
    EXPECT_EQ(compare(text), Read::left) << text;
    EXPECT_THROW(parse_json(text), Error) << text;
  }
}

TEST(JsonReader, LeavesRareInputToParseJson) {
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  EXPECT_EQ(compare(deep), Read::left);
  EXPECT_EQ(to_text(parse_json(deep)), deep);
  EXPECT_EQ(compare(deep.substr(1, 128)), Read::same);
  EXPECT_EQ(compare("\xEF\xBB\xBF{}"), Read::left);
  EXPECT_EQ(to_text(parse_json("\xEF\xBB\xBF{}")), "{}");
}

TEST(JsonReader, SaysWhereTextIsWrong) {
  try {
    parse_json(R"({"a":1,})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "request.json");
    EXPECT_NE(std::string(error.message()).find("byte 8"), std::string::npos) << error.message();
  }
}

// Each byte of what is good, replaced, removed and doubled.
TEST(JsonReader, AgreesOnTextsThatAreNearlyRight) {
  constexpr std::string_view bytes = "\"\\{}[]:,0-.eE u\n\x01\x80\xC3\xED\xF0";
  std::mt19937 random(7);
  std::size_t taken = 0;
  for (const std::string& text : well_formed) {
    for (int round = 0; round < 2'000; ++round) {
      std::string other = text;
      for (int change = 0; change < 2; ++change) {
        const std::size_t at = random() % other.size();
        const std::string piece(random() % 3, bytes[random() % bytes.size()]);
        other.replace(at, random() % 2, piece);
        if (other.empty()) other = " ";
      }
      const Read read = compare(other);
      ASSERT_NE(read, Read::wrong) << other;
      const Json slow = Json::parse(other, nullptr, false);
      if (read == Read::left && !slow.is_discarded()) {
        ASSERT_NE(other.find_first_of("eE"), std::string::npos)
            << "left although it is right: " << other;
      }
      taken += read == Read::same ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 1'000U);
}

}  // namespace
}  // namespace tenon::test
