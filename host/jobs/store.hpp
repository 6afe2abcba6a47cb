#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job.hpp"

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data

namespace tenon::jobs {

/// Which jobs of a list; empty texts and none: all.
struct Filter {
  std::string plugin{};
  std::optional<State> state{};
};

struct Page {
  std::vector<Job> items;
  std::string next;  ///< cursor; empty after the last page
};

struct Enqueued {
  std::string id;
  bool is_new = true;  ///< false: one with the same key waits already, and this is its id
};

/// The jobs in the host's database. Each change is one transaction with its condition in it, so
/// that of several hosts over one database one alone gets a job. Blocks on the database.
/// Thread-safe. Throws what the database throws.
class Store {
 public:
  static constexpr std::size_t max_page = 200;

  /// The tables must be there (schema.hpp).
  explicit Store(data::Database& database) : database_(database) {}

  /// Enqueues a job; it is on disk at the return. `job` was checked. Throws 503 "jobs.too_many".
  Enqueued enqueue(const NewJob& job, std::int64_t now_ms);
  static Enqueued enqueue(data::Transaction& transaction, const NewJob& job, std::int64_t now_ms);

  std::optional<Job> find(std::string_view id) const;
  /// The newest first, without payloads. `cursor` is Page::next or empty.
  Page list(const Filter& filter, std::size_t limit, std::string_view cursor) const;

  /// Removes all jobs and schedules of a plugin. On disk at the return.
  void forget(std::string_view plugin);

  /// When the first waiting job of a kind is due, and its id; none: nothing waits.
  struct Due {
    std::string id;
    std::int64_t run_at_ms = 0;
  };
  std::optional<Due> first_due(std::string_view plugin, std::string_view kind) const;

  /// Makes it `runner`'s until `until_ms`; empty when another one was quicker.
  std::optional<Job> claim(std::string_view id, std::string_view runner, std::int64_t now_ms,
                           std::int64_t until_ms);
  /// Keeps the lease and the progress; true when a cancel was asked for. False for `is_held` when
  /// the job is not this attempt's any more.
  struct Beat {
    bool is_held = false;
    bool is_cancel_asked = false;
  };
  Beat beat(const Job& job, const Progress& progress, std::int64_t until_ms);
  /// Writes how an attempt ended; empty when the job is not this attempt's any more. `is_stopped`:
  /// the plugin was asked to stop, so that a retry is due at once and the attempt does not count.
  std::optional<Job> finish(const Job& job, const Outcome& outcome, const Progress& progress,
                            bool is_stopped, std::int64_t now_ms, double chance);
  /// Sets jobs free whose lease ran out; those without attempts left fail. Not those that `is_held`
  /// says are still run here: where the clock was set forward, all leases seem over.
  std::vector<Job> release_expired(std::int64_t now_ms,
                                   const std::function<bool(std::string_view id)>& is_held);

  /// Corrects times of a clock that was set back by more than `tolerated_ms` since: a waiting job
  /// keeps its delay from now on, a retry whose pause is longer than its back-off may be is due, no
  /// lease is longer than `lease_ms`. Returns how many jobs were changed.
  std::size_t set_back(std::int64_t now_ms, std::int64_t lease_ms, std::int64_t tolerated_ms);

  /// A waiting one is cancelled, a running one is asked to stop. Throws 404 "jobs.unknown", 409
  /// "jobs.finished". With a plugin, jobs of others are unknown.
  Job cancel(std::string_view id, std::string_view plugin, std::int64_t now_ms);
  /// Fails a waiting or running job for good, because of `error`; empty when there is none.
  std::optional<Job> fail_for_good(std::string_view id, std::string_view error,
                                   std::int64_t now_ms);
  /// A failed or cancelled one waits again, with all its attempts. Throws 404, 409
  /// "jobs.not_retryable".
  Job retry(std::string_view id, std::int64_t now_ms);

  /// Deletes finished jobs beyond retained_ms and max_finished.
  void trim(std::int64_t now_ms);

  void count(const std::function<void(std::string_view plugin, std::string_view state,
                                      std::int64_t count)>& take) const;

 private:
  data::Database& database_;
};

}  // namespace tenon::jobs
