//! Base64 inside a text: storage encodes strings so, and secrets are often handed
//! around in it.

use crate::block::base64::lenient;
use base64::Engine as _;
use std::ops::Range;

/// Characters below which a run holds no secret worth a look.
const LEAST: usize = 20;

/// Characters that tell whether there is text behind a run.
const PROBE: usize = 64;

/// A run of base64 with text behind it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// What it says.
    pub(super) text: String,
    url_safe: bool,
    padded: bool,
}

impl Run {
    /// Another text in the spelling of this run.
    pub(super) fn encode(&self, text: &str) -> String {
        lenient(self.url_safe, self.padded).encode(text)
    }
}

/// The runs of base64 in `text` that say something a person could read.
pub(super) fn runs(text: &[u8]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let length = text[at..]
            .iter()
            .take_while(|byte| is_digit(**byte))
            .count();
        if length >= LEAST {
            found.extend(run(text, at..at + length));
        }
        at += length + 1;
    }
    found
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

fn run(text: &[u8], digits: Range<usize>) -> Option<Run> {
    let run = &text[digits.clone()];
    let padding = text[digits.end..]
        .iter()
        .take(2)
        .take_while(|b| **b == b'=')
        .count();
    let url_safe = run.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let standard = run.iter().any(|byte| matches!(byte, b'+' | b'/'));
    if url_safe && standard || run.len() % 4 == 1 {
        return None;
    }
    // Most runs are words, hashes and pictures: a look at the head is enough.
    let engine = lenient(url_safe, false);
    let head = engine.decode(&run[..run.len().min(PROBE) / 4 * 4]).ok()?;
    let whole = std::str::from_utf8(&head).map_or_else(
        |error| error.error_len().is_none().then(|| error.valid_up_to()),
        |text| Some(text.len()),
    )?;
    if !readable(std::str::from_utf8(&head[..whole]).ok()?) {
        return None;
    }
    let decoded = String::from_utf8(engine.decode(run).ok()?).ok()?;
    readable(&decoded).then(|| Run {
        range: digits.start..digits.end + padding,
        text: decoded,
        url_safe,
        padded: padding > 0 || run.len().is_multiple_of(4),
    })
}

fn readable(text: &str) -> bool {
    !text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_their_spelling() {
        for text in [
            "aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91",
            "aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91Pw==",
            "aGVsbG8gd29ybGQsIGhvdyBhcmUgeW91Pz8-Pj4",
        ] {
            let found = runs(format!("see {text}, please").as_bytes());
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].range, 4..4 + text.len());
            assert_eq!(found[0].encode(&found[0].text.clone()), text);
        }
        assert!(runs(b"src/some/path/that/is/long/enough/to/look/at").is_empty());
        assert!(runs(&[b'A'; 400]).is_empty());
    }
}
