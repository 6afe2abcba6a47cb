#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/connection/application.hpp"
#include "http/connection/hold.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "raw_client.hpp"

namespace tenon::http::test {

/// The behavior that a test expects of one route.
struct Route {
  std::function<void(const ExchangePtr&)> run;
  bool is_inline = false;
  BodyMode body = BodyMode::none;
  std::uint64_t body_limit = 64 * 1024;
  std::shared_ptr<WorkerShare> share;  ///< null: the server's common one
  std::optional<int> response;         ///< sent by the plan, without a handler
};

struct Finished {
  bool has_request = false;
  std::string path;
  int status = 0;
  std::uint64_t bytes_sent = 0;
};

/// A server on a free port with the routes of a test; records the calls that it gets.
class TestServer final : public Application {
 public:
  explicit TestServer(const std::function<void(ServerOptions&)>& adjust = {},
                      WorkerPool::Options pool = {.threads = 8})
      : workers(pool), share_(workers.make_share("test")) {
    ServerOptions options;
    options.port = 0;
    options.io_threads = 2;
    options.clock_lead = &clock_lead_;
    if (adjust) adjust(options);
    http_server = std::make_unique<Server>(std::move(options), *this, workers);
  }
  ~TestServer() override {
    http_server.reset();
    workers.stop();
  }

  TestServer& route(std::string path, Route route) {
    handlers_.push_back(std::make_unique<FunctionHandler>(std::move(route.run)));
    routes_.emplace(std::move(path), std::pair(std::move(route), handlers_.back().get()));
    return *this;
  }
  /// Adds a route that responds 200 with its path and the request's body.
  TestServer& echo(std::string path, Route route = {}) {
    route.run = [](const ExchangePtr& exchange) {
      Response response;
      response.content_type = "text/plain";
      response.body =
          std::string(exchange->request().path) + ":" + std::string(exchange->request().body);
      exchange->respond(std::move(response));
    };
    return this->route(std::move(path), std::move(route));
  }
  /// All paths with this beginning go to a handler of the test's, on the I/O thread.
  void route_all(std::string prefix, Handler& handler) {
    prefix_ = std::move(prefix);
    prefix_handler_ = &handler;
  }
  /// Requests of the path wait from now on; null: no more.
  void hold(const std::string& path, std::shared_ptr<Hold> hold) {
    const std::lock_guard lock(mutex_);
    holds_[path] = std::move(hold);
  }
  void start() { http_server->start(); }
  RawClient connect(int receive_buffer = 0) const {
    return RawClient(http_server->port(), receive_buffer);
  }

  /// Lets time pass for the deadlines of a server with one I/O thread. Returns when it has acted on
  /// the deadlines that passed.
  void pass_time(std::chrono::milliseconds time) {
    clock_lead_ += std::chrono::nanoseconds(time).count();
    // It looks at its timers in each round, after the round's requests.
    RawClient client = connect();
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(client.request("GET /no-route HTTP/1.1\r\nHost: a\r\n\r\n").status, 404);
  }

  Plan plan(const Request& request) override {
    Plan plan;
    {
      const std::lock_guard lock(mutex_);
      planned_.emplace_back(std::string(request.method_name) + " " + std::string(request.path));
      if (const auto found = holds_.find(request.path); found != holds_.end())
        plan.hold = found->second;
    }
    if (plan.hold) return plan;
    if (request.path == "/planless") throw std::runtime_error("no plan");
    if (prefix_handler_ != nullptr && request.path.starts_with(prefix_)) {
      plan.handler = prefix_handler_;
      return plan;
    }
    const auto found = routes_.find(request.path);
    if (found == routes_.end()) {
      plan.response = std::make_unique<Response>(empty_response(404));
      return plan;
    }
    const auto& [route, handler] = found->second;
    if (route.response) plan.response = std::make_unique<Response>(empty_response(*route.response));
    plan.handler = handler;
    plan.time = &handler->time;
    plan.body = route.body;
    plan.body_limit = route.body_limit;
    if (!route.is_inline || handler->time.has_stalled())
      plan.share = route.share ? route.share.get() : share_.get();
    plan.attachment = std::make_unique<Counted>(alive_);
    return plan;
  }
  void finished(const AccessRecord& record) noexcept override {
    const std::lock_guard lock(mutex_);
    finished_.push_back({record.request != nullptr,
                         record.request ? std::string(record.request->path) : std::string(),
                         record.status, record.bytes_sent});
    changed_.notify_all();
  }
  void failed(const Request&, std::string_view what) noexcept override {
    const std::lock_guard lock(mutex_);
    failures_.emplace_back(what);
  }

  void stalled(const Request& request, Attachment* attachment) noexcept override {
    const std::lock_guard lock(mutex_);
    stalls_.emplace_back(std::string(request.path) + (attachment != nullptr ? "" : " unattached"));
  }
  void accepting_paused(std::string_view why) noexcept override {
    const std::lock_guard lock(mutex_);
    pauses_.emplace_back(why);
  }

  /// Paths of the requests that stalled() was called with.
  std::vector<std::string> stalls() const {
    const std::lock_guard lock(mutex_);
    return stalls_;
  }
  /// The arguments of the calls of accepting_paused().
  std::vector<std::string> pauses() const {
    const std::lock_guard lock(mutex_);
    return pauses_;
  }
  std::vector<std::string> planned() const {
    const std::lock_guard lock(mutex_);
    return planned_;
  }
  std::vector<std::string> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }
  /// Waits until so many requests are finished; all of them.
  std::vector<Finished> wait_finished(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return finished_.size() >= count; });
    return finished_;
  }
  /// Attachments that were made and are not destroyed yet.
  int attachments_alive() const { return alive_->load(); }

  WorkerPool workers;
  std::unique_ptr<Server> http_server;

 private:
  class FunctionHandler final : public Handler {
   public:
    explicit FunctionHandler(std::function<void(const ExchangePtr&)> run) : run_(std::move(run)) {}
    void handle(const ExchangePtr& exchange) override { run_(exchange); }
    HandlerTime time;

   private:
    std::function<void(const ExchangePtr&)> run_;
  };
  class Counted final : public Attachment {
   public:
    explicit Counted(std::shared_ptr<std::atomic<int>> alive) : alive_(std::move(alive)) {
      ++*alive_;
    }
    ~Counted() override { --*alive_; }

   private:
    std::shared_ptr<std::atomic<int>> alive_;
  };

  std::atomic<std::int64_t> clock_lead_{0};
  std::shared_ptr<WorkerShare> share_;
  std::string prefix_;
  Handler* prefix_handler_ = nullptr;
  std::vector<std::unique_ptr<FunctionHandler>> handlers_;
  std::map<std::string, std::pair<Route, FunctionHandler*>, std::less<>> routes_;
  std::shared_ptr<std::atomic<int>> alive_ = std::make_shared<std::atomic<int>>(0);
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Hold>, std::less<>> holds_;
  std::vector<std::string> planned_;
  std::vector<Finished> finished_;
  std::vector<std::string> failures_;
  std::vector<std::string> pauses_;
  std::vector<std::string> stalls_;
};

/// A door that threads wait at until the test opens it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&, round = round_] { return is_open_ || round != round_; });
    --waiting_;
  }
  /// Lets those pass that wait at the gate now.
  void let_through() {
    const std::lock_guard lock(mutex_);
    ++round_;
    changed_.notify_all();
  }
  /// Waits until so many wait at the closed gate.
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return waiting_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int waiting_ = 0;
  int round_ = 0;
};

/// Waits for an effect of other threads; false when it does not come within 20 s.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 4000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace tenon::http::test
