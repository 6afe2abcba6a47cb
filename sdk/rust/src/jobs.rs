//! Background jobs.

use crate::db::Db;
use crate::error::{Error, Result};
use crate::ffi;
use crate::host::{call, function, Host};
use crate::instance::{Instance, Plugin};
use crate::json::Value;
use crate::sys;
use std::os::raw::c_void;
use std::sync::Arc;
use std::time::Duration;

/// Options of a job.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobOptions<'a> {
    /// A waiting job with this key prevents a second one; empty: none.
    pub key: &'a str,
    /// Milliseconds since 1970; 0: now.
    pub run_at_ms: i64,
    /// At most 100; 0: 10.
    pub max_attempts: u32,
    /// Before the second attempt, then doubled; zero: 10 s.
    pub backoff: Duration,
    /// Zero: 1 h, or `backoff` if that is longer.
    pub max_backoff: Duration,
}

/// The result of [`Host::enqueue`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobReceipt {
    /// The id of the job.
    pub id: String,
    /// False: a job with the same key is already waiting; `id` is its id.
    pub is_new: bool,
}

/// The times at which jobs are created.
#[derive(Clone, Copy, Debug, Default)]
pub struct Schedule<'a> {
    /// 1…64 of [a-z0-9_.-], unique in the plugin.
    pub name: &'a str,
    /// Minute hour day month weekday, "30 2 * * *".
    pub cron: &'a str,
    /// IANA name, "Europe/Berlin"; empty: UTC.
    pub time_zone: &'a str,
    /// The kind of the jobs.
    pub kind: &'a str,
    /// One JSON text; empty: null.
    pub payload: &'a str,
    /// Skip a run that was missed while the plugin was not active.
    pub skip_missed: bool,
}

impl Schedule<'_> {
    pub(crate) fn raw(&self) -> sys::tenon_jobs_schedule {
        sys::tenon_jobs_schedule {
            size: ffi::size_of::<sys::tenon_jobs_schedule>(),
            flags: if self.skip_missed {
                sys::TENON_JOBS_SKIP_MISSED
            } else {
                0
            },
            name: ffi::span(self.name),
            cron: ffi::span(self.cron),
            time_zone: ffi::span(self.time_zone),
            kind: ffi::span(self.kind),
            payload: ffi::span(self.payload),
        }
    }
}

impl Host {
    /// Enqueues a job with a payload of one JSON text of at most 256 KiB (empty: null). The job is
    /// on disk when the function returns. Blocks.
    pub fn enqueue(
        &self,
        kind: &str,
        payload: &str,
        options: &JobOptions<'_>,
    ) -> Result<JobReceipt> {
        let raw = sys::tenon_job_request {
            size: ffi::size_of::<sys::tenon_job_request>(),
            max_attempts: options.max_attempts,
            kind: ffi::span(kind),
            payload: ffi::span(payload),
            key: ffi::span(options.key),
            run_at_ms: options.run_at_ms,
            backoff_ms: milliseconds(options.backoff),
            max_backoff_ms: milliseconds(options.max_backoff),
        };
        let mut receipt: sys::tenon_job_receipt = ffi::zeroed();
        receipt.size = ffi::size_of::<sys::tenon_job_receipt>();
        call!(self, tenon_jobs, enqueue, &raw, &mut receipt)?;
        Ok(JobReceipt {
            id: ffi::text_of(&receipt.id),
            is_new: receipt.is_new != 0,
        })
    }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// One attempt to run a job, borrowed until its handler returns.
pub struct JobRun<'a> {
    host: &'a Host,
    raw: &'a sys::tenon_job_run,
}

impl<'a> JobRun<'a> {
    /// Returns the host.
    pub fn host(&self) -> &'a Host {
        self.host
    }

    /// Returns the database of the plugin.
    pub fn db(&self) -> Db<'a> {
        self.host.db()
    }

    /// Returns the id of the job.
    pub fn id(&self) -> &'a str {
        unsafe { ffi::text(self.raw.id) }
    }

    /// Returns the payload.
    pub fn payload(&self) -> Result<Value> {
        Value::parse(unsafe { ffi::text(self.raw.payload) })
    }

    /// Returns the name of the schedule that created the job; may be empty.
    pub fn schedule(&self) -> &'a str {
        unsafe { ffi::text(self.raw.schedule) }
    }

    /// Returns the number of this attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.raw.attempt
    }

    /// Reports the progress; `total` 0: unknown. Frequent calls are cheap.
    pub fn progress(&self, done: i64, total: i64, text: &str) -> Result<()> {
        let progress = function!(self.host, tenon_jobs, progress)?;
        match unsafe {
            progress(
                self.host.raw(),
                self.raw.handle,
                done,
                total,
                ffi::span(text),
            )
        } {
            code if code < 0 => Err(Error::from_code(code, "Reporting the progress of a job")),
            _ => Ok(()),
        }
    }

    /// Returns an error that ends the handler if the job was cancelled or the plugin is about to
    /// stop: `run.check()?`. When the plugin stops, the job runs again after the next start.
    pub fn check(&self) -> Result<()> {
        let is_cancelled = function!(self.host, tenon_jobs, is_cancelled)?;
        match unsafe { is_cancelled(self.host.raw(), self.raw.handle) } {
            0 => Ok(()),
            _ => Err(Error::new(
                503,
                "jobs.stopped",
                "The job was asked to stop.",
            )),
        }
    }
}

pub(crate) type Handler<P> = Box<dyn Fn(&P, &JobRun<'_>) -> Result<()> + Send + Sync>;

struct Registered<P> {
    instance: Arc<Instance<P>>,
    handler: Handler<P>,
}

pub(crate) fn register<P: Plugin>(
    instance: &Arc<Instance<P>>,
    kind: &str,
    handler: Handler<P>,
) -> Result<()> {
    // Checked first, because the host drops the handler after a call only.
    function!(&instance.host, tenon_jobs, set_handler)?;
    let registered = Box::new(Registered {
        instance: Arc::clone(instance),
        handler,
    });
    let raw = sys::tenon_jobs_handler {
        fn_: Some(run::<P>),
        ctx: Box::into_raw(registered).cast(),
        drop: Some(ffi::drop_box::<Registered<P>>),
    };
    call!(
        &instance.host,
        tenon_jobs,
        set_handler,
        ffi::span(kind),
        &raw
    )
    .map(drop)
}

unsafe extern "C" fn run<P: Plugin>(
    ctx: *mut c_void,
    raw: *const sys::tenon_job_run,
    error: *mut sys::tenon_error,
) -> sys::tenon_code {
    let job = &*ctx.cast::<Registered<P>>();
    let attempt = || {
        let run = JobRun {
            host: &job.instance.host,
            raw: &*raw,
        };
        (job.handler)(job.instance.plugin()?, &run)
    };
    let result = match ffi::guard(attempt) {
        Ok(result) => result,
        Err(message) => Err(job.instance.panicked("a job panicked", &message, 0)),
    };
    match result {
        Ok(()) => sys::TENON_JOBS_DONE as i32,
        Err(failure) if failure.is_final => failure.describe(error, sys::TENON_JOBS_FAIL as i32),
        Err(failure) => failure.describe(error, sys::TENON_JOBS_RETRY as i32),
    }
}
