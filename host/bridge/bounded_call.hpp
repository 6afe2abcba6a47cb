#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace tenon::plugins {

/// A thread for calls with a timeout, one after the other. The first call creates it. run_last() or
/// the destructor ends it and waits until it has ended, its thread-locals too. A thread whose call
/// did not return in time is abandoned, and everything that the call refers to must live forever.
/// For one caller at a time.
class BoundedThread {
 public:
  BoundedThread() = default;
  ~BoundedThread();
  BoundedThread(const BoundedThread&) = delete;
  BoundedThread& operator=(const BoundedThread&) = delete;

  /// Runs `work` there and waits for it; false if it was not done in time. No call may follow then.
  /// If no thread can be created, the calling thread does the work, for as long as it takes. `work`
  /// must not throw.
  bool run(std::function<void()> work, std::chrono::milliseconds timeout);
  /// Runs the last work: if this returns true, the thread has ended.
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
