//! How a provider's cache works, as far as it is published
//! (`docs/prefix.md#kinds-of-cache`).

use crate::body::{Body, Provider};

/// The order in which the head of a prompt is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Tools, then system.
    ToolsFirst,
    /// Not published, or up to a template: a change anywhere costs all of it.
    OneHead,
}

/// What ends an entry that a later request can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entries {
    /// Markers alone; a reader looks back over a few positions.
    Marked,
    /// Markers, and the newest message of its own accord; no looking back.
    Implicit,
    /// Markers alone; no looking back.
    Explicit,
    /// Any position, by itself.
    Anywhere,
}

/// What the cache of a request goes by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    pub(crate) order: Order,
    pub(crate) entries: Entries,
    /// Whether the rules of the Messages API hold.
    pub(crate) anthropic: bool,
    /// What is not published, for the reader of the report.
    pub(crate) note: Option<&'static str>,
}

const TEMPLATE: &str = "the model's chat template decides where tools and system \
    text stand: a change in either is taken to cost both";

impl Policy {
    pub(crate) fn of(body: &Body<'_>, model: Option<&str>) -> Self {
        use Entries::{Anywhere, Explicit, Implicit, Marked};
        use Order::{OneHead, ToolsFirst};
        let model = model.unwrap_or_default();
        let of = |order, entries, note| Policy {
            order,
            entries,
            anthropic: false,
            note,
        };
        match body.provider {
            Provider::Anthropic => Policy {
                anthropic: true,
                ..of(ToolsFirst, Marked, None)
            },
            Provider::OpenAi if has_breakpoints(model) => {
                let mode = body.get("prompt_cache_options");
                let mode = mode.and_then(|options| options.get("mode"));
                let mode = mode.and_then(crate::json::Raw::as_str);
                let entries = match mode.as_deref() {
                    Some("explicit") => Explicit,
                    _ => Implicit,
                };
                of(ToolsFirst, entries, None)
            }
            Provider::OpenAi => of(
                ToolsFirst,
                Anywhere,
                Some(
                    "the cache works by itself, in units of 128 tokens beyond the \
                     first 1024; that tools come before system text is reported by \
                     users, not documented",
                ),
            ),
            Provider::Google => of(
                OneHead,
                Anywhere,
                Some(
                    "implicit caching is not guaranteed, and the order of system \
                     text and tools is not documented: a change in either is taken \
                     to cost everything",
                ),
            ),
            Provider::OpenRouter if model.starts_with("anthropic") => of(
                ToolsFirst,
                Marked,
                Some("the upstream's rules hold: those of the Messages API"),
            ),
            Provider::OpenRouter if model.starts_with("google") => of(
                OneHead,
                Anywhere,
                Some("the upstream's rules hold: those of Gemini"),
            ),
            Provider::OpenRouter if model.contains("deepseek") => of(
                ToolsFirst,
                Anywhere,
                Some(
                    "DeepSeek matches whole cache units only; where they end is up \
                     to the service",
                ),
            ),
            Provider::OpenRouter => of(
                ToolsFirst,
                Anywhere,
                Some("the upstream's cache is taken to work by itself"),
            ),
            Provider::Cerebras => of(
                OneHead,
                Anywhere,
                Some("the cache works by itself, in blocks of 100 to 600 tokens"),
            ),
            Provider::Bedrock => of(
                ToolsFirst,
                Anywhere,
                Some(
                    "what Converse caches ends at its `cachePoint` blocks, which are \
                     not looked at: judged as if every position could be read",
                ),
            ),
            Provider::Ollama | Provider::LlamaCpp => {
                of(OneHead, Anywhere, Some(TEMPLATE))
            }
        }
    }

    /// Whether markers say what is cached.
    pub(crate) fn marked(&self) -> bool {
        self.entries != Entries::Anywhere
    }
}

/// Whether an OpenAI model caches at breakpoints: GPT-5.6 and later.
fn has_breakpoints(model: &str) -> bool {
    let Some(version) = model
        .rsplit('/')
        .next()
        .and_then(|m| m.strip_prefix("gpt-"))
    else {
        return false;
    };
    let number = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        text[..digits].parse::<u32>().ok()
    };
    let major = number(version).unwrap_or(0);
    let minor = version.split_once('.').and_then(|(_, rest)| number(rest));
    major > 5 || major == 5 && minor.unwrap_or(0) >= 6
}

#[cfg(test)]
mod tests {
    #[test]
    fn models_with_breakpoints_are_known_by_their_number() {
        for (model, expected) in [
            ("gpt-5.6", true),
            ("gpt-5.6-pro", true),
            ("openai/gpt-6", true),
            ("gpt-5.5", false),
            ("gpt-5", false),
            ("gpt-4o", false),
            ("o4-mini", false),
            ("", false),
        ] {
            assert_eq!(super::has_breakpoints(model), expected, "{model}");
        }
    }
}
