//! The log of the host.

use crate::ffi;
use crate::host::{function, Host};
use crate::sys;

/// Writes log lines, each labelled with the plugin. Never blocks and never fails: if the plugin
/// logs too fast, the host drops lines and counts them.
#[derive(Clone, Copy)]
pub struct Log<'a> {
    host: &'a Host,
    request: sys::tenon_handle,
}

impl<'a> Log<'a> {
    pub(crate) fn new(host: &'a Host, request: sys::tenon_handle) -> Self {
        Self { host, request }
    }

    /// Writes a line of the level debug: `log.debug("imported", &[("file", &name)])`.
    pub fn debug(&self, message: &str, fields: &[(&str, &str)]) {
        self.write(sys::TENON_LOG_DEBUG, message, fields);
    }

    /// Writes a line of the level info.
    pub fn info(&self, message: &str, fields: &[(&str, &str)]) {
        self.write(sys::TENON_LOG_INFO, message, fields);
    }

    /// Writes a line of the level warning.
    pub fn warning(&self, message: &str, fields: &[(&str, &str)]) {
        self.write(sys::TENON_LOG_WARNING, message, fields);
    }

    /// Writes a line of the level error.
    pub fn error(&self, message: &str, fields: &[(&str, &str)]) {
        self.write(sys::TENON_LOG_ERROR, message, fields);
    }

    fn write(&self, level: u32, message: &str, fields: &[(&str, &str)]) {
        let write = match function!(self.host, tenon_log, write) {
            Ok(write) => write,
            Err(_) => return,
        };
        let fields: Vec<sys::tenon_log_field> = fields
            .iter()
            .map(|(name, value)| sys::tenon_log_field {
                name: ffi::span(name),
                value: ffi::span(value),
            })
            .collect();
        unsafe {
            write(
                self.host.raw(),
                level,
                ffi::span(message),
                fields.as_ptr(),
                fields.len() as u32,
                self.request,
            );
        }
    }
}
