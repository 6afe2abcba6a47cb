#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "lifecycle/lifecycle.hpp"
#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using std::chrono::milliseconds;
using test::PluginHost;
using test::RawClient;
using test::Reply;

PluginHost::Options short_drain() {
  PluginHost::Options options;
  options.drain = milliseconds(300);
  return options;
}

void send(RawClient& client, const std::string& path) {
  client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST(Drain, FinishesRunningRequestsAndRefusesNewOnes) {
  PluginHost host({.drain = std::chrono::seconds(60)});
  host.put_probe();
  host.start();
  RawClient slow(host.port());
  send(slow, "/api/probe/slow");
  ASSERT_TRUE(host.wait_for("slow"));
  std::thread disabling([&] { host.lifecycle().disable("probe"); });
  Reply reply = host.get("/api/probe/hello");
  for (int i = 0; i < 2'000 && reply.status == 200; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    reply = host.get("/api/probe/hello");
  }
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("plugins.draining"), std::string::npos);
  EXPECT_EQ(reply.field("retry-after"), "1");
  std::ofstream(host.folder() + "/journal.probe.go") << "go";
  disabling.join();
  EXPECT_EQ(host.get("/api/probe/hello").status, 404);
  EXPECT_EQ(slow.read_reply().body, "hello from 1.0.0");
  EXPECT_EQ(host.mapped(), 0U);
}

TEST(Drain, LetsThePluginGiveUpPendingRequests) {
  PluginHost host;
  host.put_probe("probe", "probe", "1.0.0", R"(,"gives_up":{"default":true})");
  host.start();
  RawClient waiting(host.port());
  send(waiting, "/api/probe/pending");
  ASSERT_TRUE(host.wait_for("pending"));
  host.lifecycle().disable("probe");
  EXPECT_EQ(waiting.read_reply().body, "released");
}

TEST(Drain, Responds503ToCallsThatWaitTooLong) {
  PluginHost host(short_drain());
  host.put_probe();
  host.start();
  RawClient waiting(host.port());
  RawClient streaming(host.port());
  RawClient uploading(host.port());
  RawClient not_yet_there(host.port());
  send(waiting, "/api/probe/pending");
  send(streaming, "/api/probe/stream?open=1&n=1");
  uploading.send("POST /api/probe/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome");
  not_yet_there.send(
      "POST /api/probe/echo/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  for (const char* begun : {"pending", "streaming", "upload"})
    ASSERT_TRUE(host.wait_for(begun)) << begun;
  host.lifecycle().disable("probe");
  Reply reply = waiting.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("plugins.draining"), std::string::npos);
  reply = streaming.read_reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(reply.is_complete);
  EXPECT_EQ(uploading.read_reply().status, 503);
  // No frame of the plugin was left, so it could be closed; and what arrives now never enters it.
  EXPECT_EQ(host.state("probe"), "disabled");
  EXPECT_EQ(host.lifecycle().resident("probe"), 0U);
  EXPECT_EQ(host.mapped(), 0U);
  not_yet_there.send("always");
  EXPECT_EQ(not_yet_there.read_reply().status, 503);
  EXPECT_EQ(host.count("drop stream"), 1U);
  EXPECT_EQ(host.count("drop body"), 1U);
  EXPECT_EQ(host.count("body-end -4"), 1U);
  EXPECT_EQ(host.count("destroy"), 1U);
}

TEST(Drain, LeavesTheLibraryOfAHangingCallMapped) {
  PluginHost host(short_drain());
  host.put("broken", "responds_late");
  host.put_probe();
  host.start();
  const std::string late = host.folder() + "/late";
  ASSERT_EQ(setenv("BROKEN_LATE", late.c_str(), 1), 0);
  RawClient stuck(host.port());
  send(stuck, "/api/broken/late");
  for (int i = 0; i < 1000 && !std::filesystem::exists(late + ".begun"); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  host.lifecycle().disable("broken");
  EXPECT_EQ(host.state("broken"), "disabled");
  EXPECT_EQ(host.lifecycle().resident("broken"), 1U);
  EXPECT_EQ(stuck.read_reply().status, 503);
  EXPECT_EQ(host.get("/api/broken/late").status, 404);
  // Another generation next to the stuck one; the rest is not affected.
  host.put("broken", "sound");
  EXPECT_EQ(host.lifecycle().enable("broken").state, State::active);
  host.lifecycle().disable("broken");
  EXPECT_EQ(host.lifecycle().resident("broken"), 1U);
  EXPECT_EQ(host.get("/api/probe/hello").status, 200);
  EXPECT_NE(host.metrics_text().find(R"(tenon_plugins_resident{plugin="broken"} 1)"),
            std::string::npos);
  std::ofstream(late + ".over") << "over";
}

TEST(Drain, IsolatesAHangingPlugin) {
  for (const char* library : {"create_hangs", "start_hangs"}) {
    // The other one has to start in this time, too.
    PluginHost host({.start_timeout = milliseconds(2'000)});
    host.put("broken", library);
    host.put_probe();
    host.start();
    // Tried once more after the start.
    while (host.lifecycle().resident("broken") < 2)
      std::this_thread::sleep_for(milliseconds(10));
    const std::string failed =
        std::string("failed:plugins.") + (library[0] == 'c' ? "create_timeout" : "start_timeout");
    while (host.state("broken") != failed)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_EQ(host.get("/api/probe/hello").status, 200);
  }
  for (const char* library : {"quiesce_hangs", "stop_hangs"}) {
    PluginHost host({.drain = milliseconds(300), .stop_timeout = milliseconds(400)});
    host.put("broken", library);
    host.start();
    EXPECT_EQ(host.state("broken"), "active");
    EXPECT_EQ(host.lifecycle().disable("broken").state, State::disabled);
    EXPECT_EQ(host.lifecycle().resident("broken"), 1U);
  }
}

TEST(Drain, KeepsTheLibraryForThreadLocalsOfWorkers) {
  PluginHost host;
  host.put("throws", "throws");
  host.start();
  EXPECT_EQ(host.get("/api/throws/touch").status, 204);
  host.lifecycle().disable("throws");
  // The worker that touched it lives: closed, but mapped, and said so.
  EXPECT_EQ(host.lifecycle().resident("throws"), 1U);
  EXPECT_EQ(host.lifecycle().enable("throws").state, State::active);
  EXPECT_EQ(host.get("/api/throws/touch").status, 204);
}

}  // namespace
}  // namespace tenon::plugins
