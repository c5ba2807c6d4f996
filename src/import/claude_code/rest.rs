//! What the events of a line do not say.
//!
//! Fields that repeat on every line stand once in `common`, and on a line only
//! where they change. A parent is told only where it is not the line before.
//! Everything else that no event holds stays under its own name.

use super::super::foreign::{member, raw_key, text, with};
use super::index::Index;
use crate::json::{Raw, Text, write};
use std::collections::HashMap;

/// Fields that repeat.
const COMMON: [&str; 9] = [
    "sessionId",
    "cwd",
    "version",
    "gitBranch",
    "userType",
    "entrypoint",
    "isSidechain",
    "slug",
    "session_id",
];

/// What of the tree and of the repeating fields stands beside each line.
#[derive(Debug, Default)]
pub(super) struct Changes<'a> {
    /// The first value of each repeating field.
    first: [Option<Raw<'a>>; COMMON.len()],
    /// Members for the rest of a line: written, by line.
    changed: HashMap<usize, Change>,
}

/// What differs at one line.
#[derive(Debug, Default, Clone)]
pub(super) struct Change {
    /// An object of members, or empty.
    pub(super) members: Vec<u8>,
    /// Fields that are absent where the line before has or names them.
    pub(super) absent: Vec<&'static str>,
}

impl<'a> Changes<'a> {
    /// Follows `lines`, which are in file order; `spoken` says which make events,
    /// so that only those carry what changes.
    pub(super) fn follow(
        index: &Index<'a>,
        lines: &[usize],
        spoken: impl Fn(usize) -> bool,
    ) -> Self {
        let mut changes = Self::default();
        let mut now: [Option<Raw<'a>>; COMMON.len()] = Default::default();
        let mut started = false;
        let mut before: Option<Text<'a>> = None;
        for &at in lines {
            let line = &index.lines[at];
            if !spoken(at) {
                before = line.text("uuid").or(before);
                continue;
            }
            let mut values: [Option<Raw<'a>>; COMMON.len()] = Default::default();
            let mut parent = None;
            for &(key, value) in line.fields() {
                if key.is("parentUuid") {
                    parent = Some(value);
                } else if let Some(slot) = COMMON.iter().position(|name| key.is(name)) {
                    values[slot] = Some(value);
                }
            }
            let mut change = Change::default();
            if !started {
                started = true;
                changes.first = values;
                now = values;
            }
            for (slot, name) in COMMON.iter().enumerate() {
                if now[slot].map(Raw::bytes) == values[slot].map(Raw::bytes) {
                    continue;
                }
                // The first value anybody had is the common one; who came before
                // it had none.
                now[slot] = values[slot];
                match values[slot] {
                    Some(value) => put(&mut change.members, name, value),
                    None => change.absent.push(name),
                }
            }
            match parent {
                None => change.absent.push("parentUuid"),
                Some(value) => {
                    let expected = before.map(Text::escaped);
                    let found = value.as_text().map(Text::escaped);
                    let same = match value.is_null() {
                        true => before.is_none(),
                        false => found.is_some() && found == expected,
                    };
                    if !same {
                        put(&mut change.members, "parentUuid", value);
                    }
                }
            }
            if !change.members.is_empty() || !change.absent.is_empty() {
                changes.changed.insert(at, change);
            }
            before = line.text("uuid").or(before);
        }
        changes
    }

    /// What differs at a line.
    pub(super) fn at(&self, line: usize) -> Change {
        self.changed.get(&line).cloned().unwrap_or_default()
    }

    /// The repeating fields, as an object.
    pub(super) fn common(&self) -> Vec<u8> {
        let mut out = b"{".to_vec();
        for (name, value) in COMMON.iter().zip(self.first) {
            if let Some(value) = value {
                write::key(&mut out, name);
                write::compact(&mut out, value);
            }
        }
        out.push(b'}');
        out
    }
}

fn put(object: &mut Vec<u8>, name: &str, value: Raw<'_>) {
    let mut bytes = Vec::new();
    write::compact(&mut bytes, value);
    *object = with(std::mem::take(object), name, &bytes);
}

/// Fields of a line that its events or `common` hold.
pub(super) fn is_carried(key: Text<'_>) -> bool {
    key.is("type")
        || key.is("uuid")
        || key.is("parentUuid")
        || key.is("message")
        || COMMON.iter().any(|name| key.is(name))
}

/// The rest of a line: its own members, what changed, and what is left of its
/// message. `stamped` says whether the event has the line's time.
pub(super) fn of_line(
    index: &Index<'_>,
    at: usize,
    change: &Change,
    message: &[u8],
    stamped: bool,
) -> Vec<u8> {
    let mut out = b"{".to_vec();
    for &(key, value) in index.lines[at].fields() {
        let carried = is_carried(key) || stamped && key.is("timestamp");
        if !carried {
            member(&mut out, key, value);
        }
    }
    if !change.members.is_empty() {
        let inner = &change.members[1..change.members.len() - 1];
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(inner);
    }
    if !message.is_empty() {
        write::key(&mut out, "message");
        out.extend_from_slice(message);
    }
    match out.len() {
        1 => Vec::new(),
        _ => {
            out.push(b'}');
            out
        }
    }
}

/// What is left of a message: its own members and the rests of its blocks.
pub(super) fn of_message(
    message: Raw<'_>,
    role: &str,
    model_carried: bool,
    blocks: &[u8],
    absent: &mut Vec<&'static str>,
) -> Vec<u8> {
    let mut out = b"{".to_vec();
    let mut found = false;
    for (key, value) in message.as_object().into_iter().flatten() {
        if key.is("role") {
            found = true;
            if value.as_text().is_some_and(|text| text.is(role)) {
                continue;
            }
        }
        if key.is("content") || key.is("model") && model_carried {
            continue;
        }
        raw_key(&mut out, key);
        write::compact(&mut out, value);
    }
    if !found {
        absent.push("message.role");
    }
    if !blocks.is_empty() {
        write::key(&mut out, "content");
        out.extend_from_slice(blocks);
    }
    match out.len() {
        1 => Vec::new(),
        _ => {
            out.push(b'}');
            out
        }
    }
}

/// `"how"` and its fellows of a subagent's parent, as an object.
pub(super) fn parent(call: Option<&str>, agent: Option<&str>, how: &str) -> Vec<u8> {
    let mut out = b"{".to_vec();
    write::key(&mut out, "tool_use_id");
    match call {
        Some(id) => write::string(&mut out, id),
        None => out.extend_from_slice(b"null"),
    }
    if let Some(agent) = agent {
        text(&mut out, "agent", agent);
    }
    if !how.is_empty() {
        text(&mut out, "how", how);
    }
    out.push(b'}');
    out
}
