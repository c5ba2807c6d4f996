//! What would cost more than it shows (SE-14): nesting, and structure without end.
//!
//! [`Budget`] counts what the parser would make a node of. A message of many more
//! than a text of its size needs is given to the parser as far as the budget goes,
//! and printed as it is behind that: nothing is lost, and memory and output stay
//! within a small multiple of the message.
//!
//! A container marker behind a hundred others on its line, or too far to the
//! right to be anything but the inside of as many lists, gets a character in
//! front that makes it text for the parser. Clean text cannot hold that
//! character; it is taken out again when the blocks are printed, so the line
//! looks as it was written.

/// What makes a marker text.
pub(crate) const SENTINEL: char = '\u{1}';

/// Containers that may open on one line.
const MARKERS: usize = 100;
/// Columns in front of a marker.
const COLUMNS: usize = 240;

/// Nodes that any message may have.
const NODES: usize = 16 << 10;
/// Bytes of a message that earn it one node more.
const EARN: usize = 32;
/// Cells that any message may leave out of its table rows.
const CELLS: usize = 4 << 10;

/// What is left of the work that a message may cause.
#[derive(Debug, Clone, Default)]
pub(super) struct Budget {
    bytes: usize,
    nodes: usize,
    /// Whether it is used up: everything from there on is plain.
    spent: bool,
    /// The fence that is open: its character and length.
    fence: Option<(u8, usize)>,
    /// Columns of the table whose rows come, and the cells its rows have left out.
    columns: usize,
    missing: usize,
}

impl Budget {
    /// Whether the parser is given the next line.
    pub(super) fn parses(&mut self, line: &str) -> bool {
        if !self.spent {
            self.bytes += line.len();
            self.nodes += self.nodes_of(line.as_bytes());
            self.spent =
                self.nodes > NODES + self.bytes / EARN || self.bytes > super::LARGEST;
        }
        !self.spent
    }

    /// A message goes on behind a place where all of it was printed.
    pub(super) fn rest(&mut self) {
        self.fence = None;
        self.columns = 0;
    }

    /// About how many nodes a line makes, text aside: its marks and its end.
    fn nodes_of(&mut self, line: &[u8]) -> usize {
        let inner = line.trim_ascii();
        let mark = inner.first().copied().unwrap_or(0);
        let run = inner.iter().take_while(|&&b| b == mark).count();
        let is_fence = run >= 3 && matches!(mark, b'`' | b'~');
        match self.fence {
            Some((open, length)) => {
                if is_fence && mark == open && run >= length && run == inner.len() {
                    self.fence = None;
                }
                // Code is one text, however long.
                return 0;
            }
            None if is_fence && !inner[run..].contains(&b'`') => {
                self.fence = Some((mark, run));
                return 1;
            }
            None => {}
        }
        let mut nodes = 1;
        for (at, &byte) in line.iter().enumerate() {
            nodes += match byte {
                b'|' | b'*' | b'_' | b'~' | b'`' | b'[' | b']' | b'<' | b'!' | b'$'
                | b'\\' | b'&' | b'@' => 1,
                // A marker of a list or a quote, not a hyphen in a word.
                b'-' | b'+' | b'>' => {
                    let alone = |b: Option<&u8>| b.is_none_or(u8::is_ascii_whitespace);
                    let before = at.checked_sub(1).and_then(|at| line.get(at));
                    usize::from(
                        byte == b'>' || alone(before) && alone(line.get(at + 1)),
                    )
                }
                b':' => usize::from(line[at..].starts_with(b"://")),
                b'w' => usize::from(line[at..].starts_with(b"www.")),
                _ => 0,
            };
        }
        nodes
    }

    /// Whether a table would be filled up with more empty cells than it has text;
    /// it ends in front of this line then.
    fn breaks_table(&mut self, line: &[u8]) -> bool {
        let inner = line.trim_ascii();
        let pipes = memchr::memchr_iter(b'|', inner).count();
        if inner.is_empty() || self.fence.is_some() {
            self.columns = 0;
            return false;
        }
        let delimiter = |b: &u8| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t' | b'>');
        if pipes > 0 && inner.contains(&b'-') && inner.iter().all(delimiter) {
            self.columns = pipes + 1;
            return false;
        }
        self.missing += self.columns.saturating_sub(pipes + 1);
        let over = self.missing > CELLS + self.bytes / EARN;
        if over {
            self.missing -= self.columns.saturating_sub(pipes + 1);
            self.columns = 0;
        }
        over
    }
}

/// Appends a line to a tail; says whether nesting was cut in it.
pub(super) fn push(tail: &mut String, line: &str, budget: &mut Budget) -> bool {
    let bytes = line.as_bytes();
    if budget.breaks_table(bytes) {
        // A blank line ends a table, and only that does.
        tail.push('\n');
    }
    let opens = matches!(
        bytes.first(),
        Some(b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'0'..=b'9')
    );
    let cut = if opens { deep(bytes) } else { None };
    let Some(at) = cut else {
        tail.push_str(line);
        return false;
    };
    tail.push_str(&line[..at]);
    tail.push(SENTINEL);
    tail.push_str(&line[at..]);
    true
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

/// The start of a text that a parser may be given, guarded against nesting; and the
/// rest, which is to be shown as it is.
pub(crate) fn bounded(text: &str) -> (String, &str) {
    let mut budget = Budget::default();
    let mut parsed = String::with_capacity(text.len());
    let mut rest = text;
    for line in text.split_inclusive('\n') {
        if !budget.parses(line) {
            break;
        }
        push(&mut parsed, line, &mut budget);
        rest = &rest[line.len()..];
    }
    (parsed, rest)
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
