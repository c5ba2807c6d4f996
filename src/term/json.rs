//! JSON of reports: strings in which nothing steers a terminal or hides.
//!
//! JSON allows DEL, C1 controls and bidi controls raw in a string, and a report
//! is read in terminals, editors and review pages. They are written as `\u`
//! escapes: the value is the same, and the eye sees them. For bytes of a body or
//! a stream, which must stay as they are, use [`crate::json::write`].

use super::escape::{Look, is_plain};
use crate::json::write;

/// Appends a text as a JSON string, quotes included.
pub fn string(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        return write::string(out, text);
    }
    out.push(b'"');
    let mut look = Look::new(text);
    let mut plain = 0;
    for (at, c) in text.char_indices() {
        // The ones below U+0020 have escapes of their own.
        if look.is_bad(at, c) && c >= ' ' {
            write::escaped(out, &text[plain..at]);
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
            plain = at + c.len_utf8();
        }
    }
    write::escaped(out, &text[plain..]);
    out.push(b'"');
}

/// Appends JSON that stands already, with the same characters as `\u` escapes; they
/// can stand in its strings only.
pub fn value(out: &mut Vec<u8>, json: &str) {
    let mut look = Look::new(json);
    let mut plain = 0;
    for (at, c) in json.char_indices() {
        if look.is_bad(at, c) && c >= ' ' {
            out.extend_from_slice(&json.as_bytes()[plain..at]);
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
            plain = at + c.len_utf8();
        }
    }
    out.extend_from_slice(&json.as_bytes()[plain..]);
}

/// Appends a key and a string, or null.
pub fn text(out: &mut Vec<u8>, key: &str, value: Option<&str>) {
    write::key(out, key);
    match value {
        Some(value) => string(out, value),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends a key and a number, or null.
pub fn number(out: &mut Vec<u8>, key: &str, value: Option<u64>) {
    write::key(out, key);
    match value {
        Some(value) => write::integer(out, value),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends a key and a truth value.
pub fn boolean(out: &mut Vec<u8>, key: &str, value: bool) {
    write::key(out, key);
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Appends a key and an array, each element as `one` writes it.
pub fn array<T>(
    out: &mut Vec<u8>,
    key: &str,
    items: impl IntoIterator<Item = T>,
    mut one: impl FnMut(&mut Vec<u8>, T),
) {
    write::key(out, key);
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        one(out, item);
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_stays_and_the_eye_sees() {
        let value = "a\u{1b}\u{7f}\u{9b}\u{202e}\u{200b}\u{e0041}\u{2028}\n\"é";
        let mut out = Vec::new();
        string(&mut out, value);
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(
            text,
            r#""a\u001b\u007f\u009b\u202e\u200b\udb40\udc41\u2028\n\"é""#
        );
        assert_eq!(serde_json::from_str::<String>(&text).expect("JSON"), value);
    }
}
