//! Parameters of the model that a provider does not know: left out, and told
//! (`docs/bodies.md#parameters`).

use super::Provider;
use crate::config::ModelParameters;
use crate::error::Diagnostic;
use crate::json::Kind;
use crate::term::quoted;

/// The beta that brings `context_management` along.
const CONTEXT_EDITING: &str = "context-editing-2025-06-27";

/// Tells of each parameter that says something and does not reach the body.
pub(super) fn tell_unknown(
    provider: Provider,
    parameters: &ModelParameters<'_>,
    has_beta: impl Fn(&str) -> bool,
    told: &mut Vec<Diagnostic>,
) {
    for (name, value) in parameters.all() {
        let empty = match value.kind() {
            Kind::Array => value.as_array().is_some_and(|mut all| all.next().is_none()),
            Kind::String => value.as_text().is_some_and(|text| text.is("")),
            _ => value.is_null(),
        };
        if empty {
            continue;
        }
        let (why, hint) = match takes(provider, name) {
            false => (format!("{} does not know it", provider.name()), None),
            true if name == "context_management" && !has_beta(CONTEXT_EDITING) => (
                "no beta is in force that opens it".to_owned(),
                Some(format!("add --beta {CONTEXT_EDITING}")),
            ),
            true => continue,
        };
        let mut warning = Diagnostic::warning(
            "parameter-left-out",
            format!("parameter {} is left out: {why}", quoted(name)),
        );
        warning.hint = hint;
        told.push(warning);
    }
}

/// Whether the provider's writer has a place for a parameter.
fn takes(provider: Provider, name: &str) -> bool {
    use Provider::{Anthropic, Google, Ollama, OpenAi, OpenRouter};
    match name {
        "max_tokens" => !matches!(provider, OpenRouter | Ollama),
        "temperature" | "top_p" => provider != OpenRouter,
        "top_k" => matches!(provider, Anthropic | Google | Ollama),
        "context_management" => provider == Anthropic,
        "verbosity" | "reasoning_mode" => provider == OpenAi,
        "context_window" | "keep_alive" => provider == Ollama,
        _ => false,
    }
}
