#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/jobs.h>

#include "bridge/handle_table.hpp"
#include "jobs/jobs.hpp"

namespace tenon::plugins {

class Bridge;

/// A run of a job inside a handler of the plugin, by number.
struct OpenRun {
  std::shared_ptr<jobs::Attempt> attempt;

  std::shared_ptr<jobs::Attempt> finish() noexcept { return std::move(attempt); }
};

/// tenon.jobs/1 of one activation: the handlers and schedules that it registered, and its own jobs.
class JobsInterface {
 public:
  static constexpr std::size_t max_kinds = 64;       ///< beyond: TENON_E_TOO_LARGE
  static constexpr std::size_t max_schedules = 100;  ///< beyond: TENON_E_TOO_LARGE
  static constexpr std::uint32_t max_runs = 256;     ///< at once; as many as jobs.threads may be

  static const tenon_jobs table;

  explicit JobsInterface(Bridge& bridge);

  /// Returns the runner of the registered handlers. It owns the bridge, and enters its gate for
  /// each run: once the gate is closed, jobs are returned to the queue.
  std::shared_ptr<jobs::Runner> make_runner();
  /// Moves the registered schedules out; call it once.
  std::vector<jobs::ActiveSchedule> take_schedules() noexcept { return std::move(schedules_); }

  void drop_handlers() noexcept;

 private:
  class Runner;

  tenon_code on(tenon_span kind, tenon_jobs_handler& handler, tenon_error* error);
  tenon_code schedule(const tenon_jobs_schedule* schedule, tenon_error* error);
  tenon_code require_handler(std::string_view kind, tenon_error* error) const;
  tenon_code enqueue(const tenon_job_request* order, tenon_job_receipt* receipt,
                     tenon_error* error);
  tenon_code find(tenon_span id, tenon_job* job, tenon_error* error);
  tenon_code cancel(tenon_span id, tenon_job* job, tenon_error* error);
  tenon_code progress(tenon_handle run, std::int64_t done, std::int64_t total, tenon_span text);
  tenon_code is_cancelled(tenon_handle run);
  jobs::Outcome run(jobs::Attempt& attempt);

  Bridge& bridge_;
  mutable std::mutex mutex_;  // of handlers_ while it changes
  // Both grow in create and start only.
  std::map<std::string, tenon_jobs_handler, std::less<>> handlers_;
  std::vector<jobs::ActiveSchedule> schedules_;
  HandleTable<OpenRun> runs_;

  friend struct JobsFunctions;
};

}  // namespace tenon::plugins
