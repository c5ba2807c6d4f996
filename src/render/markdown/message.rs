//! One message, however it arrives (`docs/render.md#streaming`).
//!
//! [`Message::push`] takes bytes, cut anywhere; [`Message::commit`] prints the
//! blocks that can no longer change, [`Message::finish`] the rest. The one-shot
//! rendering is `push(all)` and `finish()`: there is one code path (ST-1).
//!
//! comrak finds the boundaries: all top-level blocks of the tail but the last are
//! final. A block with a bracket that a later definition could turn into a link
//! is held back until the message ends, and definitions of printed text are put
//! in front of what is parsed later, so that the first one wins. Cleaning is per
//! line and comes first (ST-7). Behind [`LARGEST`] bytes, behind more structure
//! than a text of its length has, and for what nests too deeply, text is shown as
//! it is (SE-14); `limit` says where.

use super::block::{Gap, Place, last_line};
use super::growth::Growth;
use super::limit::{self, Budget};
use super::source::Source;
use super::{Writer, options};
use crate::render::lines::Lines;
use crate::render::theme::Role;
use crate::term::clean::{Control, Removed, Rules, clean};
use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};
use std::collections::HashMap;

/// More of one message is shown as plain text.
pub const LARGEST: usize = 8 << 20;

/// A markdown message on its way to the terminal.
#[derive(Debug)]
pub struct Message {
    writer: Writer,
    rules: Rules,
    removed: Removed,
    /// Bytes of a character that has not arrived whole.
    partial: Vec<u8>,
    /// Text behind the last newline, not yet cleaned.
    open_line: String,
    /// Cleaned lines not yet printed.
    tail: String,
    /// Cleaned lines behind what the parser is given, printed as they are.
    plain: String,
    /// What the parser may still be given.
    budget: Budget,
    /// Whether the end looks whole.
    growth: Growth,
    /// Whether deep nesting was cut in the tail.
    deep: bool,
    /// Length of the tail when it was last parsed.
    parsed: usize,
    /// Whether a blank line came since.
    blank: bool,
    /// Definitions in printed text: normalised label, then how to write it.
    definitions: HashMap<String, String>,
}

impl Message {
    /// A message printed on these lines; `number` tells its links from others'.
    pub fn new(lines: Lines, rules: Rules, number: u64, document: bool) -> Self {
        Self {
            writer: Writer::new(lines, rules, number, document),
            rules,
            removed: Removed::default(),
            partial: Vec::new(),
            open_line: String::new(),
            tail: String::new(),
            plain: String::new(),
            budget: Budget::default(),
            growth: Growth::default(),
            deep: false,
            parsed: 0,
            blank: false,
            definitions: HashMap::new(),
        }
    }

    /// What cleaning has taken away so far.
    pub fn removed(&self) -> Removed {
        let mut all = self.removed;
        all.add(self.writer.removed);
        all
    }

    /// Whether anything has been printed.
    pub fn started(&self) -> bool {
        self.writer.started
    }

    /// The lines it is printed on.
    pub fn lines(&mut self) -> &mut Lines {
        &mut self.writer.lines
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.partial.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            self.push_str(text);
            return;
        }
        let mut joined = std::mem::take(&mut self.partial);
        joined.extend_from_slice(bytes);
        let mut rest = joined.as_slice();
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.push_str(text);
                    return;
                }
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    self.push_str(&String::from_utf8_lossy(good));
                    let Some(length) = error.error_len() else {
                        self.partial = bad.to_vec();
                        return;
                    };
                    self.push_str("\u{fffd}");
                    rest = &bad[length..];
                }
            }
        }
    }

    /// Takes the next text.
    pub fn push_str(&mut self, text: &str) {
        self.growth.push(text);
        let Some(end) = memchr::memrchr(b'\n', text.as_bytes()) else {
            self.open_line.push_str(text);
            return;
        };
        let (lines, rest) = text.split_at(end + 1);
        if self.open_line.is_empty() {
            self.take(lines);
        } else {
            self.open_line.push_str(lines);
            let joined = std::mem::take(&mut self.open_line);
            self.take(&joined);
        }
        self.open_line.push_str(rest);
    }

    /// Cleans whole lines and adds them to the tail.
    fn take(&mut self, lines: &str) {
        let text = clean(lines, self.rules, &mut self.removed);
        let text = if self.rules.control == Control::Raw {
            text.replace("\r\n", "\n")
                .replace(['\r', '\0'], "\n")
                .into()
        } else {
            text
        };
        let before = self.tail.len();
        for line in text.split_inclusive('\n') {
            if self.budget.parses(line) {
                self.deep |= limit::push(&mut self.tail, line, &mut self.budget);
            } else {
                self.plain.push_str(line);
            }
        }
        self.blank |= memchr::memmem::find(&self.tail.as_bytes()[before..], b"\n\n")
            .is_some()
            || self.tail.as_bytes()[before..].starts_with(b"\n");
    }

    /// Prints what can no longer change.
    pub fn commit(&mut self, out: &mut Vec<u8>) {
        let grown = self.tail.len() >= 2 * self.parsed.max(64);
        if !self.plain.is_empty()
            || !(self.blank && self.tail.len() > self.parsed || grown)
        {
            return;
        }
        self.blank = false;
        self.print(out, false);
        self.parsed = self.tail.len();
    }

    /// Prints the rest and gives what cleaning took away.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Removed {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.push_str("\u{fffd}");
        }
        self.seal(out);
        self.removed()
    }

    /// Whether what was pushed looks whole, so that [`Message::seal`] may follow;
    /// `sentence` asks for an end that reads as one.
    pub fn is_whole(&self, sentence: bool) -> bool {
        self.partial.is_empty() && self.growth.is_whole(sentence)
    }

    /// Prints all there is; what is pushed afterwards begins a new block.
    pub fn seal(&mut self, out: &mut Vec<u8>) {
        let rest = std::mem::take(&mut self.open_line);
        self.take(&rest);
        self.print(out, true);
        let plain = std::mem::take(&mut self.plain);
        if !plain.is_empty() {
            self.writer.separate(out);
            let style = self.writer.lines.style(Role::Plain);
            for line in plain.trim_end_matches('\n').split('\n') {
                self.writer.lines.plain(out, line, style);
            }
        }
        self.growth = Growth::default();
        self.budget.rest();
        (self.parsed, self.blank, self.deep) = (0, false, false);
    }

    /// Parses the tail and prints its final blocks, or all of it.
    fn print(&mut self, out: &mut Vec<u8>, all: bool) {
        let start = out.len();
        let prefix = self.prefix();
        let joined;
        let text = if prefix.is_empty() {
            self.tail.as_str()
        } else {
            joined = format!("{prefix}\n{}", self.tail);
            joined.as_str()
        };
        let first = text.len() - self.tail.len();
        let first_line =
            memchr::memchr_iter(b'\n', &text.as_bytes()[..first]).count() + 1;
        let arena = Arena::new();
        let root = parse_document(&arena, text, &options());
        let source = Source::new(text);
        let mut chain = Vec::new();
        let mut place = Place {
            source: &source,
            chain: &mut chain,
            first: (0, 0),
        };
        let nodes: Vec<&AstNode<'_>> = root.children().collect();
        let (count, end_line) = if all {
            (nodes.len(), source.len() + 1)
        } else {
            ready(&nodes, &place, first_line)
        };
        if !all && count == 0 {
            return;
        }
        let lines = (first_line, end_line - 1);
        self.writer.blocks(
            out,
            nodes[..count].iter().copied(),
            &mut place,
            Gap::Always,
            lines,
        );
        let end = source.start(end_line) - first;
        if self.deep {
            limit::remove(out, start);
        }
        drop(nodes);
        if all {
            let printed = std::mem::take(&mut self.tail);
            self.define(&printed);
        } else {
            let rest = self.tail.split_off(end);
            let printed = std::mem::replace(&mut self.tail, rest);
            self.define(&printed);
        }
    }

    /// The definitions of printed text that the tail mentions.
    fn prefix(&self) -> String {
        let mut prefix = String::new();
        if !self.definitions.is_empty() {
            for label in labels(&self.tail) {
                if let Some(line) = self.definitions.get(&label) {
                    prefix.push_str(line);
                }
            }
        }
        prefix
    }

    /// Learns the definitions of text that has been printed.
    fn define(&mut self, printed: &str) {
        if memchr::memmem::find(printed.as_bytes(), b"]:").is_none() {
            return;
        }
        let mut probe = format!("{printed}\n\n");
        let mut tried = Vec::new();
        for (raw, label) in raw_labels(printed) {
            if !self.definitions.contains_key(&label) && !label.starts_with('^') {
                probe.push_str(&format!("[{raw}]\n\n"));
                tried.push(label);
            }
        }
        let arena = Arena::new();
        let root = parse_document(&arena, &probe, &options());
        let mut nodes: Vec<&AstNode<'_>> = root.children().collect();
        let from = nodes.len().saturating_sub(tried.len());
        for (node, label) in nodes.drain(from..).zip(tried) {
            let Some(child) = node.first_child() else {
                continue;
            };
            if let NodeValue::Link(link) = &child.data().value {
                let url = super::target::written(&link.url);
                let title = match link.title.as_str() {
                    "" => String::new(),
                    title => format!(" {}", super::target::title(title)),
                };
                let line = format!("[{label}]: {url}{title}\n");
                self.definitions.insert(label, line);
            }
        }
    }
}

/// How many blocks are final, and the line behind them.
fn ready<'a>(
    nodes: &[&'a AstNode<'a>],
    place: &Place<'_, '_>,
    first: usize,
) -> (usize, usize) {
    let Some((last, rest)) = nodes.split_last() else {
        return (0, first);
    };
    let held = rest.iter().position(|node| held(node));
    let mut count = held.unwrap_or(rest.len());
    let mut next = *rest.get(count).unwrap_or(last);
    loop {
        // Lines glued to the next block may yet become part of it.
        let start = next.data().sourcepos.start.line;
        let before = count.checked_sub(1).map(|before| rest[before]);
        let floor = before.map_or(first, |before| last_line(before) + 1);
        let mut end = start;
        while end > floor && !place.blank(end - 1) {
            end -= 1;
        }
        let owner = before.filter(|before| match &before.data().value {
            NodeValue::List(_) | NodeValue::FootnoteDefinition(_) => end < start,
            // A table's header line has been a line of the paragraph before.
            NodeValue::Paragraph => {
                floor == start && matches!(next.data().value, NodeValue::Table(_))
            }
            _ => false,
        });
        // They may also be the last lines of the list or note before.
        let Some(owner) = owner else {
            return (count, end);
        };
        count -= 1;
        next = owner;
    }
}

/// Whether a definition that is still to come could change the block.
fn held<'a>(block: &'a AstNode<'a>) -> bool {
    block.descendants().any(|node| match &node.data().value {
        NodeValue::Text(text) => memchr::memchr(b'[', text.as_bytes()).is_some(),
        NodeValue::Link(_) => node.first_child().is_some_and(|child| {
            matches!(&child.data().value, NodeValue::Text(text) if text.starts_with('^'))
        }),
        _ => false,
    })
}

/// The bracketed parts of a text that could be labels, as written and normalised.
fn raw_labels(text: &str) -> Vec<(&str, String)> {
    let bytes = text.as_bytes();
    let mut labels = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for close in memchr::memchr_iter(b']', bytes) {
        let window = close.saturating_sub(1002);
        let Some(open) = memchr::memrchr(b'[', &bytes[window..close]) else {
            continue;
        };
        let raw = &text[window + open + 1..close];
        let label = normal(raw);
        if !label.is_empty() && seen.insert(label.clone()) {
            labels.push((raw, label));
        }
    }
    labels
}

fn labels(text: &str) -> impl Iterator<Item = String> {
    raw_labels(text).into_iter().map(|(_, label)| label)
}

/// A label as the parser compares it: case folded, white space collapsed.
fn normal(label: &str) -> String {
    let words: Vec<&str> = label.split_whitespace().collect();
    words.join(" ").to_lowercase().to_uppercase().to_lowercase()
}
