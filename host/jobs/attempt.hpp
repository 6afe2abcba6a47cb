#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "jobs/job.hpp"

namespace tenon::jobs {

/// One attempt of a job, between its handler and the pool. Shared. Thread-safe.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  explicit Attempt(Job claimed) : job(std::move(claimed)) {}

  const Job job;

  /// Kept at the next heartbeat, or when the attempt ends; texts are cut.
  void set_progress(Progress progress);
  Progress progress() const;

  /// The handler should return soon: a user cancelled the job, or its plugin is to stop.
  bool should_stop() const noexcept { return is_cancelled || is_stopped; }

  std::atomic<bool> is_cancelled{false};
  std::atomic<bool> is_stopped{false};
  std::atomic<bool> is_given_up{false};  ///< no thread waits for its end; its lease runs out
  std::atomic<bool> has_news{false};     ///< progress that was not published yet

 private:
  mutable std::mutex mutex_;
  Progress progress_;
};

}  // namespace tenon::jobs
