#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon::base {

/// Repeats a task on a thread of its own. Thread-safe.
class PeriodicTask {
 public:
  /// `pause` is the time between the end of one run and the start of the next; 0: the task never
  /// runs. `work` must not throw.
  PeriodicTask(std::chrono::milliseconds pause, std::function<void()> work)
      : pause_(pause), work_(std::move(work)) {}
  /// stop()
  ~PeriodicTask();
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;

  /// Starts the thread; the first run comes after a pause. Called once; without effect after
  /// stop().
  void start();
  /// As start(), but the first run comes at once, also if `pause` is 0.
  void start_now();
  /// Runs the task as soon as possible, once for any number of calls before it runs.
  void wake();
  /// Stops the thread. Waits for the current run. Must not be called by the task.
  void stop();

 private:
  void start(bool is_woken);
  void run();

  const std::chrono::milliseconds pause_;
  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_woken_ = false;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tenon::base
