//! The body of Ollama's native chat (`docs/bodies.md#ollama`).
//!
//! Results carry no id: they belong to calls by their order alone, which is why
//! the default puts them in the order of the calls. `Mode::Jp` sends the bare map
//! of parameters where a schema is expected; the server finds nothing in it.

use super::request::{Request, Transport};
use super::schema::tool;
use super::{Provider, Resolved, attach, chat, content};
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::Mode;
use crate::error::Diagnostic;
use crate::json::{Raw, write};
use crate::thread::{Item, Part, Rules, Side, rules};
use std::collections::HashMap;

/// What Ollama takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::Ollama,
        mode,
        takes_reasoning: rules::takes_words,
        ids: IdRules::of(Provider::Ollama),
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
    out.push(b'[');
    system(out, request);
    pictures(out, request, told);
    messages(out, request, decoder, told);
    let offer = &request.thread.offer;
    // JP asks for a tool also where it offers none.
    let asks = !offer.tools.is_empty() || request.rules.mode == Mode::Jp;
    if asks
        && let Some(nudge) = super::forced::nudge(
            &offer.choice,
            "use the function named '{}' available to you",
        )
    {
        message(out, "system", &nudge);
    }
    out.push(b']');
    tools(out, request);
    write::key(out, "options");
    out.push(b'{');
    content::narrow(out, "temperature", content::float(request, "temperature"));
    content::narrow(out, "top_p", content::float(request, "top_p"));
    content::whole(out, "top_k", content::count(request, "top_k"));
    content::whole(out, "num_ctx", content::count(request, "context_window"));
    out.push(b'}');
    if let Some(schema) = request.thread.schema {
        write::key(out, "format");
        write::compact(out, schema);
    }
    let parameters = request.thread.config.parameters();
    let resolved = Resolved::of(parameters.reasoning(), request.model);
    out.extend_from_slice(match resolved.effort() {
        Some(_) => b",\"stream\":true,\"think\":true".as_slice(),
        None => b",\"stream\":true,\"think\":false",
    });
    if let Some(text) = parameters.get("keep_alive").and_then(Raw::as_str)
        && let Some(text) = keep_alive(&text, request.rules.mode, told)
    {
        write::key(out, "keep_alive");
        write::string(out, &text);
    }
    out.push(b'}');
    Transport::new("/api/chat")
}

/// How long the model stays loaded. A number is one of minutes; `Mode::Jp` takes
/// any number with a unit for five of that unit.
fn keep_alive(text: &str, mode: Mode, told: &mut Vec<Diagnostic>) -> Option<String> {
    let text = text.trim();
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    if is_number(text) {
        return Some(format!("{text}m"));
    }
    if mode == Mode::Jp {
        let unit = if text.ends_with(['s', 'h']) {
            &text[text.len() - 1..]
        } else {
            "m"
        };
        return Some(format!("5{unit}"));
    }
    let number = text.strip_suffix("ms");
    let number = number.or_else(|| text.strip_suffix(['s', 'm', 'h']));
    if number.is_some_and(is_number) {
        return Some(text.to_owned());
    }
    told.push(Diagnostic::warning(
        "keep-alive",
        format!("keep_alive `{text}` is left out: expected a number with s, m or h"),
    ));
    None
}

/// Opens a message up to its text.
fn open(out: &mut Vec<u8>, role: &str) {
    chat::open(out, role);
    out.extend_from_slice(b",\"content\":\"");
}

/// Closes a text and the message, with nothing else in it.
const END: &[u8] = b"\",\"tool_calls\":[],\"thinking\":null}";

fn message(out: &mut Vec<u8>, role: &str, text: &str) {
    open(out, role);
    write::escaped(out, text);
    out.extend_from_slice(END);
}

fn system(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    for (_, text) in request.thread.prelude.iter() {
        open(out, "system");
        out.extend_from_slice(text);
        out.extend_from_slice(END);
    }
    let mut xml = Vec::new();
    if attach::documents(&mut xml, &request.thread.attachments) {
        open(out, "system");
        out.append(&mut xml);
        out.extend_from_slice(END);
    }
}

fn pictures(out: &mut Vec<u8>, request: &Request<'_, '_>, told: &mut Vec<Diagnostic>) {
    let mut any = false;
    for (one, media_type, data) in attach::binaries(&request.thread.attachments) {
        if !attach::is_picture(media_type) {
            attach::left_out(one, media_type, told);
            continue;
        }
        if any {
            out.push(b',');
        } else {
            open(out, "user");
            out.extend_from_slice(b"\",\"tool_calls\":[],\"images\":[");
        }
        any = true;
        write::text(out, data);
    }
    if any {
        out.extend_from_slice(b"],\"thinking\":null}");
    }
}

/// One message each, but that reasoning joins the message of the assistant right
/// before it, if that has none.
fn messages(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let mode = request.rules.mode;
    let items = in_order(&request.thread.items, mode, told);
    let mut items = items.into_iter().peekable();
    while let Some(item) = items.next() {
        match &item.part {
            Part::Result { .. } => {
                open(out, "tool");
                content::flagless_result(out, item, mode, decoder, told);
            }
            Part::Request(_) => {
                open(out, "user");
                content::words(out, &item.part);
            }
            Part::Reasoning(text) => {
                open(out, "assistant");
                out.extend_from_slice(b"\",\"tool_calls\":[],\"thinking\":");
                write::text(out, *text);
                out.push(b'}');
                continue;
            }
            part => {
                open(out, "assistant");
                content::words(out, part);
            }
        }
        if item.part.side() == Side::User {
            out.extend_from_slice(END);
            continue;
        }
        out.extend_from_slice(b"\",\"tool_calls\":[");
        if let Part::Call {
            name, arguments, ..
        } = &item.part
        {
            out.extend_from_slice(b"{\"function\":{\"name\":");
            write::text(out, *name);
            write::key(out, "arguments");
            content::arguments(out, *arguments, decoder);
            out.extend_from_slice(b"}}");
        }
        out.extend_from_slice(b"],\"thinking\":");
        match items.peek().map(|next| &next.part) {
            Some(Part::Reasoning(text)) => {
                write::text(out, *text);
                items.next();
            }
            _ => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
    }
}

/// The items, results in the order of their calls.
fn in_order<'i, 'a>(
    items: &'i [Item<'a>],
    mode: Mode,
    told: &mut Vec<Diagnostic>,
) -> Vec<&'i Item<'a>> {
    let mut ordered: Vec<_> = items.iter().collect();
    if mode == Mode::Jp {
        return ordered;
    }
    let mut calls = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        if let Part::Call { id, .. } = &item.part {
            calls.insert(&**id, index);
        }
    }
    let call = |item: &&Item<'_>| match &item.part {
        Part::Result { id, .. } => calls.get(&**id).copied(),
        _ => None,
    };
    let mut moved = false;
    for results in ordered.chunk_by_mut(|a, b| call(a).is_some() && call(b).is_some()) {
        moved |= !results.is_sorted_by_key(call);
        results.sort_by_key(call);
    }
    if moved {
        told.push(Diagnostic::note(
            "results-reordered",
            "results are sent in the order of their calls: the provider knows them by \
             nothing else",
        ));
    }
    ordered
}

fn tools(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    let offer = &request.thread.offer;
    if offer.tools.is_empty() {
        return;
    }
    let jp = request.rules.mode == Mode::Jp;
    write::key(out, "tools");
    out.push(b'[');
    for (index, tool) in offer.tools.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(match jp {
            true => b"{\"type\":\"Function\",\"function\":{\"name\":".as_slice(),
            false => b"{\"type\":\"function\",\"function\":{\"name\":",
        });
        write::string(out, &tool.name);
        write::key(out, "description");
        match tool.description {
            Some(text) => write::text(out, text),
            None => out.extend_from_slice(b"\"\""),
        }
        write::key(out, "parameters");
        match jp {
            true => tool::described(out, &tool.parameters),
            false => tool::plain(out, tool),
        }
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
}
