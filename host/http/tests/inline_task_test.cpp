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

// Responds with the thread that ran it, perhaps after waiting at a gate.
class TestTask final : public base::InlineTask {
 public:
  TestTask(ExchangePtr exchange, Gate* gate) : exchange_(std::move(exchange)), gate_(gate) {}
  void run() noexcept override {
    const std::unique_ptr<TestTask> self(this);
    if (gate_ != nullptr) gate_->pass();
    respond();
  }
  void decline() noexcept override {
    std::thread([this] {
      const std::unique_ptr<TestTask> self(this);
      respond();
    }).detach();
  }

 private:
  void respond() {
    Response response;
    response.body = this_thread();
    exchange_->respond(std::move(response));
  }
  ExchangePtr exchange_;
  Gate* gate_;
};

// One I/O thread. /task responds from an inline task, /thread from the I/O thread.
struct InlineTasks {
  InlineTasks() : server([](ServerOptions& options) { options.io_threads = 1; }) {
    Route task;
    task.is_inline = true;
    task.run = [this](const ExchangePtr& exchange) {
      auto work = std::make_unique<TestTask>(exchange, must_wait ? &gate : nullptr);
      base::InlineExecutor* const runner = base::InlineExecutor::current();
      TestTask& given = *work.release();
      if (runner == nullptr || !runner->take(given)) given.decline();
    };
    Route thread;
    thread.is_inline = true;
    thread.run = [](const ExchangePtr& exchange) {
      Response response;
      response.body = this_thread();
      exchange->respond(std::move(response));
    };
    Route worker;
    worker.run = [this](const ExchangePtr& exchange) {
      if (base::InlineExecutor::current() != nullptr) ++runners_on_workers;
      exchange->respond(empty_response(204));
    };
    server.route("/task", task).route("/thread", thread).route("/worker", worker).echo("/other");
    server.start();
  }

  // Asks until an inline task is done by the I/O thread; false when none ever is.
  bool warm(RawClient& client) {
    for (int i = 0; i < 1'000; ++i) {
      client.request(get("/task"));
      const std::string task = client.request(get("/task")).body;
      if (client.request(get("/thread")).body == task) return true;
    }
    return false;
  }
  // Sends one whose inline task waits at the gate on the I/O thread.
  void block(RawClient& client) {
    client.request(get("/task"));  // no other request since
    must_wait = true;
    client.send(get("/task"));
    gate.wait_for(1);
    must_wait = false;
  }

  Gate gate;
  std::atomic<bool> must_wait{false};
  std::atomic<int> runners_on_workers{0};
  TestServer server;
};

TEST(InlineTask, RunsOnTheIoThreadOfOneClient) {
  InlineTasks tasks;
  RawClient client = tasks.server.connect();
  EXPECT_TRUE(tasks.warm(client));
  for (int i = 0; i < 1'000; ++i)
    EXPECT_EQ(client.request(get("/task")).status, 200);
}

TEST(InlineTask, RunsElsewhereWithSeveralRequestsInARound) {
  InlineTasks tasks;
  RawClient client = tasks.server.connect();
  ASSERT_TRUE(tasks.warm(client));
  const std::string io_thread = client.request(get("/thread")).body;
  // The server reads on after a safe request: all four are of one round.
  client.send(get("/other") + get("/other") + get("/other") + get("/task"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(client.read_reply().status, 200);
  EXPECT_NE(client.read_reply().body, io_thread);
}

TEST(InlineTask, YieldsTheLoopWhenItBlocks) {
  for (int round = 0; round < 5; ++round) {
    InlineTasks tasks;
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

TEST(InlineTask, DoesNotDelayTheStopWhenStuck) {
  InlineTasks tasks;
  RawClient stuck = tasks.server.connect();
  ASSERT_TRUE(tasks.warm(stuck));
  tasks.block(stuck);
  tasks.server.http_server->stop(std::chrono::milliseconds(50));
  EXPECT_EQ(stuck.read_all(), "");
  tasks.server.http_server.reset();
  tasks.gate.open();
  tasks.server.workers.stop();
  EXPECT_EQ(tasks.server.attachments_alive(), 0);
}

TEST(InlineTask, IsOfferedOnIdleIoThreadsOnly) {
  EXPECT_EQ(base::InlineExecutor::current(), nullptr);
  InlineTasks tasks;
  RawClient client = tasks.server.connect();
  // Long enough for the route to count as quick, and run while the loop is yielded.
  for (int i = 0; i < 1'000; ++i)
    EXPECT_EQ(client.request(get("/worker")).status, 204);
  EXPECT_EQ(tasks.runners_on_workers, 0);
}

TEST(InlineTask, LosesNothingUnderLoad) {
  InlineTasks tasks;
  std::atomic<int> good{0};
  std::atomic<bool> is_finished{false};
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&, i] {
      RawClient client = tasks.server.connect();
      for (int round = 0; round < 500; ++round) {
        good += client.request(get("/task")).status == 200 ? 1 : 0;
        // Now and then one client is alone, and the others come in the middle of its inline tasks.
        if (i > 0 && round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  std::thread trouble([&] {
    while (!is_finished) {
      tasks.must_wait = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      tasks.must_wait = false;
      tasks.gate.let_through();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  });
  for (std::thread& client : clients)
    client.join();
  is_finished = true;
  trouble.join();
  EXPECT_EQ(good, 3 * 500);
}

}  // namespace
}  // namespace tenon::http::test
