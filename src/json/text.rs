//! What the inside of a JSON string means.
//!
//! A [`Text`] is kept as written; escapes are undone only when a rule asks.

use std::borrow::Cow;
use std::fmt;

/// The inside of a JSON string, escapes and all.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'a>(pub(super) &'a [u8]);

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.0))
    }
}

impl<'a> Text<'a> {
    /// The bytes between the quotes, as written.
    pub fn escaped(self) -> &'a [u8] {
        self.0
    }

    /// The bytes between the quotes if they hold no escape.
    pub fn plain(self) -> Option<&'a [u8]> {
        memchr::memchr(b'\\', self.0).is_none().then_some(self.0)
    }

    /// Whether the string means `other`.
    pub fn is(self, other: &str) -> bool {
        // No escape is longer than six times what it means.
        self.0 == other.as_bytes()
            || self.0.len() > other.len()
                && self.0.len() <= 6 * other.len()
                && self.0.contains(&b'\\')
                && self.decode() == other
    }

    /// The string's meaning; a lone surrogate becomes U+FFFD.
    pub fn decode(self) -> Cow<'a, str> {
        match self.plain().map(std::str::from_utf8) {
            Some(Ok(text)) => Cow::Borrowed(text),
            _ => Cow::Owned(unescape(self.0).0),
        }
    }

    /// Whether an escape names half of a surrogate pair, which no UTF-8 text can
    /// hold.
    pub fn has_lone_surrogate(self) -> bool {
        self.plain().is_none() && unescape(self.0).1
    }
}

/// The text behind escapes, and whether a lone surrogate was replaced in it.
fn unescape(mut bytes: &[u8]) -> (String, bool) {
    let mut text = String::with_capacity(bytes.len());
    let mut lone = false;
    while !bytes.is_empty() {
        let plain = memchr::memchr(b'\\', bytes).unwrap_or(bytes.len());
        text.push_str(&String::from_utf8_lossy(&bytes[..plain]));
        bytes = &bytes[plain..];
        let Some(&escape) = bytes.get(1) else { break };
        let mut used = 2;
        text.push(match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = hex4(bytes.get(2..6));
                used = 6;
                let pair = (0xd800..0xdc00)
                    .contains(&first)
                    .then(|| match bytes.get(6..8) {
                        Some(b"\\u") => hex4(bytes.get(8..12)),
                        _ => 0,
                    })
                    .filter(|second| (0xdc00..0xe000).contains(second));
                let code = match pair {
                    Some(second) => {
                        used = 12;
                        0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                    }
                    None => first,
                };
                char::from_u32(code).unwrap_or_else(|| {
                    lone = true;
                    char::REPLACEMENT_CHARACTER
                })
            }
            other => char::from(other),
        });
        bytes = bytes.get(used..).unwrap_or_default();
    }
    (text, lone)
}

fn hex4(digits: Option<&[u8]>) -> u32 {
    digits
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .unwrap_or(0xfffd)
}

#[cfg(test)]
mod tests {
    use crate::json::Raw;

    #[test]
    fn escapes_decode() {
        let raw = |json| Raw::parse(json).expect("a value");
        let text = raw(br#""a\u00e9\ud83d\ude00\/\n\ud800x""#)
            .as_text()
            .expect("text");
        assert_eq!(text.decode(), "a\u{e9}\u{1f600}/\n\u{fffd}x");
        assert!(text.has_lone_surrogate());
        assert!(raw(br#""\u0074ype""#).as_text().expect("text").is("type"));
    }
}
