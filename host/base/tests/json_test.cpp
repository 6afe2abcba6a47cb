#include "base/json.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::base {

namespace {
std::string code_of(std::string_view text, JsonLimits limits = {}) {
  try {
    check_json(text, limits);
  } catch (const Error& error) {
    return error.code();
  }
  return "";
}
std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}
}  // namespace

TEST(Json, ReadsWhatIsValid) {
  const auto object = parse_json_object(R"({"a":[1,2.5,"x",null,true],"b":{"c":"\u00e9"}})");
  EXPECT_EQ(object->getArray("a")->size(), 5U);
  EXPECT_EQ(object->getObject("b")->getValue<std::string>("c"), "\xC3\xA9");
}

TEST(Json, ReadsATextThatIsOneValue) {
  EXPECT_EQ(parse_json(" 12 ").convert<int>(), 12);
  EXPECT_EQ(parse_json("\"a\"").extract<std::string>(), "a");
  EXPECT_TRUE(parse_json("null").isEmpty());
  for (const char* text : {"1,2", "1]", "", "tru", "\"a"})
    EXPECT_THROW(parse_json(text), Error) << text;
  EXPECT_THROW(parse_json_object("12"), Error);
}

TEST(Json, RefusesWhatIsNot) {
  for (const char* text : {"", "{", "{\"a\":1,}", "[1,]", "{'a':1}", "{\"a\":1} x", "nul", "[01]",
                           "// c\n{}", "\"a\nb\"", "{\"a\" 1}"}) {
    EXPECT_EQ(code_of(text), "json.invalid") << text;
  }
  EXPECT_EQ(code_of(std::string_view("{\"a\":\"\0\"}", 9)), "json.invalid");
  EXPECT_EQ(code_of("[\"\xC0\xAF\"]"), "json.invalid");
  EXPECT_THROW(parse_json_object("[1]"), Error);
}

TEST(Json, RefusesOnlyTheNulCharacter) {
  for (const char* text : {R"(["\u0000"])", R"(["a\\\u0000"])", R"({"\u0000":1})"})
    EXPECT_EQ(code_of(text), "json.invalid") << text;
  for (const char* text : {R"(["\\u0000"])", R"(["a\\\\u0000 \u0001"])"})
    EXPECT_EQ(code_of(text), "") << text;
}

TEST(Json, KeepsIntegersUpTo64Bits) {
  const auto array =
      parse_json_object(R"({"a":[-9223372036854775808,18446744073709551615]})")->getArray("a");
  EXPECT_EQ(array->getElement<Poco::Int64>(0), INT64_MIN);
  EXPECT_EQ(array->getElement<Poco::UInt64>(1), UINT64_MAX);
  // Poco alone reads these as the nearest double.
  const auto odd = parse_json_object(
      R"({"x":"-9007199254740995","a":[-9007199254740991,-9007199254740993,-1.5e300,5,-1844674407370958103]})");
  EXPECT_EQ(odd->getArray("a")->getElement<Poco::Int64>(0), -9007199254740991);
  EXPECT_EQ(odd->getArray("a")->getElement<Poco::Int64>(1), -9007199254740993);
  EXPECT_EQ(odd->getArray("a")->getElement<Poco::Int64>(4), -1844674407370958103);
  EXPECT_EQ(parse_json("-9223372036854775807").convert<Poco::Int64>(), INT64_MIN + 1);
  for (const char* text : {"-9223372036854775809", "18446744073709551616",
                           "[0,99999999999999999999]", R"({"\\":-100000000000000000000000})"})
    EXPECT_EQ(code_of(text), "json.invalid") << text;
  for (const char* text :
       {R"(["99999999999999999999","\"99999999999999999999"])", "0.99999999999999999999",
        "99999999999999999999.0", "[1e-99999999999999999999,1E25]", "-999999999999999999"})
    EXPECT_EQ(code_of(text), "") << text;
  try {
    check_json("[1,36893488147419103232]");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("36893488147419103232"), std::string::npos);
  }
}

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_EQ(code_of(R"({"a":1,"a":2})"), "json.invalid");
  EXPECT_EQ(code_of(R"({"a":{"b":1},"c":{"b":1}})"), "");
}

TEST(Json, KeepsItsLimits) {
  EXPECT_EQ(code_of(nested(64)), "");
  EXPECT_EQ(code_of(nested(65)), "json.invalid");
  EXPECT_EQ(code_of(nested(100'000)), "json.invalid");
  EXPECT_EQ(code_of("\"" + std::string(62, 'x') + "\"", {.max_bytes = 64}), "");
  EXPECT_EQ(code_of("\"" + std::string(63, 'x') + "\"", {.max_bytes = 64}), "json.too_large");
}

}  // namespace tenon::base
