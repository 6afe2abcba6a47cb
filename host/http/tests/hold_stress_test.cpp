// Handlers change again and again under clients that keep sending: every request gets one response,
// and after a release it comes from the new handler.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "held_server.hpp"

namespace tenon::http::test {
namespace {

constexpr int max_generations = 200;

// Responds "<generation> <target> <body>".
class Generation final : public Handler {
 public:
  explicit Generation(int number) : number_(number) {}
  void handle(const ExchangePtr& exchange) override {
    ++runs;
    Response response;
    response.content_type = "text/plain";
    response.body = std::to_string(number_) + " " + std::string(exchange->request().target) + " " +
                    std::string(exchange->request().body);
    exchange->respond(std::move(response));
  }
  std::atomic<int> runs{0};

 private:
  const int number_;
};

class Changing final : public Application {
 public:
  Changing() : share_(workers.make_share("test")) {
    for (int i = 0; i <= max_generations; ++i)
      generations.push_back(std::make_unique<Generation>(i));
    ServerOptions options;
    options.port = 0;
    options.io_threads = 2;
    http_server = std::make_unique<Server>(std::move(options), *this, workers);
    http_server->start();
  }
  ~Changing() override {
    http_server.reset();
    workers.stop();
  }

  Plan plan(const Request& request) override {
    Plan plan;
    const std::lock_guard lock(mutex_);
    plan.hold = hold_;
    plan.handler = generations[static_cast<std::size_t>(now_)].get();
    plan.time = &time_;
    plan.share = share_.get();
    plan.body = request.method == Method::post ? BodyMode::whole : BodyMode::none;
    plan.body_limit = 1000;
    return plan;
  }
  void finished(const AccessRecord&) noexcept override {}

  std::shared_ptr<Hold> hold() {
    auto hold = std::make_shared<Hold>();
    const std::lock_guard lock(mutex_);
    hold_ = hold;
    return hold;
  }
  void change() {
    const std::lock_guard lock(mutex_);
    ++now_;
    hold_ = nullptr;
  }
  int runs() const {
    int sum = 0;
    for (const auto& generation : generations)
      sum += generation->runs;
    return sum;
  }

  std::atomic<int> released{0};  // the generation that everybody gets, or a newer one
  std::atomic<bool> is_finished{false};
  std::atomic<int> sent{0};
  std::vector<std::unique_ptr<Generation>> generations;
  WorkerPool workers{WorkerPool::Options{.threads = 4}};
  std::unique_ptr<Server> http_server;

 private:
  const std::shared_ptr<WorkerShare> share_;
  std::mutex mutex_;
  std::shared_ptr<Hold> hold_;
  int now_ = 0;
  HandlerTime time_;
};

std::string target(int client, int number) {
  return "/" + std::to_string(client) + "/" + std::to_string(number);
}

void expect_response(RawClient& client, const std::string& wanted, int released) {
  const Reply reply = client.read_reply();
  ASSERT_EQ(reply.status, 200) << reply.body;
  const std::size_t space = reply.body.find(' ');
  ASSERT_NE(space, std::string::npos);
  EXPECT_EQ(reply.body.substr(space + 1), wanted);
  const int generation = std::stoi(reply.body);
  EXPECT_GE(generation, released);
  EXPECT_LE(generation, max_generations);
}

void get_on(Changing& all, int id) {
  RawClient client(all.http_server->port());
  for (int number = 0; !all.is_finished && !testing::Test::HasFailure(); ++number) {
    const int released = all.released;
    all.sent += 2;
    client.send(ask("GET", target(id, number)) + ask("GET", target(id, -number)));
    expect_response(client, target(id, number) + " ", released);
    expect_response(client, target(id, -number) + " ", released);
  }
}

void post_on(Changing& all, int id) {
  RawClient client(all.http_server->port());
  for (int number = 0; !all.is_finished && !testing::Test::HasFailure(); ++number) {
    const int released = all.released;
    ++all.sent;
    // In two pieces now and then, so that the body comes when its head is held already.
    const std::string request = post(target(id, number), smuggled);
    const std::size_t first = number % 3 == 0 ? request.size() - smuggled.size() : request.size();
    client.send(request.substr(0, first));
    client.send(request.substr(first));
    expect_response(client, target(id, number) + " " + smuggled, released);
  }
}

TEST(HoldStress, LosesNothingAndShowsNothingOld) {
  Changing all;
  std::vector<std::thread> clients;
  for (int id = 0; id < 3; ++id) {
    clients.emplace_back([&all, id] { get_on(all, id); });
    clients.emplace_back([&all, id] { post_on(all, 100 + id); });
  }
  std::uint64_t waited = 0;
  for (int generation = 1; generation <= max_generations; ++generation) {
    const std::shared_ptr<Hold> hold = all.hold();
    EXPECT_TRUE(
        eventually([&] { return hold->statistics().waiting > 0 || testing::Test::HasFailure(); }));
    all.change();
    hold->release();
    all.released = generation;
    waited += hold->statistics().waited;
    EXPECT_EQ(hold->statistics().refused, 0U);
  }
  all.is_finished = true;
  for (std::thread& client : clients)
    client.join();
  EXPECT_GE(waited, std::uint64_t{max_generations});
  EXPECT_EQ(all.runs(), all.sent);
}

}  // namespace
}  // namespace tenon::http::test
