//! Working on text while it stays escaped, as inside a JSON string.
//!
//! The text must be spelled as [`crate::json::write::escaped`] spells it. White
//! space is the Unicode property White_Space (`docs/formats.md#system-parts`).

use crate::json::{Raw, Text};

/// Whether a text holds white space only.
pub fn is_blank(text: Text<'_>) -> bool {
    match text.escaped().first() {
        None => true,
        Some(byte) if byte.is_ascii_graphic() && *byte != b'\\' => false,
        Some(_) => text.decode().trim().is_empty(),
    }
}

/// Trims White_Space at both ends of an escaped string.
pub(crate) fn trim(escaped: &[u8]) -> &[u8] {
    let mut text = trim_end(escaped);
    loop {
        text = match text {
            [b'\\', b'n' | b'r' | b't' | b'f', rest @ ..] => rest,
            [b'\\', b'u', b'0', b'0', b'0', b'b', rest @ ..] => rest,
            [b'\\', ..] => return text,
            _ => match first_char(text) {
                Some(c) if c.is_whitespace() => &text[c.len_utf8()..],
                _ => return text,
            },
        }
    }
}

pub(crate) fn trim_end(escaped: &[u8]) -> &[u8] {
    let mut text = escaped;
    loop {
        text = match text {
            [rest @ .., b'\\', b'n' | b'r' | b't' | b'f'] if opens(rest) => rest,
            [rest @ .., b'\\', b'u', b'0', b'0', b'0', b'b'] if opens(rest) => rest,
            _ => match last_char(text) {
                Some(c) if c.is_whitespace() => &text[..text.len() - c.len_utf8()],
                _ => return text,
            },
        }
    }
}

/// Whether a backslash after `before` opens an escape, rather than closing one.
fn opens(before: &[u8]) -> bool {
    let run = before.iter().rev().take_while(|&&b| b == b'\\').count();
    run % 2 == 0
}

fn first_char(text: &[u8]) -> Option<char> {
    let head = &text[..text.len().min(4)];
    head.utf8_chunks().next()?.valid().chars().next()
}

fn last_char(text: &[u8]) -> Option<char> {
    let tail = &text[text.len().saturating_sub(4)..];
    tail.utf8_chunks().last()?.valid().chars().next_back()
}

/// The decoded text of something rendered, for people.
pub fn unescape(escaped: &[u8]) -> String {
    let mut quoted = Vec::with_capacity(escaped.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(escaped);
    quoted.push(b'"');
    let text = Raw::checked(&quoted).as_str().unwrap_or_default();
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::write;

    #[test]
    fn trimming_escaped_text_is_trimming_it() {
        for text in [
            "",
            " \n\t\r\u{b}\u{c}\u{85}\u{a0}\u{2003}\u{3000}x\u{2028} \n",
            "\u{1c}x\u{200b}",
            "\u{feff} x \\n",
            "x\\\n",
            "x\\\\\n\n",
            "\u{b}",
            "\"\\",
            "\\u000b",
        ] {
            let mut escaped = Vec::new();
            write::escaped(&mut escaped, text);
            assert_eq!(unescape(trim(&escaped)), text.trim(), "{text:?}");
            assert_eq!(unescape(trim_end(&escaped)), text.trim_end(), "{text:?}");
        }
    }
}
