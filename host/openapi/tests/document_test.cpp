#include "openapi/document.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "openapi/operation.hpp"

namespace tenon::openapi {

namespace {

using http::Method;
using routing::Access;
using routing::Route;
using routing::RouteSet;

class Nothing final : public http::Handler {
 public:
  void handle(const http::ExchangePtr&) override {}
};

Route route(Method method, std::string pattern, Access access = Access::signed_in) {
  static Nothing nothing;
  Route route;
  route.method = method;
  route.pattern = std::move(pattern);
  route.access = access;
  route.handler = &nothing;
  return route;
}

std::string text_of(std::vector<Route> routes, const std::string& prefix = "/api/notes") {
  const auto set = std::make_shared<RouteSet>("notes", prefix, std::move(routes));
  const Whole whole{"Home", "1.0.0", "tenon_session", {{"notes", "Notes: for all"}}};
  return document({set}, whole, [](const Route&) { return true; });
}

Poco::JSON::Object::Ptr member(const Poco::JSON::Object::Ptr& object, const std::string& name) {
  EXPECT_TRUE(object && object->has(name)) << name;
  return object ? object->getObject(name) : nullptr;
}

Poco::JSON::Object::Ptr operation(const std::string& text, const std::string& path,
                                  const std::string& method) {
  return member(member(member(base::parse_json_object(text), "paths"), path), method);
}

}  // namespace

TEST(Document, DescribesEachRouteByItsFragment) {
  Route save = route(Method::patch, "/api/notes/notes/{id}", Access::permission);
  save.permission = "notes.use";
  save.summary = "Saves a note";
  save.body = http::BodyMode::json;
  save.body_limit = 4096;
  const auto saved = operation(text_of({save}), "/api/notes/notes/{id}", "patch");
  EXPECT_EQ(saved->getValue<std::string>("operationId"), "patch.notes.notes._id");
  EXPECT_EQ(saved->getValue<std::string>("summary"), "Saves a note");
  EXPECT_EQ(saved->getValue<std::string>("description"), "Needs the permission `notes.use`.");
  EXPECT_EQ(saved->getValue<std::string>("x-permission"), "notes.use");
  EXPECT_EQ(saved->getValue<int>("x-body-limit"), 4096);
  EXPECT_EQ(saved->getArray("tags")->getElement<std::string>(0), "notes");
  const auto id = saved->getArray("parameters")->getObject(0);
  EXPECT_EQ(id->getValue<std::string>("name"), "id");
  EXPECT_TRUE(id->getValue<bool>("required"));
  for (const char* status : {"2XX", "401", "403", "4XX", "5XX"})
    EXPECT_TRUE(saved->getObject("responses")->has(status)) << status;
}

TEST(Document, IsTheSameForTheSameRoutes) {
  const std::vector<Route> routes{route(Method::get, "/api/notes/a"),
                                  route(Method::post, "/api/notes/b/{id}")};
  EXPECT_EQ(text_of(routes), text_of(routes));
}

TEST(Document, MergesPatternsThatDifferInNames) {
  Route change = route(Method::patch, "/api/notes/{note}");
  change.operation = [] {
    return R"({"parameters":[{"name":"note","in":"path","required":true}]})";
  };
  const std::string text = text_of({route(Method::get, "/api/notes/{id}"), change});
  const auto patch = operation(text, "/api/notes/{id}", "patch");
  ASSERT_EQ(patch->getArray("parameters")->size(), 1U);
  EXPECT_EQ(patch->getArray("parameters")->getObject(0)->getValue<std::string>("name"), "id");
}

TEST(Document, OmitsHiddenForeignAndClosedRoutes) {
  const auto set = std::make_shared<RouteSet>(
      "notes", "",
      std::vector{route(Method::get, "/page"), route(Method::get, "/api/a"),
                  route(Method::get, "/api/b", Access::admin)});
  const Whole whole{"Home", "1.0.0", "tenon_session", {}};
  const auto shown = [](const Route& one) { return one.access != Access::admin; };
  const auto paths = member(base::parse_json_object(document({set}, whole, shown)), "paths");
  EXPECT_EQ(paths->getNames(), std::vector<std::string>{"/api/a"});
  set->gate().close();
  EXPECT_EQ(set->gate().in_flight(), 0);
  EXPECT_EQ(member(base::parse_json_object(document({set}, whole, shown)), "paths")->size(), 0U);
}

TEST(Document, DescribesARouteWithoutItsInvalidFragment) {
  for (const char* wrong :
       {"[]", R"({"responses":{"200":{"$ref":"#/components/schemas/nowhere"}}})"}) {
    Route broken = route(Method::get, "/api/notes/a");
    broken.operation = [wrong] { return wrong; };
    const auto described = operation(text_of({broken}), "/api/notes/a", "get");
    EXPECT_TRUE(described->getObject("responses")->has("2XX"));
    EXPECT_FALSE(described->getObject("responses")->has("200"));
  }
}

TEST(Document, GivesSimilarOperationsDifferentIds) {
  const std::string text =
      text_of({route(Method::get, "/api/notes/{id}"), route(Method::get, "/api/notes/_id")});
  EXPECT_NE(operation(text, "/api/notes/{id}", "get")->getValue<std::string>("operationId"),
            operation(text, "/api/notes/_id", "get")->getValue<std::string>("operationId"));
}

TEST(Document, DescribesTheRestOfAPath) {
  const auto described = operation(text_of({route(Method::get, "/api/notes/files/{path...}")}),
                                   "/api/notes/files/{path}", "get");
  const auto rest = described->getArray("parameters")->getObject(0);
  EXPECT_EQ(rest->getValue<std::string>("name"), "path");
  EXPECT_TRUE(rest->has("description"));
}

TEST(Operation, HasAnIdOfMethodAndPath) {
  EXPECT_EQ(operation_id(route(Method::del, ""), "/api/core/users/{id}"), "delete.core.users._id");
  EXPECT_EQ(operation_id(route(Method::get, ""), "/healthz"), "get.healthz");
  EXPECT_EQ(operation_id(route(Method::get, ""), "/api/a/b~c"), "get.a.b-c");
  EXPECT_EQ(shape_of("/a/{b}/{c}/d"), shape_of("/a/{x}/{y}/d"));
}

}  // namespace tenon::openapi
