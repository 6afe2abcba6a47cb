/* tenon.jobs/1: background jobs. A job is stored on disk until it is finished and retried if it
 * fails. Schedules create jobs. Jobs run at least once: a job runs again if its host crashed or its
 * handler did not return in time. A plugin can access only its own jobs. */
#ifndef TENON_JOBS_H
#define TENON_JOBS_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_JOBS_ID "tenon.jobs/1"

/* Return values of a handler. A negative code has the effect of TENON_JOBS_RETRY. */
#define TENON_JOBS_DONE 0  /* the job succeeded */
#define TENON_JOBS_RETRY 1 /* retry after the back-off while attempts are left */
#define TENON_JOBS_FAIL 2  /* the job failed; do not retry */

/* Values of tenon_job.state. */
#define TENON_JOBS_STATE_WAITING 0u
#define TENON_JOBS_STATE_RUNNING 1u
#define TENON_JOBS_STATE_DONE 2u
#define TENON_JOBS_STATE_FAILED 3u
#define TENON_JOBS_STATE_CANCELLED 4u

/* Flag of a schedule: skip a run that was missed while the plugin was not active. */
#define TENON_JOBS_SKIP_MISSED 1u

/** One attempt to run a job. Borrowed: valid until the handler returns. `handle` is invalid
 * afterwards. */
typedef struct tenon_job_run {
  uint32_t size;
  uint32_t attempt; /* 1 for the first attempt */
  tenon_handle handle;
  tenon_span id;
  tenon_span kind;
  tenon_span payload;  /* one JSON text */
  tenon_span key;      /* may be empty */
  tenon_span schedule; /* name of the schedule that created it; may be empty */
  uint32_t max_attempts;
  uint32_t reserved;
} tenon_job_run;

/** Runs jobs of one kind. Several may run concurrently. May block. Returns TENON_JOBS_…; if the job
 * is not done, the message of `error` is stored with it. Frozen. */
typedef struct tenon_jobs_handler {
  tenon_code (*fn)(void* ctx, const tenon_job_run* run, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_jobs_handler;

/** The times at which jobs are created. */
typedef struct tenon_jobs_schedule {
  uint32_t size;
  uint32_t flags;       /* TENON_JOBS_SKIP_MISSED */
  tenon_span name;      /* 1…64 of [a-z0-9_.-], unique in the plugin */
  tenon_span cron;      /* minute hour day month weekday, e.g. "30 2 * * mon-fri" */
  tenon_span time_zone; /* IANA name, e.g. "Europe/Berlin"; empty: UTC */
  tenon_span kind;
  tenon_span payload; /* one JSON text; empty: null */
} tenon_jobs_schedule;

/** A job to enqueue. Members that are 0 or empty have the default in their comment. */
typedef struct tenon_job_request {
  uint32_t size;
  uint32_t max_attempts;  /* at most 100; 0: 10 */
  tenon_span kind;        /* 1…64 of [a-z0-9_.-] */
  tenon_span payload;     /* one JSON text of at most 256 KiB; empty: null */
  tenon_span key;         /* a waiting job with this key prevents a second one; empty: none */
  int64_t run_at_ms;      /* ms since 1970; 0: now */
  int64_t backoff_ms;     /* delay before the second attempt, doubled for each later one; 0: 10 s */
  int64_t max_backoff_ms; /* 0: 1 h, or backoff_ms if that is longer */
} tenon_job_request;

/** The result of enqueue. The caller owns the memory and sets `size`. */
typedef struct tenon_job_receipt {
  uint32_t size;
  uint32_t is_new; /* 0: a job with the same key is already waiting; `id` is its id */
  char id[40];     /* zero-terminated */
} tenon_job_receipt;

/** The state of a job, copied into memory of the caller, who sets `size`. Times are milliseconds
 * since 1970, 0 for none. Texts are zero-terminated and truncated if too long. */
typedef struct tenon_job {
  uint32_t size;
  uint32_t state;    /* TENON_JOBS_STATE_… */
  uint32_t attempts; /* number of started attempts */
  uint32_t max_attempts;
  int64_t done;  /* progress */
  int64_t total; /* of the progress; 0: unknown */
  int64_t run_at_ms;
  int64_t created_ms;
  int64_t started_ms;
  int64_t finished_ms;
  char id[40];
  char kind[72];
  char text[504];  /* text of the progress */
  char error[504]; /* error of the last failed attempt */
} tenon_job;

typedef struct tenon_jobs {
  uint32_t size;
  uint32_t reserved;

  /**
   * Registers the handler of a kind of jobs, once for each kind, at most 64 kinds. Jobs run after
   * start has returned.
   * [thread] the calling one of create or start [state] created, starting [memory] `kind` borrowed; the handler is the host's to drop, also on an error
   */
  tenon_code (*set_handler)(const tenon_host* host, tenon_span kind,
                            const tenon_jobs_handler* handler, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Registers a schedule that creates jobs, at most 100. Register the handler of its kind first.
   * Schedules of an earlier start that are not registered again are deleted. While a run is
   * waiting, the schedule creates no second one. On TENON_E_INVALID the error names the problem.
   * [thread] the calling one of create or start [state] created, starting [memory] borrowed
   */
  tenon_code (*schedule)(const tenon_host* host, const tenon_jobs_schedule* schedule,
                         tenon_error* error) TENON_NOEXCEPT;

  /**
   * Enqueues a job. The job is on disk when the function returns. Returns TENON_E_INVALID for a
   * kind without a handler, TENON_E_BUSY if too many jobs are waiting.
   * [thread] any that may block [state] starting, active, quiescing [memory] `request` borrowed; `receipt` is the caller's, may be NULL
   */
  tenon_code (*enqueue)(const tenon_host* host, const tenon_job_request* request,
                        tenon_job_receipt* receipt, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Returns the state of a job. Returns TENON_E_NOT_FOUND if it does not exist. Finished jobs are
   * deleted after a week.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; `job` is the caller's
   */
  tenon_code (*find)(const tenon_host* host, tenon_span id, tenon_job* job,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Cancels a waiting job, or asks a running job to stop. `job` gets the new state. Returns
   * TENON_E_NOT_FOUND if the job does not exist, TENON_E_STATE if it is finished.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; `job` is the caller's, may be NULL
   */
  tenon_code (*cancel)(const tenon_host* host, tenon_span id, tenon_job* job,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Reports the progress of a run. The host stores and publishes the latest report, at most once a
   * second. `total` 0: unknown. Only the first 500 bytes of `text` are used. Returns TENON_E_HANDLE
   * if the run has ended.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*progress)(const tenon_host* host, tenon_handle run, int64_t done, int64_t total,
                         tenon_span text) TENON_NOEXCEPT;

  /**
   * Checks whether the handler should return soon: the job was cancelled, or the plugin is about to
   * stop. Returns 1 if so, else 0. When the plugin stops, a handler that returns TENON_JOBS_RETRY
   * makes the job run again later. Returns TENON_E_HANDLE if the run has ended.
   * [thread] any [state] active, quiescing [memory] –
   */
  tenon_code (*is_cancelled)(const tenon_host* host, tenon_handle run) TENON_NOEXCEPT;
} tenon_jobs;

TENON_EXTERN_C_END

#endif
