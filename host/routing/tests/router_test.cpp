#include "routing/router.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "http/connection/hold.hpp"
#include "observability/metrics.hpp"
#include "observability/request_metrics.hpp"

namespace tenon::routing {

namespace {

class Nothing : public http::Handler {
 public:
  void handle(const http::ExchangePtr&) override {}
};
Nothing nothing;

std::shared_ptr<const RouteSet> set(const std::string& owner, const std::string& prefix) {
  Route route;
  route.pattern = prefix + "/{rest...}";
  route.handler = &nothing;
  return std::make_shared<RouteSet>(owner, prefix, std::vector{route});
}

}  // namespace

TEST(Router, PrefersTheLongestPrefix) {
  observability::Metrics metrics;
  Router router(metrics);
  EXPECT_EQ(router.current().find("/x"), nullptr);
  router.publish(set("shell", ""));
  router.publish(set("ui", "/ui"));
  router.publish(set("notes", "/api/notes"));
  const auto owner = [&](std::string_view path) {
    return router.current().find(path)->routes->owner();
  };
  EXPECT_EQ(owner("/"), "shell");
  EXPECT_EQ(owner("/ui/a.js"), "ui");
  EXPECT_EQ(owner("/uix"), "shell");
  EXPECT_EQ(owner("/api/notes"), "notes");
  EXPECT_EQ(owner("/api/notes/a/b"), "notes");
  EXPECT_EQ(owner("/api/notesx"), "shell");
}

TEST(Router, FindsLiteralPathsByTheirPrefix) {
  observability::Metrics metrics;
  Router router(metrics);
  const auto literals = [](const std::string& owner, const std::string& prefix,
                           std::initializer_list<const char*> ends) {
    std::vector<Route> routes;
    for (const char* end : ends) {
      Route& route = routes.emplace_back();
      route.pattern = prefix + end;
      route.handler = &nothing;
    }
    return std::make_shared<RouteSet>(owner, prefix, std::move(routes));
  };
  const auto owner = [&](std::string_view path) -> std::string {
    const auto [section, match] = router.current().match(http::Method::get, path);
    if (section == nullptr || !section->routes) return "none";
    return match.route == nullptr ? "no route" : section->routes->owner();
  };
  EXPECT_EQ(owner("/api/core/a"), "none");
  router.publish(
      literals("core", "/api/core", {"/a", "/notes/b", "/{name}/c", "/0123456789abcdef"}));
  EXPECT_EQ(owner("/api/core/a"), "core");
  EXPECT_EQ(owner("/api/core/notes/b"), "core");
  EXPECT_EQ(owner("/api/core/notes/c"), "core");
  EXPECT_EQ(owner("/api/core/0123456789abcdef"), "core");
  EXPECT_EQ(owner("/api/core/0123456789abcdeg"), "no route");
  EXPECT_EQ(owner("/api/core/a/"), "no route");
  EXPECT_EQ(owner("/api/core"), "no route");
  const auto post = router.current().match(http::Method::post, "/api/core/a").match;
  EXPECT_EQ(post.route, nullptr);
  EXPECT_EQ(post.allowed, "GET, HEAD, OPTIONS");
  // A path below a longer prefix belongs to that prefix's owner, whatever the shorter one says.
  router.publish(literals("notes", "/api/core/notes", {"/d"}));
  EXPECT_EQ(owner("/api/core/notes/b"), "no route");
  EXPECT_EQ(owner("/api/core/notes/d"), "notes");
  EXPECT_EQ(owner("/api/core/a"), "core");
  router.unpublish("/api/core/notes", {503, "plugins.draining", "…"});
  EXPECT_EQ(owner("/api/core/notes/d"), "none");
  router.remove("/api/core/notes");
  EXPECT_EQ(owner("/api/core/notes/b"), "core");
  router.remove("/api/core");
  EXPECT_EQ(owner("/api/core/a"), "none");
}

TEST(Router, ForwardsPublicPathsToPublicRoutes) {
  observability::Metrics metrics;
  Router router(metrics);
  const auto route = [](const char* pattern, Access access, http::Method method) {
    Route made;
    made.pattern = pattern;
    made.access = access;
    made.method = method;
    made.handler = &nothing;
    return made;
  };
  const auto links = std::make_shared<RouteSet>(
      "links", "/api/links",
      std::vector{route("/api/links/go", Access::everyone, http::Method::get),
                  route("/api/links/go/{code}", Access::everyone, http::Method::get),
                  route("/api/links/go/{code}", Access::everyone, http::Method::put),
                  route("/api/links/go/{code}", Access::signed_in, http::Method::post),
                  route("/api/links/go/all", Access::signed_in, http::Method::get),
                  route("/api/links/list", Access::everyone, http::Method::get)},
      std::vector<PublicPath>{{"/s", "/api/links/go"}, {"/none", "/api/links/none"}});
  const auto served = [&](std::string_view path, http::Method method = http::Method::get) {
    const auto [section, match] = router.current().match(method, path);
    return section == nullptr || match.route == nullptr
               ? std::string("none")
               : section->routes->owner() + " " + match.route->pattern;
  };
  router.publish(set("shell", ""));
  router.publish(links);
  EXPECT_EQ(served("/s/x"), "shell /{rest...}") << "not forwarded yet";
  router.forward({{"/s", "/api/links"}, {"/none", "/api/links"}, {"/gone", "/api/gone"}});
  EXPECT_EQ(served("/s"), "links /api/links/go");
  EXPECT_EQ(served("/s/x"), "links /api/links/go/{code}");
  EXPECT_EQ(router.current().match(http::Method::get, "/s/x").match.parameters.values[0], "x");
  EXPECT_EQ(served("/s/x", http::Method::head), "links /api/links/go/{code}");
  for (const char* path : {"/s/all", "/s/", "/s/x/y", "/none", "/none/x", "/gone/x"})
    EXPECT_EQ(served(path), "none") << path;
  for (const http::Method method :
       {http::Method::put, http::Method::post, http::Method::options, http::Method::del})
    EXPECT_EQ(served("/s/x", method), "none");
  EXPECT_EQ(served("/sx"), "shell /{rest...}");
  EXPECT_EQ(served("/api/links/go/x", http::Method::put), "links /api/links/go/{code}");
  // The reason of a plugin that is not active, and a hold, apply to its public paths.
  router.unpublish("/api/links", {404, "plugins.not_active", "…"});
  EXPECT_EQ(router.current().match(http::Method::get, "/s/x").section->unavailable->code(),
            "plugins.not_active");
  router.publish(links);
  router.hold("/api/links", std::make_shared<http::Hold>());
  EXPECT_TRUE(router.current().match(http::Method::get, "/s/x").section->hold);
  router.publish(links);
  router.forward({});
  EXPECT_EQ(served("/s/x"), "shell /{rest...}");
  // A prefix of the host wins.
  router.publish(set("ui", "/ui"));
  router.forward({{"/ui", "/api/links"}});
  EXPECT_EQ(served("/ui/x"), "ui /ui/{rest...}");
}

TEST(Router, GivesTheReasonOfAnInactiveOwner) {
  observability::Metrics metrics;
  Router router(metrics);
  router.publish(set("notes", "/api/notes"));
  router.unpublish("/api/notes", {503, "plugins.draining", "…"});
  ASSERT_TRUE(router.current().find("/api/notes/x")->unavailable);
  EXPECT_EQ(router.current().find("/api/notes/x")->unavailable->code(), "plugins.draining");
  router.remove("/api/notes");
  EXPECT_EQ(router.current().find("/api/notes/x"), nullptr);
}

TEST(Router, KeepsTheCountersOfAReturningOwner) {
  observability::Metrics metrics;
  Router router(metrics);
  router.publish(set("notes", "/api/notes"));
  router.current().find("/api/notes")->records[0]->metrics.observe(200, 1000);
  router.unpublish("/api/notes", {404, "plugins.not_active", "…"});
  router.publish(set("notes", "/api/notes"));
  for (const int status : {500, 503, 507})
    router.current().find("/api/notes")->records[0]->metrics.observe(status, 1000);
  EXPECT_EQ(router.totals("notes").requests, 4U);
  EXPECT_EQ(router.totals("notes").errors, 3U);
  EXPECT_EQ(router.totals("notes").faults, 1U);
  EXPECT_EQ(router.totals("tasks").requests, 0U);
}

TEST(Router, SwapsUnderReaders) {
  observability::Metrics metrics;
  Router router(metrics);
  router.publish(set("notes", "/api/notes"));
  std::atomic<bool> stop{false};
  std::atomic<int> odd{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const Section* section = router.current().find("/api/notes/x");
        if (!section || (section->routes == nullptr) == (section->unavailable == nullptr)) ++odd;
      }
    });
  }
  for (int i = 0; i < 500; ++i) {
    router.unpublish("/api/notes", {404, "plugins.not_active", "…"});
    router.publish(set("notes", "/api/notes"));
  }
  stop = true;
  for (auto& reader : readers)
    reader.join();
  EXPECT_EQ(odd.load(), 0);
}

}  // namespace tenon::routing
