//! Routes and the call of their handlers.

use crate::error::{Error, Result};
use crate::ffi;
use crate::host::call;
use crate::instance::{Instance, Plugin};
use crate::log::Log;
use crate::request::Request;
use crate::response::{self, Response};
use crate::sys;
use std::os::raw::c_void;
use std::sync::Arc;

/// Defines who may call a route. The host checks the access before it calls the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<'a> {
    /// Everyone, signed in or not.
    Everyone,
    /// All signed-in users.
    SignedIn,
    /// Users with a permission of plugin.json.
    Permission(&'a str),
}

/// The method of a request. HEAD arrives as GET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

/// How a route treats a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A body is rejected.
    None,
    /// [`Request::body`].
    Whole,
    /// [`Request::json`]; the host checks the body before it calls the handler.
    Json,
}

/// A route: its method, pattern and access, and options.
#[derive(Clone, Debug)]
pub struct Route<'a> {
    method: Method,
    pattern: &'a str,
    access: Access<'a>,
    body: Body,
    body_limit: u64,
    summary: &'a str,
    operation: &'a str,
}

impl<'a> Route<'a> {
    fn new(method: Method, pattern: &'a str, access: Access<'a>, body: Body) -> Self {
        Self {
            method,
            pattern,
            access,
            body,
            body_limit: 0,
            summary: "",
            operation: "",
        }
    }

    /// A GET route, which also handles HEAD.
    pub fn get(pattern: &'a str, access: Access<'a>) -> Self {
        Self::new(Method::Get, pattern, access, Body::None)
    }

    /// A POST route with a JSON body.
    pub fn post(pattern: &'a str, access: Access<'a>) -> Self {
        Self::new(Method::Post, pattern, access, Body::Json)
    }

    /// A PUT route with a JSON body.
    pub fn put(pattern: &'a str, access: Access<'a>) -> Self {
        Self::new(Method::Put, pattern, access, Body::Json)
    }

    /// A PATCH route with a JSON body.
    pub fn patch(pattern: &'a str, access: Access<'a>) -> Self {
        Self::new(Method::Patch, pattern, access, Body::Json)
    }

    /// A DELETE route without a body.
    pub fn delete(pattern: &'a str, access: Access<'a>) -> Self {
        Self::new(Method::Delete, pattern, access, Body::None)
    }

    /// Sets how a body is treated.
    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// Sets the limit of a body in bytes. The default is 1 MiB.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets one line for the API description.
    #[must_use]
    pub fn summary(mut self, line: &'a str) -> Self {
        self.summary = line;
        self
    }

    /// Sets further API description: a JSON object with members of an OpenAPI 3.1 Operation. At
    /// most 64 KiB.
    #[must_use]
    pub fn operation(mut self, object: &'a str) -> Self {
        self.operation = object;
        self
    }
}

pub(crate) type Handler<P> = Box<dyn Fn(&P, &Request<'_>) -> Result<Response> + Send + Sync>;

struct Registered<P> {
    instance: Arc<Instance<P>>,
    names: Vec<String>,
    handler: Handler<P>,
}

pub(crate) fn register<P: Plugin>(
    instance: &Arc<Instance<P>>,
    route: &Route<'_>,
    handler: Handler<P>,
) -> Result<()> {
    let names = names_of(route.pattern);
    let registered = Box::new(Registered {
        instance: Arc::clone(instance),
        names,
        handler,
    });
    let ctx = Box::into_raw(registered);
    let mut raw: sys::tenon_http_route = ffi::zeroed();
    raw.size = ffi::size_of::<sys::tenon_http_route>();
    raw.method = match route.method {
        Method::Get => sys::TENON_HTTP_GET,
        Method::Post => sys::TENON_HTTP_POST,
        Method::Put => sys::TENON_HTTP_PUT,
        Method::Patch => sys::TENON_HTTP_PATCH,
        Method::Delete => sys::TENON_HTTP_DELETE,
    };
    raw.pattern = ffi::span(route.pattern);
    raw.body_limit = route.body_limit;
    raw.access = match route.access {
        Access::Everyone => sys::TENON_HTTP_PUBLIC,
        Access::SignedIn => sys::TENON_HTTP_SIGNED_IN,
        Access::Permission(id) => {
            raw.permission = ffi::span(id);
            sys::TENON_HTTP_PERMISSION
        }
    };
    raw.body = match route.body {
        Body::None => sys::TENON_HTTP_BODY_NONE,
        Body::Whole => sys::TENON_HTTP_BODY_WHOLE,
        Body::Json => sys::TENON_HTTP_BODY_JSON,
    };
    raw.handler = sys::tenon_http_handler {
        fn_: Some(serve::<P>),
        ctx: ctx.cast(),
        drop: Some(ffi::drop_box::<Registered<P>>),
    };
    raw.summary = ffi::span(route.summary);
    raw.operation = ffi::span(route.operation);
    let result = call!(&instance.host, tenon_http, add_route, &raw);
    if result.is_err() {
        // The host has not taken the handler.
        drop(unsafe { Box::from_raw(ctx) });
    }
    result.map(drop)
}

/// The names of a pattern's parameters, in order; "rest" for "{rest...}".
fn names_of(pattern: &str) -> Vec<String> {
    let parts = pattern.split('{').skip(1);
    parts
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name.trim_end_matches("...").into())
        .collect()
}

unsafe extern "C" fn serve<P: Plugin>(
    ctx: *mut c_void,
    raw: *const sys::tenon_http_request,
) -> sys::tenon_code {
    let route = &*ctx.cast::<Registered<P>>();
    let raw = &*raw;
    let run = || {
        let request = Request::new(&route.instance.host, raw, &route.names);
        let result = route
            .instance
            .plugin()
            .and_then(|plugin| (route.handler)(plugin, &request));
        respond(&request, result)
    };
    match ffi::guard(run) {
        Ok(code) => code,
        Err(message) => {
            // The host responds with 500.
            route
                .instance
                .panicked("a handler panicked", &message, raw.handle);
            sys::TENON_E_INTERNAL
        }
    }
}

fn respond(request: &Request<'_>, result: Result<Response>) -> sys::tenon_code {
    let host = request.host();
    let log = Log::new(host, request.handle());
    let code = match result {
        Ok(response) => response::send(host, request.handle(), &response),
        Err(error) => {
            if error.status >= 500 {
                log.error(
                    &format!("a handler failed: {}", error.code),
                    &[("error", &error.message)],
                );
            }
            response::send_problem(host, request.handle(), &public(error))
        }
    };
    match code {
        Ok(_) => sys::TENON_OK as i32,
        // The client has disconnected, or the host has ended the request: nothing is left to do.
        Err(sys::TENON_E_HANDLE | sys::TENON_E_CLOSED) => sys::TENON_OK as i32,
        Err(code) => {
            let reason =
                "the host rejected it: check the status, the header fields and the content type";
            log.error(
                "sending a response failed",
                &[("error", reason), ("code", &code.to_string())],
            );
            sys::TENON_E_INTERNAL
        }
    }
}

/// The error that a client may see. Errors 500 of the host may contain names of tables and
/// statements, which go to the log only.
fn public(error: Error) -> Error {
    if error.cause < 0 && error.status == 500 {
        return Error::new(
            500,
            "plugin.failed",
            "An error occurred on the server. Try again later.",
        );
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_names_of_a_pattern() {
        assert_eq!(names_of("/a/{id}/b/{rest...}"), ["id", "rest"]);
        assert!(names_of("/a").is_empty());
    }
}
