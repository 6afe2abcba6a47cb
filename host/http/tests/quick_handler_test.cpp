// Handlers that measured as quick run on the I/O thread; when one keeps it after all, the others
// there must not notice.

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

// One I/O thread, and a route that is quick until the test has it wait at a gate. Responds with the
// thread it ran on.
struct Moody {
  Moody() : server([](ServerOptions& options) { options.io_threads = 1; }) {
    Route route;
    route.run = [this](const ExchangePtr& exchange) {
      if (must_wait) gate.pass();
      Response response;
      std::ostringstream thread;
      thread << std::this_thread::get_id();
      response.body = thread.str();
      exchange->respond(std::move(response));
    };
    Route inline_route;
    inline_route.is_inline = true;
    inline_route.run = route.run;
    server.route("/moody", route).route("/inline", inline_route).echo("/other").start();
  }

  // Sends requests until the responses come from the I/O thread.
  bool warm(RawClient& client) {
    const bool waits = must_wait.exchange(false);
    const std::string io_thread = client.request(get("/inline")).body;
    bool is_warm = false;
    for (int i = 0; i < 100'000 && !is_warm; ++i)
      is_warm = client.request(get("/moody")).body == io_thread;
    must_wait = waits;
    return is_warm;
  }

  // Sends a request whose handler waits at the gate. Returns the thread that drove the loop before.
  std::string block(RawClient& stuck, RawClient& other) {
    std::string thread = other.request(get("/inline")).body;
    must_wait = true;
    stuck.send(get("/moody"));
    gate.wait_for(1);
    must_wait = false;
    return thread;
  }

  Gate gate;
  std::atomic<bool> must_wait{false};
  TestServer server;
};

TEST(QuickHandler, ComesToRunOnTheIoThread) {
  Moody moody;
  RawClient client = moody.server.connect();
  EXPECT_TRUE(moody.warm(client));
}

TEST(QuickHandler, StaysOnWorkersWhereThatIsAskedFor) {
  TestServer server([](ServerOptions& options) {
    options.io_threads = 1;
    options.runs_quick_handlers = false;
  });
  std::thread::id io_thread;
  std::atomic<int> on_io_thread{0};
  Route inline_route;
  inline_route.is_inline = true;
  inline_route.run = [&](const ExchangePtr& exchange) {
    io_thread = std::this_thread::get_id();
    exchange->respond(empty_response(200));
  };
  Route route;
  route.run = [&](const ExchangePtr& exchange) {
    if (std::this_thread::get_id() == io_thread) ++on_io_thread;
    exchange->respond(empty_response(200));
  };
  server.route("/inline", inline_route).route("/worker", route).start();
  RawClient client = server.connect();
  client.request(get("/inline"));
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(client.request(get("/worker")).status, 200);
  EXPECT_EQ(on_io_thread, 0);
}

TEST(QuickHandler, StaysOnWorkersIfItWrites) {
  TestServer server([](ServerOptions& options) { options.io_threads = 1; });
  std::atomic<std::thread::id> io_thread{};
  std::atomic<int> reads{0};
  std::atomic<int> writes{0};
  Route inline_route;
  inline_route.is_inline = true;
  inline_route.run = [&](const ExchangePtr& exchange) {
    io_thread = std::this_thread::get_id();
    exchange->respond(empty_response(200));
  };
  Route route;
  route.run = [&](const ExchangePtr& exchange) {
    if (std::this_thread::get_id() == io_thread)
      ++(exchange->request().method == Method::get ? reads : writes);
    exchange->respond(empty_response(200));
  };
  server.route("/inline", inline_route).route("/both", route).start();
  RawClient client = server.connect();
  client.request(get("/inline"));
  for (int i = 0; i < 100'000 && reads < 10; ++i) {
    client.request(get("/both"));
    client.request("DELETE /both HTTP/1.1\r\n" + host + "\r\n");
  }
  EXPECT_GE(reads, 10);
  EXPECT_EQ(writes, 0);
}

TEST(HandlerTime, KeepsItsTimeAfterOneInterruptedRun) {
  HandlerTime time;
  EXPECT_FALSE(time.is_quick());
  for (int i = 0; i < 100; ++i)
    time.add(20'000);
  EXPECT_TRUE(time.is_quick());
  time.add(4'000'000);
  time.add(20'000);
  time.add(20'000);
  EXPECT_TRUE(time.is_quick());
  for (int i = 0; i < 10; ++i)
    time.add(4'000'000);
  EXPECT_FALSE(time.is_quick());
  for (int i = 0; i < 100; ++i)
    time.add(20'000);
  EXPECT_TRUE(time.is_quick());
  time.mark_slow();
  for (int i = 0; i < 20; ++i)
    time.add(20'000);
  EXPECT_FALSE(time.is_quick());
}

// False when the handler had measured as slow meanwhile, on a busy machine, and blocked a worker.
bool blocks_its_loop() {
  Moody moody;
  RawClient stuck = moody.server.connect();
  RawClient other = moody.server.connect();
  EXPECT_TRUE(moody.warm(stuck));
  const std::string old_thread = moody.block(stuck, other);
  const std::string new_thread = other.request(get("/inline")).body;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(other.request(get("/other")).body, "/other:");
  EXPECT_EQ(other.request(get("/moody")).status, 200);
  moody.gate.open();
  const bool has_blocked_it = stuck.read_reply().body == old_thread;
  EXPECT_EQ(new_thread != old_thread, has_blocked_it);
  EXPECT_EQ(stuck.request(get("/inline")).body, new_thread);
  return has_blocked_it;
}

TEST(QuickHandler, YieldsTheLoopWhenItBlocks) {
  bool has_blocked = false;
  for (int attempt = 0; attempt < 20 && !has_blocked; ++attempt)
    has_blocked = blocks_its_loop();
  EXPECT_TRUE(has_blocked);
}

TEST(QuickHandler, KeepsNothingAfterItBlocked) {
  bool has_blocked = false;
  for (int attempt = 0; attempt < 20 && !has_blocked; ++attempt) {
    Moody moody;
    RawClient stuck = moody.server.connect();
    RawClient other = moody.server.connect();
    ASSERT_TRUE(moody.warm(stuck));
    const std::string old_thread = moody.block(stuck, other);
    has_blocked = other.request(get("/inline")).body != old_thread;
    moody.gate.open();
    EXPECT_EQ(stuck.read_reply().status, 200);
    EXPECT_TRUE(eventually([&] { return moody.server.attachments_alive() == 0; }));
  }
  EXPECT_TRUE(has_blocked);
}

TEST(QuickHandler, MayBlockAgainAndAgain) {
  for (int round = 0; round < 5; ++round) {
    Moody moody;
    RawClient stuck = moody.server.connect();
    RawClient other = moody.server.connect();
    ASSERT_TRUE(moody.warm(stuck));
    moody.must_wait = true;
    // Pipelined: the second waits for the first in the same round.
    stuck.send(get("/moody") + get("/moody"));
    moody.gate.wait_for(1);
    EXPECT_EQ(other.request(get("/other")).status, 200);
    moody.gate.open();
    EXPECT_EQ(stuck.read_reply().status, 200);
    EXPECT_EQ(stuck.read_reply().status, 200);
    EXPECT_TRUE(moody.warm(stuck));
  }
}

TEST(QuickHandler, DoesNotDelayTheStopWhenStuck) {
  Moody moody;
  RawClient stuck = moody.server.connect();
  ASSERT_TRUE(moody.warm(stuck));
  moody.must_wait = true;
  stuck.send(get("/moody"));
  moody.gate.wait_for(1);
  moody.server.http_server->stop(std::chrono::milliseconds(50));
  EXPECT_EQ(stuck.read_all(), "");
  moody.server.http_server.reset();
  moody.gate.open();
  moody.server.workers.stop();
  EXPECT_EQ(moody.server.attachments_alive(), 0);
}

TEST(QuickHandler, LosesNothingUnderLoad) {
  Moody moody;
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  std::atomic<bool> is_finished{false};
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      RawClient client = moody.server.connect();
      for (int round = 0; round < 200; ++round) {
        client.send(get("/moody") + get("/other") + get("/moody"));
        for (int reply = 0; reply < 3; ++reply)
          good += client.read_reply().status == 200 ? 1 : 0;
      }
    });
  }
  std::thread trouble([&] {
    while (!is_finished) {
      moody.must_wait = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      moody.must_wait = false;
      moody.gate.let_through();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  for (std::thread& client : clients)
    client.join();
  is_finished = true;
  trouble.join();
  EXPECT_EQ(good, 8 * 200 * 3);
}

}  // namespace
}  // namespace tenon::http::test
