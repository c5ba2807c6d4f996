//! The source behind a tree: lines, container prefixes, inline content.
//!
//! Text is printed from the source, so nothing of it can vanish and every
//! delimiter stays as written (MD-2); the tree only says what a part is. A
//! [`Content`] is the inline source of one leaf block on one string, newlines
//! for line ends, and maps positions of the tree into it.

/// A message split into lines.
#[derive(Debug)]
pub(super) struct Source<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts = Vec::with_capacity(text.len() / 40 + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        Self { text, starts }
    }

    /// Line `number`, counted from 1, without its newline.
    pub(super) fn line(&self, number: usize) -> &'a str {
        let start = number.checked_sub(1).and_then(|n| self.starts.get(n));
        let Some(&start) = start else { return "" };
        let end = self
            .starts
            .get(number)
            .map_or(self.text.len(), |end| end - 1);
        &self.text[start..end]
    }

    /// The byte at which line `number` starts.
    pub(super) fn start(&self, number: usize) -> usize {
        let start = number.checked_sub(1).and_then(|n| self.starts.get(n));
        start.copied().unwrap_or(self.text.len())
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }
}

/// How an open container marks its lines.
#[derive(Debug, Clone, Copy)]
pub(super) enum Strip {
    /// `>` and a space.
    Quote,
    /// So many columns of white space.
    Indent(usize),
}

/// The byte at which the content of a line starts behind its containers.
pub(super) fn strip(line: &str, chain: &[Strip]) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    let mut column = 0;
    // Columns of a tab that a container has used in part.
    let mut spare = 0;
    for container in chain {
        match *container {
            Strip::Quote => {
                let (mut next, mut next_column) = (at, column);
                let mut indent = spare;
                while let Some(width) = space(bytes.get(next), next_column) {
                    if indent + width > 3 {
                        break;
                    }
                    indent += width;
                    next_column += width;
                    next += 1;
                }
                if bytes.get(next) != Some(&b'>') || indent > 3 {
                    break;
                }
                at = next + 1;
                column = next_column + 1;
                spare = 0;
                if let Some(width) = space(bytes.get(at), column) {
                    at += 1;
                    column += width;
                    spare = width - 1;
                }
            }
            Strip::Indent(columns) => {
                let mut need = columns;
                let used = spare.min(need);
                need -= used;
                spare -= used;
                while need > 0 {
                    let Some(width) = space(bytes.get(at), column) else {
                        break;
                    };
                    at += 1;
                    column += width;
                    spare = width.saturating_sub(need);
                    need = need.saturating_sub(width);
                }
            }
        }
    }
    at
}

fn space(byte: Option<&u8>, column: usize) -> Option<usize> {
    match byte {
        Some(b' ') => Some(1),
        Some(b'\t') => Some(4 - column % 4),
        _ => None,
    }
}

/// The inline source of one block.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Its lines, trimmed, joined with newlines.
    pub(super) flat: String,
    /// Per line: where it starts in `flat`, and the byte column it came from.
    lines: Vec<(usize, usize)>,
    first: usize,
    /// Lines of link definitions in front of what the tree knows.
    definitions: usize,
    /// Offsets, as the parser counts them, of backslashes it took away first:
    /// those of `\|` in a table cell.
    dropped: Vec<usize>,
    /// Whether this is what a table's header line followed: the parser has
    /// unescaped its `\|` too.
    pub(super) before_table: bool,
}

impl Content {
    /// Starts over with a block whose first line is `first`.
    pub(super) fn reset(&mut self, first: usize) {
        self.flat.clear();
        self.lines.clear();
        self.dropped.clear();
        self.first = first;
        self.definitions = 0;
        self.before_table = false;
    }

    /// Adds a line: the part of `line` from `from` up to `to`.
    pub(super) fn line(&mut self, line: &str, from: usize, to: usize) {
        let to = to.min(line.len());
        let part = line.get(from.min(to)..to).unwrap_or_default();
        let trimmed = part.trim_start_matches([' ', '\t']);
        let from = from + part.len() - trimmed.len();
        if !self.lines.is_empty() {
            self.flat.push('\n');
        }
        self.lines.push((self.flat.len(), from));
        let trimmed = trimmed.trim_end_matches([' ', '\t']);
        if self.before_table && trimmed.contains("\\|") {
            self.flat.push_str(&trimmed.replace("\\|", "|"));
        } else {
            self.flat.push_str(trimmed);
        }
    }

    /// Says that the first lines are definitions; gives them.
    pub(super) fn define(&mut self, lines: usize) -> String {
        self.definitions = lines.min(self.lines.len());
        let end = self
            .lines
            .get(self.definitions)
            .map_or(self.flat.len(), |line| line.0);
        self.flat[..end].to_owned()
    }

    /// Where the inline source starts, behind definitions.
    pub(super) fn start(&self) -> usize {
        self.lines.get(self.definitions).map_or(0, |line| line.0)
    }

    /// Says that this is a table cell, whose `\|` the parser has unescaped.
    pub(super) fn unescape_pipes(&mut self) {
        let flat = &self.flat;
        self.dropped = memchr::memmem::find_iter(flat.as_bytes(), "\\|")
            .enumerate()
            .map(|(before, at)| at - before)
            .collect();
    }

    /// The offset of a position of the tree, from which `past` bytes on.
    pub(super) fn at(&self, line: usize, column: usize, past: usize) -> usize {
        let index = line.saturating_sub(self.first);
        let base = self.lines.get(index).map_or(0, |line| line.1);
        let Some(&(start, _)) = self.lines.get(index + self.definitions) else {
            return self.flat.len();
        };
        let end = self
            .lines
            .get(index + self.definitions + 1)
            .map_or(self.flat.len(), |line| line.0 - 1);
        let mut at = start + (column + past).saturating_sub(1).saturating_sub(base);
        at += self.dropped.partition_point(|&backslash| backslash < at);
        at = at.min(end);
        while !self.flat.is_char_boundary(at) {
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_containers_are_stripped_as_the_parser_does() {
        let quote = [Strip::Quote];
        let nested = [Strip::Quote, Strip::Quote];
        assert_eq!(strip("> a", &quote), 2);
        assert_eq!(strip(">a", &quote), 1);
        assert_eq!(strip("  > a", &quote), 4);
        assert_eq!(strip("    > a", &quote), 0);
        assert_eq!(strip("lazy", &quote), 0);
        assert_eq!(strip("> > a", &nested), 4);
        assert_eq!(strip("> a", &nested), 2);
        assert_eq!(strip(">      > a", &nested), 2);
        assert_eq!(strip("> - > a", &[Strip::Quote]), 2);
        let item = [Strip::Quote, Strip::Indent(2), Strip::Quote];
        assert_eq!(strip(">   > a", &item), 6);
        assert_eq!(strip("   a", &[Strip::Indent(2)]), 2);
    }

    #[test]
    fn positions_map_into_the_content() {
        let mut content = Content::default();
        content.reset(3);
        content.line("> one ", 2, 6);
        content.line(">   two", 2, 7);
        assert_eq!(content.flat, "one\ntwo");
        assert_eq!(content.at(3, 3, 0), 0);
        assert_eq!(content.at(4, 5, 0), 4);
        assert_eq!(content.at(4, 7, 1), 7);
        content.reset(1);
        content.line("a \\| b", 0, 6);
        content.unescape_pipes();
        assert_eq!(content.at(1, 5, 0), 5);
    }
}
