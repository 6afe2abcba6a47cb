#include "admin_api/plugins/operation_tracker.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "admin_api/json_handler.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "http/limits.hpp"
#include "http/workers/worker_pool.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "routing/router.hpp"

namespace tenon::console {
namespace {

using plugins::test::PluginHost;
using plugins::test::Reply;

// A host with a change that finishes when the test allows it, and one that finishes at once.
class OperationTrackerTest : public testing::Test {
 protected:
  OperationTrackerTest() {
    host_.start();
    add("/api/core/slow", [this](const RequestView&) {
      const std::shared_future<void> finish = finish_.get_future().share();
      has_begun_.set_value();
      finish.get();
      return ok(R"({"version":"2.0.0"})");
    });
    add("/api/core/quick", [](const RequestView&) { return http::empty_response(204); });
    add("/api/core/refused", [](const RequestView&) -> http::Response {
      throw base::Error(409, "plugins.conflict", "It does not go with another.");
    });
    std::vector<routing::Route> routes = std::move(routes_);
    routes.push_back(changes_.route());
    set_ = std::make_shared<routing::RouteSet>("core", "/api/core", std::move(routes));
    host_.router().publish(set_);
    admin_ = host_.sign_in("admin", true);
  }
  ~OperationTrackerTest() override {
    host_.router().remove("/api/core");
    set_->gate().close();
    EXPECT_TRUE(set_->gate().wait_idle(std::chrono::seconds(10)));
  }

  void add(const char* pattern, JsonHandler::Work work) {
    handlers_.push_back(std::make_unique<JsonHandler>(std::move(work), &changes_));
    routes_.push_back({.method = http::Method::post,
                       .pattern = pattern,
                       .access = routing::Access::admin,
                       .permission = {},
                       .handler = handlers_.back().get(),
                       .body = http::BodyMode::json,
                       .body_limit = 1024,
                       .share = share_.get(),
                       .summary = "A change"});
  }
  Reply post(const std::string& path) { return host_.post(path, "{}", "application/json", admin_); }
  Poco::JSON::Object::Ptr state_of(const std::string& id) {
    return base::parse_json_object(host_.get("/api/core/changes/" + id, admin_).body);
  }

  PluginHost host_;
  std::shared_ptr<http::WorkerShare> share_ = host_.workers().make_share("console");
  OperationTracker changes_{*share_, std::chrono::milliseconds(100)};
  std::vector<std::unique_ptr<http::Handler>> handlers_;
  std::vector<routing::Route> routes_;
  std::shared_ptr<routing::RouteSet> set_;
  std::promise<void> has_begun_;
  std::promise<void> finish_;
  std::string admin_;
};

TEST_F(OperationTrackerTest, RespondsToSlowOperationWithItsAddress) {
  const Reply reply = post("/api/core/slow");
  ASSERT_EQ(reply.status, 202) << reply.body;
  const auto begun = base::parse_json_object(reply.body);
  const std::string id = begun->getValue<std::string>("id");
  EXPECT_EQ(begun->getValue<std::string>("state"), "running");
  EXPECT_NE(reply.head.find("Location: /api/core/changes/" + id), std::string::npos) << reply.head;
  has_begun_.get_future().get();
  EXPECT_EQ(state_of(id)->getValue<std::string>("state"), "running");
  // Others do not wait for it.
  EXPECT_EQ(post("/api/core/quick").status, 204);
  finish_.set_value();
  Poco::JSON::Object::Ptr finished;
  do {
    finished = state_of(id);
  } while (finished->getValue<std::string>("state") == "running");
  EXPECT_EQ(finished->getValue<std::string>("state"), "done");
  EXPECT_EQ(finished->getValue<int>("status"), 200);
  EXPECT_EQ(finished->getObject("answer")->getValue<std::string>("version"), "2.0.0");
}

TEST_F(OperationTrackerTest, ForgetsOperationThatFinishesInTime) {
  EXPECT_EQ(post("/api/core/quick").status, 204);
  const Reply refused = post("/api/core/refused");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("plugins.conflict"), std::string::npos);
  EXPECT_EQ(host_.get("/api/core/changes/none", admin_).status, 404);
  EXPECT_EQ(host_.get("/api/core/changes/none").status, 401);
}

TEST(OperationTrackerLimit, IsShorterThanHandlerTimeout) {
  EXPECT_LT(OperationTracker::max_wait, http::Limits().handler);
}

}  // namespace
}  // namespace tenon::console
