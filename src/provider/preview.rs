//! What each change of a conversation costs: flattened, and said in place.
//!
//! For every stored change two pairs of bodies are made, of the request before it and
//! of the one behind it as if nothing else had changed between them: once with all
//! flattened, once as directives. What the second body no longer shares with the first,
//! level by level as the API renders them (tools, system, messages), is lost; what
//! system messages it has more is what saying it costs (`docs/directives.md#preview`).

use super::flatten::{each_body, policy};
use super::options::{Format, Options, Requests};
use super::source::Source;
use crate::block::Encoding;
use crate::cache::estimate;
use crate::config::{Config, Warnings};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::{Event, EventKind};
use crate::json::{Raw, write};
use crate::stream::{Container, Conversation};
use crate::thread::walk;

/// What becomes of the cached prompt in one way of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Bytes of the request before that are not read from the cache any more.
    pub lost: usize,
    /// Bytes of system messages that say it.
    pub said: usize,
}

impl Cost {
    /// An estimate of both in tokens.
    pub fn tokens(self) -> Self {
        Self {
            lost: estimate::tokens(self.lost),
            said: estimate::tokens(self.said),
        }
    }
}

/// A change of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its entry, from 0; `None` if it is only planned.
    pub entry: Option<usize>,
    /// The number of the first request that has it, from 1.
    pub request: usize,
    /// What it speaks of, as dotted paths of the configuration.
    pub speaks_of: Vec<String>,
    /// What it costs at the head of the body; `None` for one that no request came
    /// before: it costs nothing.
    pub flattened: Option<Cost>,
    /// What it costs as a directive.
    pub directive: Option<Cost>,
    /// Which gate stands in its way.
    pub gate: Option<String>,
}

/// The changes of a conversation, or the one in `planned`, made at its end.
///
/// # Errors
///
/// The conversation is no stream or has no request; its model is not known; the
/// planned change is no object.
pub fn preview(
    conversation: &Conversation<'_>,
    options: &Options<'_>,
    planned: Option<Raw<'_>>,
    told: &mut Vec<Diagnostic>,
) -> Result<Vec<Change>, Error> {
    conversation.require_stream()?;
    let source = Source::read(conversation, options, told)?;
    let mut warnings = Warnings::default();
    let base = Config::resolve(source.base, options.mode, &mut warnings);
    let policy = policy(options, &base);
    let walked = walk(&source.events, base, &policy, &mut warnings, told);
    told.append(&mut warnings.list);
    if walked.first.is_none() {
        let what =
            "expected a chat_request with text, found none: no request was ever sent";
        return Err(Error::new(ErrorKind::Contract, "no-request", what));
    }
    let stock = Stock {
        conversation,
        options,
        source: &source,
    };
    if let Some(planned) = planned {
        let delta = entry(planned)?;
        let end = source.events.len();
        // A request that is due stands behind what it is sent with.
        let points = walked.points.partition_point(|&one| one < end);
        let change = stock.change(&walked.points[..points], None, &delta, end)?;
        return Ok(vec![change]);
    }
    let mut changes = Vec::new();
    for (index, event) in source.events.iter().enumerate() {
        if event.kind() == EventKind::ConfigDelta {
            let delta = event.raw().bytes();
            let next = walked.points.partition_point(|&one| one <= index);
            let end = walked.points.get(next).copied();
            let end = end.unwrap_or(source.events.len());
            let before = &walked.points[..next];
            changes.push(stock.change(before, Some(index), delta, end)?);
        }
    }
    Ok(changes)
}

/// A planned change as a stored one.
fn entry(planned: Raw<'_>) -> Result<Vec<u8>, Error> {
    if planned.as_object().is_none() {
        let what = format!(
            "expected a configuration as a JSON object, found {}",
            planned.kind().name()
        );
        return Err(Error::new(ErrorKind::Contract, "delta-shape", what));
    }
    let kind = planned.get("type").and_then(Raw::as_str);
    if kind.as_deref() == Some("config_delta") {
        return Ok(planned.bytes().to_vec());
    }
    let mut out = b"{\"type\":\"config_delta\",\"delta\":".to_vec();
    write::compact(&mut out, planned);
    out.push(b'}');
    Ok(out)
}

/// What bodies are made from.
struct Stock<'s, 'a> {
    conversation: &'s Conversation<'a>,
    options: &'s Options<'a>,
    source: &'s Source<'a>,
}

impl Stock<'_, '_> {
    /// What `delta` costs, which stands at `index` or behind everything; `before` are
    /// the requests before it, `end` is the place of the one that has it.
    fn change(
        &self,
        before: &[usize],
        index: Option<usize>,
        delta: &[u8],
        end: usize,
    ) -> Result<Change, Error> {
        let mut change = Change {
            entry: index,
            request: before.len() + 1,
            speaks_of: speaks_of(Raw::checked(delta)),
            flattened: None,
            directive: None,
            gate: None,
        };
        let Some(&last) = before.last() else {
            return Ok(change);
        };
        let old = self.stream(last, None, delta);
        let new = self.stream(end, Some((last, index)), delta);
        let flat = Options {
            place: None,
            ..*self.options
        };
        let mut told = Vec::new();
        change.flattened = Some(self.cost(&old, &new, &flat, &mut told)?);
        told.clear();
        let directive = self.cost(&old, &new, self.options, &mut told)?;
        change.directive = Some(directive);
        if directive.lost == 0 {
            return Ok(change);
        }
        let gate = told
            .iter()
            .rev()
            .find(|one| ["gate-closed", "not-messages"].contains(&one.code));
        change.gate = gate.map(|one| one.message.clone());
        Ok(change)
    }

    /// The stream up to `end` as a conversation; from `kept` on, without any change but
    /// the one given, at its place or behind everything.
    fn stream(
        &self,
        end: usize,
        kept: Option<(usize, Option<usize>)>,
        delta: &[u8],
    ) -> Vec<u8> {
        let mut out = b"{\"base_config\":".to_vec();
        match self.source.base {
            Some(base) => out.extend_from_slice(base.bytes()),
            None => out.extend_from_slice(b"{}"),
        }
        if let Some(inputs) = self.conversation.value.get("inputs") {
            write::key(&mut out, "inputs");
            out.extend_from_slice(inputs.bytes());
        }
        write::key(&mut out, "encoding");
        write::string(
            &mut out,
            match self.conversation.encoding {
                Encoding::Storage => "storage",
                Encoding::Plain => "plain",
            },
        );
        write::key(&mut out, "events");
        out.push(b'[');
        let mut speaks = false;
        let goes = |index: usize, event: &Event<'_>| {
            let (from, own) = kept.unwrap_or((end, None));
            index < from || event.kind() != EventKind::ConfigDelta || own == Some(index)
        };
        for (index, event) in self.source.events[..end].iter().enumerate() {
            if !goes(index, event) {
                continue;
            }
            if !out.ends_with(b"[") {
                out.push(b',');
            }
            out.extend_from_slice(event.raw().bytes());
            speaks = match event.kind() {
                EventKind::ChatRequest | EventKind::ToolCallResponse => true,
                EventKind::ChatResponse | EventKind::ToolCallRequest => false,
                _ => speaks,
            };
        }
        if let Some((_, own)) = kept {
            if own.is_none() {
                out.push(b',');
                out.extend_from_slice(delta);
            }
            // The request that is yet to come.
            if !speaks {
                out.extend_from_slice(
                    b",{\"type\":\"chat_request\",\"content\":\"...\"}",
                );
            }
        }
        out.extend_from_slice(b"]}");
        out
    }

    fn cost(
        &self,
        old: &[u8],
        new: &[u8],
        options: &Options<'_>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Cost, Error> {
        let old = self.body(old, options, &mut Vec::new())?;
        let new = self.body(new, options, told)?;
        let (old, new) = (Raw::checked(&old), Raw::checked(&new));
        Ok(Cost {
            lost: lost(old, new),
            said: system(new).saturating_sub(system(old)),
        })
    }

    /// The last body of a stream.
    fn body(
        &self,
        stream: &[u8],
        options: &Options<'_>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Vec<u8>, Error> {
        let Container::Conversation(conversation) =
            Conversation::read(Raw::checked(stream))?
        else {
            return Ok(Vec::new());
        };
        let options = Options {
            requests: Requests::Last,
            format: Format::Body,
            pretty: false,
            created_at: self.source.created_at,
            ..*options
        };
        let mut body = Vec::new();
        each_body(&conversation, &options, told, &mut |one| {
            body.extend_from_slice(one);
            Ok(())
        })?;
        Ok(body)
    }
}

/// What a stored change speaks of, two levels deep.
fn speaks_of(delta: Raw<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let map = delta.get("delta").and_then(Raw::as_object);
    for (key, value) in map.into_iter().flatten() {
        let key = key.decode();
        let inner: Vec<_> = value.as_object().into_iter().flatten().collect();
        match inner.is_empty() {
            true => found.push(key.into_owned()),
            false => {
                found.extend(
                    inner
                        .iter()
                        .map(|(one, _)| format!("{key}.{}", one.decode())),
                );
            }
        }
    }
    let unsets = delta.get("unsets").and_then(Raw::as_array);
    let unsets = unsets.into_iter().flatten().filter_map(Raw::as_str);
    found.extend(unsets.map(std::borrow::Cow::into_owned));
    found.dedup();
    found
}

/// Where bodies hold what was said, and what stands before it.
const MESSAGES: [&str; 3] = ["messages", "input", "contents"];
const SYSTEM: [&str; 3] = ["system", "instructions", "systemInstruction"];
/// Parameters that cost what was said and nothing before it.
const ASIDE: [&str; 4] = ["tool_choice", "thinking", "output_config", "toolConfig"];

/// Bytes of `old` that a cache holds and `new` does not read.
fn lost(old: Raw<'_>, new: Raw<'_>) -> usize {
    let bare = |value: Raw<'_>| {
        let mut out = Vec::new();
        unmarked(&mut out, value);
        out
    };
    let part = |body: Raw<'_>, keys: &[&str]| -> Vec<u8> {
        let found = keys.iter().find_map(|key| body.get(key));
        found.map(bare).unwrap_or_default()
    };
    let tools = |body: Raw<'_>| -> Vec<Vec<u8>> {
        let all = body
            .get("tools")
            .and_then(Raw::as_array)
            .into_iter()
            .flatten();
        let deferred =
            |tool: &Raw<'_>| tool.get("defer_loading").and_then(Raw::as_bool);
        // What is deferred and not added is not rendered.
        all.filter(|tool| deferred(tool) != Some(true))
            .map(bare)
            .collect()
    };
    let messages = |body: Raw<'_>| -> Vec<Vec<u8>> {
        let list = MESSAGES.iter().find_map(|key| body.get(key)?.as_array());
        list.into_iter().flatten().map(bare).collect()
    };
    let (a, b) = (messages(old), messages(new));
    let size = |list: &[Vec<u8>]| list.iter().map(Vec::len).sum::<usize>();
    let head = size(&tools(old)) + part(old, &SYSTEM).len();
    let same = |key: &str| part(old, &[key]) == part(new, &[key]);
    if !same("model") || tools(old) != tools(new) {
        return head + size(&a);
    }
    if part(old, &SYSTEM) != part(new, &SYSTEM) {
        return part(old, &SYSTEM).len() + size(&a);
    }
    if !ASIDE.iter().all(|key| same(key)) {
        return size(&a);
    }
    let kept = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    size(&a[kept..])
}

/// Bytes of the system messages of a body.
fn system(body: Raw<'_>) -> usize {
    let all = body
        .get("messages")
        .and_then(Raw::as_array)
        .into_iter()
        .flatten();
    let is_system = |one: &Raw<'_>| {
        let role = one.get("role").and_then(Raw::as_text);
        role.is_some_and(|role| role.is("system"))
    };
    all.filter(is_system).map(|one| one.bytes().len()).sum()
}

/// Appends a value of a body of ours without breakpoints, wherever blocks stand.
fn unmarked(out: &mut Vec<u8>, value: Raw<'_>) {
    const MARK: &[u8] = b",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"";
    let mut rest = value.bytes();
    while let Some(at) = memchr::memmem::find(rest, MARK) {
        out.extend_from_slice(&rest[..at]);
        // The lifetime, two letters, and what closes the mark.
        rest = rest.get(at + MARK.len() + 4..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}
