#include "http/relay.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include "http/loop.hpp"
#include "http/worker_pool.hpp"

namespace tenon::http {

namespace {
constexpr std::chrono::milliseconds tick{1};
constexpr int quiet_ticks_before_rest = 5;
// A thread that the kernel has set aside for a moment is not stuck.
constexpr int stuck_ticks = 3;
}  // namespace

Relay::~Relay() {
  join();
}

void Relay::start(std::vector<std::unique_ptr<Loop>>& loops) {
  for (auto& loop : loops) {
    auto runner = std::make_unique<Runner>();
    runner->loop = loop.get();
    runner->worker = start(*runner);
    runners_.push_back(std::move(runner));
  }
  watcher_ = std::thread([this] { watch(); });
}

Relay::Worker Relay::start(Runner& runner) {
  auto is_done = std::make_shared<std::atomic<bool>>(false);
  std::thread thread([this, &runner, is_done] {
    drive(runner);
    *is_done = true;
  });
  return {std::move(thread), std::move(is_done)};
}

void Relay::drive(Runner& runner) {
  // A thread that lost its loop in a handler may come back when all this is gone.
  if (!runner.loop->run(*this)) return;
  const std::lock_guard lock(mutex_);
  runner.has_ended = true;
  changed_.notify_all();
}

void Relay::join() {
  if (!watcher_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      for (const auto& runner : runners_) {
        if (!runner->has_ended) return false;
      }
      return true;
    });
    is_over_ = true;
    changed_.notify_all();
  }
  watcher_.join();
  for (const auto& runner : runners_)
    runner->worker.thread.join();
  for (Worker& worker : stuck_) {
    if (*worker.is_done)
      worker.thread.join();
    else
      workers_.adopt(std::move(worker.thread));
  }
  stuck_.clear();
}

void Relay::wake_watcher() noexcept {
  const std::lock_guard lock(mutex_);
  is_resting_.store(false, std::memory_order_seq_cst);
  changed_.notify_all();
}

void Relay::watch() {
  int quiet_ticks = 0;
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    bool has_moved = false;
    for (const auto& runner : runners_)
      has_moved |= look(*runner);
    quiet_ticks = has_moved ? 0 : quiet_ticks + 1;
    if (quiet_ticks < quiet_ticks_before_rest) {
      changed_.wait_for(lock, tick);
      continue;
    }
    is_resting_.store(true, std::memory_order_seq_cst);
    // A loan from before it could see this would be nobody's business.
    bool has_loan = false;
    for (const auto& runner : runners_)
      has_loan |= runner->loop->baton().loans() != runner->seen_loans;
    if (has_loan) is_resting_.store(false, std::memory_order_seq_cst);
    changed_.wait(lock,
                  [this] { return is_over_ || !is_resting_.load(std::memory_order_seq_cst); });
    quiet_ticks = 0;
  }
}

// True when the loop lent its baton since the last look, or still does.
bool Relay::look(Runner& runner) {
  Baton& baton = runner.loop->baton();
  const std::uint64_t loans = baton.loans();
  const bool is_lent = baton.is_lent();
  const bool has_moved = is_lent || loans != runner.seen_loans;
  runner.lent_ticks = is_lent && loans == runner.seen_loans ? runner.lent_ticks + 1 : 0;
  runner.seen_loans = loans;
  if (runner.lent_ticks < stuck_ticks || runner.has_ended || !baton.take_over()) return has_moved;
  runner.lent_ticks = 0;
  runner.loop->disown();
  std::erase_if(stuck_, [](Worker& worker) {
    if (*worker.is_done) worker.thread.join();
    return !worker.thread.joinable();
  });
  stuck_.push_back(std::move(runner.worker));
  runner.worker = start(runner);
  return true;
}

}  // namespace tenon::http
