#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon::plugins {

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

  /// Starts the thread; the first run comes after a pause. Called once.
  void start();
  /// Stops the thread. Waits for the current run.
  void stop();

 private:
  void run();

  const std::chrono::milliseconds pause_;
  const std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace tenon::plugins
