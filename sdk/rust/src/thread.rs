//! Threads of a plugin, which end before the plugin does.

use crate::error::{Error, Result};
use crate::ffi;
use crate::host::Host;
use crate::instance::{Instance, Plugin};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Reports to a thread that it should end.
#[derive(Clone, Default)]
pub struct Stop {
    state: Arc<(Mutex<bool>, Condvar)>,
}

impl Stop {
    /// Returns true if the thread should end.
    pub fn is_set(&self) -> bool {
        *self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `time`, or until the thread should end. Returns true in the second case:
    /// `while !stop.wait(Duration::from_secs(60)) { … }`.
    pub fn wait(&self, time: Duration) -> bool {
        // A longer wait has no practical end, and Instant cannot hold it.
        let end = Instant::now() + time.min(Duration::from_secs(1 << 32));
        let mut is_set = self.state.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if *is_set || left.is_zero() {
                return *is_set;
            }
            is_set = self
                .state
                .1
                .wait_timeout(is_set, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn set(&self) {
        *self.state.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.state.1.notify_all();
    }
}

type Work<P> = Box<dyn FnOnce(&P, &Host, &Stop) + Send>;

/// The threads of an instance.
pub(crate) struct Threads<P> {
    stop: Stop,
    planned: Mutex<Vec<(String, Work<P>)>>,
    running: Mutex<Vec<JoinHandle<()>>>,
}

impl<P> Default for Threads<P> {
    fn default() -> Self {
        Self {
            stop: Stop::default(),
            planned: Mutex::default(),
            running: Mutex::default(),
        }
    }
}

impl<P> Threads<P> {
    pub(crate) fn plan(&self, name: &str, work: Work<P>) {
        self.planned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((name.into(), work));
    }

    /// Asks all threads to end and waits for them.
    pub(crate) fn stop(&self) {
        self.stop.set();
        let running =
            std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in running {
            let _ = thread.join();
        }
    }
}

impl<P: Plugin> Threads<P> {
    pub(crate) fn start(instance: &Arc<Instance<P>>) -> Result<()> {
        let threads = &instance.threads;
        let planned = std::mem::take(
            &mut *threads
                .planned
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        for (name, work) in planned {
            let shared = Arc::clone(instance);
            let run = move || {
                ffi::own_this_thread();
                let end = ffi::guard(|| {
                    if let Ok(plugin) = shared.plugin() {
                        work(plugin, &shared.host, &shared.threads.stop);
                    }
                });
                if let Err(message) = end {
                    shared.panicked("a thread panicked", &message, 0);
                }
            };
            let thread = std::thread::Builder::new()
                .name(name.clone())
                .spawn(run)
                .map_err(|error| {
                    Error::new(
                        500,
                        "plugin.no_thread",
                        format!("Thread \"{}\" did not start: {}.", name, error),
                    )
                })?;
            threads
                .running
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(thread);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_without_end() {
        let stop = Stop::default();
        stop.set();
        assert!(stop.wait(Duration::MAX));
    }
}
