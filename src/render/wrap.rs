//! Greedy wrapping by display columns (MD-W1 to MD-W3).
//!
//! [`wrap`] gives the lines of a [`Text`] as byte ranges, left to right, so that
//! a line once given never changes. Lines break at spaces, where the text allows
//! it, and beside wide characters as UAX 14 has it; what is longer than a line is
//! broken between graphemes, but for atoms and addresses, which overflow.

use super::text::Text;
use crate::term::width::{cells, first_grapheme, fitting};
use std::ops::Range;
use unicode_linebreak::BreakOpportunity;
use unicode_width::UnicodeWidthChar;

/// Widths of the lines of a paragraph.
#[derive(Debug, Clone, Copy)]
pub struct Widths {
    /// Columns of a line; `None` does not wrap.
    pub columns: Option<usize>,
    /// Whether atoms and addresses may be broken as a last resort.
    pub split_atoms: bool,
}

/// The lines of the text. An empty text has none.
pub fn wrap(text: &Text, widths: Widths, mut line: impl FnMut(Range<usize>)) {
    let string = text.string.as_str();
    let mut start = 0;
    while start < string.len() {
        let end = memchr::memchr(b'\n', &string.as_bytes()[start..])
            .map_or(string.len(), |at| start + at);
        match widths.columns {
            None => line(trimmed(string, start..end)),
            Some(columns) => {
                let mut filler = Filler {
                    text,
                    columns: columns.max(1),
                    split_atoms: widths.split_atoms,
                    line: start..start,
                    used: 0,
                    emit: &mut line,
                };
                filler.paragraph(start..end);
            }
        }
        start = end + 1;
    }
}

fn trimmed(string: &str, range: Range<usize>) -> Range<usize> {
    let end = range.start + string[range.clone()].trim_end_matches(' ').len();
    range.start..end
}

struct Filler<'a, F> {
    text: &'a Text,
    columns: usize,
    split_atoms: bool,
    /// What the current line holds; `used` columns.
    line: Range<usize>,
    used: usize,
    emit: &'a mut F,
}

impl<F: FnMut(Range<usize>)> Filler<'_, F> {
    fn paragraph(&mut self, range: Range<usize>) {
        let bytes = self.text.string.as_bytes();
        let ascii = self.text.string[range.clone()].is_ascii();
        let mut at = range.start;
        while at < range.end {
            let word = at + spaces(&bytes[at..range.end]);
            let end = self.word_end(word, range.end);
            if word == end {
                break;
            }
            self.word(at..word, word..end, ascii);
            at = end;
        }
        (self.emit)(trimmed(&self.text.string, self.line.clone()));
    }

    /// The end of the word at `word`: the next space a line may break at.
    fn word_end(&self, word: usize, end: usize) -> usize {
        let bytes = self.text.string.as_bytes();
        let mut at = word;
        loop {
            // Words are short: a plain loop beats a search that has to be set up.
            let mut space = at;
            while space < end && bytes[space] != b' ' {
                space += 1;
            }
            if space == end || !self.held(space) {
                return space;
            }
            at = space + spaces(&bytes[space..end]);
        }
    }

    fn held(&self, space: usize) -> bool {
        if self.text.glued.is_empty() && self.text.atoms.is_empty() {
            return false;
        }
        self.text.glued.binary_search(&space).is_ok() || self.atom_at(space)
    }

    fn atom_at(&self, at: usize) -> bool {
        let atoms = &self.text.atoms;
        let next = atoms.partition_point(|atom| atom.end <= at);
        atoms
            .get(next)
            .is_some_and(|atom| atom.start <= at && at < atom.end)
    }

    fn holds_atom(&self, range: &Range<usize>) -> bool {
        let atoms = &self.text.atoms;
        let next = atoms.partition_point(|atom| atom.end <= range.start);
        atoms.get(next).is_some_and(|atom| atom.start < range.end)
    }

    fn word(&mut self, gap: Range<usize>, word: Range<usize>, ascii: bool) {
        // Spaces in front of a line go, but those it was given on purpose.
        let given = gap.start == 0
            || self.text.string.as_bytes().get(gap.start - 1) == Some(&b'\n');
        let gap = if self.used == 0 && !given {
            word.start..word.start
        } else {
            gap
        };
        let string = &self.text.string;
        let width = if ascii {
            word.len()
        } else {
            cells(&string[word.clone()])
        };
        if self.used + gap.len() + width <= self.columns {
            self.take(gap.start, word.end, gap.len() + width);
            return;
        }
        if width > self.columns && self.loosen(&gap, &word, ascii) {
            return;
        }
        let mut gap = gap;
        for segment in self.segments(word) {
            let width = cells(&string[segment.clone()]);
            if self.used + gap.len() + width <= self.columns {
                self.take(gap.start, segment.end, gap.len() + width);
            } else {
                self.next_line(segment.start);
                self.long(segment, width);
            }
            gap = self.line.end..self.line.end;
        }
    }

    /// Takes apart a word too long for a line at the spaces that were only held
    /// for looks; says whether there were any.
    fn loosen(&mut self, gap: &Range<usize>, word: &Range<usize>, ascii: bool) -> bool {
        let glued = &self.text.glued;
        let first = glued.partition_point(|&space| space < word.start);
        let end = glued.partition_point(|&space| space < word.end);
        let (mut gap, mut start) = (gap.clone(), word.start);
        for index in first..end {
            let space = self.text.glued[index];
            if space < start || self.atom_at(space) {
                continue;
            }
            let rest = &self.text.string.as_bytes()[space..word.end];
            let next = space + spaces(rest);
            self.word(gap, start..space, ascii);
            (gap, start) = (space..next, next);
        }
        if start > word.start && start < word.end {
            self.word(gap, start..word.end, ascii);
        }
        start > word.start
    }

    /// Adds up to `end`; an empty line starts at the word, not in the gap.
    fn take(&mut self, start: usize, end: usize, width: usize) {
        if self.used == 0 {
            self.line.start = start;
        }
        self.line.end = end;
        self.used += width;
    }

    fn next_line(&mut self, start: usize) {
        if self.used > 0 {
            (self.emit)(trimmed(&self.text.string, self.line.clone()));
        }
        self.line = start..start;
        self.used = 0;
    }

    /// Puts a segment on an empty line, and on more lines if it does not fit.
    fn long(&mut self, segment: Range<usize>, width: usize) {
        let string = &self.text.string;
        let mut start = segment.start;
        let mut width = width;
        let whole = !self.split_atoms
            && width > self.columns
            && (self.holds_atom(&segment) || string[segment.clone()].contains("://"));
        while width > self.columns && !whole {
            let rest = &string[start..segment.end];
            let mut piece = fitting(rest, self.columns);
            if piece == 0 {
                piece = first_grapheme(rest);
            }
            if start + piece >= segment.end {
                break;
            }
            (self.emit)(trimmed(string, start..start + piece));
            start += piece;
            start += spaces(&string.as_bytes()[start..segment.end]);
            width = cells(&string[start..segment.end]);
            if width > 4 * self.columns {
                // Measured again when it matters: one pass over a long token.
                start = self.slices(start..segment.end);
                width = cells(&string[start..segment.end]);
            }
        }
        self.line = start..segment.end;
        self.used = width.max(1);
    }

    /// Breaks a very long token in one pass, all but its last few lines.
    fn slices(&mut self, range: Range<usize>) -> usize {
        let string = &self.text.string;
        let mut start = range.start;
        while range.end - start > 32 * self.columns {
            let window = ceil(string, start + 16 * self.columns);
            let rest = &string[start..window];
            let piece = match fitting(rest, self.columns) {
                0 => first_grapheme(rest),
                // The window may cut a grapheme in two: leave that to the caller.
                piece if start + piece == window => break,
                piece => piece,
            };
            (self.emit)(trimmed(string, start..start + piece));
            start += piece;
            start += spaces(&string.as_bytes()[start..range.end]);
        }
        start
    }

    /// The pieces of a word between which a line may break.
    fn segments(&self, word: Range<usize>) -> Vec<Range<usize>> {
        let string = &self.text.string[word.clone()];
        let breaks = &self.text.breaks;
        let first = breaks.partition_point(|&at| at <= word.start);
        let allowed = breaks[first..].iter().take_while(|&&at| at < word.end);
        let mut cuts: Vec<usize> = allowed.copied().collect();
        if !string.is_ascii() {
            cuts.extend(
                unicode_linebreak::linebreaks(string)
                    .filter(|&(at, kind)| {
                        kind == BreakOpportunity::Allowed
                            && at < string.len()
                            && beside_wide(string, at)
                    })
                    .map(|(at, _)| word.start + at)
                    .filter(|&at| at == word.start || !self.atom_at(at)),
            );
            cuts.sort_unstable();
        }
        let mut start = word.start;
        let mut segments = Vec::with_capacity(cuts.len() + 1);
        for end in cuts.into_iter().chain([word.end]) {
            if end > start {
                segments.push(start..end);
                start = end;
            }
        }
        segments
    }
}

fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&b| b == b' ').count()
}

fn ceil(string: &str, mut at: usize) -> usize {
    at = at.min(string.len());
    while !string.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Whether one of the two characters around `at` is wide (MD-W2).
fn beside_wide(string: &str, at: usize) -> bool {
    let wide = |c: Option<char>| c.is_some_and(|c| c.width() == Some(2));
    wide(string[..at].chars().next_back()) || wide(string[at..].chars().next())
}

#[cfg(test)]
mod tests;
