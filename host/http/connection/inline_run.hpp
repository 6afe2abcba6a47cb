#pragma once

#include "base/inline_task.hpp"
#include "http/loop/loop_supervisor.hpp"

namespace tenon::http {

class ActiveExchange;
class Loop;

/// A handler that runs on the thread of its loop. Meanwhile the loop is yielded, so that another
/// thread can drive it if the handler does not return. It is reclaimed for each moment in which the
/// handler's thread touches it. Belongs to that thread; one at a time.
class InlineRun final : public base::InlineExecutor {
 public:
  /// Yields the loop of `driver`. The thread has no other current mailbox or inline executor.
  InlineRun(Loop& loop, const LoopDriver& driver, const ActiveExchange& exchange) noexcept;
  ~InlineRun();
  InlineRun(const InlineRun&) = delete;
  InlineRun& operator=(const InlineRun&) = delete;

  /// The run of `exchange` on the calling thread; null on other threads and for other exchanges.
  static InlineRun* of(const ActiveExchange& exchange) noexcept {
    return current_ != nullptr && &current_->exchange_ == &exchange ? current_ : nullptr;
  }
  /// Takes the loop back for a moment. False, from then on always: another thread drives it.
  bool reclaim() noexcept { return driver_.take_back(); }
  /// After reclaim().
  void yield_again() noexcept { driver_.owner->yield_again(driver_.term); }
  /// Takes the loop back for good.
  bool end() noexcept;

  /// The loop does the inline task once its handler has returned.
  bool take(base::InlineTask& task) noexcept override;

 private:
  static inline constinit thread_local InlineRun* current_ = nullptr;

  Loop& loop_;
  const LoopDriver& driver_;
  const ActiveExchange& exchange_;
};

/// While this lives, the loop is the thread's own again, if `run` is one and has it still.
class LoopReclaim {
 public:
  explicit LoopReclaim(InlineRun* run) noexcept
      : run_(run != nullptr && run->reclaim() ? run : nullptr) {}
  ~LoopReclaim() {
    if (run_ != nullptr) run_->yield_again();
  }
  LoopReclaim(const LoopReclaim&) = delete;
  LoopReclaim& operator=(const LoopReclaim&) = delete;
  explicit operator bool() const noexcept { return run_ != nullptr; }

 private:
  InlineRun* const run_;
};

}  // namespace tenon::http
