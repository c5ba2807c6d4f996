//! A thread written as one request body.
//!
//! Each provider is one file (or folder) with two things: [`Rules`], the few
//! facts about it that a thread depends on, and a `write` that puts a [`Request`]
//! into bytes in a fixed key order (`docs/bodies.md`). [`rules`] and `write`
//! dispatch on the provider. What providers share is beside them: the facts of
//! [`crate::model`], [`effort`], and the transport in [`request`].

pub mod anthropic;
pub mod cerebras;
mod definitions;
pub mod effort;
pub mod flatten;
pub mod google;
pub mod llamacpp;
pub(crate) mod notes;
pub mod ollama;
pub mod openai;
pub mod openrouter;
pub mod options;
mod parameters;
mod pictures;
pub mod place;
mod preview;
pub mod request;

mod attach;
mod chat;
mod choose;
mod content;
mod forced;
mod items;
mod schema;
mod source;

pub use definitions::definitions;
pub use effort::Resolved;
pub use flatten::{each_body, flatten, place_directives};
pub use options::{Binding, Format, Options, PlaceOptions, Requests};
pub use preview::{Change, Cost, preview};
pub use request::{Request, Transport};

pub use crate::body::Provider;

use crate::block::Decoder;
use crate::config::Mode;
use crate::error::{Diagnostic, Error};
use crate::thread::Rules;

/// The rules of a provider.
pub fn rules(provider: Provider, mode: Mode) -> Rules {
    match provider {
        // Converse is read, not written: nothing asks for it by this name.
        Provider::Anthropic | Provider::Bedrock => anthropic::rules(mode),
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
        Provider::Anthropic | Provider::Bedrock => {
            anthropic::write(out, request, decoder, told)
        }
        Provider::OpenAi => openai::write(out, request, decoder, told)?,
        Provider::Google => google::write(out, request, decoder, told)?,
        Provider::OpenRouter => openrouter::write(out, request, decoder, told),
        Provider::Ollama => ollama::write(out, request, decoder, told),
        Provider::LlamaCpp => llamacpp::write(out, request, decoder, told),
        Provider::Cerebras => cerebras::write(out, request, decoder, told),
    })
}
