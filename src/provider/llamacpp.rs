//! The body of the llama.cpp server's chat completions (`docs/bodies.md#llamacpp`).

use super::request::{Request, Transport};
use super::schema::tool;
use super::{Provider, chat, content};
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::{Mode, Reasoning, ToolChoice};
use crate::error::Diagnostic;
use crate::json::write;
use crate::thread::{Rules, rules};

/// What the server takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::LlamaCpp,
        mode,
        takes_reasoning: rules::takes_words,
        ids: IdRules::of(Provider::LlamaCpp),
        takes_tool_name: |name| !name.is_empty(),
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
    let key = "reasoning_content";
    chat::messages(out, request, key, decoder, told, |out, told| {
        chat::pictures(out, request, told);
    });
    out.extend_from_slice(b",\"stream\":true");
    // The model table has no say here.
    let configured = request.thread.config.parameters().reasoning();
    let thinks = configured.is_some_and(|reasoning| reasoning != Reasoning::Off);
    out.extend_from_slice(match thinks {
        true => b",\"reasoning_format\":\"deepseek\",\
              \"chat_template_kwargs\":{\"enable_thinking\":true}"
            .as_slice(),
        false => {
            b",\"reasoning_format\":\"none\",\
              \"chat_template_kwargs\":{\"enable_thinking\":false}"
        }
    });
    content::wide(out, "temperature", content::float(request, "temperature"));
    content::wide(out, "top_p", content::float(request, "top_p"));
    content::whole(out, "max_tokens", content::count(request, "max_tokens"));
    tools(out, request, told);
    if let Some(schema) = request.thread.schema {
        chat::response_format(out, |out| write::compact(out, schema));
    }
    out.push(b'}');
    Transport::new("/v1/chat/completions")
}

/// A named choice leaves that tool alone on offer, for the server knows words only.
fn tools(out: &mut Vec<u8>, request: &Request<'_, '_>, told: &mut Vec<Diagnostic>) {
    let offer = &request.thread.offer;
    if offer.tools.is_empty() {
        return;
    }
    write::key(out, "tools");
    out.push(b'[');
    for tool in &offer.tools {
        if offer
            .choice
            .function()
            .is_some_and(|name| name != tool.name)
        {
            continue;
        }
        if !out.ends_with(b"[") {
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
        let is_strict = tool::strict(out, tool, request.rules.mode, told);
        out.extend_from_slice(match is_strict {
            true => b",\"strict\":true}}".as_slice(),
            false => b",\"strict\":false}}",
        });
    }
    out.push(b']');
    match &offer.choice {
        ToolChoice::Function(_) => chat::choice(out, &ToolChoice::Required),
        choice => chat::choice(out, choice),
    }
}
