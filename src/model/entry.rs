//! What is known of one model, read from its entries.

use super::source::{Fact, Layer, latest};
use super::support::{Binding, KeepThinking, ReasoningSupport, Support, strings};
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::sync::Arc;

/// One model.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The provider it is reached by; empty where nobody said.
    pub provider: String,
    /// Its id on the provider's API: the name on the wire.
    pub id: String,
    /// Other ids of the same model.
    pub names: Vec<String>,
    /// Whether anything but its name is known.
    pub is_known: bool,
    /// Tokens of prompt and answer together.
    pub context_window: Option<u64>,
    /// Most tokens of an answer.
    pub max_output_tokens: Option<u64>,
    /// Whether that figure is assumed: written as text that ends in `?`.
    pub max_output_assumed: bool,
    /// Whether it takes only one of `temperature` and `top_p`.
    pub one_sampling: bool,
    /// How it reasons.
    pub reasoning: ReasoningSupport,
    /// Whether reasoning can be switched off.
    pub can_disable: bool,
    /// Whether it keeps to a schema.
    pub structured_output: Option<bool>,
    /// Flags, by name.
    pub features: Vec<String>,
    /// Whether it takes system messages inside `messages`.
    pub system_messages: Support,
    /// Whether it takes tool changes.
    pub tool_changes: Support,
    /// Whether it takes effort on a system message.
    pub message_effort: Support,
    /// Whether it takes `clear_at`.
    pub clear_at: Support,
    /// Whether it takes a `tool_choice` of `any` or `tool`.
    pub forced_tool_choice: Support,
    /// Whether the last message may be the assistant's.
    pub prefill: Support,
    /// Whether it takes sampling parameters other than their defaults.
    pub sampling: Support,
    /// Whether it wants the first call of a step signed, where that is known.
    pub signed_calls: Option<Support>,
    /// Whether the results of its tools may hold pictures, where that is known.
    pub tool_pictures: Option<Support>,
    /// Fewest tokens that are cached.
    pub min_cacheable: usize,
    /// Most images in one request.
    pub images: usize,
    /// Values of `thinking.type` it refuses.
    pub thinking_refused: Vec<String>,
    /// Highest effort at which thinking may be switched off.
    pub thinking_off_effort: Option<String>,
    /// Highest effort at which `thinking.type` may be `between_tools`.
    pub between_tools: Option<String>,
    /// Which thinking blocks stay in the rendered prompt.
    pub keep_thinking: KeepThinking,
    /// The prefix check for accounts made before 2026-08-31.
    pub binding_old: Binding,
    /// The prefix check for accounts made since.
    pub binding_new: Binding,
    /// Whose thinking it reads: model or pattern, answer, platform if it matters.
    pub(super) reads: Vec<Reads>,
    /// Whether models that do not name it read its thinking.
    pub(super) read_by_others: Option<Support>,
    /// The effort in force when none is given.
    pub default_effort: String,
    /// Price of a cache read, as a factor of the input price, where this model's
    /// differs from that of its cache.
    pub cache_read: Option<f64>,
    pub(super) layers: Vec<Layer>,
}

/// A line of [`Model::reads`].
#[derive(Debug, Clone)]
pub(super) struct Reads {
    pub(super) maker: String,
    pub(super) answer: Support,
    pub(super) platform: Option<String>,
}

impl Model {
    /// A model of which only the name is known.
    pub fn unknown(name: &str) -> Self {
        Self {
            id: name.to_owned(),
            can_disable: true,
            ..Self::default()
        }
    }

    /// Whether `name` is the model's id or one of its other ids.
    pub fn is(&self, name: &str) -> bool {
        self.id == name || self.names.iter().any(|one| one == name)
    }

    /// Whether the model has a flag.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|one| one == feature)
    }

    /// Whether it is known to continue an answer that is begun.
    pub fn prefills(&self) -> bool {
        self.is_known && self.prefill == Support::Yes
    }

    /// What is known of it, each with where it comes from; of two that speak of
    /// one thing the later one counts and is given.
    pub fn facts(&self) -> Vec<Fact<'_>> {
        latest(self.layers.iter().flat_map(Layer::facts))
    }

    /// A model of another name with the same facts.
    pub(super) fn renamed(mut self, id: &str) -> Self {
        id.clone_into(&mut self.id);
        self.names.clear();
        self
    }

    /// Lays the facts of a bundle's `model` over these; keys that are no facts are
    /// passed over.
    ///
    /// # Errors
    ///
    /// A fact with a value of another shape.
    pub fn read(&mut self, entry: Raw<'_>, path: &str) -> Result<(), Error> {
        if entry.kind() != Kind::Object {
            return Err(wrong(path, "an object", entry));
        }
        for (key, value) in entry.as_object().into_iter().flatten() {
            let key = key.decode();
            self.set(&key, value)
                .map_err(|expected| wrong(&format!("{path}/{key}"), expected, value))?;
        }
        self.is_known = true;
        Ok(())
    }

    /// Lays an entry of a table over these facts: every key must be one.
    pub(super) fn read_entry(
        &mut self,
        entry: Raw<'_>,
        path: &str,
        layer: Layer,
    ) -> Result<(), Error> {
        for (key, _) in entry.as_object().into_iter().flatten() {
            let key = key.decode();
            if !(KEYS.contains(&key.as_ref()) || ASIDE.contains(&key.as_ref())) {
                return Err(unknown_key(path, &key, KEYS));
            }
        }
        self.read(entry, path)?;
        self.layers.push(layer);
        Ok(())
    }

    /// Sets one fact; the error says what was expected.
    fn set(&mut self, key: &str, value: Raw<'_>) -> Result<(), &'static str> {
        const TEXT: &str = "a string";
        const TEXTS: &str = "an array of strings";
        const COUNT: &str = "a whole number";
        const TOKENS: &str = "a number of tokens, or null";
        const TAKEN: &str = "yes, yes?, no, no?, thinking, true or false";
        let text = || value.as_str().map(Into::into).ok_or(TEXT);
        let count = || {
            let number = value.as_u64().and_then(|n| usize::try_from(n).ok());
            number.ok_or(COUNT)
        };
        let tokens = || match value.as_u64() {
            None if !value.is_null() => Err(TOKENS),
            tokens => Ok(tokens),
        };
        let list = || strings(value).ok_or(TEXTS);
        let maybe = || match value.is_null() {
            true => Ok(None),
            false => text().map(Some),
        };
        let taken = || Support::read(value).ok_or(TAKEN);
        match key {
            "provider" => self.provider = text()?,
            "id" | "name" => self.id = text()?,
            "names" => self.names = list()?,
            "context_window" => self.context_window = tokens()?,
            "max_output_tokens" => {
                let said = value.as_str();
                let assumed = said.as_deref().and_then(|text| text.strip_suffix('?'));
                self.max_output_assumed = assumed.is_some();
                self.max_output_tokens = match assumed {
                    Some(number) => Some(number.parse().map_err(|_| TOKENS)?),
                    None => tokens()?,
                };
            }
            "one_sampling" => {
                self.one_sampling = value.as_bool().ok_or("true or false")?;
            }
            "reasoning" => {
                (self.reasoning, self.can_disable) = ReasoningSupport::read(value)
                    .ok_or(
                        "null, \"unsupported\" or an object with a `mode` of budgeted, \
                         leveled or adaptive",
                    )?;
            }
            "structured_output" => {
                self.structured_output = match value.as_bool() {
                    None if !value.is_null() => return Err("true, false or null"),
                    said => said,
                };
            }
            "features" => self.features = list()?,
            "system_messages" => self.system_messages = taken()?,
            "tool_changes" => self.tool_changes = taken()?,
            "message_effort" => self.message_effort = taken()?,
            "clear_at" => self.clear_at = taken()?,
            "forced_tool_choice" => self.forced_tool_choice = taken()?,
            // Bundles say null where JP's table does not say.
            "prefill" if value.is_null() => self.prefill = Support::AssumedNo,
            "prefill" => self.prefill = taken()?,
            "sampling" => self.sampling = taken()?,
            "signed_calls" => self.signed_calls = Some(taken()?),
            "tool_pictures" => self.tool_pictures = Some(taken()?),
            "min_cacheable" => self.min_cacheable = count()?,
            "images" => self.images = count()?,
            "thinking_refused" => self.thinking_refused = list()?,
            "thinking_off_effort" => self.thinking_off_effort = maybe()?,
            "between_tools" => self.between_tools = maybe()?,
            "keep_thinking" => {
                self.keep_thinking =
                    KeepThinking::read(value).ok_or("all, last or null")?;
            }
            "binding" => {
                let of = |key| Binding::read(value.get(key)?);
                const EXPECTED: &str =
                    "`old` and `new`, each not_checked, allow, reject or reject?";
                self.binding_old = of("old").ok_or(EXPECTED)?;
                self.binding_new = of("new").ok_or(EXPECTED)?;
            }
            "reads" => {
                let lines = value.as_array().into_iter().flatten().map(Reads::read);
                self.reads = lines.collect::<Option<_>>().ok_or(
                    "arrays of a model, yes or no, and a platform if it matters",
                )?;
            }
            "read_by_others" => self.read_by_others = Some(taken()?),
            "default_effort" => self.default_effort = text()?,
            "cache_read" => {
                self.cache_read = match value.as_f64() {
                    None if !value.is_null() => return Err("a factor, or null"),
                    factor => factor,
                };
            }
            _ => {}
        }
        Ok(())
    }
}

impl Reads {
    fn read(raw: Raw<'_>) -> Option<Self> {
        let mut parts = raw.as_array()?;
        Some(Self {
            maker: parts.next()?.as_str()?.into(),
            answer: Support::read(parts.next()?)?,
            platform: parts.next().and_then(Raw::as_str).map(Into::into),
        })
    }
}

/// The facts of a model's entry.
pub(super) const KEYS: &[&str] = &[
    "provider",
    "id",
    "name",
    "names",
    "context_window",
    "max_output_tokens",
    "one_sampling",
    "reasoning",
    "structured_output",
    "features",
    "system_messages",
    "tool_changes",
    "message_effort",
    "clear_at",
    "forced_tool_choice",
    "prefill",
    "sampling",
    "signed_calls",
    "tool_pictures",
    "min_cacheable",
    "images",
    "thinking_refused",
    "thinking_off_effort",
    "between_tools",
    "keep_thinking",
    "binding",
    "reads",
    "read_by_others",
    "default_effort",
    "cache_read",
    "released",
    "like",
];

/// What an entry says of itself and its names, not of the model.
pub(super) const ASIDE: &[&str] =
    &["source", "sources", "family", "from", "below", "without"];

pub(super) fn wrong(path: &str, expected: &str, found: Raw<'_>) -> Error {
    let found = match found.kind() {
        Kind::String if found.bytes().len() <= 40 => {
            String::from_utf8_lossy(found.bytes()).into_owned()
        }
        kind => kind.name().to_owned(),
    };
    let text = format!("expected {expected}, found {found}");
    Error::new(ErrorKind::Contract, "model-details", text).path(path)
}

pub(super) fn unknown_key(path: &str, key: &str, known: &[&str]) -> Error {
    let text = format!("{} is no fact that is known of", quoted(key));
    Error::new(ErrorKind::Contract, "model-details", text)
        .path(format!("{path}/{key}"))
        .hint(format!("one of {}", known.join(", ")))
}

/// The value of a fact, shared by all that copy it.
pub(super) type Shared = Arc<str>;
