//! A thread written as one request body.
//!
//! Each provider is one file (or folder) with two things: [`Rules`], the few
//! facts about it that a thread depends on, and a `write` that puts a [`Request`]
//! into bytes in a fixed key order (`spec/providers.md`). [`rules`] and [`write`]
//! dispatch on the provider. What providers share is beside them: [`details`] of
//! models, [`effort`], and the transport in [`request`].

pub mod anthropic;
pub mod details;
pub mod effort;
pub mod flatten;
pub mod request;

mod choose;

pub use details::{Details, ReasoningSupport};
pub use effort::Resolved;
pub use flatten::{Format, Options, Requests, flatten};
pub use request::{Request, Transport};

pub use crate::body::Provider;

use crate::block::Decoder;
use crate::config::Mode;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::thread::Rules;

/// The rules of a provider.
///
/// # Errors
///
/// A provider that no body can be written for yet.
pub fn rules(provider: Provider, mode: Mode) -> Result<Rules, Error> {
    match provider {
        Provider::Anthropic => Ok(anthropic::rules(mode)),
        other => Err(unsupported(other.name())),
    }
}

/// Appends the body of `request`, without a line break at its end.
///
/// # Errors
///
/// A provider that no body can be written for yet.
pub fn write(
    out: &mut Vec<u8>,
    request: &Request<'_, '_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) -> Result<Transport, Error> {
    match request.rules.provider {
        Provider::Anthropic => Ok(anthropic::write(out, request, decoder, told)),
        other => Err(unsupported(other.name())),
    }
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
