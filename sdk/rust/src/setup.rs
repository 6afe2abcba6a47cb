//! What a plugin registers while it is created.

use crate::error::Result;
use crate::events;
use crate::ffi;
use crate::host::{call, Host};
use crate::instance::{Instance, Plugin};
use crate::jobs::{self, JobRun, Schedule};
use crate::request::Request;
use crate::response::Response;
use crate::route::{self, Access, Route};
use crate::sys;
use crate::thread::Stop;
use std::ops::Deref;
use std::sync::Arc;

/// Registers what the plugin offers. Each function returns an error if the host rejects it: a
/// duplicate, an unknown permission, the path of a published table. Return that error from
/// [`Plugin::create`]. A `Setup` is also a [`Host`].
pub struct Setup<'a, P> {
    instance: &'a Arc<Instance<P>>,
}

impl<P> Deref for Setup<'_, P> {
    type Target = Host;

    fn deref(&self) -> &Host {
        &self.instance.host
    }
}

impl<'a, P: Plugin> Setup<'a, P> {
    pub(crate) fn new(instance: &'a Arc<Instance<P>>) -> Self {
        Self { instance }
    }

    /// Registers a GET route, which also handles HEAD: `setup.get("/tasks/{id}",
    /// Access::SignedIn, Self::show)?`. The path is below /api/<plugin>. A final "{rest...}"
    /// matches the rest of the path. The handler runs on any thread of the host, concurrently
    /// with other calls, and may block.
    pub fn get<F>(&self, pattern: &str, access: Access<'_>, handler: F) -> Result<()>
    where
        F: Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync + 'static,
    {
        self.route(Route::get(pattern, access), handler)
    }

    /// Registers a POST route with a JSON body.
    pub fn post<F>(&self, pattern: &str, access: Access<'_>, handler: F) -> Result<()>
    where
        F: Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync + 'static,
    {
        self.route(Route::post(pattern, access), handler)
    }

    /// Registers a PUT route with a JSON body.
    pub fn put<F>(&self, pattern: &str, access: Access<'_>, handler: F) -> Result<()>
    where
        F: Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync + 'static,
    {
        self.route(Route::put(pattern, access), handler)
    }

    /// Registers a PATCH route with a JSON body.
    pub fn patch<F>(&self, pattern: &str, access: Access<'_>, handler: F) -> Result<()>
    where
        F: Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync + 'static,
    {
        self.route(Route::patch(pattern, access), handler)
    }

    /// Registers a DELETE route.
    pub fn delete<F>(&self, pattern: &str, access: Access<'_>, handler: F) -> Result<()>
    where
        F: Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync + 'static,
    {
        self.route(Route::delete(pattern, access), handler)
    }

    /// Registers a route with options: `setup.route(Route::post("/import", Access::SignedIn)
    /// .body(Body::Whole).body_limit(8 << 20), Self::import)?`.
    pub fn route<F>(&self, route: Route<'_>, handler: F) -> Result<()>
    where
        F: Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync + 'static,
    {
        route::register(self.instance, &route, Box::new(handler))
    }

    /// Registers the handler of a kind of jobs, once for each kind. Several jobs may run
    /// concurrently; the handler may block. After an error the job runs again later, unless the
    /// error is [`without_retry`](crate::Error::without_retry). A job may run twice, if the server
    /// crashed, so handlers must be idempotent.
    pub fn job<F>(&self, kind: &str, handler: F) -> Result<()>
    where
        F: Fn(&P, &JobRun<'_>) -> Result<()> + Send + Sync + 'static,
    {
        jobs::register(self.instance, kind, Box::new(handler))
    }

    /// Registers a schedule that creates jobs. Register the handler of its kind first. Schedules of
    /// an earlier start that are not registered again are deleted.
    pub fn schedule(&self, schedule: &Schedule<'_>) -> Result<()> {
        let raw = schedule.raw();
        call!(self, tenon_jobs, schedule, &raw).map(drop)
    }

    /// Declares a topic of events, once for each name. Browsers subscribe to "<plugin>.<name>".
    /// `permission` is one of plugin.json; None: all who may see the plugin.
    pub fn topic(&self, name: &str, permission: Option<&str>) -> Result<()> {
        events::declare(self, name, permission)
    }

    /// Registers a thread. It begins after `start`. It must return soon after `stop` is set, which
    /// happens before [`Plugin::stop`].
    pub fn thread<F>(&self, name: &str, work: F)
    where
        F: FnOnce(&P, &Host, &Stop) + Send + 'static,
    {
        self.instance.threads.plan(name, Box::new(work));
    }

    /// Registers a function that is called after a setting was changed, with its key.
    pub fn on_setting<F>(&self, changed: F) -> Result<()>
    where
        F: Fn(&P, &Host, &str) + Send + Sync + 'static,
    {
        settings::watch(self.instance, Box::new(changed))
    }
}

mod settings {
    use super::*;
    use crate::error::Error;
    use crate::host::function;
    use std::os::raw::c_void;

    type Changed<P> = Box<dyn Fn(&P, &Host, &str) + Send + Sync>;

    struct Watcher<P> {
        instance: Arc<Instance<P>>,
        changed: Changed<P>,
    }

    pub(super) fn watch<P: Plugin>(instance: &Arc<Instance<P>>, changed: Changed<P>) -> Result<()> {
        let host = &instance.host;
        let watch = function!(host, tenon_settings, watch)?;
        let watcher = Box::new(Watcher {
            instance: Arc::clone(instance),
            changed,
        });
        let raw = sys::tenon_settings_watcher {
            fn_: Some(notify::<P>),
            ctx: Box::into_raw(watcher).cast(),
            drop: Some(ffi::drop_box::<Watcher<P>>),
        };
        // The host drops the watcher, also on an error.
        match unsafe { watch(host.raw(), &raw) } {
            code if code < 0 => Err(Error::from_code(code, "Watching the settings")),
            _ => Ok(()),
        }
    }

    unsafe extern "C" fn notify<P: Plugin>(
        ctx: *mut c_void,
        key: sys::tenon_span,
        _json: sys::tenon_span,
    ) {
        let watcher = &*ctx.cast::<Watcher<P>>();
        let run = || {
            if let Ok(plugin) = watcher.instance.plugin() {
                (watcher.changed)(plugin, &watcher.instance.host, ffi::text(key));
            }
        };
        if let Err(message) = ffi::guard(run) {
            watcher
                .instance
                .panicked("a watcher of settings panicked", &message, 0);
        }
    }
}
