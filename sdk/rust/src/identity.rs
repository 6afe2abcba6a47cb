//! Users.

use crate::error::{Error, Result};
use crate::ffi;
use crate::sys;

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The id.
    pub id: String,
    /// The name to sign in with.
    pub login: String,
    /// The full name.
    pub name: String,
    /// Has all permissions.
    pub is_admin: bool,
}

/// Reads a user through a function of the host.
pub(crate) fn read(get: impl FnOnce(*mut sys::tenon_user) -> i32) -> Result<Option<User>> {
    let mut raw: sys::tenon_user = ffi::zeroed();
    raw.size = ffi::size_of::<sys::tenon_user>();
    match get(&mut raw) {
        sys::TENON_E_NOT_FOUND => Ok(None),
        code if code < 0 => Err(Error::from_code(code, "Reading a user")),
        _ => Ok(Some(User {
            id: ffi::text_of(&raw.id),
            login: ffi::text_of(&raw.login),
            name: ffi::text_of(&raw.name),
            is_admin: raw.flags & sys::TENON_USER_ADMIN != 0,
        })),
    }
}
