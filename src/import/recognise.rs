//! What an input is, from its first values.
//!
//! The tests are tried in order; the first that fits decides for the whole input.
//! What no row reads but somebody may pipe (an export, a table file) is refused by
//! name.

use super::options::Format;
use crate::body::{Dialect, Fields, recognise as provider_of};
use crate::error::{Error, ErrorKind};
use crate::event::EventKind;
use crate::json::raw::{Raw, skip_space};
use crate::json::{Kind, Progress, Scanner};

/// Values that are looked at.
pub const VALUES: usize = 64;

/// Bytes that are looked at.
pub const HEAD: usize = 1024 * 1024;

/// How an input is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One session, a value a line.
    Session(Format),
    /// One conversation, a message a line.
    MessageLines(Format),
    /// Values that are records, or lists of them.
    Values,
}

/// What an input turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A stored conversation: no import.
    Stored,
    /// Something an importer reads, and what to call it.
    Foreign(Shape, Format),
    /// Something known by name that is not read.
    Refused(Error),
    /// Nothing known.
    Unknown,
}

/// What one value is, where values are records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum One {
    Har,
    Capture,
    Web,
    CodexJson,
    GeminiCli,
    Body(Format),
    /// A list of messages of that API.
    List(Format),
    /// A list of records.
    Records(Format),
    /// An answer alone.
    Answer(Format),
}

/// Cuts the first values from the head of an input. Broken ones are passed over;
/// one that the head cuts off is left out unless it is `complete`.
pub fn values(head: &[u8], complete: bool) -> Vec<Raw<'_>> {
    let mut found = Vec::new();
    let mut pos = head.strip_prefix(b"\xef\xbb\xbf").map_or(0, |_| 3);
    while found.len() < VALUES {
        pos = skip_space(head, pos);
        if pos >= head.len() {
            break;
        }
        match Scanner::new().resume(&head[pos..], complete) {
            Ok(Progress::Complete { end }) => {
                found.push(Raw::checked(&head[pos..pos + end]));
                pos += end;
            }
            Ok(Progress::More) => break,
            // Nothing is looked at twice: a hostile head must not cost its square.
            Err(error) => {
                let from = (pos + error.offset).min(head.len());
                match memchr::memchr(b'\n', &head[from..]) {
                    Some(line) => pos = from + line + 1,
                    None => break,
                }
            }
        }
    }
    found
}

/// Whether a first value is a stored conversation's, or a bare entry's, for sure.
pub fn is_stored(first: Raw<'_>) -> bool {
    match first.kind() {
        Kind::Array => match first.as_array().and_then(|mut list| list.next()) {
            None => true,
            Some(entry) => is_entry(entry),
        },
        Kind::Object => {
            let has = |key: &str| first.get(key).is_some();
            is_entry(first)
                || has("base_config") && has("events")
                || first.get("data").is_some_and(|d| d.kind() == Kind::Array)
                    && !has("messages")
        }
        _ => false,
    }
}

fn is_entry(value: Raw<'_>) -> bool {
    let tag = value.get("type").and_then(Raw::as_text);
    tag.is_some_and(|tag| EventKind::of(tag) != EventKind::Unknown)
}

/// Whether more than the first value has to be seen: it may open a session, or it
/// is an entry of a kind nobody knows. A live stream of entries is never kept
/// waiting, for what a session's line has it has not.
pub fn needs_more(first: Raw<'_>) -> bool {
    let keys = [
        "sessionId",
        "payload",
        "message",
        "uuid",
        "parentUuid",
        "leafUuid",
        "messageId",
        "record_type",
        "role",
        "instructions",
        "git",
        "projectHash",
        "$set",
        "operation",
    ];
    first.kind() == Kind::Object
        && (first.get("type").is_none()
            || keys.iter().any(|key| first.get(key).is_some()))
}

/// Says what an input is that opens with `values`.
pub fn recognise(values: &[Raw<'_>], from: Option<Format>) -> Found {
    let Some(&first) = values.first() else {
        return Found::Unknown;
    };
    match from {
        Some(format) => return told(values, format),
        None if is_stored(first) => return Found::Stored,
        None => {}
    }
    match one(first) {
        Some(Ok(found @ (One::Har | One::Capture))) => {
            return Found::Foreign(Shape::Values, format_of(found, first));
        }
        Some(Err(refused)) if first.get("log").is_some() => {
            return Found::Refused(refused);
        }
        _ => {}
    }
    if values.iter().any(|&value| is_claude_line(value)) {
        return Found::Foreign(Shape::Session(Format::ClaudeCode), Format::ClaudeCode);
    }
    if values.iter().any(|&value| is_codex_line(value)) || is_bare_codex(values) {
        return Found::Foreign(Shape::Session(Format::Codex), Format::Codex);
    }
    if is_gemini_lines(values) {
        return Found::Foreign(Shape::Session(Format::GeminiCli), Format::GeminiCli);
    }
    if let Some(format) = message_lines(values) {
        return Found::Foreign(Shape::MessageLines(format), format);
    }
    match one(first) {
        Some(Ok(found)) => Found::Foreign(Shape::Values, format_of(found, first)),
        Some(Err(error)) => Found::Refused(error),
        None => Found::Unknown,
    }
}

/// The shape of an input whose format is given.
fn told(values: &[Raw<'_>], format: Format) -> Found {
    let shape = match format {
        Format::ClaudeCode | Format::Codex | Format::GeminiCli => {
            let whole = values.first().is_some_and(|&first| {
                matches!(
                    one(first),
                    Some(Ok(One::Web | One::CodexJson | One::GeminiCli))
                )
            });
            match whole {
                true => Shape::Values,
                false => Shape::Session(format),
            }
        }
        _ => match message_lines(values) {
            Some(_) => Shape::MessageLines(format),
            None => Shape::Values,
        },
    };
    Found::Foreign(shape, format)
}

fn format_of(found: One, value: Raw<'_>) -> Format {
    match found {
        One::Web => Format::ClaudeCode,
        One::CodexJson => Format::Codex,
        One::GeminiCli => Format::GeminiCli,
        One::Body(format)
        | One::List(format)
        | One::Records(format)
        | One::Answer(format) => format,
        One::Har | One::Capture => {
            let body = value
                .get("body")
                .or_else(|| value.at(&["request", "body"]))
                .and_then(one);
            match body {
                Some(Ok(One::Body(format))) => format,
                _ => Format::Anthropic,
            }
        }
    }
}

/// What one value is; an error names what is known and not read.
pub(super) fn one(value: Raw<'_>) -> Option<Result<One, Error>> {
    match value.kind() {
        Kind::Object => object(value),
        Kind::Array => array(value).map(Ok).or_else(|| {
            let first = value.as_array()?.next()?;
            export(first).map(Err)
        }),
        _ => None,
    }
}

fn object(value: Raw<'_>) -> Option<Result<One, Error>> {
    let fields = Fields::read(value);
    let get = |key: &str| fields.get(key);
    let list = |key: &str| get(key).filter(|v| v.kind() == Kind::Array);
    let head = |key: &str| list(key).and_then(|l| l.as_array()?.next());
    let has = |key: &str| get(key).is_some();
    if get("log").is_some_and(|log| log.get("entries").is_some()) {
        return Some(Ok(One::Har));
    }
    let body = |v: Raw<'_>| matches!(v.kind(), Kind::Object | Kind::String);
    if get("body").is_some_and(body)
        || get("request").is_some_and(|r| r.get("body").is_some_and(body))
    {
        return Some(Ok(One::Capture));
    }
    if head("loglines").is_some_and(is_claude_line) {
        return Some(Ok(One::Web));
    }
    if list("items").is_some() && get("session").is_some_and(|s| s.get("id").is_some())
    {
        return Some(Ok(One::CodexJson));
    }
    if head("contents").is_some_and(|one| one.get("parts").is_some()) {
        return Some(Ok(One::Body(Format::Gemini)));
    }
    let input =
        get("input").is_some_and(|v| matches!(v.kind(), Kind::Array | Kind::String));
    if (input && (has("model") || has("prompt")))
        || has("previous_response_id") && has("model")
    {
        return Some(Ok(One::Body(Format::OpenAiResponses)));
    }
    for key in ["conversations", "conversation"] {
        let Some(first) = head(key) else { continue };
        if first.get("from").is_some() && first.get("value").is_some() {
            return Some(Ok(One::Body(Format::ShareGpt)));
        }
        if first.get("role").is_some() {
            return Some(Ok(One::Body(Format::Messages)));
        }
    }
    if let Some(messages) = list("messages") {
        return Some(of_messages(&fields, messages));
    }
    if list("prompt").is_some() && list("completion").is_some() {
        return Some(Ok(One::Body(Format::Messages)));
    }
    if let Some(error) = export(value) {
        return Some(Err(error));
    }
    let tag = get("type").and_then(Raw::as_text);
    if tag.is_some_and(|t| t.is("message"))
        && has("role")
        && has("content")
        && has("stop_reason")
    {
        return Some(Ok(One::Answer(Format::Anthropic)));
    }
    if head("choices").is_some_and(|one| one.get("message").is_some()) {
        return Some(Ok(One::Answer(Format::OpenAiChat)));
    }
    if list("output").is_some()
        && get("object")
            .and_then(Raw::as_text)
            .is_some_and(|o| o.is("response"))
    {
        return Some(Ok(One::Answer(Format::OpenAiResponses)));
    }
    if head("candidates").is_some_and(|one| one.get("content").is_some()) {
        return Some(Ok(One::Answer(Format::Gemini)));
    }
    no_conversation(&fields).map(Err)
}

/// An object with `messages`.
fn of_messages(fields: &Fields<'_>, messages: Raw<'_>) -> Result<One, Error> {
    let elements = || messages.as_array().into_iter().flatten();
    let session = fields
        .get("sessionId")
        .is_some_and(|id| id.as_text().is_some());
    if session && elements().next().is_none_or(is_gemini_message) {
        return Ok(One::GeminiCli);
    }
    let blocks = || {
        elements()
            .filter_map(|m| m.get("content")?.as_array())
            .flatten()
    };
    if is_converse(fields, blocks()) {
        return Err(Error::new(
            ErrorKind::Input,
            "bedrock-converse",
            "found a body of Bedrock's Converse API, which is not read",
        )
        .hint("a body of InvokeModel (with anthropic_version) is read"));
    }
    if blocks().any(is_anthropic_block) {
        return Ok(One::Body(Format::Anthropic));
    }
    let values = blocks().any(|block| block.get("value").is_some());
    let model = fields.get("model").is_some() || fields.get("max_tokens").is_some();
    let found = provider_of(fields, None);
    let dialect = found.map(|found| (found.provider.dialect(), found.certain));
    Ok(One::Body(match dialect {
        _ if values => Format::Messages,
        Some((Dialect::Messages, true)) => Format::Anthropic,
        Some((Dialect::Messages, false)) if model => Format::Anthropic,
        _ if model => Format::OpenAiChat,
        _ => Format::Messages,
    }))
}

fn is_anthropic_block(block: Raw<'_>) -> bool {
    let names = [
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "mcp_tool_use",
    ];
    let tag = block.get("type").and_then(Raw::as_text);
    tag.is_some_and(|tag| names.iter().any(|name| tag.is(name)))
}

/// Blocks of Bedrock's Converse API are named by their only key.
fn is_converse<'a>(
    fields: &Fields<'_>,
    mut blocks: impl Iterator<Item = Raw<'a>>,
) -> bool {
    let keys = [
        "toolUse",
        "toolResult",
        "text",
        "document",
        "image",
        "reasoningContent",
    ];
    fields.get("inferenceConfig").is_some()
        || fields.get("toolConfig").is_some()
        || blocks.next().is_some_and(|block| {
            block.get("type").is_none() && keys.iter().any(|k| block.get(k).is_some())
        })
}

fn array(value: Raw<'_>) -> Option<One> {
    let first = value.as_array()?.next()?;
    let has = |key: &str| first.get(key).is_some();
    let tag = first.get("type").and_then(Raw::as_text);
    if has("from") && has("value") {
        return Some(One::List(Format::ShareGpt));
    }
    if has("role") && has("parts") {
        return Some(One::List(Format::Gemini));
    }
    let item = |name: &str| tag.is_some_and(|tag| tag.is(name));
    if item("message") && has("role") || item("function_call") || item("reasoning") {
        return Some(One::List(Format::OpenAiResponses));
    }
    if has("role") && (has("content") || has("tool_calls")) {
        let list = || value.as_array().into_iter().flatten();
        let blocks = || {
            list()
                .filter_map(|m| m.get("content")?.as_array())
                .flatten()
        };
        return Some(One::List(match blocks().any(is_anthropic_block) {
            true => Format::Anthropic,
            false => Format::OpenAiChat,
        }));
    }
    match object(first)?.ok()? {
        One::Body(format) => Some(One::Records(format)),
        _ => None,
    }
}

/// Exports that are known by name.
fn export(value: Raw<'_>) -> Option<Error> {
    let has = |key: &str| value.get(key).is_some();
    let name = if has("mapping") && has("current_node") {
        "a ChatGPT export"
    } else if has("chat_messages") {
        "a Claude.ai export"
    } else {
        return None;
    };
    Some(
        Error::new(
            ErrorKind::Input,
            "foreign-format",
            format!("found {name}, which is not read"),
        )
        .hint(NEAREST),
    )
}

/// What is read, for whom nothing was recognised.
pub const NEAREST: &str = "read are sessions of Claude Code, Codex and Gemini CLI, bodies of the \
     Messages, Responses, chat completions and Gemini APIs, and datasets of messages";

/// Records of text that hold no conversation.
fn no_conversation(fields: &Fields<'_>) -> Option<Error> {
    let has = |key: &str| fields.get(key).is_some();
    let what = if has("chosen") && has("rejected") {
        "a preference pair (`chosen`, `rejected`)"
    } else if has("prompt") && (has("response") || has("completion")) {
        "a pair of texts (`prompt`, `response`)"
    } else if has("instruction") && has("output") {
        "an instruction record (`instruction`, `output`)"
    } else if has("text") && !has("type") {
        "a plain text record (`text`)"
    } else {
        return None;
    };
    Some(
        Error::new(
            ErrorKind::Input,
            "no-conversation",
            format!("found {what}: a text, not a list of messages"),
        )
        .hint("a dataset is read when it has `messages` or `conversations`"),
    )
}

/// A line of a Claude Code session.
fn is_claude_line(value: Raw<'_>) -> bool {
    let fields = Fields::read(value);
    let has = |key: &str| fields.get(key).is_some();
    let tag = fields.get("type").and_then(Raw::as_text);
    let is = |name: &str| tag.is_some_and(|tag| tag.is(name));
    let message = fields.get("message").filter(|m| m.kind() == Kind::Object);
    let session = fields
        .get("sessionId")
        .is_some_and(|id| id.as_text().is_some());
    let marks = ["uuid", "parentUuid", "leafUuid", "snapshot", "operation"];
    session && (marks.iter().any(|key| has(key)) || message.is_some())
        || is("summary") && has("leafUuid")
        || is("file-history-snapshot") && has("messageId")
        || (is("user") || is("assistant"))
            && message
                .is_some_and(|m| m.get("content").is_some() || m.get("usage").is_some())
}

/// A line of a Codex rollout in its envelope.
fn is_codex_line(value: Raw<'_>) -> bool {
    let kinds = [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
    ];
    let tag = value.get("type").and_then(Raw::as_text);
    let known = tag.is_some_and(|tag| kinds.iter().any(|kind| tag.is(kind)));
    known && (value.get("payload").is_some() || value.get("timestamp").is_some())
}

/// A rollout without envelopes: a header, then items.
fn is_bare_codex(values: &[Raw<'_>]) -> bool {
    let Some((first, later)) = values.split_first() else {
        return false;
    };
    let has = |key: &str| first.get(key).is_some();
    let is_item = |value: &Raw<'_>| {
        let tag = value.get("type").and_then(Raw::as_text);
        let kinds = ["message", "function_call", "reasoning"];
        tag.is_some_and(|tag| kinds.iter().any(|kind| tag.is(kind)))
            || value.get("record_type").is_some()
    };
    let header = !has("type") && has("id") && has("timestamp");
    let state = !has("type") && has("record_type");
    (header || state) && later.iter().any(is_item)
        || header && (has("instructions") || has("git")) && !has("messages")
}

fn is_gemini_message(value: Raw<'_>) -> bool {
    let tag = value.get("type").and_then(Raw::as_text);
    let kinds = ["user", "gemini", "info", "error", "warning"];
    tag.is_some_and(|tag| kinds.iter().any(|kind| tag.is(kind)))
        && value.get("message").is_none()
        && value.get("role").is_none()
        && value.get("content").is_some()
}

/// A Gemini CLI session, a record a line.
fn is_gemini_lines(values: &[Raw<'_>]) -> bool {
    let whole = |value: &Raw<'_>| value.get("messages").is_some();
    let header = |value: &Raw<'_>| {
        value.get("sessionId").is_some() && value.get("projectHash").is_some()
    };
    let patch = |value: &Raw<'_>| {
        value.get("$set").is_some() || value.get("$rewindTo").is_some()
    };
    let message =
        |value: &Raw<'_>| is_gemini_message(*value) && value.get("id").is_some();
    !values.first().is_some_and(whole)
        && values.iter().any(|v| header(v) || patch(v) || message(v))
}

/// Lines that are messages of one conversation, and of which API.
fn message_lines(values: &[Raw<'_>]) -> Option<Format> {
    let is_message = |value: &Raw<'_>| {
        value.get("role").is_some()
            && (value.get("content").is_some() || value.get("tool_calls").is_some())
            && value.get("stop_reason").is_none()
            && value.get("messages").is_none()
    };
    if values.len() < 2 || !values.iter().all(is_message) {
        return None;
    }
    let blocks = || {
        values
            .iter()
            .filter_map(|m| m.get("content")?.as_array())
            .flatten()
    };
    Some(match blocks().any(is_anthropic_block) {
        true => Format::Anthropic,
        false => Format::Messages,
    })
}
