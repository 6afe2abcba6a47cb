#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/attempt.hpp"
#include "jobs/schedule_store.hpp"
#include "jobs/store.hpp"

namespace tenon::data {
class Database;
}
namespace tenon::events {
class Bus;
}
namespace tenon::observability {
class Metrics;
}

namespace tenon::jobs {

/// Topic of the bus for begun, ended and cancelled jobs, and for progress at most once a second:
/// {"id","plugin","kind","state","attempts","progress":{"done","total","text"}}.
inline constexpr std::string_view jobs_topic = "core.jobs";

/// The plugin whose handlers run its jobs.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual const std::string& plugin() const noexcept = 0;
  virtual std::vector<std::string> kinds() const = 0;
  /// Runs the handler of run.job.kind on the calling thread, which may block. Must not throw.
  virtual Outcome run(Attempt& run) noexcept = 0;
};

struct Options {
  std::size_t threads = 2;                  ///< handlers that run at once
  std::chrono::milliseconds lease{60'000};  ///< kept up by heartbeats, three a lease
  /// Milliseconds since 1970; the system's clock where there is none.
  std::function<std::int64_t()> clock{};
};

/// The queue at work: threads that run due jobs, schedules, heartbeats. At least once: a job whose
/// host died, or whose handler did not return when its plugin was stopped, runs again when its
/// lease ends. Threads start when a plugin with handlers is attached. Thread-safe.
class Jobs {
 public:
  /// Handlers of one plugin that run at once: half of the threads, so that none has all.
  static std::size_t share_of(std::size_t threads) noexcept { return (threads + 1) / 2; }

  /// Makes the room's tables. All must outlive it.
  Jobs(data::Database& database, events::Bus& bus, observability::Metrics& metrics,
       Options options = {});
  /// stop()
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Enqueues a job; it is on disk at the return. Throws what check() and Store::enqueue() throw.
  Enqueued enqueue(const NewJob& job);
  Job cancel(std::string_view id, std::string_view plugin = {});
  Job retry(std::string_view id);
  /// Fails a waiting or running job for good; for a job that crashed the server. No effect on
  /// others.
  void fail_for_good(std::string_view id, std::string_view error);
  const Store& store() const noexcept;

  /// Runs jobs of the runner's plugin, and its schedules, from now on. Throws what the database
  /// throws; nothing is attached then.
  void attach(std::shared_ptr<Runner> runner, std::vector<ActiveSchedule> schedules);
  /// No job of the plugin begins any more, and those that run are asked to stop. Without effect for
  /// one that is not attached.
  void detach(std::string_view plugin);
  /// Waits until none of the plugin runs; false at the deadline.
  bool wait_idle(std::string_view plugin, std::chrono::steady_clock::time_point until);
  /// Gives up what still runs of the plugin: other threads take the place of theirs.
  void give_up(std::string_view plugin);

  /// Removes all jobs and schedules of a plugin that is not attached. Durable at the return.
  void forget(std::string_view plugin);

  /// Detaches all and ends the threads; what still runs after `timeout` is given up. Later calls
  /// do nothing.
  void stop(std::chrono::milliseconds timeout = std::chrono::seconds(1));

 private:
  class Core;
  std::shared_ptr<Core> core_;  // threads that were given up hold it, too
};

}  // namespace tenon::jobs
