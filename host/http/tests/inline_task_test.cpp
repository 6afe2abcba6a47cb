// Work that blocks, found by an inline handler: done by its I/O thread where a client is alone,
// which the others on that thread must not notice.

#include "base/inline_task.hpp"

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "requests.hpp"
#include "test_server.hpp"

namespace tenon::http::test {
namespace {

std::string this_thread() {
  std::ostringstream text;
  text << std::this_thread::get_id();
  return text.str();
}

// Answers with the thread that did it, perhaps behind a gate.
class TestErrand final : public base::InlineTask {
 public:
  TestErrand(ExchangePtr exchange, Gate* gate) : exchange_(std::move(exchange)), gate_(gate) {}
  void run() noexcept override {
    const std::unique_ptr<TestErrand> self(this);
    if (gate_ != nullptr) gate_->pass();
    answer();
  }
  void decline() noexcept override {
    std::thread([this] {
      const std::unique_ptr<TestErrand> self(this);
      answer();
    }).detach();
  }

 private:
  void answer() {
    Response response;
    response.body = this_thread();
    exchange_->answer(std::move(response));
  }
  ExchangePtr exchange_;
  Gate* gate_;
};

// One I/O thread. /errand is an inline task's answer, /thread the I/O thread's.
struct Errands {
  Errands() : server([](ServerOptions& options) { options.io_threads = 1; }) {
    Route errand;
    errand.is_inline = true;
    errand.run = [this](const ExchangePtr& exchange) {
      auto work = std::make_unique<TestErrand>(exchange, must_wait ? &gate : nullptr);
      base::InlineExecutor* const runner = base::InlineExecutor::current();
      TestErrand& given = *work.release();
      if (runner == nullptr || !runner->take(given)) given.decline();
    };
    Route thread;
    thread.is_inline = true;
    thread.run = [](const ExchangePtr& exchange) {
      Response response;
      response.body = this_thread();
      exchange->answer(std::move(response));
    };
    Route worker;
    worker.run = [this](const ExchangePtr& exchange) {
      if (base::InlineExecutor::current() != nullptr) ++runners_on_workers;
      exchange->answer(empty_response(204));
    };
    server.route("/errand", errand)
        .route("/thread", thread)
        .route("/worker", worker)
        .echo("/other");
    server.start();
  }

  // Asks until an inline task is done by the I/O thread; false when none ever is.
  bool warm(RawClient& client) {
    for (int i = 0; i < 1'000; ++i) {
      client.request(get("/errand"));
      const std::string errand = client.request(get("/errand")).body;
      if (client.request(get("/thread")).body == errand) return true;
    }
    return false;
  }
  // Sends one whose inline task waits at the gate on the I/O thread.
  void block(RawClient& client) {
    client.request(get("/errand"));  // nobody has asked for anything since
    must_wait = true;
    client.send(get("/errand"));
    gate.wait_for(1);
    must_wait = false;
  }

  Gate gate;
  std::atomic<bool> must_wait{false};
  std::atomic<int> runners_on_workers{0};
  TestServer server;
};

TEST(InlineTask, OfALoneClientIsDoneByItsIoThread) {
  Errands tasks;
  RawClient client = tasks.server.connect();
  EXPECT_TRUE(tasks.warm(client));
  for (int i = 0; i < 1'000; ++i)
    EXPECT_EQ(client.request(get("/errand")).status, 200);
}

TEST(InlineTask, OfSeveralInOneRoundIsDoneByOthers) {
  Errands tasks;
  RawClient client = tasks.server.connect();
  ASSERT_TRUE(tasks.warm(client));
  const std::string io_thread = client.request(get("/thread")).body;
  // The front reads on behind a safe request: all four are of one round.
  client.send(get("/other") + get("/other") + get("/other") + get("/errand"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(client.read_reply().status, 200);
  EXPECT_NE(client.read_reply().body, io_thread);
}

TEST(InlineTask, ThatBlocksLeavesTheLoopToAnotherThread) {
  for (int round = 0; round < 5; ++round) {
    Errands tasks;
    RawClient stuck = tasks.server.connect();
    RawClient other = tasks.server.connect();
    const std::string old_thread = other.request(get("/thread")).body;
    ASSERT_TRUE(tasks.warm(stuck));
    tasks.block(stuck);
    const std::string new_thread = other.request(get("/thread")).body;
    EXPECT_NE(new_thread, old_thread);
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(other.request(get("/other")).body, "/other:");
    RawClient late = tasks.server.connect();
    EXPECT_EQ(late.request(get("/worker")).status, 204);
    tasks.gate.open();
    EXPECT_EQ(stuck.read_reply().body, old_thread);
    EXPECT_EQ(stuck.request(get("/thread")).body, new_thread);
    EXPECT_TRUE(tasks.warm(stuck));
  }
}

TEST(InlineTask, ThatIsStuckDoesNotHoldUpTheStop) {
  Errands tasks;
  RawClient stuck = tasks.server.connect();
  ASSERT_TRUE(tasks.warm(stuck));
  tasks.block(stuck);
  tasks.server.front->stop(std::chrono::milliseconds(50));
  EXPECT_EQ(stuck.read_all(), "");
  tasks.server.front.reset();
  tasks.gate.open();
  tasks.server.workers.stop();
  EXPECT_EQ(tasks.server.attachments_alive(), 0);
}

TEST(InlineTask, IsOfferedOnIoThreadsThatHaveTheirLoopAlone) {
  EXPECT_EQ(base::InlineExecutor::current(), nullptr);
  Errands tasks;
  RawClient client = tasks.server.connect();
  // Long enough for the route to be thought quick, and run with the loop's baton lent.
  for (int i = 0; i < 1'000; ++i)
    EXPECT_EQ(client.request(get("/worker")).status, 204);
  EXPECT_EQ(tasks.runners_on_workers, 0);
}

TEST(InlineTask, LosesNothingUnderLoad) {
  Errands tasks;
  std::atomic<int> good{0};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&, i] {
      RawClient client = tasks.server.connect();
      for (int round = 0; round < 500; ++round) {
        good += client.request(get("/errand")).status == 200 ? 1 : 0;
        // Now and then one client is alone, and the others come in the middle of its inline tasks.
        if (i > 0 && round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  std::thread trouble([&] {
    while (!is_over) {
      tasks.must_wait = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      tasks.must_wait = false;
      tasks.gate.let_through();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  });
  for (std::thread& client : clients)
    client.join();
  is_over = true;
  trouble.join();
  EXPECT_EQ(good, 3 * 500);
}

}  // namespace
}  // namespace tenon::http::test
