//! What llamacpp and cerebras write alike: chat completions with plain strings.
//!
//! `docs/bodies.md#merging`, `docs/bodies.md#llamacpp`, `docs/bodies.md#cerebras`. Adjacent entries of the assistant are one
//! message. `Mode::Jp` keeps the last of several texts there, the default all of
//! them, an empty line between two.

use super::attach;
use super::content;
use super::request::Request;
use crate::block::Decoder;
use crate::config::{Mode, ToolChoice};
use crate::error::Diagnostic;
use crate::json::write;
use crate::thread::{Item, Part};

/// The name of a structured answer's schema.
pub(super) const STRUCTURED: &str = "structured_output";

/// The keys of an assistant's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Reasoning,
    Content,
    Calls,
}

/// Appends the messages, reasoning under the key `reasoning`, inside brackets.
pub(super) fn messages(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    reasoning: &str,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
    attached: impl FnOnce(&mut Vec<u8>, &mut Vec<Diagnostic>),
) {
    let mode = request.rules.mode;
    out.push(b'[');
    system(out, request);
    attached(out, told);
    let mut run = Run::default();
    for item in &request.thread.items {
        match &item.part {
            Part::Request(_) => {
                run.end(out, reasoning, mode);
                open(out, "user");
                out.extend_from_slice(b",\"content\":\"");
                content::words(out, &item.part);
                out.extend_from_slice(b"\"}");
            }
            Part::Result { id, .. } => {
                run.end(out, reasoning, mode);
                open(out, "tool");
                write::key(out, "tool_call_id");
                write::string(out, id);
                out.extend_from_slice(b",\"content\":\"");
                content::flagless_result(out, item, mode, decoder, told);
                out.extend_from_slice(b"\"}");
            }
            _ => run.add(item, mode, decoder),
        }
    }
    run.end(out, reasoning, mode);
    out.push(b']');
}

/// Appends one message a system part, text attachments in one more.
fn system(out: &mut Vec<u8>, request: &Request<'_, '_>) {
    for (_, text) in request.thread.prelude.iter() {
        open(out, "system");
        out.extend_from_slice(b",\"content\":\"");
        out.extend_from_slice(text);
        out.extend_from_slice(b"\"}");
    }
    let mut xml = Vec::new();
    if attach::documents(&mut xml, &request.thread.attachments) {
        open(out, "system");
        out.extend_from_slice(b",\"content\":\"");
        out.append(&mut xml);
        out.extend_from_slice(b"\"}");
    }
}

/// Opens a message, with a comma before it unless it is the first.
pub(super) fn open(out: &mut Vec<u8>, role: &str) {
    if !out.ends_with(b"[") {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"role\":");
    write::string(out, role);
}

/// Appends one entry of `tool_calls` up to its function; `index` where wanted.
pub(super) fn call(
    out: &mut Vec<u8>,
    part: &Part<'_>,
    index: Option<u64>,
    decoder: &mut Decoder,
) {
    let Part::Call {
        id,
        name,
        arguments,
    } = part
    else {
        return;
    };
    out.push(b'{');
    write::key(out, "id");
    write::string(out, id);
    content::whole(out, "index", index);
    out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    write::text(out, *name);
    write::key(out, "arguments");
    content::arguments_string(out, *arguments, decoder);
    out.extend_from_slice(b"}}");
}

/// Adjacent entries of the assistant, gathered.
#[derive(Debug, Default)]
struct Run {
    /// The keys in the order they came.
    order: Vec<Field>,
    reasoning: Vec<u8>,
    content: Vec<u8>,
    calls: Vec<u8>,
}

impl Run {
    fn add(&mut self, item: &Item<'_>, mode: Mode, decoder: &mut Decoder) {
        let field = match &item.part {
            Part::Reasoning(_) => Field::Reasoning,
            Part::Call { .. } => Field::Calls,
            _ => Field::Content,
        };
        let again = self.order.contains(&field);
        if !again {
            self.order.push(field);
        }
        let into = match field {
            Field::Reasoning => &mut self.reasoning,
            Field::Content => &mut self.content,
            Field::Calls => {
                if again {
                    self.calls.push(b',');
                }
                call(&mut self.calls, &item.part, None, decoder);
                return;
            }
        };
        match mode {
            Mode::Jp => into.clear(),
            Mode::Convo if again => into.extend_from_slice(b"\\n\\n"),
            Mode::Convo => {}
        }
        content::words(into, &item.part);
    }

    fn end(&mut self, out: &mut Vec<u8>, reasoning: &str, mode: Mode) {
        if self.order.is_empty() {
            return;
        }
        open(out, "assistant");
        if mode == Mode::Convo && self.order == [Field::Reasoning] {
            // A message without content and calls is refused.
            self.order.push(Field::Content);
        }
        for field in self.order.drain(..) {
            let (key, text) = match field {
                Field::Reasoning => (reasoning, &mut self.reasoning),
                Field::Content => ("content", &mut self.content),
                Field::Calls => {
                    write::key(out, "tool_calls");
                    out.push(b'[');
                    out.append(&mut self.calls);
                    out.push(b']');
                    continue;
                }
            };
            write::key(out, key);
            out.push(b'"');
            out.append(text);
            out.push(b'"');
        }
        out.push(b'}');
    }
}

/// Appends the user's message that carries pictures, if there is one, and says
/// which files are left out.
pub(super) fn pictures(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    told: &mut Vec<Diagnostic>,
) {
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
            out.extend_from_slice(b",\"content\":[");
        }
        any = true;
        out.extend_from_slice(b"{\"type\":\"image_url\",\"image_url\":{\"url\":");
        attach::data_uri(out, media_type, data);
        out.extend_from_slice(b"}}");
    }
    if any {
        out.extend_from_slice(b"]}");
    }
}

/// Appends `tool_choice` as a word, or the function it names.
pub(super) fn choice(out: &mut Vec<u8>, choice: &ToolChoice<'_>) {
    write::key(out, "tool_choice");
    match choice {
        ToolChoice::Auto => write::string(out, "auto"),
        ToolChoice::None => write::string(out, "none"),
        ToolChoice::Required => write::string(out, "required"),
        ToolChoice::Function(name) => {
            out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
            write::string(out, name);
            out.extend_from_slice(b"}}");
        }
    }
}

/// Appends `response_format` around a schema that `write` appends.
pub(super) fn response_format(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    write::key(out, "response_format");
    out.extend_from_slice(b"{\"type\":\"json_schema\",\"json_schema\":{\"name\":");
    write::string(out, STRUCTURED);
    write::key(out, "schema");
    write(out);
    out.extend_from_slice(b",\"strict\":true}}");
}
