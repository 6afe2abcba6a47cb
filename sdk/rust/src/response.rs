//! Responses.

use crate::error::Error;
use crate::ffi;
use crate::host::{function, Host};
use crate::sys;

/// A response. `Ok(Response::json(text).status(201))`.
#[derive(Clone, Debug)]
pub struct Response {
    status: u16,
    content_type: &'static str,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    fn new(status: u16, content_type: &'static str, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type,
            fields: Vec::new(),
            body,
        }
    }

    /// A response 200 with JSON: a text of [`Db::json_rows`](crate::Db::json_rows), or a
    /// [`json::Value`](crate::json::Value).
    pub fn json(value: impl ToString) -> Self {
        Self::new(200, "application/json", value.to_string().into_bytes())
    }

    /// A response 200 with plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(200, "text/plain; charset=utf-8", text.into().into_bytes())
    }

    /// A response 200 with bytes.
    pub fn bytes(content_type: &'static str, bytes: Vec<u8>) -> Self {
        Self::new(200, content_type, bytes)
    }

    /// A response 204 without a body.
    pub fn empty() -> Self {
        Self::new(204, "", Vec::new())
    }

    /// A response 303 that sends the browser to an address.
    pub fn redirect(address: &str) -> Self {
        Self::new(303, "", Vec::new()).header("Location", address)
    }

    /// Sets the status, 200…599.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }
}

type Sent = Result<sys::tenon_code, sys::tenon_code>;

fn checked(code: sys::tenon_code) -> Sent {
    if code < 0 {
        Err(code)
    } else {
        Ok(code)
    }
}

pub(crate) fn send(host: &Host, request: sys::tenon_handle, response: &Response) -> Sent {
    let fields: Vec<sys::tenon_http_field> = response
        .fields
        .iter()
        .map(|(name, value)| sys::tenon_http_field {
            name: ffi::span(name),
            value: ffi::span(value),
        })
        .collect();
    let raw = sys::tenon_http_response {
        size: ffi::size_of::<sys::tenon_http_response>(),
        status: response.status.into(),
        content_type: ffi::span(response.content_type),
        fields: fields.as_ptr(),
        field_count: fields.len() as u32,
        reserved: 0,
        body: ffi::span_of(&response.body),
    };
    let respond = function!(host, tenon_http, respond).map_err(|_| sys::TENON_E_UNSUPPORTED)?;
    checked(unsafe { respond(host.raw(), request, &raw) })
}

pub(crate) fn send_problem(host: &Host, request: sys::tenon_handle, error: &Error) -> Sent {
    let errors: Vec<sys::tenon_http_field_error> = error
        .fields
        .iter()
        .map(|field| sys::tenon_http_field_error {
            field: ffi::span(&field.field),
            code: ffi::span(&field.code),
            message: ffi::span(&field.message),
        })
        .collect();
    let mut raw: sys::tenon_http_problem = ffi::zeroed();
    raw.size = ffi::size_of::<sys::tenon_http_problem>();
    raw.status = error.status.into();
    raw.code = ffi::span(&error.code);
    raw.message = ffi::span(&error.message);
    raw.errors = errors.as_ptr();
    raw.error_count = errors.len() as u32;
    let respond =
        function!(host, tenon_http, respond_problem).map_err(|_| sys::TENON_E_UNSUPPORTED)?;
    checked(unsafe { respond(host.raw(), request, &raw) })
}
