#pragma once

namespace tenon::base {

/// Work that may block and is due at once, found by a thread that must not block. The thread that
/// takes it calls one of the two functions once; the task may be destroyed by then.
class InlineTask {
 public:
  /// Does it on the calling thread, which may block.
  virtual void run() noexcept = 0;
  /// Has another thread do it; does not block.
  virtual void decline() noexcept = 0;

 protected:
  ~InlineTask() = default;
};

/// A thread that can do an inline task as soon as it has nothing else to do, which saves waking
/// another thread and being woken by it. It names itself while it can.
class InlineExecutor {
 public:
  /// False when it takes no more. Else it runs or declines the inline task soon after the caller's
  /// code has returned.
  virtual bool take(InlineTask& task) noexcept = 0;

  /// Returns the executor of the calling thread, or null.
  static InlineExecutor* current() noexcept { return of_this_thread; }

 protected:
  ~InlineExecutor() = default;
  static void set_current(InlineExecutor* runner) noexcept { of_this_thread = runner; }

 private:
  static inline constinit thread_local InlineExecutor* of_this_thread = nullptr;
};

}  // namespace tenon::base
