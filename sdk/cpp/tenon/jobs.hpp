#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/detail/link.hpp>
#include <tenon/jobs.h>
#include <tenon/json.hpp>

namespace tenon {

/// The state of a job.
enum class JobState : std::uint32_t {
  waiting = TENON_JOBS_STATE_WAITING,
  running = TENON_JOBS_STATE_RUNNING,
  done = TENON_JOBS_STATE_DONE,
  failed = TENON_JOBS_STATE_FAILED,
  cancelled = TENON_JOBS_STATE_CANCELLED
};

/// Describes a job. Times are milliseconds since 1970, 0 for none. Texts may be truncated.
struct Job {
  std::string id;
  std::string kind;
  JobState state = JobState::waiting;
  std::uint32_t attempts = 0;  ///< number of started attempts
  std::uint32_t max_attempts = 0;
  std::int64_t done = 0;   ///< progress
  std::int64_t total = 0;  ///< of the progress; 0: unknown
  std::string text;        ///< text of the progress
  std::string error;       ///< error of the last failed attempt
  std::int64_t run_at_ms = 0;
  std::int64_t created_ms = 0;
  std::int64_t started_ms = 0;
  std::int64_t finished_ms = 0;
};

/// Options of a job: `{.key = "index/17", .max_attempts = 3}`.
struct JobOptions {
  std::string_view key{};                    ///< a waiting job with this key prevents a second one
  std::int64_t run_at_ms = 0;                ///< ms since 1970; 0: now
  std::uint32_t max_attempts = 0;            ///< at most 100; 0: 10
  std::chrono::milliseconds backoff{0};      ///< before the second attempt, then doubled; 0: 10 s
  std::chrono::milliseconds max_backoff{0};  ///< 0: 1 h, or `backoff` if that is longer
};

/// The result of enqueue.
struct JobReceipt {
  std::string id;
  bool is_new = true;  ///< false: a job with the same key is already waiting; this is its id
};

/// The times at which jobs are created: `{.name = "nightly", .cron = "30 2 * * *", .kind =
/// "sweep"}`.
struct Schedule {
  std::string_view name;         ///< 1…64 of [a-z0-9_.-], unique in the plugin
  std::string_view cron;         ///< minute hour day month weekday
  std::string_view time_zone{};  ///< IANA name, e.g. "Europe/Berlin"; empty: UTC
  std::string_view kind;
  std::string_view payload_text{};  ///< one JSON text; empty: null
  bool runs_missed = true;  ///< run once after the plugin becomes active if runs were missed
};

/// Thrown by a job handler to fail the job without retries.
class JobFailed : public std::exception {
 public:
  /// `why` is stored with the job.
  explicit JobFailed(std::string why) : why_(std::move(why)) {}
  const char* what() const noexcept override { return why_.c_str(); }

 private:
  std::string why_;
};

/// One attempt to run a job. Its handler borrows it. progress() and should_stop() may be called
/// from any thread until the handler returns. The texts are valid until then.
class JobRun {
 public:
  JobRun(detail::Link& link, const tenon_job_run& raw) noexcept : link_(&link), raw_(&raw) {}
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  std::string_view id() const noexcept { return detail::view(raw_->id); }
  std::string_view kind() const noexcept { return detail::view(raw_->kind); }
  std::string_view payload_text() const noexcept { return detail::view(raw_->payload); }
  std::string_view key() const noexcept { return detail::view(raw_->key); }
  /// Returns the name of the schedule that created the job; may be empty.
  std::string_view schedule() const noexcept { return detail::view(raw_->schedule); }
  std::uint32_t attempt() const noexcept { return raw_->attempt; }
  std::uint32_t max_attempts() const noexcept { return raw_->max_attempts; }

  /// Reports the progress; `total` 0: unknown. The host publishes it at most once a second, so
  /// frequent calls are cheap.
  void progress(std::int64_t done, std::int64_t total = 0, std::string_view text = {}) const {
    detail::check(
        TENON_CALL(*link_, tenon_jobs, progress, raw_->handle, done, total, detail::span(text)),
        "reporting the progress of a job");
  }

  /// Returns true if the handler should return soon: the job was cancelled, or the plugin is about
  /// to stop.
  bool should_stop() const {
    return TENON_CALL(*link_, tenon_jobs, is_cancelled, raw_->handle) != 0;
  }
  /// Throws an Error that ends the handler if should_stop(). A cancelled job ends. When the plugin
  /// stops, the job runs again after the next start and loses no attempt.
  void stop_if_asked() const {
    if (should_stop()) throw Error(503, "jobs.stopped", "The job was asked to stop.");
  }

#ifndef TENON_WITHOUT_JSON
  /// Returns the payload as T, by nlohmann's from_json. Throws JobFailed if it does not match T.
  template <class T>
  T payload() const {
    try {
      return Json::parse(payload_text()).get<T>();
    } catch (const Json::exception& error) {
      throw JobFailed(std::string("The payload has the wrong format: ") + error.what());
    }
  }
#endif

 private:
  detail::Link* link_;
  const tenon_job_run* raw_;
};

namespace detail {

inline tenon_job empty_job() noexcept {
  tenon_job raw{};
  raw.size = sizeof raw;
  return raw;
}

inline Job to_job(const tenon_job& raw) {
  return {std::string(text_of(raw.id)),
          std::string(text_of(raw.kind)),
          static_cast<JobState>(raw.state),
          raw.attempts,
          raw.max_attempts,
          raw.done,
          raw.total,
          std::string(text_of(raw.text)),
          std::string(text_of(raw.error)),
          raw.run_at_ms,
          raw.created_ms,
          raw.started_ms,
          raw.finished_ms};
}

template <class F>
struct JobHandler {
  F run_job;
  Link* link;

  static tenon_code fn(void* ctx, const tenon_job_run* raw, tenon_error* error) noexcept {
    auto& self = *static_cast<JobHandler*>(ctx);
    try {
      const JobRun run(*self.link, *raw);
      self.run_job(run);
      return TENON_JOBS_DONE;
    } catch (const JobFailed& failure) {
      return describe(error, TENON_JOBS_FAIL, 500, "jobs.failed", failure.what());
    } catch (const Error& failure) {
      return describe(error, TENON_JOBS_RETRY, failure.status(), failure.code(), failure.message());
    } catch (const std::exception& failure) {
      self.link->report(TENON_LOG_ERROR, "a job handler threw an exception", failure.what());
      return describe(error, TENON_JOBS_RETRY, 500, "jobs.threw", failure.what());
    } catch (...) {
      self.link->report(TENON_LOG_ERROR, "a job handler threw an exception", {});
      return describe(error, TENON_JOBS_RETRY, 500, "jobs.threw",
                      "An exception that is not a std::exception was thrown.");
    }
  }
  static void drop(void* ctx) noexcept { delete static_cast<JobHandler*>(ctx); }
};

}  // namespace detail

/// Background jobs: stored on disk until finished, retried if they fail, and created by schedules.
/// A job may run twice if its host crashed or its handler did not return in time, so handlers must
/// be idempotent. Thread-safe.
class Jobs {
 public:
  explicit Jobs(detail::Link& link) noexcept : link_(&link) {}

  /// Registers `handler(const tenon::JobRun&)` for a kind of jobs. Several jobs may run
  /// concurrently; the handler may block. The job is done when the handler returns. If it throws,
  /// the error is stored and the job is retried later; JobFailed prevents the retry. Call it in the
  /// plugin's constructor or start, once for each kind.
  template <class F>
  void on(std::string_view kind, F handler) {
    const tenon_jobs& jobs =
        link_->need<tenon_jobs>(TENON_NEED(tenon_jobs, set_handler), "set_handler");
    using Handler = detail::JobHandler<F>;
    auto made = std::make_unique<Handler>(Handler{std::move(handler), link_});
    const tenon_jobs_handler raw{&Handler::fn, made.release(), &Handler::drop};
    tenon_error error = detail::empty_error();
    detail::check(jobs.set_handler(link_->host(), detail::span(kind), &raw, &error), error);
  }

  /// Registers a schedule. Schedules of an earlier start that are not registered again are deleted.
  /// Call it in the plugin's constructor or start. Throws Error "jobs.cron_invalid",
  /// "jobs.time_zone_unknown".
  void schedule(const Schedule& schedule) {
    const tenon_jobs_schedule raw{
        sizeof(tenon_jobs_schedule),        schedule.runs_missed ? 0 : TENON_JOBS_SKIP_MISSED,
        detail::span(schedule.name),        detail::span(schedule.cron),
        detail::span(schedule.time_zone),   detail::span(schedule.kind),
        detail::span(schedule.payload_text)};
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_jobs, schedule, &raw, &error), error);
  }

  /// Enqueues a job with a payload of one JSON text of at most 256 KiB (empty: null). The job is on
  /// disk when the function returns. Usable from start on; blocks. Throws Error 422 "jobs.invalid",
  /// 503 "jobs.too_many".
  JobReceipt enqueue_text(std::string_view kind, std::string_view payload_text,
                          const JobOptions& options = {}) {
    require("a job");
    const tenon_job_request raw{sizeof(tenon_job_request), options.max_attempts,
                                detail::span(kind),        detail::span(payload_text),
                                detail::span(options.key), options.run_at_ms,
                                options.backoff.count(),   options.max_backoff.count()};
    tenon_job_receipt receipt{};
    receipt.size = sizeof receipt;
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_jobs, enqueue, &raw, &receipt, &error), error);
    return {std::string(detail::text_of(receipt.id)), receipt.is_new != 0};
  }

#ifndef TENON_WITHOUT_JSON
  /// Enqueues a job with a payload of any type that nlohmann's to_json supports.
  template <class T>
  JobReceipt enqueue(std::string_view kind, const T& payload, const JobOptions& options = {}) {
    return enqueue_text(kind, to_text(Json(payload)), options);
  }
#endif

  /// Returns the state of a job, or empty if it does not exist. Finished jobs are deleted after a
  /// week. Usable from start on; blocks.
  std::optional<Job> find(std::string_view id) {
    require("a job");
    tenon_job raw = detail::empty_job();
    tenon_error error = detail::empty_error();
    const tenon_code code = TENON_CALL(*link_, tenon_jobs, find, detail::span(id), &raw, &error);
    if (code == TENON_E_NOT_FOUND) return std::nullopt;
    detail::check(code, error);
    return detail::to_job(raw);
  }

  /// Cancels a waiting job, or asks a running job to stop. Returns the new state. Usable from start
  /// on; blocks. Throws Error 404 "jobs.unknown", 409 "jobs.finished".
  Job cancel(std::string_view id) {
    require("a job");
    tenon_job raw = detail::empty_job();
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_jobs, cancel, detail::span(id), &raw, &error), error);
    return detail::to_job(raw);
  }

 private:
  void require(const char* what) const {
    link_->require(State::starting, State::quiescing, what);
    detail::Link::require_blocking(what);
  }

  detail::Link* link_;
};

}  // namespace tenon
