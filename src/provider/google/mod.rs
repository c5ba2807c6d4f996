//! The body of Gemini's `streamGenerateContent` (`docs/bodies.md#google`).
//!
//! The model is in the path alone. `contents` holds the turns, `settings` the
//! generation settings, `schema` the rewriting of a structured answer's schema.

mod contents;
mod schema;
mod settings;

use super::Provider;
use super::request::{Request, Transport};
use super::schema::tool;
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::escaped::is_blank;
use crate::config::{Mode, ToolChoice};
use crate::error::{Diagnostic, Error};
use crate::event::Event;
use crate::json::{Text, write};
use crate::thread::{Owner, Rules};

/// What Gemini takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::Google,
        mode,
        takes_reasoning,
        ids: IdRules::of(Provider::Google),
        takes_tool_name: |name| {
            let starts = |b: u8| b.is_ascii_alphabetic() || b == b'_';
            let takes = |b: u8| b.is_ascii_alphanumeric() || b"_-.:".contains(&b);
            (1..=64).contains(&name.len())
                && name.bytes().next().is_some_and(starts)
                && name.bytes().all(takes)
        },
    }
}

/// Reasoning goes as a thought, whoever had it.
fn takes_reasoning(rules: &Rules, event: &Event<'_>, text: Text<'_>, _: Owner) -> bool {
    rules.mode == Mode::Jp
        || !is_blank(text)
        || event
            .get("metadata")
            .is_some_and(|metadata| metadata.get(contents::SIGNATURE).is_some())
}

/// Appends the body of `request`.
///
/// # Errors
///
/// A schema that the API cannot be given.
pub fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) -> Result<Transport, Error> {
    out.push(b'{');
    let prelude = &request.thread.prelude;
    if !prelude.is_empty() {
        write::key(out, "systemInstruction");
        out.extend_from_slice(b"{\"parts\":[");
        for (index, (_, text)) in prelude.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"text\":\"");
            out.extend_from_slice(text);
            out.extend_from_slice(b"\"}");
        }
        out.extend_from_slice(b"],\"role\":null}");
    }
    contents::write(out, request, decoder, told);
    tools(out, request);
    settings::write(out, request)?;
    out.push(b'}');
    let model = path_segment(&request.model.id);
    Ok(Transport::new(format!(
        "/v1beta/models/{model}:streamGenerateContent?alt=sse"
    )))
}

/// A name with whatever a path gives a meaning to written as `%XX`.
fn path_segment(name: &str) -> String {
    let mut segment = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                segment.push(char::from(byte));
            }
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

/// `tools`, one entry each, and `toolConfig`, which is always there.
fn tools(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    let offer = &request.thread.offer;
    if !offer.tools.is_empty() {
        write::key(out, "tools");
        out.push(b'[');
        for (index, tool) in offer.tools.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"functionDeclarations\":[{\"name\":");
            write::string(out, &tool.name);
            write::key(out, "description");
            match tool.description {
                Some(text) => write::text(out, text),
                None => out.extend_from_slice(b"\"\""),
            }
            out.extend_from_slice(b",\"parameters\":null,\"parametersJsonSchema\":");
            tool::plain(out, tool);
            out.extend_from_slice(b",\"response\":null}]}");
        }
        out.push(b']');
    }
    let mode = match &offer.choice {
        _ if offer.tools.is_empty() => "NONE",
        ToolChoice::None => "NONE",
        ToolChoice::Auto => "VALIDATED",
        ToolChoice::Required | ToolChoice::Function(_) => "ANY",
    };
    write::key(out, "toolConfig");
    out.extend_from_slice(b"{\"functionCallingConfig\":{\"mode\":");
    write::string(out, mode);
    out.extend_from_slice(b",\"allowedFunctionNames\":[");
    if let ToolChoice::Function(name) = &offer.choice
        && !offer.tools.is_empty()
    {
        write::string(out, name);
    }
    out.extend_from_slice(b"]}}");
}
