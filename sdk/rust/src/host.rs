//! The host and its interfaces.

use crate::db::Db;
use crate::error::{Error, Result};
use crate::ffi;
use crate::json::Value;
use crate::log::Log;
use crate::sys;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function table of the host.
pub(crate) trait Interface {
    const ID: &'static [u8];
    const INDEX: usize;
}

macro_rules! interfaces {
    ($($index:literal $table:ident $id:ident),*) => {
        $(impl Interface for sys::$table {
            const ID: &'static [u8] = sys::$id;
            const INDEX: usize = $index;
        })*
    };
}
interfaces!(
    0 tenon_log TENON_LOG_ID,
    1 tenon_http TENON_HTTP_ID,
    2 tenon_db TENON_DB_ID,
    3 tenon_settings TENON_SETTINGS_ID,
    4 tenon_identity TENON_IDENTITY_ID,
    5 tenon_jobs TENON_JOBS_ID,
    6 tenon_events TENON_EVENTS_ID
);
const INTERFACE_COUNT: usize = 7;

/// The end of the first function of every table.
const MIN_TABLE_BYTES: u32 = 16;

/// The host, as one plugin sees it. Each function of the plugin borrows it. Its functions may be
/// called from any thread. An interface is requested at its first use, so a plugin runs on a host
/// that lacks interfaces the plugin does not call.
pub struct Host {
    raw: *const sys::tenon_host,
    tables: [AtomicPtr<c_void>; INTERFACE_COUNT],
}

// The ABI allows calls from any thread.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

/// Returns a function of the host, or the error that this host does not have it.
macro_rules! function {
    ($host:expr, $table:ident, $slot:ident) => {{
        let host: &$crate::host::Host = $host;
        let table = host.table::<$crate::sys::$table>();
        // The table may end before the slot, if the host is older than the SDK.
        let has_slot = !table.is_null()
            && unsafe {
                let at = std::ptr::addr_of!((*table).$slot) as usize - table as usize;
                at + std::mem::size_of::<usize>() <= (*table).size as usize
            };
        let function = if has_slot {
            unsafe { (*table).$slot }
        } else {
            None
        };
        function.ok_or_else(|| {
            $crate::Error::unsupported(concat!(stringify!($table), ".", stringify!($slot)))
        })
    }};
}

/// Calls a function of the host whose last argument is the error.
macro_rules! call {
    ($host:expr, $table:ident, $slot:ident $(, $argument:expr)*) => {{
        let host: &$crate::host::Host = $host;
        match $crate::host::function!(host, $table, $slot) {
            Err(error) => Err(error),
            Ok(function) => {
                let mut error = $crate::ffi::empty_error();
                let code = unsafe { function(host.raw() $(, $argument)*, &mut error) };
                if code < 0 { Err($crate::Error::from_host(code, &error)) } else { Ok(code) }
            }
        }
    }};
}
pub(crate) use {call, function};

impl Host {
    /// `raw` must be valid as long as the result is used.
    pub(crate) unsafe fn new(raw: *const sys::tenon_host) -> Self {
        Self {
            raw,
            tables: Default::default(),
        }
    }

    /// Returns the raw host, for functions that this crate does not wrap. It is valid until the
    /// plugin is dropped.
    pub fn raw(&self) -> *const sys::tenon_host {
        self.raw
    }

    pub(crate) fn table<T: Interface>(&self) -> *const T {
        let known = self.tables[T::INDEX].load(Ordering::Acquire);
        if !known.is_null() {
            return known as *const T;
        }
        let id = ffi::span_of(&T::ID[..T::ID.len() - 1]);
        let table = unsafe {
            match (*self.raw).get_interface {
                Some(get) => get(self.raw, id, MIN_TABLE_BYTES),
                None => std::ptr::null(),
            }
        };
        self.tables[T::INDEX].store(table as *mut c_void, Ordering::Release);
        table.cast()
    }

    /// Returns the database of the plugin. Usable from `start` on.
    pub fn db(&self) -> Db<'_> {
        Db::new(self, 0)
    }

    /// Returns the log, in which each line names the plugin.
    pub fn log(&self) -> Log<'_> {
        Log::new(self, 0)
    }

    /// Returns the value of a setting, or its default in plugin.json, or None.
    pub fn setting(&self, key: &str) -> Result<Option<Value>> {
        let get = function!(self, tenon_settings, get)?;
        let mut buffer = vec![0u8; 256];
        loop {
            let mut length = 0u64;
            let capacity = buffer.len() as u64;
            let data = buffer.as_mut_ptr().cast();
            let code = unsafe { get(self.raw, ffi::span(key), data, capacity, &mut length) };
            match code {
                sys::TENON_E_NOT_FOUND => return Ok(None),
                // The value may have grown since the last call.
                sys::TENON_E_TOO_LARGE if length > capacity => buffer.resize(length as usize, 0),
                code if code < 0 => {
                    return Err(Error::from_code(
                        code,
                        &format!("Reading the setting \"{}\"", key),
                    ))
                }
                _ => {
                    let text = String::from_utf8_lossy(&buffer[..length as usize]);
                    return Value::parse(&text).map(Some);
                }
            }
        }
    }

    /// Returns the semantic version of the host.
    pub fn version(&self) -> &str {
        unsafe { ffi::text((*self.raw).version) }
    }

    /// Returns the id of the plugin.
    pub fn plugin_id(&self) -> &str {
        unsafe { ffi::text((*self.raw).plugin_id) }
    }

    /// Returns the number of this activation of the plugin; it increases.
    pub fn generation(&self) -> u64 {
        unsafe { (*self.raw).generation }
    }
}
