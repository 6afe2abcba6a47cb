#include <gtest/gtest.h>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/control_socket/plugins_commands.hpp"
#include "admin_api/plugins/last_crashes.hpp"
#include "admin_api/plugins/operation_tracker.hpp"
#include "admin_api/plugins/plugin_admin.hpp"
#include "admin_api/plugins/plugins_routes.hpp"
#include "admin_api/plugins/settings_admin.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "data/database.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/identity.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "observability/audit.hpp"
#include "routing/router.hpp"

namespace tenon::console {
namespace {

using plugins::test::PluginHost;
using plugins::test::Reply;

class PluginsConsole : public testing::Test {
 protected:
  PluginsConsole() {
    host_.put_probe();
    host_.put("broken", "start_fails");
    host_.start();
    host_.router().publish(set_);
    add_plugin_commands(commands_, admin_);
  }
  ~PluginsConsole() override {
    host_.router().remove("/api/core");
    // A client may have its response while the worker that gave it still has its lease.
    set_->gate().close();
    EXPECT_TRUE(set_->gate().wait_idle(std::chrono::seconds(10)));
  }

  std::vector<std::string> audited() {
    std::vector<std::string> lines;
    data::Rows rows = host_.database().query(
        "SELECT action || ' ' || object FROM identity_audit WHERE action LIKE 'plugins.%' ORDER BY "
        "id");
    while (rows.next())
      lines.emplace_back(rows.text(0));
    return lines;
  }

  PluginHost host_;
  LastCrashes crashes_;
  PluginAdmin admin_{host_.lifecycle(), host_.router(), host_.identity().audit(), crashes_};
  SettingsAdmin settings_{
      host_.lifecycle().settings(),
      [this](const std::string& id) { return host_.lifecycle().settings_schema(id); },
      host_.identity().audit()};
  std::shared_ptr<http::WorkerShare> share_ = host_.workers().make_share("console");
  OperationTracker changes_{*share_};
  PluginsRoutes routes_{admin_, settings_, changes_, *share_};
  std::shared_ptr<routing::RouteSet> set_ =
      std::make_shared<routing::RouteSet>("core", "/api/core", routes_.routes());
  Commands commands_;
};

TEST_F(PluginsConsole, OnlyAdminsSeeAndChangePlugins) {
  const std::string member = host_.sign_in("member");
  const std::string admin = host_.sign_in("admin", true);
  for (const char* path : {"/api/core/plugins", "/api/core/plugins/probe"}) {
    EXPECT_EQ(host_.get(path).status, 401) << path;
    EXPECT_EQ(host_.get(path, member).status, 403) << path;
    EXPECT_EQ(host_.get(path, admin).status, 200) << path;
  }
  for (const char* path : {"/api/core/plugins/probe/disable", "/api/core/plugins/probe/enable"}) {
    EXPECT_EQ(host_.post(path, {}, "application/json").status, 401) << path;
    EXPECT_EQ(host_.post(path, {}, "application/json", member).status, 403) << path;
  }
  EXPECT_EQ(host_.state("probe"), "active");
  EXPECT_TRUE(audited().empty());
}

TEST_F(PluginsConsole, ListsThemWithTheirReasons) {
  host_.get("/api/probe/hello");
  host_.get("/api/probe/fails");
  const Reply reply = host_.get("/api/core/plugins", host_.sign_in("admin", true));
  const auto list = base::parse_json_object(reply.body);
  EXPECT_TRUE(list->isNull("next"));
  ASSERT_EQ(list->getArray("items")->size(), 2U);
  const auto broken = list->getArray("items")->getObject(0);
  EXPECT_EQ(broken->getValue<std::string>("id"), "broken");
  EXPECT_EQ(broken->getValue<std::string>("state"), "failed");
  EXPECT_TRUE(broken->getValue<bool>("enabled"));
  EXPECT_EQ(broken->getObject("reason")->getValue<std::string>("code"), "plugins.start_failed");
  const auto probe = list->getArray("items")->getObject(1);
  EXPECT_EQ(probe->getValue<std::string>("state"), "active");
  EXPECT_TRUE(probe->isNull("reason"));
  EXPECT_EQ(probe->getValue<int>("routes"), 28);
  EXPECT_EQ(probe->getValue<int>("resident"), 0);
  EXPECT_EQ(probe->getValue<int>("generation"), 2);
  EXPECT_EQ(probe->getArray("tables")->getElement<std::string>(0), "rows");
  EXPECT_EQ(probe->getArray("permissions")->getObject(0)->getValue<std::string>("id"), "probe.use");
  EXPECT_EQ(probe->getObject("abi")->getValue<int>("minor"), 13);
  EXPECT_EQ(probe->getValue<int>("requests"), 2);
  EXPECT_EQ(probe->getValue<int>("errors"), 1);
}

TEST_F(PluginsConsole, EnablesAndDisables) {
  const std::string admin = host_.sign_in("admin", true);
  Reply reply = host_.post("/api/core/plugins/probe/disable", {}, "application/json", admin);
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find(R"("state":"disabled","enabled":false)"), std::string::npos);
  EXPECT_EQ(host_.get("/api/probe/hello").status, 404);
  reply = host_.post("/api/core/plugins/probe/enable", "{}", "application/json", admin);
  EXPECT_NE(reply.body.find(R"("state":"active","enabled":true)"), std::string::npos);
  EXPECT_EQ(host_.get("/api/probe/hello").status, 200);
  reply = host_.post("/api/core/plugins/broken/enable", {}, "application/json", admin);
  EXPECT_EQ(reply.status, 409);
  EXPECT_NE(reply.body.find(R"("code":"plugins.start_failed")"), std::string::npos);
  EXPECT_EQ(host_.post("/api/core/plugins/unknown/enable", {}, "application/json", admin).status,
            404);
  EXPECT_EQ(host_.get("/api/core/plugins/unknown", admin).status, 404);
  EXPECT_EQ(audited(),
            (std::vector<std::string>{"plugins.disabled probe", "plugins.enabled probe"}));
}

TEST_F(PluginsConsole, ReloadsAPluginOfADirectory) {
  const std::string admin = host_.sign_in("admin", true);
  const auto reload = [&](const std::string& id) {
    return host_.post("/api/core/plugins/" + id + "/reload", {}, "application/json", admin);
  };
  const Reply reply = reload("probe");
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find(R"("generation":3)"), std::string::npos) << reply.body;
  EXPECT_EQ(host_.get("/api/probe/hello").status, 200);
  EXPECT_NE(reload("broken").body.find("plugins.start_failed"), std::string::npos);
  EXPECT_EQ(reload("unknown").status, 404);
  host_.post("/api/core/plugins/probe/disable", {}, "application/json", admin);
  EXPECT_NE(reload("probe").body.find("plugins.not_active"), std::string::npos);
  EXPECT_EQ(audited(),
            (std::vector<std::string>{"plugins.reloaded probe", "plugins.disabled probe"}));
}

TEST_F(PluginsConsole, TheCommandLineDoesTheSame) {
  EXPECT_NE(commands_.run("plugin.list", "{}").find(R"("id":"probe")"), std::string::npos);
  EXPECT_NE(commands_.run("plugin.disable", R"({"id":"probe"})").find(R"("state":"disabled")"),
            std::string::npos);
  EXPECT_NE(commands_.run("plugin.enable", R"({"id":"probe"})").find(R"("state":"active")"),
            std::string::npos);
  EXPECT_THROW(commands_.run("plugin.enable", "{}"), base::Error);
  EXPECT_THROW(commands_.run("plugin.enable", R"({"id":"broken"})"), base::Error);
  EXPECT_THROW(commands_.run("plugin.enable", R"({"id":"unknown"})"), base::Error);
}

TEST(StoredPlugins, AreListedAndSwitchedWhileNoServerRuns) {
  PluginHost host;
  host.put_probe();
  plugins::StoredPlugins stored(host.database(), host.folder(), host.directories());
  Commands commands;
  add_stored_plugin_commands(commands, stored, host.identity().audit());
  EXPECT_NE(commands.run("plugin.list", "{}").find(R"("state":"discovered","enabled":true)"),
            std::string::npos);
  EXPECT_NE(commands.run("plugin.disable", R"({"id":"probe"})")
                .find(R"("state":"disabled","enabled":false)"),
            std::string::npos);
  EXPECT_THROW(commands.run("plugin.disable", R"({"id":"unknown"})"), base::Error);
  host.start();
  EXPECT_EQ(host.state("probe"), "disabled");
  EXPECT_EQ(host.count("create"), 0U);
}

}  // namespace
}  // namespace tenon::console
