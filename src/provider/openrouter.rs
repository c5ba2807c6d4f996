//! The body of OpenRouter's chat completions (`docs/bodies.md#openrouter`).
//!
//! Reasoning is never sent back, neither its text nor what signs it.

use super::request::{Request, Transport};
use super::schema::tool;
use super::{Provider, Resolved, attach, chat, content};
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::{Effort, Mode, ToolChoice};
use crate::error::Diagnostic;
use crate::json::write;
use crate::model::ReasoningSupport;
use crate::thread::{Part, Rules};

/// What OpenRouter takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::OpenRouter,
        mode,
        // `Mode::Jp` sends a message without anything in it for reasoning alone.
        takes_reasoning: |rules, _, _, _| rules.mode == Mode::Jp,
        ids: IdRules::of(Provider::OpenRouter),
        takes_tool_name: crate::thread::rules::is_plain_name,
    }
}

/// Appends the body of `request`.
pub fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) -> Transport {
    let parameters = request.thread.config.parameters();
    let resolved = Resolved::of(parameters.reasoning(), request.model);
    let nudge = nudge(request, resolved, told);
    out.push(b'{');
    write::key(out, "model");
    write::string(out, &request.model.id);
    write::key(out, "messages");
    out.push(b'[');
    if let Some(nudge) = &nudge {
        chat::open(out, "system");
        out.extend_from_slice(b",\"content\":[{\"type\":\"text\",\"text\":");
        write::string(out, nudge);
        out.extend_from_slice(b"}]}");
    }
    system(out, request);
    attached(out, request);
    messages(out, request, decoder, told);
    out.push(b']');
    write::key(out, "reasoning");
    out.extend_from_slice(match effort(request, resolved) {
        Some(_) => b"{\"exclude\":false,\"effort\":".as_slice(),
        None => b"{\"exclude\":true,\"effort\":",
    });
    write::string(out, effort(request, resolved).unwrap_or("minimal"));
    out.push(b'}');
    tools(out, request, nudge.is_some(), told);
    if let Some(schema) = request.thread.schema {
        chat::response_format(out, |out| write::compact(out, schema));
    }
    out.extend_from_slice(b",\"stream\":true}");
    Transport::new("/api/v1/chat/completions")
}

fn effort(request: &Request<'_, '_>, resolved: Resolved) -> Option<&'static str> {
    let max = content::count(request, "max_tokens");
    let max = max.or(request.model.max_output_tokens);
    Some(match resolved.effort()?.relative(max) {
        Effort::None | Effort::XLow => "minimal",
        Effort::Low => "low",
        Effort::Auto | Effort::Absolute(_) | Effort::Medium => "medium",
        Effort::High => "high",
        Effort::XHigh | Effort::Max => "xhigh",
    })
}

/// A forced choice is put in words where the model may reason.
fn nudge(
    request: &Request<'_, '_>,
    resolved: Resolved,
    told: &mut Vec<Diagnostic>,
) -> Option<String> {
    let offer = &request.thread.offer;
    let details = request.model;
    let always = !details.can_disable && details.reasoning != ReasoningSupport::Unknown;
    // JP asks for a tool also where it offers none.
    let asks = !offer.tools.is_empty() || request.rules.mode == Mode::Jp;
    if !asks || resolved.effort().is_none() && !always {
        return None;
    }
    let nudge = super::forced::nudge(&offer.choice, "call the tool named '{}'")?;
    if request.rules.mode == Mode::Convo {
        told.push(Diagnostic::note(
            "forced-choice",
            "the forced tool choice is sent as `auto` and a system message, which costs \
             the cached prefix: the model may refuse to be forced while it reasons",
        ));
    }
    Some(nudge)
}

/// Whose prompt cache goes by marks.
fn is_marked(model: &str) -> bool {
    model.starts_with("anthropic") || model.starts_with("google")
}

fn system(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    let prelude = &request.thread.prelude;
    if prelude.is_empty() {
        return;
    }
    chat::open(out, "system");
    out.extend_from_slice(b",\"content\":[");
    for (index, (_, text)) in prelude.iter().enumerate() {
        part(out);
        out.extend_from_slice(text);
        out.push(b'"');
        let end = index == 0 || index + 1 == prelude.len();
        if end && is_marked(&request.model.id) {
            out.extend_from_slice(b",\"cache_control\":{\"type\":\"ephemeral\"}");
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
}

/// Opens a text part up to its text.
fn part(out: &mut Vec<u8>) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
}

/// A message of the user's with all attachments.
fn attached(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    let all = &request.thread.attachments;
    if all.is_empty() {
        return;
    }
    chat::open(out, "user");
    out.extend_from_slice(b",\"content\":[");
    let mut xml = Vec::new();
    if attach::documents(&mut xml, all) {
        part(out);
        out.append(&mut xml);
        out.extend_from_slice(b"\"}");
    }
    for (one, media_type, data) in attach::binaries(all) {
        part(out);
        attach::label(out, one);
        out.extend_from_slice(b"\"},");
        if attach::is_picture(media_type) {
            out.extend_from_slice(b"{\"type\":\"image_url\",\"image_url\":{\"url\":");
        } else {
            out.extend_from_slice(b"{\"type\":\"file\",\"file\":{\"filename\":");
            write::text(out, one.source);
            write::key(out, "file_data");
        }
        attach::data_uri(out, media_type, data);
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(b"]}");
}

/// Adjacent entries of the assistant are one message; nothing else is joined.
fn messages(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let mode = request.rules.mode;
    let (mut texts, mut calls, mut index) = (b"[".to_vec(), Vec::new(), 0);
    let mut items = request.thread.items.iter().peekable();
    while let Some(item) = items.next() {
        match &item.part {
            Part::Request(_) => {
                chat::open(out, "user");
                out.extend_from_slice(b",\"content\":[{\"type\":\"text\",\"text\":\"");
                content::words(out, &item.part);
                out.extend_from_slice(b"\"}]}");
                continue;
            }
            Part::Result { id, .. } => {
                chat::open(out, "tool");
                out.extend_from_slice(b",\"content\":\"");
                content::flagless_result(out, item, mode, decoder, told);
                out.extend_from_slice(b"\",\"tool_call_id\":");
                write::string(out, id);
                out.push(b'}');
                continue;
            }
            Part::Message(_) | Part::Structured(_) => {
                part(&mut texts);
                content::words(&mut texts, &item.part);
                texts.extend_from_slice(b"\"}");
            }
            Part::Call { .. } => {
                if index > 0 {
                    calls.push(b',');
                }
                chat::call(&mut calls, &item.part, Some(index), decoder);
                index += 1;
            }
            Part::Reasoning(_) => {}
        }
        let side = |item: &&crate::thread::Item<'_>| item.part.side();
        if items.peek().map(side) == Some(item.part.side()) {
            continue;
        }
        chat::open(out, "assistant");
        if texts.len() > 1 {
            write::key(out, "content");
            out.append(&mut texts);
            out.push(b']');
            texts.push(b'[');
        }
        if index > 0 {
            write::key(out, "tool_calls");
            out.push(b'[');
            out.append(&mut calls);
            out.push(b']');
            index = 0;
        }
        out.push(b'}');
    }
}

fn tools(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    nudged: bool,
    told: &mut Vec<Diagnostic>,
) {
    let offer = &request.thread.offer;
    if offer.tools.is_empty() {
        return;
    }
    write::key(out, "tools");
    out.push(b'[');
    for (index, tool) in offer.tools.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
        write::string(out, &tool.name);
        if let Some(text) = tool.description {
            write::key(out, "description");
            write::text(out, text);
        }
        let mut parameters = Vec::new();
        let is_strict = tool::strict(&mut parameters, tool, request.rules.mode, told);
        out.extend_from_slice(match is_strict {
            true => b",\"strict\":true,\"parameters\":".as_slice(),
            false => b",\"strict\":false,\"parameters\":",
        });
        out.append(&mut parameters);
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
    match nudged {
        true => chat::choice(out, &ToolChoice::Auto),
        false => chat::choice(out, &offer.choice),
    }
}
