#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tenon::app {

/// Ends the process when it has not stopped cleanly within `limit`: calls of plugins that do not
/// return are abandoned, and named in the log. Lives from the request to stop to the end of all
/// that is to be stopped.
class StopLimit {
 public:
  /// The time that a stop may take after the deadline of requests: to give up what is in flight,
  /// and to close databases.
  static constexpr std::chrono::seconds grace_period{3};

  StopLimit(std::chrono::milliseconds limit, int exit_code);
  ~StopLimit();
  StopLimit(const StopLimit&) = delete;
  StopLimit& operator=(const StopLimit&) = delete;

 private:
  void watch(std::chrono::milliseconds limit, int exit_code);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_finished_ = false;
  std::thread thread_;
};

}  // namespace tenon::app
