#include "base/json.hpp"

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

TEST(Json, RefusesWhatIsNot) {
  for (const char* text : {"", "{", "{\"a\":1,}", "[1,]", "{'a':1}", "{\"a\":1} x", "nul", "[01]",
                           "// c\n{}", "\"a\nb\"", "{\"a\" 1}"}) {
    EXPECT_EQ(code_of(text), "json.invalid") << text;
  }
  EXPECT_EQ(code_of(std::string_view("{\"a\":\"\0\"}", 9)), "json.invalid");
  EXPECT_EQ(code_of("[\"\xC0\xAF\"]"), "json.invalid");
  EXPECT_THROW(parse_json_object("[1]"), Error);
}

TEST(Json, RefusesTheNulCharacterButNotAWordAboutIt) {
  for (const char* text : {R"(["\u0000"])", R"(["a\\\u0000"])", R"({"\u0000":1})"})
    EXPECT_EQ(code_of(text), "json.invalid") << text;
  for (const char* text : {R"(["\\u0000"])", R"(["a\\\\u0000 \u0001"])"})
    EXPECT_EQ(code_of(text), "") << text;
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
