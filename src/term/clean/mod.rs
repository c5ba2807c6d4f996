//! Making untrusted text fit for a terminal.
//!
//! Everything stored in a conversation is untrusted, so all of it passes here
//! before it is parsed or laid out: escape sequences go (SE-1 to SE-5), control characters go or become visible (SE-6),
//! bidi controls are named (SE-7), invisible characters and towers of marks are
//! cut (SE-8, SE-9). Nothing reaches across a newline, so cleaning line by line
//! gives the bytes of cleaning the whole (ST-7). [`label`] is for one-line
//! fields (SE-12). What was taken away is counted in [`Removed`].

mod escape;
pub(in crate::term) mod invisible;
mod label;
mod sgr;

pub use label::{LABEL_COLUMNS, label, label_counting, one_line};
pub use sgr::SgrRuns;

use invisible::Class;
use std::borrow::Cow;
use std::fmt::Write;

/// What becomes of control sequences and invisible characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Control {
    /// Taken away.
    #[default]
    Strip,
    /// Replaced by visible stand-ins.
    Show,
    /// Left as they are; only ever by a typed option.
    Raw,
}

/// How text is cleaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// Control sequences and invisible characters.
    pub control: Control,
    /// Whether bidi controls stay (`--bidi keep`).
    pub keep_bidi: bool,
}

/// What cleaning took away, for the notice of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// Escape sequences.
    pub sequences: usize,
    /// Single control characters.
    pub controls: usize,
    /// Characters nobody can see.
    pub invisible: usize,
    /// Combining marks above the eighth on one base.
    pub marks: usize,
}

impl Removed {
    /// Adds the counts of another text.
    pub fn add(&mut self, other: Removed) {
        self.sequences += other.sequences;
        self.controls += other.controls;
        self.invisible += other.invisible;
        self.marks += other.marks;
    }

    /// The counts in words, or `None` when nothing was taken away.
    pub fn describe(self) -> Option<String> {
        let parts: Vec<String> = [
            (self.sequences, "control sequence"),
            (self.controls, "control character"),
            (self.invisible, "invisible character"),
            (self.marks, "stacked mark"),
        ]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, what)| {
            format!("{count} {what}{}", if count == 1 { "" } else { "s" })
        })
        .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Bytes that need no look: printable ASCII, newline, tab.
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        table[byte] = true;
        byte += 1;
    }
    table[b'\n' as usize] = true;
    table[b'\t' as usize] = true;
    table
};

/// The first byte that needs a look, at or after `from`.
fn suspect(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(block) = bytes.get(at..at + 32) {
        let odd = block.iter().fold(false, |odd, &b| {
            odd | !((0x20..0x7f).contains(&b) | (b == b'\n') | (b == b'\t'))
        });
        if odd {
            break;
        }
        at += 32;
    }
    while at < bytes.len() && PLAIN[bytes[at] as usize] {
        at += 1;
    }
    at
}

/// The text without anything a terminal could act on.
pub fn clean<'a>(text: &'a str, rules: Rules, removed: &mut Removed) -> Cow<'a, str> {
    if rules.control == Control::Raw || suspect(text.as_bytes(), 0) == text.len() {
        return Cow::Borrowed(text);
    }
    let mut cleaner = Cleaner::new(text, rules);
    cleaner.run(None);
    removed.add(cleaner.removed);
    Cow::Owned(cleaner.out)
}

/// Like [`clean`], but colours and weights of the text are kept as runs (SE-4).
pub fn clean_keeping_sgr(
    text: &str,
    rules: Rules,
    removed: &mut Removed,
) -> (String, SgrRuns) {
    let mut runs = SgrRuns::default();
    if rules.control == Control::Raw || suspect(text.as_bytes(), 0) == text.len() {
        return (text.to_owned(), runs);
    }
    let mut cleaner = Cleaner::new(text, rules);
    cleaner.run((rules.control == Control::Strip).then_some(&mut runs));
    removed.add(cleaner.removed);
    (cleaner.out, runs)
}

struct Cleaner<'a> {
    text: &'a str,
    rules: Rules,
    out: String,
    removed: Removed,
    /// The last character kept, and how many marks stand on it.
    last: Option<char>,
    marks: usize,
    /// A run of invisible characters not yet shown: first, count, all tags.
    run: Option<(char, usize, bool)>,
}

/// Combining marks one base may carry (SE-9).
const MARKS: usize = 8;

impl<'a> Cleaner<'a> {
    fn new(text: &'a str, rules: Rules) -> Self {
        Self {
            text,
            rules,
            out: String::with_capacity(text.len()),
            removed: Removed::default(),
            last: None,
            marks: 0,
            run: None,
        }
    }

    fn run(&mut self, mut sgr: Option<&mut SgrRuns>) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let next = suspect(bytes, at);
            if next > at {
                self.end_run();
                self.out.push_str(&self.text[at..next]);
                self.last = Some(char::from(bytes[next - 1]));
                self.marks = 0;
                at = next;
                continue;
            }
            let Some(c) = self.text[at..].chars().next() else {
                break;
            };
            at = self.one(c, at, sgr.as_deref_mut());
        }
        self.end_run();
    }

    /// Handles the character at `at`; gives the position after what it took.
    fn one(&mut self, c: char, at: usize, sgr: Option<&mut SgrRuns>) -> usize {
        let after = at + c.len_utf8();
        match c {
            '\u{85}' | '\u{2028}' | '\u{2029}' => self.keep('\n'),
            '\r' => {
                if self.text.as_bytes().get(after) == Some(&b'\n') {
                    return after;
                }
                self.keep('\n');
            }
            '\u{1b}' | '\u{80}'..='\u{9f}' => {
                self.end_run();
                return self.sequence(c, after, sgr);
            }
            '\0'..='\u{1f}' | '\u{7f}' => {
                if self.rules.control == Control::Show {
                    let picture = if c == '\u{7f}' { 0x21 } else { c as u32 };
                    self.keep(char::from_u32(0x2400 + picture).unwrap_or('?'));
                } else {
                    self.removed.controls += 1;
                }
            }
            _ => self.unicode(c, at),
        }
        after
    }

    fn sequence(&mut self, c: char, after: usize, sgr: Option<&mut SgrRuns>) -> usize {
        let (found, end) = escape::scan(self.text, c, after);
        if let (escape::Found::Sgr(parameters), Some(runs)) = (&found, sgr) {
            runs.apply(parameters, self.out.len());
            return end;
        }
        if self.rules.control == Control::Show {
            self.keep('\u{241b}');
        } else {
            self.removed.sequences += 1;
        }
        end
    }

    fn unicode(&mut self, c: char, at: usize) {
        let next = || self.text[at + c.len_utf8()..].chars().next();
        match invisible::class(c) {
            Class::Plain => self.keep(c),
            Class::Mark => {
                self.marks += 1;
                if self.marks <= MARKS {
                    self.end_run();
                    self.out.push(c);
                } else {
                    self.removed.marks += 1;
                }
            }
            Class::Bidi if self.rules.keep_bidi => self.keep(c),
            Class::Bidi => {
                self.end_run();
                let _ = write!(self.out, "<U+{:04X}>", c as u32);
                self.last = Some('>');
                self.marks = 0;
            }
            Class::Joiner if invisible::joins(self.last, next()) => self.keep(c),
            Class::Selector if invisible::selects(self.last, c) => self.keep(c),
            Class::Tag if invisible::in_flag(self.text, at) => self.keep(c),
            class => self.hide(c, class == Class::Tag),
        }
    }

    fn keep(&mut self, c: char) {
        self.end_run();
        self.out.push(c);
        self.last = Some(c);
        self.marks = 0;
    }

    fn hide(&mut self, c: char, tag: bool) {
        if self.rules.control != Control::Show {
            self.removed.invisible += 1;
            return;
        }
        let (first, count, tags) = self.run.unwrap_or((c, 0, true));
        self.run = Some((first, count + 1, tags && tag));
    }

    /// Shows the invisible run that has just ended.
    fn end_run(&mut self) {
        let Some((first, count, tags)) = self.run.take() else {
            return;
        };
        let _ = match (count, tags) {
            (1, _) => write!(self.out, "<U+{:04X}>", first as u32),
            (_, true) => write!(self.out, "<{count} tag characters>"),
            (_, false) => write!(self.out, "<{count} invisible characters>"),
        };
    }
}

#[cfg(test)]
mod tests;
