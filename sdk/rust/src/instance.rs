//! One activation of a plugin, and the functions that the host calls. No panic leaves them.

use crate::error::{Error, Result};
use crate::ffi;
use crate::host::Host;
use crate::setup::Setup;
use crate::sys;
use crate::thread::Threads;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// A plugin. Its life cycle:
///
/// 1. `create`: register routes, jobs and threads. The database is not migrated yet.
/// 2. `start`: the tables exist. Load data. Threads begin after it.
/// 3. `health`: once before requests arrive, then periodically, concurrently with requests.
/// 4. Active: handlers run on any thread of the host, several concurrently.
/// 5. `quiesce`: no new calls arrive, calls in progress finish.
/// 6. `stop`: all calls have returned and the threads of [`Setup::thread`] have ended. End all
///    other threads here.
/// 7. The plugin is dropped, then the library is unloaded.
///
/// An error in 1 to 3 keeps the plugin from becoming active; the admin sees it as the reason.
pub trait Plugin: Sized + Send + Sync + 'static {
    /// Creates the plugin and registers what it offers.
    fn create(setup: &Setup<Self>) -> Result<Self>;

    /// Starts the plugin.
    fn start(&self, _host: &Host) -> Result<()> {
        Ok(())
    }

    /// Checks whether the plugin can work. It must change nothing and return within 5 s. While the
    /// plugin is active, an error is only shown to the admin.
    fn health(&self, _host: &Host) -> Result<()> {
        Ok(())
    }

    /// Prepares for stop. `deadline` is how long the host waits.
    fn quiesce(&self, _host: &Host, _deadline: Duration) {}

    /// Stops the plugin.
    fn stop(&self, _host: &Host) {}
}

/// One activation. Each registered handler shares it.
pub(crate) struct Instance<P> {
    raw: UnsafeCell<sys::tenon_plugin>,
    pub(crate) host: Host,
    plugin: AtomicPtr<P>,
    pub(crate) threads: Threads<P>,
}

// `raw` is written only before the host gets it.
unsafe impl<P: Send + Sync> Send for Instance<P> {}
unsafe impl<P: Send + Sync> Sync for Instance<P> {}

impl<P: Plugin> Instance<P> {
    /// The plugin, which exists from the end of `create` until `destroy`.
    pub(crate) fn plugin(&self) -> Result<&P> {
        let plugin = self.plugin.load(Ordering::Acquire);
        unsafe { plugin.as_ref() }.ok_or_else(|| {
            Error::new(
                500,
                "plugin.wrong_state",
                "The host called the plugin while it was not active.",
            )
        })
    }

    /// Logs a panic and returns its error.
    pub(crate) fn panicked(&self, what: &str, message: &str, request: sys::tenon_handle) -> Error {
        crate::log::Log::new(&self.host, request).error(what, &[("error", message)]);
        Error::new(500, "plugin.panicked", message)
    }

    fn step(&self, what: &str, work: impl FnOnce(&P, &Host) -> Result<()>) -> Result<()> {
        match ffi::guard(|| work(self.plugin()?, &self.host)) {
            Ok(result) => result,
            Err(message) => Err(self.panicked(what, &message, 0)),
        }
    }
}

impl<P> Drop for Instance<P> {
    fn drop(&mut self) {
        debug_assert!(self.plugin.get_mut().is_null());
    }
}

/// Creates an instance for the host.
///
/// # Safety
/// Only for the entry of the library: the pointers are those of `tenon_plugin_entry.create`.
pub unsafe fn create<P: Plugin>(
    host: *const sys::tenon_host,
    out: *mut *mut sys::tenon_plugin,
    error: *mut sys::tenon_error,
) -> i32 {
    if host.is_null() || out.is_null() || (*host).size < ffi::size_of::<sys::tenon_host>() {
        let message = "The host struct is too small for this plugin.";
        return Error::new(500, "plugin.bad_host", message).describe(error, sys::TENON_E_INVALID);
    }
    if u32::from((*host).abi_major) != sys::TENON_ABI_MAJOR {
        let message = "The host has another major ABI version. Build the plugin for this host.";
        return Error::new(500, "plugin.abi", message).describe(error, sys::TENON_E_UNSUPPORTED);
    }
    let mut instance = Instance::<P> {
        raw: UnsafeCell::new(ffi::zeroed()),
        host: Host::new(host),
        plugin: AtomicPtr::new(std::ptr::null_mut()),
        threads: Threads::default(),
    };
    let raw = instance.raw.get_mut();
    raw.size = ffi::size_of::<sys::tenon_plugin>();
    raw.start = Some(start::<P>);
    raw.quiesce = Some(quiesce::<P>);
    raw.stop = Some(stop::<P>);
    raw.destroy = Some(destroy::<P>);
    raw.health = Some(health::<P>);
    let instance = Arc::new(instance);
    let made = match ffi::guard(|| P::create(&Setup::new(&instance)).map(Box::new)) {
        Ok(made) => made,
        Err(message) => Err(instance.panicked("create panicked", &message, 0)),
    };
    match made {
        Ok(plugin) => {
            instance
                .plugin
                .store(Box::into_raw(plugin), Ordering::Release);
            let raw = instance.raw.get();
            (*raw).impl_ = Arc::into_raw(instance) as *mut _;
            *out = raw;
            sys::TENON_OK as i32
        }
        Err(failure) => failure.describe(error, code_of(&failure)),
    }
}

fn code_of(failure: &Error) -> i32 {
    if failure.cause < 0 {
        failure.cause
    } else {
        sys::TENON_E_INTERNAL
    }
}

unsafe fn instance_of<'a, P>(plugin: *mut sys::tenon_plugin) -> &'a Instance<P> {
    &*(*plugin).impl_.cast::<Instance<P>>()
}

unsafe fn report(result: Result<()>, error: *mut sys::tenon_error) -> i32 {
    match result {
        Ok(()) => sys::TENON_OK as i32,
        Err(failure) => failure.describe(error, code_of(&failure)),
    }
}

unsafe extern "C" fn start<P: Plugin>(
    plugin: *mut sys::tenon_plugin,
    error: *mut sys::tenon_error,
) -> i32 {
    // The threads get an instance of their own count, which ends before destroy.
    let instance = instance_of::<P>(plugin);
    let shared = (*plugin).impl_ as *const Instance<P>;
    report(
        instance.step("start panicked", |plugin, host| {
            plugin.start(host)?;
            Arc::increment_strong_count(shared);
            Threads::start(&Arc::from_raw(shared))
        }),
        error,
    )
}

unsafe extern "C" fn health<P: Plugin>(
    plugin: *mut sys::tenon_plugin,
    error: *mut sys::tenon_error,
) -> i32 {
    report(
        instance_of::<P>(plugin).step("health panicked", |plugin, host| plugin.health(host)),
        error,
    )
}

unsafe extern "C" fn quiesce<P: Plugin>(plugin: *mut sys::tenon_plugin, deadline_ms: u32) -> i32 {
    let deadline = Duration::from_millis(deadline_ms.into());
    let step = |plugin: &P, host: &Host| {
        plugin.quiesce(host, deadline);
        Ok(())
    };
    report(
        instance_of::<P>(plugin).step("quiesce panicked", step),
        std::ptr::null_mut(),
    )
}

unsafe extern "C" fn stop<P: Plugin>(plugin: *mut sys::tenon_plugin) -> i32 {
    let instance = instance_of::<P>(plugin);
    let _ = ffi::guard(|| instance.threads.stop());
    let step = |plugin: &P, host: &Host| {
        plugin.stop(host);
        Ok(())
    };
    report(instance.step("stop panicked", step), std::ptr::null_mut())
}

unsafe extern "C" fn destroy<P: Plugin>(plugin: *mut sys::tenon_plugin) {
    let instance = Arc::from_raw((*plugin).impl_ as *const Instance<P>);
    // After a failed start the host does not call stop.
    let _ = ffi::guard(|| instance.threads.stop());
    let made = instance.plugin.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if let Err(message) = ffi::guard(|| drop(Box::from_raw(made))) {
        instance.panicked("dropping the plugin panicked", &message, 0);
    }
}
