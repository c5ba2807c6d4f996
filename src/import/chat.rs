//! Chat completions and its dialects, and datasets of the same messages.
//!
//! Source: the OpenAI API reference, <https://platform.openai.com/docs/api-reference/chat>,
//! and what OpenRouter, Ollama, llama.cpp and Cerebras send beside it.

use super::content::{self, Resources, arguments, compact, data_uri, input, quoted};
use super::foreign::{Foreign, Origin, residual, with, without};
use super::options::{Format, Options};
use super::record::{Head, Record, stamp};
use super::session::Sink;
use super::system;
use super::tools;
use super::value::{self, Body, Rest, content_rest, turn};
use crate::body::{Provider, recognise};
use crate::json::{Kind, Raw};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Calls that wait for a result, in order, for dialects whose results name none.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: VecDeque<(Vec<u8>, String)>,
    made: usize,
}

impl Calls {
    /// An id nobody gave, as a JSON string.
    pub(super) fn make(&mut self) -> Vec<u8> {
        self.made += 1;
        quoted(&format!("call_{}", self.made))
    }

    /// Remembers a call.
    pub(super) fn push(&mut self, id: &[u8], name: &str) {
        self.open.push_back((id.to_vec(), name.to_owned()));
    }

    /// The call a result answers: the one of its id, else the oldest of its name,
    /// else the oldest.
    pub(super) fn answer(
        &mut self,
        id: Option<&[u8]>,
        name: Option<&str>,
    ) -> Option<Vec<u8>> {
        let at = match (id, name) {
            (Some(id), _) => self.open.iter().position(|(one, _)| one == id),
            (None, Some(name)) => {
                let named = self.open.iter().position(|(_, one)| one == name);
                named.or((!self.open.is_empty()).then_some(0))
            }
            (None, None) => (!self.open.is_empty()).then_some(0),
        };
        self.open.remove(at?).map(|(id, _)| id)
    }
}

/// Reads one body.
pub(super) fn body(
    body: &Body<'_>,
    options: &Options,
    format: Format,
    sink: &mut Sink<'_>,
) {
    let mut record = Record::new(options, format);
    let is_dataset = format == Format::Messages;
    let named = body.fields.text("model");
    let name = named.as_deref().or(body.around.model.as_deref());
    let provider = provider(body, name.unwrap_or_default());
    body.begin(&mut record, provider.name());
    let mut rest = Rest::new(&body.fields);
    if is_dataset {
        record.unknown.push("timestamps");
    }
    let mut told = false;
    for key in ["tools", "functions"] {
        if let Some(list) = rest.take(key) {
            told = true;
            tools_of(&mut record, &mut rest, key, list);
        }
    }
    if is_dataset && !told {
        record.unknown.push("tools");
    }
    if let Some(choice) = rest.peek("tool_choice") {
        tools::choice(&mut record, &mut rest, choice);
    }
    for (key, name) in [
        ("max_completion_tokens", "max_tokens"),
        ("max_tokens", "max_tokens"),
        ("temperature", "temperature"),
        ("top_p", "top_p"),
        ("top_k", "top_k"),
        ("stop", "stop_words"),
    ] {
        value::parameter(&mut record, &mut rest, key, name);
    }
    if let Some(level) = rest.peek("reasoning_effort")
        && value::effort(&mut record, level)
    {
        rest.take("reasoning_effort");
    }
    if let Some(text) = rest.take("system").filter(|text| text.as_text().is_some()) {
        let left = system::parts(&mut record, text);
        rest.left("system", left);
    }
    let mut calls = Calls::default();
    for key in [
        "messages",
        "conversations",
        "conversation",
        "prompt",
        "completion",
    ] {
        let Some(list) = body.fields.get(key).filter(|l| l.kind() == Kind::Array)
        else {
            continue;
        };
        rest.take(key);
        for (index, one) in list.as_array().into_iter().flatten().enumerate() {
            body.boundary(&mut record, index);
            let path = format!("/{key}/{index}");
            message(&mut record, &mut calls, one, &path, body.byte(one));
        }
    }
    if is_dataset && body.around.response.is_none() {
        body.finish(record, rest, sink);
        return;
    }
    let more = body
        .around
        .response
        .and_then(|r| r.get("choices")?.as_array())
        .map_or(0, Iterator::count);
    if more > 1 {
        record.note(
            "more-choices",
            || format!("{} further choices of the answer are left out", more - 1),
            None,
        );
    }
    body.answer_at(
        &mut record,
        "/choices/0/message",
        chosen,
        |record, one, path| {
            message(record, &mut calls, one, path, 0);
        },
    );
    body.finish(record, rest, sink);
}

/// The message of an answer: of the first choice, or Ollama's own.
fn chosen(response: Raw<'_>) -> Option<Raw<'_>> {
    let choices = response.get("choices").and_then(Raw::as_array);
    let first = choices.and_then(|mut list| list.next()?.get("message"));
    first.or_else(|| response.get("message"))
}

/// Tools, which datasets may write as JSON text.
fn tools_of(
    record: &mut Record<'_>,
    rest: &mut Rest<'_>,
    key: &'static str,
    list: Raw<'_>,
) {
    let Some(text) = list.as_str() else {
        if list.kind() == Kind::Array {
            return tools::body(record, rest, list);
        }
        return rest.left(key, compact(list));
    };
    match Raw::parse(text.as_bytes()) {
        Ok(parsed) if parsed.kind() == Kind::Array => tools::body(record, rest, parsed),
        _ if text.is_empty() => {}
        _ => rest.left(key, compact(list)),
    }
}

/// The provider of a chat body: told, recognised, or known by its models.
fn provider(body: &Body<'_>, model: &str) -> Provider {
    if let Some(provider) = body.options.provider.or(body.around.provider) {
        return provider;
    }
    match recognise(&body.fields, Some(model)) {
        Some(found) if found.certain && found.provider != Provider::Anthropic => {
            return found.provider;
        }
        _ => {}
    }
    let openai = ["gpt-", "chatgpt-", "o1", "o3", "o4", "codex"];
    match openai.iter().any(|start| model.starts_with(start)) {
        true => Provider::OpenAi,
        false => Provider::OpenRouter,
    }
}

/// One event of a message, before it is written.
enum Says<'a> {
    Text(Cow<'a, [u8]>),
    Reasoning(Raw<'a>),
    Call {
        id: Option<Raw<'a>>,
        name: Cow<'a, str>,
        arguments: Vec<u8>,
        item: Option<&'static str>,
    },
}

/// Reads one message; `byte` is where it stands in the input.
pub(super) fn message(
    record: &mut Record<'_>,
    calls: &mut Calls,
    message: Raw<'_>,
    path: &str,
    byte: usize,
) {
    let role = message.get("role").and_then(Raw::as_str);
    match role.as_deref() {
        Some(role @ ("system" | "developer")) => {
            if record.after_request() || record.has_answer() {
                return system::later(record, message, path, role);
            }
            let content = message.get("content").unwrap_or(Raw::checked(b"[]"));
            leading(record, message, content, path);
        }
        Some("tool" | "function") => result(record, calls, message, path),
        Some("user") => user(record, message, path, byte),
        Some("assistant") => assistant(record, calls, message, path, byte),
        _ => record.warn("odd-line", byte, || {
            format!("the message at {path} has no role that is known; it is left out")
        }),
    }
}

/// System text in front of the conversation.
fn leading(record: &mut Record<'_>, message: Raw<'_>, content: Raw<'_>, path: &str) {
    let left = match content.kind() {
        Kind::Array => {
            let mut rests = Vec::new();
            for part in content.as_array().into_iter().flatten() {
                match part_text(part) {
                    Some(text) => {
                        record.system.push(text.bytes().to_vec());
                        rests.push(without(part, &["type", "text", "value"]));
                    }
                    None => rests.push(compact(part)),
                }
            }
            super::foreign::rests(&rests)
        }
        _ => system::parts(record, content),
    };
    let rest = with(without(message, &["role", "content"]), "content", &left);
    if !rest.is_empty() {
        let mut aside = b"{".to_vec();
        super::foreign::text(&mut aside, "at", path);
        crate::json::write::key(&mut aside, "rest");
        aside.extend_from_slice(&rest);
        aside.push(b'}');
        match record.import.iter_mut().find(|(key, _)| *key == "system") {
            Some((_, list)) => {
                list.pop();
                list.push(b',');
                list.extend_from_slice(&aside);
                list.push(b']');
            }
            None => record
                .import
                .push(("system", [b"[", &aside[..], b"]"].concat())),
        }
    }
}

/// The text of a part, a JSON string; datasets call it `value`.
fn part_text(part: Raw<'_>) -> Option<Raw<'_>> {
    if part.kind() == Kind::String {
        return Some(part);
    }
    let kind = part.get("type").and_then(Raw::as_str);
    if !matches!(
        kind.as_deref(),
        None | Some("text" | "input_text" | "output_text")
    ) {
        return None;
    }
    let text = part.get("text").or_else(|| part.get("value"));
    text.filter(|text| text.kind() == Kind::String)
}

fn user(record: &mut Record<'_>, message: Raw<'_>, path: &str, byte: usize) {
    let author = message
        .get("name")
        .filter(|name| name.kind() == Kind::String);
    let carried = |key: crate::json::Text<'_>| {
        key.is("role")
            || key.is("content")
            || key.is("timestamp")
            || key.is("name") && author.is_some()
    };
    let around = residual(message.as_object().into_iter().flatten(), carried);
    let content = message.get("content").unwrap_or(Raw::checked(b"null"));
    let mut texts: Vec<(Cow<'_, [u8]>, Option<usize>, Resources)> = Vec::new();
    let mut rests = Vec::new();
    let mut files = Resources::default();
    match content.kind() {
        Kind::String => {
            texts.push((Cow::Borrowed(content.bytes()), None, Resources::default()));
        }
        Kind::Array => {
            for (index, part) in content.as_array().into_iter().flatten().enumerate() {
                if let Some(text) = part_text(part) {
                    let text = Cow::Borrowed(text.bytes());
                    texts.push((text, Some(index), std::mem::take(&mut files)));
                    rests.push(match part.kind() {
                        Kind::String => b"[]".to_vec(),
                        _ => without(part, &["type", "text", "value"]),
                    });
                } else if let Some(rest) = file(part, path, index, &mut files) {
                    rests.push(rest);
                } else {
                    odd(record, path, index, byte);
                    rests.push(compact(part));
                }
            }
        }
        _ => {}
    }
    // Pictures that Ollama hangs on the message.
    for (index, one) in message
        .get("images")
        .and_then(Raw::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        if one.kind() == Kind::String {
            let uri = format!("import:{path}/images/{index}");
            files.blob(&uri, None, one.bytes(), &format!("{path}/images/{index}"));
        }
    }
    if !files.is_empty() {
        match texts.iter_mut().rev().find(|(_, _, own)| own.is_empty()) {
            Some((_, _, own)) => *own = files,
            None => texts.push((Cow::Borrowed(b"\"\""), None, files)),
        }
    }
    if texts.is_empty() {
        return record.warn("odd-line", byte, || {
            format!("the message at {path} holds no text; it is left out")
        });
    }
    let time = stamp(message.get("timestamp"));
    turn(record);
    let single = texts.len() == 1;
    let mut rest = content_rest(around, &rests);
    for (text, index, resources) in &texts {
        let mut foreign = match index.filter(|_| !single) {
            Some(index) => Foreign::at(format!("{path}/content/{index}")),
            None => Foreign::at(path),
        };
        match single {
            true => foreign.rest = std::mem::take(&mut rest),
            false => foreign.message = std::mem::take(&mut rest),
        }
        let head = Head {
            stamp: time.clone(),
            foreign,
            ..Head::default()
        };
        record.request(&head, text, author.map(Raw::bytes), resources.json());
    }
}

fn odd(record: &mut Record<'_>, path: &str, index: usize, byte: usize) {
    record.warn("odd-block", byte, || {
        format!("the part at {path}/content/{index} is of a kind without a rule; it is kept aside")
    });
}

/// A file part: taken into `files`, with the rest of the part.
pub(super) fn file(
    part: Raw<'_>,
    path: &str,
    index: usize,
    files: &mut Resources,
) -> Option<Vec<u8>> {
    let kind = part.get("type").and_then(Raw::as_str)?;
    let at = format!("{path}/content/{index}");
    let uri = format!("import:{at}");
    let inner = part.get(&kind);
    let string =
        |value: Option<Raw<'_>>| value.and_then(Raw::as_str).map(Cow::into_owned);
    let (url, keys): (Option<String>, &[&str]) = match &*kind {
        "image_url" | "video_url" | "document_url" | "audio_url" => {
            let value = part.get("value");
            let inner = inner.or(value);
            let direct = string(inner);
            (direct.or_else(|| string(inner?.get("url"))), &["url"])
        }
        "input_image" => (string(part.get("image_url")), &["image_url"]),
        "image" | "video" | "audio" => (
            string(part.get("url").or(part.get("value"))),
            &["url", "value"],
        ),
        "file" => {
            let data = inner.and_then(|file| file.get("file_data"));
            let id = inner.and_then(|file| file.get("file_id"));
            let id = string(id).map(|id| format!("file-id:{id}"));
            (string(data).or(id), &["file_data", "file_id"])
        }
        "input_file" => {
            let id = string(part.get("file_id")).map(|id| format!("file-id:{id}"));
            let data = part.get("file_data").or_else(|| part.get("file_url"));
            (string(data).or(id), &["file_data", "file_url", "file_id"])
        }
        "input_audio" => {
            let inner = inner?;
            let format = string(inner.get("format")).unwrap_or_default();
            let media = quoted(&format!("audio/{format}"));
            let data = inner
                .get("data")
                .filter(|data| data.kind() == Kind::String)?;
            files.blob(&uri, Some(Raw::checked(&media)), data.bytes(), &at);
            let left = without(inner, &["data"]);
            let rest = without(part, &["type", "input_audio"]);
            return Some(with(rest, "input_audio", &left));
        }
        _ => return None,
    };
    let url = url?;
    let address = match data_uri(&url) {
        Some((media, data)) => {
            files.blob(&uri, Some(Raw::checked(&media)), &data, &at);
            None
        }
        None => Some(quoted(&url)),
    };
    if let Some(address) = address {
        files.address(&address, None, &at);
    }
    // An image is what a part of files is taken for; any other says what it is.
    let type_told = matches!(&*kind, "image_url" | "input_image");
    let mut rest = match type_told {
        true => without(part, &["type", "image_url"]),
        false => residual(part.as_object().into_iter().flatten(), |key| {
            key.is(&kind) || keys.iter().any(|name| key.is(name))
        }),
    };
    if let Some(inner) = inner.filter(|inner| inner.kind() == Kind::Object) {
        let left = without(inner, keys);
        rest = with(rest, &kind, &left);
    }
    Some(rest)
}

fn assistant(
    record: &mut Record<'_>,
    calls: &mut Calls,
    message: Raw<'_>,
    path: &str,
    byte: usize,
) {
    let mut says: Vec<(Says<'_>, String)> = Vec::new();
    let mut taken = vec!["role", "timestamp"];
    let text = |key: &str| {
        message
            .get(key)
            .filter(|value| value.kind() == Kind::String)
    };
    for key in ["reasoning", "reasoning_content", "thinking"] {
        let found = text(key).filter(|text| text.bytes() != b"\"\"");
        if let Some(text) = found {
            taken.push(key);
            says.push((Says::Reasoning(text), format!("{path}/{key}")));
            break;
        }
    }
    let mut rests = Vec::new();
    let mut arguments_left = Vec::new();
    let has_calls = message
        .get("tool_calls")
        .and_then(Raw::as_array)
        .is_some_and(|mut l| l.next().is_some())
        || message.get("function_call").is_some_and(|c| !c.is_null());
    let content = message.get("content").unwrap_or(Raw::checked(b"null"));
    match content.kind() {
        Kind::String if content.bytes() != b"\"\"" || !has_calls => {
            taken.push("content");
            let at = format!("{path}/content");
            says.push((Says::Text(Cow::Borrowed(content.bytes())), at));
        }
        Kind::Array => {
            taken.push("content");
            for (index, part) in content.as_array().into_iter().flatten().enumerate() {
                let at = format!("{path}/content/{index}");
                let (found, rest) = answer_part(part);
                if found.is_none() {
                    odd(record, path, index, byte);
                }
                says.extend(found.map(|found| (found, at)));
                rests.push(rest);
            }
        }
        _ => {}
    }
    if let Some(refusal) = text("refusal") {
        let at = format!("{path}/refusal");
        taken.push("refusal");
        says.push((Says::Text(Cow::Borrowed(refusal.bytes())), at));
    }
    let list = message.get("tool_calls").and_then(Raw::as_array);
    if list.is_some() {
        taken.push("tool_calls");
    }
    for (index, call) in list.into_iter().flatten().enumerate() {
        let (found, rest) = read_call(call);
        match found {
            Some(found) => says.push((found, format!("{path}/tool_calls/{index}"))),
            None => record.warn("odd-block", byte, || {
                format!("the call at {path}/tool_calls/{index} has no name; it is kept aside")
            }),
        }
        arguments_left.push(rest);
    }
    if let Some(call) = message.get("function_call").filter(|c| !c.is_null())
        && let Some(name) = call.get("name").and_then(Raw::as_str)
    {
        taken.push("function_call");
        let (arguments, _) = arguments(call.get("arguments"));
        let says_call = Says::Call {
            id: None,
            name,
            arguments,
            item: Some("function_call"),
        };
        says.push((says_call, format!("{path}/function_call")));
    }
    let around = without(message, &taken);
    let around = with(around, "content", &super::foreign::rests(&rests));
    let mut around = with(
        around,
        "tool_calls",
        &super::foreign::rests(&arguments_left),
    );
    if says.is_empty() {
        return record.warn("odd-line", byte, || {
            format!("the answer at {path} says nothing; it is left out")
        });
    }
    let time = stamp(message.get("timestamp"));
    let single = says.len() == 1;
    for (one, at) in says {
        let mut foreign = Foreign {
            origin: Origin::At(if single { path.to_owned() } else { at }),
            ..Foreign::default()
        };
        match single {
            true => foreign.rest = std::mem::take(&mut around),
            false => foreign.message = std::mem::take(&mut around),
        }
        let mut head = Head {
            stamp: time.clone(),
            foreign,
            ..Head::default()
        };
        match one {
            Says::Text(text) => record.message(&head, &text),
            Says::Reasoning(text) => record.reasoning(&head, text.bytes()),
            Says::Call {
                id,
                name,
                arguments,
                item,
            } => {
                let id = match id {
                    Some(id) => id.bytes().to_vec(),
                    None => {
                        head.foreign.made.push("id");
                        calls.make()
                    }
                };
                head.foreign.item = item;
                calls.push(&id, &name);
                record.call(&head, &id, &quoted(&name), &arguments);
            }
        }
    }
}

/// A part of an answer, and what is left of it.
fn answer_part(part: Raw<'_>) -> (Option<Says<'_>>, Vec<u8>) {
    if let Some(text) = part_text(part) {
        let rest = match part.kind() {
            Kind::String => b"[]".to_vec(),
            _ => without(part, &["type", "text", "value"]),
        };
        return (Some(Says::Text(Cow::Borrowed(text.bytes()))), rest);
    }
    let string = |key: &str| part.get(key).filter(|v| v.kind() == Kind::String);
    let kind = part.get("type").and_then(Raw::as_str);
    match kind.as_deref() {
        Some("refusal") => match string("refusal") {
            Some(text) => (
                Some(Says::Text(Cow::Borrowed(text.bytes()))),
                without(part, &["refusal"]),
            ),
            None => (None, compact(part)),
        },
        Some("reasoning" | "thinking") => {
            match string("value").or_else(|| string("thinking")) {
                Some(text) => (
                    Some(Says::Reasoning(text)),
                    without(part, &["type", "value", "thinking"]),
                ),
                None => (None, compact(part)),
            }
        }
        Some("tool_call") => {
            let text = string("value").and_then(Raw::as_str).unwrap_or_default();
            match call_text(&text) {
                Some((name, arguments)) => (
                    Some(Says::Call {
                        id: None,
                        name: Cow::Owned(name),
                        arguments,
                        item: None,
                    }),
                    without(part, &["type", "value"]),
                ),
                None => (None, compact(part)),
            }
        }
        _ => (None, compact(part)),
    }
}

/// Name and arguments of a call written as JSON text.
pub(super) fn call_text(text: &str) -> Option<(String, Vec<u8>)> {
    let parsed = Raw::parse(text.as_bytes()).ok()?;
    let name = parsed.get("name")?.as_str()?.into_owned();
    let (arguments, _) = arguments(parsed.get("arguments"));
    Some((name, arguments))
}

/// A call among `tool_calls`, and what is left of it.
fn read_call(call: Raw<'_>) -> (Option<Says<'_>>, Vec<u8>) {
    let id = call.get("id").filter(|id| id.kind() == Kind::String);
    let keys: &[&str] = match id {
        Some(_) => &["id", "type", "function", "custom"],
        None => &["type", "function", "custom"],
    };
    let rest = without(call, keys);
    if let Some(custom) = call.get("custom")
        && let Some(name) = custom.get("name").and_then(Raw::as_str)
    {
        let text = custom.get("input").unwrap_or(Raw::checked(b"\"\""));
        let left = without(custom, &["name", "input"]);
        return (
            Some(Says::Call {
                id,
                name,
                arguments: input(&compact(text)),
                item: Some("custom"),
            }),
            with(rest, "custom", &left),
        );
    }
    let function = call.get("function").unwrap_or(call);
    let Some(name) = function.get("name").and_then(Raw::as_str) else {
        return (None, compact(call));
    };
    let (arguments, original) = arguments(function.get("arguments"));
    let left = without(function, &["name", "arguments", "id", "type"]);
    let left = with(left, "arguments", &original);
    (
        Some(Says::Call {
            id,
            name,
            arguments,
            item: None,
        }),
        with(rest, "function", &left),
    )
}

fn result(record: &mut Record<'_>, calls: &mut Calls, message: Raw<'_>, path: &str) {
    let id = message
        .get("tool_call_id")
        .filter(|id| id.kind() == Kind::String);
    let name = message
        .get("tool_name")
        .or_else(|| message.get("name"))
        .and_then(Raw::as_str);
    let known = calls.answer(id.map(Raw::bytes), name.as_deref());
    let content = message.get("content");
    let content = content.map(|content| {
        match content
            .as_array()
            .map(|mut l| l.all(|p| p.get("value").is_some()))
        {
            // A dataset's single value is the result's text.
            Some(true) if content.as_array().map_or(0, Iterator::count) == 1 => content
                .as_array()
                .and_then(|mut list| list.next()?.get("value"))
                .unwrap_or(content),
            _ => content,
        }
    });
    let (blocks, left) = content::result(content, &format!("{path}/content"));
    let rest = without(message, &["role", "tool_call_id", "content", "timestamp"]);
    let mut foreign = Foreign::at(path);
    foreign.added.push("is_error");
    foreign.rest = with(rest, "content", &left);
    let id = match id {
        Some(id) => id.bytes().to_vec(),
        None => {
            foreign.made.push("id");
            known.unwrap_or_else(|| calls.make())
        }
    };
    let head = Head {
        stamp: stamp(message.get("timestamp")),
        foreign,
        ..Head::default()
    };
    record.result(&head, &id, &blocks, false);
}
