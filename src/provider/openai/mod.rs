//! The body of OpenAI's Responses API (`docs/bodies.md#openai`).
//!
//! Every key is written, `null` where nothing is set. `items` holds the input,
//! `settings` what is said beside it.

mod items;
mod settings;

use super::request::{Request, Transport};
use super::schema::{Node, strict, tool};
use super::{Provider, chat};
use crate::block::Decoder;
use crate::body::id::IdRules;
use crate::config::escaped::is_blank;
use crate::config::{CachePolicy, Mode, ToolChoice};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::Event;
use crate::json::{Kind, Raw, Text, write};
use crate::thread::{Owner, Rules};
use settings::Settings;

/// What the Responses API takes of a stream.
pub fn rules(mode: Mode) -> Rules {
    Rules {
        provider: Provider::OpenAi,
        mode,
        takes_reasoning,
        ids: IdRules::of(Provider::OpenAi),
        takes_tool_name: crate::thread::rules::is_plain_name,
    }
}

/// Reasoning goes as an item where it was one, else as text.
fn takes_reasoning(rules: &Rules, event: &Event<'_>, text: Text<'_>, _: Owner) -> bool {
    let has = |metadata: &Raw<'_>, key| metadata.get(key).is_some();
    let is_item = event
        .get("metadata")
        .is_some_and(|metadata| has(&metadata, items::ENCRYPTED));
    rules.mode == Mode::Jp || is_item || !is_blank(text)
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
    let settings = Settings::of(request, told);
    out.push(b'{');
    write::key(out, "model");
    write::string(out, &request.model.id);
    write::key(out, "input");
    items::write(out, request, &settings, decoder, told);
    out.extend_from_slice(match settings.includes_reasoning {
        true => b",\"include\":[\"reasoning.encrypted_content\"]".as_slice(),
        false => b",\"include\":null",
    });
    null(out, "instructions");
    integer(out, "max_output_tokens", settings.max_output_tokens);
    null(out, "metadata");
    null(out, "parallel_tool_calls");
    null(out, "previous_response_id");
    cache(out, request, &settings, told);
    settings.write_reasoning(out);
    null(out, "service_tier");
    out.extend_from_slice(b",\"store\":false");
    out.extend_from_slice(match settings.streams {
        true => b",\"stream\":true".as_slice(),
        false => b",\"stream\":false",
    });
    float(out, "temperature", settings.temperature);
    text(out, request, &settings, told)?;
    let offer = &request.thread.offer;
    match offer.tools.is_empty() && request.rules.mode == Mode::Convo {
        // Without a tool no call can be asked for.
        true => choice(out, &ToolChoice::Auto),
        false => choice(out, &offer.choice),
    }
    tools(out, request, told);
    float(out, "top_p", settings.top_p);
    out.extend_from_slice(b",\"truncation\":\"auto\"");
    null(out, "user");
    out.push(b'}');
    Ok(Transport::new("/v1/responses"))
}

fn null(out: &mut Vec<u8>, key: &str) {
    write::key(out, key);
    out.extend_from_slice(b"null");
}

fn integer(out: &mut Vec<u8>, key: &str, value: Option<u64>) {
    match value {
        Some(value) => super::content::whole(out, key, Some(value)),
        None => null(out, key),
    }
}

fn float(out: &mut Vec<u8>, key: &str, value: Option<f32>) {
    match value {
        Some(value) => super::content::narrow(out, key, Some(value)),
        None => null(out, key),
    }
}

/// What keeps the requests of one conversation at one cache.
fn cache(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    settings: &Settings<'_>,
    told: &mut Vec<Diagnostic>,
) {
    if request.cache() == CachePolicy::Off {
        if settings.caches_by_marks {
            write::key(out, "prompt_cache_options");
            out.extend_from_slice(b"{\"mode\":\"explicit\"}");
        }
        return;
    }
    let Some(created) = request.created_at else {
        told.push(
            Diagnostic::note(
                "no-cache-key",
                "prompt_cache_key is left out: nothing says when the conversation began",
            )
            .hint("give `created_at` with --inputs"),
        );
        return;
    };
    let micros =
        i128::from(created.seconds) * 1_000_000 + i128::from(created.nanos / 1000);
    write::key(out, "prompt_cache_key");
    write::string(out, &format!("jp:conversation:{micros}"));
}

fn text(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    settings: &Settings<'_>,
    told: &mut Vec<Diagnostic>,
) -> Result<(), Error> {
    write::key(out, "text");
    let schema = request.thread.schema;
    if schema.is_none() && settings.verbosity.is_none() {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    out.extend_from_slice(b"{\"format\":{\"type\":");
    match schema {
        Some(schema) => {
            out.extend_from_slice(b"\"json_schema\",\"schema\":");
            let is_strict = format(out, schema, request.rules.mode, told)?;
            out.extend_from_slice(b",\"description\":\"Structured output\",\"name\":");
            write::string(out, chat::STRUCTURED);
            out.extend_from_slice(match is_strict {
                true => b",\"strict\":true}".as_slice(),
                false => b",\"strict\":false}",
            });
        }
        None => out.extend_from_slice(b"\"text\"}"),
    }
    if let Some(verbosity) = settings.verbosity {
        write::key(out, "verbosity");
        write::text(out, verbosity);
    }
    out.push(b'}');
    Ok(())
}

/// Appends the strict form of a structured answer's schema, or, where it has none,
/// the schema as it is; whether it is strict.
fn format(
    out: &mut Vec<u8>,
    schema: Raw<'_>,
    mode: Mode,
    told: &mut Vec<Diagnostic>,
) -> Result<bool, Error> {
    let is_object = schema.kind() == Kind::Object
        && schema
            .get("type")
            .and_then(Raw::as_text)
            .is_some_and(|kind| kind.is("object"));
    if mode == Mode::Convo && !is_object {
        return Err(Error::new(
            ErrorKind::Contract,
            "schema-root",
            "the provider takes a structured answer's schema only of `type` `object`",
        ));
    }
    let Node::Map(mut map) = Node::read(schema) else {
        write::compact(out, schema);
        return Ok(true);
    };
    if strict::rewrite(&mut map) || mode == Mode::Jp {
        Node::Map(map).write(out);
        return Ok(true);
    }
    told.push(Diagnostic::warning(
        "schema-not-strict",
        "the schema of the structured answer is sent as it is, without `strict`: a \
         reference in it leads nowhere, or to itself",
    ));
    write::compact(out, schema);
    Ok(false)
}

fn choice(out: &mut Vec<u8>, choice: &ToolChoice<'_>) {
    match choice {
        ToolChoice::Function(name) => {
            write::key(out, "tool_choice");
            out.extend_from_slice(b"{\"name\":");
            write::string(out, name);
            out.extend_from_slice(b",\"type\":\"function\"}");
        }
        word => chat::choice(out, word),
    }
}

fn tools(out: &mut Vec<u8>, request: &Request<'_, '_>, told: &mut Vec<Diagnostic>) {
    write::key(out, "tools");
    out.push(b'[');
    for (index, tool) in request.thread.offer.tools.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"type\":\"function\",\"name\":");
        write::string(out, &tool.name);
        write::key(out, "parameters");
        let is_strict = tool::strict(out, tool, request.rules.mode, told);
        out.extend_from_slice(match is_strict {
            true => b",\"strict\":true,\"description\":".as_slice(),
            false => b",\"strict\":false,\"description\":",
        });
        match tool.description {
            Some(text) => write::text(out, text),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
    }
    out.push(b']');
}
