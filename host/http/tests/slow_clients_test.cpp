// Clients that send or read too little. Their use of time and memory is bounded.

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

using std::chrono::milliseconds;

const std::string post_head = "POST /post HTTP/1.1\r\nHost: a\r\n";

// Sends `text` again and again until the other side takes no more; false when it never stops.
bool drip(RawClient& client, const std::string& text) {
  for (int i = 0; i < 1000; ++i) {
    if (!client.send(text)) return true;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return false;
}

class SlowSender : public testing::Test {
 protected:
  SlowSender()
      : server_([](ServerOptions& options) {
          options.limits.head_deadline = milliseconds(200);
          options.limits.body_window = milliseconds(200);
          options.limits.linger = milliseconds(200);
        }) {
    Route whole;
    whole.body = BodyMode::whole;
    Route denied = whole;
    denied.response = 401;
    server_.echo("/a").echo("/post", whole).route("/denied", denied);
    server_.start();
  }
  bool all_is_free() {
    return eventually([&] {
      return server_.http_server->statistics().open == 0 && server_.attachments_alive() == 0;
    });
  }

  TestServer server_;
};

TEST_F(SlowSender, Gets408AlsoForASecondHead) {
  RawClient client = server_.connect();
  client.send(get("/a") + "GET /a HTTP/1.1\r\n");
  EXPECT_EQ(client.read_reply().status, 200);
  EXPECT_EQ(client.read_reply().status, 408);
  EXPECT_TRUE(client.is_closed_by_peer());
}

TEST_F(SlowSender, IsCutWhenABodyDrips) {
  RawClient client = server_.connect();
  client.send(post_head + "Content-Length: 10000\r\n\r\n");
  EXPECT_TRUE(drip(client, "x"));
  EXPECT_EQ(client.read_reply().status, 408);
  EXPECT_TRUE(all_is_free());
}

TEST_F(SlowSender, IsMeasuredByTheDataInChunks) {
  RawClient client = server_.connect();
  client.send(post_head + "Transfer-Encoding: chunked\r\n\r\n");
  EXPECT_TRUE(drip(client, "1;" + std::string(200, 'x') + "\r\ny\r\n"));
  EXPECT_EQ(client.read_reply().status, 408);
  EXPECT_TRUE(all_is_free());
}

TEST_F(SlowSender, IsCutWhileItsBodyIsDiscarded) {
  RawClient client = server_.connect();
  client.send("POST /denied HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 401);
  EXPECT_TRUE(drip(client, "x"));
  EXPECT_TRUE(all_is_free());
  EXPECT_EQ(server_.planned().size(), 1U);
}

TEST_F(SlowSender, IsReadForTheLingerAfterARefusal) {
  RawClient client = server_.connect();
  client.send("BROKEN\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 400);
  EXPECT_TRUE(drip(client, get("/a")));
  EXPECT_TRUE(all_is_free());
  EXPECT_TRUE(server_.planned().empty());
}

TEST(SlowReader, StopsReadingOfItsPipeline) {
  TestServer server;
  Route large;
  large.is_inline = true;
  large.run = [](const ExchangePtr& exchange) {
    Response response;
    response.content_type = "text/plain";
    response.body = std::string(64 * 1024, 'x');
    exchange->respond(std::move(response));
  };
  server.route("/a", large).start();
  RawClient client = server.connect(4096);
  const timeval timeout{1, 0};
  ::setsockopt(client.descriptor(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  std::size_t sent = 0;
  while (sent < 1'000'000 && client.send(get("/a")))
    ++sent;
  ASSERT_LT(sent, 1'000'000U) << "the server reads for ever";
  // Kernel and write buffer hold some, the pipeline 16; none of the others was looked at.
  EXPECT_LT(server.planned().size(), 100U);
}

// One I/O thread, kept by a handler until many clients and another one have sent requests.
class ManyClients : public testing::Test {
 protected:
  static constexpr int clients = 64;

  void SetUp() override {
    Route gate;
    gate.is_inline = true;
    gate.run = [this](const ExchangePtr& exchange) {
      entered_.set_value();
      all_have_asked_.get_future().wait();
      exchange->respond(empty_response(204));
    };
    Route small;
    small.is_inline = true;
    small.run = [this](const ExchangePtr& exchange) {
      seen_at_small_ = seen();
      exchange->respond(empty_response(204));
    };
    server_.route("/gate", gate).route("/small", small);
  }
  virtual std::uint64_t seen() = 0;
  // Returns how much seen() grew from when the other client sent its request until it was served.
  std::uint64_t seen_before_other(const std::string& requests) {
    server_.start();
    RawClient other = server_.connect();
    EXPECT_EQ(other.request(get("/small")).status, 204);
    for (int i = 0; i < clients; ++i) {
      clients_.push_back(server_.connect());
      EXPECT_EQ(clients_.back().request(get("/small")).status, 204);
    }
    RawClient keeper = server_.connect();
    EXPECT_TRUE(keeper.send(get("/gate")));
    entered_.get_future().wait();
    for (RawClient& client : clients_)
      EXPECT_TRUE(client.send(requests));
    EXPECT_TRUE(other.send(get("/small")));
    const std::uint64_t before = seen();
    all_have_asked_.set_value();
    EXPECT_EQ(other.read_reply().status, 204);
    return seen_at_small_ - before;
  }

  std::promise<void> entered_;
  std::promise<void> all_have_asked_;
  std::atomic<std::uint64_t> seen_at_small_{0};
  TestServer server_{[](ServerOptions& options) { options.io_threads = 1; }};
  std::vector<RawClient> clients_;
};

class ClientsThatDoNotRead : public ManyClients {
  std::uint64_t seen() override { return server_.http_server->statistics().bytes_sent; }
};

TEST_F(ClientsThatDoNotRead, LeaveTimeForOthers) {
  const auto body = std::make_shared<const std::string>(4 * 1024 * 1024, 'x');
  Route large;
  large.is_inline = true;
  large.run = [&](const ExchangePtr& exchange) {
    Response response;
    response.content_type = "application/octet-stream";
    response.body = body;
    exchange->respond(std::move(response));
  };
  server_.route("/large", large);
  // The kernel takes megabytes for each of them.
  EXPECT_LT(seen_before_other(get("/large")), 16U * 1024 * 1024);
  // Each gets its responses.
  for (RawClient& client : clients_) {
    const Reply reply = client.read_reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body.size(), body->size());
  }
}

class ClientsThatPipeline : public ManyClients {
 protected:
  std::uint64_t seen() override { return runs_; }
  std::atomic<std::uint64_t> runs_{0};
};

TEST_F(ClientsThatPipeline, LeaveTimeForOthers) {
  constexpr int each = 200;
  Route quick;
  quick.is_inline = true;
  quick.run = [&](const ExchangePtr& exchange) {
    ++runs_;
    exchange->respond(empty_response(204));
  };
  server_.route("/quick", quick);
  std::string requests;
  for (int i = 0; i < each; ++i)
    requests += get("/quick");
  // At most 16 requests of each in one pass, and two rounds of all clients.
  EXPECT_LT(seen_before_other(requests), 4096U);
  for (RawClient& client : clients_) {
    for (int i = 0; i < each; ++i)
      ASSERT_EQ(client.read_reply().status, 204);
  }
  EXPECT_EQ(runs_, std::uint64_t{clients} * each);
}

}  // namespace
}  // namespace tenon::http::test
