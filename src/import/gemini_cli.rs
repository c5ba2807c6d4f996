//! Sessions of Gemini CLI: one JSON object, or a record a line.
//!
//! Source: google-gemini/gemini-cli, `packages/core/src/services/chatRecording*.ts`.
//! A line is a message, a `$set` that changes the session (and may replace its
//! messages) or a `$rewindTo` that takes back a message and all behind it.

use super::content::{arguments, compact, quoted};
use super::foreign::{Foreign, Origin, with, without};
use super::lines::{Value, lines};
use super::options::{Format, Options};
use super::record::{Head, Record, stamp};
use super::session::Sink;
use super::value::turn;
use crate::json::{Kind, Raw};
use crate::term::counted;
use std::collections::HashMap;

/// One message and where it stands.
#[derive(Debug, Clone, Copy)]
struct At<'a> {
    raw: Raw<'a>,
    line: usize,
    /// Its place in a list of messages; `None` for a line of its own.
    index: Option<usize>,
}

/// Reads a session of one object.
pub(super) fn value(raw: Raw<'_>, options: &Options, sink: &mut Sink<'_>) {
    let list = raw.get("messages").and_then(Raw::as_array);
    let messages: Vec<At<'_>> = list
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(index, raw)| At {
            raw,
            line: 1,
            index: Some(index),
        })
        .collect();
    let mut record = Record::new(options, Format::GeminiCli);
    record.import.push(("session", without(raw, &["messages"])));
    record.created = stamp(raw.get("startTime")).map(std::borrow::Cow::into_owned);
    record.lines = messages.len();
    write(record, &messages, sink);
}

/// Reads a session of lines.
pub(super) fn session(bytes: &[u8], options: &Options, sink: &mut Sink<'_>) {
    let mut record = Record::new(options, Format::GeminiCli);
    let mut session: Vec<u8> = Vec::new();
    let mut messages: Vec<Option<At<'_>>> = Vec::new();
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut taken_back = 0;
    let mut aside = Vec::new();
    let mut count = 0;
    for line in lines(bytes) {
        count += 1;
        let Value::Object(raw, _) = line.value else {
            aside.push((line.number, line.offset, line.value));
            continue;
        };
        if let Some(set) = raw.get("$set") {
            session = merged(session, &without(set, &["messages"]));
            let list = set.get("messages").and_then(Raw::as_array);
            if let Some(list) = list {
                taken_back += messages.iter().flatten().count();
                messages.clear();
                places.clear();
                for (index, raw) in list.enumerate() {
                    place(&mut messages, &mut places, raw, line.number, Some(index));
                }
            }
        } else if let Some(to) = raw.get("$rewindTo").and_then(Raw::as_text) {
            if let Some(&at) = places.get(to.escaped()) {
                taken_back += messages[at..].iter().flatten().count();
                messages.truncate(at);
                places.retain(|_, place| *place < at);
            }
        } else if raw.get("type").is_some() && raw.get("content").is_some() {
            place(&mut messages, &mut places, raw, line.number, None);
        } else if raw.get("sessionId").is_some() {
            session = merged(session, raw.bytes());
        } else {
            aside.push((line.number, line.offset, line.value));
        }
    }
    let start = Raw::checked(&session);
    let created = stamp(start.get("startTime"));
    record.created = created.map(std::borrow::Cow::into_owned);
    if !session.is_empty() {
        record.import.push(("session", compact(start)));
    }
    record.lines = count;
    if taken_back > 0 {
        record.note(
            "off-path",
            || format!("{} rewound or replaced", counted(taken_back, "message")),
            None,
        );
    }
    for (number, offset, value) in aside {
        match value {
            Value::Broken { bytes, cut } => record.broken(number, offset, bytes, cut),
            Value::Object(raw, _) => {
                record.unknown_kind("record");
                record.foreign(None, number, "record", raw);
            }
        }
    }
    let messages: Vec<At<'_>> = messages.into_iter().flatten().collect();
    write(record, &messages, sink);
}

/// Adds a message; a later record of the same id takes the place of the first.
fn place<'a>(
    messages: &mut Vec<Option<At<'a>>>,
    places: &mut HashMap<&'a [u8], usize>,
    raw: Raw<'a>,
    line: usize,
    index: Option<usize>,
) {
    let at = Some(At { raw, line, index });
    let id = raw.get("id").and_then(Raw::as_text);
    match id.and_then(|id| places.get(id.escaped()).copied()) {
        Some(place) => messages[place] = at,
        None => {
            if let Some(id) = id {
                places.insert(id.escaped(), messages.len());
            }
            messages.push(at);
        }
    }
}

/// An object with the members of another put over its own.
fn merged(mut out: Vec<u8>, over: &[u8]) -> Vec<u8> {
    if out.is_empty() {
        return over.to_vec();
    }
    let members = Raw::checked(over).as_object().into_iter().flatten();
    for (key, value) in members {
        let name = key.decode();
        out = without(Raw::checked(&out), &[&name]);
        out = with(out, &name, &compact(value));
    }
    out
}

fn write(mut record: Record<'_>, messages: &[At<'_>], sink: &mut Sink<'_>) {
    record.unknown = vec!["system", "tools", "parameters"];
    record.wants_times = true;
    let mut made = 0;
    for at in messages {
        let kind = at.raw.get("type").and_then(Raw::as_str).unwrap_or_default();
        match &*kind {
            "user" => user(&mut record, at),
            "gemini" => model(&mut record, at, &mut made),
            kind => {
                let time = stamp(at.raw.get("timestamp"));
                let line = at.index.map_or(at.line, |index| index + 1);
                record.foreign(time.as_deref(), line, kind, at.raw);
            }
        }
    }
    sink.record(record.finish());
}

fn foreign<'a>(at: &At<'_>, path: &str) -> Foreign<'a> {
    Foreign {
        origin: match at.index {
            Some(index) => Origin::At(format!("/messages/{index}{path}")),
            None if path.is_empty() => Origin::Line(at.line),
            None => Origin::LineAt(at.line, path.to_owned()),
        },
        ..Foreign::default()
    }
}

fn head<'a>(at: &At<'a>, foreign: Foreign<'a>, part: Option<usize>) -> Head<'a> {
    Head {
        stamp: stamp(at.raw.get("timestamp")),
        id: at.raw.get("id").and_then(Raw::as_text).map(|id| (id, part)),
        foreign,
        ..Head::default()
    }
}

/// The texts of a message's content: a string, a part or parts.
fn texts(content: Option<Raw<'_>>) -> Vec<Raw<'_>> {
    let Some(content) = content else {
        return Vec::new();
    };
    let text = |part: Raw<'_>| match part.kind() {
        Kind::String => true,
        _ => part
            .get("text")
            .is_some_and(|text| text.kind() == Kind::String),
    };
    match content.as_array() {
        Some(list) => list.filter(|part| text(*part)).collect(),
        None => [content].into_iter().filter(|part| text(*part)).collect(),
    }
}

fn body(part: Raw<'_>) -> Vec<u8> {
    let text = if part.kind() == Kind::String {
        Some(part)
    } else {
        part.get("text")
    };
    text.map_or_else(|| b"\"\"".to_vec(), compact)
}

fn user(record: &mut Record<'_>, at: &At<'_>) {
    let content = at.raw.get("content");
    let texts = texts(content);
    let carried = ["id", "timestamp", "type"];
    let mut rest = match content.map(Raw::kind) {
        Some(Kind::String) => without(at.raw, &["id", "timestamp", "type", "content"]),
        _ => without(at.raw, &carried),
    };
    turn(record);
    if texts.is_empty() {
        let mut foreign = foreign(at, "");
        foreign.rest = rest;
        record.request(&head(at, foreign, None), b"\"\"", None, b"");
        return;
    }
    let many = texts.len() > 1;
    for (number, part) in texts.iter().enumerate() {
        let mut foreign = foreign(at, "");
        foreign.rest = std::mem::take(&mut rest);
        let head = head(at, foreign, many.then_some(number));
        record.request(&head, &body(*part), None, b"");
    }
}

fn model(record: &mut Record<'_>, at: &At<'_>, made: &mut usize) {
    let time = stamp(at.raw.get("timestamp"));
    if let Some(model) = at.raw.get("model").and_then(Raw::as_str) {
        record.model(time.as_deref(), "google", &model);
    }
    let list = |key: &str| at.raw.get(key).and_then(Raw::as_array);
    let thoughts: Vec<_> = list("thoughts").into_iter().flatten().collect();
    let calls: Vec<_> = list("toolCalls").into_iter().flatten().collect();
    let content = at.raw.get("content");
    let texts: Vec<_> = texts(content)
        .into_iter()
        .filter(|text| {
            body(*text) != b"\"\"" || thoughts.is_empty() && calls.is_empty()
        })
        .collect();
    let events = thoughts.len() + texts.len() + calls.len();
    let mut carried = vec!["id", "timestamp", "type", "model", "thoughts", "toolCalls"];
    if content.is_some_and(|content| content.kind() == Kind::String) {
        carried.push("content");
    }
    let mut message = without(at.raw, &carried);
    let mut number = 0;
    let mut next = |foreign| {
        let part = (events > 1).then_some(number);
        number += 1;
        head(at, foreign, part)
    };
    for (index, thought) in thoughts.iter().enumerate() {
        let mut foreign = foreign(at, &format!("/thoughts/{index}"));
        let part = |key: &str| thought.get(key).and_then(Raw::as_str);
        let (subject, description) = (part("subject"), part("description"));
        let said = match (&subject, &description) {
            (Some(subject), Some(body)) => format!("**{subject}**\n\n{body}"),
            (Some(one), None) | (None, Some(one)) => one.to_string(),
            (None, None) => String::new(),
        };
        foreign.rest = compact(*thought);
        foreign.message = std::mem::take(&mut message);
        record.reasoning(&next(foreign), &quoted(&said));
    }
    for part in &texts {
        let mut foreign = foreign(at, "/content");
        foreign.message = std::mem::take(&mut message);
        record.message(&next(foreign), &body(*part));
    }
    let mut results = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let mut foreign = foreign(at, &format!("/toolCalls/{index}"));
        foreign.message = std::mem::take(&mut message);
        let id = match call.get("id").filter(|id| id.kind() == Kind::String) {
            Some(id) => id.bytes().to_vec(),
            None => {
                foreign.made.push("id");
                *made += 1;
                quoted(&format!("call_{made}"))
            }
        };
        let name = call.get("name").and_then(Raw::as_str).unwrap_or_default();
        let (arguments, left) = arguments(call.get("args"));
        let rest = without(*call, &["id", "name", "args", "result"]);
        foreign.rest = with(rest, "args", &left);
        record.call(&next(foreign), &id, &quoted(&name), &arguments);
        results.push((index, *call, id));
    }
    for (index, call, id) in results {
        let Some(result) = call.get("result").filter(|result| !result.is_null()) else {
            continue;
        };
        let mut foreign = foreign(at, &format!("/toolCalls/{index}/result"));
        let status = call.get("status").and_then(Raw::as_str);
        let failed = matches!(status.as_deref(), Some("error" | "cancelled"));
        let (content, told) = outcome(result);
        foreign.made.push("is_error");
        if told {
            foreign.rest = [b"{\"result\":", result.bytes(), b"}"].concat();
        }
        let head = Head {
            stamp: stamp(call.get("timestamp")).or_else(|| time.clone()),
            foreign,
            ..Head::default()
        };
        record.result(&head, &id, &content, failed);
    }
    if events == 0 {
        record.foreign(time.as_deref(), at.line, "gemini", at.raw);
    }
    if let Some(tokens) = at.raw.get("tokens") {
        let id = at.raw.get("id").map_or(&b""[..], Raw::bytes);
        let turn = record.turn();
        record.meter.answer(id, turn, tokens);
    }
}

/// A call's result as text: of a function response its output, else its JSON; and
/// whether the result itself has to be kept beside.
fn outcome(result: Raw<'_>) -> (Vec<u8>, bool) {
    if result.kind() == Kind::String {
        return (result.bytes().to_vec(), false);
    }
    let parts = result.as_array().into_iter().flatten();
    let texts: Vec<_> = parts
        .filter_map(|part| {
            let response = part.at(&["functionResponse", "response"]);
            let inner =
                response.and_then(|r| r.get("output").or_else(|| r.get("error")));
            inner.or_else(|| part.get("text"))?.as_str()
        })
        .collect();
    match texts.is_empty() {
        true => (quoted(&String::from_utf8_lossy(&compact(result))), true),
        false => (quoted(&texts.join("\n\n")), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_session_goes_over_what_was() {
        let out = merged(b"{\"a\":1,\"b\":2}".to_vec(), b"{\"b\":3,\"c\":4}");
        assert_eq!(String::from_utf8_lossy(&out), "{\"a\":1,\"b\":3,\"c\":4}");
    }
}
