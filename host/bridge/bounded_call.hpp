#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace tenon::plugins {

/// A thread for calls that are waited for only so long, one after the other. Made with the first of
/// them; ended by the last one or by the destructor, which wait until it has ended, its
/// thread-locals too. A thread whose call did not return in time is abandoned, and
/// everything that call refers to must stay for ever. For one caller at a time.
class BoundedThread {
 public:
  BoundedThread() = default;
  ~BoundedThread();
  BoundedThread(const BoundedThread&) = delete;
  BoundedThread& operator=(const BoundedThread&) = delete;

  /// Runs `work` there and waits for it; false when it was not done in time. No call may follow
  /// then. If no thread can be created, the calling thread does the work, for as long as it takes.
  /// `work` must not throw.
  bool run(std::function<void()> work, std::chrono::milliseconds timeout);
  /// The same for the last one: the thread has ended once this is true.
  bool run_last(std::function<void()> work, std::chrono::milliseconds timeout);

 private:
  struct Shared;
  bool run(std::function<void()> work, std::chrono::milliseconds timeout, bool is_last);
  void end();

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

/// BoundedThread::run_last() on a thread of its own.
bool run_bounded(std::function<void()> work, std::chrono::milliseconds timeout);

}  // namespace tenon::plugins
