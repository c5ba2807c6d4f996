//! One-line fields: names, authors, models, titles, ids (SE-12).

use super::{Control, Removed, Rules, clean};
use crate::term::width::{cells, cut};
use std::borrow::Cow;

/// Columns a one-line field may take.
pub const LABEL_COLUMNS: usize = 120;

/// The text as one line of at most [`LABEL_COLUMNS`] columns.
pub fn label(text: &str, rules: Rules, ascii: bool) -> String {
    label_counting(text, rules, ascii, &mut Removed::default())
}

/// Like [`label`], adding to the counts of what was taken away.
pub fn label_counting(
    text: &str,
    rules: Rules,
    ascii: bool,
    removed: &mut Removed,
) -> String {
    let line = one_line(text, rules, removed);
    if cells(&line) <= LABEL_COLUMNS {
        return line.into_owned();
    }
    cut(&line, LABEL_COLUMNS, if ascii { "..." } else { "…" })
}

/// The text on one line: each run of line breaks, tabs and controls is a space.
pub fn one_line<'a>(
    text: &'a str,
    rules: Rules,
    removed: &mut Removed,
) -> Cow<'a, str> {
    let odd = |c: char| c.is_control() && c != '\u{1b}';
    // Sequences go first, so that a control in the middle leaves no litter.
    let text = if rules.control == Control::Raw {
        Cow::Borrowed(text)
    } else if text.contains(odd) {
        Cow::Owned(clean(&spaced(text), rules, removed).into_owned())
    } else {
        clean(text, rules, removed)
    };
    let broken = |c: char| matches!(c, '\n' | '\t');
    if !text.contains(broken) {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    for part in text.split(broken).filter(|part| !part.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    Cow::Owned(line)
}

/// Single controls as newlines; introducers and terminators of sequences stay.
fn spaced(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\u{7}' | '\u{1b}' | '\u{80}'..='\u{9f}' => c,
            c if c.is_control() => '\n',
            c => c,
        })
        .collect()
}
