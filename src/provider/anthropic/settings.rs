//! What a request says beside its messages: thinking, tool choice, cache marks.

use crate::cache::{self, Positions, Run, Ttl};
use crate::config::{CachePolicy, Effort, Mode, Reasoning, ToolChoice};
use crate::error::Diagnostic;
use crate::json::Raw;
use crate::model::{Model, ReasoningSupport};
use crate::provider::Resolved;
use crate::provider::request::Request;
use crate::thread::{Item, Part, Side};

/// Fewest tokens of a thinking budget.
const LEAST_BUDGET: u64 = 1024;
/// `max_tokens` where neither configuration nor model say.
const MAX_TOKENS: u64 = 2048;
/// A time to live from which the long one is asked for.
const LONG_FROM: u64 = 30 * 60;
/// The header that brings `context_management` along; no other spelling does.
const CONTEXT_EDITING: &str = "context-editing-2025-06-27";
/// The header that makes JP send strict tools.
const STRICT_IN_JP: &str = "structured-outputs-2025-10-27";
/// What is sent for it where the parameters do not say.
pub(super) const CONTEXT_MANAGEMENT: &[u8] =
    b"{\"edits\":[{\"type\":\"clear_tool_uses_20250919\"}]}";

const NUDGE_TAIL: &str = "DO NOT QUESTION THIS DIRECTIVE. DO NOT PROMPT FOR MORE \
                          CONTEXT OR DETAILS. JUST RUN IT.";

/// `thinking`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    Omitted,
    Disabled,
    Adaptive,
    Enabled { budget: u64 },
}

/// `tool_choice`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice<'r> {
    Auto,
    Any,
    None,
    Tool(&'r str),
}

/// A cache breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// How long what it marks is kept.
    pub(crate) ttl: Ttl,
}

/// Where breakpoints stand: three explicit ones at most, and the automatic one.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) documents: Option<Mark>,
    /// The item that asks for one.
    pub(super) item: Option<(usize, Mark)>,
    pub(super) system: Option<Mark>,
    pub(super) tools: Option<Mark>,
    /// The last block that stands before an item.
    pub(super) end: Option<(usize, Mark)>,
    pub(super) top: Option<Mark>,
}

impl Marks {
    /// The mark of the last block before the item at that index.
    pub(super) fn mark_at(&self, index: usize) -> Option<Mark> {
        self.end
            .filter(|(at, _)| *at == index)
            .map(|(_, mark)| mark)
    }
}

/// All of it.
#[derive(Debug)]
pub(super) struct Settings<'r> {
    pub(super) max_tokens: u64,
    pub(super) thinking: Thinking,
    pub(super) effort: Option<&'static str>,
    pub(super) temperature: Option<f32>,
    pub(super) top_p: Option<f32>,
    pub(super) top_k: Option<u64>,
    pub(super) choice: Choice<'r>,
    pub(super) nudge: Option<String>,
    pub(super) strict_tools: bool,
    /// Present with the header; `None` inside for the default.
    pub(super) context_management: Option<Option<Raw<'r>>>,
    pub(super) marks: Marks,
}

impl<'r> Settings<'r> {
    pub(super) fn of(request: &'r Request<'_, '_>, told: &mut Vec<Diagnostic>) -> Self {
        let parameters = request.thread.config.parameters();
        let number = |key| parameters.get(key).and_then(Raw::as_f64);
        let max_tokens = max_tokens(parameters, request.model);
        let resolved = Resolved::of(parameters.reasoning(), request.model);
        let thinking = thinking(request, resolved, max_tokens, told);
        let (choice, nudge) = choice(request, resolved, told);
        // Where changes are placed, a directive says it.
        let nudge = nudge.filter(|_| request.thread.placed.is_none());
        // JP knows one date of the header only.
        let betas_strict = match request.rules.mode {
            Mode::Jp => request.betas.iter().any(|beta| beta.is(STRICT_IN_JP)),
            Mode::Convo => request.has_beta("structured-outputs-"),
        };
        let mut settings = Self {
            max_tokens,
            thinking,
            effort: match request.thread.placed.as_ref().map(|one| &one.efforts) {
                Some(Some(efforts)) if resolved.effort().is_some() => efforts.top,
                _ => level(request.model, resolved, max_tokens),
            },
            temperature: number("temperature").map(|n| n as f32),
            top_p: number("top_p").map(|n| n as f32),
            top_k: parameters.get("top_k").and_then(Raw::as_u64),
            choice,
            nudge,
            strict_tools: betas_strict && request.model.structured_output == Some(true),
            context_management: request
                .betas
                .iter()
                .any(|beta| beta.is(CONTEXT_EDITING))
                .then(|| parameters.get("context_management")),
            marks: Marks::of(request),
        };
        settings.mend(request, told);
        settings
    }

    /// Takes out what the model refuses, at all or beside thinking.
    fn mend(&mut self, request: &Request<'_, '_>, told: &mut Vec<Diagnostic>) {
        if request.rules.mode == Mode::Jp {
            return;
        }
        let name = &request.model.id;
        let thinks =
            matches!(self.thinking, Thinking::Adaptive | Thinking::Enabled { .. });
        let limits = match (request.model.sampling.refused(), thinks) {
            (true, _) => Some((0.99, format!("model `{name}` takes defaults only"))),
            (false, true) => Some((0.95, "thinking takes defaults only".to_owned())),
            (false, false) => None,
        };
        let mut tell = |dropped: &[&str], why: &str| {
            let names = dropped.join(", ");
            told.push(Diagnostic::warning(
                "sampling-left-out",
                format!("{names} left out: {why}"),
            ));
        };
        if let Some((least, why)) = limits {
            let mut dropped = Vec::new();
            if self.temperature.take_if(|value| *value < 1.0).is_some() {
                dropped.push("temperature");
            }
            if self.top_p.take_if(|value| *value < least).is_some() {
                dropped.push("top_p");
            }
            if self.top_k.take().is_some() {
                dropped.push("top_k");
            }
            if !dropped.is_empty() {
                tell(&dropped, &why);
            }
        }
        if request.model.one_sampling
            && self.temperature.is_some()
            && self.top_p.take().is_some()
        {
            tell(
                &["top_p"],
                &format!("model `{name}` takes it or temperature"),
            );
        }
    }

    /// The beta headers that the body needs.
    pub(super) fn betas(&self, request: &Request<'_, '_>) -> Vec<String> {
        let mut needed: Vec<String> = Vec::new();
        for beta in &request.betas {
            let beta = beta.decode();
            let needs = if beta.starts_with("context-editing-")
                || beta.starts_with("context-management-")
            {
                self.context_management.is_some()
            } else if beta.starts_with("structured-outputs-") {
                self.strict_tools
            } else if beta.starts_with("interleaved-thinking-") {
                matches!(self.thinking, Thinking::Enabled { .. })
                    && request.thread.has_tools()
            } else {
                true
            };
            if needs && !needed.iter().any(|one| *one == beta) {
                needed.push(beta.into_owned());
            }
        }
        needed
    }
}

fn thinking(
    request: &Request<'_, '_>,
    resolved: Resolved,
    max_tokens: u64,
    told: &mut Vec<Diagnostic>,
) -> Thinking {
    let details = request.model;
    let configured = request.thread.config.parameters().reasoning();
    let Some(effort) = resolved.effort() else {
        return match &details.reasoning {
            ReasoningSupport::Unsupported => Thinking::Omitted,
            ReasoningSupport::Unknown if configured != Some(Reasoning::Off) => {
                Thinking::Omitted
            }
            _ if details.can_disable => Thinking::Disabled,
            _ => Thinking::Omitted,
        };
    };
    let ReasoningSupport::Budgeted { min, max } = details.reasoning else {
        return match details.reasoning {
            ReasoningSupport::Unsupported => Thinking::Omitted,
            _ => Thinking::Adaptive,
        };
    };
    let interleaved = request.has_beta("interleaved-thinking-")
        && details.has("interleaved-thinking");
    let cap = if interleaved {
        details.context_window
    } else {
        max
    };
    let budget = effort.tokens(max_tokens).max(min);
    let budget = cap.map_or(budget, |cap| budget.min(cap));
    if request.rules.mode == Mode::Jp {
        return Thinking::Enabled { budget };
    }
    if opens_without_thinking(&request.thread.items) {
        told.push(Diagnostic::warning(
            "thinking-off",
            "thinking is sent as disabled: with a budget the turn that called the tools \
             must begin with signed thinking, and it does not",
        ));
        return Thinking::Disabled;
    }
    if interleaved || budget < max_tokens {
        return Thinking::Enabled { budget };
    }
    // The API wants the budget below max_tokens.
    if max_tokens > LEAST_BUDGET {
        return Thinking::Enabled {
            budget: max_tokens - 1,
        };
    }
    told.push(Diagnostic::warning(
        "thinking-off",
        format!(
            "thinking is sent as disabled: max_tokens {max_tokens} leaves no room for \
             the least budget, {LEAST_BUDGET}"
        ),
    ));
    Thinking::Disabled
}

/// Whether the last message brings tool results, and the assistant's turn that
/// asked for them does not begin with a thinking block of its own.
fn opens_without_thinking(items: &[Item<'_>]) -> bool {
    let mut rest = items;
    let mut first = None;
    // Back through the messages of the turn; one of texts alone opens it.
    loop {
        let (head, message) = split_last(rest, Side::User);
        if !message
            .iter()
            .any(|item| matches!(item.part, Part::Result { .. }))
        {
            break;
        }
        let (head, answer) = split_last(head, Side::Assistant);
        first = answer.first().or(first);
        rest = head;
    }
    first.is_some_and(|item| {
        !matches!(item.part, Part::Reasoning(_)) || super::native(item).is_none()
    })
}

/// Splits the items of one side off the end.
fn split_last<'i, 'a>(
    items: &'i [Item<'a>],
    side: Side,
) -> (&'i [Item<'a>], &'i [Item<'a>]) {
    let own = items
        .iter()
        .rev()
        .take_while(|item| item.part.side() == side);
    items.split_at(items.len() - own.count())
}

/// Most tokens of an answer, by parameters and model.
pub(super) fn max_tokens(
    parameters: &crate::config::ModelParameters<'_>,
    model: &Model,
) -> u64 {
    let said = parameters.get("max_tokens").and_then(Raw::as_u64);
    said.or(model.max_output_tokens).unwrap_or(MAX_TOKENS)
}

/// The level of that name, or the model's own where none is named.
pub(super) fn level_or_default(
    level: Option<&'static str>,
    model: &Model,
) -> Option<&'static str> {
    let own = ["low", "medium", "high", "xhigh", "max"];
    let own = own.into_iter().find(|one| *one == model.default_effort);
    level.or(own)
}

/// `output_config.effort`: only where the model decides how much it thinks.
pub(super) fn level(
    model: &Model,
    resolved: Resolved,
    max_tokens: u64,
) -> Option<&'static str> {
    let levels = match &model.reasoning {
        ReasoningSupport::Adaptive(levels) | ReasoningSupport::Leveled(levels) => {
            Some(levels)
        }
        ReasoningSupport::Unknown => None,
        ReasoningSupport::Unsupported | ReasoningSupport::Budgeted { .. } => {
            return None;
        }
    };
    let has = |level: &str| levels.is_none_or(|all| all.iter().any(|one| one == level));
    match resolved.effort()?.relative(Some(max_tokens)) {
        Effort::Auto | Effort::Absolute(_) => None,
        Effort::None | Effort::XLow | Effort::Low => Some("low"),
        Effort::Medium => Some("medium"),
        Effort::High => Some("high"),
        Effort::XHigh if has("xhigh") => Some("xhigh"),
        Effort::Max if has("max") => Some("max"),
        Effort::Max if has("xhigh") => Some("xhigh"),
        Effort::XHigh | Effort::Max => Some("high"),
    }
}

fn choice<'r>(
    request: &'r Request<'_, '_>,
    resolved: Resolved,
    told: &mut Vec<Diagnostic>,
) -> (Choice<'r>, Option<String>) {
    let thread = request.thread;
    let placed = thread.placed.as_ref().and_then(|one| one.tools.as_ref());
    let offered = match placed {
        Some((_, offered)) => (if offered.any { 2 } else { 0 }, offered.by_parameter),
        None => (thread.offer.tools.len(), true),
    };
    let (mode, details) = (request.rules.mode, request.model);
    let chosen = &thread.offer.choice;
    let decided = decide(chosen, offered, resolved, details, mode);
    if decided.1.is_some() && mode == Mode::Convo {
        told.push(Diagnostic::note(
            "forced-choice",
            match thread.placed {
                None => {
                    "the forced tool choice is sent as `auto` and a line in the system \
                     prompt: the model refuses to be forced while it may think"
                }
                Some(_) => {
                    "the forced tool choice is sent as `auto` and a line in a system \
                     message: the model refuses to be forced while it may think, or \
                     the tool is not in `tools`"
                }
            },
        ));
    }
    decided
}

/// What is sent for a choice, and the line that goes with it. `offered` is how many
/// tools there are, and whether the choice can be sent as a parameter at all.
pub(super) fn decide<'r>(
    choice: &'r ToolChoice<'_>,
    (offered, by_parameter): (usize, bool),
    resolved: Resolved,
    details: &Model,
    mode: Mode,
) -> (Choice<'r>, Option<String>) {
    let forced = match choice {
        ToolChoice::Auto => return (Choice::Auto, None),
        ToolChoice::None => return (Choice::None, None),
        ToolChoice::Function(name) if offered != 1 => Choice::Tool(name),
        ToolChoice::Required | ToolChoice::Function(_) => Choice::Any,
    };
    // JP asks for a tool also where it offers none.
    if offered == 0 && mode == Mode::Convo {
        return (Choice::Auto, None);
    }
    let unknown = details.reasoning == ReasoningSupport::Unknown;
    let thinks = resolved.effort().is_some() || !details.can_disable || unknown;
    let refuses = mode == Mode::Convo && details.forced_tool_choice.refused();
    if !thinks && !refuses && by_parameter {
        return (forced, None);
    }
    let head = match forced {
        Choice::Tool(name) => {
            format!("IMPORTANT: You MUST call the tool named '{name}'.")
        }
        _ => "IMPORTANT: You MUST use AT LEAST ONE tool available to you.".to_owned(),
    };
    (Choice::Auto, Some(format!("{head} {NUDGE_TAIL}")))
}

impl Marks {
    /// Documents come first, then an item that asks, system, tools.
    fn of(request: &Request<'_, '_>) -> Self {
        let mark = Mark {
            ttl: match request.cache() {
                CachePolicy::Off => return Self::default(),
                CachePolicy::Long => Ttl::Hour,
                CachePolicy::Seconds(seconds) if seconds >= LONG_FROM => Ttl::Hour,
                CachePolicy::Short | CachePolicy::Seconds(_) => Ttl::Minutes,
            },
        };
        let thread = request.thread;
        // Placed, an item's own mark would take the place of one that is always there.
        let items = match thread.placed {
            Some(_) => &[],
            None => thread.items.as_slice(),
        };
        let asks = items.iter().rposition(|item| {
            let asks = item
                .metadata
                .and_then(|metadata| metadata.get("cache_breakpoint"))
                .and_then(Raw::as_bool);
            asks == Some(true) && !matches!(item.part, Part::Reasoning(_))
        });
        // The automatic one takes one of those that the API allows.
        let most = match request.rules.mode {
            Mode::Jp => 4,
            Mode::Convo => request.table.limits().breakpoints,
        };
        let mut left = cache::left_for_messages(most);
        let mut spend = |wants: bool| {
            let gets = wants && left > 0;
            left -= usize::from(gets);
            gets.then_some(mark)
        };
        let documents = super::documents::documents(request).next().is_some();
        let far = thread.placed.as_ref().and_then(|_| beyond_reach(request));
        Self {
            documents: spend(documents),
            item: asks.and_then(|index| spend(true).map(|mark| (index, mark))),
            system: spend(!thread.prelude.is_empty()),
            tools: spend(thread.has_tools()),
            end: far.and_then(|index| spend(true).map(|mark| (index, mark))),
            top: (asks.is_none() && most > 0).then_some(mark),
        }
    }
}

/// Where the request before this one ended, by the number of items before that, if
/// the automatic breakpoint is too far from there to find what was cached.
fn beyond_reach(request: &Request<'_, '_>) -> Option<usize> {
    let thread = request.thread;
    let items = &thread.items;
    let answers = |item: &Item<'_>| item.part.side() == Side::Assistant;
    let last = items.iter().rposition(answers)?;
    let before = items[..last].iter().rposition(|item| !answers(item))?;
    let end = before + 1;
    let mut positions = Positions::new(request.table.runs_count_once(request.platform));
    positions.next(None);
    for item in &items[end..] {
        positions.next(match item.part {
            Part::Call { .. } => Some(Run::Call),
            Part::Result { .. } => Some(Run::Result),
            _ => None,
        });
    }
    let directives = thread.placed.iter().flat_map(|one| &one.directives);
    for (_, one) in directives.filter(|(at, _)| *at > end) {
        let blocks = one.texts.len() + one.changes.len();
        for _ in 0..blocks + usize::from(one.scoped.is_some()) {
            positions.next(None);
        }
    }
    let lookback = request.table.limits().lookback;
    (positions.at() > lookback).then_some(end)
}
