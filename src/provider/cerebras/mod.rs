//! The body of Cerebras's chat completions (`docs/bodies.md#cerebras`).
//!
//! Reasoning comes back under `reasoning`. Tools go in the loose form, the schema
//! of a structured answer reduced: see `schema`.

mod schema;

use super::request::{Request, Transport};
use super::schema::tool;
use super::{Provider, Resolved, attach, chat, content};
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::{Effort, Mode, Reasoning};
use crate::error::Diagnostic;
use crate::json::write;
use crate::model::ReasoningSupport;
use crate::thread::{Rules, rules};

/// What Cerebras takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::Cerebras,
        mode,
        takes_reasoning: rules::takes_words,
        ids: IdRules::of(Provider::Cerebras),
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
    out.push(b'{');
    write::key(out, "model");
    write::string(out, &request.model.id);
    write::key(out, "messages");
    chat::messages(out, request, "reasoning", decoder, told, |_, told| {
        for (one, media_type, _) in attach::binaries(&request.thread.attachments) {
            attach::left_out(one, media_type, told);
        }
    });
    out.extend_from_slice(b",\"stream\":true");
    if request.model.reasoning != ReasoningSupport::Unsupported {
        out.extend_from_slice(b",\"reasoning_format\":\"parsed\"");
    }
    content::wide(out, "temperature", content::float(request, "temperature"));
    content::wide(out, "top_p", content::float(request, "top_p"));
    let max_tokens = content::count(request, "max_tokens");
    content::whole(out, "max_completion_tokens", max_tokens);
    if let Some(effort) = effort(request) {
        write::key(out, "reasoning_effort");
        write::string(out, effort);
    }
    tools(out, request);
    if let Some(schema) = request.thread.schema {
        chat::response_format(out, |out| {
            schema::write(out, schema, request.rules.mode);
        });
    }
    out.push(b'}');
    Transport::new("/v1/chat/completions")
}

fn effort(request: &Request<'_, '_>) -> Option<&'static str> {
    let details = request.model;
    let configured = request.thread.config.parameters().reasoning();
    let Some(effort) = Resolved::of(configured, details).effort() else {
        let accepts = match details.reasoning {
            ReasoningSupport::Unsupported => false,
            ReasoningSupport::Unknown => true,
            _ => details.can_disable,
        };
        return (accepts && configured == Some(Reasoning::Off)).then_some("none");
    };
    match effort {
        Effort::Auto => None,
        Effort::None | Effort::XLow | Effort::Low => Some("low"),
        Effort::Medium | Effort::Absolute(_) => Some("medium"),
        Effort::High | Effort::XHigh | Effort::Max => Some("high"),
    }
}

fn tools(out: &mut Vec<u8>, request: &Request<'_, '_>) {
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
        write::key(out, "description");
        match tool.description {
            Some(text) => write::text(out, text),
            None => out.extend_from_slice(b"\"\""),
        }
        write::key(out, "parameters");
        tool::loose(out, tool);
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
    chat::choice(out, &offer.choice);
}
