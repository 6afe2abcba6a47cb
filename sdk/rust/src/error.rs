//! The error type of a plugin.

use crate::ffi;
use crate::sys;
use std::fmt;

/// The result of all functions of a plugin.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of one field of a request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Name of the field; a dotted path if nested ("owner.name").
    pub field: String,
    /// Stable code, such as "required".
    pub code: String,
    /// One sentence for the user.
    pub message: String,
}

/// An expected failure. In a request it becomes an application/problem+json response. In
/// `create`, `start` and `health` it becomes the reason why the plugin is not active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) fields: Vec<FieldError>,
    pub(crate) cause: i32,
    pub(crate) is_final: bool,
}

impl Error {
    /// Makes an error. `status` is the matching HTTP status (400…599), `code` the stable
    /// "<plugin>.<error>", `message` one sentence that states what was wrong and what to do.
    pub fn new(status: u16, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.into(),
            message: message.into(),
            fields: Vec::new(),
            cause: sys::TENON_OK as i32,
            is_final: false,
        }
    }

    /// Adds an error of one field of the request body.
    #[must_use]
    pub fn field(mut self, field: &str, code: &str, message: &str) -> Self {
        self.fields.push(FieldError {
            field: field.into(),
            code: code.into(),
            message: message.into(),
        });
        self
    }

    /// Makes a job fail with this error without further attempts.
    #[must_use]
    pub fn without_retry(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// Returns the matching HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the stable code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the code of the host (`sys::TENON_E_CONSTRAINT` …) if the host reported the
    /// failure, or 0.
    pub fn cause(&self) -> i32 {
        self.cause
    }

    pub(crate) fn from_host(cause: i32, described: &sys::tenon_error) -> Self {
        let (status, code) = name_of(cause);
        let name = ffi::text_of(&described.name);
        let message = ffi::text_of(&described.message);
        let has_status = (400..600).contains(&described.status);
        let mut error = Self::new(
            if has_status {
                described.status as u16
            } else {
                status
            },
            if name.is_empty() { code } else { &name },
            if message.is_empty() {
                "The host reported an error without a message."
            } else {
                &message
            },
        );
        error.cause = cause;
        error
    }

    /// Makes an error of a call that returns only a code. `what` names the attempted operation.
    pub(crate) fn from_code(cause: i32, what: &str) -> Self {
        let (status, code) = name_of(cause);
        let mut error = Self::new(status, code, format!("{} failed ({}).", what, code));
        error.cause = cause;
        error
    }

    pub(crate) fn unsupported(what: &str) -> Self {
        Self::new(
            501,
            "host.unsupported",
            format!("This host does not offer {}.", what),
        )
    }

    /// Fills the struct of the host and returns `code`.
    pub(crate) unsafe fn describe(&self, out: *mut sys::tenon_error, code: i32) -> i32 {
        if out.is_null() || ((*out).size as usize) < std::mem::size_of::<sys::tenon_error>() {
            return code;
        }
        (*out).code = code;
        (*out).status = self.status.into();
        ffi::copy_text(&mut (*out).name, &self.code);
        ffi::copy_text(&mut (*out).message, &self.message);
        code
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The status and the stable name of a code without a description.
fn name_of(cause: i32) -> (u16, &'static str) {
    match cause {
        sys::TENON_E_INVALID => (500, "host.invalid"),
        sys::TENON_E_HANDLE => (500, "host.stale_handle"),
        sys::TENON_E_STATE => (500, "host.wrong_state"),
        sys::TENON_E_CLOSED => (500, "host.closed"),
        sys::TENON_E_TOO_LARGE => (413, "host.too_large"),
        sys::TENON_E_BUSY => (503, "host.busy"),
        sys::TENON_E_TIMEOUT => (503, "host.timeout"),
        sys::TENON_E_DISK_FULL => (507, "host.disk_full"),
        sys::TENON_E_CONSTRAINT => (409, "host.constraint"),
        sys::TENON_E_DENIED => (403, "host.denied"),
        sys::TENON_E_NOT_FOUND => (404, "host.not_found"),
        sys::TENON_E_SQL => (500, "host.sql"),
        sys::TENON_E_MEMORY => (500, "host.memory"),
        sys::TENON_E_UNSUPPORTED => (501, "host.unsupported"),
        sys::TENON_E_UNAVAILABLE => (503, "host.unavailable"),
        _ => (500, "host.internal"),
    }
}
