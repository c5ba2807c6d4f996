//! One line of a rollout, whichever era it is from.

use super::super::foreign::residual;
use super::super::lines::{Line, Value, lines};
use super::super::record::stamp;
use crate::json::{Kind, Raw};
use std::borrow::Cow;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What<'a> {
    /// The header of the session.
    Meta,
    /// A setting that holds from here on.
    Context,
    /// An item of the conversation.
    Item,
    /// The history was replaced by a summary.
    Compacted,
    /// A message between agents.
    Agent,
    /// Something for the screen, by its type.
    Event(&'a str),
    /// Anything else, by its type.
    Other(&'a str),
    /// No JSON object.
    Broken,
}

/// One line, unwrapped.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) number: usize,
    pub(super) offset: usize,
    pub(super) what: What<'a>,
    /// What the line is about; `None` for a broken one.
    pub(super) payload: Option<Raw<'a>>,
    pub(super) stamp: Option<Cow<'a, str>>,
    /// What the envelope holds beside type, time and payload, as an object.
    pub(super) around: Vec<u8>,
    /// Whether the line has no envelope.
    pub(super) bare: bool,
    /// The bytes of a broken line, and whether it is cut.
    pub(super) broken: Option<(&'a [u8], bool)>,
}

/// Reads the lines of a file.
pub(super) fn read(bytes: &[u8]) -> Vec<Entry<'_>> {
    lines(bytes).map(entry).collect()
}

/// Reads the object of the first versions: `session` and `items`.
pub(super) fn of_object(value: Raw<'_>) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    let push = |what, payload: Raw<'_>, number| Entry {
        number,
        offset: payload.offset_in(value.bytes()),
        what,
        payload: None,
        stamp: None,
        around: Vec::new(),
        bare: true,
        broken: None,
    };
    if let Some(session) = value.get("session") {
        let head = push(What::Meta, session, 1);
        entries.push(Entry {
            payload: Some(session),
            ..head
        });
    }
    let items = value.get("items").and_then(Raw::as_array);
    for (index, item) in items.into_iter().flatten().enumerate() {
        let one = push(What::Item, item, index + 2);
        entries.push(Entry {
            payload: Some(item),
            stamp: stamp(item.get("timestamp")),
            ..one
        });
    }
    entries
}

fn entry(line: Line<'_>) -> Entry<'_> {
    let mut entry = Entry {
        number: line.number,
        offset: line.offset,
        what: What::Broken,
        payload: None,
        stamp: None,
        around: Vec::new(),
        bare: false,
        broken: None,
    };
    let (raw, fields) = match line.value {
        Value::Object(raw, fields) => (raw, fields),
        Value::Broken { bytes, cut } => {
            entry.broken = Some((bytes, cut));
            return entry;
        }
    };
    let get = |key: &str| super::super::lines::field(&fields, key);
    entry.stamp = stamp(get("timestamp"));
    let tag = get("type").and_then(Raw::as_text);
    let payload = get("payload").filter(|payload| payload.kind() == Kind::Object);
    let tag = tag.and_then(|tag| std::str::from_utf8(tag.escaped()).ok());
    let stamped = entry.stamp.is_some();
    match payload {
        Some(payload) => {
            entry.around = residual(fields.iter().copied(), |key| {
                key.is("type") || key.is("payload") || stamped && key.is("timestamp")
            });
            entry.payload = Some(payload);
        }
        None => {
            entry.payload = Some(raw);
            entry.bare = true;
        }
    }
    entry.what = match tag {
        Some("session_meta") => What::Meta,
        Some("turn_context") => What::Context,
        Some("compacted") => What::Compacted,
        Some("response_item") => What::Item,
        Some("inter_agent_communication") => What::Agent,
        Some("event_msg") => What::Event(event_type(payload)),
        Some(_) if payload.is_none() && is_item(raw) => What::Item,
        Some(tag) => What::Other(tag),
        None if get("id").is_some() && get("timestamp").is_some() => What::Meta,
        None if get("role").is_some() => What::Item,
        None => What::Other("state"),
    };
    entry
}

fn event_type(payload: Option<Raw<'_>>) -> &str {
    let tag = payload.and_then(|payload| payload.get("type")?.as_text());
    let tag = tag.and_then(|tag| std::str::from_utf8(tag.escaped()).ok());
    tag.unwrap_or("unknown")
}

/// Whether an object without envelope is an item.
fn is_item(raw: Raw<'_>) -> bool {
    let kinds = [
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
    ];
    let tag = raw.get("type").and_then(Raw::as_text);
    tag.is_some_and(|tag| kinds.iter().any(|kind| tag.is(kind)))
}
