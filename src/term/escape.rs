//! What steers a terminal or hides from the reader, made visible.

use super::clean::invisible::{self, Class};
use std::borrow::Cow;

/// Combining marks that one base may carry before the rest are spelled out.
const MARKS: usize = 8;

/// What a character of quoted text is to a sanitiser.
///
/// A joiner between emoji, a selector behind a symbol and the tags of a flag do
/// honest work and stay; so do the first marks on a letter.
pub(super) struct Look<'t> {
    text: &'t str,
    last: Option<char>,
    marks: usize,
}

impl<'t> Look<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            last: None,
            marks: 0,
        }
    }

    /// Whether the character at `at` is dangerous; to be asked in order.
    pub(super) fn is_bad(&mut self, at: usize, c: char) -> bool {
        if (' '..='~').contains(&c) {
            self.last = Some(c);
            self.marks = 0;
            return false;
        }
        // NEL and the two separators break lines in some readers.
        let bad = c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}')
            || match invisible::class(c) {
                Class::Plain => false,
                Class::Mark => {
                    self.marks += 1;
                    return self.marks > MARKS;
                }
                Class::Bidi | Class::Invisible => true,
                Class::Joiner => {
                    let next = self.text[at + c.len_utf8()..].chars().next();
                    !invisible::joins(self.last, next)
                }
                Class::Selector => !invisible::selects(self.last, c),
                Class::Tag => !invisible::in_flag(self.text, at),
            };
        self.last = Some(c);
        self.marks = 0;
        bad
    }
}

/// Whether every character is one of printable ASCII, so that nothing is to do.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// The text with every control, bidi control, line separator and invisible
/// character as an escape (`\n`, `\u{202e}`); it stays on one line.
///
/// A backslash of the text stays as it is: the escapes are for eyes.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// Like [`printable`], but tabs stay: for a line of a text that is shown.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\t')
}

pub(super) fn escaped(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut look = Look::new(text);
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match look.is_bad(at, c) && !keep(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_or_hides_is_spelled_out() {
        for (text, shown) in [
            ("plain", "plain"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\u{9b}5n\u{7f}\u{85}", "\\u{9b}5n\\u{7f}\\u{85}"),
            (
                "\u{202e}\u{2066}\u{61c}\u{200f}",
                "\\u{202e}\\u{2066}\\u{61c}\\u{200f}",
            ),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
            (
                "\u{200b}\u{2060}\u{feff}\u{ad}",
                "\\u{200b}\\u{2060}\\u{feff}\\u{ad}",
            ),
            ("\u{e0041}\u{1d173}", "\\u{e0041}\\u{1d173}"),
            ("a\u{200d}b", "a\\u{200d}b"),
        ] {
            assert_eq!(printable(text), shown);
        }
        assert_eq!(line("a\tb\n"), "a\tb\\n");
    }

    #[test]
    fn honest_work_stays() {
        for text in [
            "👨‍👩‍👧",
            "⚠️",
            "naïve é 设置",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}",
        ] {
            assert_eq!(printable(text), text);
        }
        let tower = format!("e{}", "\u{301}".repeat(9));
        assert!(printable(&tower).ends_with("\\u{301}"));
    }
}
