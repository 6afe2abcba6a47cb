#include "http/loop/server.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "http/loop/listener.hpp"
#include "http/loop/listening_socket.hpp"
#include "http/loop/loop.hpp"
#include "http/loop/loop_supervisor.hpp"
#include "http/loop/server_context.hpp"
#include "http/parser/forwarded.hpp"

namespace tenon::http {

namespace {

// Runs a function on a loop's thread, once.
class Call final : public LoopTask {
 public:
  explicit Call(std::function<void()> function) : function_(std::move(function)) {}
  void deliver() noexcept override {
    const std::unique_ptr<Call> self(this);
    function_();
  }

  static void post(Mailbox& mailbox, std::function<void()> function) {
    auto call = std::make_unique<Call>(std::move(function));
    if (mailbox.post(*call)) static_cast<void>(call.release());
  }

 private:
  std::function<void()> function_;
};

}  // namespace

class Server::Implementation {
 public:
  Implementation(ServerOptions options, Application& application, WorkerPool& workers)
      : listener_(options.listening >= 0 ? options.listening
                                         : open_listening_socket(options.host, options.port)),
        supervisor_(workers) {
    std::size_t count = options.io_threads;
    if (count == 0) count = std::max(1U, std::thread::hardware_concurrency());
    context_ = std::make_shared<ServerContext>(std::move(options), application, workers);
    for (std::size_t i = 0; i < count; ++i)
      loops_.push_back(std::make_unique<Loop>(context_, static_cast<unsigned>(i)));
  }

  ~Implementation() { stop(std::chrono::milliseconds(0)); }

  void start() {
    if (std::exchange(has_started_, true) || has_stopped_) return;
    Call::post(*loops_.front()->mailbox(), [this] { listener_.start(loops_); });
    supervisor_.start(loops_);
  }

  void stop(std::chrono::milliseconds deadline) {
    if (std::exchange(has_stopped_, true) || !has_started_) return;
    const std::int64_t cut_at = context_->now() + std::int64_t{deadline.count()} * 1'000'000;
    Call::post(*loops_.front()->mailbox(), [this] { listener_.stop(); });
    for (auto& loop : loops_)
      loop->stop(cut_at);
    supervisor_.join();
  }

  std::uint16_t port() const noexcept { return listener_.port(); }

  ServerStatistics statistics() const noexcept {
    ServerStatistics sum;
    const auto value = [](const std::atomic<std::uint64_t>& counter) {
      return counter.load(std::memory_order_relaxed);
    };
    for (const auto& loop : loops_) {
      const LoopCounters& counters = std::as_const(*loop).counters();
      sum.accepted += value(counters.accepted);
      sum.open += value(counters.open);
      sum.requests += value(counters.requests);
      sum.refused += value(counters.refused);
      sum.event_streams += value(counters.event_streams);
      sum.bytes_received += value(counters.bytes_received);
      sum.bytes_sent += value(counters.bytes_sent);
    }
    return sum;
  }

 private:
  Listener listener_;
  std::shared_ptr<ServerContext> context_;
  std::vector<std::unique_ptr<Loop>> loops_;
  LoopSupervisor supervisor_;
  bool has_started_ = false;
  bool has_stopped_ = false;
};

Server::Server(ServerOptions options, Application& application, WorkerPool& workers)
    : implementation_(std::make_unique<Implementation>(std::move(options), application, workers)) {}

Server::~Server() = default;

void Server::start() {
  implementation_->start();
}

std::uint16_t Server::port() const noexcept {
  return implementation_->port();
}

void Server::stop(std::chrono::milliseconds deadline) {
  implementation_->stop(deadline);
}

ServerStatistics Server::statistics() const noexcept {
  return implementation_->statistics();
}

}  // namespace tenon::http
