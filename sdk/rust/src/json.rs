//! JSON, for plugins without another crate for it.

use crate::error::{Error, Result};
use std::fmt::{self, Write};
use std::ops::Index;

/// Deeper JSON is rejected.
const MAX_DEPTH: u32 = 64;

/// A JSON value. `value["owner"]["name"].as_str()` is None if any part is missing. `to_string`
/// writes it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Array(Vec<Value>),
    /// The members in their order. The last of several with one name counts.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// Parses one JSON text of at most 64 levels. Error 400 "plugin.bad_json".
    pub fn parse(text: &str) -> Result<Self> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        parser.skip_space();
        if parser.at < text.len() {
            return Err(parser.unexpected());
        }
        Ok(value)
    }

    /// Makes an object: `Value::object([("id", id.into())])`.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Object(
            members
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        )
    }

    /// Returns the text, or None if the value is no text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the integer, or None.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, or None.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the boolean, or None.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the items of an array; none if it is no array.
    pub fn items(&self) -> &[Value] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }
}

impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        match self {
            Self::Object(members) => members
                .iter()
                .rev()
                .find(|(known, _)| known == name)
                .map_or(&Value::Null, |(_, value)| value),
            _ => &Value::Null,
        }
    }
}

macro_rules! values {
    ($($type:ty => |$value:ident| $made:expr),* $(,)?) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Self { $made }
        })*
    };
}
values!(
    bool => |value| Value::Boolean(value),
    i64 => |value| Value::Integer(value),
    i32 => |value| Value::Integer(value.into()),
    f64 => |value| Value::Number(value),
    &str => |value| Value::Text(value.into()),
    String => |value| Value::Text(value),
    Vec<Value> => |value| Value::Array(value),
);

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Boolean(value) => write!(out, "{}", value),
            Self::Integer(value) => write!(out, "{}", value),
            // JSON has no infinity.
            Self::Number(value) if !value.is_finite() => out.write_str("null"),
            Self::Number(value) => write!(out, "{:?}", value),
            Self::Text(text) => write_text(out, text),
            Self::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    write!(out, "{}{}", if at == 0 { '[' } else { ',' }, item)?;
                }
                out.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            Self::Object(members) => {
                for (at, (name, value)) in members.iter().enumerate() {
                    out.write_char(if at == 0 { '{' } else { ',' })?;
                    write_text(out, name)?;
                    write!(out, ":{}", value)?;
                }
                out.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{}", c)?,
            '\n' => out.write_str("\\n")?,
            c if (c as u32) < 0x20 => write!(out, "\\u{:04x}", c as u32)?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn unexpected(&self) -> Error {
        Error::new(
            400,
            "plugin.bad_json",
            format!("The JSON is invalid at byte {}.", self.at),
        )
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, expected: u8) -> bool {
        let is_there = self.peek() == Some(expected);
        self.at += usize::from(is_there);
        is_there
    }

    fn require(&mut self, expected: u8) -> Result<()> {
        self.skip_space();
        if self.take(expected) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected());
        }
        self.at += word.len();
        Ok(value)
    }

    fn value(&mut self, depth: u32) -> Result<Value> {
        self.skip_space();
        match self.peek() {
            Some(b'n') => self.word("null", Value::Null),
            Some(b't') => self.word("true", Value::Boolean(true)),
            Some(b'f') => self.word("false", Value::Boolean(false)),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'[' | b'{') if depth == MAX_DEPTH => {
                let message = format!("The JSON has more than {} levels.", MAX_DEPTH);
                Err(Error::new(400, "plugin.bad_json", message))
            }
            Some(b'[') => self.array(depth),
            Some(b'{') => self.object(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.unexpected()),
        }
    }

    fn array(&mut self, depth: u32) -> Result<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            self.require(b',')?;
        }
    }

    fn object(&mut self, depth: u32) -> Result<Value> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.require(b':')?;
            members.push((name, self.value(depth + 1)?));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            self.require(b',')?;
        }
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected());
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        let mut is_integer = true;
        if self.take(b'.') {
            is_integer = false;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            is_integer = false;
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        if is_integer {
            if let Ok(value) = text.parse() {
                return Ok(Value::Integer(value));
            }
        }
        text.parse()
            .map(Value::Number)
            .map_err(|_| self.unexpected())
    }

    fn string(&mut self) -> Result<String> {
        if !self.take(b'"') {
            return Err(self.unexpected());
        }
        let mut made = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            made.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(made);
                }
                Some(b'\\') => {
                    self.at += 1;
                    made.push(self.escape()?);
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let kind = self.peek().ok_or_else(|| self.unexpected())?;
        let plain = match kind {
            b'"' | b'\\' | b'/' => kind as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).ok_or_else(|| self.unexpected());
        }
        if !self.take(b'\\') {
            return Err(self.unexpected());
        }
        let second = self.hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(self.unexpected());
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            .ok_or_else(|| self.unexpected())
    }

    fn hex(&mut self) -> Result<u32> {
        if !self.take(b'u') {
            return Err(self.unexpected());
        }
        let mut value = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| (byte as char).to_digit(16));
            value = value * 16 + digit.ok_or_else(|| self.unexpected())?;
            self.at += 1;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let text = r#"{"a":[1,-2.5,true,null,"x\"\\\n\u0001é😀"],"b":{},"c":[]}"#;
        let value = Value::parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(Value::parse(&value.to_string()).unwrap(), value);
        assert_eq!(value["a"].items()[0].as_i64(), Some(1));
        assert_eq!(value["b"]["none"]["at all"].as_str(), None);
        assert_eq!(
            Value::parse(r#""\ud83d\ude00\u00e9""#).unwrap().as_str(),
            Some("😀é")
        );
        assert_eq!(
            Value::parse("9223372036854775808").unwrap().as_f64(),
            Some(9223372036854775808.0)
        );
    }

    #[test]
    fn limits_levels() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Value::parse(&nested(64)).is_ok());
        assert_eq!(
            Value::parse(&nested(65)).unwrap_err().code(),
            "plugin.bad_json"
        );
    }

    #[test]
    fn rejects_invalid_json() {
        let deep = "[".repeat(100_000);
        let cases = [
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "01",
            "-",
            "1.",
            "1e",
            "nul",
            "\"\n\"",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"\\u12g4\"",
            "1 2",
            "\"open",
            &deep,
        ];
        for text in cases {
            let error = Value::parse(text).unwrap_err();
            assert_eq!(
                (error.status(), error.code()),
                (400, "plugin.bad_json"),
                "{}",
                text
            );
        }
    }
}
