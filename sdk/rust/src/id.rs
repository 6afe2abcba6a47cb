//! Ids of records.

use std::os::raw::{c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

extern "C" {
    fn getrandom(buffer: *mut c_void, length: usize, flags: c_uint) -> isize;
}

/// Returns a new sortable 128-bit id for a record: a UUIDv7 (RFC 9562, section 5.7) as 36
/// lower-case characters. The ids of one library strictly increase.
pub fn new_id() -> String {
    let mut bytes = [0u8; 16];
    // Up to 256 bytes are never partial or interrupted: getrandom(2).
    while unsafe { getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } != bytes.len() as isize {}
    let stamp = next_stamp();
    bytes[..6].copy_from_slice(&(stamp >> 12).to_be_bytes()[2..]);
    bytes[6] = 0x70 | (stamp >> 8 & 0x0f) as u8;
    bytes[7] = stamp as u8;
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{:02x}", byte));
    }
    text
}

/// 48 bits of milliseconds and 12 bits of a counter. The numbers strictly increase (RFC 9562,
/// section 6.2).
fn next_stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let now = (since.as_millis() as u64) << 12;
    let next = |last: u64| Some(now.max(last + 1));
    let last = LAST
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        .unwrap_or(0);
    now.max(last + 1)
}

#[cfg(test)]
mod tests {
    use super::new_id;

    #[test]
    fn makes_increasing_ids() {
        let ids: Vec<String> = (0..10_000).map(|_| new_id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        let parts: Vec<usize> = ids[0].split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(ids[0].as_bytes()[14], b'7');
        assert!(b"89ab".contains(&ids[0].as_bytes()[19]));
    }
}
