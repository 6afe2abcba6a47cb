#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon::plugins {

/// Does the same work again and again, on a thread of its own. Thread-safe.
class Rounds {
 public:
  /// `pause` stands between the end of one round and the next; 0: there are none. `work` must not
  /// throw.
  Rounds(std::chrono::milliseconds pause, std::function<void()> work)
      : pause_(pause), work_(std::move(work)) {}
  /// stop()
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// The first round comes behind a pause. Once.
  void start();
  /// Waits for the round that is being done.
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
