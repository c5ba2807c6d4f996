//! What a request says beside its input: reasoning, sampling, caching.

use crate::config::{Effort, Mode, Reasoning};
use crate::error::Diagnostic;
use crate::json::{Raw, Text, write};
use crate::model::openai::family_of;
use crate::model::{Model, ReasoningSupport};
use crate::provider::Resolved;
use crate::provider::content::{count, float};
use crate::provider::request::Request;

/// All of it.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    /// `reasoning.effort`, if the field is sent.
    effort: Option<&'static str>,
    is_pro: bool,
    keeps_reasoning: bool,
    /// Ask for reasoning in a form that can be sent again.
    pub(super) includes_reasoning: bool,
    pub(super) max_output_tokens: Option<u64>,
    pub(super) temperature: Option<f32>,
    pub(super) top_p: Option<f32>,
    pub(super) verbosity: Option<Text<'a>>,
    /// The prompt cache goes by marks.
    pub(super) caches_by_marks: bool,
    pub(super) streams: bool,
}

impl<'a> Settings<'a> {
    pub(super) fn of(request: &Request<'_, 'a>, told: &mut Vec<Diagnostic>) -> Self {
        let details = request.model;
        let parameters = request.thread.config.parameters();
        let text = |key| parameters.get(key).and_then(Raw::as_text);
        let resolved = Resolved::of(parameters.reasoning(), details);
        let max_output_tokens = count(request, "max_tokens");
        let max = max_output_tokens.or(details.max_output_tokens);
        let effort = match resolved.effort() {
            Some(effort) => Some(level(effort.relative(max), details)),
            None => least(parameters.reasoning(), details),
        };
        let effort = match request.rules.mode {
            Mode::Convo => effort.map(|effort| taken(effort, &details.id, told)),
            Mode::Jp => effort,
        };
        let reasons = resolved.effort().is_some();
        let is_pro = text("reasoning_mode").is_some_and(|mode| mode.is("pro"));
        let mut settings = Self {
            effort,
            is_pro: reasons && is_pro && details.has("reasoning_pro_mode"),
            keeps_reasoning: reasons && details.has("persisted_reasoning"),
            includes_reasoning: reasons,
            max_output_tokens,
            temperature: float(request, "temperature"),
            top_p: float(request, "top_p"),
            verbosity: text("verbosity"),
            caches_by_marks: details.has("explicit_prompt_caching"),
            streams: !details.has("non_streaming"),
        };
        let flagged = details.has("temp_requires_no_reasoning")
            || details.reasoning == ReasoningSupport::Unknown;
        let refuses = flagged && effort.is_some_and(|effort| effort != "none");
        let sampling = [settings.temperature, settings.top_p];
        if refuses && sampling.iter().any(Option::is_some) {
            (settings.temperature, settings.top_p) = (None, None);
            if request.rules.mode == Mode::Convo {
                told.push(Diagnostic::warning(
                    "sampling-left-out",
                    format!(
                        "temperature and top_p are left out: model `{}` takes neither \
                         while it reasons",
                        details.id
                    ),
                ));
            }
        }
        settings
    }

    pub(super) fn write_reasoning(&self, out: &mut Vec<u8>) {
        write::key(out, "reasoning");
        let Some(effort) = self.effort else {
            out.extend_from_slice(b"null");
            return;
        };
        out.extend_from_slice(b"{\"effort\":");
        write::string(out, effort);
        out.extend_from_slice(b",\"summary\":\"auto\"");
        if self.is_pro {
            out.extend_from_slice(b",\"mode\":\"pro\"");
        }
        if self.keeps_reasoning {
            out.extend_from_slice(b",\"context\":\"all_turns\"");
        }
        out.push(b'}');
    }
}

fn level(effort: Effort, details: &Model) -> &'static str {
    let has_max = match &details.reasoning {
        ReasoningSupport::Leveled(levels) | ReasoningSupport::Adaptive(levels) => {
            levels.iter().any(|level| level == "max")
        }
        _ => false,
    };
    match effort {
        Effort::None => "none",
        Effort::XLow => "minimal",
        Effort::Low => "low",
        Effort::Auto | Effort::Absolute(_) | Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Max if has_max => "max",
        Effort::XHigh | Effort::Max => "xhigh",
    }
}

/// The effort, or the nearest one that the model's family takes.
fn taken(
    effort: &'static str,
    model: &str,
    told: &mut Vec<Diagnostic>,
) -> &'static str {
    const ORDER: [&str; 7] =
        ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
    let Some(family) = family_of(model) else {
        return effort;
    };
    if family.efforts.is_empty() || family.efforts.contains(&effort) {
        return effort;
    }
    let rank = |name: &str| ORDER.iter().position(|one| *one == name).unwrap_or(0);
    let wanted = rank(effort);
    // Less than asked for rather than more; what thinks is not switched off.
    let below = |one: &&&'static str| rank(one) <= wanted && rank(one) > 0;
    let nearest = family
        .efforts
        .iter()
        .filter(below)
        .max_by_key(|one| rank(one));
    let found = nearest
        .or(family.efforts.first())
        .copied()
        .unwrap_or(effort);
    told.push(Diagnostic::warning(
        "effort-changed",
        format!(
            "effort `{effort}` became `{found}`: model `{model}` takes {}",
            family.efforts.join(", ")
        ),
    ));
    found
}

/// What is sent where no reasoning is wanted: the least the model can do.
fn least(configured: Option<Reasoning>, details: &Model) -> Option<&'static str> {
    match &details.reasoning {
        ReasoningSupport::Unsupported => None,
        ReasoningSupport::Unknown => {
            (configured == Some(Reasoning::Off)).then_some("none")
        }
        ReasoningSupport::Budgeted { .. } => Some("minimal"),
        _ if details.can_disable => Some("none"),
        ReasoningSupport::Leveled(levels) => {
            let order = [
                ("xlow", "minimal"),
                ("low", "low"),
                ("medium", "medium"),
                ("high", "high"),
                ("xhigh", "xhigh"),
                ("max", "max"),
            ];
            let has = |name: &str| levels.iter().any(|level| level == name);
            let found = order.iter().find(|(name, _)| has(name));
            Some(found.map_or("minimal", |(_, sent)| sent))
        }
        ReasoningSupport::Adaptive(_) => Some("low"),
    }
}
