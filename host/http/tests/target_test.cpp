#include "http/parser/target.hpp"

#include <gtest/gtest.h>

namespace tenon::http {
namespace {

struct TargetOutcome {
  const Refusal* refusal = nullptr;
  Target target;
  std::string decoded;
};

TargetOutcome parse_target(std::string_view text, std::string_view method = "GET") {
  TargetOutcome outcome;
  outcome.refusal = read_target(method, text, outcome.decoded, outcome.target);
  // The path may point into the string that has just moved.
  outcome.decoded = std::string(outcome.target.path);
  return outcome;
}

TEST(Target, TakesPathAndQueryApart) {
  const TargetOutcome outcome = parse_target("/a/b?c=%2F&d");
  ASSERT_EQ(outcome.refusal, nullptr);
  EXPECT_EQ(outcome.decoded, "/a/b");
  EXPECT_EQ(outcome.target.query, "c=%2F&d");
  EXPECT_EQ(outcome.target.origin, "/a/b?c=%2F&d");
}

TEST(Target, DecodesThePathOnce) {
  EXPECT_EQ(parse_target("/a%20b/%C3%A4").decoded, "/a b/\xC3\xA4");
  EXPECT_EQ(parse_target("/a%252Fb").decoded, "/a%2Fb");
  EXPECT_EQ(parse_target("/a+b").decoded, "/a+b");
}

TEST(Target, TakesTheAbsoluteForm) {
  const TargetOutcome outcome = parse_target("http://example.org:81/a?b");
  ASSERT_EQ(outcome.refusal, nullptr);
  EXPECT_EQ(outcome.target.authority, "example.org:81");
  EXPECT_EQ(outcome.target.origin, "/a?b");
  EXPECT_EQ(parse_target("https://a").decoded, "/");
}

TEST(Target, TakesTheAsteriskForOptionsOnly) {
  EXPECT_EQ(parse_target("*", "OPTIONS").refusal, nullptr);
  EXPECT_NE(parse_target("*").refusal, nullptr);
}

TEST(Target, OpensNoTunnel) {
  const TargetOutcome outcome = parse_target("a:443", "CONNECT");
  ASSERT_NE(outcome.refusal, nullptr);
  EXPECT_EQ(outcome.refusal->status, 501);
}

TEST(Target, LetsDotsInNamesPass) {
  EXPECT_EQ(parse_target("/.well-known/caldav").refusal, nullptr);
  EXPECT_EQ(parse_target("/a..b/c.").refusal, nullptr);
  EXPECT_EQ(parse_target("/...").refusal, nullptr);
}

class TargetRefuses : public testing::TestWithParam<const char*> {};

TEST_P(TargetRefuses, AsBadRequest) {
  const TargetOutcome outcome = parse_target(GetParam());
  ASSERT_NE(outcome.refusal, nullptr);
  EXPECT_EQ(outcome.refusal->status, 400);
}

INSTANTIATE_TEST_SUITE_P(Table, TargetRefuses,
                         testing::Values("a", "", "//..", "//a.example/b", "//", "/..", "/.",
                                         "/a/../b", "/a/./b", "/a/..", "/%2e%2e/a", "/.%2E/a",
                                         "/%2e", "/a%2Fb", "/a%2fb", "/%2e%2e%2fetc", "/a%00b",
                                         "/a%0ab", "/a%0d", "/a%1f", "/a%7f", "/a%", "/a%2",
                                         "/a%zz", "/a%-1", "/%c0%af", "/%c0%ae%c0%ae", "/%ff",
                                         "/%ed%a0%80", "/%c3", "/%f5%80%80%80", "/a#b", "/a\x80",
                                         "ftp://a/b", "http://", "http:///a", "http://u@a/",
                                         "http://a?b", "javascript:alert(1)", "a:443"));

}  // namespace
}  // namespace tenon::http
