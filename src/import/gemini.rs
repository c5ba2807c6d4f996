//! Bodies of `generateContent`.
//!
//! REST takes both spellings of every key, and so does this. Source: the Gemini
//! API reference, <https://ai.google.dev/api/generate-content>.

use super::chat::Calls;
use super::content::{Resources, arguments, compact, quoted};
use super::foreign::{Foreign, residual, with, without};
use super::options::{Format, Options};
use super::record::{Head, Record};
use super::session::Sink;
use super::tools;
use super::value::{Body, Rest, turn};
use crate::json::{Kind, Raw};
use std::borrow::Cow;

/// What `flatten` sends where a call has no signature of its own.
const DUMMY: &str = "\"skip_thought_signature_validator\"";

/// A member in either spelling.
fn member<'a>(value: Raw<'a>, camel: &str, snake: &str) -> Option<Raw<'a>> {
    value.get(camel).or_else(|| value.get(snake))
}

/// Reads one body.
pub(super) fn body(body: &Body<'_>, options: &Options, sink: &mut Sink<'_>) {
    let mut record = Record::new(options, Format::Gemini);
    body.begin(&mut record, "google");
    let mut rest = Rest::new(&body.fields);
    for key in ["systemInstruction", "system_instruction"] {
        let Some(system) = rest.take(key) else {
            continue;
        };
        let parts = system.get("parts").and_then(Raw::as_array);
        let mut left = Vec::new();
        if system.kind() == Kind::String {
            record.system.push(system.bytes().to_vec());
        }
        for part in parts.into_iter().flatten() {
            match part.get("text").filter(|text| text.kind() == Kind::String) {
                Some(text) => {
                    record.system.push(text.bytes().to_vec());
                    left.push(without(part, &["text"]));
                }
                None => left.push(compact(part)),
            }
        }
        let around = without(system, &["parts", "role"]);
        let left = with(around, "parts", &super::foreign::rests(&left));
        if system.kind() == Kind::Object {
            rest.left(key, left);
        }
    }
    if let Some(list) = rest.take("tools") {
        tools::body(&mut record, &mut rest, list);
    }
    choice(&mut record, &mut rest);
    config(&mut record, &mut rest);
    rest.take("contents");
    let mut calls = Calls::default();
    let mut state = State::default();
    for (index, one) in body.messages("contents").enumerate() {
        body.boundary(&mut record, index);
        let path = format!("/contents/{index}");
        content(
            &mut record,
            &mut calls,
            &mut state,
            one,
            &path,
            body.byte(one),
        );
    }
    body.answer_at(
        &mut record,
        "/candidates/0/content",
        candidate,
        |record, one, path| {
            content(record, &mut calls, &mut state, one, path, 0);
        },
    );
    body.finish(record, rest, sink);
}

/// The content of an answer's first candidate.
fn candidate(response: Raw<'_>) -> Option<Raw<'_>> {
    let mut list = response.get("candidates")?.as_array()?;
    list.next()?.get("content")
}

fn choice(record: &mut Record<'_>, rest: &mut Rest<'_>) {
    for key in ["toolConfig", "tool_config"] {
        let Some(config) = rest.peek(key) else {
            continue;
        };
        let calling =
            member(config, "functionCallingConfig", "function_calling_config");
        let Some(calling) = calling else { continue };
        let mode = calling.get("mode").and_then(Raw::as_str);
        let names = member(calling, "allowedFunctionNames", "allowed_function_names");
        let choice = match (mode.as_deref(), names) {
            (Some("AUTO"), None) => "auto",
            (Some("NONE"), None) => "none",
            (Some("ANY"), None) => "required",
            _ => continue,
        };
        let left = without(
            config,
            &["functionCallingConfig", "function_calling_config"],
        );
        rest.take(key);
        rest.left(key, left);
        record.tool_choice = Some(quoted(choice));
    }
}

fn config(record: &mut Record<'_>, rest: &mut Rest<'_>) {
    for key in ["generationConfig", "generation_config"] {
        let Some(config) = rest.peek(key) else {
            continue;
        };
        let mut taken = Vec::new();
        for (camel, snake, name) in [
            ("maxOutputTokens", "max_output_tokens", "max_tokens"),
            ("temperature", "temperature", "temperature"),
            ("topP", "top_p", "top_p"),
            ("topK", "top_k", "top_k"),
            ("stopSequences", "stop_sequences", "stop_words"),
        ] {
            let found = member(config, camel, snake);
            let fits = |value: Raw<'_>| match name {
                "stop_words" => value.kind() == Kind::Array,
                "max_tokens" | "top_k" => value.as_u64().is_some(),
                _ => value.kind() == Kind::Number,
            };
            if let Some(value) = found.filter(|value| fits(*value)) {
                record.parameters.push((name, compact(value)));
                taken.extend([camel, snake]);
            }
        }
        let left = without(config, &taken);
        rest.take(key);
        rest.left(key, left);
    }
}

/// Ids of a record whose format has none.
#[derive(Debug, Default)]
pub(super) struct State {
    made: std::collections::BTreeMap<String, usize>,
}

impl State {
    /// `NAME_1`, `NAME_2`, ..., as a JSON string.
    fn make(&mut self, name: &str) -> Vec<u8> {
        let count = self.made.entry(name.to_owned()).or_default();
        *count += 1;
        quoted(&format!("{name}_{count}"))
    }
}

/// Reads one element of `contents`.
pub(super) fn content(
    record: &mut Record<'_>,
    calls: &mut Calls,
    state: &mut State,
    message: Raw<'_>,
    path: &str,
    byte: usize,
) {
    let role = message.get("role").and_then(Raw::as_str);
    let is_user = role.as_deref() != Some("model");
    let parts: Vec<Raw<'_>> = message
        .get("parts")
        .and_then(Raw::as_array)
        .into_iter()
        .flatten()
        .collect();
    let response = |part: &Raw<'_>| {
        member(*part, "functionResponse", "function_response").is_some()
    };
    if is_user && !parts.is_empty() && !parts.iter().any(response) {
        turn(record);
    }
    let mut around = match role.as_deref() {
        Some("user" | "model") => without(message, &["role", "parts"]),
        _ => without(message, &["parts"]),
    };
    let mut files = Resources::default();
    let last = parts.len();
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{path}/parts/{index}");
        let text = part.get("text").filter(|text| text.kind() == Kind::String);
        if is_user && let Some(rest) = file(*part, &at, &mut files) {
            // Files wait for the text behind them; behind the last one they go alone.
            let waits = parts[index + 1..]
                .iter()
                .any(|next| next.get("text").is_some());
            if waits && rest.is_empty() {
                continue;
            }
            if index + 1 == last || !waits || !rest.is_empty() {
                let foreign = Foreign {
                    rest,
                    message: std::mem::take(&mut around),
                    parts: files.parts.clone(),
                    ..Foreign::at(at)
                };
                let head = Head {
                    foreign,
                    ..Head::default()
                };
                record.request(&head, b"\"\"", None, files.json());
                files = Resources::default();
            }
            continue;
        }
        let foreign = Foreign {
            message: std::mem::take(&mut around),
            ..Foreign::at(at.clone())
        };
        match text {
            Some(text) if is_user => {
                let mut foreign = foreign;
                foreign.rest = without(*part, &["text"]);
                if !files.is_empty() {
                    foreign.parts.clone_from(&files.parts);
                }
                let head = Head {
                    foreign,
                    ..Head::default()
                };
                record.request(&head, text.bytes(), None, files.json());
                files = Resources::default();
            }
            _ => {
                if !one(record, calls, state, *part, foreign) {
                    record.warn("odd-block", byte, || {
                        format!("the part at {at} is of a kind without a rule; it is kept aside")
                    });
                    record.foreign(None, index + 1, "part", *part);
                }
            }
        }
    }
}

/// Inline data or an address of a file.
fn file(part: Raw<'_>, at: &str, files: &mut Resources) -> Option<Vec<u8>> {
    let uri = format!("import:{at}");
    if let Some(inline) = member(part, "inlineData", "inline_data") {
        let data = inline
            .get("data")
            .filter(|data| data.kind() == Kind::String)?;
        files.blob(
            &uri,
            member(inline, "mimeType", "mime_type"),
            data.bytes(),
            at,
        );
        return Some(without(part, &["inlineData", "inline_data"]));
    }
    let file = member(part, "fileData", "file_data")?;
    let address =
        member(file, "fileUri", "file_uri").filter(|u| u.kind() == Kind::String)?;
    files.address(address.bytes(), member(file, "mimeType", "mime_type"), at);
    Some(without(part, &["fileData", "file_data"]))
}

/// Writes one part of the model's, or a result. False for an unknown part.
fn one(
    record: &mut Record<'_>,
    calls: &mut Calls,
    state: &mut State,
    part: Raw<'_>,
    mut foreign: Foreign<'_>,
) -> bool {
    let signature = member(part, "thoughtSignature", "thought_signature")
        .filter(|sign| sign.kind() == Kind::String && sign.bytes() != DUMMY.as_bytes());
    let meta: Vec<_> = signature
        .map(|sign| ("google_thought_signature", sign))
        .into_iter()
        .collect();
    let signs = ["thoughtSignature", "thought_signature"];
    let call = member(part, "functionCall", "function_call");
    if let Some(call) = call
        && let Some(name) = call.get("name").and_then(Raw::as_str)
    {
        let (arguments, left) =
            arguments(call.get("args").filter(|args| !args.is_null()));
        let id = call.get("id").filter(|id| id.kind() == Kind::String);
        let id = match id {
            Some(id) => id.bytes().to_vec(),
            None => {
                foreign.made.push("id");
                state.make(&name)
            }
        };
        calls.push(&id, &name);
        let inner = with(without(call, &["name", "args", "id"]), "args", &left);
        let around = residual(part.as_object().into_iter().flatten(), |key| {
            signs.iter().any(|s| key.is(s))
                || key.is("functionCall")
                || key.is("function_call")
        });
        foreign.rest = with(around, "functionCall", &inner);
        let head = Head {
            meta,
            foreign,
            ..Head::default()
        };
        record.call(&head, &id, &quoted(&name), &arguments);
        return true;
    }
    if let Some(answer) = member(part, "functionResponse", "function_response") {
        response(record, calls, state, part, answer, foreign);
        return true;
    }
    if let Some(text) = part.get("text").filter(|text| text.kind() == Kind::String) {
        let thought = part.get("thought").and_then(Raw::as_bool) == Some(true);
        foreign.rest = without(part, &["text", "thought", signs[0], signs[1]]);
        let head = Head {
            meta,
            foreign,
            ..Head::default()
        };
        match thought {
            true => record.reasoning(&head, text.bytes()),
            false => record.message(&head, text.bytes()),
        }
        return true;
    }
    server(record, state, part, meta, foreign)
}

/// What the provider ran: code, searches and their results.
fn server<'a>(
    record: &mut Record<'_>,
    state: &mut State,
    part: Raw<'a>,
    meta: Vec<(&'static str, Raw<'a>)>,
    mut foreign: Foreign<'a>,
) -> bool {
    let calls = [
        ("executableCode", "executable_code"),
        ("toolCall", "tool_call"),
    ];
    let results = [
        ("codeExecutionResult", "code_execution_result"),
        ("toolResponse", "tool_response"),
    ];
    foreign.server = true;
    foreign.native = Some(("google", part));
    for (camel, snake) in calls {
        let Some(call) = member(part, camel, snake) else {
            continue;
        };
        let (arguments, _) = arguments(Some(call));
        let id = match call.get("id").filter(|id| id.kind() == Kind::String) {
            Some(id) => id.bytes().to_vec(),
            None => {
                foreign.made.push("id");
                state.make(camel)
            }
        };
        let head = Head {
            meta,
            foreign,
            ..Head::default()
        };
        record.call(&head, &id, &quoted(camel), &arguments);
        return true;
    }
    for (camel, snake) in results {
        let Some(answer) = member(part, camel, snake) else {
            continue;
        };
        let id = match answer.get("id").filter(|id| id.kind() == Kind::String) {
            Some(id) => id.bytes().to_vec(),
            None => {
                foreign.made.push("id");
                // The newest code is what was run.
                let name = "executableCode";
                let count = state.made.get(name).copied().unwrap_or(1);
                quoted(&format!("{name}_{count}"))
            }
        };
        foreign.made.push("content");
        let head = Head {
            meta,
            foreign,
            ..Head::default()
        };
        record.result(&head, &id, b"[]", false);
        return true;
    }
    false
}

fn response(
    record: &mut Record<'_>,
    calls: &mut Calls,
    state: &mut State,
    part: Raw<'_>,
    answer: Raw<'_>,
    mut foreign: Foreign<'_>,
) {
    let name = answer.get("name").and_then(Raw::as_str).unwrap_or_default();
    let id = answer.get("id").filter(|id| id.kind() == Kind::String);
    let known = calls.answer(id.map(Raw::bytes), Some(&name));
    let id = match id {
        Some(id) => id.bytes().to_vec(),
        None => {
            foreign.made.push("id");
            known.unwrap_or_else(|| state.make(&name))
        }
    };
    let (content, is_error, told) = content_of(answer.get("response"));
    if is_error.is_none() {
        foreign.added.push("is_error");
    }
    let keys = ["functionResponse", "function_response"];
    let mut inner = without(answer, &["name", "id", "response"]);
    inner = with(inner, "response", told.as_bytes());
    foreign.rest = with(without(part, &keys), "functionResponse", &inner);
    let head = Head {
        foreign,
        ..Head::default()
    };
    record.result(&head, &id, &content, is_error.unwrap_or(false));
}

/// The text of a response, whether it is an error, and what else is to be told of
/// its form.
fn content_of(
    response: Option<Raw<'_>>,
) -> (Cow<'_, [u8]>, Option<bool>, &'static str) {
    let Some(response) = response else {
        return (Cow::Borrowed(b"[]"), None, "");
    };
    let mut members = response.as_object().into_iter().flatten();
    if let (Some((key, value)), None) = (members.next(), members.next())
        && value.kind() == Kind::String
    {
        let text = Cow::Borrowed(value.bytes());
        if key.is("content") {
            return (text, Some(false), "");
        }
        if key.is("output") {
            return (text, None, "\"output\"");
        }
        if key.is("error") {
            return (text, Some(true), "");
        }
    }
    let text = quoted(&String::from_utf8_lossy(&compact(response)));
    (Cow::Owned(text), None, "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_keeps_its_text_or_its_json() {
        let of = |json: &'static str| {
            let raw = Raw::parse(json.as_bytes()).expect("JSON");
            let (text, error, told) = content_of(Some(raw));
            (
                String::from_utf8(text.into_owned()).expect("UTF-8"),
                error,
                told,
            )
        };
        let pair = |a: &str, b, c| (a.to_owned(), b, c);
        assert_eq!(of(r#"{"content":"a"}"#), pair("\"a\"", Some(false), ""));
        assert_eq!(of(r#"{"output":"a"}"#), pair("\"a\"", None, "\"output\""));
        assert_eq!(of(r#"{"error":"a"}"#), pair("\"a\"", Some(true), ""));
        assert_eq!(
            of(r#"{"return_value": 1}"#),
            pair(r#""{\"return_value\":1}""#, None, "true")
        );
    }
}
