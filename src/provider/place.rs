//! Directives where changes happened, as far as model and platform take them.
//!
//! `docs/directives.md`: gates are data ([`crate::model`]), texts and tools apart.
//! Whatever a gate shuts out flattens, and is told. `Placement` keeps the
//! [`Deriver`] of one conversation from body to body, and says what a body costs of
//! the prefix of the request before it.

use super::options::{Options, PlaceOptions};
use super::{Provider, Resolved, anthropic};
use crate::config::{Config, Warnings};
use crate::directive::{Deriver, Dialect, Setup, Stop, ToolMode};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::{Raw, Text};
use crate::model::{Betas, Feature, Gate, Model, Support};
use crate::thread::{Bound, Builder, Inputs, Prelude, Rules, Thread, Walk};
use std::collections::HashSet;

/// What may be written in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gates {
    /// Texts, in system messages.
    pub texts: bool,
    /// Tool changes.
    pub tools: bool,
    /// Definitions by value.
    pub values: bool,
    /// Texts that hold until the user speaks again.
    pub scoped: bool,
    /// Changes of effort, in messages of their own.
    pub efforts: bool,
    /// How tools that appear later are made known.
    pub mode: ToolMode,
}

/// The betas of a request: those in force, then those asked for; without those
/// that the platform does not take, which are told.
pub(super) fn betas<'a>(
    mut betas: Vec<Text<'a>>,
    options: &Options<'a>,
    told: &mut Vec<Diagnostic>,
) -> Vec<Text<'a>> {
    let more = options.betas.and_then(Raw::as_array).into_iter().flatten();
    betas.extend(more.filter_map(Raw::as_text));
    betas.retain(|beta| {
        let (beta, platform) = (beta.decode(), options.platform);
        let taken = options.table.takes_beta(&beta, platform) != Some(false);
        if !taken {
            told.push(Diagnostic::warning(
                "beta-platform",
                format!(
                    "beta `{beta}` is left out: {} does not have it",
                    platform.name()
                ),
            ));
        }
        taken
    });
    betas
}

/// Whether the tool mode makes sense on the platform.
///
/// # Errors
///
/// Definitions by value where no beta opens them.
pub fn check(options: &Options<'_>, place: &PlaceOptions) -> Result<(), Error> {
    let feature = Feature::ToolDefinition;
    let gate = options
        .table
        .gate(feature, options.platform, &Betas::Unknown);
    if place.tool_mode == ToolMode::Inline && gate == Gate::NotHere {
        let name = options.platform.name();
        return Err(Error::new(
            ErrorKind::Usage,
            "tool-mode",
            format!("--tool-mode inline: {name} takes no definitions in messages"),
        )
        .hint("use --tool-mode deferred"));
    }
    Ok(())
}

/// Which gates are open, every other told.
fn gates(
    provider: Provider,
    details: &Model,
    betas: &[Text<'_>],
    options: &Options<'_>,
    place: &PlaceOptions,
    told: &mut Vec<Diagnostic>,
) -> Gates {
    let mut gates = Gates {
        texts: false,
        tools: false,
        values: false,
        scoped: false,
        efforts: false,
        mode: place.tool_mode,
    };
    let mut close = |gates: Gates, why: String, hint: Option<String>| {
        let what = match gates.texts {
            false => "texts and tool changes are flattened",
            true => "tool changes are flattened",
        };
        let mut note = Diagnostic::note("gate-closed", format!("{what}: {why}"));
        note.hint = hint;
        told.push(note);
        gates
    };
    // Whose body it is instead is told apart.
    if provider != Provider::Anthropic {
        return gates;
    }
    let (table, platform) = (options.table, options.platform);
    let name = &details.id;
    let Some(model) = table.model(name) else {
        let why = format!("nothing is known of what model `{name}` takes");
        let hint = "say it with --model-details, or choose a model with --model";
        return close(gates, why, Some(hint.to_owned()));
    };
    if model.system_messages.refused() {
        let why = format!("model `{name}` takes no system messages in a conversation");
        return close(gates, why, None);
    }
    let betas = Betas::Known(betas.iter().map(|one| one.decode().into()).collect());
    let gate = |feature| table.gate(feature, platform, &betas);
    if gate(Feature::SystemMessage) != Gate::Open {
        let why = format!("{} takes no system messages there", platform.name());
        return close(gates, why, None);
    }
    gates.texts = true;
    gates.scoped = model.clear_at.taken() && gate(Feature::ClearAt) == Gate::Open;
    if model.tool_changes.refused() {
        return close(gates, format!("model `{name}` takes no tool changes"), None);
    }
    gates.values = gate(Feature::ToolDefinition) == Gate::Open;
    match gate(Feature::ToolChange) {
        Gate::Open => gates.tools = true,
        Gate::NeedsBeta | Gate::Unknown => {
            let feature = match place.tool_mode {
                ToolMode::Deferred => Feature::ToolChange,
                ToolMode::Inline => Feature::ToolDefinition,
            };
            let beta = table.betas_for(feature, platform).next();
            let why = "no beta is in force that opens them".to_owned();
            return close(gates, why, beta.map(|beta| format!("add --beta {beta}")));
        }
        Gate::NotHere => {
            return close(gates, format!("{} takes none", platform.name()), None);
        }
    }
    if place.tool_mode == ToolMode::Inline && !gates.values {
        // References are legal all the same.
        gates.mode = ToolMode::Deferred;
        let beta = table.betas_for(Feature::ToolDefinition, platform).next();
        let mut note = Diagnostic::note(
            "gate-closed",
            "definitions go into `tools`, deferred: no beta is in force that takes them \
             in messages",
        );
        note.hint = beta.map(|beta| format!("add --beta {beta}"));
        told.push(note);
    }
    gates
}

/// Whether changes of effort are said in messages, as asked for; what stands against
/// it is told.
fn says_efforts(
    details: &Model,
    betas: &[Text<'_>],
    thinks: bool,
    options: &Options<'_>,
    told: &mut Vec<Diagnostic>,
) -> bool {
    let name = &details.id;
    let model = options.table.model(name);
    let betas = Betas::Known(betas.iter().map(|one| one.decode().into()).collect());
    let gate = options
        .table
        .gate(Feature::MessageEffort, options.platform, &betas);
    let only_thinking = |model: &Model| model.message_effort == Support::WithThinking;
    let beta = options
        .table
        .betas_for(Feature::MessageEffort, options.platform)
        .next();
    let (why, hint) = match model {
        None => (
            format!("nothing is known of what model `{name}` takes"),
            None,
        ),
        Some(model) if model.message_effort.refused() => {
            (format!("model `{name}` takes no effort in messages"), None)
        }
        Some(model) if only_thinking(model) && !thinks => {
            let why =
                format!("model `{name}` takes it in messages only while it thinks");
            (why, None)
        }
        Some(_) => match gate {
            Gate::Open => return true,
            Gate::NotHere => (format!("{} takes none", options.platform.name()), None),
            Gate::NeedsBeta | Gate::Unknown => (
                "no beta is in force that opens it".to_owned(),
                beta.map(|beta| format!("add --beta {beta}")),
            ),
        },
    };
    let text = format!("effort stays at the top of the body: {why}");
    let mut note = Diagnostic::note("gate-closed", text);
    note.hint = hint;
    told.push(note);
    false
}

/// What decides how directives are derived: when it changes, all begins again.
#[derive(PartialEq)]
struct Profile {
    model: String,
    strict: bool,
    gates: Gates,
}

/// What of a configuration decides how its request is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Switch {
    provider: Provider,
    model: String,
    betas: Vec<String>,
    /// What of it decides what the body holds.
    gates: Option<(Gates, bool)>,
}

impl Switch {
    /// What is written for `model` with these betas.
    pub(super) fn of(
        (provider, details): (Provider, &Model),
        betas: &[Text<'_>],
        options: &Options<'_>,
    ) -> Self {
        let place = options.place.filter(|_| provider == Provider::Anthropic);
        let open = place.map(|place| {
            let quiet = &mut Vec::new();
            gates(provider, details, betas, options, &place, quiet)
        });
        Self {
            provider,
            model: details.id.clone(),
            betas: betas.iter().map(|one| one.decode().into()).collect(),
            gates: (provider == Provider::Anthropic)
                .then(|| (open.unwrap_or_default(), strict(details, betas))),
        }
    }

    /// Whether a body written for the one has another head or other directives than
    /// one written for the other; only bodies of the Messages API are compared.
    pub(super) fn rewrites(&self, other: &Self) -> bool {
        self.gates != other.gates
    }

    /// Whether it goes to the Messages API.
    pub(super) fn is_anthropic(&self) -> bool {
        self.provider == Provider::Anthropic
    }

    /// What a cached prefix does not survive, from `old` to `self`.
    pub(super) fn costs(&self, old: &Self) -> Option<Cost> {
        let mut changed = Vec::new();
        if self.provider != old.provider {
            let (from, to) = (old.provider.name(), self.provider.name());
            changed.push(format!("the provider changed from {from} to {to}"));
        } else if self.model != old.model {
            let (from, to) = (&old.model, &self.model);
            changed.push(format!("the model changed from `{from}` to `{to}`"));
        }
        let is_sure = !changed.is_empty();
        if self.is_anthropic() && old.is_anthropic() && self.betas != old.betas {
            changed.push("the beta headers changed".to_owned());
        }
        (!changed.is_empty()).then(|| Cost {
            why: changed.join(" and "),
            is_sure,
        })
    }
}

/// What a switch costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cost {
    /// What was switched.
    pub(super) why: String,
    /// Whether nothing that was cached is read; what other betas cost is not
    /// published.
    pub(super) is_sure: bool,
}

pub(super) fn strict(details: &Model, betas: &[Text<'_>]) -> bool {
    let is_strict = |one: &Text<'_>| one.decode().starts_with("structured-outputs-");
    betas.iter().any(is_strict) && details.structured_output == Some(true)
}

/// Whether a model checks thinking against what stands before it, for any account.
pub(super) fn checks(details: &Model, options: &Options<'_>) -> bool {
    use crate::model::Binding::{MayReject, Reject};
    let model = options.table.model(&details.id);
    model.is_some_and(|model| {
        [model.binding_new, model.binding_old]
            .iter()
            .any(|one| matches!(one, Reject | MayReject))
    })
}

/// Whether the API can be asked to drop thinking that fails its check: a beta opens
/// that, and only a request that lets the model think may say it.
pub(super) fn can_ask(
    details: &Model,
    betas: &[Text<'_>],
    config: &Config<'_>,
    options: &Options<'_>,
) -> bool {
    let betas = Betas::Known(betas.iter().map(|one| one.decode().into()).collect());
    let gate = options
        .table
        .gate(Feature::BlockBinding, options.platform, &betas);
    let effort = Resolved::of(config.parameters().reasoning(), details).effort();
    gate == Gate::Open && effort.is_some()
}

/// The directives of one conversation, from body to body.
pub(super) struct Placement<'a, 'b> {
    inputs: &'b Inputs<'a>,
    walk: &'b Walk<'a>,
    derived: Option<(Profile, Deriver<'a, 'b>)>,
    /// The `tools` of the last body written.
    pub(super) catalogue: Option<Vec<u8>>,
    /// Whether the head of the last body is not that of the request before.
    pub(super) new_head: bool,
    /// Whether another system prompt is said there in place.
    pub(super) persona: bool,
}

impl<'a, 'b> Placement<'a, 'b> {
    pub(super) fn new(inputs: &'b Inputs<'a>, walk: &'b Walk<'a>) -> Self {
        Self {
            inputs,
            walk,
            derived: None,
            catalogue: None,
            new_head: false,
            persona: false,
        }
    }

    /// Tells what has only been counted so far.
    pub(super) fn finish(&mut self, warnings: &mut Warnings) {
        if let Some((_, deriver)) = &mut self.derived {
            deriver.finish(warnings);
        }
    }

    /// The thread at `point` with its changes in place, and without thinking that is
    /// bound to another prefix; `None` if all flattens and nothing is bound.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn thread(
        &mut self,
        builder: &mut Builder<'a, 'b>,
        point: usize,
        (rules, details): (&Rules, &Model),
        betas: &[Text<'a>],
        bound: Option<Bound>,
        options: &Options<'a>,
        warnings: &mut Warnings,
        told: &mut Vec<Diagnostic>,
    ) -> Option<Thread<'a>> {
        let place = options.place.unwrap_or_default();
        let gates = match options.place {
            Some(place) => gates(rules.provider, details, betas, options, &place, told),
            None => Gates::default(),
        };
        if !gates.texts && bound.is_none() {
            return None;
        }
        let thinks =
            Resolved::of(builder.config_at(point).parameters().reasoning(), details);
        let thinks = thinks.effort().is_some();
        let efforts = gates.texts
            && place.efforts
            && says_efforts(details, betas, thinks, options, told);
        let gates = Gates { efforts, ..gates };
        let placing = anthropic::Placing {
            rules: *rules,
            details,
            efforts,
            table: options.table,
            strict: strict(details, betas),
            file: options.catalogue,
        };
        let profile = Profile {
            model: details.id.clone(),
            strict: placing.strict,
            gates,
        };
        let known = self.derived.take().filter(|(one, _)| *one == profile);
        let mut deriver = match known {
            Some((_, deriver)) => deriver,
            None => {
                let given = self.inputs.tools;
                let setup = Setup {
                    parts: self.inputs.system_parts.map(|parts| {
                        let parts = Prelude::given(parts);
                        parts.iter().map(|(_, text)| text.into()).collect()
                    }),
                    flat_texts: !gates.texts,
                    flat_tools: !gates.tools,
                    mode: gates.mode,
                    values: gates.values,
                    scoped: gates.scoped,
                    efforts: gates.efforts,
                    personas: place.personas,
                    withdrawals: place.withdrawals,
                    limits: *options.table.limits(),
                    file: options.catalogue,
                    given: given.map(|list| placing.given(list, warnings)),
                };
                Deriver::new(
                    self.walk.replay.clone(),
                    self.walk.first.unwrap_or_default(),
                    &self.walk.points,
                    setup,
                    self.inputs.tool_choice.clone(),
                    &placing,
                    warnings,
                )
            }
        };
        let derived = (&mut deriver, &placing as &dyn Dialect<'a>);
        let thread = builder.placed(point, rules, derived, bound, warnings);
        if gates.texts {
            self.costs(builder, point, deriver.stops(), told);
        }
        self.derived = Some((profile, deriver));
        let placed = thread.placed.as_ref();
        self.catalogue = placed.and_then(|one| one.tools.as_ref()).map(|(tools, _)| {
            let mut out = Vec::new();
            tools.write(&mut out, b"");
            out
        });
        Some(thread)
    }

    /// Tells what the request at `point` costs of the prefix of the one before it.
    fn costs(
        &mut self,
        builder: &Builder<'a, 'b>,
        point: usize,
        stops: &[Stop],
        told: &mut Vec<Diagnostic>,
    ) {
        (self.new_head, self.persona) = (false, false);
        let earlier = self.walk.points.partition_point(|&one| one < point);
        let Some(&before) = self.walk.points[..earlier].last() else {
            return;
        };
        let from = stops.partition_point(|stop| stop.entry <= before);
        let number = earlier + 1;
        let since = &stops[from..];
        self.new_head = since.iter().any(|stop| stop.moves_head().is_some());
        self.persona = since.iter().any(|stop| stop.persona);
        if since.iter().any(|stop| stop.new_prompt) {
            told.push(
                Diagnostic::warning(
                    "head-changed",
                    format!(
                        "request {number}: the system prompt changed since the request \
                         before it, which costs the cached prefix"
                    ),
                )
                .hint("--persona-messages says it in place, as operator text"),
            );
        }
        if since.iter().any(|stop| stop.new_anchor) {
            told.push(Diagnostic::warning(
                "first-tool",
                format!(
                    "request {number}: the first tool of the conversation appears, \
                     which costs the cached prefix once"
                ),
            ));
        }
        if since.iter().any(|stop| stop.new_tools) {
            told.push(Diagnostic::warning(
                "head-changed",
                format!(
                    "request {number}: tools changed since the request before it and \
                     are flattened, which costs the cached prefix"
                ),
            ));
        }
        let mut changed = Vec::new();
        if let (Some(old), Some(new)) = (stops[..from].last(), since.last()) {
            if old.voice.choice != new.voice.choice {
                changed.push("the tool choice");
            }
            if old.voice.reasoning != new.voice.reasoning {
                changed.push("thinking or effort");
            }
        }
        let bytes = |schema: Option<Raw<'a>>| schema.map(Raw::bytes);
        if bytes(builder.schema(before)) != bytes(builder.schema(point)) {
            changed.push("the output format");
        }
        if !changed.is_empty() {
            told.push(Diagnostic::note(
                "messages-cost",
                format!(
                    "request {number}: {} changed since the request before it, which \
                     costs the cached messages",
                    changed.join(" and ")
                ),
            ));
        }
    }
}

/// Bytes of a body's definitions that are deferred and not offered, and of the prefix
/// that the request before it left.
pub(super) fn measure(body: Raw<'_>) -> (usize, usize) {
    let list = |key: &str| body.get(key).and_then(Raw::as_array).into_iter().flatten();
    let messages: Vec<Raw<'_>> = list("messages").collect();
    let offered = offered(&messages);
    let (mut deferred, mut kept) = (0, 0);
    for tool in list("tools") {
        let hidden = tool.get("defer_loading").and_then(Raw::as_bool);
        let name = tool.get("name").and_then(Raw::as_str);
        match hidden == Some(true) {
            true if name.is_some_and(|name| offered.contains(name.as_ref())) => {}
            true => deferred += tool.bytes().len(),
            false => kept += tool.bytes().len(),
        }
    }
    kept += body.get("system").map_or(0, |system| system.bytes().len());
    let last = messages.iter().rposition(|message| {
        let role = message.get("role").and_then(Raw::as_text);
        role.is_some_and(|role| role.is("assistant"))
    });
    let before = &messages[..last.unwrap_or(0)];
    let bytes = before.iter().map(|message| message.bytes().len());
    match last {
        Some(_) => (deferred, kept + bytes.sum::<usize>()),
        None => (deferred, 0),
    }
}

/// The tools that messages have added and not taken away again.
fn offered(messages: &[Raw<'_>]) -> HashSet<String> {
    let mut offered = HashSet::new();
    let blocks = messages
        .iter()
        .filter_map(|one| one.get("content")?.as_array());
    for block in blocks.flatten() {
        let kind = block.get("type").and_then(Raw::as_text);
        let name = block
            .get("tool")
            .and_then(|tool| tool.get("name")?.as_str());
        match (kind, name) {
            (Some(kind), Some(name)) if kind.is("tool_addition") => {
                offered.insert(name.into_owned());
            }
            (Some(kind), Some(name)) if kind.is("tool_removal") => {
                offered.remove(name.as_ref());
            }
            _ => {}
        }
    }
    offered
}
