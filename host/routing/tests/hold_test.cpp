// The routes under a prefix are replaced while requests come: requests wait or find the new routes,
// and none is refused.

#include "http/connection/hold.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "data/database.hpp"
#include "events/bus.hpp"
#include "http/loop/server.hpp"
#include "http/tests/raw_client.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/identity.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/users/permissions.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "routing/dispatcher.hpp"
#include "routing/router.hpp"

namespace tenon::routing {

namespace {

using http::test::RawClient;
using http::test::Reply;

// The handlers and routes of one generation of an owner. Responds with its number and the body.
class Generation final : public http::Handler {
 public:
  Generation(int number, Access access, http::WorkerShare* share = nullptr) : number_(number) {
    std::vector<Route> routes(3);
    routes[0].pattern = "/api/notes/{id}";
    routes[1].pattern = "/api/notes/all";
    routes[2].pattern = "/api/notes/{id}";
    routes[2].method = http::Method::post;
    routes[2].body = http::BodyMode::whole;
    routes[2].body_limit = 1000;
    for (Route& route : routes) {
      route.access = access;
      route.handler = this;
      route.share = share;
    }
    set = std::make_shared<RouteSet>("notes", "/api/notes", std::move(routes));
  }
  ~Generation() override { number_ = -1; }
  void handle(const http::ExchangePtr& exchange) override {
    http::Response response;
    response.body = std::to_string(number_) + ":" + std::string(exchange->request().body);
    exchange->respond(std::move(response));
  }

  std::shared_ptr<const RouteSet> set;

 private:
  int number_;
};

std::string make_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "tenon-hold-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  return folder;
}

data::DatabaseOptions host_database(const std::string& folder) {
  data::DatabaseOptions options;
  options.path = folder + "/tenon.db";
  options.confinement = data::Confinement::host();
  return options;
}

class HeldSection : public testing::Test {
 protected:
  HeldSection()
      : folder_(make_folder()),
        null_(::open("/dev/null", O_WRONLY | O_CLOEXEC)),
        log_({.level = observability::Level::error, .descriptor = null_, .access = false}),
        database_(host_database(folder_)),
        identity_(database_, bus_, metrics_,
                  {.sessions = {}, .passwords = {}, .clock = {}, .maintain = false}),
        router_(metrics_),
        dispatcher_(router_, identity_.authenticator(), identity_.permissions(), metrics_) {
    observability::install_log(&log_);
  }
  ~HeldSection() override {
    observability::install_log(nullptr);
    ::close(null_);
    std::filesystem::remove_all(folder_);
  }

  http::Plan plan(http::Method method, std::string_view path) {
    http::Request request;
    request.method = method;
    request.method_name = http::to_string(method);
    request.target = request.path = path;
    request.request_id = "test";
    return dispatcher_.plan(request);
  }

  const std::string folder_;
  const int null_;
  observability::Log log_;
  data::Database database_;
  events::Bus bus_;
  observability::Metrics metrics_;
  identity::Identity identity_;
  Router router_;
  Dispatcher dispatcher_;
};

TEST_F(HeldSection, KeepsItsRoutesUntilTheNextChange) {
  const Generation notes(1, Access::everyone);
  const auto hold = std::make_shared<http::Hold>();
  router_.publish(notes.set);
  const Section* section = nullptr;
  for (int round = 0; round < 2; ++round) {
    router_.hold("/api/notes", hold);
    for (const char* path : {"/api/notes/all", "/api/notes/x", "/api/notes/x/y"}) {
      section = router_.current().match(http::Method::get, path).section;
      ASSERT_NE(section, nullptr);
      EXPECT_EQ(section->hold, hold);
      EXPECT_EQ(section->routes, notes.set);
    }
    EXPECT_EQ(router_.current().sets(), (std::vector<std::shared_ptr<const RouteSet>>{notes.set}));
    EXPECT_EQ(router_.current().find("/api/tasks"), nullptr);
    router_.publish(notes.set);
    EXPECT_EQ(router_.current().find("/api/notes/all")->hold, nullptr);
  }
  router_.hold("/api/notes", hold);
  router_.unpublish("/api/notes", {503, "plugins.draining", "…"});
  EXPECT_EQ(router_.current().find("/api/notes/all")->hold, nullptr);
  EXPECT_TRUE(router_.current().find("/api/notes/all")->unavailable);
  router_.hold("/api/notes", hold);
  EXPECT_EQ(router_.current().find("/api/notes/all")->hold, hold);
  router_.remove("/api/notes");
  EXPECT_EQ(router_.current().find("/api/notes/all"), nullptr);
}

TEST_F(HeldSection, HoldsAPrefixWithoutRoutes) {
  const auto hold = std::make_shared<http::Hold>();
  const Generation notes(1, Access::everyone);
  router_.hold("/api/notes", hold);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x").hold, hold);
  EXPECT_TRUE(router_.current().sets().empty());
  router_.publish(notes.set);
  EXPECT_NE(plan(http::Method::get, "/api/notes/x").handler, nullptr);
}

TEST_F(HeldSection, LeavesLongerPrefixesAlone) {
  const auto hold = std::make_shared<http::Hold>();
  const Generation notes(1, Access::everyone);
  Route route;
  route.pattern = "/api/notes/files/x";
  route.access = Access::everyone;
  route.handler = const_cast<Generation*>(&notes);
  router_.publish(notes.set);
  router_.publish(std::make_shared<RouteSet>("files", "/api/notes/files", std::vector{route}));
  router_.hold("/api/notes", hold);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x").hold, hold);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/files/x").hold, nullptr);
  EXPECT_NE(plan(http::Method::get, "/api/notes/files/x").handler, nullptr);
}

// Principal and permission are checked when it is planned again: the new routes may differ.
TEST_F(HeldSection, HoldsEveryRequest) {
  const Generation notes(1, Access::signed_in);
  const auto hold = std::make_shared<http::Hold>();
  router_.publish(notes.set);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x").response->status, 401);
  router_.hold("/api/notes", hold);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x").hold, hold);
  EXPECT_EQ(plan(http::Method::del, "/api/notes/x").hold, hold);
  EXPECT_EQ(plan(http::Method::options, "/api/notes/all").hold, hold);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x/y").hold, hold);
  router_.publish(notes.set);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x").response->status, 401);
  EXPECT_EQ(plan(http::Method::del, "/api/notes/x").response->status, 405);
  EXPECT_EQ(plan(http::Method::get, "/api/notes/x/y").response->status, 404);
}

TEST_F(HeldSection, DrainsWithoutNewRoutes) {
  const Generation notes(1, Access::everyone);
  router_.publish(notes.set);
  notes.set->gate().close();
  const http::Plan refused = plan(http::Method::get, "/api/notes/x");
  ASSERT_NE(refused.response, nullptr);
  EXPECT_EQ(refused.response->status, 503);
  EXPECT_NE(std::get<std::string>(refused.response->body).find("plugins.draining"),
            std::string::npos);
}

// A thread that found the old routes in the moment before new ones were published.
TEST_F(HeldSection, NeverDrainsWithNewRoutes) {
  auto now = std::make_unique<Generation>(0, Access::everyone);
  router_.publish(now->set);
  std::atomic<bool> is_finished{false};
  std::atomic<int> refused{0};
  std::vector<std::thread> asking;
  for (int i = 0; i < 3; ++i) {
    asking.emplace_back([&] {
      while (!is_finished) {
        const http::Plan planned = plan(http::Method::get, "/api/notes/all");
        if (planned.response || planned.handler == nullptr) ++refused;
      }
    });
  }
  for (int number = 1; number <= 3000; ++number) {
    auto next = std::make_unique<Generation>(number, Access::everyone);
    router_.publish(next->set);
    now->set->gate().close();
    EXPECT_TRUE(now->set->gate().wait_idle(std::chrono::seconds(20)));
    now = std::move(next);
  }
  is_finished = true;
  for (std::thread& thread : asking)
    thread.join();
  EXPECT_EQ(refused, 0);
}

TEST_F(HeldSection, IsReplacedWhileClientsContinue) {
  http::WorkerPool workers(http::WorkerPool::Options{.threads = 4});
  const std::shared_ptr<http::WorkerShare> share = workers.make_share("notes");
  auto now = std::make_unique<Generation>(0, Access::everyone, share.get());
  router_.publish(now->set);
  http::ServerOptions options;
  options.port = 0;
  options.io_threads = 2;
  http::Server server(options, dispatcher_, workers);
  server.start();

  constexpr int generations = 60;
  std::atomic<bool> is_finished{false};
  std::atomic<int> released{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&, is_posting = i % 2 == 0] {
      RawClient client(server.port());
      const std::string request =
          is_posting ? "POST /api/notes/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
                     : "GET /api/notes/all HTTP/1.1\r\nHost: a\r\n\r\n";
      while (!is_finished && !testing::Test::HasFailure()) {
        const int min = released;
        const Reply reply = client.request(request);
        ASSERT_EQ(reply.status, 200) << reply.body;
        EXPECT_EQ(reply.body.substr(reply.body.find(':')), is_posting ? ":hello" : ":");
        EXPECT_GE(std::stoi(reply.body), min);
      }
    });
  }
  for (int number = 1; number <= generations; ++number) {
    const auto hold = std::make_shared<http::Hold>();
    router_.hold("/api/notes", hold);
    now->set->gate().close();
    EXPECT_TRUE(now->set->gate().wait_idle(std::chrono::seconds(20)));
    now.reset();
    // The clients have nothing else to ask for.
    while (hold->statistics().waiting == 0 && !testing::Test::HasFailure())
      std::this_thread::yield();
    now = std::make_unique<Generation>(number, Access::everyone, share.get());
    router_.publish(now->set);
    hold->release();
    released = number;
  }
  is_finished = true;
  for (std::thread& client : clients)
    client.join();
  server.stop(std::chrono::seconds(5));
  workers.stop();
}

}  // namespace

}  // namespace tenon::routing
