//! Kinds of prompt cache, by provider and model (`docs/prefix.md#kinds-of-cache`).
//!
//! A small table: the first row that fits counts. A fact that a vendor does not
//! publish is absent, and the note says so.

/// What ends an entry that a later request can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheKind {
    /// Marks alone; a mark of the reader looks back over a few positions.
    Breakpoints,
    /// Marks, and the newest message of its own accord; no looking back.
    ImplicitBreakpoints,
    /// Whatever is equal from the start is read.
    TokenPrefix,
    /// Units whose ends are up to the service; one is read whole or not at all.
    Endpoints,
}

/// The order in which the head of a prompt is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadOrder {
    /// Tools, then system text.
    ToolsFirst,
    /// Not published, or up to a template.
    Unknown,
}

/// How a prompt cache works.
#[derive(Debug, Clone, Copy)]
pub struct CacheFacts {
    /// What ends an entry.
    pub kind: CacheKind,
    /// What is rendered first.
    pub order: HeadOrder,
    /// Fewest tokens that are cached, where the provider says it for all models.
    pub least: Option<usize>,
    /// Tokens of a unit of reading.
    pub step: usize,
    /// Seconds after which nothing is left of an entry, where that is published.
    pub keeps: Option<u64>,
    /// What is not published, for the reader of a report.
    pub note: Option<&'static str>,
}

struct Row {
    provider: &'static str,
    fits: fn(&str) -> bool,
    facts: CacheFacts,
}

const fn facts(kind: CacheKind, order: HeadOrder) -> CacheFacts {
    CacheFacts {
        kind,
        order,
        least: None,
        step: 1,
        keeps: None,
        note: None,
    }
}

fn any(_: &str) -> bool {
    true
}

const MARKED: CacheFacts = facts(CacheKind::Breakpoints, HeadOrder::ToolsFirst);
const PREFIX: CacheFacts = facts(CacheKind::TokenPrefix, HeadOrder::ToolsFirst);
const TEMPLATE: CacheFacts = CacheFacts {
    note: Some(
        "the model's chat template decides where tools and system text stand: where \
         one of them changed, what is surely equal is counted",
    ),
    ..facts(CacheKind::TokenPrefix, HeadOrder::Unknown)
};
const GEMINI: CacheFacts = CacheFacts {
    least: Some(4096),
    note: Some(
        "implicit caching is not guaranteed, and neither its steps nor the order of \
         system text and tools are documented",
    ),
    ..facts(CacheKind::TokenPrefix, HeadOrder::Unknown)
};
const OPENAI: CacheFacts = CacheFacts {
    least: Some(1024),
    step: 128,
    keeps: Some(86_400),
    note: Some(
        "the cache works by itself, in steps of 128 tokens, surely from 2,048 tokens \
         on and never below 1,024; that tools come before system text is reported by \
         users, not documented",
    ),
    ..PREFIX
};
const OPENAI_MARKED: CacheFacts = CacheFacts {
    least: Some(1024),
    ..facts(CacheKind::ImplicitBreakpoints, HeadOrder::ToolsFirst)
};

/// <https://developers.openai.com/api/docs/guides/prompt-caching>,
/// <https://ai.google.dev/gemini-api/docs/caching>,
/// <https://inference-docs.cerebras.ai/capabilities/prompt-caching>,
/// <https://openrouter.ai/docs/features/prompt-caching>, and the sources of
/// llama.cpp's and Ollama's servers.
static ROWS: &[Row] = &[
    Row {
        provider: "anthropic",
        fits: any,
        facts: MARKED,
    },
    Row {
        provider: "openai",
        fits: has_breakpoints,
        facts: OPENAI_MARKED,
    },
    Row {
        provider: "openai",
        fits: any,
        facts: OPENAI,
    },
    Row {
        provider: "google",
        fits: |model| model.starts_with("gemini-2"),
        facts: CacheFacts {
            least: Some(2048),
            ..GEMINI
        },
    },
    Row {
        provider: "google",
        fits: any,
        facts: GEMINI,
    },
    Row {
        provider: "openrouter",
        fits: |model| model.starts_with("anthropic"),
        facts: CacheFacts {
            note: Some("the upstream's rules hold: those of the Messages API"),
            ..MARKED
        },
    },
    Row {
        provider: "openrouter",
        fits: |model| model.starts_with("google"),
        facts: CacheFacts {
            note: Some("the upstream's rules hold: those of Gemini"),
            ..GEMINI
        },
    },
    Row {
        provider: "openrouter",
        fits: |model| model.starts_with("openai/") && has_breakpoints(model),
        facts: CacheFacts {
            note: Some("the upstream's rules hold: those of OpenAI"),
            ..OPENAI_MARKED
        },
    },
    Row {
        provider: "openrouter",
        fits: |model| model.starts_with("openai/"),
        facts: CacheFacts {
            note: Some("the upstream's rules hold: those of OpenAI"),
            ..OPENAI
        },
    },
    Row {
        provider: "openrouter",
        fits: |model| model.contains("deepseek"),
        facts: CacheFacts {
            step: 128,
            note: Some(
                "DeepSeek matches whole cache units only; where they end is up to the \
                 service: judged as if every position could be read",
            ),
            ..facts(CacheKind::Endpoints, HeadOrder::ToolsFirst)
        },
    },
    Row {
        provider: "openrouter",
        fits: any,
        facts: CacheFacts {
            note: Some("the upstream's cache is taken to work by itself"),
            ..PREFIX
        },
    },
    Row {
        provider: "cerebras",
        fits: any,
        facts: CacheFacts {
            least: Some(128),
            step: 128,
            keeps: Some(3_600),
            note: Some("the cache works by itself, in blocks of 128 tokens"),
            ..facts(CacheKind::TokenPrefix, HeadOrder::Unknown)
        },
    },
    Row {
        provider: "bedrock",
        fits: any,
        facts: CacheFacts {
            note: Some(
                "what Converse caches ends at its `cachePoint` blocks, which are not \
                 looked at: judged as if every position could be read",
            ),
            ..PREFIX
        },
    },
];

impl CacheFacts {
    /// The cache of a provider's model.
    pub fn of(provider: &str, model: &str) -> Self {
        let mut rows = ROWS.iter();
        rows.find(|row| row.provider == provider && (row.fits)(model))
            .map_or(TEMPLATE, |row| row.facts)
    }

    /// Whether marks say what is cached.
    pub fn is_marked(&self) -> bool {
        matches!(
            self.kind,
            CacheKind::Breakpoints | CacheKind::ImplicitBreakpoints
        )
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
    use super::{CacheFacts, CacheKind, has_breakpoints};

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
            assert_eq!(has_breakpoints(model), expected, "{model}");
        }
    }

    #[test]
    fn each_provider_has_its_kind() {
        use CacheKind::{Breakpoints, Endpoints, ImplicitBreakpoints, TokenPrefix};
        for (provider, model, kind, least, step) in [
            ("anthropic", "claude-opus-5", Breakpoints, None, 1),
            ("openai", "gpt-5.5", TokenPrefix, Some(1024), 128),
            ("openai", "gpt-6", ImplicitBreakpoints, Some(1024), 1),
            ("google", "gemini-2.5-pro", TokenPrefix, Some(2048), 1),
            ("google", "gemini-3.5-flash", TokenPrefix, Some(4096), 1),
            (
                "openrouter",
                "anthropic/claude-opus-5",
                Breakpoints,
                None,
                1,
            ),
            (
                "openrouter",
                "openai/gpt-5.6",
                ImplicitBreakpoints,
                Some(1024),
                1,
            ),
            ("openrouter", "deepseek/deepseek-v4", Endpoints, None, 128),
            ("cerebras", "gpt-oss-120b", TokenPrefix, Some(128), 128),
            ("llamacpp", "m", TokenPrefix, None, 1),
            ("ollama", "m", TokenPrefix, None, 1),
        ] {
            let facts = CacheFacts::of(provider, model);
            let found = (facts.kind, facts.least, facts.step);
            assert_eq!(found, (kind, least, step), "{provider} {model}");
        }
    }
}
