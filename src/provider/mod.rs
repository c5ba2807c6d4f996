//! A thread written as one request body.
//!
//! Each provider is one file (or folder) with two things: [`Rules`], the few
//! facts about it that a thread depends on, and a `write` that puts a [`Request`]
//! into bytes in a fixed key order (`docs/bodies.md`). [`rules`] and `write`
//! dispatch on the provider. What providers share is beside them: [`details`] of
//! models, [`effort`], and the transport in [`request`].

pub mod anthropic;
pub mod cerebras;
pub mod details;
pub mod effort;
pub mod flatten;
pub mod google;
pub mod llamacpp;
pub mod ollama;
pub mod openai;
pub mod openrouter;
pub mod place;
pub mod request;

mod attach;
mod chat;
mod choose;
mod content;
mod items;
mod schema;
mod source;

pub use details::{Details, ReasoningSupport};
pub use effort::Resolved;
pub use flatten::{Format, Options, Requests, flatten, place_directives};
pub use place::PlaceOptions;
pub use request::{Request, Transport};

pub use crate::body::Provider;

use crate::block::Decoder;
use crate::config::{Mode, ToolChoice};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::thread::Rules;

/// The rules of a provider.
pub fn rules(provider: Provider, mode: Mode) -> Rules {
    match provider {
        Provider::Anthropic => anthropic::rules(mode),
        Provider::OpenAi => openai::rules(mode),
        Provider::Google => google::rules(mode),
        Provider::OpenRouter => openrouter::rules(mode),
        Provider::Ollama => ollama::rules(mode),
        Provider::LlamaCpp => llamacpp::rules(mode),
        Provider::Cerebras => cerebras::rules(mode),
    }
}

/// Appends the body of `request`, without a line break at its end.
///
/// # Errors
///
/// The provider cannot be given what the request says.
pub fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) -> Result<Transport, Error> {
    Ok(match request.rules.provider {
        Provider::Anthropic => anthropic::write(out, request, decoder, told),
        Provider::OpenAi => openai::write(out, request, decoder, told)?,
        Provider::Google => google::write(out, request, decoder, told)?,
        Provider::OpenRouter => openrouter::write(out, request, decoder, told),
        Provider::Ollama => ollama::write(out, request, decoder, told),
        Provider::LlamaCpp => llamacpp::write(out, request, decoder, told),
        Provider::Cerebras => cerebras::write(out, request, decoder, told),
    })
}

/// Whether a tool's name is one that most providers take.
fn is_plain_name(name: &str) -> bool {
    let takes = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
    (1..=64).contains(&name.len()) && name.bytes().all(takes)
}

/// A forced tool choice in words: `named` says it for one tool, `{}` its name.
fn nudge(choice: &ToolChoice<'_>, named: &str) -> Option<String> {
    let what = match choice {
        ToolChoice::Auto | ToolChoice::None => return None,
        ToolChoice::Required => "use AT LEAST ONE tool available to you".to_owned(),
        ToolChoice::Function(name) => named.replacen("{}", name, 1),
    };
    Some(format!(
        "IMPORTANT: You MUST {what}. DO NOT QUESTION THIS DIRECTIVE. DO NOT PROMPT FOR MORE \
         CONTEXT OR DETAILS. JUST RUN IT."
    ))
}

/// The error for a provider whose bodies cannot be written.
pub fn unsupported(name: &str) -> Error {
    let known: Vec<_> = Provider::ALL.iter().map(|one| one.name()).collect();
    Error::new(
        ErrorKind::Usage,
        "unknown-provider",
        format!("no request body can be written for provider `{name}`"),
    )
    .hint(format!("choose one with --provider: {}", known.join(", ")))
}
