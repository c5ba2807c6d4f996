//! Remarks on stored entries that no schema states: things that are accepted and
//! still worth knowing (`docs/formats.md#decisions` D-5, D-8, D-15, D-18).

use super::rules;
use crate::block::fault::AUDIENCE_UNREAD;
use crate::block::{Block, BlockKind, Content, fault};
use crate::error::Severity;
use crate::event::{Event, EventKind};
use crate::finding::text::LONE_SURROGATE;
use crate::finding::{Finding, Rule};
use crate::json::raw::{skip_space, string_end};
use crate::json::{Kind, Raw, Text, pointer};
use crate::stream::notes::MISSING_CONTENT;
use crate::stream::{Conversation, Pairing};
use std::borrow::Cow;
use std::collections::HashSet;

/// Remarks on one entry.
pub(super) fn entry(
    raw: Raw<'_>,
    root: Raw<'_>,
    prefix: &str,
    found: &mut Vec<Finding>,
) {
    let mut tell = |rule: &'static Rule, at: Raw<'_>, path: &str, message: String| {
        let byte = Some(at.offset_in(root.bytes()));
        let mut one = Finding::new(rule, format!("{prefix}{path}"), byte, message);
        // A remark never makes a stream invalid, whatever an API says of the text.
        one.weigh(Severity::Warning);
        found.push(one);
    };
    strings_and_keys(raw, &mut tell);
    let Ok(event) = Event::read(raw) else { return };
    let kind = event.kind();
    if kind == EventKind::Unknown {
        let message = match event.get("type") {
            Some(tag) if tag.kind() == Kind::String => {
                format!("{} is no known kind; the entry is carried", shown(tag))
            }
            Some(tag) => {
                format!("its type is {}; the entry is carried", tag.kind().name())
            }
            None => "it has no type; the entry is carried".to_owned(),
        };
        return tell(&rules::UNKNOWN_KIND, raw, "", message);
    }
    if event.get("timestamp").is_none() {
        let message = "the timestamp is missing; JP refuses to load the conversation";
        tell(&rules::MISSING_TIMESTAMP, raw, "", message.to_owned());
    }
    for (key, expected, may_be_empty) in [
        ("event_id", "a non-empty string", false),
        ("request_id", "a string", true),
    ] {
        let fits = |text: Text<'_>| may_be_empty || !text.escaped().is_empty();
        if let Some(id) = event.get(key)
            && !id.as_text().is_some_and(fits)
        {
            let message = format!("expected {expected}, found {}", shown(id));
            tell(&rules::ENTRY_ID, id, &format!("/{key}"), message);
        }
    }
    if kind == EventKind::TurnStart {
        for &(key, value) in event.fields() {
            if !["type", "timestamp", "metadata"]
                .iter()
                .any(|known| key.is(known))
            {
                let mut path = String::new();
                pointer::push_key(&mut path, &key.decode());
                let message = "a turn_start with a further key makes some versions of \
                               JP refuse the conversation";
                tell(&rules::TURN_START_KEY, value, &path, message.to_owned());
            }
        }
    }
    if kind == EventKind::ToolCallResponse {
        response(&event, &mut tell);
    }
}

fn response(
    event: &Event<'_>,
    tell: &mut impl FnMut(&'static Rule, Raw<'_>, &str, String),
) {
    if event.get("is_error").is_none() && event.get("isError").is_none() {
        let message = "is_error is missing; it is read as false";
        tell(
            &rules::MISSING_IS_ERROR,
            event.raw(),
            "",
            message.to_owned(),
        );
    }
    match Content::of(event) {
        Content::Missing => {
            let message = "the content is missing; it is read as []";
            tell(&MISSING_CONTENT, event.raw(), "", message.to_owned());
        }
        Content::Blocks(blocks) => {
            for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
                for wrong in fault::faults(block) {
                    let at = pointer::resolve(block, &wrong.path).unwrap_or(block);
                    let path = format!("/content/{index}{}", wrong.path);
                    tell(&AUDIENCE_UNREAD, at, &path, wrong.message);
                }
                let message = match Block::read(block).kind {
                    BlockKind::Malformed => "the block lacks what its type needs",
                    BlockKind::Unknown => "the block is of no known type",
                    BlockKind::Question => {
                        "a question should not be stored in a result"
                    }
                    BlockKind::Text
                    | BlockKind::Resource
                    | BlockKind::ResourceLink
                    | BlockKind::Image
                    | BlockKind::Audio => continue,
                };
                let message = format!("{message}; providers do not see it");
                tell(
                    &rules::BLOCK_SHAPE,
                    block,
                    &format!("/content/{index}"),
                    message,
                );
            }
        }
        Content::Text(_) | Content::Structured(_) => {}
    }
}

/// Deeper than this, oddities are counted and not told one by one.
const DEEPEST: usize = pointer::DEEPEST;

/// Deeper than this, duplicate keys are not looked for.
const NO_KEYS: usize = 10_000;

/// A longer path is not repeated with every oddity.
const LONGEST_PATH: usize = 4096;

/// Duplicate keys and lone surrogates, in one pass over the tokens, so that
/// nesting costs nothing.
fn strings_and_keys(
    raw: Raw<'_>,
    tell: &mut impl FnMut(&'static Rule, Raw<'_>, &str, String),
) {
    let bytes = raw.bytes();
    let mut locator = pointer::Locator::new(bytes);
    let mut open: Vec<HashSet<Cow<'_, str>>> = Vec::new();
    let (mut deeper, mut far, mut without_keys) = (0, 0, 0_usize);
    let mut pos = 0;
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'{' | b'[' if open.len() == NO_KEYS => without_keys += 1,
            b'{' | b'[' => open.push(HashSet::new()),
            b'}' | b']' if without_keys > 0 => without_keys -= 1,
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                let end = string_end(bytes, pos);
                let next = skip_space(bytes, end);
                let string = Raw::checked(&bytes[pos..end]);
                let text = string.as_text();
                let oddity = if bytes.get(next) == Some(&b':') {
                    let key = text.map(Text::decode).unwrap_or_default();
                    let known = without_keys == 0
                        && open
                            .last_mut()
                            .is_some_and(|keys| !keys.insert(key.clone()));
                    let message = || {
                        format!("the key {key} stands there twice; the last one counts")
                    };
                    known.then(|| (&rules::DUPLICATE_KEY, message()))
                } else {
                    let message =
                        "half of a surrogate pair stands alone; it is read as U+FFFD";
                    text.is_some_and(Text::has_lone_surrogate)
                        .then(|| (&LONE_SURROGATE, message.to_owned()))
                };
                match oddity {
                    Some(_) if open.len() > DEEPEST => deeper += 1,
                    // One byte in, a key counts as its value.
                    Some((rule, message)) => {
                        match locator.path_within(pos + 1, LONGEST_PATH) {
                            Some(path) => tell(rule, string, &path, message),
                            None => far += 1,
                        }
                    }
                    None => {}
                }
                pos = end;
                continue;
            }
            _ => {}
        }
        pos += 1;
    }
    for (count, place) in [
        (deeper, format!("deeper than {DEEPEST} levels")),
        (far, format!("at a path longer than {LONGEST_PATH} bytes")),
    ] {
        if count > 0 {
            let message =
                format!("{count} duplicate keys or lone surrogates stand {place}");
            tell(&rules::DEEP_ODDITIES, raw, "", message);
        }
    }
}

/// Which calls and responses of a conversation belong together; broken entries
/// take no part.
pub(super) fn pairing(conversation: &Conversation<'_>) -> Pairing {
    let entries = conversation.entries.as_array().into_iter().flatten();
    Pairing::of(entries.map(|raw| Event::read(raw).unwrap_or(Event::unknown(raw))))
}

/// A remark on a call without a response, or a response without a call.
pub(super) fn partner(
    raw: Raw<'_>,
    root: Raw<'_>,
    path: &str,
    partner: Option<usize>,
    found: &mut Vec<Finding>,
) {
    let Ok(event) = Event::read(raw) else { return };
    let (rule, message) = match (event.kind(), partner) {
        (EventKind::ToolCallResponse, None) => (
            &rules::ORPHAN_RESPONSE,
            "answers no call before it; providers do not see it",
        ),
        (EventKind::ToolCallRequest, None) => (
            &rules::OPEN_CALL,
            "has no response; providers see it as interrupted",
        ),
        _ => return,
    };
    let id = event.get("id").map_or("without an id".to_owned(), shown);
    let message = format!("the {} {id} {message}", event.kind().name());
    let byte = Some(raw.offset_in(root.bytes()));
    found.push(Finding::new(rule, path, byte, message));
}

fn shown(value: Raw<'_>) -> String {
    match value.bytes() {
        bytes if bytes.len() <= 60 => String::from_utf8_lossy(bytes).into_owned(),
        _ => value.kind().name().to_owned(),
    }
}
