#include <gtest/gtest.h>

#include "packages/manifest/semantic_version.hpp"
#include "packages/manifest/version_range.hpp"

namespace tenon::plugins {
namespace {

SemanticVersion version(std::string_view text) {
  return SemanticVersion::parse(text).value();
}

TEST(SemanticVersion, OrdersAsTheSpecificationDoes) {
  const char* ascending[] = {
      "0.0.1",      "0.1.0",        "1.0.0-alpha",   "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",    "1.0.0",
      "1.0.1",      "1.2.0",        "1.10.0",        "2.0.0"};
  for (std::size_t i = 1; i < std::size(ascending); ++i)
    EXPECT_LT(version(ascending[i - 1]), version(ascending[i])) << ascending[i];
  EXPECT_EQ(version("1.0.0+linux"), version("1.0.0+other"));
}

TEST(SemanticVersion, RefusesInvalidVersions) {
  for (const char* text :
       {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+",
        "1.2.x", " 1.2.3", "1.2.3 ", "1.-2.3", "1.2.99999999999", "1.2.3-a_b",
        "1.2.3-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    EXPECT_FALSE(SemanticVersion::parse(text)) << text;
  }
  EXPECT_TRUE(SemanticVersion::parse("1.2.3-a-b.0+001"));
}

TEST(VersionRange, MatchesVersions) {
  const struct {
    const char* range;
    const char* inside;
    const char* outside;
  } cases[] = {
      {"*", "0.0.1 9.9.9", "1.0.0-beta"},
      {"1", "1.0.0 1.9.9", "0.9.9 2.0.0 2.0.0-beta"},
      {"1.2", "1.2.0 1.2.9", "1.3.0 1.1.9"},
      {"1.2.x", "1.2.0 1.2.9", "1.3.0"},
      {"1.2.3", "1.2.3", "1.2.4 1.2.2 1.2.3-a"},
      {"=1.2.3", "1.2.3", "1.2.4"},
      {"^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 2.0.0-rc.1"},
      {"^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2"},
      {"^0.0.3", "0.0.3", "0.0.4"},
      {"^0", "0.0.0 0.9.0", "1.0.0"},
      {"^1.2", "1.2.0 1.3.0", "2.0.0 1.1.0"},
      {"~1.2.3", "1.2.3 1.2.9", "1.3.0"},
      {"~1", "1.0.0 1.9.0", "2.0.0"},
      {">=1.2.3 <2.0.0", "1.2.3 1.9.9", "2.0.0 1.2.2 2.0.0-a"},
      {">1.2", "1.3.0 2.0.0", "1.2.9"},
      {"<=1.2", "1.2.9 0.1.0", "1.3.0"},
      {"<1.2.3", "1.2.2", "1.2.3"},
      {">1.2.3", "1.2.4", "1.2.3"},
      {"^1.0 || ^3.0", "1.5.0 3.1.0", "2.0.0 4.0.0"},
      {"^0.0.0-0", "0.0.0-0 0.0.0-a 0.0.0", "0.0.1 0.0.1-0"},
      {">=1.0.0-0", "1.0.0-0 1.0.0-1 2.0.0", "0.9.0 1.0.1-0"},
      {"^999999999", "999999999.0.0 999999999.999999999.999999999", "999999998.0.0"},
      {"~1.999999999", "1.999999999.7", "1.0.0 2.0.0"},
      {"^1.2.3-beta.2", "1.2.3-beta.2 1.2.3-rc.1 1.2.3 1.3.0", "1.2.3-beta.1 1.2.4-beta.3"}};
  for (const auto& test : cases) {
    const auto range = VersionRange::parse(test.range);
    ASSERT_TRUE(range) << test.range;
    const auto each = [](const std::string& list, auto&& check) {
      for (std::size_t at = 0; at < list.size();) {
        const std::size_t end = std::min(list.find(' ', at), list.size());
        check(list.substr(at, end - at));
        at = end + 1;
      }
    };
    each(test.inside, [&](const std::string& text) {
      EXPECT_TRUE(range->matches(version(text))) << test.range << " " << text;
    });
    each(test.outside, [&](const std::string& text) {
      EXPECT_FALSE(range->matches(version(text))) << test.range << " " << text;
    });
  }
}

TEST(VersionRange, RefusesInvalidRanges) {
  for (const char* text : {"", " ", "latest", "1.2.3.4", "^", ">=", "1 ||", "|| 1", "1..2", "1.2.",
                           "x.1.2", ">*", "<x", "~>1.2", "1.2.3-", "^1000000000", "1.4294967295"}) {
    EXPECT_FALSE(VersionRange::parse(text)) << text;
  }
  EXPECT_FALSE(VersionRange::parse(std::string(300, '1')));
}

}  // namespace
}  // namespace tenon::plugins
