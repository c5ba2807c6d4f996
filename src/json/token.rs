//! Where the tokens inside a JSON value end: escapes, numbers, literals.
//!
//! Pure functions over the bytes at hand, for [`Scanner`](super::Scanner). `None`
//! stands for "the bytes end inside it; call again with more".

use super::SyntaxError;

/// Smallest byte, and all bytes or-ed together: written so that it vectorises.
pub(super) fn extremes(bytes: &[u8]) -> (u8, u8) {
    bytes
        .iter()
        .fold((0xff, 0), |(low, high), &b| (low.min(b), high | b))
}

pub(super) fn check_utf8(
    buf: &[u8],
    start: usize,
    end: usize,
) -> Result<(), SyntaxError> {
    match std::str::from_utf8(&buf[start..end]) {
        Ok(_) => Ok(()),
        Err(error) => Err(SyntaxError {
            offset: start + error.valid_up_to(),
            found: format!("byte 0x{:02x}", buf[start + error.valid_up_to()]),
            expected: "valid UTF-8",
        }),
    }
}

/// The offset past the escape at `at`, or `None` when `buf` ends inside it.
pub(super) fn escape_end(buf: &[u8], at: usize) -> Result<Option<usize>, SyntaxError> {
    match buf.get(at + 1) {
        None => Ok(None),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
            Ok(Some(at + 2))
        }
        Some(b'u') => {
            for i in at + 2..at + 6 {
                match buf.get(i) {
                    None => return Ok(None),
                    Some(b) if b.is_ascii_hexdigit() => {}
                    Some(_) => {
                        return Err(unexpected(buf, i, "four hexadecimal digits"));
                    }
                }
            }
            Ok(Some(at + 6))
        }
        Some(_) => Err(unexpected(
            buf,
            at + 1,
            "one of \" \\ / b f n r t u after `\\`",
        )),
    }
}

/// The end of a number or literal, or `None` when `buf` ends inside it.
pub(super) fn scalar_end(
    buf: &[u8],
    at: usize,
    last: bool,
    expected: &'static str,
) -> Result<Option<usize>, SyntaxError> {
    for word in ["true", "false", "null"] {
        if buf[at] == word.as_bytes()[0] {
            for (i, &want) in word.as_bytes().iter().enumerate() {
                match buf.get(at + i) {
                    Some(&b) if b == want => {}
                    Some(_) => return Err(unexpected(buf, at + i, expected)),
                    None if last => return Err(cut_short(buf, expected)),
                    None => return Ok(None),
                }
            }
            return Ok(Some(at + word.len()));
        }
    }
    number_end(buf, at, last, expected)
}

fn number_end(
    buf: &[u8],
    at: usize,
    last: bool,
    expected: &'static str,
) -> Result<Option<usize>, SyntaxError> {
    let digits = |mut i: usize| {
        while buf.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let missing = |i: usize, what| match buf.get(i) {
        Some(_) => Err(unexpected(buf, i, what)),
        None if last => Err(cut_short(buf, what)),
        None => Ok(None),
    };
    let mut i = at + usize::from(buf[at] == b'-');
    match buf.get(i) {
        Some(b'0') => i += 1,
        Some(b'1'..=b'9') => i = digits(i),
        _ if i == at => return Err(unexpected(buf, i, expected)),
        _ => return missing(i, "a digit"),
    }
    if buf.get(i) == Some(&b'.') {
        let end = digits(i + 1);
        if end == i + 1 {
            return missing(end, "a digit after the decimal point");
        }
        i = end;
    }
    if matches!(buf.get(i), Some(b'e' | b'E')) {
        let start = i + 1 + usize::from(matches!(buf.get(i + 1), Some(b'+' | b'-')));
        let end = digits(start);
        if end == start {
            return missing(end, "a digit in the exponent");
        }
        i = end;
    }
    match buf.get(i) {
        Some(b'0'..=b'9') => Err(unexpected(buf, i, "no digit after a leading zero")),
        None if !last => Ok(None),
        _ => Ok(Some(i)),
    }
}

pub(super) fn cut_short(buf: &[u8], expected: &'static str) -> SyntaxError {
    SyntaxError {
        offset: buf.len(),
        found: "the end of the input".to_owned(),
        expected,
    }
}

pub(super) fn unexpected(
    buf: &[u8],
    offset: usize,
    expected: &'static str,
) -> SyntaxError {
    SyntaxError {
        offset,
        found: describe(&buf[offset..]),
        expected,
    }
}

/// The first character of `bytes` in words.
pub(super) fn describe(bytes: &[u8]) -> String {
    match bytes.first() {
        None => "the end of the input".to_owned(),
        Some(0) => "a NUL byte".to_owned(),
        Some(b'\n') => "a line break".to_owned(),
        Some(b) if *b < 0x20 || *b == 0x7f => format!("control character 0x{b:02x}"),
        Some(b) if *b < 0x80 => format!("`{}`", char::from(*b)),
        Some(b) => bytes
            .get(..bytes.len().min(4))
            .and_then(|head| head.utf8_chunks().next())
            .and_then(|chunk| chunk.valid().chars().next())
            .map_or_else(
                || format!("byte 0x{b:02x}"),
                |c| format!("character U+{:04X}", u32::from(c)),
            ),
    }
}
