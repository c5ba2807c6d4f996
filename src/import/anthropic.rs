//! Content blocks of the Messages API, and its bodies.
//!
//! Claude Code stores answers and requests of this API, so its lines go through
//! [`plan`] too. A plan says which events a message makes, in block order, and
//! what of each block no event holds.
//! Source: the Messages API reference, <https://platform.claude.com/docs/en/api/messages>.

use super::content::{self, Resources, arguments, compact, quoted};
use super::foreign::{Foreign, Origin, residual, with, without};
use super::options::{Format, Options};
use super::record::{Head, Record};
use super::session::Sink;
use super::value::{Body, later_system, system_parts};
use super::{tools, value};
use crate::json::{Kind, Raw, Text};
use std::borrow::Cow;

/// What one or several blocks say.
#[derive(Debug)]
pub(super) enum Says<'a> {
    /// Text, a JSON string.
    Text(Cow<'a, [u8]>),
    /// Reasoning with its signature or its sealed form.
    Thinking {
        text: Cow<'a, [u8]>,
        meta: Vec<(&'static str, Raw<'a>)>,
    },
    /// A call; `id` and `name` are JSON strings.
    Call {
        id: Raw<'a>,
        name: Raw<'a>,
        arguments: Vec<u8>,
        server: bool,
    },
    /// A result; `is_error` is `None` where the block does not say.
    Result {
        id: Raw<'a>,
        content: Vec<u8>,
        is_error: Option<bool>,
        server: bool,
    },
    /// A summary in place of what stood before, a JSON string.
    Summary(Raw<'a>),
}

/// One event that a message makes.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) says: Says<'a>,
    /// The block it comes from; `None` where the content is a string.
    pub(super) block: Option<(usize, Raw<'a>)>,
    /// Files that go with a text.
    pub(super) resources: Resources,
}

/// The events of a message.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    /// Of each block, what no event holds; empty for nothing.
    pub(super) rests: Vec<Vec<u8>>,
    /// Blocks that no rule knows.
    pub(super) odd: Vec<usize>,
}

/// Plans the content of a message. `at` names the place of the content, for the
/// addresses of inline files. `None` for content that is neither text nor list.
pub(super) fn plan<'a>(content: Raw<'a>, at: &str) -> Option<Plan<'a>> {
    let mut plan = Plan::default();
    if content.kind() == Kind::String {
        plan.pieces.push(Piece {
            says: Says::Text(Cow::Borrowed(content.bytes())),
            block: None,
            resources: Resources::default(),
        });
        return Some(plan);
    }
    let mut files = Resources::default();
    for (index, block) in content.as_array()?.enumerate() {
        let uri = format!("import:{at}/{index}");
        let (says, rest) = match read(block, &uri, &mut files) {
            Found::Says(says, rest) => (Some(says), rest),
            Found::File(rest) => (None, rest),
            Found::Odd => {
                plan.odd.push(index);
                (None, compact(block))
            }
        };
        plan.rests.push(rest);
        if let Some(says) = says {
            let takes = matches!(says, Says::Text(_)) && !files.is_empty();
            plan.pieces.push(Piece {
                says,
                block: Some((index, block)),
                resources: match takes {
                    true => std::mem::take(&mut files),
                    false => Resources::default(),
                },
            });
        }
    }
    if !files.is_empty() {
        hand_back(&mut plan, files);
    }
    Some(plan)
}

/// Files behind the last text go with the text before them, or with an empty one.
fn hand_back(plan: &mut Plan<'_>, files: Resources) {
    let mut pieces = plan.pieces.iter_mut().rev();
    let free = pieces.find(|piece| {
        matches!(piece.says, Says::Text(_)) && piece.resources.is_empty()
    });
    match free {
        Some(piece) => piece.resources = files,
        None => plan.pieces.push(Piece {
            says: Says::Text(Cow::Borrowed(b"\"\"")),
            block: None,
            resources: files,
        }),
    }
}

enum Found<'a> {
    Says(Says<'a>, Vec<u8>),
    File(Vec<u8>),
    Odd,
}

fn read<'a>(block: Raw<'a>, uri: &str, files: &mut Resources) -> Found<'a> {
    if block.kind() == Kind::String {
        let text = Says::Text(Cow::Borrowed(block.bytes()));
        // An empty list says that the block was a bare string.
        return Found::Says(text, b"[]".to_vec());
    }
    let get = |key: &str| block.get(key);
    let string = |key: &str| get(key).filter(|value| value.kind() == Kind::String);
    let Some(kind) = string("type").and_then(Raw::as_str) else {
        return Found::Odd;
    };
    match &*kind {
        "text" => match string("text") {
            Some(text) => Found::Says(
                Says::Text(Cow::Borrowed(text.bytes())),
                without(block, &["type", "text"]),
            ),
            None => Found::Odd,
        },
        "image" | "document" => file(block, uri, files),
        // A file as the Cline SDK puts it beside the text.
        "file" => match (string("path"), string("content")) {
            (Some(path), Some(text)) => {
                let part = part_of(uri);
                let name = path.as_str().unwrap_or_default();
                files.text(&name, None, text, part);
                Found::File(without(block, &["path", "content"]))
            }
            _ => Found::Odd,
        },
        "thinking" => match string("thinking") {
            Some(text) => {
                let signature = string("signature").filter(|s| s.bytes() != b"\"\"");
                let carried: &[&str] = match signature {
                    Some(_) => &["type", "thinking", "signature"],
                    None => &["type", "thinking"],
                };
                let meta = signature.map(|s| ("anthropic_thinking_signature", s));
                Found::Says(
                    Says::Thinking {
                        text: Cow::Borrowed(text.bytes()),
                        meta: meta.into_iter().collect(),
                    },
                    without(block, carried),
                )
            }
            None => Found::Odd,
        },
        "redacted_thinking" => match string("data") {
            Some(data) => Found::Says(
                Says::Thinking {
                    text: Cow::Borrowed(b"\"\""),
                    meta: vec![("anthropic_redacted_thinking", data)],
                },
                without(block, &["type", "data"]),
            ),
            None => Found::Odd,
        },
        "tool_use" => match (string("id"), string("name")) {
            (Some(id), Some(name)) => {
                let (arguments, left) = arguments(get("input"));
                let rest = without(block, &["type", "id", "name", "input"]);
                let call = Says::Call {
                    id,
                    name,
                    arguments,
                    server: false,
                };
                Found::Says(call, with(rest, "input", &left))
            }
            _ => Found::Odd,
        },
        "server_tool_use" | "mcp_tool_use" => match (string("id"), string("name")) {
            (Some(id), Some(name)) => {
                let (arguments, _) = arguments(get("input"));
                let call = Says::Call {
                    id,
                    name,
                    arguments,
                    server: true,
                };
                Found::Says(call, compact(block))
            }
            _ => Found::Odd,
        },
        "tool_result" => match string("tool_use_id") {
            Some(id) => result(block, id, uri),
            None => Found::Odd,
        },
        "compaction" => match string("content") {
            Some(text) => {
                Found::Says(Says::Summary(text), without(block, &["type", "content"]))
            }
            None => Found::Odd,
        },
        kind if kind.ends_with("_tool_result") => match string("tool_use_id") {
            Some(id) => Found::Says(
                Says::Result {
                    id,
                    content: b"[]".to_vec(),
                    is_error: get("is_error").and_then(Raw::as_bool),
                    server: true,
                },
                compact(block),
            ),
            None => Found::Odd,
        },
        _ => Found::Odd,
    }
}

fn result<'a>(block: Raw<'a>, id: Raw<'a>, uri: &str) -> Found<'a> {
    let at = uri.trim_start_matches("import:");
    let content = block.get("content");
    let (blocks, left) = content::result(content, &format!("{at}/content"));
    let flag = block.get("is_error");
    let is_error = flag.and_then(Raw::as_bool);
    let carried = |key: Text<'_>| {
        ["type", "tool_use_id", "content"].iter().any(|k| key.is(k))
            || key.is("is_error") && is_error.is_some()
    };
    let rest = residual(block.as_object().into_iter().flatten(), carried);
    let left = match content {
        // Absent content reads as none; that it was absent must not be lost.
        None => b"false".to_vec(),
        Some(_) => left,
    };
    Found::Says(
        Says::Result {
            id,
            content: blocks,
            is_error,
            server: false,
        },
        with(rest, "content", &left),
    )
}

/// The pointer in an address of an inline file.
fn part_of(uri: &str) -> &str {
    let part = uri.trim_start_matches("import:");
    part.find('/').map_or(part, |at| &part[at..])
}

/// A picture or document of the user.
fn file<'a>(block: Raw<'a>, uri: &str, files: &mut Resources) -> Found<'a> {
    let Some(source) = block.get("source") else {
        return Found::Odd;
    };
    let part = part_of(uri);
    let string = |key: &str| source.get(key).filter(|v| v.kind() == Kind::String);
    let kind = source.get("type").and_then(Raw::as_str).unwrap_or_default();
    let media = string("media_type");
    match (&*kind, string("data"), string("url"), string("file_id")) {
        ("base64", Some(data), _, _) => {
            files.blob(uri, media, data.bytes(), part);
            let left = without(source, &["type", "media_type", "data"]);
            let rest =
                match block.get("type").is_some_and(|t| t.bytes() == b"\"image\"") {
                    true => without(block, &["type", "source"]),
                    false => without(block, &["source"]),
                };
            return Found::File(with(rest, "source", &left));
        }
        ("text", Some(text), _, _) => files.text(uri, media, text, part),
        ("url", _, Some(url), _) => files.address(url.bytes(), media, part),
        ("file", _, _, Some(id)) => {
            let id = id.as_str().unwrap_or_default();
            files.address(&quoted(&format!("file-id:{id}")), media, part);
        }
        _ => files.address(&quoted(uri), media, part),
    }
    Found::File(compact(block))
}

/// Writes one piece. The request's turn is open already.
pub(super) fn write<'a>(
    record: &mut Record<'_>,
    piece: &Piece<'a>,
    is_user: bool,
    author: Option<&[u8]>,
    mut head: Head<'a>,
) {
    match &piece.says {
        Says::Text(text) if is_user => {
            record.request(&head, text, author, piece.resources.json());
        }
        Says::Text(text) => record.message(&head, text),
        Says::Thinking { text, meta } => {
            head.meta.clone_from(meta);
            record.reasoning(&head, text);
        }
        Says::Call {
            id,
            name,
            arguments,
            server,
        } => {
            head.foreign.server = *server;
            record.call(&head, id.bytes(), name.bytes(), arguments);
        }
        Says::Result {
            id,
            content,
            is_error,
            server,
        } => {
            head.foreign.server = *server;
            if is_error.is_none() {
                head.foreign.added.push("is_error");
            }
            record.result(&head, id.bytes(), content, is_error.unwrap_or(false));
        }
        Says::Summary(text) => {
            let stamp = head.stamp.take();
            record.compaction(stamp.as_deref(), text.bytes(), head.foreign);
        }
    }
}

/// Reads one body.
pub(super) fn body(body: &Body<'_>, options: &Options, sink: &mut Sink<'_>) {
    let mut record = Record::new(options, Format::Anthropic);
    let fields = &body.fields;
    body.begin(&mut record, "anthropic");
    let mut rest = value::Rest::new(fields);
    if let Some(system) = rest.take("system") {
        record.system_known = true;
        let left = system_parts(&mut record, system);
        rest.left("system", left);
    }
    if let Some(list) = rest.take("tools") {
        tools::body(&mut record, &mut rest, list);
    }
    if let Some(choice) = rest.peek("tool_choice") {
        tools::choice(&mut record, &mut rest, choice);
    }
    value::parameter(&mut record, &mut rest, "max_tokens", "max_tokens");
    value::parameter(&mut record, &mut rest, "temperature", "temperature");
    value::parameter(&mut record, &mut rest, "top_p", "top_p");
    value::parameter(&mut record, &mut rest, "top_k", "top_k");
    value::parameter(&mut record, &mut rest, "stop_sequences", "stop_words");
    thinking(&mut record, &mut rest);
    if rest.peek("container").is_some() {
        body.elsewhere(&mut record, "container");
    }
    rest.take("messages");
    messages(&mut record, body, body.messages("messages"), "/messages");
    body.answer(&mut record, |record, answer, path| {
        message(record, body, answer, path, "assistant");
    });
    body.finish(record, rest, sink);
}

fn thinking(record: &mut Record<'_>, rest: &mut value::Rest<'_>) {
    let Some(thinking) = rest.peek("thinking") else {
        return effort(record, rest);
    };
    let kind = thinking.get("type").and_then(Raw::as_str);
    let budget = thinking
        .get("budget_tokens")
        .filter(|b| b.as_u64().is_some());
    let only = |names: &[&str]| without(thinking, names).is_empty();
    match (kind.as_deref(), budget) {
        (Some("disabled"), _) if only(&["type"]) => {
            rest.take("thinking");
            record.parameters.push(("reasoning", b"\"off\"".to_vec()));
        }
        (Some("enabled"), Some(budget)) if only(&["type", "budget_tokens"]) => {
            rest.take("thinking");
            let value = [b"{\"effort\":{\"absolute\":", budget.bytes(), b"}}"].concat();
            record.parameters.push(("reasoning", value));
        }
        _ => effort(record, rest),
    }
}

fn effort(record: &mut Record<'_>, rest: &mut value::Rest<'_>) {
    let effort = rest.peek("output_config").and_then(|c| c.get("effort"));
    if let Some(effort) = effort.filter(|e| e.kind() == Kind::String) {
        let value = [b"{\"effort\":", effort.bytes(), b"}"].concat();
        record.parameters.push(("reasoning", value));
    }
}

/// Reads the messages of a list.
pub(super) fn messages<'a>(
    record: &mut Record<'_>,
    body: &Body<'a>,
    messages: impl Iterator<Item = Raw<'a>>,
    path: &str,
) {
    for (index, one) in messages.enumerate() {
        body.boundary(record, index);
        message(record, body, one, &format!("{path}/{index}"), "user");
    }
}

fn message(
    record: &mut Record<'_>,
    body: &Body<'_>,
    message: Raw<'_>,
    path: &str,
    default: &str,
) {
    let role = message.get("role").and_then(Raw::as_str);
    let role = role.as_deref().unwrap_or(default);
    if role == "system" {
        return later_system(record, message, path, role);
    }
    let is_user = role == "user";
    let content = message.get("content").unwrap_or(Raw::checked(b"[]"));
    let around = without(message, &["role", "content", "type"]);
    let Some(plan) = plan(content, &format!("{path}/content")) else {
        return body.odd(record, message, path);
    };
    for &index in &plan.odd {
        let at = format!("{path}/content/{index}");
        record.warn("odd-block", body.byte(content), || {
            format!("the block at {at} is of a kind without a rule; it is kept aside")
        });
    }
    let results = plan
        .pieces
        .iter()
        .any(|piece| matches!(piece.says, Says::Result { .. }));
    if is_user && !results && !plan.pieces.is_empty() {
        body.turn(record);
    }
    // What no event takes goes with the first one of the message.
    let mut loose = Vec::new();
    for (index, rest) in plan.rests.iter().enumerate() {
        let owned = plan
            .pieces
            .iter()
            .any(|piece| piece.block.is_some_and(|(block, _)| block == index));
        loose.push(match owned {
            true => Vec::new(),
            false => rest.clone(),
        });
    }
    let loose = super::foreign::rests(&loose);
    let mut around = with(around, "content", &loose);
    for piece in &plan.pieces {
        let at = match piece.block {
            Some((index, _)) => format!("{path}/content/{index}"),
            None if piece.resources.is_empty() => format!("{path}/content"),
            None => path.to_owned(),
        };
        let rest = piece.block.map(|(index, _)| plan.rests[index].clone());
        let server = matches!(
            piece.says,
            Says::Call { server: true, .. } | Says::Result { server: true, .. }
        );
        let native = piece
            .block
            .filter(|_| server)
            .map(|(_, b)| ("anthropic", b));
        let foreign = Foreign {
            origin: Origin::At(at),
            rest: match server {
                true => Vec::new(),
                false => rest.unwrap_or_default(),
            },
            message: std::mem::take(&mut around),
            parts: match piece.resources.is_empty() {
                true => Vec::new(),
                false => piece.resources.parts.clone(),
            },
            native,
            ..Foreign::default()
        };
        let head = Head {
            foreign,
            ..Head::default()
        };
        write(record, piece, is_user, None, head);
    }
    if !around.is_empty() {
        record.note(
            "odd-message",
            || format!("the message at {path} makes no event"),
            None,
        );
    }
}
