#include "http/loop/server.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

Response text(std::string body) {
  Response response;
  response.content_type = "text/plain";
  response.body = std::move(body);
  return response;
}

TEST(Server, NamesTheAddressItCannotListenOn) {
  TestServer first;
  first.start();
  try {
    TestServer second([&](ServerOptions& options) { options.port = first.http_server->port(); });
    FAIL() << "bound twice";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "http.listen_failed");
    EXPECT_NE(error.message().find(std::to_string(first.http_server->port())), std::string::npos);
  }
}

TEST(Server, AddsItsFieldsToAResponse) {
  TestServer server;
  Route route;
  route.is_inline = true;
  route.run = [](const ExchangePtr& exchange) {
    exchange->respond(json_response(201, "{}")
                          .with("Location", "/b")
                          .with("Content-Length", "99")
                          .with("Date", "never"));
  };
  server.route("/a", route).start();
  RawClient client = server.connect();
  const Reply reply = client.request(get("/a"));
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body, "{}");
  EXPECT_TRUE(reply.head.starts_with("HTTP/1.1 201 Created\r\n"));
  EXPECT_EQ(reply.field("Content-Length"), "2");
  EXPECT_EQ(reply.field("Content-Type"), "application/json");
  EXPECT_EQ(reply.field("Location"), "/b");
  EXPECT_TRUE(reply.field("Date").ends_with(" GMT"));
  EXPECT_FALSE(reply.has("Connection"));
  EXPECT_EQ(reply.head.find("never"), std::string::npos);
}

TEST(Server, GivesEveryRequestItsOwnId) {
  TestServer server;
  server.echo("/a").start();
  std::set<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    RawClient client = server.connect();
    for (int k = 0; k < 10; ++k)
      ids.insert(client.request(get("/a")).field("X-Request-Id"));
  }
  EXPECT_EQ(ids.size(), 40U);
  for (const std::string& id : ids)
    EXPECT_TRUE(!id.empty() && id.size() <= 64);
}

TEST(Server, RespondsToHeadWithoutABody) {
  TestServer server;
  server.echo("/a").start();
  RawClient client = server.connect();
  client.send("HEAD /a HTTP/1.1\r\n" + host + "\r\n");
  const Reply reply = client.read_reply(true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.field("Content-Length"), "3");
  EXPECT_EQ(client.request(get("/a")).body, "/a:");
}

TEST(Server, SendsNoBodyWith204And304) {
  TestServer server;
  for (const int status : {204, 304}) {
    Route route;
    route.run = [status](const ExchangePtr& exchange) {
      Response response = text("not to be seen");
      response.status = status;
      exchange->respond(std::move(response));
    };
    server.route("/" + std::to_string(status), route);
  }
  server.echo("/a").start();
  RawClient client = server.connect();
  const Reply nothing = client.request(get("/204"));
  EXPECT_EQ(nothing.status, 204);
  EXPECT_FALSE(nothing.has("Content-Length"));
  const Reply unchanged = client.request(get("/304"));
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.field("Content-Length"), "14");
  EXPECT_EQ(client.request(get("/a")).body, "/a:");
}

TEST(Server, RefusesAResponseThatWouldSplitTheHead) {
  TestServer server;
  Route value;
  value.run = [](const ExchangePtr& exchange) {
    exchange->respond(text("x").with("X-A", "b\r\nX-Evil: c"));
  };
  Route name;
  name.run = [](const ExchangePtr& exchange) {
    exchange->respond(text("x").with("X A: b\r\nX-Evil", "c"));
  };
  Route status;
  status.run = [](const ExchangePtr& exchange) { exchange->respond(empty_response(99)); };
  server.route("/value", value).route("/name", name).route("/status", status).start();
  RawClient client = server.connect();
  for (const char* path : {"/value", "/name", "/status"}) {
    const Reply reply = client.request(get(path));
    EXPECT_EQ(reply.status, 500) << path;
    EXPECT_EQ(reply.head.find("Evil"), std::string::npos);
  }
  EXPECT_EQ(server.failures().size(), 3U);
}

TEST(Server, RespondsToPipelinedRequestsInOrder) {
  TestServer server;
  Gate gate;
  Route slow;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    exchange->respond(text("slow"));
  };
  Route quick;
  quick.is_inline = true;
  server.route("/slow", slow).echo("/quick", quick).echo("/worker").start();
  RawClient client = server.connect();
  client.send(get("/slow") + get("/quick") + get("/worker") + get("/quick"));
  gate.wait_for(1);
  // The later ones ran meanwhile: safe requests need not wait for each other.
  EXPECT_TRUE(eventually([&] { return server.planned().size() == 4; }));
  gate.open();
  EXPECT_EQ(client.read_reply().body, "slow");
  EXPECT_EQ(client.read_reply().body, "/quick:");
  EXPECT_EQ(client.read_reply().body, "/worker:");
  EXPECT_EQ(client.read_reply().body, "/quick:");
}

TEST(Server, RunsPipelinedWritesOneAfterTheOther) {
  TestServer server;
  Gate gate;
  Route slow;
  slow.body = BodyMode::whole;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    exchange->respond(text("written"));
  };
  Route quick;
  quick.is_inline = true;
  server.route("/slow", slow).echo("/quick", quick).start();
  RawClient client = server.connect();
  client.send(post("/slow", "x") + get("/quick"));
  gate.wait_for(1);
  EXPECT_EQ(server.planned(), std::vector<std::string>{"POST /slow"});
  gate.open();
  EXPECT_EQ(client.read_reply().body, "written");
  EXPECT_EQ(client.read_reply().body, "/quick:");
}

TEST(Server, BoundsThePipeline) {
  TestServer server([](ServerOptions& options) { options.limits.pipeline = 4; });
  Gate gate;
  Route slow;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    exchange->respond(text("slow"));
  };
  Route quick;
  quick.is_inline = true;
  server.route("/slow", slow).echo("/quick", quick).start();
  RawClient client = server.connect();
  std::string all = get("/slow");
  for (int i = 0; i < 999; ++i)
    all += get("/quick");
  client.send(all);
  gate.wait_for(1);
  EXPECT_TRUE(eventually([&] { return server.planned().size() == 4; }));
  gate.open();
  EXPECT_EQ(client.read_reply().body, "slow");
  for (int i = 0; i < 999; ++i)
    ASSERT_EQ(client.read_reply().body, "/quick:");
  EXPECT_EQ(server.planned().size(), 1000U);
}

TEST(Server, TakesARequestThatComesByteByByte) {
  TestServer server;
  Route whole;
  whole.body = BodyMode::whole;
  server.echo("/a", whole).start();
  RawClient client = server.connect();
  for (const char byte : post("/a", "hello"))
    client.send({&byte, 1});
  EXPECT_EQ(client.read_reply().body, "/a:hello");
}

TEST(Server, RespondsToAClientThatClosedItsSide) {
  TestServer server;
  Gate gate;
  Route slow;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    exchange->respond(text("late"));
  };
  server.route("/slow", slow).start();
  RawClient client = server.connect();
  client.send(get("/slow"));
  client.finish_sending();
  gate.wait_for(1);
  gate.open();
  EXPECT_EQ(client.read_reply().body, "late");
  EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(Server, NeverRunsARequestWhoseBodyEndsEarly) {
  TestServer server;
  Route whole;
  whole.body = BodyMode::whole;
  bool has_run = false;
  whole.run = [&](const ExchangePtr& exchange) {
    has_run = true;
    exchange->respond(empty_response(200));
  };
  server.route("/a", whole).start();
  RawClient client = server.connect();
  client.send("POST /a HTTP/1.1\r\n" + host + "Content-Length: 10\r\n\r\nhalf");
  client.finish_sending();
  EXPECT_EQ(client.read_all(), "");
  const auto finished = server.wait_finished(1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].status, 0);
  EXPECT_FALSE(has_run);
  EXPECT_TRUE(eventually([&] { return server.attachments_alive() == 0; }));
}

TEST(Server, SendsContinueOnlyWhenTheBodyIsWanted) {
  TestServer server;
  Route whole;
  whole.body = BodyMode::whole;
  Route denied;
  denied.response = 401;
  server.echo("/a", whole).echo("/denied", denied).start();
  const std::string expecting =
      " HTTP/1.1\r\n" + host + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n";
  RawClient client = server.connect();
  EXPECT_EQ(client.request("POST /a" + expecting).status, 100);
  client.send("hello");
  EXPECT_EQ(client.read_reply().body, "/a:hello");
  // The body may come or not, so nothing may follow on this connection.
  const Reply reply = client.request("POST /denied" + expecting);
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(Server, TurnsExceptionsIntoProblems) {
  TestServer server;
  Route error;
  error.run = [](const ExchangePtr&) {
    throw base::Error(409, "test.conflict", "Another change was faster.");
  };
  Route bug;
  bug.run = [](const ExchangePtr&) { throw std::runtime_error("secret detail"); };
  Route odd;
  odd.run = [](const ExchangePtr&) { throw 7; };
  Route silent;
  silent.run = [](const ExchangePtr&) {};
  server.route("/error", error)
      .route("/bug", bug)
      .route("/odd", odd)
      .route("/silent", silent)
      .start();
  RawClient client = server.connect();
  const Reply conflict = client.request(get("/error"));
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(conflict.field("Content-Type"), "application/problem+json");
  EXPECT_NE(conflict.body.find("\"code\":\"test.conflict\""), std::string::npos);
  EXPECT_NE(conflict.body.find(conflict.field("X-Request-Id")), std::string::npos);
  const Reply internal = client.request(get("/bug"));
  EXPECT_EQ(internal.status, 500);
  EXPECT_NE(internal.body.find("http.internal"), std::string::npos);
  EXPECT_EQ(internal.body.find("secret"), std::string::npos);
  EXPECT_EQ(client.request(get("/odd")).status, 500);
  EXPECT_NE(client.request(get("/silent")).body.find("http.no_answer"), std::string::npos);
  EXPECT_EQ(client.request(get("/planless")).status, 500);
  EXPECT_EQ(client.request(get("/none")).status, 404);
  EXPECT_EQ(server.failures().size(), 3U);
}

TEST(Server, RespondsFromAnyThreadAfterTheHandler) {
  TestServer server;
  std::thread answerer;
  std::atomic<bool> has_answerer{false};
  Route later;
  later.run = [&](const ExchangePtr& exchange) {
    answerer = std::thread([exchange] {
      EXPECT_TRUE(exchange->respond(text("later")));
      EXPECT_FALSE(exchange->respond(text("twice")));
      EXPECT_FALSE(exchange->begin(text("")));
      EXPECT_EQ(exchange->begin_events(), nullptr);
    });
    has_answerer = true;
  };
  server.route("/later", later).start();
  RawClient client = server.connect();
  EXPECT_EQ(client.request(get("/later")).body, "later");
  EXPECT_TRUE(eventually([&] { return has_answerer.load(); }));
  answerer.join();
}

TEST(Server, DropsTheLateResponseOfASlowHandler) {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  Gate gate;
  std::atomic<int> late_response{-1};
  Route slow;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    late_response = exchange->respond(text("late")) ? 1 : 0;
  };
  server.route("/slow", slow).echo("/a").start();
  RawClient client = server.connect();
  client.send(get("/slow"));
  gate.wait_for(1);
  server.pass_time(Limits{}.handler);
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Retry-After"), "1");
  EXPECT_NE(reply.body.find("http.timeout"), std::string::npos);
  gate.open();
  EXPECT_EQ(client.request(get("/a")).body, "/a:");
  EXPECT_TRUE(eventually([&] { return late_response == 0; }));
}

TEST(Server, NotifiesAHandlerWhenTheClientLeaves) {
  TestServer server;
  Gate gate;
  std::atomic<int> was_closed{-1};
  Route slow;
  slow.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    was_closed = exchange->closed() ? 1 : 0;
  };
  server.route("/slow", slow).start();
  {
    RawClient client = server.connect();
    client.send(get("/slow"));
    gate.wait_for(1);
    client.reset();
  }
  EXPECT_EQ(server.wait_finished(1).at(0).status, 0);
  gate.open();
  EXPECT_TRUE(eventually([&] { return was_closed == 1 && server.attachments_alive() == 0; }));
}

TEST(Server, ReportsFinishedRequests) {
  TestServer server;
  server.echo("/a").start();
  RawClient client = server.connect();
  const Reply reply = client.request(get("/a"));
  client.request("BROKEN\r\n\r\n");
  const auto finished = server.wait_finished(2);
  ASSERT_EQ(finished.size(), 2U);
  EXPECT_EQ(finished[0].path, "/a");
  EXPECT_EQ(finished[0].status, 200);
  EXPECT_EQ(finished[0].bytes_sent, reply.head.size() + reply.body.size());
  EXPECT_FALSE(finished[1].has_request);
  EXPECT_EQ(finished[1].status, 400);
  const ServerStatistics statistics = server.http_server->statistics();
  EXPECT_EQ(statistics.accepted, 1U);
  EXPECT_EQ(statistics.requests, 1U);
  EXPECT_EQ(statistics.refused, 1U);
  EXPECT_TRUE(eventually([&] { return server.attachments_alive() == 0; }));
}

TEST(Server, CompressesTextForClientsThatTakeIt) {
  TestServer server;
  const std::string json = "[" + std::string(5000, ' ') + "]";
  Route plain;
  plain.run = [&](const ExchangePtr& exchange) { exchange->respond(json_response(200, json)); };
  Route tagged;
  tagged.run = [&](const ExchangePtr& exchange) {
    exchange->respond(json_response(200, json).with("ETag", "\"1\""));
  };
  Route small;
  small.run = [&](const ExchangePtr& exchange) { exchange->respond(json_response(200, "[]")); };
  server.route("/plain", plain).route("/tagged", tagged).route("/small", small).start();
  RawClient client = server.connect();
  const auto accepting = [&](const std::string& path, const std::string& codings) {
    return client.request("GET " + path + " HTTP/1.1\r\n" + host + "Accept-Encoding: " + codings +
                          "\r\n\r\n");
  };
  const Reply packed = accepting("/plain", "br, gzip");
  EXPECT_EQ(packed.field("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.field("Vary"), "Accept-Encoding");
  EXPECT_LT(packed.body.size(), 200U);
  EXPECT_TRUE(packed.body.starts_with("\x1f\x8b"));
  EXPECT_EQ(accepting("/plain", "gzip;q=0").body, json);
  EXPECT_EQ(accepting("/plain", "gzip;q=0").field("Vary"), "Accept-Encoding");
  EXPECT_EQ(client.request(get("/plain")).body, json);
  EXPECT_EQ(accepting("/tagged", "gzip").body, json);
  EXPECT_EQ(accepting("/small", "gzip").body, "[]");
}

TEST(Server, BelievesForwardedFieldsOnlyFromTrustedProxies) {
  const auto ask = [](bool is_trusted) {
    TestServer server([&](ServerOptions& options) {
      if (is_trusted) options.trusted_proxies = {"127.0.0.0/8"};
    });
    Route route;
    route.run = [](const ExchangePtr& exchange) {
      const Request& request = exchange->request();
      exchange->respond(text(std::string(request.peer) + (request.secure ? " secure " : " plain ") +
                             std::string(request.request_id)));
    };
    server.route("/a", route).start();
    RawClient client = server.connect();
    return client
        .request("GET /a HTTP/1.1\r\n" + host +
                 "X-Forwarded-For: 198.51.100.7\r\nX-Forwarded-Proto: https\r\nX-Request-Id: "
                 "abc-1\r\n\r\n")
        .body;
  };
  EXPECT_EQ(ask(true), "198.51.100.7 secure abc-1");
  EXPECT_TRUE(ask(false).starts_with("127.0.0.1 plain "));
  EXPECT_EQ(ask(false).find("abc-1"), std::string::npos);
}

TEST(Server, KnowsWhoseAddressThePeerIs) {
  const auto kinds = [](bool is_trusted, const std::string& fields) {
    TestServer server([&](ServerOptions& options) {
      if (is_trusted) options.trusted_proxies = {"127.0.0.0/8"};
    });
    Route route;
    route.run = [](const ExchangePtr& exchange) {
      exchange->respond(text(std::to_string(static_cast<int>(exchange->request().peer_kind))));
    };
    server.route("/a", route).start();
    RawClient client = server.connect();
    std::string replies;
    // From the third time on the head is remembered.
    for (int i = 0; i < 4; ++i)
      replies += client.request("GET /a HTTP/1.1\r\n" + host + fields + "\r\n").body;
    return replies + client.request(get("/a")).body;
  };
  for (const char* field :
       {"X-Forwarded-For: 198.51.100.7", "X-FORWARDED-PROTO: https", "X-Forwarded-Anything: a",
        "Forwarded: for=198.51.100.7", "X-Real-IP: 198.51.100.7", "Via: 1.1 proxy"})
    EXPECT_EQ(kinds(false, std::string(field) + "\r\n"), "11110") << field;
  for (const char* field : {"X-Forward: a", "Forwarded-For: a", "X-Real: a", "Vi: a"})
    EXPECT_EQ(kinds(false, std::string(field) + "\r\n"), "00000") << field;
  EXPECT_EQ(kinds(true, "X-Forwarded-For: 198.51.100.7\r\n"), "00000");
  for (const char* field :
       {"X-Forwarded-For: unknown", "X-Forwarded-Proto: https", "X-Real-IP: 198.51.100.7"})
    EXPECT_EQ(kinds(true, std::string(field) + "\r\n"), "22220") << field;
}

}  // namespace
}  // namespace tenon::http::test
