#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

Response head_of_text() {
  Response response;
  response.content_type = "text/plain";
  return response;
}

// ---------------------------------------------------------------- responses

TEST(StreamedResponse, ComesInChunks) {
  TestServer server;
  Route route;
  route.run = [](const ExchangePtr& exchange) {
    EXPECT_TRUE(exchange->begin(head_of_text()));
    EXPECT_EQ(exchange->write("hello "), WriteResult::accepted);
    EXPECT_EQ(exchange->write(""), WriteResult::accepted);
    EXPECT_EQ(exchange->write("world"), WriteResult::accepted);
    EXPECT_TRUE(exchange->end());
    EXPECT_EQ(exchange->write("more"), WriteResult::closed);
    EXPECT_FALSE(exchange->end());
  };
  server.route("/a", route).echo("/b").start();
  RawClient client = server.connect();
  const Reply reply = client.request(get("/a"));
  EXPECT_EQ(reply.field("Transfer-Encoding"), "chunked");
  EXPECT_FALSE(reply.has("Content-Length"));
  EXPECT_TRUE(reply.is_complete);
  EXPECT_EQ(reply.body, "hello world");
  EXPECT_EQ(client.request(get("/b")).body, "/b:");
}

TEST(StreamedResponse, ComesWithALengthWhereItIsKnown) {
  TestServer server;
  Route route;
  route.run = [](const ExchangePtr& exchange) {
    exchange->begin(head_of_text(), 11);
    exchange->write("hello ");
    exchange->write("world");
    EXPECT_TRUE(exchange->end());
  };
  server.route("/a", route).echo("/b").start();
  RawClient client = server.connect();
  const Reply reply = client.request(get("/a"));
  EXPECT_EQ(reply.field("Content-Length"), "11");
  EXPECT_EQ(reply.body, "hello world");
  EXPECT_EQ(client.request(get("/b")).body, "/b:");
}

TEST(StreamedResponse, EndsWithTheConnectionOn10) {
  TestServer server;
  Route route;
  route.run = [](const ExchangePtr& exchange) {
    exchange->begin(head_of_text());
    exchange->write("hello");
    exchange->end();
  };
  server.route("/a", route).start();
  RawClient client = server.connect();
  const Reply reply = client.request("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_FALSE(reply.has("Transfer-Encoding"));
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_EQ(reply.body, "hello");
  EXPECT_TRUE(reply.is_complete);
}

TEST(StreamedResponse, LosesItsBodyForHead) {
  TestServer server;
  Route route;
  route.run = [](const ExchangePtr& exchange) {
    exchange->begin(head_of_text());
    exchange->write("hello");
    EXPECT_TRUE(exchange->end());
  };
  server.route("/a", route).echo("/b").start();
  RawClient client = server.connect();
  client.send("HEAD /a HTTP/1.1\r\n" + host + "\r\n");
  EXPECT_EQ(client.read_reply(true).status, 200);
  EXPECT_EQ(client.request(get("/b")).body, "/b:");
}

TEST(StreamedResponse, IsSeenAsIncompleteWhenItIsCut) {
  TestServer server;
  const auto cut = [&](const char* path, std::uint64_t length,
                       const std::function<void(const ExchangePtr&)>& after) {
    Route route;
    route.run = [=](const ExchangePtr& exchange) {
      exchange->begin(head_of_text(), length);
      exchange->write("hello");
      after(exchange);
    };
    server.route(path, route);
  };
  cut("/aborted", Request::no_length, [](const ExchangePtr& exchange) { exchange->abort(); });
  cut("/forgotten", Request::no_length, [](const ExchangePtr&) {});
  cut("/short", 10, [](const ExchangePtr& exchange) { EXPECT_FALSE(exchange->end()); });
  cut("/long", 7, [](const ExchangePtr& exchange) {
    EXPECT_EQ(exchange->write("world"), WriteResult::closed);
  });
  cut("/thrown", Request::no_length,
      [](const ExchangePtr&) { throw std::runtime_error("in the middle"); });
  server.start();
  for (const char* path : {"/aborted", "/forgotten", "/short", "/long", "/thrown"}) {
    RawClient client = server.connect();
    const Reply reply = client.request(get(path));
    EXPECT_FALSE(reply.is_complete) << path;
    EXPECT_TRUE(client.is_closed_by_peer()) << path;
  }
}

TEST(StreamedResponse, IsSeenAsIncompleteOn10Too) {
  TestServer server;
  Route route;
  route.run = [](const ExchangePtr& exchange) {
    exchange->begin(head_of_text());
    exchange->write("hello");
    exchange->abort();
  };
  server.route("/a", route).start();
  RawClient client = server.connect();
  client.send(get("/a", "1.0"));
  client.read_all();
  EXPECT_TRUE(client.was_reset());
}

TEST(StreamedResponse, WaitsForASlowReaderWithoutHoardingMemory) {
  constexpr std::size_t total = 16 * 1024 * 1024;
  TestServer server([](ServerOptions& options) { options.limits.write_buffer = 64 * 1024; });
  std::atomic<std::size_t> written{0};
  std::atomic<int> full{0};
  Route route;
  route.run = [&](const ExchangePtr& exchange) {
    const auto block = std::make_shared<const std::string>(16 * 1024, 'x');
    const auto resume = [&written, &full, exchange, block] {
      while (written < total) {
        const WriteResult result = exchange->write(*block);
        if (result == WriteResult::closed) return;
        written += block->size();
        if (result == WriteResult::full) {
          ++full;
          return;
        }
      }
      exchange->end();
    };
    exchange->begin(head_of_text());
    exchange->on_writable(resume);
    resume();
  };
  server.route("/a", route).start();
  RawClient client = server.connect(4096);
  client.send(get("/a"));
  EXPECT_TRUE(eventually([&] { return full > 0; }));
  EXPECT_LT(written, total);  // it did not run ahead of the reader
  const Reply reply = client.read_reply();
  EXPECT_TRUE(reply.is_complete);
  EXPECT_EQ(reply.body.size(), total);
  EXPECT_TRUE(eventually([&] { return server.attachments_alive() == 0; }));
}

TEST(StreamedResponse, NotifiesItsWriterWhenTheClientLeaves) {
  TestServer server([](ServerOptions& options) { options.limits.write_buffer = 16 * 1024; });
  std::atomic<bool> was_closed{false};
  Route route;
  route.run = [&](const ExchangePtr& exchange) {
    const auto resume = [&was_closed, exchange] {
      WriteResult result = WriteResult::accepted;
      while (result == WriteResult::accepted)
        result = exchange->write(std::string(16 * 1024, 'x'));
      if (result == WriteResult::closed) was_closed = true;
    };
    exchange->begin(head_of_text());
    exchange->on_writable(resume);
    resume();
  };
  server.route("/a", route).start();
  {
    RawClient client = server.connect(4096);
    client.send(get("/a"));
    client.read_until("\r\n\r\n");
    client.reset();
  }
  EXPECT_TRUE(eventually([&] { return was_closed && server.attachments_alive() == 0; }));
}

TEST(StreamedResponse, IsCutForAStalledReader) {
  TestServer server(
      [](ServerOptions& options) { options.limits.write_window = std::chrono::milliseconds(200); });
  Route route;
  route.run = [](const ExchangePtr& exchange) {
    Response response = head_of_text();
    response.body = std::string(32 * 1024 * 1024, 'x');
    exchange->respond(std::move(response));
  };
  server.route("/a", route).start();
  RawClient client = server.connect(4096);
  client.send(get("/a"));
  const auto finished = server.wait_finished(1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_LT(finished[0].bytes_sent, 32U * 1024 * 1024);
  EXPECT_TRUE(eventually([&] { return server.http_server->statistics().open == 0; }));
}

// ---------------------------------------------------------------- bodies

// Gathers a body, responds with it at its end, and counts its calls.
class Gather final : public BodySink {
 public:
  struct Received {
    std::atomic<int> data{0};
    std::atomic<int> ends{0};
    std::atomic<int> aborts{0};
    std::atomic<int> status{-1};
    std::atomic<int> alive{0};
    std::atomic<bool> overlapped{false};
    std::atomic<std::size_t> bytes{0};
  };
  Gather(ExchangePtr exchange, Received& seen, Gate* gate = nullptr)
      : exchange_(std::move(exchange)), seen_(seen), gate_(gate) {
    ++seen_.alive;
  }
  ~Gather() override { --seen_.alive; }

  void on_data(std::string_view bytes) override {
    const Call call(*this);
    if (gate_ != nullptr) gate_->pass();
    ++seen_.data;
    seen_.bytes += bytes.size();
    body_ += bytes;
  }
  void on_end() override {
    const Call call(*this);
    ++seen_.ends;
    Response response = head_of_text();
    response.body = std::move(body_);
    exchange_->respond(std::move(response));
  }
  void on_abort(int status) override {
    const Call call(*this);
    ++seen_.aborts;
    seen_.status = status;
  }

 private:
  struct Call {
    explicit Call(Gather& gather) : gather_(gather) {
      if (gather_.is_called_.exchange(true)) gather_.seen_.overlapped = true;
    }
    ~Call() { gather_.is_called_ = false; }
    Gather& gather_;
  };

  ExchangePtr exchange_;
  Received& seen_;
  Gate* gate_;
  std::string body_;
  std::atomic<bool> is_called_{false};
};

Route streamed(Gather::Received& seen, Gate* gate = nullptr) {
  Route route;
  route.body = BodyMode::streamed;
  route.body_limit = 64 * 1024 * 1024;
  route.run = [&seen, gate](const ExchangePtr& exchange) {
    exchange->read_body(std::make_unique<Gather>(exchange, seen, gate));
  };
  return route;
}

TEST(StreamedBody, ComesInOrderAndWhole) {
  TestServer server;
  Gather::Received seen;
  server.route("/a", streamed(seen)).echo("/b").start();
  std::string body;
  for (int i = 0; body.size() < 3'000'000; ++i)
    body += std::to_string(i) + " ";
  RawClient client = server.connect();
  EXPECT_EQ(client.request(post("/a", body)).body, body);
  EXPECT_EQ(seen.ends, 1);
  EXPECT_EQ(seen.aborts, 0);
  EXPECT_FALSE(seen.overlapped);
  EXPECT_TRUE(eventually([&] { return seen.alive == 0; }));
  EXPECT_EQ(client.request(get("/b")).body, "/b:");
}

TEST(StreamedBody, ComesInChunksToo) {
  TestServer server;
  Gather::Received seen;
  server.route("/a", streamed(seen)).start();
  RawClient client = server.connect();
  client.send("POST /a HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 100; ++i)
    client.send("5\r\nhello\r\n");
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.read_reply().body.size(), 500U);
  EXPECT_EQ(seen.ends, 1);
}

TEST(StreamedBody, MayBeEmpty) {
  TestServer server;
  Gather::Received seen;
  server.route("/a", streamed(seen)).start();
  RawClient client = server.connect();
  EXPECT_EQ(client.request(post("/a", "")).status, 200);
  EXPECT_EQ(client.request("POST /a HTTP/1.1\r\n" + host + "\r\n").status, 200);
  EXPECT_EQ(seen.ends, 2);
  EXPECT_EQ(seen.data, 0);
}

TEST(StreamedBody, IsNotReadWhileTheSinkIsBusy) {
  TestServer server;
  Gather::Received seen;
  Gate gate;
  server.route("/a", streamed(seen, &gate)).start();
  const std::string body(32 * 1024 * 1024, 'x');
  RawClient client = server.connect();
  std::thread sender([&] { client.send(post("/a", body)); });
  gate.wait_for(1);
  // Nothing more is read: what has come stays far below the body's size.
  EXPECT_LT(server.http_server->statistics().bytes_received, 1024U * 1024);
  gate.open();
  sender.join();
  EXPECT_EQ(client.read_reply().body.size(), body.size());
}

TEST(StreamedBody, NotifiesTheSinkWhenTheClientLeaves) {
  TestServer server;
  Gather::Received seen;
  server.route("/a", streamed(seen)).start();
  {
    RawClient client = server.connect();
    client.send("POST /a HTTP/1.1\r\n" + host + "Content-Length: 10\r\n\r\nhello");
    EXPECT_TRUE(eventually([&] { return seen.bytes == 5; }));
  }
  EXPECT_TRUE(eventually([&] { return seen.aborts == 1 && seen.alive == 0; }));
  EXPECT_EQ(seen.ends, 0);
  EXPECT_EQ(server.wait_finished(1).at(0).status, 0);
}

TEST(StreamedBody, IsAbortedBeyondItsLimit) {
  TestServer server;
  Gather::Received seen;
  Route route = streamed(seen);
  route.body_limit = 100;
  server.route("/a", route).start();
  RawClient client = server.connect();
  EXPECT_EQ(client.request(post("/a", std::string(101, 'x'))).status, 413);
  RawClient second = server.connect();
  second.send("POST /a HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  EXPECT_TRUE(eventually([&] { return seen.bytes == 5; }));
  second.send("60\r\n" + std::string(96, 'x') + "\r\n");
  EXPECT_EQ(second.read_reply().status, 413);
  EXPECT_TRUE(eventually([&] { return seen.aborts == 1 && seen.alive == 0; }));
  EXPECT_EQ(seen.status, 413);
  EXPECT_EQ(seen.ends, 0);
}

TEST(StreamedBody, Gets408WhenTooSlow) {
  TestServer server(
      [](ServerOptions& options) { options.limits.body_window = std::chrono::milliseconds(200); });
  Gather::Received seen;
  Route whole;
  whole.body = BodyMode::whole;
  server.route("/streamed", streamed(seen)).echo("/whole", whole).start();
  for (const char* path : {"/streamed", "/whole"}) {
    RawClient client = server.connect();
    client.send(std::string("POST ") + path + " HTTP/1.1\r\n" + host +
                "Content-Length: 10\r\n\r\nhello");
    const Reply reply = client.read_reply();
    EXPECT_EQ(reply.status, 408) << path;
    EXPECT_NE(reply.body.find("http.body_timeout"), std::string::npos);
    EXPECT_TRUE(client.is_closed_by_peer());
  }
  EXPECT_TRUE(eventually([&] { return seen.aborts == 1 && seen.alive == 0; }));
  EXPECT_EQ(seen.status, 408);
}

TEST(StreamedBody, IsNotSlowDuringExpectContinue) {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  Gather::Received seen;
  Gate gate;
  Route route = streamed(seen);
  route.run = [&](const ExchangePtr& exchange) {
    gate.pass();
    exchange->read_body(std::make_unique<Gather>(exchange, seen));
  };
  server.route("/a", route).start();
  RawClient client = server.connect();
  client.send("POST /a HTTP/1.1\r\n" + host + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  gate.wait_for(1);
  server.pass_time(Limits{}.body_window + std::chrono::seconds(1));
  gate.open();
  EXPECT_EQ(client.read_reply().status, 100);
  client.send("hello");
  EXPECT_EQ(client.read_reply().body, "hello");
}

TEST(StreamedBody, EndsInTheProblemOfAThrowingSink) {
  class Throws final : public BodySink {
   public:
    Throws(std::atomic<int>& aborts, bool is_known) : aborts_(aborts), is_known_(is_known) {}
    void on_data(std::string_view) override {
      if (is_known_) throw base::Error(422, "test.bad", "No.");
      throw std::runtime_error("secret");
    }
    void on_end() override { ADD_FAILURE() << "ended"; }
    void on_abort(int) override { ++aborts_; }

   private:
    std::atomic<int>& aborts_;
    bool is_known_;
  };
  TestServer server;
  std::atomic<int> aborts{0};
  for (const bool is_known : {true, false}) {
    Route route;
    route.body = BodyMode::streamed;
    route.run = [&aborts, is_known](const ExchangePtr& exchange) {
      exchange->read_body(std::make_unique<Throws>(aborts, is_known));
    };
    server.route(is_known ? "/known" : "/unknown", route);
  }
  server.start();
  RawClient client = server.connect();
  EXPECT_EQ(client.request(post("/known", "hello")).status, 422);
  RawClient second = server.connect();
  EXPECT_EQ(second.request(post("/unknown", "hello")).status, 500);
  EXPECT_TRUE(eventually([&] { return aborts == 2; }));
}

TEST(StreamedBody, NeverRunsAsARequestWhenUnread) {
  TestServer server;
  Route route;
  route.body = BodyMode::streamed;
  route.run = [](const ExchangePtr& exchange) { exchange->respond(empty_response(200)); };
  server.route("/a", route).echo("/smuggled").start();
  RawClient client = server.connect();
  EXPECT_EQ(client.request(post("/a", get("/smuggled"))).status, 200);
  EXPECT_EQ(client.request(get("/none")).status, 404);
  EXPECT_EQ(server.planned(), (std::vector<std::string>{"POST /a", "GET /none"}));
}

TEST(StreamedBody, CanBeReadDuringAStreamedResponse) {
  class Echo final : public BodySink {
   public:
    explicit Echo(ExchangePtr exchange) : exchange_(std::move(exchange)) {}
    void on_data(std::string_view bytes) override { exchange_->write(bytes); }
    void on_end() override { exchange_->end(); }
    void on_abort(int) override { exchange_->abort(); }

   private:
    ExchangePtr exchange_;
  };
  TestServer server;
  Route route;
  route.body = BodyMode::streamed;
  route.run = [](const ExchangePtr& exchange) {
    exchange->begin(head_of_text());
    exchange->read_body(std::make_unique<Echo>(exchange));
  };
  server.route("/a", route).start();
  RawClient client = server.connect();
  client.send("POST /a HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  EXPECT_TRUE(client.read_until("hello"));
  client.send("5\r\nworld\r\n0\r\n\r\n");
  EXPECT_TRUE(client.read_until("world\r\n0\r\n\r\n"));
}

}  // namespace
}  // namespace tenon::http::test
