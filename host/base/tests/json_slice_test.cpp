#include "base/json_slice.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

std::vector<std::string> members(std::string_view text) {
  std::vector<std::string> found;
  JsonSlice(text).each_member([&](const std::string& name, const JsonSlice& value) {
    found.push_back(name + "=" + std::string(value.text()));
  });
  return found;
}

std::vector<std::string> elements(std::string_view text) {
  std::vector<std::string> found;
  JsonSlice(text).each_element([&](const JsonSlice& value) { found.emplace_back(value.text()); });
  return found;
}

using Texts = std::vector<std::string>;

TEST(JsonSlice, WalksObjects) {
  EXPECT_EQ(members(" { } "), Texts{});
  EXPECT_EQ(members("{}"), Texts{});
  EXPECT_EQ(members("\n{ \"a\" : 1 , \"b\":\"x,}\\\"\" ,\"\\u0063\": [1,{\"d\":[]}] , \"e\":{ "
                    "\"f\" : 2 } }\t"),
            (Texts{"a=1", R"(b="x,}\"")", R"(c=[1,{"d":[]}])", R"(e={ "f" : 2 })"}));
}

TEST(JsonSlice, WalksArrays) {
  EXPECT_EQ(elements("[]"), Texts{});
  EXPECT_EQ(elements("[ ]"), Texts{});
  EXPECT_EQ(elements("[1]"), Texts{"1"});
  EXPECT_EQ(elements("[ -1.5e3 ,null,[[]], \"]\" ,{\"a\":\"]\"},true]"),
            (Texts{"-1.5e3", "null", "[[]]", "\"]\"", R"({"a":"]"})", "true"}));
}

TEST(JsonSlice, KnowsTypes) {
  EXPECT_EQ(JsonSlice(" {} ").type(), JsonType::object);
  EXPECT_EQ(JsonSlice("[]").type(), JsonType::array);
  EXPECT_EQ(JsonSlice("\"\"").type(), JsonType::string);
  EXPECT_EQ(JsonSlice("-1").type(), JsonType::number);
  EXPECT_TRUE(JsonSlice("null").is_null());
  EXPECT_TRUE(JsonSlice("true").boolean());
  EXPECT_FALSE(JsonSlice("false").boolean());
}

TEST(JsonSlice, ReadsNumbers) {
  EXPECT_EQ(JsonSlice("9223372036854775807").integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(JsonSlice("-9223372036854775808").integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(JsonSlice("9223372036854775808").integer(), std::nullopt);
  EXPECT_EQ(JsonSlice("1.0").integer(), 1);
  EXPECT_EQ(JsonSlice("1e2").integer(), 100);
  EXPECT_EQ(JsonSlice("1.5").integer(), std::nullopt);
  EXPECT_EQ(JsonSlice("1e300").integer(), std::nullopt);
  EXPECT_EQ(JsonSlice("0.1").number(), 0.1);
}

TEST(JsonSlice, ReadsStrings) {
  EXPECT_EQ(JsonSlice(R"("")").string(), "");
  EXPECT_EQ(JsonSlice(R"("a\"\\\/\b\f\n\r\t€")").string(), "a\"\\/\b\f\n\r\t€");
  EXPECT_EQ(JsonSlice(R"("\u0041\u00e9\u20AC\ud83d\ude00z")").string(), "Aé€😀z");
}

}  // namespace
}  // namespace tenon::base
