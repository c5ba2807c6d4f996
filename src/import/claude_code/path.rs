//! Which lines of a session are one conversation, and in which order.
//!
//! A path goes from a leaf back to a root, over compaction boundaries. Answers
//! written block by block and results that hang beside the path are brought in,
//! and all blocks of one answer are drawn together.

use super::index::Index;
use crate::json::{Raw, Text};
use std::collections::{HashMap, HashSet};

/// A compaction on the path.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    /// The line that marks it.
    pub(super) line: usize,
    /// The summary that replaced what came before.
    pub(super) summary: Option<usize>,
    /// The first line kept verbatim, or, with none, the first behind it.
    pub(super) before: Option<usize>,
}

/// The lines of one conversation.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// In the order of speech.
    pub(super) lines: Vec<usize>,
    pub(super) boundaries: Vec<Boundary>,
    /// Whether the tree was no help.
    pub(super) linear: bool,
}

/// What is kept of a compaction: boundary line, and kept lines in order.
struct Kept {
    boundary: usize,
    lines: Vec<usize>,
}

/// How far a summary may be from its boundary: the next lines, as it is written.
const NEAR: usize = 16;

/// Walks sessions.
pub(super) struct Walker<'i, 'a> {
    index: &'i Index<'a>,
    kept: Vec<Kept>,
    /// The kept segment a line is in, with its place there.
    kept_in: HashMap<usize, (usize, usize)>,
    roots: Vec<usize>,
}

impl<'i, 'a> Walker<'i, 'a> {
    pub(super) fn new(index: &'i Index<'a>) -> Self {
        let mut kept = Vec::new();
        for at in 0..index.lines.len() {
            if index.is_main(at) && index.is_boundary(at) {
                let lines = kept_lines(index, at);
                kept.push(Kept {
                    boundary: at,
                    lines,
                });
            }
        }
        let mut kept_in = HashMap::new();
        for (number, one) in kept.iter().enumerate() {
            for (place, &line) in one.lines.iter().enumerate() {
                // The newest compaction decides.
                kept_in.insert(line, (number, place));
            }
        }
        Self {
            index,
            kept,
            kept_in,
            roots: roots(index),
        }
    }

    /// Whether the lines form no tree at all.
    pub(super) fn is_linear(&self) -> bool {
        let main = || (0..self.index.lines.len()).filter(|&at| self.index.is_main(at));
        let unnamed = main().any(|at| {
            self.index.is_message(at) && self.index.lines[at].text("uuid").is_none()
        });
        let linked = main().any(|at| {
            self.index.parents[at].is_some_and(|parent| self.index.is_main(parent))
        });
        unnamed || !linked
    }

    /// All main lines in file order.
    pub(super) fn linear(&self) -> Path {
        let lines = (0..self.index.lines.len())
            .filter(|&at| self.index.is_main(at))
            .collect();
        let mut path = Path {
            lines,
            linear: true,
            ..Path::default()
        };
        let boundaries: Vec<_> = (0..self.kept.len()).collect();
        self.mark(&mut path, &boundaries);
        self.gather(&mut path.lines);
        path
    }

    /// The messages at the ends of branches, in file order.
    pub(super) fn leaves(&self) -> Vec<usize> {
        let index = self.index;
        let mut named = vec![false; index.lines.len()];
        for at in 0..index.lines.len() {
            if let Some(parent) = index.parents[at].filter(|_| index.is_main(at)) {
                named[parent] = true;
            }
        }
        let mut leaves: Vec<usize> = (0..index.lines.len())
            .filter(|&at| index.is_main(at) && !named[at])
            .filter_map(|at| self.message_at_or_above(at))
            .collect();
        leaves.sort_unstable();
        leaves.dedup();
        // A message above another leaf is an end of nothing.
        let above = self.above(&leaves);
        leaves.retain(|leaf| !above.contains(leaf));
        leaves
    }

    fn message_at_or_above(&self, at: usize) -> Option<usize> {
        let mut at = Some(at);
        while let Some(line) = at {
            if self.index.is_main(line) && self.index.is_message(line) {
                return Some(line);
            }
            at = self.index.parents[line];
        }
        None
    }

    /// All lines strictly above a leaf.
    fn above(&self, leaves: &[usize]) -> HashSet<usize> {
        let mut above = HashSet::new();
        for &leaf in leaves {
            let mut at = self.index.parents[leaf];
            while let Some(line) = at.filter(|&line| above.insert(line)) {
                at = self.index.parents[line];
            }
        }
        // A summary that only kept lines follow, and kept lines themselves, end
        // nothing either.
        for kept in &self.kept {
            above.extend(&kept.lines[..kept.lines.len().saturating_sub(1)]);
        }
        above
    }

    /// The path that ends at `leaf`.
    pub(super) fn path(&self, leaf: usize) -> Path {
        let (mut path, mut seen) = self.back(leaf);
        self.older_roots(&mut path, &mut seen);
        let mut lines = path.lines;
        self.complete(&mut lines);
        let own = path.boundaries.iter().map(|boundary| boundary.line);
        let own: HashSet<usize> = own.collect();
        self.stubs(&mut lines);
        lines.retain(|line| !own.contains(line));
        self.gather(&mut lines);
        path.lines = lines;
        path
    }

    /// Lines from the root to `leaf`, boundaries marked.
    fn back(&self, leaf: usize) -> (Path, HashSet<usize>) {
        let index = self.index;
        let mut back = Vec::new();
        let mut seen = HashSet::new();
        let mut crossed = HashSet::new();
        let mut at = Some(leaf);
        while let Some(line) = at {
            if let Some(&(number, place)) = self.kept_in.get(&line)
                && crossed.insert(number)
            {
                at = self.take_kept(number, place + 1, &mut back, &mut seen);
                continue;
            }
            if !seen.insert(line) {
                break;
            }
            back.push(line);
            at = index.parents[line];
            if at.is_none() && index.is_boundary(line) {
                let number = self.kept.partition_point(|k| k.boundary < line);
                crossed.insert(number);
                at = match self.kept.get(number).map_or(0, |k| k.lines.len()) {
                    0 => self.over(line, &seen),
                    all => self.take_kept(number, all, &mut back, &mut seen),
                };
            }
        }
        back.reverse();
        let mut path = Path {
            lines: back,
            ..Path::default()
        };
        let mut crossed: Vec<usize> = crossed.into_iter().collect();
        crossed.sort_unstable();
        self.mark(&mut path, &crossed);
        (path, seen)
    }

    /// Takes the first `count` kept lines and gives the line above them.
    fn take_kept(
        &self,
        number: usize,
        count: usize,
        back: &mut Vec<usize>,
        seen: &mut HashSet<usize>,
    ) -> Option<usize> {
        let lines = &self.kept[number].lines[..count];
        for &line in lines.iter().rev() {
            if seen.insert(line) {
                back.push(line);
            }
        }
        let first = *lines.first()?;
        self.index.parents[first].filter(|above| !seen.contains(above))
    }

    /// Where the conversation goes on before a boundary that keeps nothing.
    fn over(&self, boundary: usize, seen: &HashSet<usize>) -> Option<usize> {
        let index = self.index;
        let logical = index.lines[boundary]
            .text("logicalParentUuid")
            .and_then(|id| index.find(id));
        logical.filter(|line| !seen.contains(line)).or_else(|| {
            (0..boundary)
                .rev()
                .find(|&at| index.is_main(at) && index.is_message(at))
                .filter(|line| !seen.contains(line))
        })
    }

    /// Finds summary and place of the boundaries crossed, and takes their own
    /// lines off the path.
    fn mark(&self, path: &mut Path, crossed: &[usize]) {
        let index = self.index;
        let summaries: Vec<usize> = (0..index.lines.len())
            .filter(|&at| !crossed.is_empty() && index.is_summary(at))
            .collect();
        for &number in crossed {
            let line = self.kept[number].boundary;
            let behind = summaries.partition_point(|&at| at < line);
            let mut near = summaries[behind..].iter().copied().take(NEAR);
            let summary = near.find(|&at| self.is_below(at, line));
            path.boundaries.push(Boundary {
                line,
                summary,
                before: None,
            });
        }
        let own: HashSet<usize> = path
            .boundaries
            .iter()
            .flat_map(|b| b.summary.into_iter().chain([b.line]))
            .collect();
        path.lines.retain(|line| !own.contains(line));
        let on: HashSet<usize> = path.lines.iter().copied().collect();
        // The largest line so far grows along the path: it can be searched.
        let mut largest = path.lines.clone();
        for at in 1..largest.len() {
            largest[at] = largest[at].max(largest[at - 1]);
        }
        for (boundary, &number) in path.boundaries.iter_mut().zip(crossed) {
            let kept = self.kept[number].lines.first().copied();
            let behind = largest.partition_point(|&at| at < boundary.line);
            boundary.before = kept
                .filter(|first| on.contains(first))
                .or_else(|| path.lines.get(behind).copied());
        }
    }

    /// Whether `at` hangs below `line`, or stands alone behind it.
    fn is_below(&self, at: usize, line: usize) -> bool {
        let mut up = self.index.parents[at];
        if up.is_none() {
            return self.index.lines[at].text("parentUuid").is_none();
        }
        for _ in 0..NEAR {
            let Some(above) = up else { break };
            if above == line {
                return true;
            }
            up = self.index.parents[above];
        }
        false
    }

    /// Puts components that ended before this one began in front.
    fn older_roots(&self, path: &mut Path, seen: &mut HashSet<usize>) {
        let index = self.index;
        let mine: HashSet<usize> = seen.iter().map(|&at| self.roots[at]).collect();
        let main = |at: &usize| index.is_main(*at);
        let first = (0..index.lines.len())
            .filter(main)
            .find(|&at| mine.contains(&self.roots[at]));
        let Some(first) = first else { return };
        // Root to its last line; boundaries belong to what they compacted.
        let mut last: Vec<(usize, usize)> = Vec::new();
        let mut place: HashMap<usize, usize> = HashMap::new();
        for at in (0..index.lines.len()).filter(main) {
            let root = self.roots[at];
            let slot = *place.entry(root).or_insert_with(|| {
                last.push((root, at));
                last.len() - 1
            });
            last[slot].1 = at;
        }
        let older: HashSet<usize> = last
            .iter()
            .filter(|&&(root, end)| {
                end < first && !mine.contains(&root) && !index.is_boundary(root)
            })
            .map(|&(root, _)| root)
            .collect();
        if older.is_empty() {
            return;
        }
        let mut ends: Vec<(usize, usize)> = Vec::new();
        let mut slots: HashMap<usize, usize> = HashMap::new();
        for leaf in self.leaves() {
            let root = self.roots[leaf];
            if older.contains(&root) {
                let slot = *slots.entry(root).or_insert_with(|| {
                    ends.push((root, leaf));
                    ends.len() - 1
                });
                ends[slot].1 = leaf;
            }
        }
        let mut front = Vec::new();
        for (_, leaf) in ends {
            let (older, _) = self.back(leaf);
            front.extend(older.lines.into_iter().filter(|&at| seen.insert(at)));
        }
        front.append(&mut path.lines);
        path.lines = front;
    }

    /// Brings in blocks of answers on the path, and results of calls on it, that
    /// hang beside it.
    fn complete(&self, lines: &mut Vec<usize>) {
        let index = self.index;
        let on: HashSet<usize> = lines.iter().copied().collect();
        let mut blocks: HashMap<&[u8], Vec<Raw<'a>>> = HashMap::new();
        let mut calls: HashSet<&[u8]> = HashSet::new();
        let mut answered: HashSet<&[u8]> = HashSet::new();
        for &at in lines.iter() {
            for block in index.blocks(at) {
                if let Some(id) = call_id(block) {
                    calls.insert(id.escaped());
                }
                if let Some(id) = result_id(block) {
                    answered.insert(id.escaped());
                }
            }
            if let Some(id) = self.answer_id(at) {
                blocks.entry(id).or_default().extend(index.blocks(at));
            }
        }
        let off = || (0..index.lines.len()).filter(|at| !on.contains(at));
        let mut more = Vec::new();
        for at in off().filter(|&at| index.is_main(at)) {
            let Some(known) = self.answer_id(at).and_then(|id| blocks.get_mut(id))
            else {
                continue;
            };
            let new: Vec<Raw<'a>> = index
                .blocks(at)
                .filter(|block| match call_id(*block) {
                    Some(id) => !calls.contains(id.escaped()),
                    None => !known.contains(block),
                })
                .collect();
            if !new.is_empty() {
                calls.extend(new.iter().filter_map(|b| Some(call_id(*b)?.escaped())));
                known.extend(new);
                more.push(at);
            }
        }
        let found: HashSet<usize> = more.iter().copied().collect();
        for at in off().filter(|&at| index.is_main(at) && !found.contains(&at)) {
            let mut results = index.blocks(at).filter_map(result_id).peekable();
            if results.peek().is_none() {
                continue;
            }
            let ids: Vec<&[u8]> = results.map(Text::escaped).collect();
            if ids
                .iter()
                .all(|id| calls.contains(id) && !answered.contains(id))
            {
                answered.extend(ids);
                more.push(at);
            }
        }
        merge(lines, more);
    }

    /// Brings in lines that no message hangs below: durations, hooks, attachments
    /// behind a message of the path.
    fn stubs(&self, lines: &mut Vec<usize>) {
        let index = self.index;
        let mut leads = vec![false; index.lines.len()];
        let messages = (0..index.lines.len()).filter(|&at| index.is_message(at));
        for message in messages {
            let mut at = Some(message);
            while let Some(line) = at.filter(|&line| !leads[line]) {
                leads[line] = true;
                at = index.parents[line];
            }
        }
        let on: HashSet<usize> = lines.iter().copied().collect();
        // Whether a line hangs below the path, or below nothing, by line.
        let mut hangs: HashMap<usize, bool> = HashMap::new();
        let mut more = Vec::new();
        for start in 0..index.lines.len() {
            if leads[start] || !index.is_main(start) || on.contains(&start) {
                continue;
            }
            let mut way = Vec::new();
            let mut at = Some(start);
            let found = loop {
                let Some(line) = at else { break true };
                if on.contains(&line) {
                    break true;
                }
                if let Some(&known) = hangs.get(&line) {
                    break known;
                }
                if leads[line] {
                    break false;
                }
                way.push(line);
                at = index.parents[line];
            };
            hangs.extend(way.into_iter().map(|line| (line, found)));
            if found {
                more.push(start);
            }
        }
        merge(lines, more);
    }

    /// The id of the answer a line is part of.
    fn answer_id(&self, at: usize) -> Option<&'a [u8]> {
        (self.index.kinds[at] == super::index::Kind::Assistant)
            .then(|| self.index.message(at, "id"))
            .flatten()
            .and_then(Raw::as_text)
            .map(Text::escaped)
    }

    /// Draws all lines of one answer to the first of them.
    fn gather(&self, lines: &mut Vec<usize>) {
        let mut groups: HashMap<&[u8], usize> = HashMap::new();
        let mut ordered: Vec<Vec<usize>> = Vec::with_capacity(lines.len());
        for &at in lines.iter() {
            match self.answer_id(at) {
                Some(id) => match groups.get(id) {
                    Some(&group) => ordered[group].push(at),
                    None => {
                        groups.insert(id, ordered.len());
                        ordered.push(vec![at]);
                    }
                },
                None => ordered.push(vec![at]),
            }
        }
        *lines = ordered.into_iter().flatten().collect();
    }
}

/// Puts each of `more` before the first line that stands behind it in the file.
fn merge(lines: &mut Vec<usize>, mut more: Vec<usize>) {
    if more.is_empty() {
        return;
    }
    more.sort_unstable();
    let mut more = more.into_iter().peekable();
    let mut merged = Vec::with_capacity(lines.len() + more.len());
    for &line in lines.iter() {
        while let Some(at) = more.next_if(|&at| at < line) {
            merged.push(at);
        }
        merged.push(line);
    }
    merged.extend(more);
    *lines = merged;
}

fn call_id(block: Raw<'_>) -> Option<Text<'_>> {
    let is_call = block.get("type")?.as_text()?.is("tool_use");
    is_call.then(|| block.get("id")?.as_text()).flatten()
}

fn result_id(block: Raw<'_>) -> Option<Text<'_>> {
    let is_result = block.get("type")?.as_text()?.is("tool_result");
    is_result
        .then(|| block.get("tool_use_id")?.as_text())
        .flatten()
}

/// The lines that a compaction kept verbatim.
fn kept_lines(index: &Index<'_>, boundary: usize) -> Vec<usize> {
    let Some(about) = index.lines[boundary].get("compactMetadata") else {
        return Vec::new();
    };
    let listed = about
        .at(&["preservedMessages", "uuids"])
        .and_then(Raw::as_array);
    if let Some(listed) = listed {
        return listed
            .filter_map(|id| index.find(id.as_text()?))
            .filter(|&at| index.is_main(at))
            .collect();
    }
    let end = |key: &str| {
        let id = about.at(&["preservedSegment", key])?.as_text()?;
        index.find(id)
    };
    let (Some(head), Some(tail)) = (end("headUuid"), end("tailUuid")) else {
        return Vec::new();
    };
    let mut lines = vec![tail];
    let mut at = tail;
    let mut steps = index.lines.len();
    while at != head && steps > 0 {
        let Some(parent) = index.parents[at] else {
            return Vec::new();
        };
        lines.push(parent);
        at = parent;
        steps -= 1;
    }
    lines.reverse();
    lines
}

/// The root of each line.
fn roots(index: &Index<'_>) -> Vec<usize> {
    let mut roots: Vec<Option<usize>> = vec![None; index.lines.len()];
    for start in 0..index.lines.len() {
        let mut way = Vec::new();
        let mut at = start;
        let root = loop {
            if let Some(root) = roots[at] {
                break root;
            }
            way.push(at);
            match index.parents[at] {
                Some(parent) => at = parent,
                None => break at,
            }
        };
        for line in way {
            roots[line] = Some(root);
        }
    }
    roots
        .into_iter()
        .enumerate()
        .map(|(at, root)| root.unwrap_or(at))
        .collect()
}
