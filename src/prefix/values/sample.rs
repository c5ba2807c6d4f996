//! A short piece of both sides of a divergence, for people.

use super::differ::Difference;
use super::file;
use crate::json::{Raw, write};
use crate::prefix::report::{Cause, Sample};
use crate::term::printable;

/// The longest line that is shown whole.
const WIDE: usize = 160;

/// Lines around the place on both sides; values that are no text on one line.
pub(crate) fn of(found: &Difference<'_>, cause: Cause, context: usize) -> Sample {
    if let Some([a, b]) = file::both(found) {
        return Sample {
            a: vec![file::say(&a)],
            b: vec![file::say(&b)],
        };
    }
    let texts = (found.a.and_then(Raw::as_str), found.b.and_then(Raw::as_str));
    if let ((Some(a), Some(b)), Some(offset)) = (&texts, found.offset) {
        let visible = cause == Cause::Whitespace;
        return Sample {
            a: lines(a, offset, context, visible),
            b: lines(b, offset, context, visible),
        };
    }
    Sample {
        a: found.a.map(value).into_iter().collect(),
        b: found.b.map(value).into_iter().collect(),
    }
}

/// A value on one line, cut where it gets long.
fn value(raw: Raw<'_>) -> String {
    let bytes = raw.bytes();
    let mut out = Vec::new();
    write::compact(&mut out, Raw::checked(&bytes[..bytes.len().min(4 * WIDE)]));
    let text = String::from_utf8_lossy(&out).into_owned();
    cut(&file::elide(&text), 0)
}

/// The lines around the character at `offset`.
fn lines(text: &str, offset: usize, context: usize, visible: bool) -> Vec<String> {
    let at = text
        .char_indices()
        .nth(offset)
        .map_or(text.len(), |(at, _)| at);
    let back = |from: usize| text[..from].rfind('\n').map_or(0, |at| at + 1);
    let mut from = back(at);
    let column = text[from..at].chars().count();
    let mut before = 0;
    while before < context && from > 0 {
        from = back(from - 1);
        before += 1;
    }
    let mut shown = Vec::new();
    let mut rest = text[from..].split_inclusive('\n');
    for index in 0..=before + context {
        let Some(line) = rest.next() else { break };
        let plain = line.strip_suffix('\n').unwrap_or(line);
        let around = if index == before { column } else { 0 };
        shown.push(match visible {
            true => cut(&printable(line), around),
            false => file::elide(&cut(plain, around)),
        });
    }
    shown
}

/// A line, cut to what surrounds a column.
fn cut(line: &str, column: usize) -> String {
    let length = line.chars().count();
    if length <= WIDE {
        return line.to_owned();
    }
    let from = column.saturating_sub(WIDE / 2);
    let mut out = String::new();
    if from > 0 {
        out.push('…');
    }
    out.extend(line.chars().skip(from).take(WIDE));
    if from + WIDE < length {
        out.push('…');
    }
    out
}
