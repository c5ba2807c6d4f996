//! A report without a word of the conversation (`--hashes-only`).
//!
//! Texts become digests, which are the same on every machine, so that two reports
//! can be laid side by side. Keys that the API does not define become digests in
//! paths too. A short text can be guessed from its digest.

use super::report::Report;
use crate::prefix::values::digest::fnv;

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

/// A path with every key hidden that the API does not define.
pub fn path(path: &str) -> String {
    let steps = path.split('/').enumerate().map(|(at, step)| {
        let plain =
            at == 0 || KEYS.contains(&step) || step.bytes().all(|b| b.is_ascii_digit());
        match plain {
            true => step.to_owned(),
            false => format!("#{:08x}", fnv(step.as_bytes()) as u32),
        }
    });
    steps.collect::<Vec<_>>().join("/")
}

/// Takes all text of the bodies out of a report.
pub fn hide(report: &mut Report) {
    if !report.known_model {
        let hide = |name: String| format!("#{:08x}", fnv(name.as_bytes()) as u32);
        report.model = report.model.take().map(hide);
    }
    for one in &mut report.divergences {
        one.path = path(&one.path);
        let [a, b] = one.hashes.map(|hash| {
            hash.map_or_else(|| "none".to_owned(), |hash| format!("{hash:016x}"))
        });
        one.detail = format!("digests {a} and {b}");
        one.sample.a.clear();
        one.sample.b.clear();
    }
    for one in &mut report.findings {
        one.path = path(&one.path);
        one.message = one.plain().to_owned();
    }
    if let Some(reusable) = &mut report.reusable {
        reusable.breakpoint = path(&reusable.breakpoint);
    }
    for block in &mut report.binding.blocks {
        block.path = path(&block.path);
        block.cause = block.cause.as_deref().map(path);
    }
    report.binding.first = report.binding.first.as_deref().map(path);
    report.binding.hint = None;
}

#[cfg(test)]
mod tests {
    #[test]
    fn own_keys_are_hidden_and_the_apis_are_not() {
        assert_eq!(
            super::path("/messages/0/content/1/text"),
            "/messages/0/content/1/text"
        );
        let hidden = super::path("/messages/0/content/1/input/password");
        assert!(
            hidden.starts_with("/messages/0/content/1/input/#"),
            "{hidden}"
        );
        assert_eq!(super::path(""), "");
    }
}
