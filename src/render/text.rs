//! Styled text: a string, and runs of style and link over it.
//!
//! Between reading and writing, text never holds an escape sequence; styles and
//! links stand beside it and become escapes once, when a line is written. A
//! newline in the string is a forced line break.

use anstyle::Style;
use std::ops::Range;

/// A run of equal style and link, up to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// The byte behind the run.
    pub end: usize,
    /// How it looks.
    pub style: Style,
    /// Its link, counted from 1; 0 is none.
    pub link: u32,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The target as it may stand in an escape sequence.
    pub target: String,
    /// Joins the pieces of one link.
    pub id: String,
}

/// A string with styles, links, and hints for wrapping.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// The string.
    pub string: String,
    /// Its runs, in order; they cover the string.
    pub runs: Vec<Run>,
    /// The links of the runs.
    pub links: Vec<Link>,
    /// Parts that are never broken, in order.
    pub atoms: Vec<Range<usize>>,
    /// Places inside words where a line may break, in order.
    pub breaks: Vec<usize>,
    /// Spaces at which a line must not break, in order.
    pub glued: Vec<usize>,
}

impl Text {
    /// A text of one style.
    pub fn styled(string: impl Into<String>, style: Style) -> Self {
        let mut text = Self::default();
        text.push(&string.into(), style, 0);
        text
    }

    /// Forgets the content, keeps the memory.
    pub fn clear(&mut self) {
        self.string.clear();
        self.runs.clear();
        self.links.clear();
        self.atoms.clear();
        self.breaks.clear();
        self.glued.clear();
    }

    /// Appends a piece.
    pub fn push(&mut self, piece: &str, style: Style, link: u32) {
        if piece.is_empty() {
            return;
        }
        self.string.push_str(piece);
        self.extend_run(style, link);
    }

    /// Appends a character.
    pub fn push_char(&mut self, c: char, style: Style, link: u32) {
        self.string.push(c);
        self.extend_run(style, link);
    }

    fn extend_run(&mut self, style: Style, link: u32) {
        let end = self.string.len();
        match self.runs.last_mut() {
            Some(run) if run.style == style && run.link == link => run.end = end,
            _ => self.runs.push(Run { end, style, link }),
        }
    }

    /// Appends a part of another text, with its styles and links.
    pub fn append(&mut self, other: &Text, range: Range<usize>) {
        let first = other.runs.partition_point(|run| run.end <= range.start);
        let mut start = range.start;
        let mut known = (0, 0);
        for run in &other.runs[first..] {
            if start >= range.end {
                break;
            }
            let end = run.end.min(range.end);
            if run.link != known.0 {
                let link = other.links.get((run.link as usize).wrapping_sub(1));
                known = (run.link, link.map_or(0, |link| self.add_link(link.clone())));
            }
            self.push(&other.string[start..end], run.style, known.1);
            start = end;
        }
    }

    /// Appends a piece that is never broken.
    pub fn push_atom(&mut self, piece: &str, style: Style, link: u32) {
        let start = self.string.len();
        self.push(piece, style, link);
        self.atoms.push(start..self.string.len());
    }

    /// Allows a break at the end of what is there.
    pub fn allow_break(&mut self) {
        self.breaks.push(self.string.len());
    }

    /// Adds a link and gives its number.
    pub fn add_link(&mut self, link: Link) -> u32 {
        self.links.push(link);
        u32::try_from(self.links.len()).unwrap_or(0)
    }

    /// Drops white space at the end.
    pub fn trim_end(&mut self) {
        let end = self.string.trim_end().len();
        self.string.truncate(end);
        while let Some(run) = self.runs.last_mut() {
            run.end = run.end.min(end);
            let start = self.runs.iter().rev().nth(1).map_or(0, |run| run.end);
            if start < end || end == 0 && self.runs.is_empty() {
                break;
            }
            self.runs.pop();
        }
    }
}
