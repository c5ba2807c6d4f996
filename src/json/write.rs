//! Putting JSON into a `Vec<u8>`: strings escaped, checked values compacted.
//!
//! Escaping is that of `serde_json`: the two-character forms where JSON has one,
//! `\u00xx` in lower case for the other control characters, everything else as
//! UTF-8. [`compact`] drops the white space between tokens and keeps every other
//! byte: key order, duplicates, number spelling and escapes (`docs/views.md#output`).

use super::raw::{Raw, string_end};
use super::text::Text;
use memchr::memchr3;
use std::borrow::Cow;

/// What a byte becomes inside a string: 0 itself, `u` a `\u00xx`, else the
/// letter after the backslash.
const ESCAPE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0a] = b'n';
    table[0x0c] = b'f';
    table[0x0d] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

/// Appends `text` as a JSON string, quotes included.
pub fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    escaped(out, text);
    out.push(b'"');
}

/// Appends `text` escaped, without the quotes.
pub fn escaped(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    out.reserve(rest.len() + rest.len() / 16);
    // Most text has no control characters but line breaks: then three bytes are
    // all there is to look for.
    let odd = rest
        .iter()
        .fold(false, |any, &b| any | ((b < 0x20) & (b != b'\n')));
    let special = |rest: &[u8]| match odd {
        false => memchr3(b'\n', b'"', b'\\', rest),
        true => rest.iter().position(|&b| ESCAPE[b as usize] != 0),
    };
    while let Some(at) = special(rest) {
        out.extend_from_slice(&rest[..at]);
        let byte = rest[at];
        match ESCAPE[byte as usize] {
            b'u' => {
                out.extend_from_slice(b"\\u00");
                out.push(b"0123456789abcdef"[(byte >> 4) as usize]);
                out.push(b"0123456789abcdef"[(byte & 15) as usize]);
            }
            letter => out.extend_from_slice(&[b'\\', letter]),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// The string as [`escaped`] would write it; no copy if it is spelled so already.
pub fn canonical(text: Text<'_>) -> Cow<'_, [u8]> {
    let bytes = text.escaped();
    let mut pos = 0;
    while let Some(hit) = memchr::memchr(b'\\', &bytes[pos..]) {
        let at = pos + hit;
        pos = match bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => at + 2,
            Some(b'u') if needs_code(&bytes[at + 2..]) => at + 6,
            _ => {
                let mut out = Vec::with_capacity(bytes.len());
                escaped(&mut out, &text.decode());
                return Cow::Owned(out);
            }
        };
    }
    Cow::Borrowed(bytes)
}

/// Whether four digits name a control character that has no shorter escape, in
/// the spelling of [`escaped`].
fn needs_code(digits: &[u8]) -> bool {
    let [
        b'0',
        b'0',
        high @ (b'0' | b'1'),
        low @ (b'0'..=b'9' | b'a'..=b'f'),
        ..,
    ] = *digits
    else {
        return false;
    };
    high == b'1' || !matches!(low, b'8' | b'9' | b'a' | b'c' | b'd')
}

/// Appends a JSON string's meaning as a JSON string, quotes included.
pub fn text(out: &mut Vec<u8>, text: Text<'_>) {
    out.push(b'"');
    out.extend_from_slice(&canonical(text));
    out.push(b'"');
}

/// Appends a decimal integer.
pub fn integer(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(number.to_string().as_bytes());
}

/// Appends `"key":`, with a comma before it unless it opens the object.
pub fn key(out: &mut Vec<u8>, name: &str) {
    if !matches!(out.last(), Some(b'{')) {
        out.push(b',');
    }
    string(out, name);
    out.push(b':');
}

/// Appends a checked value without the white space between its tokens.
pub fn compact(out: &mut Vec<u8>, value: Raw<'_>) {
    compact_bytes(out, value.bytes());
}

/// Appends a piece of checked JSON without the white space between tokens.
pub(crate) fn compact_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let mut kept = 0;
    let mut pos = 0;
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'"' => pos = string_end(bytes, pos),
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.extend_from_slice(&bytes[kept..pos]);
                pos = super::raw::skip_space(bytes, pos);
                kept = pos;
            }
            _ => pos += 1,
        }
    }
    out.extend_from_slice(&bytes[kept..]);
}

/// Appends a checked value over several lines, two spaces a level.
pub fn pretty(out: &mut Vec<u8>, value: Raw<'_>) {
    let bytes = value.bytes();
    let mut depth = 0usize;
    let mut pos = 0;
    let line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth.min(64), b' ');
    };
    while let Some(&byte) = bytes.get(pos) {
        let start = pos;
        pos = match byte {
            b'"' => string_end(bytes, pos),
            _ => pos + 1,
        };
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' => {
                out.push(byte);
                let next = super::raw::skip_space(bytes, pos);
                if matches!(bytes.get(next), Some(b'}' | b']')) {
                    out.push(bytes[next]);
                    pos = next + 1;
                } else {
                    depth += 1;
                    line(out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                line(out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.extend_from_slice(&bytes[start..pos]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_serde_json_does() {
        let text: String = (0..=0x2ff).filter_map(char::from_u32).collect();
        let mut out = Vec::new();
        string(&mut out, &text);
        let expected = serde_json::to_string(&text).expect("a string");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    #[test]
    fn a_string_is_copied_only_if_spelled_as_we_spell_it() {
        for (source, same) in [
            (r#""a\n\\\u0000\u001f\"\u000b""#, true),
            (r#""a\/""#, false),
            (r#""\u00e9\u000A""#, false),
            (r#""\u000a\u001F\ud800""#, false),
        ] {
            let text = Raw::parse(source.as_bytes())
                .ok()
                .and_then(Raw::as_text)
                .expect("a string");
            let mut decoded = Vec::new();
            escaped(&mut decoded, &text.decode());
            let canonical = canonical(text);
            assert_eq!(canonical, decoded, "{source}");
            assert_eq!(matches!(canonical, Cow::Borrowed(_)), same, "{source}");
        }
    }

    #[test]
    fn only_white_space_between_tokens_goes() {
        let text = "{ \"a b\" : [ 1.50 ,\t\"x\\u0020 y\" ] ,\r\n \"a b\":{ } }";
        let mut out = Vec::new();
        compact(&mut out, Raw::parse(text.as_bytes()).expect("a value"));
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "{\"a b\":[1.50,\"x\\u0020 y\"],\"a b\":{}}"
        );
    }
}
