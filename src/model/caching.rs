//! How a provider's prompt cache works, as data.
//!
//! One entry a kind of cache: by provider, platform and names of models, the first
//! that fits counts. What a vendor does not publish is absent, and [`Caching::note`]
//! says so to the reader of a report.

use super::entry::{Shared, unknown_key, wrong};
use super::feature::Platform;
use super::names::Names;
use super::source::{Fact, Layer, latest};
use crate::error::Error;
use crate::json::{Kind, Raw};

/// What ends an entry that a later request can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CacheKind {
    /// Breakpoints that the request sets; nothing is read between them.
    Breakpoints,
    /// Any position: whatever is equal from the start is read.
    #[default]
    Prefix,
    /// Units that the service chooses; one is read as a whole or not at all.
    Units,
    /// A resource that the request names.
    Resource,
}

impl CacheKind {
    /// As reports and the table's files call it.
    pub fn name(self) -> &'static str {
        match self {
            CacheKind::Breakpoints => "breakpoints",
            CacheKind::Prefix => "prefix",
            CacheKind::Units => "units",
            CacheKind::Resource => "resource",
        }
    }
}

/// The order in which the head of a prompt is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Tools, then system.
    ToolsFirst,
    /// Not published, or up to a template: a change anywhere costs all of it.
    #[default]
    OneHead,
}

/// A prompt cache.
#[derive(Debug, Clone, Default)]
pub struct Caching {
    /// What the table calls it.
    pub id: String,
    /// The provider it belongs to; empty for what is assumed of an unknown one.
    pub provider: String,
    /// What ends an entry.
    pub kind: CacheKind,
    /// Under breakpoints: whether one falls on the newest message by itself.
    pub implicit: bool,
    /// Whether it hashes tools before system text.
    pub order: Order,
    /// Fewest tokens that are cached, where the model does not say.
    pub least: Option<usize>,
    /// Tokens from which on caching is sure; between the two it is not.
    pub least_sure: Option<usize>,
    /// Tokens of a unit of reading: 1 for each of them, absent where nobody knows.
    pub step: Option<usize>,
    /// Tokens between the ends of entries that the service sets by itself.
    pub interval: Option<usize>,
    /// Breakpoints of one request.
    pub marks: Option<usize>,
    /// Positions that a breakpoint looks back over, itself the first.
    pub lookback: Option<usize>,
    /// Lifetimes by name, in seconds; the first is the default. None where they are
    /// not published.
    pub ttl: Vec<(String, u64)>,
    /// Price of a read, as a factor of the input price.
    pub read: Option<f64>,
    /// Price of a write by lifetime; empty where writing costs what reading anew does.
    pub write: Vec<(String, f64)>,
    /// What is not published, for the reader of a report.
    pub note: Option<String>,
    platform: Option<String>,
    names: Names,
    layers: Vec<Layer>,
}

const KEYS: &[&str] = &[
    "id",
    "provider",
    "platform",
    "names",
    "family",
    "within",
    "from",
    "below",
    "without",
    "kind",
    "implicit",
    "order",
    "least",
    "least_sure",
    "step",
    "interval",
    "marks",
    "lookback",
    "ttl",
    "read",
    "write",
    "note",
    "source",
    "sources",
];

impl Caching {
    /// Whether it is the cache of such a request.
    pub(super) fn is_of(&self, provider: &str, name: &str, platform: Platform) -> bool {
        self.provider == provider
            && self
                .platform
                .as_deref()
                .is_none_or(|one| one == platform.name())
            && self.names.hold(name)
    }

    /// Seconds that an entry of that lifetime is kept: the default's for a name that
    /// is not known; `None` where lifetimes are not published.
    pub fn lifetime(&self, name: Option<&str>) -> Option<u64> {
        let named = name.and_then(|name| self.ttl.iter().find(|(one, _)| one == name));
        named.or(self.ttl.first()).map(|(_, seconds)| *seconds)
    }

    /// The price of a write of that lifetime, as a factor of the input price: 1 where
    /// a write costs nothing extra.
    pub fn write_price(&self, name: Option<&str>) -> f64 {
        let named =
            name.and_then(|name| self.write.iter().find(|(one, _)| one == name));
        named
            .or(self.write.first())
            .map_or(1.0, |(_, factor)| *factor)
    }

    /// Whether the request says what is cached.
    pub fn is_marked(&self) -> bool {
        self.kind == CacheKind::Breakpoints
    }

    /// The tokens of `equal` that can be read: whole steps, none below the least
    /// length. Not for breakpoints, whose entries are read whole.
    pub fn readable(&self, equal: usize) -> usize {
        if self.least.is_some_and(|least| equal < least) {
            return 0;
        }
        let step = self.step.unwrap_or(1).max(1);
        equal / step * step
    }

    /// What is believed of it, each with its source.
    pub fn facts(&self) -> Vec<Fact<'_>> {
        latest(self.layers.iter().flat_map(Layer::facts))
    }

    /// Lays an entry over it.
    pub(super) fn read(
        &mut self,
        entry: Raw<'_>,
        path: &str,
        layer: Layer,
    ) -> Result<(), Error> {
        for (key, value) in entry.as_object().into_iter().flatten() {
            let key = key.decode();
            if !KEYS.contains(&&*key) {
                return Err(unknown_key(path, &key, KEYS));
            }
            self.set(&key, value)
                .map_err(|expected| wrong(&format!("{path}/{key}"), expected, value))?;
        }
        let selects = ["names", "family"];
        if selects.iter().any(|key| entry.get(key).is_some()) {
            self.names = Names::read(entry);
        }
        self.layers.push(layer);
        Ok(())
    }

    fn set(&mut self, key: &str, value: Raw<'_>) -> Result<(), &'static str> {
        let text = || value.as_str().ok_or("a string");
        let tokens = || match value.as_u64() {
            None if !value.is_null() => Err("a whole number, or null"),
            number => Ok(number.and_then(|n| usize::try_from(n).ok())),
        };
        match key {
            "id" => self.id = text()?.into(),
            "provider" => self.provider = text()?.into(),
            "platform" => {
                let known = Platform::parse(&text()?).ok_or("a platform")?;
                self.platform = Some(known.name().to_owned());
            }
            "kind" => {
                self.kind = match &*text()? {
                    "breakpoints" => CacheKind::Breakpoints,
                    "prefix" => CacheKind::Prefix,
                    "units" => CacheKind::Units,
                    "resource" => CacheKind::Resource,
                    _ => return Err("breakpoints, prefix, units or resource"),
                }
            }
            "order" => {
                self.order = match &*text()? {
                    "tools-first" => Order::ToolsFirst,
                    "one-head" => Order::OneHead,
                    _ => return Err("tools-first or one-head"),
                }
            }
            "implicit" => self.implicit = value.as_bool().ok_or("true or false")?,
            "least" => self.least = tokens()?,
            "least_sure" => self.least_sure = tokens()?,
            "step" => self.step = tokens()?,
            "interval" => self.interval = tokens()?,
            "marks" => self.marks = tokens()?,
            "lookback" => self.lookback = tokens()?,
            "ttl" => {
                let seconds = members(value, Raw::as_u64);
                self.ttl = seconds.ok_or("an object of seconds by name")?;
            }
            "write" => {
                let factors = members(value, Raw::as_f64);
                self.write = factors.ok_or("an object of factors by lifetime")?;
            }
            "read" => {
                self.read = match value.as_f64() {
                    None if !value.is_null() => return Err("a factor, or null"),
                    factor => factor,
                }
            }
            "note" => self.note = Some(text()?.into()),
            _ => {}
        }
        Ok(())
    }
}

fn members<'a, T>(
    value: Raw<'a>,
    of: impl Fn(Raw<'a>) -> Option<T>,
) -> Option<Vec<(String, T)>> {
    let all = value.as_object()?;
    all.map(|(key, value)| Some((key.decode().into(), of(value)?)))
        .collect()
}

/// What one platform does otherwise than the vendor's own API.
#[derive(Debug, Clone, Default)]
pub(super) struct PlatformFacts {
    pub(super) name: String,
    pub(super) runs_count_once: bool,
    pub(super) automatic_caching: Option<bool>,
    /// Limits laid over the API's own.
    pub(super) limits: Option<Shared>,
    pub(super) min_cacheable: Vec<(String, usize)>,
    pub(super) layers: Vec<Layer>,
}

const PLATFORM_KEYS: &[&str] = &[
    "runs_count_once",
    "automatic_caching",
    "limits",
    "min_cacheable",
    "source",
    "sources",
];

impl PlatformFacts {
    pub(super) fn read(
        &mut self,
        entry: Raw<'_>,
        path: &str,
        layer: Layer,
    ) -> Result<(), Error> {
        if entry.kind() != Kind::Object {
            return Err(wrong(path, "an object", entry));
        }
        for (key, value) in entry.as_object().into_iter().flatten() {
            let key = key.decode();
            let at = format!("{path}/{key}");
            let flag = || value.as_bool().ok_or("true or false");
            let count = |value: Raw<'_>| {
                value
                    .as_u64()
                    .and_then(|number| usize::try_from(number).ok())
            };
            let set = |facts: &mut Self| {
                match &*key {
                    "runs_count_once" => facts.runs_count_once = flag()?,
                    "automatic_caching" => facts.automatic_caching = Some(flag()?),
                    "limits" => {
                        let text = String::from_utf8_lossy(value.bytes());
                        facts.limits = Some(text.into());
                    }
                    "min_cacheable" => {
                        let lengths = members(value, count);
                        facts.min_cacheable =
                            lengths.ok_or("an object of tokens by model")?;
                    }
                    _ => {}
                }
                Ok(())
            };
            if !PLATFORM_KEYS.contains(&&*key) {
                return Err(unknown_key(path, &key, PLATFORM_KEYS));
            }
            set(self).map_err(|expected: &str| wrong(&at, expected, value))?;
        }
        self.layers.push(layer);
        Ok(())
    }
}
