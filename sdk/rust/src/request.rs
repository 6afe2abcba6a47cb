//! Requests.

use crate::db::Db;
use crate::error::{Error, Result};
use crate::ffi;
use crate::host::{function, Host};
use crate::identity::{self, User};
use crate::json::Value;
use crate::log::Log;
use crate::query;
use crate::route::Method;
use crate::sys;

/// A request, borrowed until its handler returns.
pub struct Request<'a> {
    host: &'a Host,
    raw: &'a sys::tenon_http_request,
    names: &'a [String],
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        host: &'a Host,
        raw: &'a sys::tenon_http_request,
        names: &'a [String],
    ) -> Self {
        Self { host, raw, names }
    }

    pub(crate) fn handle(&self) -> sys::tenon_handle {
        self.raw.handle
    }

    /// Returns the host.
    pub fn host(&self) -> &'a Host {
        self.host
    }

    /// Returns the database of the plugin.
    pub fn db(&self) -> Db<'a> {
        self.host.db()
    }

    /// Returns the log; its lines name the request.
    pub fn log(&self) -> Log<'a> {
        Log::new(self.host, self.raw.handle)
    }

    /// Returns the method.
    pub fn method(&self) -> Method {
        match self.raw.method {
            sys::TENON_HTTP_POST => Method::Post,
            sys::TENON_HTTP_PUT => Method::Put,
            sys::TENON_HTTP_PATCH => Method::Patch,
            sys::TENON_HTTP_DELETE => Method::Delete,
            _ => Method::Get,
        }
    }

    /// Returns the full decoded path: "/api/tasks/tasks/17".
    pub fn path(&self) -> &'a str {
        unsafe { ffi::text(self.raw.path) }
    }

    /// Returns a parameter of the pattern: `request.param("id")` for "/tasks/{id}". Panics if the
    /// pattern does not have it.
    pub fn param(&self, name: &str) -> &'a str {
        let params = unsafe { ffi::slice(self.raw.params, self.raw.param_count) };
        match self
            .names
            .iter()
            .zip(params)
            .find(|(known, _)| *known == name)
        {
            Some((_, value)) => unsafe { ffi::text(*value) },
            None => panic!("the pattern of the route has no parameter \"{}\"", name),
        }
    }

    /// Returns the first value of a query parameter, decoded.
    pub fn query(&self, name: &str) -> Option<String> {
        query::find(unsafe { ffi::text(self.raw.query) }, name)
    }

    /// Returns a header field. `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let fields = unsafe { ffi::slice(self.raw.fields, self.raw.field_count) };
        let field = fields
            .iter()
            .find(|field| unsafe { ffi::text(field.name) } == name)?;
        Some(unsafe { ffi::text(field.value) })
    }

    /// Returns the body.
    pub fn body(&self) -> &'a [u8] {
        unsafe { ffi::bytes(self.raw.body) }
    }

    /// Returns the body as JSON. Error 400 "plugin.bad_json" if it is none.
    pub fn json(&self) -> Result<Value> {
        let text = std::str::from_utf8(self.body());
        let text =
            text.map_err(|_| Error::new(400, "plugin.bad_json", "The body is not UTF-8."))?;
        Value::parse(text)
    }

    /// Returns the id of the signed-in user, or None.
    pub fn user_id(&self) -> Option<&'a str> {
        Some(unsafe { ffi::text(self.raw.user_id) }).filter(|id| !id.is_empty())
    }

    /// Returns the signed-in user, or None.
    pub fn user(&self) -> Result<Option<User>> {
        let requester = function!(self.host, tenon_identity, requester)?;
        identity::read(|user| unsafe { requester(self.host.raw(), self.raw.handle, user) })
    }

    /// Returns true if the user has a permission of plugin.json.
    pub fn can(&self, permission: &str) -> Result<bool> {
        let can = function!(self.host, tenon_identity, can)?;
        match unsafe { can(self.host.raw(), self.raw.handle, ffi::span(permission)) } {
            sys::TENON_E_DENIED => Ok(false),
            code if code < 0 => Err(Error::from_code(
                code,
                &format!("Checking the permission \"{}\"", permission),
            )),
            _ => Ok(true),
        }
    }

    /// Returns the id of the request, as in the log and in problem documents.
    pub fn id(&self) -> &'a str {
        unsafe { ffi::text(self.raw.request_id) }
    }

    /// Returns the address of the client.
    pub fn peer(&self) -> &'a str {
        unsafe { ffi::text(self.raw.peer) }
    }
}
