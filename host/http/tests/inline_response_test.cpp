#include <algorithm>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

// More than is copied after a head.
constexpr std::size_t large_bytes = 20'000;

bool respond(Exchange& exchange, int status, std::string_view body) {
  Response& draft = exchange.draft();
  draft.status = status;
  draft.content_type = "image/png";  // nothing that workers compress
  draft.with("X-Made", "here");
  draft.is_checked = true;
  return exchange.respond_with(std::move(draft), body);
}

// Returns the reply without the parts that differ from one response to the next.
std::string shape(const Reply& reply) {
  std::string text;
  for (std::size_t at = 0; at < reply.head.size();) {
    const std::size_t end = std::min(reply.head.find("\r\n", at), reply.head.size());
    const std::string line = reply.head.substr(at, end - at);
    if (!line.starts_with("Date: ") && !line.starts_with("X-Request-Id: ")) text += line + "\n";
    at = end + 2;
  }
  return text + reply.body;
}

// The same handlers on the I/O thread and on workers.
class InlineResponse : public testing::Test {
 protected:
  void route(const std::string& path, const std::function<void(const ExchangePtr&)>& run) {
    Route route;
    route.run = run;
    server_.route("/worker" + path, route);
    route.is_inline = true;
    server_.route("/inline" + path, route);
  }
  // Returns both responses, which must be equal.
  std::string same(const std::string& method, const std::string& path,
                   const std::string& fields = {}) {
    std::string shapes[2];
    for (int i = 0; i < 2; ++i) {
      RawClient client = server_.connect();
      client.send(ask(method, (i == 0 ? "/inline" : "/worker") + path, fields));
      shapes[i] = shape(client.read_reply(method == "HEAD"));
    }
    EXPECT_TRUE(shapes[0] == shapes[1]) << method << " " << path;
    return shapes[0];
  }

  TestServer server_;
};

TEST_F(InlineResponse, EqualsTheResponseOfAWorker) {
  const std::string kilobyte(1024, 'x');
  route("/text", [&](const ExchangePtr& exchange) { respond(*exchange, 200, kilobyte); });
  route("/empty", [&](const ExchangePtr& exchange) { respond(*exchange, 200, {}); });
  route("/created", [&](const ExchangePtr& exchange) { respond(*exchange, 201, "made"); });
  route("/204", [&](const ExchangePtr& exchange) { respond(*exchange, 204, {}); });
  route("/304", [&](const ExchangePtr& exchange) { respond(*exchange, 304, {}); });
  route("/large", [&](const ExchangePtr& exchange) {
    respond(*exchange, 200, std::string(large_bytes, 'y'));
  });
  server_.start();
  EXPECT_TRUE(same("GET", "/text").ends_with("\n" + kilobyte));
  EXPECT_TRUE(same("GET", "/text", "Connection: close\r\n").ends_with("\n" + kilobyte));
  EXPECT_NE(same("HEAD", "/text").find("Content-Length: 1024\n"), std::string::npos);
  EXPECT_NE(same("GET", "/empty").find("Content-Length: 0\n"), std::string::npos);
  EXPECT_TRUE(same("GET", "/created").starts_with("HTTP/1.1 201 Created\n"));
  EXPECT_EQ(same("GET", "/204").find("Content-Length"), std::string::npos);
  EXPECT_EQ(same("GET", "/304").find("Content-Length"), std::string::npos);
  EXPECT_TRUE(same("GET", "/large").ends_with(std::string(large_bytes, 'y')));
}

TEST_F(InlineResponse, KeepsItsPositionAmongOthers) {
  Gate gate;
  route("/slow", [&](const ExchangePtr& exchange) {
    gate.pass();
    respond(*exchange, 200, "slow");
  });
  route("/quick", [&](const ExchangePtr& exchange) { respond(*exchange, 200, "quick"); });
  server_.start();
  RawClient client = server_.connect();
  client.send(ask("GET", "/inline/quick") + ask("GET", "/worker/slow") +
              ask("GET", "/inline/quick") + ask("HEAD", "/inline/quick") +
              ask("GET", "/inline/quick"));
  EXPECT_EQ(client.read_reply().body, "quick");
  gate.wait_for(1);
  gate.open();
  EXPECT_EQ(client.read_reply().body, "slow");
  EXPECT_EQ(client.read_reply().body, "quick");
  EXPECT_EQ(client.read_reply(true).status, 200);
  EXPECT_EQ(client.read_reply().body, "quick");
}

TEST_F(InlineResponse, IsGivenOnce) {
  std::vector<bool> taken;
  route("/twice", [&](const ExchangePtr& exchange) {
    taken.push_back(respond(*exchange, 200, "first"));
    taken.push_back(respond(*exchange, 200, "second"));
    taken.push_back(exchange->respond(empty_response(500)));
    taken.push_back(exchange->begin_events() != nullptr);
    throw std::runtime_error("too late");
  });
  server_.start();
  RawClient client = server_.connect();
  client.send(ask("GET", "/inline/twice") + ask("GET", "/nowhere"));
  EXPECT_EQ(client.read_reply().body, "first");
  EXPECT_EQ(client.read_reply().status, 404);
  EXPECT_EQ(taken, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(server_.failures(), std::vector<std::string>{"too late"});
}

TEST_F(InlineResponse, IsNotWrittenForAKeptExchange) {
  std::vector<ExchangePtr> kept;
  std::atomic<int> runs = 0;
  route("/kept", [&](const ExchangePtr& exchange) {
    kept.push_back(exchange);
    respond(*exchange, 200, "here");
  });
  route("/later", [&](const ExchangePtr& exchange) {
    kept.push_back(exchange);
    ++runs;
  });
  route("/never", [&](const ExchangePtr&) { ++runs; });
  server_.start();
  RawClient client = server_.connect();
  client.send(ask("GET", "/inline/kept"));
  EXPECT_EQ(client.read_reply().body, "here");
  client.send(ask("GET", "/inline/later") + ask("GET", "/inline/never"));
  ASSERT_TRUE(eventually([&] { return runs == 2; }));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_FALSE(kept[0]->respond(empty_response(202)));
  EXPECT_TRUE(kept[1]->respond(empty_response(202)));
  EXPECT_EQ(client.read_reply().status, 202);
  EXPECT_EQ(client.read_reply().status, 500);
  kept.clear();
  EXPECT_EQ(server_.wait_finished(3).size(), 3U);
  EXPECT_TRUE(eventually([&] { return server_.attachments_alive() == 0; }));
}

TEST(InlineResponses, ReachEachOfManyClientsOfOneRound) {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  Gate gate;
  Route route;
  route.is_inline = true;
  route.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    respond(*exchange, 200, "gate");
  };
  server.route("/gate", route);
  route.run = [](const ExchangePtr& exchange) { respond(*exchange, 200, "text"); };
  server.route("/text", route);
  route.run = [](const ExchangePtr& exchange) {
    respond(*exchange, 200, std::string(large_bytes, 'y'));
  };
  server.route("/large", route).start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(server.connect());
    clients.back().send(ask("GET", "/text"));
    ASSERT_EQ(clients.back().read_reply().body, "text");
  }
  RawClient first = server.connect();
  first.send(ask("GET", "/gate"));
  gate.wait_for(1);
  // While the thread is held up: one request, several, one that ends its connection, one that is
  // refused, one whose client is gone.
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::string texts[] = {
        ask("GET", "/text"), ask("GET", "/text") + ask("GET", "/large") + ask("GET", "/text"),
        ask("GET", "/text", "Connection: close\r\n"), "GET /text\r\n\r\n", ask("GET", "/text")};
    clients[i].send(texts[i % 5]);
    if (i % 5 == 4) clients[i].reset();
  }
  gate.open();
  EXPECT_EQ(first.read_reply().body, "gate");
  for (std::size_t i = 0; i < clients.size(); ++i) {
    RawClient& client = clients[i];
    if (i % 5 == 4) continue;
    if (i % 5 == 3) {
      EXPECT_EQ(client.read_reply().status, 400);
      EXPECT_TRUE(client.is_closed_by_peer());
      continue;
    }
    EXPECT_EQ(client.read_reply().body, "text");
    if (i % 5 == 1) {
      EXPECT_EQ(client.read_reply().body.size(), large_bytes);
      EXPECT_EQ(client.read_reply().body, "text");
    }
    if (i % 5 == 2) {
      EXPECT_TRUE(client.is_closed_by_peer());
    }
  }
}

TEST_F(InlineResponse, IsCountedWithHeadAndBody) {
  route("/text", [](const ExchangePtr& exchange) { respond(*exchange, 200, "12345"); });
  server_.start();
  RawClient client = server_.connect();
  client.send(ask("GET", "/inline/text"));
  const Reply reply = client.read_reply();
  const std::vector<Finished> finished = server_.wait_finished(1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].status, 200);
  EXPECT_EQ(finished[0].bytes_sent, reply.head.size() + reply.body.size());
}

}  // namespace
}  // namespace tenon::http::test
