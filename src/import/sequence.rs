//! Bodies of one recording that grow by prefix, as one conversation.
//!
//! A body continues the one before when that one's messages, in a form that sets
//! spelling aside, are the first of its own. The last of a run is read; what the
//! bodies before it had otherwise becomes changes at the place where each ended.

use super::options::{Format, Options};
use super::session::Sink;
use super::tools;
use super::value::{Around, Mark, Source, plain};
use crate::json::{Kind, Raw, write};

/// The bodies of a run, of which only the newest is kept whole.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    format: Format,
    bytes: Vec<u8>,
    response: Option<Vec<u8>>,
    first: Facts,
    last: Facts,
    around: Around<'static>,
    marks: Vec<Mark>,
    offset: usize,
}

/// What a body says besides its messages.
#[derive(Debug, Clone, Default, PartialEq)]
struct Facts {
    model: Option<String>,
    tools: Vec<(String, Vec<u8>)>,
    system: Vec<Vec<u8>>,
    parameters: Vec<(&'static str, Vec<u8>)>,
    messages: Vec<Vec<u8>>,
}

impl Sequence {
    /// Takes the next body; a run that it does not continue is read first.
    pub(super) fn take(
        &mut self,
        format: Format,
        raw: Raw<'_>,
        around: &Around<'_>,
        source: &Source<'_, '_>,
        sink: &mut Sink<'_>,
    ) {
        let facts = Facts::of(raw, around.model.as_deref());
        let continues = self.held.as_ref().is_some_and(|held| {
            held.format == format
                && facts.messages.len() >= held.last.messages.len()
                && facts.messages.starts_with(&held.last.messages)
        });
        if !continues {
            self.flush(source.options, sink);
        }
        let mut marks = Vec::new();
        let mut first = facts.clone();
        if let Some(before) = self.held.take() {
            marks = before.marks;
            marks.push(Mark {
                messages: before.last.messages.len(),
                deltas: facts.changes(&before.last),
            });
            first = before.first;
        }
        self.held = Some(Held {
            format,
            bytes: raw.bytes().to_vec(),
            response: around.response.map(|response| response.bytes().to_vec()),
            first,
            last: facts,
            around: Around {
                response: None,
                betas: around.betas.clone(),
                created: around.created.clone(),
                model: around.model.clone(),
                provider: around.provider,
                capture: around.capture.clone(),
                marks: Vec::new(),
            },
            marks,
            offset: source.offset,
        });
    }

    /// Reads what is left at the end of the input.
    pub(super) fn finish(mut self, options: &Options, sink: &mut Sink<'_>) {
        self.flush(options, sink);
    }

    fn flush(&mut self, options: &Options, sink: &mut Sink<'_>) {
        let Some(held) = self.held.take() else { return };
        // The record opens with what the first body said; its own changes are at
        // their places.
        let body = held.opened();
        let response = held.response.as_deref().map(Raw::checked);
        let around = Around {
            response,
            marks: held.marks.clone(),
            ..held.around.clone()
        };
        plain(
            held.format,
            Raw::checked(&body),
            held.offset,
            options,
            around,
            sink,
        );
    }
}

impl Held {
    /// The newest body with the model, tools and parameters of the first.
    fn opened(&self) -> Vec<u8> {
        if self.marks.is_empty() {
            return self.bytes.clone();
        }
        let mut out = b"{".to_vec();
        let raw = Raw::checked(&self.bytes);
        for (key, value) in raw.as_object().into_iter().flatten() {
            if key.is("model") || key.is("tools") {
                continue;
            }
            let first = self.first.parameters.iter().find(|(name, _)| key.is(name));
            super::foreign::raw_key(&mut out, key);
            match first {
                Some((_, bytes)) => out.extend_from_slice(bytes),
                None => write::compact(&mut out, value),
            }
        }
        if let Some(model) = &self.first.model {
            write::key(&mut out, "model");
            write::string(&mut out, model);
        }
        if !self.first.tools.is_empty() {
            write::key(&mut out, "tools");
            out.push(b'[');
            for (index, (_, tool)) in self.first.tools.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(tool);
            }
            out.push(b']');
        }
        out.push(b'}');
        out
    }
}

impl Facts {
    fn of(raw: Raw<'_>, model: Option<&str>) -> Self {
        let list = ["messages", "input", "contents"]
            .iter()
            .find_map(|key| raw.get(key)?.as_array());
        let (tools, _) = raw.get("tools").map(tools::read).unwrap_or_default();
        let tools = Raw::checked(&tools).as_array().into_iter().flatten();
        let parameters = ["max_tokens", "temperature", "top_p", "top_k"]
            .into_iter()
            .filter_map(|key| Some((key, raw.get(key)?.bytes().to_vec())))
            .collect();
        Self {
            model: raw
                .get("model")
                .and_then(Raw::as_str)
                .map(std::borrow::Cow::into_owned)
                .or_else(|| model.map(str::to_owned)),
            tools: tools
                .filter_map(|tool| {
                    let name = tool.get("name")?.as_str()?.into_owned();
                    Some((name, tool.bytes().to_vec()))
                })
                .collect(),
            system: raw
                .get("system")
                .or_else(|| raw.get("instructions"))
                .map(texts)
                .unwrap_or_default(),
            parameters,
            messages: list.into_iter().flatten().map(normal).collect(),
        }
    }

    /// The changes from `before` to here, as deltas.
    fn changes(&self, before: &Self) -> Vec<Vec<u8>> {
        let mut deltas = Vec::new();
        if let Some(model) = self.model.as_ref().filter(|_| self.model != before.model)
        {
            let mut delta = b"{\"assistant\":{\"model\":{\"id\":{\"name\":".to_vec();
            write::string(&mut delta, model);
            delta.extend_from_slice(b"}}}}");
            deltas.push(delta);
        }
        for (name, value) in &self.parameters {
            if !before
                .parameters
                .iter()
                .any(|one| one.0 == *name && one.1 == *value)
            {
                let mut delta = b"{\"assistant\":{\"model\":{\"parameters\":{".to_vec();
                write::key(&mut delta, name);
                delta.extend_from_slice(value);
                delta.extend_from_slice(b"}}}}");
                deltas.push(delta);
            }
        }
        let has =
            |list: &[(String, Vec<u8>)], one: &(String, Vec<u8>)| list.contains(one);
        let new: Vec<Raw<'_>> = self
            .tools
            .iter()
            .filter(|tool| !has(&before.tools, tool))
            .map(|(_, bytes)| Raw::checked(bytes))
            .collect();
        if !new.is_empty() {
            deltas.push(tools::defined(&new));
        }
        let gone: Vec<(String, bool)> = before
            .tools
            .iter()
            .filter(|(name, _)| !self.tools.iter().any(|(other, _)| other == name))
            .map(|(name, _)| (name.clone(), false))
            .collect();
        if !gone.is_empty() {
            deltas.push(tools::switched(&gone));
        }
        if self.system.len() > before.system.len()
            && self.system.starts_with(&before.system)
        {
            let mut delta = b"{\"assistant\":{\"system_prompt_sections\":[".to_vec();
            for (index, part) in self.system[before.system.len()..].iter().enumerate() {
                if index > 0 {
                    delta.push(b',');
                }
                delta.extend_from_slice(b"{\"content\":");
                delta.extend_from_slice(part);
                delta.push(b'}');
            }
            delta.extend_from_slice(b"]}}");
            deltas.push(delta);
        }
        deltas
    }
}

/// The texts of a system prompt, each a JSON string.
fn texts(system: Raw<'_>) -> Vec<Vec<u8>> {
    if system.kind() == Kind::String {
        return vec![system.bytes().to_vec()];
    }
    let blocks = system.as_array().into_iter().flatten();
    blocks
        .filter_map(|block| Some(block.get("text")?.bytes().to_vec()))
        .collect()
}

/// A message in a form that sets spelling aside: key order, cache marks, `null`,
/// a string for its one text block.
fn normal(message: Raw<'_>) -> Vec<u8> {
    let parsed = serde_json::from_slice::<serde_json::Value>(message.bytes());
    let Ok(mut value) = parsed else {
        return message.bytes().to_vec();
    };
    if let Some(text) = value.get("content").and_then(|c| c.as_str()) {
        let block = serde_json::json!([{ "type": "text", "text": text }]);
        value["content"] = block;
    }
    let mut stack = vec![&mut value];
    while let Some(one) = stack.pop() {
        match one {
            serde_json::Value::Object(map) => {
                map.remove("cache_control");
                map.retain(|_, value| !value.is_null());
                map.sort_keys();
                stack.extend(map.values_mut());
            }
            serde_json::Value::Array(list) => stack.extend(list.iter_mut()),
            _ => {}
        }
    }
    value.to_string().into_bytes()
}
