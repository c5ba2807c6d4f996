//! What an input that is no stored conversation may be.
//!
//! People pipe the wrong file. A guess at what it looks like, from its first
//! bytes or its first keys, saves them the search. Guesses only refuse what has
//! no entry of a known kind in front.

use crate::error::{Error, ErrorKind};
use crate::event::EventKind;
use crate::json::{Kind, Raw, Text};

/// The code of an error that holds for every further line of the input too.
pub const FOREIGN_LOG: &str = "foreign-log";

/// Says what bytes that are no JSON look like, if they look like something.
pub fn bytes(head: &[u8]) -> Option<Error> {
    let (name, hint) = match head {
        [0x1f, 0x8b, ..] => {
            ("a gzip file", "decompress it first: zcat FILE | convo ...")
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => (
            "a zstd file",
            "decompress it first: zstdcat FILE | convo ...",
        ),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => {
            ("an xz file", "decompress it first: xzcat FILE | convo ...")
        }
        [b'B', b'Z', b'h', ..] => (
            "a bzip2 file",
            "decompress it first: bzcat FILE | convo ...",
        ),
        [b'P', b'K', 3, 4, ..] => ("a zip archive", "extract it first"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            ("UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8")
        }
        [b'[' | b'{', 0, ..] | [0, b'[' | b'{', ..] => (
            "UTF-16 text without a byte order mark",
            "convert it first: iconv -f UTF-16LE (or UTF-16BE) -t UTF-8",
        ),
        _ => return None,
    };
    Some(
        Error::new(
            ErrorKind::Input,
            "not-json",
            format!("expected JSON, found what looks like {name}"),
        )
        .hint(hint),
    )
}

/// Refuses an array whose elements are plainly not entries.
pub(super) fn refuse_array(value: Raw<'_>) -> Result<(), Error> {
    if opens_with_known(value) {
        return Ok(());
    }
    let Some(first) = value.as_array().and_then(|mut elements| elements.next()) else {
        return Ok(());
    };
    if is_known(first) || first.kind() != Kind::Object {
        return Ok(());
    }
    let has = |key: &str| first.get(key).is_some();
    let said = has("content") || has("parts") || has("tool_calls");
    let name = if has("role") && said && tag(first).is_none_or(|t| t.is("message")) {
        "a list of chat messages"
    } else if has("mapping") && has("current_node") {
        "a ChatGPT export"
    } else if has("chat_messages") {
        "a Claude.ai export"
    } else {
        return foreign_line(first)
            .map_or(Ok(()), |name| Err(refusal("foreign-format", name)));
    };
    Err(refusal("foreign-format", name))
}

/// Refuses an object that is plainly something else.
///
/// A bare entry of an unknown kind may have any keys (`docs/formats.md#forms`).
pub(super) fn refuse_object(value: Raw<'_>) -> Result<(), Error> {
    let has = |key: &str| value.get(key).is_some();
    // What has a type is an entry, known or not, unless it is a log's line for sure.
    let name = if tag(value).is_some() {
        return foreign_line(value)
            .map_or(Ok(()), |name| Err(refusal(FOREIGN_LOG, name)));
    } else if has("choices") && has("object") {
        "a chat-completions response"
    } else if has("messages") {
        "a request body of the Messages or Chat Completions API"
    } else if has("contents") {
        "a Gemini request body"
    } else if has("input") && has("model") {
        "a request body of the Responses API"
    } else if has("log") {
        "a HAR capture"
    } else {
        return foreign_line(value)
            .map_or(Ok(()), |name| Err(refusal(FOREIGN_LOG, name)));
    };
    Err(refusal("foreign-format", name))
}

/// A line of another agent's log.
fn foreign_line(value: Raw<'_>) -> Option<&'static str> {
    let has = |key: &str| value.get(key).is_some();
    let is = |name: &str| tag(value).is_some_and(|tag| tag.is(name));
    let claude_code = has("sessionId")
        && (has("uuid") || has("parentUuid") || has("version"))
        || is("summary") && has("leafUuid")
        || is("file-history-snapshot")
        || is("queue-operation") && has("sessionId");
    if claude_code {
        return Some("a Claude Code session log");
    }
    if is("message") && has("role") && has("content") && has("model") {
        return Some("a response of the Messages API");
    }
    let codex_kinds = ["session_meta", "response_item", "event_msg", "turn_context"];
    let codex = has("payload") && codex_kinds.iter().any(|kind| is(kind))
        || is("message") && has("role") && has("content")
        || has("instructions") && has("timestamp") && has("id") && !has("type");
    if codex {
        return Some("a Codex session log");
    }
    (has("role") && has("content") && tag(value).is_none()).then_some("a chat message")
}

/// An object that is none of the forms and resembles nothing.
pub(super) fn unknown_object(value: Raw<'_>) -> Error {
    let keys: Vec<_> = value
        .as_object()
        .into_iter()
        .flatten()
        .take(6)
        .map(|(key, _)| key.decode().into_owned())
        .collect();
    let found = match keys.as_slice() {
        [] => "an empty object".to_owned(),
        keys => format!("an object with the keys {}", keys.join(", ")),
    };
    let error = Error::new(
        ErrorKind::Input,
        "not-a-conversation",
        format!(
            "expected a conversation (an array of entries, an envelope with `data`, a \
             bundle with `base_config` and `events`, or bare entries), found {found}"
        ),
    );
    match value.get("events").is_some() {
        true => {
            error.hint("a bundle needs `base_config` beside `events`; it may be {}")
        }
        false => error,
    }
}

fn tag(value: Raw<'_>) -> Option<Text<'_>> {
    value.get("type").and_then(Raw::as_text)
}

/// Whether the first element names a known kind, without a walk to its end: it
/// may be a whole base configuration.
fn opens_with_known(array: Raw<'_>) -> bool {
    let inside = array.bytes().get(1..).map(Raw::checked);
    inside
        .and_then(Raw::as_object)
        .and_then(|mut members| members.find(|(key, _)| key.is("type")))
        .and_then(|(_, value)| value.as_text())
        .is_some_and(|tag| EventKind::of(tag) != EventKind::Unknown)
}

fn is_known(entry: Raw<'_>) -> bool {
    tag(entry).is_some_and(|tag| EventKind::of(tag) != EventKind::Unknown)
}

fn refusal(code: &'static str, name: &str) -> Error {
    Error::new(
        ErrorKind::Input,
        code,
        format!("expected a stored event stream, found what looks like {name}"),
    )
    .hint(
        "convo reads conversations as JP stores them: arrays of entries with a `type`",
    )
}
