#include <gtest/gtest.h>

#include "base/error.hpp"
#include "routing/route.hpp"

namespace tenon::routing {

namespace {

class UnusedHandler : public http::Handler {
 public:
  void handle(const http::ExchangePtr&) override {}
};
UnusedHandler unused_handler;

Route route(http::Method method, std::string pattern) {
  Route made;
  made.method = method;
  made.pattern = std::move(pattern);
  made.handler = &unused_handler;
  return made;
}

std::string code_of(std::vector<Route> routes) {
  try {
    const RouteSet set("notes", "/api/notes", std::move(routes));
  } catch (const base::Error& error) {
    return error.code();
  }
  return "";
}

using enum http::Method;

RouteSet notes() {
  return RouteSet(
      "notes", "/api/notes",
      {route(get, "/api/notes/notes"), route(post, "/api/notes/notes"),
       route(get, "/api/notes/notes/{id}"), route(del, "/api/notes/notes/{id}"),
       route(get, "/api/notes/notes/recent"),
       route(get, "/api/notes/notes/{id}/revisions/{revision}"),
       route(get, "/api/notes/files/{path...}"), route(get, "/api/notes/notes/recent/{id}/text")});
}

}  // namespace

TEST(RouteSet, FindsTheMostSpecificPattern) {
  const RouteSet set = notes();
  EXPECT_EQ(set.match(get, "/api/notes/notes").route->pattern, "/api/notes/notes");
  EXPECT_EQ(set.match(get, "/api/notes/notes/recent").route->pattern, "/api/notes/notes/recent");
  const auto one = set.match(get, "/api/notes/notes/42");
  EXPECT_EQ(one.route->pattern, "/api/notes/notes/{id}");
  ASSERT_EQ(one.parameters.count, 1U);
  EXPECT_EQ(one.parameters.values[0], "42");
  const auto two = set.match(get, "/api/notes/notes/7/revisions/9");
  ASSERT_EQ(two.parameters.count, 2U);
  EXPECT_EQ(two.parameters.values[0], "7");
  EXPECT_EQ(two.parameters.values[1], "9");
}

TEST(RouteSet, FallsBackFromLiteralToParameter) {
  const RouteSet set = notes();
  const auto found = set.match(get, "/api/notes/notes/recent/revisions/1");
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.parameters.count, 2U);
  EXPECT_EQ(found.parameters.values[0], "recent");
}

TEST(RouteSet, TakesTheRest) {
  const RouteSet set = notes();
  EXPECT_EQ(set.match(get, "/api/notes/files/a/b.md").parameters.values[0], "a/b.md");
  EXPECT_EQ(set.match(get, "/api/notes/files/").parameters.values[0], "");
  EXPECT_EQ(set.match(get, "/api/notes/files").parameters.values[0], "");
}

TEST(RouteSet, ListsAllowedMethods) {
  const RouteSet set = notes();
  EXPECT_EQ(set.match(head, "/api/notes/notes").route->method, get);
  const auto wrong = set.match(put, "/api/notes/notes");
  EXPECT_EQ(wrong.route, nullptr);
  EXPECT_EQ(wrong.allowed, "GET, HEAD, POST, OPTIONS");
  EXPECT_TRUE(set.match(get, "/api/notes/nothing").allowed.empty());
  EXPECT_TRUE(set.match(get, "/api/notes/notes/").allowed.empty());
  EXPECT_TRUE(set.match(get, "/api/notes/notes//revisions/1").allowed.empty());
}

TEST(RouteSet, RefusesInvalidPatterns) {
  EXPECT_EQ(code_of({route(get, "/api/tasks/x")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "api/notes/x")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes/{id")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes/x{id}")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes/{}")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes//x")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes/{a...}/x")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(head, "/api/notes/x")}), "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}")}),
            "routing.invalid_pattern");
  EXPECT_EQ(code_of({route(get, "/api/notes/{a}"), route(get, "/api/notes/{b}")}),
            "routing.duplicate_route");
  EXPECT_EQ(code_of(std::vector<Route>(1001, route(get, "/api/notes/x"))), "routing.too_many");
}

TEST(RouteSet, RefusesToLookLikeAnotherPrefix) {
  EXPECT_EQ(code_of({route(get, "/api/notesx")}), "routing.invalid_pattern");
}

}  // namespace tenon::routing
