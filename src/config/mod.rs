//! The configuration at a position of a stream (`docs/formats.md#configuration`).
//!
//! A [`Config`] starts as the resolved base and takes the deltas one by one;
//! what it is at an event is what it is when the walk gets there. Only the fields
//! that views and requests need are modelled; the rest is passed over. Values are
//! borrowed from the input and rendered or decoded when asked for. [`Versions`]
//! say which parts a delta has touched, so that what was made from a part can be
//! kept until it changes.

pub mod builtin;
pub mod enable;
pub mod escaped;
pub mod instruction;
pub mod model;
pub(crate) mod notes;
pub mod parameter;
pub mod replay;
pub mod section;
pub mod tool;
pub mod warn;

mod layer;
mod touch;
mod unset;
mod wrap;

pub use enable::{Enable, Toggle};
pub use instruction::Instruction;
pub use layer::Display;
pub use model::{Effort, ModelChoice, ModelParameters, ModelRef, Reasoning};
pub use parameter::{Parameter, Parameters};
pub use replay::Replay;
pub use section::{Section, TOOL_USAGE};
pub use tool::{Source, Style, Tool, Tools};
pub use touch::Touched;
pub use warn::Warnings;

use crate::json::{Raw, Text};
use layer::Layer;
use std::borrow::Cow;
use wrap::{List, Prompt};

/// Whether the rules are `convo`'s or those of the program that wrote the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The rules as specified.
    #[default]
    Convo,
    /// `--parity jp`: defects included.
    Jp,
}

/// The system prompt where none is configured.
pub const DEFAULT_PROMPT: &str = "You are a helpful assistant.";

/// `assistant.tool_choice`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice<'a> {
    /// The model decides.
    #[default]
    Auto,
    /// No tool may be called.
    None,
    /// Some tool must be called.
    Required,
    /// This tool must be called.
    Function(Cow<'a, str>),
}

impl<'a> ToolChoice<'a> {
    /// Reads the stored spelling: any string but three is a function's name.
    pub fn of(text: Cow<'a, str>) -> Self {
        match &*text {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            _ => ToolChoice::Function(text),
        }
    }

    /// The function it names.
    pub fn function(&self) -> Option<&str> {
        match self {
            ToolChoice::Function(name) => Some(name),
            _ => None,
        }
    }
}

/// `assistant.request.cache`: how long a provider should keep a prompt prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CachePolicy {
    /// Nothing is marked for caching.
    Off,
    /// The provider's short time.
    #[default]
    Short,
    /// The provider's long time.
    Long,
    /// This many seconds, or what comes near.
    Seconds(u64),
}

/// How often each part was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Versions {
    /// `system_prompt`, sections and instructions.
    pub system: u32,
    /// `system_prompt` alone.
    pub prompt: u32,
    /// Tools and tool choice.
    pub tools: u32,
    /// The model, its parameters, and beta headers.
    pub model: u32,
}

/// The configuration at one position.
#[derive(Debug, Clone, Default)]
pub struct Config<'a> {
    mode: Mode,
    prompt: Option<Prompt<'a>>,
    sections: List<Section<'a>>,
    instructions: List<Instruction<'a>>,
    attachments: List<Raw<'a>>,
    beta_headers: List<Text<'a>>,
    tool_choice: Option<Text<'a>>,
    cache: Option<Raw<'a>>,
    model: ModelChoice<'a>,
    parameters: ModelParameters<'a>,
    tools: Tools<'a>,
    display: Display<'a>,
    versions: Versions,
}

/// The partial configuration that a stored `config_delta` holds: its `delta`, or
/// the entry itself in the flat legacy shape (D-2).
fn partial<'a>(entry: Raw<'a>) -> Raw<'a> {
    entry.get("delta").unwrap_or(entry)
}

/// A `config_delta`, read and ready to be merged.
#[derive(Debug, Clone)]
pub struct Delta<'a> {
    layer: Option<Layer<'a>>,
    unsets: Vec<Cow<'a, str>>,
}

impl<'a> Delta<'a> {
    /// Reads a stored `config_delta`.
    pub fn read(entry: Raw<'a>, warnings: &mut Warnings) -> Self {
        let (mut delta, mut unsets) = (None, None);
        for (key, value) in entry.as_object().into_iter().flatten() {
            if key.is("delta") {
                delta = Some(value);
            } else if key.is("unsets") {
                unsets = Some(value);
            }
        }
        let partial = delta.unwrap_or(entry);
        let empty = partial
            .as_object()
            .is_some_and(|mut all| all.next().is_none());
        let read = !empty && !partial.is_null();
        Self {
            unsets: unset::read(unsets, warnings),
            layer: read.then(|| Layer::read(partial, warnings)),
        }
    }
}

impl<'a> Config<'a> {
    /// The base: gaps filled with defaults, merge wrappers forgotten.
    ///
    /// `base` is a base configuration, or a `config_delta` that serves as one.
    pub fn new(base: Option<Raw<'a>>, mode: Mode, warnings: &mut Warnings) -> Self {
        let is_entry = |raw: &Raw<'_>| {
            let tag = raw.get("type").and_then(Raw::as_text);
            tag.is_some_and(|tag| tag.is("config_delta"))
        };
        let base = base.map(|raw| if is_entry(&raw) { partial(raw) } else { raw });
        Self::resolve(base, mode, warnings)
    }

    /// As [`Config::new`], for what is known to be a base configuration.
    pub fn resolve(base: Option<Raw<'a>>, mode: Mode, warnings: &mut Warnings) -> Self {
        let layer = base.map_or_else(Layer::default, |raw| Layer::read(raw, warnings));
        let mut config = Self {
            mode,
            display: layer.display,
            ..Self::default()
        };
        let assistant = layer.assistant;
        if let Some(prompt) = assistant.prompt {
            config.prompt = Some(prompt.resolve());
        }
        config.sections = assistant.sections.unwrap_or_default().resolve();
        config.instructions = assistant.instructions.unwrap_or_default().resolve();
        config.attachments = layer.attachments.unwrap_or_default().resolve();
        config.beta_headers = layer.beta_headers.unwrap_or_default().resolve();
        config.tool_choice = assistant.tool_choice;
        config.cache = assistant.cache;
        config.model.merge(assistant.model_id, layer.aliases);
        config.parameters = assistant.parameters.unwrap_or_default();
        for tool in layer.tools {
            config.tools.merge(tool);
        }
        config
    }

    /// Merges a stored `config_delta` into the configuration.
    pub fn apply(&mut self, entry: Raw<'a>, warnings: &mut Warnings) {
        self.merge(Delta::read(entry, warnings));
    }

    /// Merges a delta that has been read into the configuration.
    pub fn merge(&mut self, delta: Delta<'a>) {
        for path in &delta.unsets {
            self.remove(path);
        }
        self.versions.model += u32::from(!delta.unsets.is_empty());
        let Some(layer) = delta.layer else {
            return;
        };
        let (assistant, mode) = (layer.assistant, self.mode);
        let mut system = merge(&mut self.sections, assistant.sections, mode);
        system |= merge(&mut self.instructions, assistant.instructions, mode);
        if let Some(prompt) = assistant.prompt {
            self.prompt.get_or_insert_default().merge(prompt, mode);
            self.versions.prompt += 1;
            system = true;
        }
        merge(&mut self.attachments, layer.attachments, mode);
        let model = layer.beta_headers.is_some()
            || assistant.model_id.is_some()
            || assistant.parameters.is_some()
            || !layer.aliases.is_empty();
        self.versions.model += u32::from(model);
        merge(&mut self.beta_headers, layer.beta_headers, mode);
        self.display.merge(layer.display);
        self.versions.system += u32::from(system);
        self.versions.tools +=
            u32::from(!layer.tools.is_empty() || assistant.tool_choice.is_some());
        self.tool_choice = assistant.tool_choice.or(self.tool_choice);
        self.cache = assistant.cache.or(self.cache);
        self.model.merge(assistant.model_id, layer.aliases);
        if let Some(parameters) = assistant.parameters {
            self.parameters.merge(parameters);
        }
        for tool in layer.tools {
            self.tools.merge(tool);
        }
    }

    /// The system prompt in force.
    pub fn system_prompt(&self) -> &str {
        match &self.prompt {
            Some(prompt) => prompt.value.as_deref().unwrap_or_default(),
            None => DEFAULT_PROMPT,
        }
    }

    /// The sections in list order.
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections.items
    }

    /// The instructions in list order.
    pub fn instructions(&self) -> &[Instruction<'a>] {
        &self.instructions.items
    }

    /// How many leading sections and instructions have stayed since this was last
    /// asked; at first, none.
    pub fn take_kept(&mut self) -> (usize, usize) {
        (self.sections.take_kept(), self.instructions.take_kept())
    }

    /// The attachments declared, as stored; their content is not in the stream.
    pub fn attachments(&self) -> &[Raw<'a>] {
        &self.attachments.items
    }

    /// Anthropic's beta headers, in order.
    pub fn beta_headers(&self) -> &[Text<'a>] {
        &self.beta_headers.items
    }

    /// The tool map.
    pub fn tools(&self) -> &Tools<'a> {
        &self.tools
    }

    /// What is said about calling tools.
    pub fn tool_choice(&self) -> ToolChoice<'a> {
        self.tool_choice
            .map(|text| ToolChoice::of(text.decode()))
            .unwrap_or_default()
    }

    /// How long prompt prefixes should be kept.
    pub fn cache_policy(&self) -> CachePolicy {
        let Some(value) = self.cache else {
            return CachePolicy::Short;
        };
        match (value.as_bool(), value.as_str().as_deref()) {
            (Some(false), _) | (_, Some("off" | "false")) => CachePolicy::Off,
            (_, Some("long")) => CachePolicy::Long,
            (_, Some(text)) => {
                seconds(text).map_or_else(Default::default, CachePolicy::Seconds)
            }
            _ => CachePolicy::Short,
        }
    }

    /// The model in force, and the names that models go by.
    pub fn model(&self) -> &ModelChoice<'a> {
        &self.model
    }

    /// The parameters of the model.
    pub fn parameters(&self) -> &ModelParameters<'a> {
        &self.parameters
    }

    /// What a terminal shows beside tools.
    pub fn display(&self) -> Display<'a> {
        self.display
    }

    /// How often each part was touched.
    pub fn versions(&self) -> Versions {
        self.versions
    }
}

/// Merges what a delta says of a list, or passes it by; whether it changed.
fn merge<T: wrap::Item>(list: &mut List<T>, next: Option<List<T>>, mode: Mode) -> bool {
    match next {
        Some(next) => {
            list.merge(next, mode);
            true
        }
        None => list.pass(mode),
    }
}

/// Reads a duration such as `45m`, `1h 30m` or `90`, in seconds.
fn seconds(text: &str) -> Option<u64> {
    let mut total: u64 = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let number: u64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "" | "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600,
            "d" | "day" | "days" => 86_400,
            "w" | "week" | "weeks" => 604_800,
            "ms" | "millis" | "us" | "ns" => 0,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = rest[letters..].trim_start();
    }
    Some(total)
}
