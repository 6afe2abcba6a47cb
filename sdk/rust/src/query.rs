//! Parameters of a query: `a=1&b=two+words`.

/// Returns the first value of a name, decoded. A wrong escape stays as it is.
pub(crate) fn find(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key) == name).then(|| decoded(value))
    })
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
    let mut made = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                made.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', _, _) => made.push(b' '),
            (byte, _, _) => made.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&made).into_owned()
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn decodes_query_parameters() {
        let query = "q=two+words%21&empty&q=later&caf%C3%A9=%zz%4";
        assert_eq!(find(query, "q").as_deref(), Some("two words!"));
        assert_eq!(find(query, "empty").as_deref(), Some(""));
        assert_eq!(find(query, "café").as_deref(), Some("%zz%4"));
        assert_eq!(find(query, "none"), None);
    }
}
