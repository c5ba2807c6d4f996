//! One bundle in the making.
//!
//! Importers hand over events in their order; the record writes them down as
//! bytes, opens turns, follows the model and the open calls, counts, and closes
//! the bundle. No importer writes a key of the bundle itself.

use super::foreign::{Foreign, list, number, text};
use super::options::{Format, Keep, Options};
use super::report::{Imported, Report, counts};
use super::usage::Meter;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::Timestamp;
use crate::json::{Kind, Raw, Text, write};
use crate::term::counted;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Warnings of one kind that are told one by one.
const WARNINGS: usize = 20;

/// What the last event was, as far as turns ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Request,
    Answer,
    Call,
    Result,
}

/// Injected requests that wait for their turn: where the first of them starts.
#[derive(Debug)]
struct Run {
    at: usize,
    stamp: Option<String>,
    /// Whether an answer, or nothing, stands before it.
    behind_answer: bool,
}

/// What one event says besides its own fields.
#[derive(Debug, Default)]
pub(super) struct Head<'a> {
    /// When, in a spelling that streams know.
    pub(super) stamp: Option<Cow<'a, str>>,
    /// The source's id, and the event's number where there are several of it.
    pub(super) id: Option<(Text<'a>, Option<usize>)>,
    /// What a provider wants to see again.
    pub(super) meta: Vec<(&'static str, Raw<'a>)>,
    /// Where it comes from.
    pub(super) foreign: Foreign<'a>,
}

/// A bundle in the making.
#[derive(Debug)]
pub(super) struct Record<'o> {
    pub(super) options: &'o Options,
    pub(super) format: Format,
    events: Vec<u8>,
    entries: usize,
    said: usize,
    turns: usize,
    run: Option<Run>,
    last: Last,
    open: BTreeMap<Vec<u8>, usize>,
    base: Option<(String, String)>,
    model: Option<(String, String)>,
    /// Parameters of the base configuration: names and JSON.
    pub(super) parameters: Vec<(&'static str, Vec<u8>)>,
    /// System parts, each a JSON string.
    pub(super) system: Vec<Vec<u8>>,
    /// Whether the source tells the system prompt, be it empty.
    pub(super) system_known: bool,
    /// The tools, a JSON array; empty for unknown.
    pub(super) tools: Vec<u8>,
    pub(super) tool_choice: Option<Vec<u8>>,
    pub(super) betas: Vec<u8>,
    pub(super) created: Option<String>,
    first_stamp: Option<String>,
    last_stamp: Option<String>,
    /// The title, a JSON string.
    pub(super) title: Option<Vec<u8>>,
    /// Members of `metadata.import`: names and JSON.
    pub(super) import: Vec<(&'static str, Vec<u8>)>,
    pub(super) lines: usize,
    pub(super) unknown: Vec<&'static str>,
    /// Counts of what is in no entry.
    dropped: BTreeMap<String, usize>,
    pub(super) meter: Meter,
    told: Vec<Diagnostic>,
    warned: BTreeMap<&'static str, usize>,
    notes: BTreeMap<&'static str, (usize, String, Option<&'static str>)>,
    kinds: BTreeMap<String, usize>,
    /// Whether events without a time are unusual here.
    pub(super) wants_times: bool,
    pub(super) sidechain: Option<String>,
}

/// A time in a spelling that streams know; epoch numbers are rewritten.
pub(super) fn stamp(value: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    let value = value?;
    match value.kind() {
        Kind::String => value
            .as_str()
            .filter(|text| Timestamp::parse(text).is_some()),
        Kind::Number => epoch(value.as_f64()?).map(Cow::Owned),
        _ => None,
    }
}

/// An epoch number, seconds or, above 10^11, milliseconds, as RFC 3339.
#[allow(clippy::cast_possible_truncation)] // checked to be in range
fn epoch(number: f64) -> Option<String> {
    let millis = match number > 1e11 {
        true => number,
        false => number * 1000.0,
    };
    if !(0.0..=253_402_300_799_000.0).contains(&millis) {
        return None;
    }
    let millis = millis as i64;
    let whole = Timestamp {
        seconds: millis.div_euclid(1000),
        nanos: 0,
    };
    let text = whole.to_rfc3339();
    let fraction = millis.rem_euclid(1000);
    Some(format!("{}.{fraction:03}Z", text.trim_end_matches('Z')))
}

impl<'o> Record<'o> {
    pub(super) fn new(options: &'o Options, format: Format) -> Self {
        Self {
            options,
            format,
            events: Vec::new(),
            entries: 0,
            said: 0,
            turns: 0,
            run: None,
            last: Last::Nothing,
            open: BTreeMap::new(),
            base: None,
            model: None,
            parameters: Vec::new(),
            system: Vec::new(),
            system_known: false,
            tools: Vec::new(),
            tool_choice: None,
            betas: Vec::new(),
            created: None,
            first_stamp: None,
            last_stamp: None,
            title: None,
            import: Vec::new(),
            lines: 0,
            unknown: Vec::new(),
            dropped: BTreeMap::new(),
            meter: Meter::default(),
            told: Vec::new(),
            warned: BTreeMap::new(),
            notes: BTreeMap::new(),
            kinds: BTreeMap::new(),
            wants_times: false,
            sidechain: None,
        }
    }

    /// The turn the next event stands in, from 0.
    pub(super) fn turn(&self) -> usize {
        self.turns.saturating_sub(1)
    }

    /// Entries written so far.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// Whether an answer was written.
    pub(super) fn has_answer(&self) -> bool {
        matches!(self.last, Last::Answer | Last::Call | Last::Result)
    }

    /// Whether a call waits for its result.
    pub(super) fn has_open_call(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether the last event was a request.
    pub(super) fn after_request(&self) -> bool {
        self.last == Last::Request
    }

    // ---- turns -------------------------------------------------------------

    /// Opens a turn here and now.
    pub(super) fn open_turn(&mut self, stamp: Option<&str>) {
        self.insert_turn(self.events.len(), stamp);
    }

    fn insert_turn(&mut self, at: usize, stamp: Option<&str>) {
        let mut entry = b"{\"type\":\"turn_start\"".to_vec();
        if let Some(stamp) = stamp {
            text(&mut entry, "timestamp", stamp);
        }
        entry.push(b'}');
        match at {
            0 if self.events.is_empty() => {}
            0 => entry.push(b','),
            _ => entry.insert(0, b','),
        }
        self.events.splice(at..at, entry);
        self.entries += 1;
        self.turns += 1;
        self.run = None;
    }

    /// A typed request comes next: it opens a turn, and so do the injected ones
    /// in front of it, unless a call is open.
    pub(super) fn before_typed(&mut self, stamp: Option<&str>) {
        match self.run.take() {
            Some(run) => self.insert_turn(run.at, run.stamp.as_deref()),
            None if self.open.is_empty() => self.open_turn(stamp),
            None => {}
        }
    }

    /// An injected request comes next. After a result it belongs to the turn at
    /// work; elsewhere what follows decides.
    pub(super) fn before_injected(&mut self, stamp: Option<&str>) {
        let behind_result = matches!(self.last, Last::Result | Last::Call);
        if self.run.is_none() && self.open.is_empty() && !behind_result {
            self.run = Some(Run {
                at: self.events.len(),
                stamp: stamp.map(str::to_owned),
                behind_answer: self.last != Last::Request,
            });
        }
    }

    /// An assistant event comes next: injected requests behind an answer had a
    /// turn of their own.
    pub(super) fn before_answer(&mut self) {
        if let Some(run) = self.run.take()
            && run.behind_answer
        {
            self.insert_turn(run.at, run.stamp.as_deref());
        }
    }

    // ---- events ------------------------------------------------------------

    /// Writes one entry: its kind, head, own fields and metadata.
    fn put(&mut self, kind: &str, head: &Head<'_>, body: impl FnOnce(&mut Vec<u8>)) {
        if let Some(stamp) = &head.stamp {
            if self.first_stamp.is_none() {
                self.first_stamp = Some(stamp.to_string());
            }
            self.last_stamp = Some(stamp.to_string());
        }
        let keep = self.options.keep;
        let out = &mut self.events;
        if !out.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":");
        write::string(out, kind);
        if let Some(stamp) = &head.stamp {
            text(out, "timestamp", stamp);
        }
        if let Some((id, part)) = head.id {
            write::key(out, "event_id");
            out.push(b'"');
            out.extend_from_slice(id.escaped());
            if let Some(part) = part {
                out.extend_from_slice(format!("/{part}").as_bytes());
            }
            out.push(b'"');
        }
        body(out);
        if !head.meta.is_empty() || keep != Keep::None {
            write::key(out, "metadata");
            out.push(b'{');
            for (key, value) in &head.meta {
                write::key(out, key);
                write::compact(out, *value);
            }
            if keep != Keep::None {
                write::key(out, "foreign");
                head.foreign.write(out, keep);
            }
            out.push(b'}');
        }
        out.push(b'}');
        self.entries += 1;
    }

    /// Writes a request. `content` is a JSON string, `resources` a JSON array or
    /// empty. The caller has opened its turn.
    pub(super) fn request(
        &mut self,
        head: &Head<'_>,
        content: &[u8],
        author: Option<&[u8]>,
        resources: &[u8],
    ) {
        self.said += 1;
        self.last = Last::Request;
        self.put("chat_request", head, |out| {
            if let Some(author) = author {
                write::key(out, "author");
                out.extend_from_slice(author);
            }
            write::key(out, "content");
            out.extend_from_slice(content);
            if !resources.is_empty() {
                write::key(out, "resources");
                out.extend_from_slice(resources);
            }
        });
    }

    /// Writes a message of the assistant; `text` is a JSON string.
    pub(super) fn message(&mut self, head: &Head<'_>, text: &[u8]) {
        self.answer(head, "message", text);
    }

    /// Writes reasoning; `text` is a JSON string.
    pub(super) fn reasoning(&mut self, head: &Head<'_>, text: &[u8]) {
        self.answer(head, "reasoning", text);
    }

    fn answer(&mut self, head: &Head<'_>, key: &str, value: &[u8]) {
        self.before_answer();
        self.said += 1;
        self.last = Last::Answer;
        self.put("chat_response", head, |out| {
            write::key(out, key);
            out.extend_from_slice(value);
        });
    }

    /// Writes a call; `id`, `name` and `arguments` are JSON.
    pub(super) fn call(
        &mut self,
        head: &Head<'_>,
        id: &[u8],
        name: &[u8],
        arguments: &[u8],
    ) {
        self.before_answer();
        self.said += 1;
        self.last = Last::Call;
        *self.open.entry(id.to_vec()).or_default() += 1;
        self.put("tool_call_request", head, |out| {
            for (key, value) in [("id", id), ("name", name), ("arguments", arguments)] {
                write::key(out, key);
                out.extend_from_slice(value);
            }
        });
    }

    /// Writes a result; `id` and `content` are JSON.
    pub(super) fn result(
        &mut self,
        head: &Head<'_>,
        id: &[u8],
        content: &[u8],
        is_error: bool,
    ) {
        self.said += 1;
        self.last = Last::Result;
        if let Some(open) = self.open.get_mut(id) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(id);
            }
        }
        self.put("tool_call_response", head, |out| {
            write::key(out, "id");
            out.extend_from_slice(id);
            write::key(out, "content");
            out.extend_from_slice(content);
            write::key(out, "is_error");
            out.extend_from_slice(if is_error { b"true" } else { b"false" });
        });
    }

    /// Writes a configuration change. Deltas have no metadata: what is foreign
    /// stands beside `delta`.
    pub(super) fn delta(&mut self, stamp: Option<&str>, delta: &[u8], foreign: &[u8]) {
        let out = &mut self.events;
        if !out.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":\"config_delta\"");
        if let Some(stamp) = stamp {
            text(out, "timestamp", stamp);
        }
        write::key(out, "delta");
        out.extend_from_slice(delta);
        if !foreign.is_empty() && self.options.keep != Keep::None {
            write::key(out, "foreign");
            out.extend_from_slice(foreign);
        }
        out.push(b'}');
        self.entries += 1;
    }

    /// Says which model the next answer is of.
    pub(super) fn model(&mut self, stamp: Option<&str>, provider: &str, name: &str) {
        let model = (provider.to_owned(), name.to_owned());
        if self.model.as_ref() == Some(&model) {
            return;
        }
        match self.base {
            None => self.base = Some(model.clone()),
            Some(_) => {
                let mut delta = b"{\"assistant\":{\"model\":{\"id\":".to_vec();
                model_id(&mut delta, &model);
                delta.extend_from_slice(b"}}}");
                self.delta(stamp, &delta, b"");
            }
        }
        self.model = Some(model);
    }

    /// Writes a compaction over all turns up to here. `summary` is a JSON string.
    pub(super) fn compaction(
        &mut self,
        stamp: Option<&str>,
        summary: &[u8],
        mut foreign: Foreign<'_>,
    ) {
        // Nothing else has a summary's time: the nearest before it, or the epoch.
        let known = stamp.map(str::to_owned).or_else(|| {
            foreign.made.push("timestamp");
            self.last_stamp.clone()
        });
        let known = known.unwrap_or_else(|| "1970-01-01T00:00:00Z".to_owned());
        let turn = self.turn();
        self.run = None;
        let head = Head {
            stamp: Some(Cow::Owned(known)),
            foreign,
            ..Head::default()
        };
        self.put("compaction", &head, |out| {
            number(out, "from_turn", 0);
            number(out, "to_turn", turn);
            write::key(out, "summary");
            out.extend_from_slice(b"{\"summary\":");
            out.extend_from_slice(summary);
            out.push(b'}');
        });
    }

    /// Keeps a line that makes no event. `raw` is its value.
    pub(super) fn foreign(
        &mut self,
        stamp: Option<&str>,
        line: usize,
        kind: &str,
        raw: Raw<'_>,
    ) {
        self.foreign_in(stamp, line, kind, raw, b"");
    }

    /// The same for a value in an envelope of which `around` is left.
    pub(super) fn foreign_in(
        &mut self,
        stamp: Option<&str>,
        line: usize,
        kind: &str,
        raw: Raw<'_>,
        around: &[u8],
    ) {
        self.kept(kind, stamp, line, |out| {
            write::key(out, "raw");
            write::compact(out, raw);
            if !around.is_empty() {
                write::key(out, "around");
                out.extend_from_slice(around);
            }
        });
    }

    fn kept(
        &mut self,
        kind: &str,
        stamp: Option<&str>,
        line: usize,
        body: impl FnOnce(&mut Vec<u8>),
    ) {
        let keep = self.options.keep;
        if keep == Keep::None || keep == Keep::Lean && kind != "broken" {
            return self.drop_kind(kind);
        }
        let out = &mut self.events;
        if !out.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":\"foreign\"");
        if let Some(stamp) = stamp {
            text(out, "timestamp", stamp);
        }
        text(out, "format", self.format.name());
        number(out, "line", line);
        text(out, "kind", kind);
        body(out);
        out.push(b'}');
        self.entries += 1;
    }

    /// Counts what is left out.
    pub(super) fn drop_kind(&mut self, kind: &str) {
        *self.dropped.entry(kind.to_owned()).or_default() += 1;
    }

    /// Keeps bytes that are no JSON object.
    pub(super) fn broken(
        &mut self,
        line: usize,
        offset: usize,
        bytes: &[u8],
        cut: bool,
    ) {
        match cut {
            true => self.note(
                "cut-line",
                || format!("line {line} is cut short"),
                Some("the writer may still be at it"),
            ),
            false => self.warn("broken-line", offset, || {
                format!("line {line} is no JSON object; it is kept as text")
            }),
        }
        let valid = std::str::from_utf8(bytes).is_ok();
        self.kept("broken", None, line, |out| {
            text(out, "text", &String::from_utf8_lossy(bytes));
            if !valid {
                number(out, "bytes", bytes.len());
            }
        });
    }

    // ---- what is told ------------------------------------------------------

    /// Tells a warning at a byte of the input; of many, the first ones.
    pub(super) fn warn(
        &mut self,
        code: &'static str,
        byte: usize,
        message: impl FnOnce() -> String,
    ) {
        let seen = self.warned.entry(code).or_default();
        *seen += 1;
        if *seen <= WARNINGS {
            let mut warning = Diagnostic::warning(code, message());
            warning.position.byte = Some(byte as u64);
            self.told.push(warning);
        }
    }

    /// Tells a note once a record, with how often it came.
    pub(super) fn note(
        &mut self,
        code: &'static str,
        message: impl FnOnce() -> String,
        hint: Option<&'static str>,
    ) {
        self.notes
            .entry(code)
            .or_insert_with(|| (0, message(), hint))
            .0 += 1;
    }

    /// Counts a line of a kind that nobody described.
    pub(super) fn unknown_kind(&mut self, kind: &str) {
        *self.kinds.entry(kind.to_owned()).or_default() += 1;
    }

    // ---- the end -----------------------------------------------------------

    fn diagnostics(&mut self) -> (Vec<Diagnostic>, Vec<(&'static str, usize)>) {
        let mut told = std::mem::take(&mut self.told);
        let mut counts: Vec<_> = self.warned.iter().map(|(c, n)| (*c, *n)).collect();
        for (&code, &count) in &self.warned {
            if count > WARNINGS {
                let more = count - WARNINGS;
                told.push(Diagnostic::warning(code, format!("{more} more of these")));
            }
        }
        for (&code, (count, message, hint)) in &self.notes {
            counts.push((code, *count));
            let message = match count {
                1 => message.clone(),
                n => format!("{message} ({})", counted(*n, "time")),
            };
            let note = Diagnostic::note(code, message);
            told.push(match hint {
                Some(hint) => note.hint(*hint),
                None => note,
            });
        }
        if !self.kinds.is_empty() {
            let kinds: Vec<_> = self
                .kinds
                .iter()
                .map(|(kind, count)| format!("{kind} ({count})"))
                .collect();
            counts.push(("unknown-kind", self.kinds.values().sum()));
            told.push(Diagnostic::note(
                "unknown-kind",
                format!("kept without being read: {}", kinds.join(", ")),
            ));
        }
        if !self.unknown.is_empty() {
            counts.push(("unknown", self.unknown.len()));
            let note = Diagnostic::note(
                "unknown",
                format!("the source does not tell: {}", self.unknown.join(", ")),
            );
            let lacks = |word| self.unknown.contains(&word);
            told.push(match lacks("system") || lacks("tools") {
                true => note.hint("use --system and --tools with a captured body"),
                false => note,
            });
        }
        (told, counts)
    }

    /// Closes the bundle.
    pub(super) fn finish(mut self) -> Imported {
        self.apply_options();
        if self.base.is_none() {
            let dataset = matches!(self.format, Format::ShareGpt | Format::Messages);
            let place = if dataset { 0 } else { self.unknown.len() };
            self.unknown.insert(place, "model");
        }
        if self.first_stamp.is_none() && self.wants_times {
            self.unknown.push("timestamps");
        }
        if self.wants_times && self.created.is_none() {
            self.created.clone_from(&self.first_stamp);
        }
        let (told, counted) = self.diagnostics();
        let id = self.created.as_deref().and_then(deciseconds);
        let usage = self.meter.total();
        let report = Report {
            format: Some(self.format),
            id: id.clone(),
            lines: self.lines,
            events: self.entries,
            turns: self.turns,
            unknown: self.unknown.clone(),
            dropped: self.dropped.clone().into_iter().collect(),
            turn_usage: self.meter.turns(),
            usage,
            sidechain: self.sidechain.clone(),
            told: counted,
        };
        let bundle = match self.said {
            0 => Err(Error::new(
                ErrorKind::Input,
                "empty-session",
                format!(
                    "expected a conversation, found {} without a message",
                    self.format.title()
                ),
            )),
            _ => Ok(self.bundle(id.as_deref(), &report)),
        };
        Imported {
            bundle,
            told,
            report,
        }
    }

    fn apply_options(&mut self) {
        if let Some(system) = &self.options.system {
            let parts = Raw::checked(system).as_array().into_iter().flatten();
            self.system = parts.map(|part| part.bytes().to_vec()).collect();
            self.unknown.retain(|word| *word != "system");
        }
        if let Some(tools) = &self.options.tools {
            let (tools, _) = super::tools::read(Raw::checked(tools));
            self.tools = tools;
            self.unknown.retain(|word| *word != "tools");
        }
        if let Some(model) = &self.options.model {
            self.base = Some(model.clone());
        }
    }

    fn bundle(&self, id: Option<&str>, report: &Report) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.events.len() + 1024);
        out.push(b'{');
        if let Some(id) = id {
            text(&mut out, "id", id);
        }
        self.base_config(&mut out);
        text(&mut out, "encoding", "plain");
        self.inputs(&mut out);
        write::key(&mut out, "events");
        out.push(b'[');
        out.extend_from_slice(&self.events);
        out.extend_from_slice(b"]");
        write::key(&mut out, "metadata");
        out.push(b'{');
        if let Some(title) = &self.title {
            write::key(&mut out, "title");
            out.extend_from_slice(title);
        }
        if let Some(last) = self.last_stamp.as_ref().filter(|_| self.wants_times) {
            text(&mut out, "last_activated_at", last);
        }
        write::key(&mut out, "import");
        out.push(b'{');
        text(&mut out, "schema", "convo/import/1");
        text(&mut out, "format", self.format.name());
        if self.lines > 0 {
            number(&mut out, "lines", self.lines);
        }
        number(&mut out, "events", self.entries);
        list(&mut out, "unknown", self.unknown.iter().copied());
        counts(&mut out, "dropped", &report.dropped);
        if !report.usage.is_empty() {
            write::key(&mut out, "usage");
            report.usage.write(&mut out);
        }
        for (key, value) in &self.import {
            write::key(&mut out, key);
            out.extend_from_slice(value);
        }
        out.extend_from_slice(b"}}}");
        out
    }

    fn base_config(&self, out: &mut Vec<u8>) {
        write::key(out, "base_config");
        out.push(b'{');
        if self.base.is_some() || !self.parameters.is_empty() {
            out.extend_from_slice(b"\"assistant\":{\"model\":{");
            if let Some(model) = &self.base {
                write::key(out, "id");
                model_id(out, model);
            }
            if !self.parameters.is_empty() {
                write::key(out, "parameters");
                out.push(b'{');
                for (key, value) in &self.parameters {
                    write::key(out, key);
                    out.extend_from_slice(value);
                }
                out.push(b'}');
            }
            out.extend_from_slice(b"}}");
        }
        out.push(b'}');
    }

    fn inputs(&self, out: &mut Vec<u8>) {
        write::key(out, "inputs");
        out.extend_from_slice(b"{\"system_parts\":[");
        out.extend_from_slice(&self.system.join(&b','));
        out.push(b']');
        write::key(out, "tools");
        match self.tools.is_empty() {
            true => out.extend_from_slice(b"[]"),
            false => out.extend_from_slice(&self.tools),
        }
        if let Some(choice) = &self.tool_choice {
            write::key(out, "tool_choice");
            out.extend_from_slice(choice);
        }
        if let Some(created) = &self.created {
            text(out, "created_at", created);
        }
        if !self.betas.is_empty() {
            write::key(out, "beta_headers");
            out.extend_from_slice(&self.betas);
        }
        out.push(b'}');
    }
}

/// `{"provider":...,"name":...}`.
fn model_id(out: &mut Vec<u8>, (provider, name): &(String, String)) {
    out.push(b'{');
    text(out, "provider", provider);
    text(out, "name", name);
    out.push(b'}');
}

/// The id that a time of creation gives: tenths of a second since the epoch.
fn deciseconds(created: &str) -> Option<String> {
    let time = Timestamp::parse(created)?;
    let tenths = i64::from(time.nanos / 100_000_000);
    (time.seconds >= 0).then(|| (time.seconds * 10 + tenths).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_numbers_are_seconds_or_milliseconds() {
        let of = |json: &'static str| {
            stamp(Some(Raw::parse(json.as_bytes()).expect("JSON"))).map(Cow::into_owned)
        };
        let expected = Some("2026-03-01T09:00:00.250Z".to_owned());
        assert_eq!(of("1772355600.25"), expected);
        assert_eq!(of("1772355600250"), expected);
        assert_eq!(
            of("\"2026-03-01T09:00:00Z\"").as_deref(),
            Some("2026-03-01T09:00:00Z")
        );
        for none in ["\"yesterday\"", "-1", "1e300", "true", "null"] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(
            deciseconds("2026-03-01T09:00:00.000Z").as_deref(),
            Some("17723556000")
        );
    }
}
