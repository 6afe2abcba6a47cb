//! Conversions between Rust and C types, and the boundary that no panic crosses.

use crate::sys;
use std::cell::Cell;
use std::os::raw::{c_char, c_void};
#[allow(deprecated)] // Its name since Rust 1.81 is PanicHookInfo.
use std::panic::PanicInfo;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

pub(crate) fn span(text: &str) -> sys::tenon_span {
    span_of(text.as_bytes())
}

pub(crate) fn span_of(bytes: &[u8]) -> sys::tenon_span {
    sys::tenon_span {
        data: bytes.as_ptr().cast(),
        size: bytes.len() as u64,
    }
}

/// The bytes of a span. The caller chooses a lifetime that ends with the borrowed memory.
pub(crate) unsafe fn bytes<'a>(span: sys::tenon_span) -> &'a [u8] {
    if span.data.is_null() {
        return &[];
    }
    std::slice::from_raw_parts(span.data.cast(), span.size as usize)
}

/// The text of a span, empty if it is not UTF-8, which the host never sends.
pub(crate) unsafe fn text<'a>(span: sys::tenon_span) -> &'a str {
    std::str::from_utf8(bytes(span)).unwrap_or("")
}

pub(crate) unsafe fn slice<'a, T>(data: *const T, count: u32) -> &'a [T] {
    if data.is_null() {
        return &[];
    }
    std::slice::from_raw_parts(data, count as usize)
}

/// A struct of the ABI with only zeros.
pub(crate) fn zeroed<T: Copy>() -> T {
    // Sound: the structs of the ABI consist of integers, pointers and optional functions.
    unsafe { std::mem::zeroed() }
}

pub(crate) fn size_of<T>() -> u32 {
    std::mem::size_of::<T>() as u32
}

pub(crate) fn empty_error() -> sys::tenon_error {
    let mut error: sys::tenon_error = zeroed();
    error.size = size_of::<sys::tenon_error>();
    error
}

/// The text before the first zero.
pub(crate) fn text_of(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer
        .iter()
        .take_while(|c| **c != 0)
        .map(|c| *c as u8)
        .collect();
    String::from_utf8_lossy(&bytes)
        .trim_end_matches('\u{fffd}')
        .to_string()
}

/// Copies a text with a final zero, truncated at a character.
pub(crate) fn copy_text(buffer: &mut [c_char], text: &str) {
    let mut size = text.len().min(buffer.len() - 1);
    while !text.is_char_boundary(size) {
        size -= 1;
    }
    for (to, from) in buffer.iter_mut().zip(&text.as_bytes()[..size]) {
        *to = *from as c_char;
    }
    buffer[size] = 0;
}

thread_local! {
    // Types without a destructor: one would keep the library mapped (see sdk/cmake/rust_plugin.c).
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
    static PANIC: Cell<*mut String> = const { Cell::new(std::ptr::null_mut()) };
}

/// Returns 1 while the host is calling the plugin on this thread, so that it is one of the host's.
#[doc(hidden)]
#[no_mangle]
pub extern "C" fn tenon_rust_is_host_thread() -> i32 {
    i32::from(CALLS.with(Cell::get) > 0 && !IS_OWN.with(Cell::get))
}

/// Marks this thread as one that the plugin started, and that ends before the library is unloaded.
pub(crate) fn own_this_thread() {
    IS_OWN.with(|is_own| is_own.set(true));
}

/// Runs a call of the host. Returns the message of a panic, which ends here.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    CALLS.with(|calls| calls.set(calls.get() + 1));
    HOOK.call_once(set_hook);
    let result = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        // The value of a panic may panic when it is dropped. That second value is not dropped.
        if let Err(second) = panic::catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        take_message()
    });
    CALLS.with(|calls| calls.set(calls.get() - 1));
    result
}

/// The panics of this library only: it has a standard library of its own.
fn set_hook() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if CALLS.with(Cell::get) == 0 {
            return before(info);
        }
        drop_message();
        PANIC.with(|kept| kept.set(Box::into_raw(Box::new(describe(info)))));
    }));
}

#[allow(deprecated)]
fn describe(info: &PanicInfo<'_>) -> String {
    let payload = info.payload();
    let message = match (
        payload.downcast_ref::<&str>(),
        payload.downcast_ref::<String>(),
    ) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "a value that is no text",
    };
    match info.location() {
        Some(at) => format!("{} at {}:{}:{}", message, at.file(), at.line(), at.column()),
        None => message.to_string(),
    }
}

fn drop_message() {
    let before = PANIC.with(|kept| kept.replace(std::ptr::null_mut()));
    if !before.is_null() {
        drop(unsafe { Box::from_raw(before) });
    }
}

fn take_message() -> String {
    let message = PANIC.with(|kept| kept.replace(std::ptr::null_mut()));
    if message.is_null() {
        return "a panic without a message".into();
    }
    *unsafe { Box::from_raw(message) }
}

/// The `drop` of a callback whose context is a box.
pub(crate) unsafe extern "C" fn drop_box<T>(ctx: *mut c_void) {
    // A panic in the destructor of a handler is lost: the plugin may be gone.
    let _ = guard(|| drop(Box::from_raw(ctx.cast::<T>())));
}

/// A text sink of the ABI that collects the text.
pub(crate) struct Sink(pub Option<String>);

impl Sink {
    pub(crate) fn raw(&mut self) -> sys::tenon_text_sink {
        unsafe extern "C" fn receive(ctx: *mut c_void, given: sys::tenon_span) {
            let sink = &mut *ctx.cast::<Sink>();
            let _ = guard(|| sink.0 = Some(String::from_utf8_lossy(bytes(given)).into_owned()));
        }
        sys::tenon_text_sink {
            fn_: Some(receive),
            ctx: (self as *mut Self).cast(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_message_of_a_panic() {
        let message = guard(|| panic!("no {}", "luck")).unwrap_err();
        assert!(message.starts_with("no luck at "), "{}", message);
        assert!(message.contains("ffi.rs:"), "{}", message);
        assert_eq!(guard(|| 3), Ok(3));
        assert_eq!(tenon_rust_is_host_thread(), 0);
    }

    #[test]
    fn truncates_text_at_a_character() {
        let mut buffer = [1; 4];
        copy_text(&mut buffer, "aé€");
        assert_eq!(text_of(&buffer), "aé");
    }
}
