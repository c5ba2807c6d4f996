//! Walking a checked JSON value without copying it.
//!
//! A [`Raw`] is the bytes of one value, from its first to its last byte, that
//! [`Scanner`] has found well formed. Objects and arrays are
//! walked member by member, in the order written, duplicates included; strings
//! are decoded only when asked. Looking a key up takes the last of duplicates
//! (`docs/formats.md#forms`). Positions are byte offsets into whatever buffer the
//! value was cut from: see [`Raw::offset_in`].

use super::scan::{Progress, Scanner, SyntaxError};
use super::text::Text;
use memchr::memchr2;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// The six kinds of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// a number
    Number,
    /// a string
    String,
    /// an array
    Array,
    /// an object
    Object,
}

impl Kind {
    /// The kind with its article, for messages: `a number`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// The bytes of one well-formed JSON value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Raw<'a>(&'a [u8]);

impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.0))
    }
}

impl<'a> Raw<'a> {
    /// Checks that `bytes` are one JSON value, white space around it allowed.
    ///
    /// # Errors
    ///
    /// The first place where they are not; offsets count from `bytes`' start.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, SyntaxError> {
        let end = match Scanner::new().resume(bytes, true)? {
            Progress::Complete { end } => end,
            Progress::More => bytes.len(),
        };
        let rest = skip_space(bytes, end);
        if let Some(tail) = bytes.get(rest..).filter(|tail| !tail.is_empty()) {
            return Err(SyntaxError {
                offset: rest,
                found: super::token::describe(tail),
                expected: "the end of the input",
            });
        }
        Ok(Self::checked(&bytes[..end]))
    }

    /// Takes bytes that a [`Scanner`] has already found to be one value.
    ///
    /// On other bytes the walk gives nonsense, but never leaves them.
    pub fn checked(bytes: &'a [u8]) -> Self {
        Self(&bytes[skip_space(bytes, 0)..])
    }

    /// The value as written.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The byte offset of this value in `buffer`, of which it must be a part.
    pub fn offset_in(self, buffer: &[u8]) -> usize {
        offset_in(self.0, buffer)
    }

    /// Which of the six kinds the value is.
    pub fn kind(self) -> Kind {
        match self.0.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The string, if it is one.
    pub fn as_text(self) -> Option<Text<'a>> {
        match self.0 {
            [b'"', inner @ .., b'"'] => Some(Text(inner)),
            _ => None,
        }
    }

    /// The decoded string, if it is one.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        self.as_text().map(Text::decode)
    }

    /// The boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// The number as a signed integer, if it is written as one that fits.
    pub fn as_i64(self) -> Option<i64> {
        self.number()?.parse().ok()
    }

    /// The number as an unsigned integer, if it is written as one that fits.
    pub fn as_u64(self) -> Option<u64> {
        self.number()?.parse().ok()
    }

    /// The number as a float, rounded; infinite when out of range.
    pub fn as_f64(self) -> Option<f64> {
        self.number()?.parse().ok()
    }

    fn number(self) -> Option<&'a str> {
        (self.kind() == Kind::Number)
            .then(|| std::str::from_utf8(self.0).ok())
            .flatten()
    }

    /// The members in the order written, if the value is an object.
    pub fn as_object(self) -> Option<Members<'a>> {
        (self.kind() == Kind::Object).then_some(Members {
            bytes: self.0,
            pos: 1,
        })
    }

    /// The elements, if the value is an array.
    pub fn as_array(self) -> Option<Elements<'a>> {
        (self.kind() == Kind::Array).then_some(Elements {
            bytes: self.0,
            pos: 1,
        })
    }

    /// The value of `key`, the last one if it stands there twice.
    ///
    /// `None` for a missing key and for anything but an object.
    pub fn get(self, key: &str) -> Option<Raw<'a>> {
        self.as_object()?
            .filter(|(name, _)| name.is(key))
            .last()
            .map(|(_, value)| value)
    }

    /// The members of an object, a repeated key once: its first place, its last
    /// value, as most readers of JSON keep them.
    pub fn unique(self) -> Fields<'a> {
        let mut list: Fields<'a> = Vec::new();
        let mut index: HashMap<Cow<'a, str>, usize> = HashMap::new();
        for (name, value) in self.as_object().into_iter().flatten() {
            let next = list.len();
            match *index.entry(name.decode()).or_insert(next) {
                slot if slot < next => list[slot].1 = value,
                _ => list.push((name, value)),
            }
        }
        list
    }

    /// The value that `keys` lead to, through objects only.
    pub fn at(self, keys: &[&str]) -> Option<Raw<'a>> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }
}

/// The byte offset of `part` in `buffer`.
pub(crate) fn offset_in(part: &[u8], buffer: &[u8]) -> usize {
    (part.as_ptr() as usize).wrapping_sub(buffer.as_ptr() as usize)
}

/// The members of an object, collected.
pub type Fields<'a> = Vec<(Text<'a>, Raw<'a>)>;

/// The members of an object: key and value, in the order written.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Text<'a>, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = skip_space(self.bytes, self.pos);
        if self.bytes.get(start) != Some(&b'"') {
            // At the closing bracket, and there it stays.
            self.pos = start;
            return None;
        }
        let key_end = string_end(self.bytes, start);
        let value = skip_space(self.bytes, skip_space(self.bytes, key_end) + 1);
        let end = value_end(self.bytes, value);
        self.pos = after_comma(self.bytes, end);
        Some((
            Text(self.bytes.get(start + 1..key_end - 1)?),
            Raw(self.bytes.get(value..end)?),
        ))
    }
}

/// The elements of an array; none by default.
#[derive(Debug, Clone, Default)]
pub struct Elements<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Elements<'a> {
    /// The next element, and its members if it is an object: both in one walk.
    pub fn next_object(&mut self) -> Option<(Raw<'a>, Option<Fields<'a>>)> {
        let start = skip_space(self.bytes, self.pos);
        if self.bytes.get(start) != Some(&b'{') {
            return self.next().map(|element| (element, None));
        }
        let mut members = Members {
            bytes: self.bytes,
            pos: start + 1,
        };
        let fields: Fields<'a> = members.by_ref().collect();
        let end = members.pos + 1;
        self.pos = after_comma(self.bytes, end);
        Some((Raw(self.bytes.get(start..end)?), Some(fields)))
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = skip_space(self.bytes, self.pos);
        if matches!(self.bytes.get(start), None | Some(b']')) {
            self.pos = self.bytes.len();
            return None;
        }
        let end = value_end(self.bytes, start);
        self.pos = after_comma(self.bytes, end);
        Some(Raw(self.bytes.get(start..end)?))
    }
}

fn after_comma(bytes: &[u8], end: usize) -> usize {
    let next = skip_space(bytes, end);
    next + usize::from(bytes.get(next) == Some(&b','))
}

pub(crate) fn skip_space(bytes: &[u8], mut pos: usize) -> usize {
    while matches!(bytes.get(pos), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        pos += 1;
    }
    pos
}

/// The offset past the closing quote of the string that opens at `start`.
pub(crate) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut pos = start + 1;
    // Most strings are short: looking at words spares the call of a search.
    for _ in 0..3 {
        let Some(word) = word_at(bytes, pos) else {
            break;
        };
        let found = zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES);
        if found == 0 {
            pos += 8;
            continue;
        }
        pos += (found.trailing_zeros() / 8) as usize;
        if bytes[pos] == b'"' {
            return pos + 1;
        }
        pos += 2;
    }
    while let Some(hit) = bytes.get(pos..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        if bytes[pos + hit] == b'"' {
            return pos + hit + 1;
        }
        pos += hit + 2;
    }
    bytes.len()
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
const SPACES: u64 = u64::from_le_bytes([b' '; 8]);

/// The eight bytes at `pos`, the first in the lowest place.
fn word_at(bytes: &[u8], pos: usize) -> Option<u64> {
    let word = bytes.get(pos..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*word))
}

/// The high bit of the lowest zero byte; bits above it mean nothing.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// The offset past the value that starts at `start`, in checked bytes.
pub(crate) fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut pos = start;
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'"' => {
                pos = string_end(bytes, pos);
                if depth == 0 {
                    return pos;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth <= 1 {
                    return pos + depth;
                }
                depth -= 1;
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return pos,
            b'\n' => {
                // The indentation of a line.
                while word_at(bytes, pos + 1) == Some(SPACES) {
                    pos += 8;
                }
            }
            _ => {}
        }
        pos += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Raw<'_> {
        Raw::parse(text.as_bytes()).expect("a JSON value")
    }

    #[test]
    fn members_keep_order_and_duplicates() {
        let value = raw(" { \"b\" : [1, {\"x\":\"}\"}] ,\"a\":null,\"b\":\"]\\\"\" } ");
        let members: Vec<_> = value
            .as_object()
            .expect("object")
            .map(|(k, v)| (k.decode().into_owned(), format!("{v:?}")))
            .collect();
        let expected = [
            ("b", "[1, {\"x\":\"}\"}]"),
            ("a", "null"),
            ("b", "\"]\\\"\""),
        ];
        assert_eq!(members.len(), 3);
        for ((k, v), (ek, ev)) in members.iter().zip(expected) {
            assert_eq!((k.as_str(), v.as_str()), (ek, ev));
        }
        assert_eq!(value.get("b").and_then(Raw::as_str).as_deref(), Some("]\""));
    }

    #[test]
    fn strings_of_every_length_end_where_they_end() {
        for length in 0..80 {
            for escape in 0..=length {
                let mut text = "x".repeat(length);
                if escape < length {
                    text.replace_range(escape..=escape, "\\\\\\\"");
                }
                let value = format!("[\n            \"{text}\" ,\n        \"{text}\"]");
                let list: Vec<_> = raw(&value).as_array().expect("array").collect();
                assert_eq!(list.len(), 2, "{value}");
                assert_eq!(list[1].bytes().len(), text.len() + 2, "{value}");
            }
        }
    }

    #[test]
    fn elements_of_every_kind() {
        let value = raw("[1, -2.5 ,\"a\",true,null,[],{} ]");
        let kinds: Vec<_> = value.as_array().expect("array").map(Raw::kind).collect();
        use Kind::{Array, Bool, Null, Number, Object, String};
        assert_eq!(kinds, [Number, Number, String, Bool, Null, Array, Object]);
        assert_eq!(raw("[]").as_array().expect("array").count(), 0);
        assert_eq!(raw("{ }").as_object().expect("object").count(), 0);
    }

    #[test]
    fn numbers_keep_to_their_range() {
        assert_eq!(raw("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(raw("18446744073709551616").as_u64(), None);
        assert_eq!(raw("1.0").as_i64(), None);
        assert_eq!(raw("1e999").as_f64(), Some(f64::INFINITY));
        assert_eq!(raw("\"1\"").as_f64(), None);
    }

    #[test]
    fn what_follows_a_value_is_an_error() {
        let error = Raw::parse(b"[] x").expect_err("trailing bytes");
        assert_eq!(error.offset, 3);
    }
}
