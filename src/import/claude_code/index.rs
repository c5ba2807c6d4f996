//! The lines of a session as a tree.
//!
//! Every line of a conversation names the line before it; rewinds make branches,
//! subagents stand beside, a compaction starts a new root. One pass finds the
//! kinds, ids and parents; the lines themselves stay as they are.

use super::super::lines::{Line, lines};
use super::super::record::Record;
use crate::json::{Kind as JsonKind, Raw, Text};
use std::collections::HashMap;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    System,
    Attachment,
    Progress,
    /// Any other kind: outside the tree.
    Other,
    /// A known kind of an unusable shape.
    Odd,
    /// No JSON object.
    Broken,
    /// Equal to an earlier line.
    Repeated,
    /// Another line under an earlier line's id.
    Duplicate,
}

/// A session, indexed.
#[derive(Debug)]
pub(super) struct Index<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) kinds: Vec<Kind>,
    pub(super) parents: Vec<Option<usize>>,
    pub(super) side: Vec<bool>,
    /// Whether every tree line is a side line: an agent's own file.
    pub(super) all_side: bool,
    by_id: HashMap<&'a [u8], usize>,
}

impl<'a> Index<'a> {
    /// Indexes a session; what is wrong with its tree is told to `record`.
    pub(super) fn read(bytes: &'a [u8], record: &mut Record<'_>) -> Self {
        Self::of(lines(bytes).collect(), record)
    }

    /// Indexes lines.
    pub(super) fn of(lines: Vec<Line<'a>>, record: &mut Record<'_>) -> Self {
        let mut index = Self {
            kinds: lines.iter().map(kind).collect(),
            side: lines.iter().map(is_side).collect(),
            parents: vec![None; lines.len()],
            by_id: HashMap::new(),
            all_side: false,
            lines,
        };
        index.identify(record);
        index.link(record);
        let mut tree = (0..index.lines.len()).filter(|&at| index.is_tree(at));
        let first = tree.next().map(|at| index.side[at]);
        index.all_side = first == Some(true) && tree.all(|at| index.side[at]);
        index
    }

    fn identify(&mut self, record: &mut Record<'_>) {
        for at in 0..self.lines.len() {
            if !self.is_tree(at) {
                continue;
            }
            let Some(id) = self.lines[at].text("uuid") else {
                continue;
            };
            let Some(&first) = self.by_id.get(id.escaped()) else {
                self.by_id.insert(id.escaped(), at);
                continue;
            };
            let (number, offset) = (self.lines[at].number, self.lines[at].offset);
            if self.lines[at].raw() == self.lines[first].raw() {
                self.kinds[at] = Kind::Repeated;
                record.note(
                    "duplicate-line",
                    || format!("line {number} repeats an earlier line and is left out"),
                    None,
                );
            } else {
                self.kinds[at] = Kind::Duplicate;
                record.warn("duplicate-uuid", offset, || {
                    format!("line {number} has the uuid of an earlier line; it is kept aside")
                });
            }
        }
    }

    fn link(&mut self, record: &mut Record<'_>) {
        for at in 0..self.lines.len() {
            if !self.is_tree(at) {
                continue;
            }
            let parent = self.lines[at].text("parentUuid");
            self.parents[at] = parent.and_then(|id| self.find(id));
            if let (Some(_), None) = (parent, self.parents[at]) {
                let number = self.lines[at].number;
                record.note(
                    "missing-parent",
                    || format!("the parent of line {number} is not in the file"),
                    None,
                );
            }
        }
        self.cut_cycles(record);
    }

    /// Cuts every cycle of parents where it closes.
    fn cut_cycles(&mut self, record: &mut Record<'_>) {
        // 0: not seen; otherwise the walk that saw it first.
        let mut seen = vec![0usize; self.lines.len()];
        for start in 0..self.lines.len() {
            let walk = start + 1;
            let mut at = start;
            while seen[at] == 0 {
                seen[at] = walk;
                let Some(parent) = self.parents[at] else {
                    break;
                };
                if seen[parent] == walk {
                    self.parents[at] = None;
                    let (number, offset) =
                        (self.lines[at].number, self.lines[at].offset);
                    record.warn("parent-cycle", offset, || {
                        format!(
                            "the parents of line {number} lead back to it; cut there"
                        )
                    });
                    break;
                }
                at = parent;
            }
        }
    }

    /// The line with that id.
    pub(super) fn find(&self, id: Text<'_>) -> Option<usize> {
        self.by_id.get(id.escaped()).copied()
    }

    /// Whether a line has a place in the tree.
    pub(super) fn is_tree(&self, at: usize) -> bool {
        matches!(
            self.kinds[at],
            Kind::User
                | Kind::Assistant
                | Kind::System
                | Kind::Attachment
                | Kind::Progress
        )
    }

    /// Whether a line is in the tree and no subagent's.
    pub(super) fn is_main(&self, at: usize) -> bool {
        self.is_tree(at) && (self.all_side || !self.side[at])
    }

    /// Whether a line is a message.
    pub(super) fn is_message(&self, at: usize) -> bool {
        matches!(self.kinds[at], Kind::User | Kind::Assistant)
    }

    /// Whether a line marks a compaction.
    pub(super) fn is_boundary(&self, at: usize) -> bool {
        self.kinds[at] == Kind::System
            && self.lines[at]
                .text("subtype")
                .is_some_and(|subtype| subtype.is("compact_boundary"))
    }

    /// Whether a flag of the line is true.
    pub(super) fn flag(&self, at: usize, key: &str) -> bool {
        self.lines[at].get(key).and_then(Raw::as_bool) == Some(true)
    }

    /// Whether the line is the summary that replaced what came before.
    pub(super) fn is_summary(&self, at: usize) -> bool {
        self.kinds[at] == Kind::User && self.flag(at, "isCompactSummary")
    }

    /// A member of the line's message.
    pub(super) fn message(&self, at: usize, key: &str) -> Option<Raw<'a>> {
        self.lines[at].get("message")?.get(key)
    }

    /// The blocks of the line's message; none for a string.
    pub(super) fn blocks(&self, at: usize) -> impl Iterator<Item = Raw<'a>> {
        let content = self.message(at, "content");
        content.and_then(Raw::as_array).into_iter().flatten()
    }

    /// The text a message opens with.
    pub(super) fn first_text(&self, at: usize) -> Option<Text<'a>> {
        let content = self.message(at, "content")?;
        content
            .as_text()
            .or_else(|| self.blocks(at).find_map(|block| text_of(block)))
    }
}

/// The text of a text block or bare string.
pub(super) fn text_of(block: Raw<'_>) -> Option<Text<'_>> {
    block
        .as_text()
        .or_else(|| block.get("text").and_then(Raw::as_text))
}

fn kind(line: &Line<'_>) -> Kind {
    let Some(raw) = line.raw() else {
        return Kind::Broken;
    };
    let is = |name: &str| line.text("type").is_some_and(|tag| tag.is(name));
    let message = match (is("user"), is("assistant")) {
        (true, _) => Kind::User,
        (_, true) => Kind::Assistant,
        _ if is("system") => return Kind::System,
        _ if is("attachment") => return Kind::Attachment,
        _ if is("progress") => return Kind::Progress,
        _ => return Kind::Other,
    };
    let content = raw
        .get("message")
        .and_then(|message| message.get("content"));
    match content.map(Raw::kind) {
        Some(JsonKind::String) => message,
        Some(JsonKind::Array) => {
            let typed = |block: Raw<'_>| {
                block.kind() == JsonKind::String
                    || block
                        .get("type")
                        .is_some_and(|t| t.kind() == JsonKind::String)
            };
            let blocks = content.and_then(Raw::as_array).into_iter().flatten();
            match blocks.into_iter().all(typed) {
                true => message,
                false => Kind::Odd,
            }
        }
        _ => Kind::Odd,
    }
}

fn is_side(line: &Line<'_>) -> bool {
    line.get("isSidechain").and_then(Raw::as_bool) == Some(true)
        || line.text("teamName").is_some()
}
