//! `generationConfig`.

use super::schema;
use crate::config::{Effort, Reasoning};
use crate::error::Error;
use crate::json::write;
use crate::model::{Model, ReasoningSupport};
use crate::provider::Resolved;
use crate::provider::content::{count, float, whole, wide};
use crate::provider::request::Request;

/// The share of an unknown maximum is a share of this.
const MAX_TOKENS: u64 = 32_000;

/// Levels by name, the least first, with what is sent.
const LEVELS: [(&str, &str); 4] = [
    ("xlow", "MINIMAL"),
    ("low", "LOW"),
    ("medium", "MEDIUM"),
    ("high", "HIGH"),
];

/// `thinkingConfig`, whose three keys are always written.
struct Thinking {
    included: bool,
    budget: Option<u64>,
    level: Option<&'static str>,
}

pub(super) fn write(out: &mut Vec<u8>, request: &Request<'_, '_>) -> Result<(), Error> {
    write::key(out, "generationConfig");
    out.push(b'{');
    if let Some(schema) = request.thread.schema {
        out.extend_from_slice(b"\"responseMimeType\":\"application/json\"");
        write::key(out, "_responseJsonSchema");
        schema::write(out, schema, request.rules.mode)?;
    }
    let configured = count(request, "max_tokens");
    let max_tokens = configured.or(request.model.max_output_tokens);
    whole(out, "maxOutputTokens", max_tokens);
    wide(out, "temperature", float(request, "temperature"));
    wide(out, "topP", float(request, "top_p"));
    whole(out, "topK", count(request, "top_k"));
    let reasoning = request.thread.config.parameters().reasoning();
    if let Some(thinking) = thinking(reasoning, request.model, max_tokens) {
        write::key(out, "thinkingConfig");
        out.extend_from_slice(match thinking.included {
            true => b"{\"includeThoughts\":true,\"thinkingBudget\":".as_slice(),
            false => b"{\"includeThoughts\":false,\"thinkingBudget\":",
        });
        match thinking.budget {
            Some(budget) => write::integer(out, budget),
            None => out.extend_from_slice(b"null"),
        }
        write::key(out, "thinkingLevel");
        match thinking.level {
            Some(level) => write::string(out, level),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
    }
    out.push(b'}');
    Ok(())
}

fn thinking(
    configured: Option<Reasoning>,
    details: &Model,
    max_tokens: Option<u64>,
) -> Option<Thinking> {
    let resolved = Resolved::of(configured, details);
    let Some(effort) = resolved.effort() else {
        let level = details.reasoning.least();
        let (budget, level) = match &details.reasoning {
            ReasoningSupport::Unsupported => return None,
            ReasoningSupport::Unknown if configured != Some(Reasoning::Off) => {
                return None;
            }
            ReasoningSupport::Unknown => (Some(0), None),
            ReasoningSupport::Budgeted { min, .. } => (Some(*min), None),
            _ if details.can_disable => (Some(0), None),
            _ => (None, Some(level)),
        };
        return Some(Thinking {
            included: false,
            budget,
            level,
        });
    };
    if let ReasoningSupport::Budgeted { min, max } = details.reasoning {
        let share = effort.tokens(max_tokens.unwrap_or(MAX_TOKENS));
        let share = max.map_or(share, |max| share.min(max)).max(min);
        return Some(Thinking {
            included: true,
            budget: Some(share),
            level: None,
        });
    }
    // How much is left to a model of which nothing is known.
    if effort == Effort::Auto && details.reasoning == ReasoningSupport::Unknown {
        return Some(Thinking {
            included: true,
            budget: None,
            level: None,
        });
    }
    let name = match effort.relative(max_tokens) {
        Effort::None => "xlow",
        level => level.name(),
    };
    let known = LEVELS.iter().find(|(level, _)| *level == name);
    let has = match &details.reasoning {
        ReasoningSupport::Leveled(levels) => levels.iter().any(|level| *level == name),
        _ => true,
    };
    Some(Thinking {
        included: true,
        budget: None,
        level: Some(known.filter(|_| has).map_or("HIGH", |(_, sent)| sent)),
    })
}

impl ReasoningSupport {
    /// The lowest level there is.
    fn least(&self) -> &'static str {
        let ReasoningSupport::Leveled(levels) = self else {
            return "LOW";
        };
        let has = |name: &str| levels.iter().any(|level| level == name);
        let least = LEVELS.iter().find(|(name, _)| has(name));
        least.map_or("HIGH", |(_, sent)| sent)
    }
}
