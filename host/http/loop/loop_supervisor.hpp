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

/// Says who drives a loop. While its thread runs a handler, between two steps of the loop, the
/// baton is lent, and another thread may take it and drive the loop on; the first thread then finds
/// it gone and ends after the handler.
class LoopOwner {
 public:
  /// Names one driver; never used twice.
  using Term = std::uint64_t;

  /// How long it may be lent before the watcher has another thread drive the loop.
  enum class Patience : std::uint8_t {
    of_quick_handler,  ///< a few milliseconds: the handler turned out to be slow
    of_inline_handler  ///< 250 ms: the handler promised not to block, and does
  };

  /// The new driver, before it begins.
  Term term() const noexcept { return state_.load(std::memory_order_relaxed) / 2; }
  /// The driver, before and after a handler. False: the loop is another's now and must not be
  /// touched.
  void lend(Term term, Patience patience) noexcept {
    patience_.store(patience, std::memory_order_relaxed);
    state_.store(term * 2 + 1, std::memory_order_release);
    loans_.fetch_add(patience == Patience::of_quick_handler ? quick_loan : 1,
                     std::memory_order_seq_cst);
  }
  bool take_back(Term term) noexcept { return change(term * 2 + 1, term * 2); }
  /// After take_back(), within the same handler.
  void lend_again(Term term) noexcept { state_.store(term * 2 + 1, std::memory_order_release); }
  /// The driver, while it is lent: letters of its own wake nobody as long as nobody took it over.
  Mailbox::Quiet quiet(const Mailbox& mailbox, Term term) const noexcept {
    return {mailbox, state_, term * 2 + 1};
  }

  // Any other thread.
  /// Changes with each loan, from `quick_loan` on with those to quick handlers.
  std::uint64_t loans() const noexcept { return loans_.load(std::memory_order_seq_cst); }
  static constexpr std::uint64_t quick_loan = std::uint64_t{1} << 32;
  bool is_lent() const noexcept { return state_.load(std::memory_order_relaxed) % 2 != 0; }
  Patience patience() const noexcept { return patience_.load(std::memory_order_relaxed); }
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
  std::atomic<std::uint64_t> state_{0};  // twice the term, plus one while it is lent
  std::atomic<std::uint64_t> loans_{0};
  std::atomic<Patience> patience_{Patience::of_quick_handler};
};

/// Has every loop driven by some thread: gives each one of its own, and another when a handler
/// keeps that thread beyond its patience. A thread that is still stuck at the end becomes the
/// worker pool's.
///
/// A loop without anything else to do may lend its baton for work that is known to block (an
/// errand). Then a stand-in waits for the loop's events, and has another thread drive it on as soon
/// as there is one.
class LoopSupervisor {
 public:
  explicit LoopSupervisor(WorkerPool& workers) : workers_(workers) {}
  ~LoopSupervisor();

  void start(std::vector<std::unique_ptr<Loop>>& loops);
  /// Waits until all loops have ended.
  void join();
  /// From a loop that has just lent its baton: the watcher must look often enough.
  void rouse(LoopOwner::Patience patience) noexcept {
    const Pace needed = pace_for(patience);
    if (pace_.load(std::memory_order_seq_cst) > needed) wake_watcher(needed);
  }
  /// From a loop before it lends its baton for an inline task; false when no stand-in can be had
  /// for the events of `epoll`, the loop's.
  bool has_stand_in(const Loop& loop, int epoll) noexcept;
  /// From the same loop, its baton lent: the events are the stand-in's.
  void stand_in(const Loop& loop, int epoll) noexcept;
  /// From the same loop, when it has its baton back.
  void stand_down(const Loop& loop, int epoll) noexcept;

 private:
  /// A thread, and whether its body has returned.
  struct Worker {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> is_done;
  };
  struct Runner {
    Loop* loop = nullptr;
    Worker worker;
    std::uint64_t seen_loans = 0;
    int lent_looks = 0;           ///< that saw the same loan
    std::int64_t lent_since = 0;  ///< monotonic nanoseconds, of the first of them
    std::atomic<bool> has_ended{false};
    bool has_stand_in = false;  ///< the driver's
  };

  /// How often the watcher looks.
  enum class Pace : std::uint8_t { fast, slow, resting };
  static Pace pace_for(LoopOwner::Patience patience) noexcept {
    return patience == LoopOwner::Patience::of_quick_handler ? Pace::fast : Pace::slow;
  }

  Worker start(Runner& runner);
  void drive(Runner& runner);
  void watch();
  Pace look(Runner& runner);
  void slow_down(Pace pace) noexcept;
  bool take_over(Runner& runner);
  void wake_watcher(Pace pace) noexcept;
  Runner& runner_of(const Loop& loop) noexcept;
  void watch_for_stand_in(const Loop& loop, int epoll, std::uint32_t events) noexcept;
  bool start_stand_in() noexcept;
  void wait_for_loops();

  WorkerPool& workers_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<Worker> stuck_;
  std::thread watcher_;
  std::thread stand_in_;
  int stand_in_epoll_ = -1;
  int stand_in_end_ = -1;  ///< an eventfd
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Pace> pace_{Pace::fast};
  bool is_over_ = false;
};

/// What a thread needs to lend the loop that it drives.
struct LoopDriver {
  LoopSupervisor& relay;
  const std::shared_ptr<LoopOwner> baton;  ///< a thread that lost the loop still asks for it
  const LoopOwner::Term term;

  void lend(LoopOwner::Patience patience) const noexcept {
    baton->lend(term, patience);
    relay.rouse(patience);
  }
  /// False: the loop is another's now and must not be touched.
  bool take_back() const noexcept { return baton->take_back(term); }
};

}  // namespace tenon::http
