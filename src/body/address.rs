//! Whose API an address is, from the hosts and paths that vendors publish
//! (`docs/bodies.md`).

use super::{Headers, Provider};

/// The provider that a request's address or headers name, if they do.
///
/// A path that several vendors share, as `/v1/chat/completions`, names none.
pub(super) fn provider(
    target: Option<&str>,
    headers: Option<&Headers>,
) -> Option<Provider> {
    let target = target.unwrap_or_default();
    let (host, path) = match target.split_once("://") {
        Some((_, rest)) => match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        },
        None => ("", target),
    };
    let host = if host.is_empty() {
        headers
            .and_then(|all| all.all("host").next())
            .unwrap_or_default()
    } else {
        host
    };
    let host = host.to_ascii_lowercase();
    let path = path.split('?').next().unwrap_or_default();
    of_host(&host, path)
        .or_else(|| of_path(path))
        .or_else(|| of_headers(headers?))
}

fn of_host(host: &str, path: &str) -> Option<Provider> {
    let name = host.split(':').next().unwrap_or_default();
    let within = |domain: &str| name == domain || name.ends_with(&format!(".{domain}"));
    Some(match () {
        () if within("anthropic.com") => Provider::Anthropic,
        () if within("openai.com") || within("openai.azure.com") => Provider::OpenAi,
        // Its Messages endpoint takes the bodies of that API.
        () if within("openrouter.ai") && path.ends_with("/messages") => {
            Provider::Anthropic
        }
        () if within("openrouter.ai") => Provider::OpenRouter,
        () if within("cerebras.ai") => Provider::Cerebras,
        () if within("googleapis.com") && path.contains("/publishers/anthropic/") => {
            Provider::Anthropic
        }
        () if within("generativelanguage.googleapis.com")
            || name.ends_with("aiplatform.googleapis.com") =>
        {
            Provider::Google
        }
        () if name.starts_with("bedrock-runtime") && path.contains("/converse") => {
            Provider::Bedrock
        }
        () if host.ends_with(":11434") && path.starts_with("/api/") => Provider::Ollama,
        () => return None,
    })
}

fn of_path(path: &str) -> Option<Provider> {
    let method = path.rsplit_once(':').map_or("", |(_, method)| method);
    Some(match () {
        () if path.ends_with("/v1/messages") => Provider::Anthropic,
        () if matches!(method, "generateContent" | "streamGenerateContent") => {
            Provider::Google
        }
        () if path.ends_with("/api/chat") => Provider::Ollama,
        () => return None,
    })
}

fn of_headers(headers: &Headers) -> Option<Provider> {
    let has = |name| headers.all(name).next().is_some();
    Some(match () {
        () if has("anthropic-version") || has("anthropic-beta") => Provider::Anthropic,
        () if has("x-goog-api-key") => Provider::Google,
        () if has("openai-organization") || has("openai-project") => Provider::OpenAi,
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Raw;

    #[test]
    fn hosts_and_paths_name_the_provider() {
        for (target, expected) in [
            (
                "https://api.openai.com/v1/chat/completions",
                Some(Provider::OpenAi),
            ),
            (
                "https://me.openai.azure.com/openai/v1/responses",
                Some(Provider::OpenAi),
            ),
            (
                "https://openrouter.ai/api/v1/chat/completions",
                Some(Provider::OpenRouter),
            ),
            (
                "https://api.anthropic.com/v1/messages",
                Some(Provider::Anthropic),
            ),
            ("/v1/messages?beta=true", Some(Provider::Anthropic)),
            (
                "https://x-aiplatform.googleapis.com/v1/publishers/anthropic/models/m:rawPredict",
                Some(Provider::Anthropic),
            ),
            (
                "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent?key=k",
                Some(Provider::Google),
            ),
            ("http://localhost:11434/api/chat", Some(Provider::Ollama)),
            (
                "https://api.cerebras.ai/v1/chat/completions",
                Some(Provider::Cerebras),
            ),
            (
                "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse",
                Some(Provider::Bedrock),
            ),
            ("http://localhost:8080/v1/chat/completions", None),
            ("https://notopenai.com/v1/chat/completions", None),
            ("/v1/chat/completions", None),
            ("", None),
        ] {
            assert_eq!(provider(Some(target), None), expected, "{target}");
        }
        let text = br#"{"Host":"api.openai.com"}"#;
        let headers = Headers::read(Raw::checked(text));
        let found = provider(Some("/v1/chat/completions"), headers.as_ref());
        assert_eq!(found, Some(Provider::OpenAi));
    }
}
