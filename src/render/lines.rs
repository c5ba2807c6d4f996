//! Writing finished lines: prefixes of containers, styles, links, shading.
//!
//! The only place where escape sequences are made. Whatever is active is closed
//! before a newline and opened again behind the next prefix (MD-W4), no line ends
//! in spaces of ours (MD-W7), every line of a container opens with its marker
//! (MD-18), and a prefix that would leave less than twenty columns keeps only its
//! innermost ones (MD-W6).

use super::surface::Surface;
use super::text::Text;
use super::theme::{Role, fit, over, style};
use crate::term::Paint;
use crate::term::width::cells;
use anstyle::Style;
use std::fmt::Display;
use std::io::Write;
use std::ops::Range;

/// Content columns that prefixes leave, and prefix columns they always get.
const LEAST_CONTENT: usize = 20;
const LEAST_PREFIX: usize = 4;

#[derive(Debug, Clone)]
struct Part {
    first: Option<String>,
    rest: String,
    style: Style,
    columns: usize,
}

impl Part {
    /// What it puts on the next line.
    fn now(&self) -> &str {
        self.first.as_deref().unwrap_or(&self.rest)
    }
}

/// The lines of one region of a stream.
#[derive(Debug, Clone)]
pub struct Lines {
    /// What the stream can show.
    pub surface: Surface,
    parts: Vec<Part>,
    /// The ground everything stands on.
    ground: Style,
}

impl Lines {
    /// Lines without prefix or shading.
    pub fn new(surface: &Surface) -> Self {
        Self {
            surface: surface.clone(),
            parts: Vec::new(),
            ground: Style::new(),
        }
    }

    /// The style of a role here.
    pub fn style(&self, role: Role) -> Style {
        style(role, self.surface.theme, self.surface.paint)
    }

    /// A style of content as far as the stream shows it.
    pub fn fit(&self, style: Style) -> Style {
        fit(style, self.surface.paint)
    }

    /// Puts everything from here on the ground of a role.
    pub fn shade(&mut self, role: Role) {
        self.ground = self.style(role);
    }

    /// Opens a container: its marker on the first line, its prefix on the rest.
    pub fn open(&mut self, first: &str, rest: &str, style: Style) {
        self.parts.push(Part {
            first: Some(first.to_owned()),
            rest: rest.to_owned(),
            style,
            columns: cells(rest),
        });
    }

    /// Closes the innermost container.
    pub fn close(&mut self) {
        self.parts.pop();
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.parts.len()
    }

    /// Whether the innermost container still waits for its first line.
    pub fn fresh(&self) -> bool {
        self.parts.last().is_some_and(|part| part.first.is_some())
    }

    fn prefix_columns(&self) -> usize {
        let columns = |part: &Part| {
            let first = part.first.as_deref().map_or(0, cells);
            part.columns.max(first)
        };
        self.parts.iter().map(columns).sum()
    }

    fn cap(&self, columns: usize) -> usize {
        columns.saturating_sub(LEAST_CONTENT).max(LEAST_PREFIX)
    }

    /// Columns left for prose; `None` does not wrap.
    pub fn prose(&self) -> Option<usize> {
        self.surface.prose().map(|columns| self.left(columns))
    }

    /// Columns left for tables; `None` does not wrap.
    pub fn whole(&self) -> Option<usize> {
        (self.surface.columns > 0).then(|| self.left(self.surface.columns))
    }

    fn left(&self, columns: usize) -> usize {
        columns
            - self
                .prefix_columns()
                .min(self.cap(columns))
                .min(columns - 1)
    }

    /// Writes one line: a part of a text.
    pub fn line(&mut self, out: &mut Vec<u8>, text: &Text, range: Range<usize>) {
        let empty = range.is_empty();
        self.prefix(out, empty);
        paint(out, text, range, self.ground, self.surface.hyperlinks);
        self.end(out);
    }

    /// Writes one line of one style.
    pub fn plain(&mut self, out: &mut Vec<u8>, line: &str, style: Style) {
        self.prefix(out, line.is_empty());
        self.styled(out, line, style);
        self.end(out);
    }

    /// Writes an empty line: the prefix without its trailing spaces.
    pub fn blank(&mut self, out: &mut Vec<u8>) {
        self.prefix(out, true);
        self.end(out);
    }

    fn styled(&self, out: &mut Vec<u8>, piece: &str, style: Style) {
        let style = over(self.ground, style);
        if style.is_plain() || piece.is_empty() {
            out.extend_from_slice(piece.as_bytes());
            return;
        }
        put(out, style.render());
        out.extend_from_slice(piece.as_bytes());
        put(out, style.render_reset());
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.ground.get_bg_color().is_some() {
            put(out, self.ground.render());
            out.extend_from_slice(b"\x1b[K");
            put(out, self.ground.render_reset());
        }
        out.push(b'\n');
    }

    /// Writes the prefix of a line, without trailing spaces on an empty one.
    fn prefix(&mut self, out: &mut Vec<u8>, empty: bool) {
        if self.parts.is_empty() {
            return;
        }
        let limit = match self.surface.prose() {
            Some(columns) => self.cap(columns),
            None => usize::MAX,
        };
        let width = |part: &Part| part.first.as_deref().map_or(part.columns, cells);
        let total: usize = self.parts.iter().map(width).sum();
        let mut skip = total.saturating_sub(limit);
        // An empty line ends with the last mark of its prefix.
        let marked = |part: &Part| !part.now().trim_end().is_empty();
        let last = match empty {
            true => self.parts.iter().rposition(marked),
            false => None,
        };
        let end = match last {
            Some(last) => last + 1,
            None if empty => 0,
            None => self.parts.len(),
        };
        for (index, part) in self.parts[..end].iter().enumerate() {
            let mut piece = part.now();
            if Some(index) == last {
                piece = piece.trim_end();
            }
            if skip > 0 {
                let columns = cells(piece);
                if skip >= columns {
                    skip -= columns;
                    continue;
                }
                piece = &piece[crate::term::width::fitting(piece, skip)..];
                skip = 0;
            }
            self.styled(out, piece, part.style);
        }
        for part in &mut self.parts {
            part.first = None;
        }
    }
}

fn put(out: &mut Vec<u8>, value: impl Display) {
    let _ = write!(out, "{value}");
}

/// Writes a part of a text with its styles and links.
pub fn paint(
    out: &mut Vec<u8>,
    text: &Text,
    range: Range<usize>,
    ground: Style,
    hyperlinks: bool,
) {
    let bytes = text.string.as_bytes();
    let first = text.runs.partition_point(|run| run.end <= range.start);
    let mut start = range.start;
    let mut open = 0;
    for run in &text.runs[first.min(text.runs.len())..] {
        if start >= range.end {
            break;
        }
        let end = run.end.min(range.end);
        let link = if hyperlinks { run.link } else { 0 };
        if link != open {
            if open != 0 {
                out.extend_from_slice(b"\x1b]8;;\x1b\\");
            }
            if let Some(target) = text.links.get((link as usize).wrapping_sub(1)) {
                let _ = write!(out, "\x1b]8;id={};{}\x1b\\", target.id, target.target);
            }
            open = link;
        }
        let style = over(ground, run.style);
        if style.is_plain() {
            out.extend_from_slice(&bytes[start..end]);
        } else {
            put(out, style.render());
            out.extend_from_slice(&bytes[start..end]);
            put(out, style.render_reset());
        }
        start = end;
    }
    if open != 0 {
        out.extend_from_slice(b"\x1b]8;;\x1b\\");
    }
}

/// Whether a paint has escapes at all.
pub fn paints(paint: Paint) -> bool {
    paint != Paint::None
}
