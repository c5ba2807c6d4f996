//! How long a prompt is, as far as its bytes tell.
//!
//! Four bytes are taken for a token. The bytes are those of the body as a client
//! writes it, without white space between tokens: a body that was spread over lines
//! for reading is as long as the one that was sent.

use crate::json::Raw;

/// Tokens that a picture of full size costs
/// (<https://platform.claude.com/docs/en/build-with-claude/vision>); its bytes, or the
/// length of its address, say nothing of that.
pub const PICTURE: usize = 1600;

/// Tokens of so many bytes.
pub fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

/// Bytes of a value without white space between its tokens.
pub fn bytes(value: Raw<'_>) -> usize {
    start(value.bytes())
}

/// [`bytes`] of the start of a value, cut off anywhere.
pub fn start(text: &[u8]) -> usize {
    let is_white = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    let (mut at, mut white) = (0, 0);
    while at < text.len() {
        let quote = memchr::memchr(b'"', &text[at..]).map_or(text.len(), |n| at + n);
        white += text[at..quote].iter().filter(is_white).count();
        at = string_end(text, quote + 1);
    }
    text.len() - white
}

/// Where the string ends whose first character is at `at`.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(rest) = text.get(at..) {
        let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
            break;
        };
        at += found + 1;
        if rest[found] == b'"' {
            return at;
        }
        // A backslash takes the next character along.
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::start;

    #[test]
    fn white_space_between_tokens_does_not_count() {
        for (text, length) in [
            ("", 0),
            ("1", 1),
            (r#""a b""#, 5),
            (r#"{"a": 1, "b" : [ ] }"#, 14),
            ("{\n  \"a\": \"x \\\" y\"\n}", 14),
            (r#""cut \"#, 6),
            ("[ \"cut off", 9),
        ] {
            assert_eq!(start(text.as_bytes()), length, "{text}");
        }
    }
}
