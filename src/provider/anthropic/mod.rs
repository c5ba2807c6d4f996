//! The body of Anthropic's Messages API (`docs/bodies.md#anthropic`).
//!
//! `write` decides what is sent beside the messages, then puts the keys down in
//! their fixed order. `messages` holds the blocks, `settings` thinking, tool
//! choice and cache marks, `schema` the rewriting of a structured answer's
//! schema. `Mode::Jp` sends what the other program sends; the default sends what
//! the API accepts (`docs/bodies.md#request-points`).

mod documents;
mod messages;
mod place;
mod schema;
mod settings;

use super::request::{Request, Transport};
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::Mode;
use crate::config::escaped::is_blank;
use crate::error::Diagnostic;
use crate::event::Event;
use crate::json::{Raw, Text, write};
use crate::provider::Provider;
use crate::thread::{Item, Owner, Rules};
pub use place::Placing;
use settings::{Choice, Mark, Settings, Thinking};

const SIGNATURE: &str = "anthropic_thinking_signature";
const REDACTED: &str = "anthropic_redacted_thinking";

/// What the Messages API takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::Anthropic,
        mode,
        takes_reasoning,
        ids: IdRules::of(Provider::Anthropic),
        takes_tool_name: |name| {
            let takes = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
            (1..=128).contains(&name.len()) && name.bytes().all(takes)
        },
    }
}

/// Reasoning goes as a thinking block if it is signed here, else as text.
fn takes_reasoning(
    rules: &Rules,
    event: &Event<'_>,
    text: Text<'_>,
    owner: Owner,
) -> bool {
    rules.mode == Mode::Jp
        || !is_blank(text)
        || owner.provider(event) == Some(Provider::Anthropic)
            && event
                .get("metadata")
                .is_some_and(|metadata| signed(metadata).is_some())
}

/// A reasoning event's own block.
enum Native<'a> {
    Signed(Text<'a>),
    Redacted(Text<'a>),
}

fn signed(metadata: Raw<'_>) -> Option<Native<'_>> {
    let text = |key: &str| metadata.get(key).and_then(Raw::as_text);
    text(SIGNATURE)
        .map(Native::Signed)
        .or_else(|| text(REDACTED).map(Native::Redacted))
}

/// How a reasoning item is replayed as what it was, if it was made here.
fn native<'a>(item: &Item<'a>) -> Option<Native<'a>> {
    let own = item.owner == Some(Provider::Anthropic);
    item.metadata.filter(|_| own).and_then(signed)
}

/// Appends the body of `request`.
pub fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) -> Transport {
    let settings = Settings::of(request, told);
    out.push(b'{');
    write::key(out, "model");
    write::string(out, &request.model.id);
    write::key(out, "messages");
    messages::write(out, request, &settings, decoder, told);
    write::key(out, "max_tokens");
    write::integer(out, settings.max_tokens);
    let asks = request.thread.bound.is_some_and(|one| one.asked);
    thinking(out, &settings.thinking, asks);
    out.extend_from_slice(b",\"stream\":true");
    number(out, "temperature", settings.temperature);
    if request.thread.has_tools() {
        choice(out, &settings.choice);
        write::key(out, "tools");
        self::tools(out, request, &settings);
    }
    if let Some(top_k) = settings.top_k {
        write::key(out, "top_k");
        write::integer(out, top_k);
    }
    number(out, "top_p", settings.top_p);
    system(out, request, &settings);
    if let Some(value) = settings.context_management {
        write::key(out, "context_management");
        match value {
            Some(value) => write::compact(out, value),
            None => out.extend_from_slice(settings::CONTEXT_MANAGEMENT),
        }
    }
    let schema = request.thread.schema;
    if settings.effort.is_some() || schema.is_some() {
        write::key(out, "output_config");
        out.push(b'{');
        if let Some(effort) = settings.effort {
            write::key(out, "effort");
            write::string(out, effort);
        }
        if let Some(schema) = schema {
            write::key(out, "format");
            out.extend_from_slice(b"{\"type\":\"json_schema\",\"schema\":");
            schema::write(out, schema);
            out.push(b'}');
        }
        out.push(b'}');
    }
    mark(out, settings.marks.top);
    out.push(b'}');
    let mut transport = Transport::new("/v1/messages");
    let version = ("anthropic-version", "2023-06-01".to_owned());
    transport.headers.push(version);
    let betas = settings.betas(request);
    if !betas.is_empty() {
        transport.headers.push(("anthropic-beta", betas.join(",")));
    }
    transport
}

fn mark(out: &mut Vec<u8>, mark: Option<Mark>) {
    if let Some(Mark { ttl }) = mark {
        write::key(out, "cache_control");
        out.extend_from_slice(b"{\"type\":\"ephemeral\",\"ttl\":");
        write::string(out, ttl.name());
        out.push(b'}');
    }
}

fn number(out: &mut Vec<u8>, key: &str, value: Option<f32>) {
    if let Some(value) = value.filter(|value| value.is_finite()) {
        write::key(out, key);
        out.extend_from_slice(format!("{value:?}").as_bytes());
    }
}

/// Appends `thinking`; `asks` says that blocks bound to another prefix are to be
/// dropped.
fn thinking(out: &mut Vec<u8>, thinking: &Thinking, asks: bool) {
    match thinking {
        Thinking::Omitted => return,
        _ => write::key(out, "thinking"),
    }
    let tail: &[u8] = match thinking {
        Thinking::Omitted => b"",
        Thinking::Disabled => b"{\"type\":\"disabled\"}",
        Thinking::Adaptive => b"{\"type\":\"adaptive\",\"display\":\"summarized\"",
        Thinking::Enabled { budget } => {
            out.extend_from_slice(b"{\"type\":\"enabled\",\"budget_tokens\":");
            write::integer(out, *budget);
            b",\"display\":\"summarized\""
        }
    };
    out.extend_from_slice(tail);
    if matches!(thinking, Thinking::Adaptive | Thinking::Enabled { .. }) {
        if asks {
            write::key(out, "block_binding");
            out.extend_from_slice(b"{\"prefix_mismatch_behavior\":\"drop_block\"}");
        }
        out.push(b'}');
    }
}

fn choice(out: &mut Vec<u8>, choice: &Choice<'_>) {
    write::key(out, "tool_choice");
    let tail: &[u8] = match choice {
        Choice::None => b"{\"type\":\"none\"}",
        Choice::Auto => b"{\"type\":\"auto\",\"disable_parallel_tool_use\":false}",
        Choice::Any => b"{\"type\":\"any\",\"disable_parallel_tool_use\":false}",
        Choice::Tool(name) => {
            out.extend_from_slice(b"{\"type\":\"tool\",\"name\":");
            write::string(out, name);
            b",\"disable_parallel_tool_use\":false}"
        }
    };
    out.extend_from_slice(tail);
}

fn tools(out: &mut Vec<u8>, request: &Request<'_, '_>, settings: &Settings<'_>) {
    let placed = request.thread.placed.as_ref();
    if let Some((catalogue, _)) = placed.and_then(|placed| placed.tools.as_ref()) {
        let mut mark = Vec::new();
        // Leads with a comma: it goes into an object that is not empty.
        self::mark(&mut mark, settings.marks.tools);
        catalogue.write(out, &mark);
        return;
    }
    out.push(b'[');
    let tools = &request.thread.offer.tools;
    for (index, tool) in tools.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let last = index + 1 == tools.len();
        let mark = settings.marks.tools.filter(|_| last);
        self::tool(out, tool, mark, settings.strict_tools);
    }
    out.push(b']');
}

/// Appends one entry of `tools`.
pub(crate) fn tool(
    out: &mut Vec<u8>,
    tool: &crate::thread::ToolDefinition<'_>,
    mark: Option<Mark>,
    strict: bool,
) {
    if let Some(locked) = &tool.locked {
        let open = locked.strip_suffix(b"}");
        out.extend_from_slice(open.unwrap_or(locked));
        self::mark(out, mark);
        out.push(b'}');
        return;
    }
    out.extend_from_slice(b"{\"type\":\"custom\",\"name\":");
    write::string(out, &tool.name);
    write::key(out, "input_schema");
    // A server's own schema need not be one that the strict form takes.
    let strict = strict && tool.schema.is_none();
    match &tool.schema {
        Some(schema) => out.extend_from_slice(schema),
        None => input_schema(out, tool, strict),
    }
    if let Some(description) = tool.description {
        write::key(out, "description");
        write::text(out, description);
    }
    self::mark(out, mark);
    if strict {
        out.extend_from_slice(b",\"strict\":true");
    }
    out.push(b'}');
}

fn input_schema(
    out: &mut Vec<u8>,
    tool: &crate::thread::ToolDefinition<'_>,
    strict: bool,
) {
    out.extend_from_slice(b"{\"type\":\"object\"");
    if !tool.parameters.is_empty() {
        write::key(out, "properties");
        tool.parameters.write_properties(out);
        if tool.parameters.required().next().is_some() {
            write::key(out, "required");
            tool.parameters.write_required(out);
        }
    }
    if strict {
        out.extend_from_slice(b",\"additionalProperties\":false");
    }
    out.push(b'}');
}

fn system(out: &mut Vec<u8>, request: &Request<'_, '_>, settings: &Settings<'_>) {
    let prelude = &request.thread.prelude;
    if prelude.is_empty() && settings.nudge.is_none() {
        return;
    }
    write::key(out, "system");
    out.push(b'[');
    for (index, (_, text)) in prelude.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
        out.extend_from_slice(text);
        out.push(b'"');
        let last = index + 1 == prelude.len();
        mark(out, settings.marks.system.filter(|_| last));
        out.push(b'}');
    }
    if let Some(nudge) = &settings.nudge {
        if !prelude.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
        write::string(out, nudge);
        out.push(b'}');
    }
    out.push(b']');
}
