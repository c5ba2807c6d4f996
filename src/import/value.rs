//! One value of an input: a body, a capture around one, a recording of several, a
//! list of messages, a dataset's record.

use super::foreign::{number, residual, rests, text, with};
use super::options::{Format, Options};
use super::recognise::{One, is_stored, one};
use super::record::{Record, stamp};
use super::report::{Imported, Report};
use super::sequence::Sequence;
use super::session::Sink;
use super::{
    anthropic, chat, claude_code, codex, dataset, gemini, gemini_cli, responses,
};
use crate::body::{Fields, Provider, captures};
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw, write};

pub(super) use super::system::{later as later_system, parts as system_parts};

/// One value and where it stands.
pub(super) struct Source<'s, 'o> {
    pub(super) raw: Raw<'s>,
    /// Byte of the input at its start.
    pub(super) offset: usize,
    pub(super) options: &'o Options,
}

/// What a capture knows around a body.
#[derive(Debug, Default, Clone)]
pub(super) struct Around<'a> {
    pub(super) response: Option<Raw<'a>>,
    pub(super) betas: Vec<String>,
    pub(super) created: Option<String>,
    pub(super) model: Option<String>,
    pub(super) provider: Option<Provider>,
    /// Members of the capture itself, as an object, or empty.
    pub(super) capture: Vec<u8>,
    /// Changes that earlier bodies of a sequence made: message, delta.
    pub(super) marks: Vec<Mark>,
}

/// Where an earlier body of a sequence ended, and what the next one changed.
#[derive(Debug, Default, Clone)]
pub(super) struct Mark {
    pub(super) messages: usize,
    pub(super) deltas: Vec<Vec<u8>>,
}

/// A body being read.
pub(super) struct Body<'a> {
    pub(super) raw: Raw<'a>,
    pub(super) fields: Fields<'a>,
    pub(super) offset: usize,
    pub(super) options: &'a Options,
    pub(super) around: Around<'a>,
    requests: std::cell::RefCell<Vec<(usize, usize)>>,
}

/// Reads one value.
pub(super) fn read(
    source: &Source<'_, '_>,
    sequence: &mut Sequence,
    family: &mut Option<&'static str>,
    sink: &mut Sink<'_>,
) {
    let raw = source.raw;
    if is_bundle(raw) {
        return sink.record(Imported {
            bundle: Ok(super::content::compact(raw)),
            told: Vec::new(),
            report: Report::default(),
        });
    }
    let found = match (one(raw), source.options.from) {
        // A format that is given decides what a plain value is.
        (Some(Ok(found @ (One::Har | One::Capture))), _) => found,
        (Some(Ok(One::List(_))), Some(format)) => One::List(format),
        (Some(Ok(One::Records(_))), Some(format)) => One::Records(format),
        (Some(Ok(found @ (One::Web | One::CodexJson | One::GeminiCli))), Some(_)) => {
            found
        }
        (_, Some(format)) if raw.kind() == Kind::Object => One::Body(format),
        (Some(Ok(found)), None) => found,
        (Some(Err(error)), _) => return sink.refuse(at(error, source.offset)),
        _ => return sink.refuse(at(not_recognised(raw), source.offset)),
    };
    let name = family_of(found);
    if *family.get_or_insert(name) != name {
        let first = family.unwrap_or_default();
        let error = Error::new(
            ErrorKind::Input,
            "mixed-input",
            format!("expected another {first}, found {name}"),
        )
        .hint("an input holds one format; give the others as inputs of their own");
        return sink.refuse(at(error, source.offset));
    }
    match found {
        One::Har => har(source, sequence, sink),
        One::Capture => capture(source, raw, sequence, sink),
        One::Web => claude_code::web(raw, source.options, sink),
        One::CodexJson => codex::json(raw, source.options, sink),
        One::GeminiCli => gemini_cli::value(raw, source.options, sink),
        One::Body(format) => {
            body(format, raw, source, Around::default(), sequence, sink);
        }
        One::List(format) => dataset::list(format, raw, source, sequence, sink),
        One::Records(_) => {
            for record in raw.as_array().into_iter().flatten() {
                let inner = Source {
                    raw: record,
                    offset: source.offset + record.offset_in(raw.bytes()),
                    options: source.options,
                };
                let mut family = None;
                read_record(&inner, sequence, &mut family, sink);
            }
        }
        One::Answer(format) => dataset::answer(format, raw, source.options, sink),
    }
}

/// A record of a list: anything but another list.
fn read_record(
    source: &Source<'_, '_>,
    sequence: &mut Sequence,
    family: &mut Option<&'static str>,
    sink: &mut Sink<'_>,
) {
    match source.raw.kind() {
        Kind::Object => read(source, sequence, family, sink),
        _ => sink.refuse(at(not_recognised(source.raw), source.offset)),
    }
}

fn is_bundle(raw: Raw<'_>) -> bool {
    is_stored(raw) && raw.get("base_config").is_some() && raw.get("events").is_some()
}

fn family_of(found: One) -> &'static str {
    match found {
        One::Har => "a recording",
        One::Capture => "a captured request",
        One::Web => Format::ClaudeCode.title(),
        One::CodexJson => Format::Codex.title(),
        One::GeminiCli => Format::GeminiCli.title(),
        One::Body(format) => format.title(),
        One::List(_) => "a list of messages",
        One::Records(_) => "a list of records",
        One::Answer(_) => "an answer alone",
    }
}

fn not_recognised(raw: Raw<'_>) -> Error {
    let keys: Vec<_> = raw
        .as_object()
        .into_iter()
        .flatten()
        .take(6)
        .map(|(key, _)| key.decode().into_owned())
        .collect();
    let found = match keys.as_slice() {
        [] => raw.kind().name().to_owned(),
        keys => format!("an object with the keys {}", keys.join(", ")),
    };
    Error::new(
        ErrorKind::Input,
        "foreign-format",
        format!("expected a transcript, body or dataset, found {found}"),
    )
    .hint(super::recognise::NEAREST)
}

/// The error at a byte of the input.
fn at(mut error: Error, offset: usize) -> Error {
    error.position.byte.get_or_insert(offset as u64);
    error
}

/// Each request of a HAR file.
fn har(source: &Source<'_, '_>, sequence: &mut Sequence, sink: &mut Sink<'_>) {
    let entries = source.raw.get("log").and_then(|log| log.get("entries"));
    let mut found = false;
    for entry in entries.and_then(Raw::as_array).into_iter().flatten() {
        if entry.at(&["request", "postData", "text"]).is_some() {
            found = true;
            capture(source, entry, sequence, sink);
        }
    }
    if !found {
        let error = Error::new(
            ErrorKind::Input,
            "empty-session",
            "expected requests with a body in the recording, found none",
        );
        sink.refuse(at(error, source.offset));
    }
}

/// One captured request, with its answer where that is recorded.
fn capture(
    source: &Source<'_, '_>,
    value: Raw<'_>,
    sequence: &mut Sequence,
    sink: &mut Sink<'_>,
) {
    let offset = source.offset + value.offset_in(source.raw.bytes());
    let Some(read) = captures(value.bytes(), value).into_iter().next() else {
        return;
    };
    let read = match read {
        Ok(read) => read,
        Err(error) => return sink.refuse(at(error, offset)),
    };
    let raw = read.raw();
    let keys = ["uri", "url", "path"];
    let request = value.get("request");
    let target = keys.iter().find_map(|key| {
        let inner = request.and_then(|request| request.get(key));
        inner.or_else(|| value.get(key)).and_then(Raw::as_str)
    });
    let target = target.unwrap_or_default();
    let format = match source.options.from.or_else(|| by_target(&target)) {
        Some(format) => format,
        None => match one(raw) {
            Some(Ok(One::Body(format))) => format,
            Some(Err(error)) => return sink.refuse(at(error, offset)),
            _ => return sink.refuse(at(not_recognised(raw), offset)),
        },
    };
    // Converse bodies go to the same hosts as others: their shape tells.
    if let Some(Err(error)) = one(raw) {
        return sink.refuse(at(error, offset));
    }
    let mut held = Vec::new();
    let response = response(value, &mut held);
    let times = [
        "startedDateTime",
        "time",
        "timestamp",
        "started_at",
        "created_at",
    ];
    let model = target.split_once("/models/").map(|(_, rest)| {
        let end = rest.find([':', '/', '?']).unwrap_or(rest.len());
        rest[..end].to_owned()
    });
    let set_aside = [
        "body", "request", "response", "headers", "cookies", "timings",
    ];
    let members = value.as_object().into_iter().flatten();
    let around = Around {
        response,
        betas: read
            .headers
            .as_ref()
            .map(|headers| headers.list("anthropic-beta"))
            .unwrap_or_default(),
        created: times
            .iter()
            .find_map(|key| stamp(value.get(key)))
            .map(std::borrow::Cow::into_owned),
        model: model.or_else(|| Some(value.get("model")?.as_str()?.into_owned())),
        provider: host(&target),
        capture: residual(members, |key| set_aside.iter().any(|name| key.is(name))),
        marks: Vec::new(),
    };
    let inner = Source {
        raw,
        offset,
        options: source.options,
    };
    body(format, raw, &inner, around, sequence, sink);
}

/// The JSON of a recorded answer; `held` keeps what had to be unescaped.
fn response<'h>(value: Raw<'h>, held: &'h mut Vec<u8>) -> Option<Raw<'h>> {
    let response = value.get("response")?;
    let inner = response
        .at(&["content", "text"])
        .or_else(|| response.get("body"))
        .unwrap_or(response);
    match inner.kind() {
        Kind::Object => Some(inner),
        Kind::String => {
            *held = inner.as_str()?.into_owned().into_bytes();
            Raw::parse(held).ok()
        }
        _ => None,
    }
}

/// The API that an address names.
fn by_target(target: &str) -> Option<Format> {
    let path = target.split('?').next().unwrap_or_default();
    let ends = |tail: &str| path.trim_end_matches('/').ends_with(tail);
    match () {
        () if ends("/messages") => Some(Format::Anthropic),
        () if ends("/responses") => Some(Format::OpenAiResponses),
        () if ends("/chat/completions") || ends("/api/chat") => {
            Some(Format::OpenAiChat)
        }
        () if path.contains(":generateContent")
            || path.contains(":streamGenerateContent") =>
        {
            Some(Format::Gemini)
        }
        () => None,
    }
}

/// The provider whose host an address names.
fn host(target: &str) -> Option<Provider> {
    let hosts = [
        ("openrouter.ai", Provider::OpenRouter),
        ("api.cerebras.ai", Provider::Cerebras),
        ("api.openai.com", Provider::OpenAi),
        (":11434/", Provider::Ollama),
    ];
    let found = hosts.iter().find(|(host, _)| target.contains(host));
    found.map(|&(_, provider)| provider)
}

/// Reads a body of a format that is known.
pub(super) fn body<'a>(
    format: Format,
    raw: Raw<'a>,
    source: &Source<'_, 'a>,
    around: Around<'a>,
    sequence: &mut Sequence,
    sink: &mut Sink<'_>,
) {
    if source.options.sequence {
        return sequence.take(format, raw, &around, source, sink);
    }
    plain(format, raw, source.offset, source.options, around, sink);
}

/// Reads a body by itself.
pub(super) fn plain<'a>(
    format: Format,
    raw: Raw<'a>,
    offset: usize,
    options: &'a Options,
    around: Around<'a>,
    sink: &mut Sink<'_>,
) {
    let body = Body {
        raw,
        fields: Fields::read(raw),
        offset,
        options,
        around,
        requests: std::cell::RefCell::default(),
    };
    match format {
        Format::Anthropic => anthropic::body(&body, options, sink),
        Format::OpenAiResponses => responses::body(&body, options, sink),
        Format::OpenAiChat => chat::body(&body, options, Format::OpenAiChat, sink),
        Format::Messages => chat::body(&body, options, Format::Messages, sink),
        Format::Gemini => gemini::body(&body, options, sink),
        Format::ShareGpt => dataset::sharegpt(&body, options, sink),
        Format::ClaudeCode | Format::Codex | Format::GeminiCli => {
            sink.refuse(at(not_recognised(raw), offset));
        }
    }
}

impl<'a> Body<'a> {
    /// Puts down what a body says of itself: model, betas, times.
    pub(super) fn begin(&self, record: &mut Record<'_>, provider: &str) {
        let named = self.fields.text("model");
        let name = named.as_deref().or(self.around.model.as_deref());
        let told = self.options.provider.map(Provider::name);
        let provider = told.unwrap_or(provider);
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            record.model(None, provider, name);
        }
        record.created.clone_from(&self.around.created);
        if !self.around.betas.is_empty() {
            record.betas = super::system::names(&self.around.betas);
        }
        if !self.around.capture.is_empty() {
            record.import.push(("capture", self.around.capture.clone()));
        }
    }

    /// The elements of a list among the top-level fields.
    pub(super) fn messages(
        &self,
        key: &str,
    ) -> impl Iterator<Item = Raw<'a>> + use<'a> {
        let list = self.fields.get(key).and_then(Raw::as_array);
        list.into_iter().flatten()
    }

    /// Byte of the input at a part of the body.
    pub(super) fn byte(&self, part: Raw<'_>) -> usize {
        let at = part.offset_in(self.raw.bytes());
        self.offset + if at < self.raw.bytes().len() { at } else { 0 }
    }

    /// Opens a turn in front of a user message, unless one is open.
    pub(super) fn turn(&self, record: &mut Record<'_>) {
        turn(record);
    }

    /// Tells that part of the history is kept by the provider.
    pub(super) fn elsewhere(&self, record: &mut Record<'_>, key: &str) {
        record.warn("history-elsewhere", self.offset, || {
            format!(
                "`{key}` names history that the provider keeps; it is not in the body"
            )
        });
    }

    /// Tells that a message has no readable content.
    pub(super) fn odd(&self, record: &mut Record<'_>, message: Raw<'_>, path: &str) {
        record.warn("odd-line", self.byte(message), || {
            format!("the message at {path} has no readable content; it is left out")
        });
    }

    /// Writes what an earlier body of a sequence changed at this message.
    pub(super) fn boundary(&self, record: &mut Record<'_>, index: usize) {
        for (number, mark) in self.around.marks.iter().enumerate() {
            if mark.messages == index {
                let events = record.entries();
                self.requests.borrow_mut().push((number, events));
                for delta in &mark.deltas {
                    record.delta(None, delta, b"");
                }
            }
        }
    }

    /// Reads the recorded answer as the next message.
    pub(super) fn answer(
        &self,
        record: &mut Record<'_>,
        read: impl FnOnce(&mut Record<'_>, Raw<'_>, &str),
    ) {
        self.answer_at(record, "", Some, read);
    }

    /// The same with the message somewhere within the answer.
    pub(super) fn answer_at(
        &self,
        record: &mut Record<'_>,
        path: &str,
        find: impl FnOnce(Raw<'a>) -> Option<Raw<'a>>,
        read: impl FnOnce(&mut Record<'_>, Raw<'_>, &str),
    ) {
        let Some(response) = self.around.response else {
            record.unknown.push("answer");
            return;
        };
        let Some(message) = find(response).filter(|m| !m.is_null()) else {
            record.unknown.push("answer");
            return;
        };
        if message.get("content").is_none()
            && message.get("parts").is_none()
            && message.kind() != Kind::Array
        {
            record.unknown.push("answer");
            return;
        }
        read(record, message, &format!("response:{path}"));
        let usage = ["usage", "usageMetadata"];
        if let Some(usage) = usage.iter().find_map(|key| response.get(key)) {
            let turn = record.turn();
            record.meter.answer(b"", turn, usage);
        }
        let content = ["content", "choices", "output", "candidates"];
        let rest = super::foreign::without(response, &content);
        if !rest.is_empty() {
            record.import.push(("response", rest));
        }
    }

    /// Closes the record.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "spent on the one item it places"
    )]
    pub(super) fn finish(
        &self,
        mut record: Record<'_>,
        rest: Rest<'_>,
        sink: &mut Sink<'_>,
    ) {
        if record.format != Format::ShareGpt && record.format != Format::Messages {
            record.unknown.insert(0, "timestamps");
        }
        let rest = rest.object();
        if !rest.is_empty() {
            record.import.push(("rest", rest));
        }
        let mut requests = self.requests.borrow().clone();
        if !self.around.marks.is_empty() {
            requests.push((self.around.marks.len(), record.entries()));
            let mut list = b"[".to_vec();
            for (index, events) in requests {
                if list.len() > 1 {
                    list.push(b',');
                }
                list.push(b'{');
                number(&mut list, "index", index);
                number(&mut list, "events", events);
                list.push(b'}');
            }
            list.push(b']');
            record.import.push(("requests", list));
        }
        sink.record(record.finish());
    }
}

/// Opens a turn unless a call or the turn of the message before is open.
pub(super) fn turn(record: &mut Record<'_>) {
    if !record.has_open_call() && !record.after_request() {
        record.open_turn(None);
    }
}

/// The top-level fields of a body that nothing else holds.
pub(super) struct Rest<'a> {
    fields: Vec<(crate::json::Text<'a>, Raw<'a>)>,
    taken: Vec<&'static str>,
    left: Vec<(&'static str, Vec<u8>)>,
}

impl<'a> Rest<'a> {
    pub(super) fn new(fields: &Fields<'a>) -> Self {
        Self {
            fields: fields.iter().collect(),
            taken: vec!["model"],
            left: Vec::new(),
        }
    }

    /// A field, whatever becomes of it.
    pub(super) fn peek(&self, key: &str) -> Option<Raw<'a>> {
        let mut fields = self.fields.iter().rev();
        fields
            .find(|(name, _)| name.is(key))
            .map(|&(_, value)| value)
            .filter(|value| !value.is_null())
    }

    /// A field that is carried elsewhere from here on.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Raw<'a>> {
        let found = self.peek(key)?;
        self.taken.push(key);
        Some(found)
    }

    /// What is left of a field that was taken.
    pub(super) fn left(&mut self, key: &'static str, value: Vec<u8>) {
        if !value.is_empty() {
            self.left.push((key, value));
        }
    }

    fn object(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (key, value) in &self.fields {
            let left = self.left.iter().find(|(name, _)| key.is(name));
            let taken = self.taken.iter().any(|name| key.is(name));
            let mut bytes = Vec::new();
            match (left, taken) {
                (Some((_, left)), _) => bytes.clone_from(left),
                (None, true) => continue,
                (None, false) => write::compact(&mut bytes, *value),
            }
            out = with(out, &key.decode(), &bytes);
        }
        out
    }
}

/// Takes a parameter over where it is a number, text or list.
pub(super) fn parameter(
    record: &mut Record<'_>,
    rest: &mut Rest<'_>,
    key: &'static str,
    name: &'static str,
) {
    let Some(value) = rest.peek(key) else { return };
    let fits = match name {
        "stop_words" => value
            .as_array()
            .is_some_and(|mut l| l.all(|w| w.as_text().is_some())),
        "max_tokens" | "top_k" => value.as_u64().is_some(),
        _ => value.kind() == Kind::Number,
    };
    if fits && !record.parameters.iter().any(|(known, _)| *known == name) {
        rest.take(key);
        record
            .parameters
            .push((name, super::content::compact(value)));
    }
}

/// A pointer's parts and a rest, for a message of several parts.
pub(super) fn parts_rest(parts: &[Vec<u8>]) -> Vec<u8> {
    rests(parts)
}

/// A member for `foreign.rest` of a message: `{"content":[...]}`.
pub(super) fn content_rest(around: Vec<u8>, parts: &[Vec<u8>]) -> Vec<u8> {
    with(around, "content", &parts_rest(parts))
}

/// `{"effort":"LEVEL"}` as a parameter, if it is a word.
pub(super) fn effort(record: &mut Record<'_>, level: Raw<'_>) -> bool {
    let Some(word) = level.as_str() else {
        return false;
    };
    let mut value = Vec::new();
    if word == "none" {
        write::string(&mut value, "off");
    } else {
        value.push(b'{');
        text(&mut value, "effort", &word);
        value.push(b'}');
    }
    record.parameters.push(("reasoning", value));
    true
}
