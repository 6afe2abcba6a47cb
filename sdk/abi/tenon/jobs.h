/* tenon.jobs/1: work for later. Jobs are kept on disk until they are done, tried again where they
 * fail, and made by schedules. At least once: a job whose host died, or whose handler did not
 * return in time, runs again. A plugin reaches its own only. */
#ifndef TENON_JOBS_H
#define TENON_JOBS_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_JOBS_ID "tenon.jobs/1"

/* What a handler returns; a negative code is TENON_JOBS_RETRY. */
#define TENON_JOBS_DONE 0  /* the job is done */
#define TENON_JOBS_RETRY 1 /* again after the back-off, as long as attempts are left */
#define TENON_JOBS_FAIL 2  /* it failed, and trying again would not help */

/* Of tenon_job.state. */
#define TENON_JOBS_IS_WAITING 0u
#define TENON_JOBS_IS_RUNNING 1u
#define TENON_JOBS_IS_DONE 2u
#define TENON_JOBS_IS_FAILED 3u
#define TENON_JOBS_IS_CANCELLED 4u

/* Flag of a schedule: a run that was missed while the plugin was not active is left out. */
#define TENON_JOBS_SKIP_MISSED 1u

/** One run of a job. Borrowed: valid until the handler returns; `handle` is over then, too. */
typedef struct tenon_job_run {
  uint32_t size;
  uint32_t attempt; /* from 1 on */
  tenon_handle handle;
  tenon_span id;
  tenon_span kind;
  tenon_span payload;  /* one JSON text */
  tenon_span key;      /* may be empty */
  tenon_span schedule; /* the name of the one that made it; may be empty */
  uint32_t max_attempts;
  uint32_t reserved;
} tenon_job_run;

/** Runs jobs of a kind, of which several may run at once; may block. Returns TENON_JOBS_…; the
 * message of `error` is kept with the job when it is not done. Frozen. */
typedef struct tenon_jobs_handler {
  tenon_code (*fn)(void* ctx, const tenon_job_run* run, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_jobs_handler;

/** Times at which jobs are made. */
typedef struct tenon_jobs_schedule {
  uint32_t size;
  uint32_t flags;       /* TENON_JOBS_SKIP_MISSED */
  tenon_span name;      /* 1…64 of [a-z0-9_.-], the plugin's own */
  tenon_span cron;      /* minute hour day month weekday, e.g. "30 2 * * mon-fri" */
  tenon_span time_zone; /* IANA name, e.g. "Europe/Berlin"; empty: UTC */
  tenon_span kind;
  tenon_span payload; /* one JSON text; empty: null */
} tenon_jobs_schedule;

/** What is to be done. What is 0 or empty is as the comment says. */
typedef struct tenon_job_request {
  uint32_t size;
  uint32_t max_attempts;  /* at most 100; 0: 10 */
  tenon_span kind;        /* 1…64 of [a-z0-9_.-] */
  tenon_span payload;     /* one JSON text of at most 256 KiB; empty: null */
  tenon_span key;         /* while a job with it waits, no second one is made; empty: none */
  int64_t run_at_ms;      /* since 1970; 0: now */
  int64_t backoff_ms;     /* before the second attempt, doubling after each; 0: 10 s */
  int64_t max_backoff_ms; /* 0: 1 h, or backoff_ms where that is more */
} tenon_job_request;

/** What became of an order, in memory of the caller, who sets `size`. */
typedef struct tenon_job_receipt {
  uint32_t size;
  uint32_t is_new; /* 0: a job with the same key waits already, and `id` is its */
  char id[40];     /* zero-terminated */
} tenon_job_receipt;

/** What is known of a job, copied into memory of the caller, who sets `size`. Times are
 * milliseconds since 1970, 0 for none; texts are zero-terminated, cut where too long. */
typedef struct tenon_job {
  uint32_t size;
  uint32_t state;    /* TENON_JOBS_IS_… */
  uint32_t attempts; /* begun */
  uint32_t max_attempts;
  int64_t done;  /* of its progress */
  int64_t total; /* 0: not known */
  int64_t run_at_ms;
  int64_t created_ms;
  int64_t started_ms;
  int64_t finished_ms;
  char id[40];
  char kind[72];
  char text[504];  /* of its progress */
  char error[504]; /* of the last attempt that failed */
} tenon_job;

typedef struct tenon_jobs {
  uint32_t size;
  uint32_t reserved;

  /**
   * Has jobs of a kind run by `handler`, once for a kind, at most 64 kinds. Jobs begin when start
   * has returned.
   * [thread] the calling one of create or start [state] created, starting [memory] `kind` borrowed; the handler is the host's to drop, also on an error
   */
  tenon_code (*on)(const tenon_host* host, tenon_span kind, const tenon_jobs_handler* handler,
                   tenon_error* error) TENON_NOEXCEPT;

  /**
   * Has jobs made at times, at most 100 schedules. Those of an earlier start that are not declared
   * in this one are gone. While a run waits, no second one is made. TENON_E_INVALID names what is
   * wrong; a handler of the kind must be registered before.
   * [thread] the calling one of create or start [state] created, starting [memory] borrowed
   */
  tenon_code (*schedule)(const tenon_host* host, const tenon_jobs_schedule* schedule,
                         tenon_error* error) TENON_NOEXCEPT;

  /**
   * Keeps a job to be done, on disk at the return. TENON_E_INVALID for a kind without handler;
   * TENON_E_BUSY when too many wait.
   * [thread] any that may block [state] starting, active, quiescing [memory] `order` borrowed; `receipt` is the caller's, may be NULL
   */
  tenon_code (*enqueue)(const tenon_host* host, const tenon_job_request* order,
                        tenon_job_receipt* receipt, tenon_error* error) TENON_NOEXCEPT;

  /**
   * What is known of a job. TENON_E_NOT_FOUND; finished ones go after a week.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; `job` is the caller's
   */
  tenon_code (*find)(const tenon_host* host, tenon_span id, tenon_job* job,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Cancels a job that waits; asks one that runs to stop. TENON_E_NOT_FOUND, TENON_E_STATE when it
   * is finished. `job` is how it is now.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; `job` is the caller's, may be NULL
   */
  tenon_code (*cancel)(const tenon_host* host, tenon_span id, tenon_job* job,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Says how far a run is; told and kept at most once a second, the newest counts. `total` 0: not
   * known. Of `text` the first 500 bytes. TENON_E_HANDLE when the run is over.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*progress)(const tenon_host* host, tenon_handle run, int64_t done, int64_t total,
                         tenon_span text) TENON_NOEXCEPT;

  /**
   * 1 when the handler should return soon: somebody cancelled the job, or the plugin is to stop,
   * after which the job runs again where the handler returns TENON_JOBS_RETRY. Else 0.
   * TENON_E_HANDLE when the run is over.
   * [thread] any [state] active, quiescing [memory] –
   */
  tenon_code (*is_cancelled)(const tenon_host* host, tenon_handle run) TENON_NOEXCEPT;
} tenon_jobs;

TENON_EXTERN_C_END

#endif
