//! Nesting that would cost more than it shows (SE-14).
//!
//! A container marker behind a hundred others on its line, or too far to the
//! right to be anything but the inside of as many lists, gets a character in
//! front that makes it text for the parser. Clean text cannot hold that
//! character; it is taken out again when the blocks are printed, so the line
//! looks as it was written.

/// What makes a marker text.
pub(super) const SENTINEL: char = '\u{1}';

/// Containers that may open on one line.
const MARKERS: usize = 100;
/// Columns in front of a marker.
const COLUMNS: usize = 240;

/// Appends lines to a tail; says whether nesting was cut in them.
pub(super) fn push(tail: &mut String, lines: &str) -> bool {
    let mut cut = false;
    let mut done = 0;
    let bytes = lines.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        if matches!(
            bytes[start],
            b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'0'..=b'9'
        ) && let Some(at) = deep(&bytes[start..])
        {
            tail.push_str(&lines[done..start + at]);
            tail.push(SENTINEL);
            done = start + at;
            cut = true;
        }
        start += memchr::memchr(b'\n', &bytes[start..])
            .map_or(bytes.len() - start, |end| end + 1);
    }
    tail.push_str(&lines[done..]);
    cut
}

/// Where on a line nesting gets too deep.
fn deep(line: &[u8]) -> Option<usize> {
    let (mut at, mut column, mut markers) = (0, 0, 0);
    loop {
        while let Some(b' ' | b'\t') = line.get(at) {
            column += if line[at] == b'\t' { 4 - column % 4 } else { 1 };
            at += 1;
        }
        let digits = line[at..]
            .iter()
            .take(10)
            .take_while(|b| b.is_ascii_digit())
            .count();
        let width = match line.get(at + digits)? {
            b'>' if digits == 0 => 1,
            b'-' | b'+' | b'*' if digits == 0 => 1,
            b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
            _ => return None,
        };
        let behind = line.get(at + width);
        let spaced = matches!(behind, None | Some(b' ' | b'\t' | b'\n'));
        if line[at] != b'>' && !spaced {
            return None;
        }
        if markers == MARKERS || column > COLUMNS {
            return Some(at);
        }
        markers += 1;
        at += width;
        column += width;
    }
}

/// Takes the marks out of what was printed from `start` on.
pub(super) fn remove(out: &mut Vec<u8>, start: usize) {
    let mark = SENTINEL as u32 as u8;
    let mut kept = start;
    for at in start..out.len() {
        if out[at] != mark {
            out[kept] = out[at];
            kept += 1;
        }
    }
    out.truncate(kept);
}
