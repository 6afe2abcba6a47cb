#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tenon::base {

/// Runs tasks on a thread of its own, in order, one at a time. Thread-safe.
class WorkQueue {
 public:
  WorkQueue() = default;
  /// stop()
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Adds a task, which must not throw. It waits until start(); after stop() it is dropped.
  void add(std::function<void()> task);
  /// Starts the thread. Called once; without effect after stop().
  void start();
  /// Stops the thread. Waits for the current task and drops the others. Must not be called by a
  /// task.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tenon::base
