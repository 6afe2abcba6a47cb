#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http/loop/mailbox.hpp"

namespace tenon::http {

class Loop;
class WorkerPool;

/// Says who drives a loop. While its thread runs a handler, between two steps of the loop, the loop
/// is yielded: another thread may take it over and drive it. The first thread then finds the loop
/// gone and ends after the handler.
class LoopOwner {
 public:
  /// Names one driver; never used twice.
  using Term = std::uint64_t;

  /// How long the loop may be yielded before the watcher has another thread drive it.
  enum class YieldTimeout : std::uint8_t {
    of_quick_handler,  ///< a few milliseconds: the handler turned out to be slow
    of_inline_handler  ///< 250 ms: the handler promised not to block, and does
  };

  /// The new driver, before it begins.
  Term term() const noexcept { return state_.load(std::memory_order_relaxed) / 2; }
  /// The driver, before and after a handler. False: the loop is another's now and must not be
  /// touched.
  void yield(Term term, YieldTimeout timeout) noexcept {
    timeout_.store(timeout, std::memory_order_relaxed);
    state_.store(term * 2 + 1, std::memory_order_release);
    yield_count_.fetch_add(timeout == YieldTimeout::of_quick_handler ? quick_yield : 1,
                           std::memory_order_seq_cst);
  }
  bool take_back(Term term) noexcept { return change(term * 2 + 1, term * 2); }
  /// After take_back(), within the same handler.
  void yield_again(Term term) noexcept { state_.store(term * 2 + 1, std::memory_order_release); }
  /// For the driver, while the loop is yielded: tasks that it posts itself wake no thread until
  /// another thread has taken the loop over.
  Mailbox::Quiet quiet(const Mailbox& mailbox, Term term) const noexcept {
    return {mailbox, state_, term * 2 + 1};
  }

  // Any other thread.
  /// Grows with each yield: by one for inline handlers, by `quick_yield` for quick ones.
  std::uint64_t yield_count() const noexcept {
    return yield_count_.load(std::memory_order_seq_cst);
  }
  static constexpr std::uint64_t quick_yield = std::uint64_t{1} << 32;
  bool is_yielded() const noexcept { return state_.load(std::memory_order_relaxed) % 2 != 0; }
  YieldTimeout timeout() const noexcept { return timeout_.load(std::memory_order_relaxed); }
  /// True for the one that takes it; it must have the loop driven on.
  bool take_over() noexcept {
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    return state % 2 != 0 && change(state, state + 1);
  }

 private:
  bool change(std::uint64_t from, std::uint64_t to) noexcept {
    return state_.compare_exchange_strong(from, to, std::memory_order_seq_cst,
                                          std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> state_{0};  // twice the term, plus one while it is yielded
  std::atomic<std::uint64_t> yield_count_{0};
  std::atomic<YieldTimeout> timeout_{YieldTimeout::of_quick_handler};
};

/// Drives every loop by some thread: gives each one of its own, and another when a handler keeps
/// that thread beyond its timeout. A thread that is still stuck at the end becomes the worker
/// pool's.
///
/// A loop without anything else to do may yield itself for an inline task, which is known to block.
/// Then the standby thread waits for the loop's events, and has another thread drive it at the
/// first event.
class LoopSupervisor {
 public:
  explicit LoopSupervisor(WorkerPool& workers) : workers_(workers) {}
  ~LoopSupervisor();

  void start(std::vector<std::unique_ptr<Loop>>& loops);
  /// Waits until all loops have ended.
  void join();
  /// Called by a loop that has just been yielded: the watcher must look often enough.
  void on_yield(LoopOwner::YieldTimeout timeout) noexcept {
    const Pace needed = pace_for(timeout);
    if (pace_.load(std::memory_order_seq_cst) > needed) wake_watcher(needed);
  }
  /// Called by a loop before it is yielded for an inline task. False when there can be no standby
  /// thread for the events of `epoll`, the loop's.
  bool has_standby(const Loop& loop, int epoll) noexcept;
  /// Called by that loop once it is yielded: the standby thread gets its events.
  void standby(const Loop& loop, int epoll) noexcept;
  /// Called by that loop when it has been taken back.
  void stop_standby(const Loop& loop, int epoll) noexcept;

 private:
  /// A thread, and whether its body has returned.
  struct Worker {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> is_done;
  };
  struct Runner {
    Loop* loop = nullptr;
    Worker worker;
    std::uint64_t seen_yields = 0;
    int yielded_checks = 0;          ///< that saw the same yield
    std::int64_t yielded_since = 0;  ///< monotonic nanoseconds, of the first of them
    std::atomic<bool> has_ended{false};
    bool has_standby = false;  ///< the driver's
  };

  /// How often the watcher looks.
  enum class Pace : std::uint8_t { fast, slow, resting };
  static Pace pace_for(LoopOwner::YieldTimeout timeout) noexcept {
    return timeout == LoopOwner::YieldTimeout::of_quick_handler ? Pace::fast : Pace::slow;
  }

  Worker start(Runner& runner);
  void drive(Runner& runner);
  void watch();
  Pace look(Runner& runner);
  void slow_down(Pace pace) noexcept;
  bool take_over(Runner& runner);
  void wake_watcher(Pace pace) noexcept;
  Runner& runner_of(const Loop& loop) noexcept;
  void watch_for_standby(const Loop& loop, int epoll, std::uint32_t events) noexcept;
  bool start_standby() noexcept;
  void wait_for_loops();

  WorkerPool& workers_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<Worker> stuck_;
  std::thread watcher_;
  std::thread standby_;
  int standby_epoll_ = -1;
  int standby_end_ = -1;  ///< an eventfd
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Pace> pace_{Pace::fast};
  bool is_finished_ = false;
};

/// The means of a thread to yield the loop that it drives.
struct LoopDriver {
  LoopSupervisor& supervisor;
  const std::shared_ptr<LoopOwner> owner;  ///< a thread that lost the loop still asks for it
  const LoopOwner::Term term;

  void yield(LoopOwner::YieldTimeout timeout) const noexcept {
    owner->yield(term, timeout);
    supervisor.on_yield(timeout);
  }
  /// False: the loop is another's now and must not be touched.
  bool take_back() const noexcept { return owner->take_back(term); }
};

}  // namespace tenon::http
