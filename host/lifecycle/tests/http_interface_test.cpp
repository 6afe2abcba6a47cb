#include <thread>

#include <gtest/gtest.h>

#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;
using test::RawClient;
using test::Reply;

class HttpInterfaceTest : public testing::Test {
 protected:
  HttpInterfaceTest() {
    host_.put_probe();
    host_.start();
  }
  PluginHost host_;
};

TEST_F(HttpInterfaceTest, RespondsOnWorkersAndInline) {
  ASSERT_EQ(host_.state("probe"), "active");
  for (const char* path : {"/api/probe/hello", "/api/probe/inline", "/api/probe/added-in-start"}) {
    const Reply reply = host_.get(path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.body, "hello from 1.0.0");
    EXPECT_EQ(reply.field("content-type"), "text/plain");
    EXPECT_EQ(reply.field("x-content-type-options"), "nosniff");
  }
}

TEST_F(HttpInterfaceTest, HandsOverTheWholeRequest) {
  const Reply reply = host_.post("/api/probe/echo/a%20b/c/d?x=1", "body");
  EXPECT_EQ(reply.body,
            "method=3 path=/api/probe/echo/a b/c/d query=x=1 fields=3 user= length=4 body=body "
            "param=a b param=c/d");
}

TEST_F(HttpInterfaceTest, PassesManyFields) {
  RawClient client(host_.port());
  std::string head = "POST /api/probe/echo/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n";
  for (int i = 0; i < 90; ++i)
    head += "X-" + std::to_string(i) + ": y\r\n";
  client.send(head + "\r\n");
  EXPECT_NE(client.read_reply().body.find("fields=92"), std::string::npos);
}

TEST_F(HttpInterfaceTest, ChecksJsonBeforeThePlugin) {
  EXPECT_EQ(host_.post("/api/probe/json", "{\"a\":1}", "application/json").status, 200);
  EXPECT_EQ(host_.post("/api/probe/json", "{\"a\":1", "application/json").status, 400);
  EXPECT_EQ(host_.post("/api/probe/hello", "x").status, 405);
}

TEST_F(HttpInterfaceTest, Responds500WithoutAResponse) {
  Reply reply = host_.get("/api/probe/silent");
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("http.no_answer"), std::string::npos);
  reply = host_.get("/api/probe/fails");
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("plugins.handler_failed"), std::string::npos);
  EXPECT_EQ(host_.get("/api/probe/hello").status, 200);
}

TEST_F(HttpInterfaceTest, KeepsPendingRequestsUntilTheirResponse) {
  std::vector<RawClient> waiting;
  for (int i = 0; i < 10; ++i) {
    waiting.emplace_back(host_.port());
    waiting.back().send(std::string("GET /api/probe/pending") + (i % 2 ? "-inline" : "") +
                        " HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  unsigned released = 0;
  while (released < 10)
    released += static_cast<unsigned>(std::stoul(host_.post("/api/probe/release").body));
  for (RawClient& client : waiting)
    EXPECT_EQ(client.read_reply().body, "released");
}

TEST_F(HttpInterfaceTest, StreamsWithBackPressure) {
  const Reply reply = host_.get("/api/probe/stream?n=5000");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.is_complete);
  EXPECT_EQ(reply.body.size(), 5'000'000U);
  EXPECT_TRUE(host_.wait_for("drop stream"));
}

TEST_F(HttpInterfaceTest, EndsAStreamWithoutAReader) {
  {
    RawClient client(host_.port(), 4096);
    client.send("GET /api/probe/stream?n=50000 HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_TRUE(host_.wait_for("streaming"));
    client.reset();
  }
  EXPECT_TRUE(host_.wait_for("stream-closed"));
  EXPECT_TRUE(host_.wait_for("drop stream"));
  EXPECT_EQ(host_.count("drop stream"), 1U);
}

TEST_F(HttpInterfaceTest, TakesStreamedBodies) {
  const Reply reply = host_.post("/api/probe/upload", std::string(3'000'000, 'u'));
  EXPECT_EQ(reply.body, "3000000");
  EXPECT_TRUE(host_.wait_for("drop body"));
  EXPECT_EQ(host_.count("body-end 0"), 1U);
}

TEST_F(HttpInterfaceTest, LetsAPluginGiveUpABody) {
  const Reply reply = host_.post("/api/probe/upload?refuse=100000", std::string(400'000, 'u'));
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.body, "refused");
  EXPECT_TRUE(host_.wait_for("drop body"));
  EXPECT_EQ(host_.count("body-end -4"), 1U);
  EXPECT_EQ(host_.count("body-end"), 1U);
}

TEST_F(HttpInterfaceTest, EndsABodyWithoutASender) {
  {
    RawClient client(host_.port());
    client.send(
        "POST /api/probe/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nsome");
    ASSERT_TRUE(host_.wait_for("upload"));
    client.reset();
  }
  EXPECT_TRUE(host_.wait_for("drop body"));
  EXPECT_EQ(host_.count("body-end -4"), 1U);
  EXPECT_EQ(host_.count("drop body"), 1U);
}

TEST_F(HttpInterfaceTest, EndsTheBodySinkAtAnEarlyResponse) {
  RawClient client(host_.port());
  client.send(
      "POST /api/probe/upload?early=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\nsome");
  EXPECT_EQ(client.read_reply().body, "early");
  EXPECT_TRUE(host_.wait_for("drop body"));
  EXPECT_EQ(host_.count("body-end"), 1U);
}

TEST_F(HttpInterfaceTest, RefusesEveryMisuseByCode) {
  host_.get("/api/probe/misuse-http");
  // The second run has the handle of the first one, which is stale by now.
  const Reply reply = host_.get("/api/probe/misuse-http");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body,
            "null_response=-1 small_response=-1 status=-1 line_break=-1 forbidden=-1 name=-1 "
            "null_fields=-1 null_body=-1 "
            "no_handle=-2 made_up=-2 other_slot=-2 other_kind=-2 kept=-2 write_early=-3 "
            "end_early=-3 null_host=-1 null_sink=-1 "
            "late_route=-3 problem_status=-1 problem_extra=-1 problem_member=-1 check=0 ");
  EXPECT_TRUE(host_.wait_for(
      "responded first=0 twice=-2 check=-2 write=-2 body=-2 who=-2 can=-2 problem=-2 log=-2",
      "probe", 2));
}

TEST_F(HttpInterfaceTest, TakesTheResponseOfOneOfTwoThreads) {
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(host_.get("/api/probe/competes").body, "other");
    const std::string body = host_.get("/api/probe/competes?both=1").body;
    EXPECT_TRUE(body == "own" || body == "other") << body;
  }
  // Waits for the handlers, which write after their responses.
  host_.lifecycle().disable("probe");
  EXPECT_EQ(host_.count("competed own=1 other=0"), static_cast<std::size_t>(rounds));
  EXPECT_EQ(host_.count("competed own=0 other=-2") + host_.count("competed own=-2 other=0"),
            static_cast<std::size_t>(rounds));
  EXPECT_EQ(host_.mapped(), 0U);
}

TEST_F(HttpInterfaceTest, SendsProblemDocuments) {
  const Reply reply = host_.get("/api/probe/problem");
  EXPECT_EQ(reply.status, 412);
  EXPECT_EQ(reply.field("content-type"), "application/problem+json");
  for (const char* part :
       {R"("code":"probe.conflict")", R"("detail":"It has changed.")",
        R"("current":{"version":3}})",
        R"("errors":[{"field":"title","code":"too_long","message":"It is too long."}])",
        "\"request_id\":"}) {
    EXPECT_NE(reply.body.find(part), std::string::npos) << part << " in " << reply.body;
  }
}

TEST_F(HttpInterfaceTest, SandboxesPagesOfAPlugin) {
  const Reply reply = host_.get("/api/probe/page");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.field("content-security-policy"), "sandbox; default-src 'none'");
  EXPECT_EQ(reply.field("x-page"), "kept");
  EXPECT_EQ(reply.field("cross-origin-resource-policy"), "same-origin");
  for (const char* name : {"access-control-allow-origin", "access-control-allow-credentials",
                           "service-worker-allowed", "clear-site-data"})
    EXPECT_EQ(reply.field(name), "") << name;
  EXPECT_NE(host_.log_text().find("a response header of a plugin was dropped"), std::string::npos);
}

TEST(ResponseHeaders, SendsHeadersThatTheManifestDeclares) {
  PluginHost host;
  const std::string file = host.put_probe() + "/plugin.json";
  std::string manifest = test::read_file(file);
  manifest.insert(manifest.find("\"permissions\""),
                  R"("response_headers":["access-control-allow-origin","Content-Security-Policy",)"
                  R"("Cross-Origin-Resource-Policy"],)");
  test::write_file(file, manifest);
  host.start();
  ASSERT_EQ(host.state("probe"), "active");
  const Reply reply = host.get("/api/probe/page");
  EXPECT_EQ(reply.field("access-control-allow-origin"), "*");
  EXPECT_EQ(reply.field("cross-origin-resource-policy"), "cross-origin");
  EXPECT_EQ(reply.head.find("same-origin"), std::string::npos) << reply.head;
  for (const char* name :
       {"access-control-allow-credentials", "service-worker-allowed", "clear-site-data"})
    EXPECT_EQ(reply.field(name), "") << name;
  // A document is in a sandbox all the same: of two policies a browser keeps both.
  for (const char* policy : {"script-src *", "sandbox; default-src 'none'"})
    EXPECT_NE(reply.head.find("Content-Security-Policy: " + std::string(policy)), std::string::npos)
        << reply.head;
}

TEST_F(HttpInterfaceTest, AcceptsStructsOfOtherSizes) {
  const Reply reply = host_.get("/api/probe/grow", host_.sign_in("ann"));
  EXPECT_EQ(reply.body,
            "longer=0 size_kept=1 shorter=0 same_id=1 too_short=-1 untouched=1 unknown_interface=1 "
            "larger_need=1 smaller_need=1 ");
}

TEST_F(HttpInterfaceTest, PassesTheUser) {
  const std::string cookie = host_.sign_in("ann");
  host_.sign_in("bob");
  EXPECT_EQ(host_.get("/api/probe/user", cookie).body,
            "code=0 login=ann flags=0 can=0 cannot=-10 undeclared=-1 users=2 find=0 no_user=-11");
  EXPECT_NE(host_.get("/api/probe/user").body.find("code=-11 login= flags=0 can=-10"),
            std::string::npos);
  EXPECT_NE(host_.get("/api/probe/user", host_.sign_in("root", true))
                .body.find("login=root flags=1 can=0 cannot=0"),
            std::string::npos);
}

TEST_F(HttpInterfaceTest, RefusesBlockingCallsOnInlineRoutes) {
  EXPECT_EQ(host_.get("/api/probe/inline-db").body, "begin=-3 set=-3 find=-3 ");
}

TEST_F(HttpInterfaceTest, StoresSettingsAndNotifiesWatchers) {
  EXPECT_EQ(host_.post("/api/probe/settings", "\"red\"").body,
            "set=0 get=0 short=-5 default=0 none=-11 key=-1 json=-1 ");
  EXPECT_EQ(host_.count("watched color=\"red\""), 1U);
  host_.lifecycle().disable("probe");
  host_.lifecycle().enable("probe");
  EXPECT_EQ(host_.post("/api/probe/settings", "{\"a\":[1]}").status, 200);
  EXPECT_EQ(host_.count("watched"), 2U);
}

TEST_F(HttpInterfaceTest, LogsUnderThePluginsName) {
  EXPECT_EQ(host_.get("/api/probe/log?flood=3000").body, "good=0 level=-1 stale=-2 null=-1 ");
  const std::string log = host_.log_text();
  const std::size_t at = log.find("a line of the probe");
  ASSERT_NE(at, std::string::npos);
  const std::string line =
      log.substr(log.rfind('\n', at) + 1, log.find('\n', at) - log.rfind('\n', at) - 1);
  EXPECT_NE(line.find(R"("plugin":"probe")"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("request_id":)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("color":"red")"), std::string::npos) << line;
  EXPECT_NE(log.find("tied to nothing"), std::string::npos);
  std::size_t lines = 0;
  for (std::size_t found = log.find("flood"); found != std::string::npos;
       found = log.find("flood", found + 1))
    ++lines;
  EXPECT_LE(lines, 2'000U);
}

TEST(HttpInterface, StopsExceptionsAtTheBorder) {
  PluginHost host;
  host.put("throws", "throws");
  host.start();
  for (int i = 0; i < 3; ++i) {
    const Reply reply = host.get("/api/throws/throw");
    EXPECT_EQ(reply.status, 500);
    EXPECT_NE(reply.body.find("plugins.handler_failed"), std::string::npos);
  }
  EXPECT_NE(host.log_text().find("out of the plugin"), std::string::npos);
}

TEST(HttpInterface, RunsPluginsOfAnOlderAbi) {
  PluginHost host;
  host.put("broken", "older_plugin");
  host.start();
  EXPECT_EQ(host.state("broken"), "active");
  EXPECT_EQ(host.lifecycle().disable("broken").state, State::disabled);
}

}  // namespace
}  // namespace tenon::plugins
