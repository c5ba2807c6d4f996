//! Where an escape sequence ends.
//!
//! A scanner over valid UTF-8, not a terminal: it recognises CSI, OSC, DCS, APC,
//! PM, SOS and two- and three-byte sequences (SE-1), takes the C1 characters for
//! their two-character forms (SE-2), and ends an unterminated string early, for
//! ending early only ever shows more (SE-3).

/// Characters after which a string sequence ends on its own.
const LIMIT: usize = 4096;

/// What a sequence was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// `CSI parameters m` without intermediates.
    Sgr(&'a str),
    /// Anything else.
    Other,
}

/// The sequence that `introducer` starts; `at` is the position behind it.
///
/// Gives what it was and the position after it.
pub(super) fn scan(text: &str, introducer: char, at: usize) -> (Found<'_>, usize) {
    let (kind, at) = match introducer {
        '\u{1b}' => match text.as_bytes().get(at) {
            Some(&kind) => (kind, at + 1),
            None => return (Found::Other, at),
        },
        c1 => ((c1 as u32 as u8) - 0x40, at),
    };
    match kind {
        b'[' => control_sequence(text, at),
        b']' => (Found::Other, string(text, at, true)),
        b'P' | b'_' | b'^' | b'X' => (Found::Other, string(text, at, false)),
        0x20..=0x2f => {
            let bytes = text.as_bytes();
            let mut end = at;
            while end < at + LIMIT && matches!(bytes.get(end), Some(0x20..=0x2f)) {
                end += 1;
            }
            if matches!(bytes.get(end), Some(0x30..=0x7e)) {
                end += 1;
            }
            (Found::Other, end)
        }
        0x30..=0x7e => (Found::Other, at),
        // Not a sequence at all: only the introducer goes.
        _ => (Found::Other, at - 1),
    }
}

fn control_sequence(text: &str, at: usize) -> (Found<'_>, usize) {
    let bytes = text.as_bytes();
    let mut end = at;
    while end < at + LIMIT && matches!(bytes.get(end), Some(0x30..=0x3f)) {
        end += 1;
    }
    let parameters = end;
    while end < at + LIMIT && matches!(bytes.get(end), Some(0x20..=0x2f)) {
        end += 1;
    }
    match bytes.get(end) {
        Some(b'm') if end == parameters => (Found::Sgr(&text[at..end]), end + 1),
        Some(0x40..=0x7e) => (Found::Other, end + 1),
        _ => (Found::Other, end),
    }
}

/// The end of a string payload: past its terminator, or before the character
/// that aborts it.
fn string(text: &str, at: usize, bell: bool) -> usize {
    for (count, (offset, c)) in text[at..].char_indices().enumerate() {
        let here = at + offset;
        match c {
            _ if count == LIMIT => return here,
            '\u{9c}' => return here + c.len_utf8(),
            '\u{7}' if bell => return here + 1,
            '\u{1b}' => {
                let closed = text.as_bytes().get(here + 1) == Some(&b'\\');
                return if closed { here + 2 } else { here };
            }
            '\n' | '\r' | '\u{18}' | '\u{1a}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                return here;
            }
            _ => {}
        }
    }
    text.len()
}
