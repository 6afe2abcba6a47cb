// Inline handlers that break their promise and block: the connections of their I/O thread are
// served by another thread.

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

using Strings = std::vector<std::string>;

// One I/O thread. /stalls waits at the gate while `must_wait`; /responds_first does so after its
// response. Both respond with the thread that they ran on.
struct Stalling {
  Stalling() : server([](ServerOptions& options) { options.io_threads = 1; }) {
    Route route;
    route.is_inline = true;
    route.run = [this](const ExchangePtr& exchange) {
      if (must_wait) gate.pass();
      respond(exchange);
    };
    server.route("/stalls", route);
    route.run = [this](const ExchangePtr& exchange) {
      respond(exchange);
      if (must_wait) gate.pass();
    };
    server.route("/responds_first", route);
    route.run = [](const ExchangePtr& exchange) { respond(exchange); };
    server.route("/thread", route);
    server.start();
  }
  static void respond(const ExchangePtr& exchange) {
    std::ostringstream thread;
    thread << std::this_thread::get_id();
    exchange->draft().status = 200;
    exchange->draft().is_checked = true;
    exchange->respond_with(std::move(exchange->draft()), thread.str());
  }

  Gate gate;
  std::atomic<bool> must_wait{true};
  TestServer server;
};

TEST(StalledHandler, LeavesItsLoopToAnotherThread) {
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  RawClient other = stalling.server.connect();
  const std::string old_thread = other.request(get("/thread")).body;
  stuck.send(get("/stalls"));
  stalling.gate.wait_for(1);
  const std::string new_thread = other.request(get("/thread")).body;
  EXPECT_NE(new_thread, old_thread);
  EXPECT_EQ(stalling.server.stalls(), Strings{"/stalls"});
  stalling.gate.open();
  EXPECT_EQ(stuck.read_reply().body, old_thread);
  EXPECT_EQ(stuck.request(get("/thread")).body, new_thread);
}

TEST(StalledHandler, RunsOnWorkersFromThenOn) {
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  RawClient other = stalling.server.connect();
  stuck.send(get("/stalls"));
  stalling.gate.wait_for(1);
  const std::string io_thread = other.request(get("/thread")).body;
  other.send(get("/stalls"));
  stalling.gate.wait_for(2);
  RawClient third = stalling.server.connect();
  EXPECT_EQ(third.request(get("/thread")).body, io_thread);
  stalling.gate.open();
  EXPECT_EQ(stuck.read_reply().status, 200);
  EXPECT_NE(other.read_reply().body, io_thread);
  EXPECT_EQ(stalling.server.stalls(), Strings{"/stalls"});
}

TEST(StalledHandler, MayHaveRespondedBefore) {
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  const std::string old_thread = stuck.request(get("/thread")).body;
  stuck.send(get("/responds_first"));
  EXPECT_EQ(stuck.read_reply().body, old_thread);
  const std::string new_thread = stuck.request(get("/thread")).body;
  EXPECT_NE(new_thread, old_thread);
  stalling.gate.open();
  EXPECT_EQ(stuck.request(get("/thread")).body, new_thread);
}

TEST(StalledHandler, KeepsTheOrderOfItsConnection) {
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  RawClient other = stalling.server.connect();
  stuck.send(get("/thread") + get("/stalls") + get("/thread") + get("/thread"));
  stalling.gate.wait_for(1);
  const std::string new_thread = other.request(get("/thread")).body;
  stalling.gate.open();
  const std::string old_thread = stuck.read_reply().body;
  EXPECT_NE(old_thread, new_thread);
  EXPECT_EQ(stuck.read_reply().body, old_thread);
  EXPECT_EQ(stuck.read_reply().body, new_thread);
  EXPECT_EQ(stuck.read_reply().body, new_thread);
}

TEST(StalledHandler, MayLoseItsClient) {
  Stalling stalling;
  {
    RawClient stuck = stalling.server.connect();
    stuck.send(get("/stalls"));
    stalling.gate.wait_for(1);
    EXPECT_EQ(stalling.server.connect().request(get("/thread")).status, 200);
  }
  EXPECT_EQ(stalling.server.connect().request(get("/thread")).status, 200);
  stalling.gate.open();
  stalling.server.http_server.reset();
  stalling.server.workers.stop();
  EXPECT_EQ(stalling.server.attachments_alive(), 0);
}

TEST(StalledHandler, GetsA503AtItsDeadline) {
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  stuck.send(get("/stalls"));
  stalling.gate.wait_for(1);
  EXPECT_EQ(stalling.server.connect().request(get("/thread")).status, 200);
  stalling.server.pass_time(std::chrono::seconds(31));
  const Reply reply = stuck.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.body.find("http.timeout"), std::string::npos) << reply.body;
  stalling.gate.open();
}

TEST(StalledHandler, DoesNotDelayTheStop) {
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  stuck.send(get("/stalls"));
  stalling.gate.wait_for(1);
  stalling.server.http_server->stop(std::chrono::milliseconds(50));
  EXPECT_EQ(stuck.read_all(), "");
  stalling.server.http_server.reset();
  stalling.gate.open();
  stalling.server.workers.stop();
  EXPECT_EQ(stalling.server.attachments_alive(), 0);
}

TEST(StalledHandler, LeavesOtherRequestsToAnotherThread) {
  // Several connections have events in the round in which one of them stalls.
  Stalling stalling;
  RawClient stuck = stalling.server.connect();
  std::vector<RawClient> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back(stalling.server.connect());
    EXPECT_EQ(others.back().request(get("/thread")).status, 200);
  }
  stuck.send(get("/stalls"));
  for (RawClient& other : others)
    other.send(get("/thread") + get("/thread"));
  std::set<std::string> threads;
  for (RawClient& other : others) {
    threads.insert(other.read_reply().body);
    threads.insert(other.read_reply().body);
  }
  stalling.gate.wait_for(1);
  EXPECT_LE(threads.size(), 2U);
  stalling.gate.open();
  EXPECT_EQ(stuck.read_reply().status, 200);
}

// False when this machine was so busy that the moment took 250 ms.
bool stays_on_its_thread() {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  Route route;
  route.is_inline = true;
  route.run = [](const ExchangePtr& exchange) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Stalling::respond(exchange);
  };
  server.route("/moment", route).start();
  RawClient client = server.connect();
  std::set<std::string> threads;
  for (int i = 0; i < 5; ++i)
    threads.insert(client.request(get("/moment")).body);
  EXPECT_EQ(threads.size() == 1, server.stalls().empty());
  return server.stalls().empty();
}

TEST(StalledHandler, IgnoresAHandlerThatTakesAMoment) {
  bool has_stayed = false;
  for (int attempt = 0; attempt < 20 && !has_stayed; ++attempt)
    has_stayed = stays_on_its_thread();
  EXPECT_TRUE(has_stayed);
}

}  // namespace
}  // namespace tenon::http::test
