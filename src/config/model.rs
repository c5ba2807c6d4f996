//! Which model a configuration names, and with which parameters.
//!
//! `docs/formats.md#merging` (`assistant.model.id`, `providers.llm.aliases`,
//! `assistant.model.parameters`) and `docs/bodies.md#reasoning`. What a model can do
//! is in the model table, not here.

use super::warn::{Path, Warnings};
use crate::error::{Error, ErrorKind};
use crate::json::{Cursor, Kind, Raw, Text};
use std::borrow::Cow;
use std::collections::HashMap;

/// How many aliases may lead to one another.
const ALIAS_STEPS: usize = 8;

/// A provider and a model of it, as the configuration spells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRef<'a> {
    /// The provider's id.
    pub provider: Cow<'a, str>,
    /// The model's name on the wire.
    pub name: Cow<'a, str>,
}

/// A stored model id.
#[derive(Debug, Clone)]
pub(crate) enum ModelId<'a> {
    Text(Text<'a>),
    Parts {
        provider: Option<Text<'a>>,
        name: Option<Text<'a>>,
    },
}

impl<'a> ModelId<'a> {
    pub(crate) fn read(
        value: Raw<'a>,
        path: &Path<'_>,
        warnings: &mut Warnings,
    ) -> Option<Self> {
        if let Some(text) = value.as_text() {
            return Some(ModelId::Text(text));
        }
        if value.kind() != Kind::Object {
            if !value.is_null() {
                let expected = "`provider/name`, an alias or {provider, name}";
                warnings.absent(path, value, expected);
            }
            return None;
        }
        let field = |key| value.get(key).and_then(Raw::as_text);
        Some(ModelId::Parts {
            provider: field("provider"),
            name: field("name"),
        })
    }

    pub(crate) fn merge(&mut self, next: Self) {
        match (self, next) {
            (
                ModelId::Parts { provider, name },
                ModelId::Parts {
                    provider: next_provider,
                    name: next_name,
                },
            ) => {
                *provider = next_provider.or(*provider);
                *name = next_name.or(*name);
            }
            (id, next) => *id = next,
        }
    }
}

/// The named models of `providers.llm.aliases`.
type Aliases<'a> = HashMap<Cow<'a, str>, Raw<'a>>;

/// `assistant.model.id` and the aliases it may use.
#[derive(Debug, Clone, Default)]
pub struct ModelChoice<'a> {
    id: Option<ModelId<'a>>,
    aliases: Aliases<'a>,
}

impl<'a> ModelChoice<'a> {
    pub(crate) fn merge(
        &mut self,
        id: Option<ModelId<'a>>,
        aliases: Vec<(Text<'a>, Raw<'a>)>,
    ) {
        match (&mut self.id, id) {
            (Some(id), Some(next)) => id.merge(next),
            (id, Some(next)) => *id = Some(next),
            (_, None) => {}
        }
        let aliases = aliases.into_iter().filter(|(_, value)| !value.is_null());
        self.aliases
            .extend(aliases.map(|(name, value)| (name.decode(), value)));
    }

    /// Merges what a delta says of the model, and nothing else of it; whether
    /// that is anything.
    pub fn follow(&mut self, delta: &super::Delta<'a>) -> bool {
        let unset = |path: &Cow<'_, str>| {
            matches!(&**path, "assistant.model" | "assistant.model.id")
        };
        let unsets = delta.unsets.iter().any(unset);
        if unsets {
            self.unset();
        }
        let Some(layer) = &delta.layer else {
            return unsets;
        };
        let (id, aliases) = (layer.assistant.model_id.clone(), layer.aliases.clone());
        let says = unsets || id.is_some() || !aliases.is_empty();
        self.merge(id, aliases);
        says
    }

    pub(crate) fn unset(&mut self) {
        self.id = None;
    }

    /// The model in force; `None` when no model is named.
    ///
    /// # Errors
    ///
    /// An alias that leads nowhere.
    pub fn resolve(&self) -> Result<Option<ModelRef<'a>>, Error> {
        match &self.id {
            None => Ok(None),
            Some(ModelId::Text(text)) => self.named(&text.decode()).map(Some),
            Some(ModelId::Parts { provider, name }) => {
                Ok(provider.zip(*name).map(|(provider, name)| ModelRef {
                    provider: provider.decode(),
                    name: name.decode(),
                }))
            }
        }
    }

    /// Whether `name` is an alias.
    pub fn has_alias(&self, name: &str) -> bool {
        self.aliases.contains_key(name)
    }

    /// What a string means as a model id: `provider/name`, or an alias.
    ///
    /// # Errors
    ///
    /// An alias that leads nowhere.
    pub fn named(&self, text: &Cow<'a, str>) -> Result<ModelRef<'a>, Error> {
        let mut at = text.clone();
        for _ in 0..=ALIAS_STEPS {
            if let Some((provider, name)) = at.split_once('/') {
                return Ok(ModelRef {
                    provider: Cow::Owned(provider.to_owned()),
                    name: Cow::Owned(name.to_owned()),
                });
            }
            let Some(value) = self.aliases.get(&at) else {
                let via = if at == *text {
                    String::new()
                } else {
                    format!(" (reached from `{text}`)")
                };
                return Err(unknown(format!(
                    "model alias `{at}`{via} is not in `providers.llm.aliases`"
                )));
            };
            let Some(next) = value.as_str() else {
                let field = |key| value.get(key).and_then(Raw::as_str);
                let found = value.kind().name();
                return field("provider")
                    .zip(field("name"))
                    .map(|(provider, name)| ModelRef { provider, name })
                    .ok_or_else(|| {
                        unknown(format!(
                            "model alias `{at}` needs `provider` and `name`, found {found}"
                        ))
                    });
            };
            at = next;
        }
        Err(unknown(format!(
            "model alias `{text}` leads through more than {ALIAS_STEPS} aliases, or in \
             a circle"
        )))
    }
}

fn unknown(message: String) -> Error {
    Error::new(ErrorKind::Contract, "unknown-alias", message)
        .hint("name the model with --model PROVIDER/NAME")
}

/// How much a configuration asks a model to reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// `auto`: as much as the model likes.
    Auto,
    /// `none`.
    None,
    /// `xlow`.
    XLow,
    /// `low`.
    Low,
    /// `medium`.
    Medium,
    /// `high`.
    High,
    /// `xhigh`.
    XHigh,
    /// `max`.
    Max,
    /// A number of tokens.
    Absolute(u64),
}

/// `assistant.model.parameters.reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasoning {
    /// `off`.
    Off,
    /// `auto`: the model's default.
    Auto,
    /// On, with an effort, which may itself be `auto`.
    On(Effort),
}

/// `assistant.model.parameters`, each value as stored.
#[derive(Debug, Clone, Default)]
pub struct ModelParameters<'a> {
    map: HashMap<Cow<'a, str>, Raw<'a>>,
    other: HashMap<Cow<'a, str>, Raw<'a>>,
    reasoning: Option<Raw<'a>>,
    effort: Option<Raw<'a>>,
}

impl<'a> ModelParameters<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>, warnings: &mut Warnings) -> Self {
        let mut read = Self::default();
        let object = cursor.object(|cursor, key| {
            if key.is("other") && cursor.kind() == Kind::Object {
                cursor.object(|cursor, key| {
                    insert(&mut read.other, key, cursor.take());
                });
                return;
            }
            let value = cursor.take();
            if !key.is("reasoning") {
                insert(&mut read.map, key, value);
            } else if value.kind() == Kind::Object {
                read.reasoning = Some(value);
                read.effort = value.get("effort").filter(|effort| !effort.is_null());
            } else if !value.is_null() {
                read.reasoning = Some(value);
                read.effort = None;
            }
        });
        if !object {
            let path = "assistant.model.parameters";
            warnings.push("config-value", format!("`{path}` is not an object"));
        }
        if let Some(reasoning) = read.reasoning
            && read.reasoning().is_none()
            && (reasoning.kind() != Kind::Object || read.effort.is_some())
        {
            let path = Path::Root("assistant.model.parameters.reasoning");
            let expected = "`off`, `auto` or an object with a known `effort`";
            warnings.absent(&path, reasoning, expected);
            read.reasoning = None;
            read.effort = None;
        }
        read
    }

    pub(crate) fn merge(&mut self, next: Self) {
        self.map.extend(next.map);
        self.other.extend(next.other);
        let object = |value: Option<Raw<'_>>| {
            value.is_some_and(|value| value.kind() == Kind::Object)
        };
        if next.reasoning.is_some() {
            let both = object(self.reasoning) && object(next.reasoning);
            self.effort = next.effort.or(self.effort.filter(|_| both));
            self.reasoning = next.reasoning;
        }
    }

    pub(crate) fn unset(&mut self, key: &str) {
        match key.strip_prefix("other.") {
            Some(key) => {
                self.other.remove(key);
            }
            None if key == "reasoning" => {
                self.reasoning = None;
                self.effort = None;
            }
            None if key == "reasoning.effort" => self.effort = None,
            None if key == "other" => self.other.clear(),
            None => {
                self.map.remove(key);
            }
        }
    }

    /// The parameter `key`, written directly or under `other`.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.map.get(key).or_else(|| self.other.get(key)).copied()
    }

    /// All parameters but reasoning, those under `other` among them, by name.
    pub fn all(&self) -> Vec<(&str, Raw<'a>)> {
        let both = self.map.iter().chain(&self.other);
        let mut all: Vec<_> = both.map(|(name, value)| (&**name, *value)).collect();
        all.sort_by_key(|(name, _)| *name);
        all.dedup_by_key(|(name, _)| *name);
        all
    }

    /// What is asked of the model's reasoning; `None` for no opinion.
    pub fn reasoning(&self) -> Option<Reasoning> {
        let value = self.reasoning?;
        if value.kind() == Kind::Object {
            return effort(self.effort?).map(Reasoning::On);
        }
        match &*value.as_str()? {
            "off" => Some(Reasoning::Off),
            "auto" => Some(Reasoning::Auto),
            _ => None,
        }
    }
}

fn insert<'a>(map: &mut HashMap<Cow<'a, str>, Raw<'a>>, key: Text<'a>, value: Raw<'a>) {
    if !value.is_null() {
        map.insert(key.decode(), value);
    }
}

fn effort(value: Raw<'_>) -> Option<Effort> {
    if value.kind() == Kind::Object {
        return value
            .get("absolute")
            .and_then(Raw::as_u64)
            .map(Effort::Absolute);
    }
    Some(match &*value.as_str()? {
        "auto" => Effort::Auto,
        "none" => Effort::None,
        "xlow" => Effort::XLow,
        "low" => Effort::Low,
        "medium" => Effort::Medium,
        "high" => Effort::High,
        "xhigh" => Effort::XHigh,
        "max" => Effort::Max,
        _ => return None,
    })
}
