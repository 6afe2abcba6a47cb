#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::http {

/// Something that another thread wants an I/O thread to look at. In at most one mailbox, once. The
/// thread that posts it keeps it alive until deliver() ran, which never happens when post()
/// returned false.
class LoopTask {
 public:
  /// Runs on the I/O thread.
  virtual void deliver() noexcept = 0;

 protected:
  virtual ~LoopTask() = default;

 private:
  friend class Mailbox;
  LoopTask* next_task_ = nullptr;
};

/// The way to an I/O thread: a lock-free list, and an eventfd that is written only while the thread
/// sleeps, so that a busy thread is handed work without a system call.
class Mailbox {
 public:
  /// Throws std::system_error when no eventfd can be had.
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Thread-safe. False when the mailbox is closed; the task is then not taken.
  bool post(LoopTask& task) noexcept;

  // The rest is the I/O thread's.
  int descriptor() const noexcept { return descriptor_; }
  /// True when the thread may sleep: from now on post() wakes it.
  bool prepare_to_sleep() noexcept;
  void awake() noexcept;
  bool is_empty() const noexcept { return newest_.load(std::memory_order_relaxed) == nullptr; }
  /// Delivers what has come, oldest first.
  void deliver_all() noexcept;
  /// Delivers what has come; refuses all that would follow.
  void close() noexcept;

  /// The mailbox of the calling I/O thread; null on other threads.
  static const Mailbox* current() noexcept;
  void make_current() const noexcept;
  static void make_none_current() noexcept;

  /// While this lives and `state` is `value`, a post of its own thread to the mailbox wakes no
  /// thread: that thread delivers the task itself. A thread that changes `state`, in one order with
  /// everything (seq_cst), must look for tasks from then on.
  class Quiet {
   public:
    Quiet(const Mailbox& mailbox, const std::atomic<std::uint64_t>& state,
          std::uint64_t value) noexcept;
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    friend class Mailbox;
    const Mailbox& mailbox_;
    const std::atomic<std::uint64_t>& state_;
    const std::uint64_t value_;
  };

 private:
  void deliver(LoopTask* newest) noexcept;

  std::atomic<LoopTask*> newest_{nullptr};
  std::atomic<bool> is_sleeping_{false};
  int descriptor_;
};

}  // namespace tenon::http
