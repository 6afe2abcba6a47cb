//! Write plugins for Tenon in Rust. The guide is docs/rust.md of Tenon.
//!
//! A plugin is a type that implements [`Plugin`]. [`plugin!`] makes it the plugin of the library.
//! `tenon_add_plugin(<id> RUST Cargo.toml)` of the SDK builds it.
//!
//! A [`Host`] is borrowed for the duration of a call, so a plugin cannot use it too late. No panic
//! leaves the library: a panic in a handler is logged, and the client gets 500.
#![warn(missing_docs)]

#[cfg(not(panic = "unwind"))]
compile_error!(
    "A panic would end the server: remove panic = \"abort\" from the profile in Cargo.toml."
);

mod db;
mod error;
mod events;
mod ffi;
mod host;
mod id;
mod identity;
mod instance;
mod jobs;
pub mod json;
mod log;
mod query;
mod request;
mod response;
mod route;
mod setup;
pub mod sys;
mod thread;

pub use db::{Cell, Column, Db, Engine, Exec, Row, Transaction};
pub use error::{Error, FieldError, Result};
pub use events::{Event, To};
pub use host::Host;
pub use id::new_id;
pub use identity::User;
pub use instance::Plugin;
pub use jobs::{JobOptions, JobReceipt, JobRun, Schedule};
pub use log::Log;
pub use request::Request;
pub use response::Response;
pub use route::{Access, Body, Method, Route};
pub use setup::Setup;
pub use thread::Stop;

#[doc(hidden)]
pub mod private {
    //! For [`plugin!`](crate::plugin) only.
    pub use crate::instance::create;
}

/// Makes a type the plugin of this library: `tenon::plugin!(Tasks);`. Use it once.
#[macro_export]
macro_rules! plugin {
    ($type:ty) => {
        /// Called by the entry of the library (sdk/cmake/rust_plugin.c).
        #[doc(hidden)]
        #[no_mangle]
        pub unsafe extern "C" fn tenon_rust_create(
            host: *const $crate::sys::tenon_host,
            plugin: *mut *mut $crate::sys::tenon_plugin,
            error: *mut $crate::sys::tenon_error,
        ) -> i32 {
            $crate::private::create::<$type>(host, plugin, error)
        }
    };
}

/// Makes the parameters of a statement: `params![id, "title", None::<i64>]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Cell::from($value)),*] };
}
