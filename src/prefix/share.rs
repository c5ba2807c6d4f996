//! A report without a word of the conversation (`--hashes-only`).
//!
//! Values and keys become digests: HMAC-SHA-256 under a [`Salt`], cut to 64 bits.
//! Two reports under one salt can be laid side by side; without the salt a short
//! text cannot be looked up. Of a path only what the API itself defines is left:
//! behind the first key that is the caller's own, and inside what the API passes
//! through (arguments, schemas), every step is a digest, numbers too.

use super::report::Report;
use crate::finding::Finding;

/// The key that digests are made under.
#[derive(Clone)]
pub struct Salt(Vec<u8>);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

impl Salt {
    /// Takes a key: a text that was agreed upon, or bytes nobody can guess.
    pub fn new(key: impl Into<Vec<u8>>) -> Self {
        Self(key.into())
    }

    /// The digest of some bytes.
    pub(super) fn digest(&self, bytes: &[u8]) -> u64 {
        let whole = hmac_sha256::HMAC::mac(bytes, &self.0);
        let head = whole.first_chunk().copied();
        head.map_or(0, u64::from_be_bytes)
    }

    /// A key or name as its digest.
    fn name(&self, name: &str) -> String {
        format!("#{:016x}", self.digest(name.as_bytes()))
    }
}

/// Keys that bodies of the providers define themselves.
const KEYS: &[&str] = &[
    "tools",
    "system",
    "messages",
    "input",
    "contents",
    "content",
    "parts",
    "text",
    "type",
    "role",
    "name",
    "description",
    "input_schema",
    "parameters",
    "properties",
    "required",
    "function",
    "functionDeclarations",
    "arguments",
    "args",
    "id",
    "tool_use_id",
    "tool",
    "definition",
    "thinking",
    "signature",
    "data",
    "source",
    "media_type",
    "url",
    "tool_calls",
    "tool_call_id",
    "is_error",
    "cache_control",
    "ttl",
    "clear_at",
    "output_config",
    "effort",
    "format",
    "instructions",
    "systemInstruction",
    "functionCall",
    "functionResponse",
    "response",
    "call_id",
    "output",
    "summary",
    "encrypted_content",
    "image_url",
    "inlineData",
    "mimeType",
    "model",
    "tool_choice",
    "thought",
    "thoughtSignature",
    "reasoning",
    "reasoning_content",
    "generationConfig",
    "toolConfig",
    "thinkingConfig",
    "enum",
    "items",
    "additionalProperties",
    "strict",
    "display",
    "budget_tokens",
    "speed",
    "context_management",
    "mcp_servers",
    "citations",
    "defer_loading",
    "title",
    "images",
    "options",
    "num_ctx",
    "response_format",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "cachedContent",
    "messages_to_keep",
    "toolUse",
    "toolResult",
    "cachePoint",
    "inferenceConfig",
    "max_tokens",
    "stream",
    "temperature",
    "tools_choice",
    "provider",
    "verbosity",
    "service_tier",
    "parallel_tool_calls",
    "previous_response_id",
    "parametersJsonSchema",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "default",
    "tool_name",
    "server_name",
    "mcp_server_name",
];

/// Keys whose value is the caller's own: all behind them is hidden.
const OWN: &[&str] = &[
    "input",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "properties",
    "arguments",
    "args",
    "response",
    "schema",
    "responseSchema",
    "responseJsonSchema",
    "metadata",
    "chat_template_kwargs",
    "options",
    "output_format",
    "response_format",
];

/// Lists of the API: what stands behind them is a place, not a key.
const LISTS: &[&str] = &[
    "tools",
    "system",
    "messages",
    "input",
    "contents",
    "content",
    "parts",
    "output",
    "summary",
    "tool_calls",
    "functionDeclarations",
    "mcp_servers",
    "images",
    "citations",
    "instructions",
    "tool_references",
];

/// A path with every step hidden that the API does not define.
pub fn path(path: &str, salt: &Salt) -> String {
    let mut inside = false;
    let mut last = "";
    let steps = path.split('/').enumerate().map(|(at, step)| {
        let index = step.bytes().all(|byte| byte.is_ascii_digit()) && step.len() < 8;
        let known = match () {
            () if at == 0 => true,
            () if inside => false,
            () if index && !step.is_empty() => LISTS.contains(&last),
            () => KEYS.contains(&step),
        };
        // The items of one API, and the arguments of a call in another.
        let own = OWN.contains(&step) && (step != "input" || at > 1);
        inside |= !known || own;
        last = step;
        match known {
            true => step.to_owned(),
            false => salt.name(step),
        }
    });
    steps.collect::<Vec<_>>().join("/")
}

/// Takes all text of the bodies out of a report.
pub fn hide(report: &mut Report, salt: &Salt) {
    if !report.known_model {
        let model = report.model.take();
        report.model = model.map(|name| salt.name(&name));
    }
    for one in &mut report.divergences {
        one.path = path(&one.path, salt);
        let [a, b] = one.hashes.map(|hash| {
            hash.map_or_else(|| "none".to_owned(), |hash| format!("{hash:016x}"))
        });
        one.detail = format!("digests {a} and {b}");
        one.sample.a.clear();
        one.sample.b.clear();
    }
    for one in &mut report.findings {
        finding(one, salt);
    }
    if let Some(reusable) = &mut report.reusable {
        reusable.breakpoint = path(&reusable.breakpoint, salt);
    }
    for block in &mut report.binding.blocks {
        block.path = path(&block.path, salt);
        block.cause = block.cause.as_deref().map(|one| path(one, salt));
    }
    let first = report.binding.first.as_deref();
    report.binding.first = first.map(|one| path(one, salt));
    report.binding.hint = None;
}

/// Leaves of a finding what its rule says, and the place.
fn finding(one: &mut Finding, salt: &Salt) {
    one.path = path(&one.path, salt);
    one.message = one.plain().to_owned();
    for related in &mut one.related {
        related.path = path(&related.path, salt);
    }
    // The hints of a comparison name places of the API; others may quote.
    if one.rule.family != "prefix" && !one.hint.is_empty() {
        one.rule.mend.clone_into(&mut one.hint);
    }
}

#[cfg(test)]
mod tests {
    use super::{Salt, path};

    #[test]
    fn only_what_the_api_defines_is_left_of_a_path() {
        let salt = Salt::new("s");
        for plain in [
            "",
            "/messages/0/content/1/text",
            "/input/3/arguments",
            "/input/3/output/0/text",
            "/tools/2/function/name",
            "/contents/0/parts/1/functionCall/args",
        ] {
            assert_eq!(path(plain, &salt), plain);
        }
        for (whole, kept) in [
            ("/messages/0/content/1/input/password", 6),
            // A word of the API is a word of the caller's there.
            ("/messages/0/content/1/input/name/0", 6),
            ("/messages/0/content/1/input/4111111111111111", 6),
            ("/messages/0/41111", 3),
            ("/tools/0/input_schema/properties/title/type", 4),
            ("/secret/text", 1),
        ] {
            let hidden = path(whole, &salt);
            let steps = whole.split('/').zip(hidden.split('/'));
            let same = steps.take_while(|(one, other)| one == other).count();
            assert_eq!(same, kept, "{hidden}");
            assert!(hidden.split('/').skip(kept).all(|one| one.starts_with('#')));
        }
        let other = Salt::new("t");
        assert_ne!(path("/secret", &salt), path("/secret", &other));
        assert_eq!(path("/secret", &salt), path("/secret", &Salt::new("s")));
    }
}
