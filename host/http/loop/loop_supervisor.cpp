#include "http/loop/loop_supervisor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "http/loop/loop.hpp"
#include "http/workers/worker_pool.hpp"

namespace tenon::http {

namespace {
constexpr std::chrono::milliseconds fast_tick{1};
constexpr std::chrono::milliseconds slow_tick{50};
constexpr int quiet_ticks_before_slower = 5;
// A thread that the kernel has set aside for a moment is not stuck.
constexpr int stuck_checks = 3;
constexpr std::int64_t inline_timeout = 250'000'000;  // nanoseconds
}  // namespace

LoopSupervisor::~LoopSupervisor() {
  join();
  if (standby_epoll_ >= 0) ::close(standby_epoll_);
  if (standby_end_ >= 0) ::close(standby_end_);
}

void LoopSupervisor::start(std::vector<std::unique_ptr<Loop>>& loops) {
  const std::lock_guard lock(mutex_);
  for (auto& loop : loops) {
    runners_.push_back(std::make_unique<Runner>());
    runners_.back()->loop = loop.get();
  }
  // From here on the loops' threads may look for their runner.
  for (auto& runner : runners_)
    runner->worker = start(*runner);
  watcher_ = std::thread([this] { watch(); });
}

LoopSupervisor::Worker LoopSupervisor::start(Runner& runner) {
  auto is_done = std::make_shared<std::atomic<bool>>(false);
  std::thread thread([this, &runner, is_done] {
    drive(runner);
    *is_done = true;
  });
  return {std::move(thread), std::move(is_done)};
}

void LoopSupervisor::drive(Runner& runner) {
  // A thread that lost its loop in a handler may come back when all this is gone.
  if (!runner.loop->run(*this)) return;
  const std::lock_guard lock(mutex_);
  runner.has_ended = true;
  changed_.notify_all();
}

void LoopSupervisor::join() {
  if (!watcher_.joinable()) return;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      for (const auto& runner : runners_) {
        if (!runner->has_ended) return false;
      }
      return true;
    });
    is_finished_ = true;
    changed_.notify_all();
  }
  watcher_.join();
  if (standby_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(standby_end_, &one, sizeof one);
    standby_.join();
  }
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

void LoopSupervisor::wake_watcher(Pace pace) noexcept {
  const std::lock_guard lock(mutex_);
  if (pace_.load(std::memory_order_relaxed) <= pace) return;
  pace_.store(pace, std::memory_order_seq_cst);
  changed_.notify_all();
}

void LoopSupervisor::watch() {
  int quiet_ticks = 0;
  std::unique_lock lock(mutex_);
  while (!is_finished_) {
    Pace needed = Pace::resting;
    for (const auto& runner : runners_)
      needed = std::min(needed, look(*runner));
    const Pace pace = pace_.load(std::memory_order_relaxed);
    if (needed < pace) pace_.store(needed, std::memory_order_seq_cst);
    quiet_ticks = needed > pace ? quiet_ticks + 1 : 0;
    if (quiet_ticks >= quiet_ticks_before_slower) {
      slow_down(pace == Pace::fast ? Pace::slow : Pace::resting);
      quiet_ticks = 0;
    }
    const Pace next = pace_.load(std::memory_order_relaxed);
    const auto must_look = [&] {
      return is_finished_ || pace_.load(std::memory_order_relaxed) < next;
    };
    if (next == Pace::fast)
      changed_.wait_for(lock, fast_tick);
    else if (next == Pace::slow)
      changed_.wait_for(lock, slow_tick, must_look);
    else
      changed_.wait(lock, must_look);
  }
}

// Under the lock.
void LoopSupervisor::slow_down(Pace pace) noexcept {
  const Pace before = pace_.exchange(pace, std::memory_order_seq_cst);
  // No thread would watch a yield that began before its thread could see the new pace.
  for (const auto& runner : runners_) {
    const std::uint64_t new_yields = runner->loop->owner().yield_count() - runner->seen_yields;
    if (new_yields >= (pace == Pace::slow ? LoopOwner::quick_yield : 1))
      pace_.store(before, std::memory_order_seq_cst);
  }
}

// Takes the loop over when it has been yielded for too long. Returns how often to look at it: by
// the yields since the last look, and by one that still lasts.
LoopSupervisor::Pace LoopSupervisor::look(Runner& runner) {
  LoopOwner& owner = runner.loop->owner();
  const std::uint64_t yield_count = owner.yield_count();
  const std::uint64_t new_yields = yield_count - runner.seen_yields;
  const bool is_yielded = owner.is_yielded();
  runner.seen_yields = yield_count;
  const std::int64_t now = base::monotonic_nanoseconds();
  if (new_yields > 0 || !is_yielded) {
    runner.yielded_checks = 0;
    runner.yielded_since = now;
    if (new_yields >= LoopOwner::quick_yield) return Pace::fast;
    return new_yields > 0 ? Pace::slow : Pace::resting;
  }
  const LoopOwner::YieldTimeout timeout = owner.timeout();
  const bool is_inline = timeout == LoopOwner::YieldTimeout::of_inline_handler;
  if (++runner.yielded_checks >= stuck_checks &&
      now - runner.yielded_since >= (is_inline ? inline_timeout : 0))
    take_over(runner);
  return pace_for(timeout);
}

// Under the lock.
bool LoopSupervisor::take_over(Runner& runner) {
  if (runner.has_ended || !runner.loop->owner().take_over()) return false;
  runner.yielded_checks = 0;
  runner.loop->disown();
  std::erase_if(stuck_, [](Worker& worker) {
    if (*worker.is_done) worker.thread.join();
    return !worker.thread.joinable();
  });
  stuck_.push_back(std::move(runner.worker));
  runner.worker = start(runner);
  return true;
}

bool LoopSupervisor::start_standby() noexcept {
  const std::lock_guard lock(mutex_);
  if (standby_.joinable()) return true;
  if (standby_epoll_ < 0) standby_epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (standby_end_ < 0) standby_end_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (standby_epoll_ < 0 || standby_end_ < 0) return false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (epoll_ctl(standby_epoll_, EPOLL_CTL_ADD, standby_end_, &event) != 0 && errno != EEXIST)
    return false;
  try {
    standby_ = std::thread([this] { wait_for_loops(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

LoopSupervisor::Runner& LoopSupervisor::runner_of(const Loop& loop) noexcept {
  return **std::find_if(runners_.begin(), runners_.end(),
                        [&](const auto& runner) { return runner->loop == &loop; });
}

bool LoopSupervisor::has_standby(const Loop& loop, int epoll) noexcept {
  Runner& runner = runner_of(loop);
  if (runner.has_standby) return true;
  if (!start_standby()) return false;
  epoll_event event{};
  event.data.ptr = &runner;
  runner.has_standby = epoll_ctl(standby_epoll_, EPOLL_CTL_ADD, epoll, &event) == 0;
  return runner.has_standby;
}

void LoopSupervisor::watch_for_standby(const Loop& loop, int epoll, std::uint32_t events) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &runner_of(loop);
  // Were it to fail, the watcher would still look after the loop.
  epoll_ctl(standby_epoll_, EPOLL_CTL_MOD, epoll, &event);
}

void LoopSupervisor::standby(const Loop& loop, int epoll) noexcept {
  watch_for_standby(loop, epoll, EPOLLIN | EPOLLONESHOT);
}

void LoopSupervisor::stop_standby(const Loop& loop, int epoll) noexcept {
  watch_for_standby(loop, epoll, 0);
}

void LoopSupervisor::wait_for_loops() {
  for (;;) {
    std::array<epoll_event, 16> events;
    const int count =
        epoll_wait(standby_epoll_, events.data(), static_cast<int>(events.size()), -1);
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i) {
      auto* runner = static_cast<Runner*>(events[static_cast<std::size_t>(i)].data.ptr);
      if (runner == nullptr) return;
      // False when the inline task was done in the meantime.
      take_over(*runner);
    }
  }
}

}  // namespace tenon::http
