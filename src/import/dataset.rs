//! Datasets: ShareGPT records, message lists, messages a line, answers alone.
//!
//! Forms: ShareGPT (`lm-sys/FastChat`), LLaMA-Factory (`hiyouga/LLaMA-Factory`,
//! `data/README.md`), TRL and the fine-tuning format of OpenAI.

use super::chat::{Calls, call_text};
use super::content::{compact, quoted};
use super::foreign::{Foreign, without};
use super::lines::{Value, lines};
use super::options::{Format, Options};
use super::record::{Head, Record};
use super::sequence::Sequence;
use super::session::Sink;
use super::system;
use super::tools;
use super::value::{self, Around, Body, Rest, Source, turn};
use crate::json::{Kind, Raw, write};

/// Reads a record of `conversations` with `from` and `value`.
pub(super) fn sharegpt(body: &Body<'_>, options: &Options, sink: &mut Sink<'_>) {
    let mut record = Record::new(options, Format::ShareGpt);
    record.unknown.push("timestamps");
    body.begin(&mut record, "openrouter");
    let mut rest = Rest::new(&body.fields);
    if let Some(text) = rest.peek("system").filter(|text| text.as_text().is_some()) {
        rest.take("system");
        if text.bytes() != b"\"\"" {
            let _ = system::parts(&mut record, text);
        }
    }
    let mut known = false;
    if let Some(list) = rest.peek("tools") {
        rest.take("tools");
        known = tools_text(&mut record, &mut rest, list);
    }
    if !known {
        record.unknown.push("tools");
    }
    let mut calls = Calls::default();
    for key in ["conversations", "conversation"] {
        if rest.peek(key).is_none() {
            continue;
        }
        rest.take(key);
        for (index, one) in body.messages(key).enumerate() {
            let path = format!("/{key}/{index}");
            saying(&mut record, &mut calls, one, &path, body.byte(one));
        }
    }
    body.finish(record, rest, sink);
}

/// Tools as a list or its JSON text; whether there are any.
fn tools_text(record: &mut Record<'_>, rest: &mut Rest<'_>, list: Raw<'_>) -> bool {
    let text = list.as_str();
    let parsed = match &text {
        Some(text) => Raw::parse(text.as_bytes()).ok(),
        None => Some(list),
    };
    match parsed.filter(|parsed| parsed.kind() == Kind::Array) {
        Some(parsed) => {
            tools::body(record, rest, parsed);
            parsed
                .as_array()
                .is_some_and(|mut list| list.next().is_some())
        }
        None => {
            if text.as_deref() != Some("") {
                rest.left("tools", compact(list));
            }
            false
        }
    }
}

fn saying(
    record: &mut Record<'_>,
    calls: &mut Calls,
    one: Raw<'_>,
    path: &str,
    byte: usize,
) {
    let from = one.get("from").and_then(Raw::as_str).unwrap_or_default();
    let Some(value) = one.get("value").filter(|v| v.kind() == Kind::String) else {
        return record.warn("odd-line", byte, || {
            format!("the message at {path} has no text; it is left out")
        });
    };
    let mut foreign = Foreign::at(path);
    foreign.rest = without(one, &["from", "value"]);
    // Several words name one role: which it was stays.
    let usual = ["human", "gpt", "system", "function_call", "observation"];
    if !usual.contains(&&*from) {
        let rest = std::mem::take(&mut foreign.rest);
        foreign.rest = super::foreign::with(rest, "from", &quoted(&from));
    }
    let head = |foreign| Head {
        foreign,
        ..Head::default()
    };
    match &*from {
        "human" | "user" => {
            turn(record);
            record.request(&head(foreign), value.bytes(), None, b"");
        }
        "gpt" | "assistant" | "chatgpt" | "bing" | "bard" | "model" => {
            record.message(&head(foreign), value.bytes());
        }
        "system" if !record.after_request() && !record.has_answer() => {
            record.system.push(value.bytes().to_vec());
        }
        "system" => {
            let mut aside = b"{".to_vec();
            super::foreign::text(&mut aside, "at", path);
            super::foreign::text(&mut aside, "role", "system");
            aside.push(b'}');
            system::section_delta(record, None, &[value], &aside);
        }
        "function_call" | "tool_call" => call(record, calls, value, foreign, byte),
        "observation" | "tool" | "function_response" | "tool_response" => {
            foreign.added.push("is_error");
            foreign.made.push("id");
            let id = calls.answer(None, None).unwrap_or_else(|| calls.make());
            record.result(&head(foreign), &id, value.bytes(), false);
        }
        _ => record.warn("odd-line", byte, || {
            format!("the message at {path} is from nobody who is known; it is left out")
        }),
    }
}

/// A call, or a list of them, as JSON text.
fn call(
    record: &mut Record<'_>,
    calls: &mut Calls,
    value: Raw<'_>,
    foreign: Foreign<'_>,
    byte: usize,
) {
    let text = value.as_str().unwrap_or_default();
    let list = Raw::parse(text.as_bytes()).ok().and_then(Raw::as_array);
    let texts: Vec<String> = match list {
        Some(list) => list
            .map(|one| String::from_utf8_lossy(one.bytes()).into_owned())
            .collect(),
        None => vec![text.clone().into_owned()],
    };
    let mut any = false;
    for one in &texts {
        let Some((name, arguments)) = call_text(one) else {
            continue;
        };
        let mut foreign = foreign.clone();
        foreign.made.push("id");
        if any {
            foreign.rest = Vec::new();
        } else {
            // The text itself: its spelling is in no event.
            let mut rest = compact(value);
            rest =
                super::foreign::with(std::mem::take(&mut foreign.rest), "value", &rest);
            foreign.rest = rest;
        }
        any = true;
        let id = calls.make();
        calls.push(&id, &name);
        let head = Head {
            foreign,
            ..Head::default()
        };
        record.call(&head, &id, &quoted(&name), &arguments);
    }
    if !any {
        record.warn("odd-block", byte, || {
            "a call that is no JSON object with a name; it is kept as text".into()
        });
        let head = Head {
            foreign,
            ..Head::default()
        };
        record.message(&head, value.bytes());
    }
}

/// Reads a bare list of messages.
pub(super) fn list<'a>(
    format: Format,
    raw: Raw<'a>,
    source: &Source<'_, 'a>,
    sequence: &mut Sequence,
    sink: &mut Sink<'_>,
) {
    let key = match format {
        Format::Gemini => "contents",
        Format::OpenAiResponses => "input",
        Format::ShareGpt => "conversations",
        _ => "messages",
    };
    let mut wrapped = b"{".to_vec();
    write::key(&mut wrapped, key);
    write::compact(&mut wrapped, raw);
    wrapped.push(b'}');
    let _ = sequence;
    let wrapped = Raw::checked(&wrapped);
    value::plain(
        format,
        wrapped,
        source.offset,
        source.options,
        Around::default(),
        sink,
    );
}

/// Reads an input with one message a line.
pub(super) fn message_lines(
    bytes: &[u8],
    format: Format,
    options: &Options,
    sink: &mut Sink<'_>,
) {
    let key = match format {
        Format::Gemini => "contents",
        Format::OpenAiResponses => "input",
        Format::ShareGpt => "conversations",
        _ => "messages",
    };
    let mut wrapped = b"{".to_vec();
    write::key(&mut wrapped, key);
    wrapped.push(b'[');
    let mut broken = Vec::new();
    for line in lines(bytes) {
        match line.value {
            Value::Object(raw, _) => {
                if wrapped.last() != Some(&b'[') {
                    wrapped.push(b',');
                }
                write::compact(&mut wrapped, raw);
            }
            Value::Broken { cut, .. } => broken.push((line.number, line.offset, cut)),
        }
    }
    wrapped.extend_from_slice(b"]}");
    let raw = Raw::checked(&wrapped);
    let mut take = |mut imported: super::Imported| {
        for &(number, offset, cut) in &broken {
            let code = if cut { "cut-line" } else { "broken-line" };
            let message = format!("line {number} is no JSON object; it is left out");
            let mut told = match cut {
                true => crate::error::Diagnostic::note(code, message),
                false => crate::error::Diagnostic::warning(code, message),
            };
            told.position.byte = Some(offset as u64);
            imported.told.push(told);
        }
        sink.record(imported);
    };
    let mut table = |_| {};
    let mut inner = Sink::new(&mut take, &mut table);
    value::plain(format, raw, 0, options, Around::default(), &mut inner);
}

/// Reads an answer alone: one turn of the assistant.
pub(super) fn answer(
    format: Format,
    raw: Raw<'_>,
    options: &Options,
    sink: &mut Sink<'_>,
) {
    let mut body = b"{".to_vec();
    if let Some(model) = raw.get("model").or_else(|| raw.get("modelVersion")) {
        write::key(&mut body, "model");
        write::compact(&mut body, model);
    }
    body.push(b'}');
    let around = Around {
        response: Some(raw),
        ..Around::default()
    };
    value::plain(format, Raw::checked(&body), 0, options, around, sink);
}
