//! Items of the Responses API, and its bodies.
//!
//! Codex stores the same items, so [`item`] reads both. Source: the OpenAI API
//! reference, <https://platform.openai.com/docs/api-reference/responses>, and
//! `codex-rs/protocol/src/models.rs` of openai/codex.

use super::content::{self, Resources, arguments, compact, input, quoted};
use super::foreign::{Foreign, residual, with, without};
use super::options::{Format, Options};
use super::record::{Head, Record};
use super::session::Sink;
use super::value::{self, Body, Rest, content_rest, turn};
use super::{chat, system, tools};
use crate::json::{Kind, Raw};
use std::borrow::Cow;

/// Where an item stands.
pub(super) struct Place<'p> {
    /// `metadata.foreign` of its events, with where it stands and what is around.
    pub(super) foreign: Foreign<'p>,
    pub(super) stamp: Option<Cow<'p, str>>,
    /// Where it stands, for addresses and made ids.
    pub(super) at: String,
    /// Line or index, for made ids.
    pub(super) number: usize,
}

impl<'p> Place<'p> {
    fn head<'h>(&self, rest: Vec<u8>) -> Head<'h>
    where
        'p: 'h,
    {
        let mut foreign = self.foreign.clone();
        foreign.rest = rest;
        Head {
            stamp: self.stamp.clone(),
            foreign,
            ..Head::default()
        }
    }
}

/// Calls run by the provider, whose item is call and result at once.
const SERVER: [&str; 7] = [
    "web_search_call",
    "image_generation_call",
    "mcp_call",
    "code_interpreter_call",
    "file_search_call",
    "computer_call",
    "mcp_approval_request",
];

/// The kind of an item: its `type`, or a message where only the role says so.
pub(super) fn kind(item: Raw<'_>) -> Cow<'_, str> {
    match item.get("type").and_then(Raw::as_str) {
        Some(kind) => kind,
        None if item.get("role").is_some() => Cow::Borrowed("message"),
        None => Cow::Borrowed(""),
    }
}

/// Writes what the assistant or a tool said. False for an item of another kind.
pub(super) fn item(record: &mut Record<'_>, item: Raw<'_>, place: Place<'_>) -> bool {
    let string = |key: &str| item.get(key).filter(|value| value.kind() == Kind::String);
    let kind = kind(item);
    match &*kind {
        "message" => {
            let role = item.get("role").and_then(Raw::as_str);
            if role.as_deref() != Some("assistant") {
                return false;
            }
            message(record, item, place);
        }
        "reasoning" => reasoning(record, item, place),
        "function_call" => {
            let Some(name) = string("name") else {
                return false;
            };
            let (arguments, left) = arguments(item.get("arguments"));
            let carried = ["type", "name", "arguments", "call_id"];
            let rest = with(without(item, &carried), "arguments", &left);
            let mut head = place.head(rest);
            let id = call_id(string("call_id"), &place, &mut head.foreign);
            record.call(&head, &id, name.bytes(), &arguments);
        }
        "custom_tool_call" => {
            let Some(name) = string("name") else {
                return false;
            };
            let text = item.get("input").unwrap_or(Raw::checked(b"\"\""));
            let rest = without(item, &["type", "name", "input", "call_id"]);
            let mut head = place.head(rest);
            head.foreign.item = Some("custom_tool_call");
            let id = call_id(string("call_id"), &place, &mut head.foreign);
            record.call(&head, &id, name.bytes(), &input(&compact(text)));
        }
        "local_shell_call" | "tool_search_call" => {
            let (name, field) = match &*kind {
                "local_shell_call" => ("local_shell", "action"),
                _ => ("tool_search", "arguments"),
            };
            let (arguments, left) = arguments(item.get(field));
            let own = string("call_id");
            let mut carried = vec!["type", field];
            carried.push(if own.is_some() { "call_id" } else { "id" });
            let rest = with(without(item, &carried), field, &left);
            let mut head = place.head(rest);
            head.foreign.item = Some(known(&kind));
            let id = call_id(own.or_else(|| string("id")), &place, &mut head.foreign);
            record.call(&head, &id, &quoted(name), &arguments);
        }
        "function_call_output"
        | "custom_tool_call_output"
        | "local_shell_call_output"
        | "tool_search_output" => output(record, item, &kind, place),
        server if SERVER.contains(&server) => server_pair(record, item, &kind, place),
        _ => return false,
    }
    true
}

/// The static spelling of a kind that is known.
fn known(kind: &str) -> &'static str {
    let kinds = [
        "local_shell_call",
        "tool_search_call",
        "custom_tool_call_output",
        "local_shell_call_output",
        "tool_search_output",
    ];
    let shared = kinds.iter().chain(SERVER.iter());
    shared.copied().find(|one| *one == kind).unwrap_or("item")
}

fn call_id(
    id: Option<Raw<'_>>,
    place: &Place<'_>,
    foreign: &mut Foreign<'_>,
) -> Vec<u8> {
    match id {
        Some(id) => id.bytes().to_vec(),
        None => {
            foreign.made.push("id");
            quoted(&format!("call_{}", place.number))
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "spent on the one item it places"
)]
fn message(record: &mut Record<'_>, item: Raw<'_>, place: Place<'_>) {
    let content = item.get("content").unwrap_or(Raw::checked(b"[]"));
    let parts: Vec<Raw<'_>> = content.as_array().into_iter().flatten().collect();
    let carried = |key: crate::json::Text<'_>| {
        ["type", "role", "content", "id", "phase"]
            .iter()
            .any(|name| key.is(name))
    };
    let around = residual(item.as_object().into_iter().flatten(), carried);
    let mut head;
    let text: Cow<'_, [u8]> = if content.kind() == Kind::String {
        head = place.head(around);
        Cow::Borrowed(content.bytes())
    } else if let [part] = parts.as_slice()
        && let Some(text) = part.get("text").filter(|t| t.kind() == Kind::String)
    {
        let kind = part.get("type").and_then(Raw::as_text);
        let usual = kind.is_some_and(|kind| kind.is("output_text"));
        let names: &[&str] = if usual { &["type", "text"] } else { &["text"] };
        let rest = content_rest(around, &[without(*part, names)]);
        head = place.head(rest);
        Cow::Borrowed(text.bytes())
    } else {
        let joined: String = parts.iter().filter_map(|part| said(*part)).collect();
        let rest = with(around, "content", content.bytes());
        head = place.head(rest);
        head.foreign.parts = (0..parts.len())
            .map(|index| format!("{}/content/{index}", place.at))
            .collect();
        Cow::Owned(quoted(&joined))
    };
    if item.get("type").is_none() {
        head.foreign.absent.push("type");
    }
    for (key, name) in [("id", "openai_item_id"), ("phase", "openai_phase")] {
        if let Some(value) = item.get(key).filter(|value| value.kind() == Kind::String)
        {
            head.meta.push((name, value));
        }
    }
    record.message(&head, &text);
}

/// The text of a part, be it a refusal.
fn said(part: Raw<'_>) -> Option<Cow<'_, str>> {
    let text = part.get("text").or_else(|| part.get("refusal"));
    text.and_then(Raw::as_str)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "spent on the one item it places"
)]
fn reasoning(record: &mut Record<'_>, item: Raw<'_>, place: Place<'_>) {
    let list = |key: &str| -> Vec<Raw<'_>> {
        let list = item.get(key).and_then(Raw::as_array);
        list.into_iter().flatten().collect()
    };
    let summary = list("summary");
    let content = list("content");
    let read = |parts: &[Raw<'_>]| -> Vec<String> {
        parts
            .iter()
            .filter_map(|part| Some(part.get("text")?.as_str()?.into_owned()))
            .collect()
    };
    let (key, parts) = match (summary.is_empty(), content.is_empty()) {
        (true, false) => ("content", &content),
        _ => ("summary", &summary),
    };
    let texts = read(parts);
    // One part of the usual kind is carried whole; more cannot be told apart again.
    let usual = match key {
        "summary" => "summary_text",
        _ => "reasoning_text",
    };
    let whole = parts.is_empty()
        || parts.len() == 1
            && texts.len() == 1
            && parts[0]
                .get("type")
                .and_then(Raw::as_text)
                .is_some_and(|t| t.is(usual))
            && without(parts[0], &["type", "text"]).is_empty();
    let carried = |name: crate::json::Text<'_>| {
        name.is("type")
            || name.is("id") && item.get("id").is_some_and(|v| v.kind() == Kind::String)
            || name.is("encrypted_content")
                && item
                    .get("encrypted_content")
                    .is_some_and(|v| v.kind() == Kind::String)
            || whole && name.is(key)
    };
    let mut head =
        place.head(residual(item.as_object().into_iter().flatten(), carried));
    for (key, name) in [
        ("id", "openai_item_id"),
        ("encrypted_content", "openai_encrypted_content"),
    ] {
        if let Some(value) = item.get(key).filter(|value| value.kind() == Kind::String)
        {
            head.meta.push((name, value));
        }
    }
    record.reasoning(&head, &quoted(&texts.join("\n\n")));
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "spent on the one item it places"
)]
fn output(record: &mut Record<'_>, item: Raw<'_>, kind: &str, place: Place<'_>) {
    let id = item.get("call_id").filter(|id| id.kind() == Kind::String);
    let field = match kind {
        "tool_search_output" => "tools",
        _ => "output",
    };
    let value = item.get(field);
    let mut rest = without(item, &["type", "call_id", field]);
    let at = format!("{}/{field}", place.at);
    let mut is_error = None;
    let content = match value {
        Some(tools) if kind == "tool_search_output" => {
            quoted(&String::from_utf8_lossy(&compact(tools)))
        }
        Some(object) if object.kind() == Kind::Object => {
            is_error = object.get("success").and_then(Raw::as_bool).map(|ok| !ok);
            let (content, left) = content::result(object.get("content"), &at);
            let inner = without(object, &["content", "success"]);
            let inner = with(inner, "content", &left);
            // That it was an object is told even where nothing is left of it.
            let inner = if inner.is_empty() {
                b"{}".to_vec()
            } else {
                inner
            };
            rest = with(rest, field, &inner);
            content
        }
        value => {
            let (content, left) = content::result(value, &at);
            rest = with(rest, field, &left);
            content
        }
    };
    let mut head = place.head(rest);
    if is_error.is_none() {
        head.foreign.added.push("is_error");
    }
    if kind != "function_call_output" {
        head.foreign.item = Some(known(kind));
    }
    let id = call_id(id, &place, &mut head.foreign);
    record.result(&head, &id, &content, is_error.unwrap_or(false));
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "spent on the one item it places"
)]
fn server_pair(record: &mut Record<'_>, item: Raw<'_>, kind: &str, place: Place<'_>) {
    let string = |key: &str| item.get(key).filter(|value| value.kind() == Kind::String);
    let fields = match kind {
        "image_generation_call" => ["revised_prompt", "prompt"],
        "mcp_call" => ["arguments", "input"],
        "code_interpreter_call" => ["code", "input"],
        "file_search_call" => ["queries", "query"],
        _ => ["action", "arguments"],
    };
    let found = fields.iter().find_map(|key| item.get(key));
    let (arguments, _) = match (kind, found) {
        ("image_generation_call", Some(prompt)) => {
            ([b"{\"prompt\":", prompt.bytes(), b"}"].concat(), Vec::new())
        }
        (_, found) => arguments(found),
    };
    let name = kind.trim_end_matches("_call");
    let name =
        string("name").map_or_else(|| quoted(name), |name| name.bytes().to_vec());
    let mut head = place.head(Vec::new());
    head.foreign.server = true;
    head.foreign.item = Some(known(kind));
    head.foreign.native = Some(("openai", item));
    let id = match string("id").or_else(|| string("call_id")) {
        Some(id) => id.bytes().to_vec(),
        None => {
            head.foreign.made.push("id");
            quoted(&format!("ws_{}", place.number))
        }
    };
    record.call(&head, &id, &name, &arguments);
    let failed = string("status").is_some_and(|status| status.bytes() == b"\"failed\"");
    let mut content = b"[".to_vec();
    if kind == "image_generation_call"
        && let Some(data) = string("result")
    {
        content.extend_from_slice(b"{\"type\":\"resource\",\"resource\":{\"uri\":");
        content.extend_from_slice(&quoted(&format!("import:{}/result", place.at)));
        content.extend_from_slice(b",\"mimeType\":\"image/png\",\"blob\":");
        content.extend_from_slice(data.bytes());
        content.extend_from_slice(b"}}");
    }
    content.push(b']');
    let mut head = place.head(Vec::new());
    head.foreign.server = true;
    head.foreign.item = Some(known(kind));
    head.foreign.made.push("content");
    record.result(&head, &id, &content, failed);
}

/// The texts of a user, system or developer message, and what is left of it.
pub(super) struct Texts<'a> {
    /// Each text, where it stands, and the files that go with it.
    pub(super) list: Vec<(Cow<'a, [u8]>, Option<usize>, Resources)>,
    /// The rest of the item.
    pub(super) rest: Vec<u8>,
}

/// Reads the content of a message that is not the assistant's.
pub(super) fn texts<'a>(item: Raw<'a>, at: &str) -> Texts<'a> {
    let mut list: Vec<(Cow<'a, [u8]>, Option<usize>, Resources)> = Vec::new();
    let mut rests = Vec::new();
    let mut files = Resources::default();
    let content = item.get("content").unwrap_or(Raw::checked(b"[]"));
    if content.kind() == Kind::String {
        list.push((Cow::Borrowed(content.bytes()), None, Resources::default()));
    }
    for (index, part) in content.as_array().into_iter().flatten().enumerate() {
        let text = part.get("text").filter(|text| text.kind() == Kind::String);
        let kind = part.get("type").and_then(Raw::as_text);
        let usual = kind.is_some_and(|kind| kind.is("input_text"));
        match text {
            Some(text) => {
                let text = Cow::Borrowed(text.bytes());
                list.push((text, Some(index), std::mem::take(&mut files)));
                let names: &[&str] = if usual { &["type", "text"] } else { &["text"] };
                rests.push(without(part, names));
            }
            None => match chat::file(part, at, index, &mut files) {
                Some(rest) => rests.push(rest),
                None => rests.push(compact(part)),
            },
        }
    }
    if !files.is_empty() {
        match list.iter_mut().rev().find(|(_, _, own)| own.is_empty()) {
            Some((_, _, own)) => *own = files,
            None => list.push((Cow::Borrowed(b"\"\""), None, files)),
        }
    }
    let around = without(item, &["type", "role", "content"]);
    Texts {
        list,
        rest: content_rest(around, &rests),
    }
}

/// Reads one body.
pub(super) fn body(body: &Body<'_>, options: &Options, sink: &mut Sink<'_>) {
    let mut record = Record::new(options, Format::OpenAiResponses);
    body.begin(&mut record, "openai");
    let mut rest = Rest::new(&body.fields);
    if let Some(text) = rest.peek("instructions").filter(|t| t.as_text().is_some()) {
        rest.take("instructions");
        let _ = system::parts(&mut record, text);
    }
    if let Some(list) = rest.take("tools") {
        tools::body(&mut record, &mut rest, list);
    }
    if let Some(choice) = rest.peek("tool_choice") {
        tools::choice(&mut record, &mut rest, choice);
    }
    for (key, name) in [
        ("max_output_tokens", "max_tokens"),
        ("temperature", "temperature"),
        ("top_p", "top_p"),
    ] {
        value::parameter(&mut record, &mut rest, key, name);
    }
    if let Some(reasoning) = rest.peek("reasoning")
        && let Some(level) = reasoning.get("effort")
        && value::effort(&mut record, level)
    {
        let left = without(reasoning, &["effort"]);
        rest.take("reasoning");
        rest.left("reasoning", left);
    }
    for key in ["previous_response_id", "conversation"] {
        if rest.peek(key).is_some() {
            body.elsewhere(&mut record, key);
        }
    }
    if let Some(text) = body
        .fields
        .get("input")
        .filter(|v| v.kind() == Kind::String)
    {
        rest.take("input");
        turn(&mut record);
        let head = Head {
            foreign: Foreign::at("/input"),
            ..Head::default()
        };
        record.request(&head, text.bytes(), None, b"");
    } else {
        rest.take("input");
        for (index, one) in body.messages("input").enumerate() {
            body.boundary(&mut record, index);
            input_item(
                &mut record,
                body,
                one,
                &format!("/input/{index}"),
                index + 1,
            );
        }
    }
    body.answer_at(
        &mut record,
        "/output",
        |answer| answer.get("output"),
        |record, list, path| {
            for (index, one) in list.as_array().into_iter().flatten().enumerate() {
                let path = format!("{path}/{index}");
                input_item(record, body, one, &path, index + 1);
            }
        },
    );
    body.finish(record, rest, sink);
}

fn input_item(
    record: &mut Record<'_>,
    body: &Body<'_>,
    one: Raw<'_>,
    path: &str,
    number: usize,
) {
    let place = Place {
        foreign: Foreign::at(path),
        stamp: None,
        at: path.to_owned(),
        number,
    };
    if item(record, one, place) {
        return;
    }
    let role = one.get("role").and_then(Raw::as_str);
    match (&*kind(one), role.as_deref()) {
        ("message", Some(role @ ("system" | "developer"))) => {
            if record.after_request() || record.has_answer() {
                return system::later(record, one, path, role);
            }
            let content = one.get("content").unwrap_or(Raw::checked(b"[]"));
            let _ = system::parts(record, content);
        }
        ("message", Some("user")) => {
            let found = texts(one, path);
            if found.list.is_empty() {
                return body.odd(record, one, path);
            }
            turn(record);
            let mut rest = found.rest;
            for (text, index, files) in &found.list {
                let mut foreign = match index {
                    Some(index) => Foreign::at(format!("{path}/content/{index}")),
                    None => Foreign::at(path),
                };
                foreign.message = std::mem::take(&mut rest);
                let head = Head {
                    foreign,
                    ..Head::default()
                };
                record.request(&head, text, None, files.json());
            }
        }
        ("item_reference", _) => body.elsewhere(record, "item_reference"),
        (kind, _) => {
            let kind = kind.to_owned();
            record.foreign(None, number, &format!("input/{kind}"), one);
            record.unknown_kind(&kind);
        }
    }
}
