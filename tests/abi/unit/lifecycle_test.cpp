#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

TEST(Lifecycle, TheEntrySaysWhatTheHostChecks) {
  EXPECT_EQ(RunningPlugin::entry.magic, TENON_ENTRY_MAGIC);
  EXPECT_EQ(RunningPlugin::entry.size, sizeof(tenon_plugin_entry));
  EXPECT_EQ(detail::view(RunningPlugin::entry.id), "test");
  EXPECT_EQ(detail::view(RunningPlugin::entry.version), "1.2.3");
}

TEST(Lifecycle, DropsHandlersBeforeTheEnd) {
  FakeHost host;
  std::string order;
  auto alive = std::make_shared<int>(0);
  RunningPlugin plugin(host, Steps{.create =
                                       [&](Scripted& self) {
                                         order += "create ";
                                         self.host().http().get("/x", access::everyone,
                                                                [alive](const Request&) {});
                                       },
                                   .start = [&](Scripted&) { order += "start "; },
                                   .quiesce = [&](Scripted&) { order += "quiesce "; },
                                   .stop = [&](Scripted&) { order += "stop "; }});
  EXPECT_EQ(plugin.started, TENON_OK);
  plugin.quiesce();
  plugin.leave();
  EXPECT_EQ(order, "create start quiesce stop ");
  Scripted::steps = {};
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(Lifecycle, AThrowingConstructorReportsItsReason) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted& self) {
    self.host().http().get("/x", access::everyone, [](const Request&) {});
    throw Error(500, "test.no_license", "There is no license.");
  });
  EXPECT_LT(plugin.created, 0);
  EXPECT_STREQ(plugin.error.name, "test.no_license");
  EXPECT_STREQ(plugin.error.message, "There is no license.");
}

TEST(Lifecycle, AStartThatThrowsEndsItsThreads) {
  FakeHost host;
  Thread thread;
  std::atomic<bool> ended{false};
  {
    const RunningPlugin plugin(host, Steps{.start = [&](Scripted& self) {
                                 thread =
                                     self.host().thread("worker", [&](const std::stop_token& stop) {
                                       while (!stop.stop_requested())
                                         std::this_thread::yield();
                                       ended = true;
                                     });
                                 throw std::runtime_error("no");
                               }});
    EXPECT_LT(plugin.started, 0);
    EXPECT_STREQ(plugin.error.message, "no");
  }
  EXPECT_TRUE(ended);
}

TEST(Lifecycle, ReportsItsHealthWithAReason) {
  FakeHost host;
  bool is_well = true;
  RunningPlugin plugin(host, Steps{.health = [&](Scripted&) {
                         if (!is_well) throw Error(500, "test.no_paper", "There is no paper.");
                       }});
  const auto health = [&] {
    plugin.error.message[0] = '\0';
    return plugin.raw()->health(plugin.raw(), &plugin.error);
  };
  EXPECT_EQ(health(), TENON_OK);
  is_well = false;
  EXPECT_LT(health(), 0);
  EXPECT_STREQ(plugin.error.name, "test.no_paper");
  EXPECT_STREQ(plugin.error.message, "There is no paper.");
  is_well = true;
  EXPECT_EQ(health(), TENON_OK);
  plugin.quiesce();
  EXPECT_EQ(health(), TENON_E_STATE);
}

TEST(Lifecycle, ALongReasonIsCutBetweenCharacters) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted&) {
    std::string reason;
    for (int i = 0; i < 400; ++i)
      reason += "é";
    throw Error(500, "test.long", reason);
  });
  EXPECT_EQ(std::strlen(plugin.error.message), 430u) << "431 bytes would end in half an é";
}

TEST(Lifecycle, StopsThreadsBeforeStopAndJoinsAfter) {
  FakeHost host;
  Thread thread;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::string order;
  {
    const RunningPlugin plugin(host, Steps{.start =
                                               [&](Scripted& self) {
                                                 thread = self.host().thread(
                                                     "worker", [&](const std::stop_token& stop) {
                                                       std::unique_lock lock(mutex);
                                                       wake.wait(lock, stop, [] { return false; });
                                                       order += "thread ";
                                                     });
                                               },
                                           .stop =
                                               [&](Scripted&) {
                                                 const std::lock_guard lock(mutex);
                                                 order += "stop ";
                                               }});
  }
  EXPECT_NE(order.find("thread"), std::string::npos);
  EXPECT_NE(order.find("stop"), std::string::npos);
}

TEST(Lifecycle, AThreadThatThrowsIsLogged) {
  FakeHost host;
  {
    const RunningPlugin plugin(host, Steps{.start = [&](Scripted& self) {
                                 Thread thread =
                                     self.host().thread("a name of more than fifteen bytes",
                                                        [](const std::stop_token&) { throw 1; });
                               }});
    EXPECT_EQ(plugin.started, TENON_OK);
  }
  EXPECT_TRUE(host.logged("a thread of the plugin failed"));
}

TEST(Lifecycle, AThreadInTheConstructorIsABug) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted& self) {
    static_cast<void>(self.host().thread("early", [](const std::stop_token&) {}));
  });
  EXPECT_STREQ(plugin.error.name, "plugin.misuse");
}

TEST(Lifecycle, AHostThatBreaksTheOrderIsRefused) {
  FakeHost host;
  RunningPlugin plugin(host, [](Scripted&) {});
  tenon_error error{};
  error.size = sizeof error;
  EXPECT_EQ(plugin.raw()->start(plugin.raw(), &error), TENON_E_STATE);
  EXPECT_TRUE(host.logged("twice or too late"));
}

TEST(Lifecycle, RefusesAnIncompatibleHost) {
  FakeHost host;
  tenon_plugin* plugin = nullptr;
  tenon_error error{};
  error.size = sizeof error;
  tenon_host other = *host.raw();
  other.abi_major = TENON_ABI_MAJOR + 1;
  EXPECT_EQ(RunningPlugin::entry.create(&other, &plugin, &error), TENON_E_UNSUPPORTED);
  other = *host.raw();
  other.size = TENON_NEED(tenon_host, generation);
  EXPECT_EQ(RunningPlugin::entry.create(&other, &plugin, &error), TENON_E_INVALID);
  EXPECT_EQ(RunningPlugin::entry.create(nullptr, &plugin, &error), TENON_E_INVALID);
  EXPECT_EQ(plugin, nullptr);
}

TEST(OlderHost, RunsAPluginWithoutUnusedInterfaces) {
  FakeHost host;
  host.limit(TENON_DB_ID, 0);
  host.limit(TENON_LOG_ID, 0);
  host.limit(TENON_IDENTITY_ID, 0);
  host.limit(TENON_HTTP_ID, TENON_NEED(tenon_http, respond_problem));
  const RunningPlugin plugin(host, [](Scripted& self) {
    self.host().http().get("/x", access::everyone,
                           [](const Request&) { return Response::text("works"); });
    self.host().http().get("/user", access::everyone,
                           [](const Request& r) { r.require("test.read"); });
    self.host().http().get("/stream", access::everyone, [](const Request&) {
      return Response::stream("text/plain", [](Stream&) { return false; });
    });
    self.log().info("this line is dropped");
  });
  ASSERT_EQ(plugin.started, TENON_OK) << plugin.error.message;
  EXPECT_EQ(host.get("/x").body, "works");
  const RecordedResponse user = host.get("/user");
  EXPECT_EQ(user.status, 501);
  EXPECT_EQ(user.code, "host.unsupported");
  EXPECT_EQ(host.get("/stream").status, 501);
}

TEST(OlderHost, WhatIsUsedAndMissingIsTheReason) {
  FakeHost host;
  host.limit(TENON_SETTINGS_ID, TENON_NEED(tenon_settings, set));
  const RunningPlugin plugin(
      host, [](Scripted& self) { self.host().settings().watch([](auto, auto) {}); });
  EXPECT_EQ(plugin.created, TENON_E_INTERNAL);
  EXPECT_STREQ(plugin.error.message,
               "This host does not offer tenon.settings/1: watch. ABI 0.13 has it, this host has "
               "ABI 0.13.");
}

TEST(Routes, TheHostsReasonReachesTheConstructor) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted& self) {
    self.host().http().get("/x", access::everyone, [](const Request&) {});
    self.host().http().get("/x", access::everyone, [](const Request&) {});
  });
  EXPECT_STREQ(plugin.error.name, "plugins.duplicate_route");
}

TEST(Routes, OptionsReachTheHost) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted& self) {
    Http& http = self.host().http();
    http.get("/a", access::permission("test.read"), [](const Request&) {});
    http.post("/b", access::signed_in, [](const Request&) {});
    http.put("/c", access::everyone,
             {.body = Body::streamed, .body_limit = 5, .summary = "c", .operation = "{}"},
             [](const Request&) {});
    http.del("/d", access::signed_in, [](const Request&) {});
  });
  ASSERT_EQ(host.route_count(), 4u);
  EXPECT_EQ(host.route(0).access, TENON_HTTP_PERMISSION);
  EXPECT_EQ(host.route(0).body, TENON_HTTP_BODY_NONE);
  EXPECT_EQ(host.route(1).body, TENON_HTTP_BODY_JSON);
  EXPECT_EQ(host.route(1).access, TENON_HTTP_SIGNED_IN);
  EXPECT_EQ(host.route(2).body, TENON_HTTP_BODY_STREAMED);
  EXPECT_EQ(host.route(2).body_limit, 5u);
  EXPECT_EQ(std::string_view(host.route(2).operation.data, host.route(2).operation.size), "{}");
  EXPECT_EQ(host.route(3).body, TENON_HTTP_BODY_NONE);
  EXPECT_EQ(host.route(3).method, TENON_HTTP_DELETE);
}

}  // namespace
}  // namespace tenon::test
