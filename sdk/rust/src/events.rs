//! Events for browsers.

use crate::error::Result;
use crate::ffi;
use crate::host::{call, Host};
use crate::sys;

/// The recipients of an event. Only those with access to the topic get it.
#[derive(Clone, Copy, Debug)]
pub enum To<'a> {
    /// All users with access to the topic.
    All,
    /// Users, by their ids; at most 1,000.
    Users(&'a [&'a str]),
    /// The members of groups, by the ids of the groups; at most 100.
    Groups(&'a [&'a str]),
}

/// An event of a declared topic ([`Setup::topic`](crate::Setup::topic)).
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Name of the topic.
    pub topic: &'a str,
    /// One JSON text of at most 16 KiB; empty: null.
    pub data: &'a str,
    /// The recipients.
    pub to: To<'a>,
}

impl Host {
    /// Sends an event at once. [`Transaction::publish`](crate::Transaction::publish) sends it after
    /// the commit. Events are not stored. Error 503 beyond 100 events a second. Does not block.
    pub fn publish(&self, event: &Event<'_>) -> Result<()> {
        publish(self, 0, event)
    }
}

pub(crate) fn publish(
    host: &Host,
    transaction: sys::tenon_handle,
    event: &Event<'_>,
) -> Result<()> {
    let names = match event.to {
        To::All => &[],
        To::Users(names) | To::Groups(names) => names,
    };
    let spans: Vec<sys::tenon_span> = names.iter().map(|name| ffi::span(name)).collect();
    let mut raw: sys::tenon_event = ffi::zeroed();
    raw.size = ffi::size_of::<sys::tenon_event>();
    raw.topic = ffi::span(event.topic);
    raw.data = ffi::span(event.data);
    match event.to {
        To::All => raw.flags = sys::TENON_EVENTS_TO_ALL,
        To::Users(_) => {
            raw.users = spans.as_ptr();
            raw.user_count = spans.len() as u32;
        }
        To::Groups(_) => {
            raw.groups = spans.as_ptr();
            raw.group_count = spans.len() as u32;
        }
    }
    call!(host, tenon_events, publish, transaction, &raw).map(drop)
}

pub(crate) fn declare(host: &Host, name: &str, permission: Option<&str>) -> Result<()> {
    let raw = sys::tenon_events_topic {
        size: ffi::size_of::<sys::tenon_events_topic>(),
        reserved: 0,
        name: ffi::span(name),
        permission: ffi::span(permission.unwrap_or("")),
    };
    call!(host, tenon_events, declare, &raw).map(drop)
}
