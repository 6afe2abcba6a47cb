// Bounds that are not about the framing of one request: time, connections, queues, and the end.

#include <latch>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A route that waits at a gate, then responds 200.
Route waiting(Gate& gate, std::shared_ptr<WorkerShare> share = nullptr) {
  Route route;
  route.share = std::move(share);
  route.run = [&gate](const ExchangePtr& exchange) {
    gate.pass();
    exchange->respond(empty_response(200));
  };
  return route;
}

TEST(Limits, Sends408ForASlowHead) {
  TestServer server(
      [](ServerOptions& options) { options.limits.head_deadline = milliseconds(150); });
  server.start();
  RawClient client = server.connect();
  client.send("GET / HTTP/1.1\r\n");
  const Reply reply = client.read_reply();
  EXPECT_EQ(reply.status, 408);
  EXPECT_NE(reply.body.find("http.head_timeout"), std::string::npos);
  EXPECT_TRUE(client.is_closed_by_peer());
}

TEST(Limits, KeepsTheHeadDeadlineWhenBytesArrive) {
  TestServer server(
      [](ServerOptions& options) { options.limits.head_deadline = milliseconds(300); });
  server.start();
  RawClient client = server.connect();
  client.send("GET / HTTP/1.1\r\nX: ");
  std::thread dripping([&] {
    for (int i = 0; i < 1000 && client.send("x"); ++i)
      std::this_thread::sleep_for(milliseconds(20));
  });
  EXPECT_EQ(client.read_reply().status, 408);
  dripping.join();
}

TEST(Limits, ClosesAnIdleConnectionWithoutAResponse) {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  server.echo("/a").start();
  RawClient silent = server.connect();
  RawClient used = server.connect();
  EXPECT_EQ(used.request(get("/a")).status, 200);
  server.pass_time(Limits{}.idle - seconds(30));
  EXPECT_EQ(used.request(get("/a")).status, 200);
  server.pass_time(seconds(31));
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(used.request(get("/a")).status, 200);
  server.pass_time(Limits{}.idle + seconds(1));
  EXPECT_EQ(used.read_all(), "");
  EXPECT_TRUE(eventually([&] { return server.http_server->statistics().open == 0; }));
}

TEST(Limits, KeepsAConnectionWithASlowHandler) {
  TestServer server([](ServerOptions& options) {
    options.io_threads = 1;
    options.limits.idle = seconds(10);
  });
  Gate gate;
  server.route("/slow", waiting(gate)).start();
  RawClient client = server.connect();
  client.send(get("/slow"));
  gate.wait_for(1);
  server.pass_time(seconds(20));
  gate.open();
  EXPECT_EQ(client.read_reply().status, 200);
}

TEST(Limits, PausesAcceptingBeyondTheMaximumOfConnections) {
  TestServer server([](ServerOptions& options) { options.limits.connections = 4; });
  server.echo("/a").start();
  std::vector<RawClient> first;
  for (int i = 0; i < 4; ++i) {
    first.push_back(server.connect());
    EXPECT_EQ(first.back().request(get("/a")).status, 200);
  }
  RawClient waiting = server.connect();  // taken by the kernel, not by the server
  waiting.send(get("/a"));
  EXPECT_EQ(first[0].request(get("/a")).status, 200);
  EXPECT_EQ(server.http_server->statistics().accepted, 4U);
  EXPECT_TRUE(eventually([&] { return server.pauses().size() == 1; }));
  EXPECT_NE(server.pauses()[0].find("http.connections"), std::string::npos);
  first.pop_back();
  EXPECT_EQ(waiting.read_reply().status, 200);
}

TEST(Limits, PausesAcceptingWithoutDescriptors) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "its checks of objects need a descriptor themselves";
#endif
  TestServer server;
  server.echo("/a").start();
  RawClient first = server.connect();
  EXPECT_EQ(first.request(get("/a")).status, 200);
  std::vector<RawClient> waiting(3);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit tight{256, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  std::vector<int> fillers;
  for (int filler = dup(0); filler >= 0; filler = dup(0))
    fillers.push_back(filler);
  for (RawClient& client : waiting) {
    client.connect(server.http_server->port());
    client.send(get("/a"));
  }
  EXPECT_EQ(first.request(get("/a")).status, 200);
  EXPECT_EQ(server.http_server->statistics().accepted, 1U);
  EXPECT_TRUE(eventually([&] { return server.pauses().size() == 1; }));
  for (const int filler : fillers)
    ::close(filler);
  for (RawClient& client : waiting)
    EXPECT_EQ(client.read_reply().status, 200);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
}

TEST(Limits, ReservesDescriptorsForFiles) {
  // One thread: when a second request of a connection has its response, the listener that accepted
  // it has looked for the next one and paused, or not.
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  server.echo("/a").start();
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit tight{256, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  std::vector<int> fillers;
  while (fillers.empty() || fillers.back() < 180)
    fillers.push_back(dup(0));
  std::vector<RawClient> clients;
  while (server.pauses().empty() && clients.size() < 30) {
    clients.emplace_back(server.http_server->port());
    ASSERT_EQ(clients.back().request(get("/a")).status, 200);
    ASSERT_EQ(clients.back().request(get("/a")).status, 200);
  }
  RawClient waiting(server.http_server->port());
  waiting.send(get("/a"));
  ASSERT_EQ(server.pauses().size(), 1U);
  EXPECT_NE(server.pauses()[0].find("LimitNOFILE"), std::string::npos);
  const int descriptor = dup(0);
  EXPECT_GE(descriptor, 0) << "none is left for a file";
  ::close(descriptor);
  EXPECT_EQ(clients.front().request(get("/a")).status, 200);
  EXPECT_EQ(server.http_server->statistics().accepted, clients.size());
  clients.pop_back();  // its place is the next one's
  EXPECT_EQ(waiting.read_reply().status, 200);
  for (const int filler : fillers)
    ::close(filler);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
}

TEST(Limits, Sends503BeyondAShareAndServesOthers) {
  TestServer server({}, {.threads = 4, .queue = 100, .share_queue = 2});
  Gate gate;
  const auto sleepy = server.workers.make_share("sleepy");  // three of four threads
  server.route("/sleepy", waiting(gate, sleepy)).echo("/quick").start();
  std::vector<RawClient> sleepers;
  for (int i = 0; i < 5; ++i) {
    sleepers.push_back(server.connect());
    sleepers.back().send(get("/sleepy"));
    gate.wait_for(std::min(i + 1, 3));
  }
  EXPECT_TRUE(eventually([&] { return server.planned().size() == 5; }));
  RawClient client = server.connect();
  const Reply reply = client.request(get("/sleepy"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Retry-After"), "1");
  EXPECT_NE(reply.body.find("http.overloaded"), std::string::npos);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(client.request(get("/quick")).status, 200);
  gate.open();
  for (RawClient& sleeper : sleepers)
    EXPECT_EQ(sleeper.read_reply().status, 200);
}

TEST(Limits, ServesAShareWhileOthersSleep) {
  TestServer server({}, {.threads = 4, .queue = 100, .share_queue = 100});
  Gate gate;
  const auto one = server.workers.make_share("one");
  const auto two = server.workers.make_share("two");
  server.route("/one", waiting(gate, one)).route("/two", waiting(gate, two)).echo("/quick").start();
  std::vector<RawClient> sleepers;
  for (int i = 0; i < 20; ++i) {
    sleepers.push_back(server.connect());
    sleepers.back().send(get(i % 2 == 0 ? "/one" : "/two"));
  }
  gate.wait_for(4);
  RawClient client = server.connect();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(client.request(get("/quick")).status, 200);
  gate.open();
  for (RawClient& sleeper : sleepers)
    EXPECT_EQ(sleeper.read_reply().status, 200);
}

TEST(Limits, NeverRunsARequestPastItsDeadline) {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; },
                    {.threads = 1, .queue = 10, .share_queue = 10});
  Gate gate;
  std::atomic<bool> has_run{false};
  Route route;
  route.run = [&](const ExchangePtr& exchange) {
    has_run = true;
    exchange->respond(empty_response(200));
  };
  // One share, so that the second waits for the first.
  server.route("/first", waiting(gate)).route("/second", route).echo("/third").start();
  RawClient first = server.connect();
  first.send(get("/first"));
  gate.wait_for(1);
  RawClient second = server.connect();
  second.send(get("/second"));
  EXPECT_TRUE(eventually([&] { return server.planned().size() == 2; }));
  server.pass_time(Limits{}.handler);
  EXPECT_EQ(second.read_reply().status, 503);
  EXPECT_EQ(first.read_reply().status, 503);
  gate.open();
  EXPECT_EQ(first.request(get("/third")).status, 200);
  EXPECT_FALSE(has_run);
}

TEST(Limits, BoundsTheMemoryOfAllBodies) {
  TestServer server([](ServerOptions& options) { options.limits.body_memory = 1000; });
  Route whole;
  whole.body = BodyMode::whole;
  server.echo("/a", whole).start();
  const auto post = [](std::size_t length, std::size_t sent) {
    return "POST /a HTTP/1.1\r\n" + host + "Content-Length: " + std::to_string(length) +
           "\r\n\r\n" + std::string(sent, 'x');
  };
  RawClient first = server.connect();
  first.send(post(900, 800));
  EXPECT_TRUE(eventually([&] { return server.http_server->statistics().bytes_received > 800; }));
  RawClient second = server.connect();
  second.send(post(300, 300));
  const Reply refused = second.read_reply();
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("http.overloaded"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return server.attachments_alive() == 1; }));
  first.send(std::string(100, 'x'));
  EXPECT_EQ(first.read_reply().status, 200);
  EXPECT_TRUE(eventually([&] {
    RawClient third = server.connect();
    return third.request(post(300, 300)).status == 200;
  }));
}

TEST(Stop, FinishesRequestsAndClosesIdleConnections) {
  TestServer server;
  Gate gate;
  server.route("/slow", waiting(gate)).start();
  RawClient idle = server.connect();
  EXPECT_EQ(idle.request(get("/none")).status, 404);
  RawClient partial = server.connect();
  partial.send("GET /half");
  RawClient busy = server.connect();
  busy.send(get("/slow") + get("/slow"));
  gate.wait_for(2);
  std::thread stopping([&] { server.http_server->stop(std::chrono::seconds(20)); });
  EXPECT_EQ(idle.read_all(), "");
  gate.open();
  const Reply first = busy.read_reply();
  EXPECT_EQ(first.status, 200);
  const Reply last = busy.read_reply();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field("Connection"), "close");
  EXPECT_TRUE(busy.is_closed_by_peer());
  partial.close();
  stopping.join();
  EXPECT_THROW(server.connect(), std::runtime_error);
  EXPECT_EQ(server.http_server->statistics().open, 0U);
}

TEST(Stop, CutsConnectionsAtItsDeadline) {
  TestServer server;
  Gate gate;
  server.route("/slow", waiting(gate)).start();
  RawClient busy = server.connect();
  busy.send(get("/slow"));
  gate.wait_for(1);
  server.http_server->stop(milliseconds(50));
  EXPECT_EQ(busy.read_all(), "");
  gate.open();
  server.workers.stop();
  EXPECT_EQ(server.attachments_alive(), 0);
}

TEST(Stop, EndsEventStreams) {
  TestServer server;
  Route route;
  std::atomic<int> closed{0};
  std::latch asked(1);
  route.run = [&](const ExchangePtr& exchange) {
    exchange->begin_events()->on_close([&] { ++closed; });
    asked.count_down();
  };
  server.route("/events", route).start();
  RawClient client = server.connect();
  client.send(get("/events"));
  client.read_until("\r\n\r\n");
  asked.wait();
  server.http_server->stop(std::chrono::seconds(20));
  EXPECT_EQ(client.read_all(), "");
  EXPECT_EQ(closed, 1);
}

TEST(Stop, BeforeTheStartIsHarmless) {
  TestServer server;
  server.http_server->stop(milliseconds(0));
}

}  // namespace
}  // namespace tenon::http::test
