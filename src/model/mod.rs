//! Models, features, betas, platforms, limits and prices: data and its reader.
//!
//! Everything that changes when a vendor ships a model is in `table.json` beside
//! this file (`docs/directives.md#gates`, `docs/directives.md#catalogue`, `docs/prefix.md#kinds-of-cache` and
//! `docs/prefix.md#binding`), so that a new model is a line there. A file of
//! the same shape overrides it field by field ([`Table::merge`]). Values ending
//! in `?` are assumed, not documented: who judges by them should warn, not fail.

mod cache_kind;
mod details;
mod feature;
pub mod openai;

pub use cache_kind::{CacheFacts, CacheKind, HeadOrder};
pub use details::{Binding, KeepThinking, Model, Support};
pub use feature::{Betas, Feature, Gate, Limits, Platform};

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw};
use feature::Way;
use std::borrow::Cow;
use std::sync::Arc;

const BUILT_IN: &str = include_str!("table.json");

/// All that is known of models and features. A clone is cheap.
#[derive(Debug, Clone, Default)]
pub struct Table {
    models: Arc<Vec<Arc<Model>>>,
    features: Arc<Vec<(Feature, Vec<Way>)>>,
    runs_count_once: Arc<Vec<String>>,
    limits: Limits,
}

impl Table {
    /// The table the program was built with.
    pub fn built_in() -> Self {
        let mut table = Self::default();
        let read = table.merge(BUILT_IN.as_bytes());
        debug_assert!(read.is_ok(), "the built-in table: {read:?}");
        table
    }

    /// Lays a file of the table's shape, or one model's entry, over this table.
    ///
    /// A model of a known `id` changes in the fields given; a new one starts as
    /// a copy of the model its `like` names, else of the newest.
    ///
    /// # Errors
    ///
    /// Bytes that are not JSON, or not of the table's shape.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let root = Raw::parse(bytes).map_err(|error| {
            Error::new(ErrorKind::Input, "json", error.to_string()).byte(error.offset)
        })?;
        if root.kind() != Kind::Object {
            return Err(shape("", "an object", root));
        }
        match root.get("models") {
            Some(models) => {
                let list = models
                    .as_array()
                    .ok_or_else(|| shape("/models", "an array", models))?;
                for (index, entry) in list.enumerate() {
                    self.merge_model(entry, &format!("/models/{index}"))?;
                }
            }
            None if root.get("id").or_else(|| root.get("name")).is_some() => {
                self.merge_model(root, "")?;
            }
            None => {}
        }
        for (name, ways) in root
            .get("features")
            .and_then(Raw::as_object)
            .into_iter()
            .flatten()
        {
            let Some(feature) = Feature::parse(&name.decode()) else {
                continue;
            };
            let ways = ways.as_array().into_iter().flatten().map(Way::read);
            let features = Arc::make_mut(&mut self.features);
            features.retain(|(one, _)| *one != feature);
            features.push((feature, ways.collect()));
        }
        if let Some(list) = root.get("runs_count_once").and_then(Raw::as_array) {
            let names = list.filter_map(Raw::as_str);
            self.runs_count_once = Arc::new(names.map(Cow::into_owned).collect());
        }
        if let Some(limits) = root.get("limits") {
            self.limits.read(limits);
        }
        Ok(())
    }

    fn merge_model(&mut self, entry: Raw<'_>, path: &str) -> Result<(), Error> {
        let id = entry.get("id").or_else(|| entry.get("name"));
        let id = id
            .and_then(Raw::as_str)
            .ok_or_else(|| shape(path, "a model with an `id`", entry))?;
        let models = Arc::make_mut(&mut self.models);
        if let Some(known) = models.iter_mut().find(|model| model.is(&id)) {
            return Arc::make_mut(known).read(entry, path);
        }
        let like = entry.get("like").and_then(Raw::as_str);
        let base = match like {
            Some(name) => self.model(&name),
            None => self.newest(),
        };
        let base = base.map(|model| Model::clone(model));
        let mut model = base.unwrap_or_default().renamed(&id);
        model.read(entry, path)?;
        Arc::make_mut(&mut self.models).push(Arc::new(model));
        Ok(())
    }

    /// The model of that name, however the platform spells it.
    ///
    /// Known spellings beside the plain id: with a date (`-20251001`,
    /// `@20251001`), `-latest`, Bedrock's `us.anthropic.<id>-v1:0` and the like,
    /// and a gateway's `anthropic/<id>`, with dots in the version.
    pub fn model(&self, name: &str) -> Option<&Arc<Model>> {
        let find = |name: &str| self.models.iter().find(|model| model.is(name));
        find(name).or_else(|| {
            let plain = plain_name(name);
            find(&plain).or_else(|| find(without_date(&plain)))
        })
    }

    /// The model whose profile stands in for an unknown one.
    pub fn newest(&self) -> Option<&Arc<Model>> {
        self.models.first()
    }

    /// All models, newest first.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// The limits of a request.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether a run of calls or of results is one position of the cache's
    /// lookback on this platform.
    pub fn runs_count_once(&self, platform: Platform) -> bool {
        let mut names = self.runs_count_once.iter();
        names.any(|name| name == platform.name())
    }

    /// The beta headers that open a feature on a platform; one is enough.
    pub fn betas_for(
        &self,
        feature: Feature,
        platform: Platform,
    ) -> impl Iterator<Item = &str> {
        self.ways(feature)
            .iter()
            .filter(move |way| way.on(platform))
            .filter_map(Way::beta)
    }

    /// Whether a platform takes a beta header; `None` for one that opens no feature
    /// of the table.
    pub fn takes_beta(&self, beta: &str, platform: Platform) -> Option<bool> {
        let all = self.features.iter().flat_map(|(_, ways)| ways);
        let mut ways = all.filter(|way| way.beta() == Some(beta)).peekable();
        ways.peek()?;
        Some(ways.any(|way| way.on(platform)))
    }

    fn ways(&self, feature: Feature) -> &[Way] {
        let found = self.features.iter().find(|(one, _)| *one == feature);
        found.map_or(&[], |(_, ways)| ways)
    }

    /// Whether a feature may be used on a platform with these betas.
    pub fn gate(&self, feature: Feature, platform: Platform, betas: &Betas) -> Gate {
        let here = || self.ways(feature).iter().filter(|way| way.on(platform));
        if here().next().is_none() {
            return Gate::NotHere;
        }
        if here().any(|way| way.beta().is_none_or(|beta| betas.has(beta))) {
            return Gate::Open;
        }
        match betas {
            Betas::Unknown => Gate::Unknown,
            Betas::Known(_) => Gate::NeedsBeta,
        }
    }
}

fn shape(path: &str, expected: &str, found: Raw<'_>) -> Error {
    Error::new(
        ErrorKind::Contract,
        "model-details",
        format!("expected {expected}, found {}", found.kind().name()),
    )
    .path(path)
}

/// A name without what platforms and gateways put around it.
fn plain_name(name: &str) -> String {
    let tail = name.rsplit(['/', '.']).next().unwrap_or(name);
    let name = match name
        .rsplit_once("anthropic/")
        .or(name.rsplit_once("anthropic."))
    {
        Some((_, rest)) => rest,
        None if tail.starts_with("claude") => tail,
        None => name,
    };
    let name = name.split(':').next().unwrap_or(name);
    let version = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
    let name = match name.rsplit_once("-v") {
        Some((plain, rest)) if version(rest) => plain,
        _ => name,
    };
    name.replace(['@', '.'], "-")
}

fn without_date(name: &str) -> &str {
    let name = name.strip_suffix("-latest").unwrap_or(name);
    match name.rsplit_once('-') {
        Some((plain, date))
            if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) =>
        {
            plain
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_platform_lead_to_the_model() {
        let table = Table::built_in();
        for (name, id) in [
            ("claude-opus-5", "claude-opus-5"),
            ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
            ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
            ("claude-haiku-4-5-20260101", "claude-haiku-4-5"),
            ("us.anthropic.claude-opus-4-8-v1:0", "claude-opus-4-8"),
            ("anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
            ("anthropic/claude-opus-4.5", "claude-opus-4-5"),
            ("claude-3-5-sonnet-latest", "claude-3-5-sonnet"),
        ] {
            let found = table.model(name).map(|model| model.id.as_str());
            assert_eq!(found, Some(id), "{name}");
        }
        for name in ["claude-next", "", "gpt-5", "claude-opus-5-6", "/", "."] {
            assert!(table.model(name).is_none(), "{name}");
        }
    }

    #[test]
    fn the_built_in_table_is_whole() {
        let table = Table::built_in();
        assert_eq!(table.models().len(), 28);
        assert_eq!(table.limits().breakpoints, 4);
        for feature in Feature::ALL {
            assert!(!table.ways(feature).is_empty(), "{feature:?}");
        }
        let opus = table.model("claude-opus-5-5").expect("a known model");
        assert_eq!(opus.forced_tool_choice, Support::No);
        assert_eq!(opus.cache_read, 0.05);
        assert_eq!(opus.binding_new, Binding::Reject);
    }

    #[test]
    fn a_file_changes_only_what_it_says() {
        let mut table = Table::built_in();
        let file = br#"{"models":[{"id":"claude-opus-5","min_cacheable":7},
            {"id":"claude-next","like":"claude-sonnet-5","prefill":"yes"}]}"#;
        table.merge(file).expect("a table");
        let opus = table.model("claude-opus-5").expect("known");
        assert_eq!((opus.min_cacheable, opus.prefill), (7, Support::No));
        let next = table.model("claude-next").expect("added");
        assert_eq!(next.system_messages, Support::No);
        assert_eq!(next.prefill, Support::Yes);
        for bad in ["", "[]", r#"{"models":{}}"#, r#"{"models":[{}]}"#] {
            assert!(table.merge(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(table.merge(br#"{"id":"x","prefill":"perhaps"}"#).is_err());
    }

    #[test]
    fn a_gate_says_what_is_missing() {
        let table = Table::built_in();
        let with = |beta: &str| Betas::Known(vec![beta.to_owned()]);
        let july = with("mid-conversation-tool-changes-2026-07-01");
        let inline = with("inline-tools-2026-09-15");
        let (api, bedrock) = (Platform::ClaudeApi, Platform::Bedrock);
        let gate = |feature, platform, betas| table.gate(feature, platform, betas);
        assert_eq!(
            gate(Feature::SystemMessage, api, &Betas::Unknown),
            Gate::Open
        );
        assert_eq!(gate(Feature::ToolChange, api, &july), Gate::Open);
        assert_eq!(gate(Feature::ToolChange, bedrock, &inline), Gate::NeedsBeta);
        assert_eq!(gate(Feature::ToolDefinition, api, &july), Gate::NeedsBeta);
        assert_eq!(
            gate(Feature::ToolDefinition, bedrock, &inline),
            Gate::NotHere
        );
        assert_eq!(gate(Feature::ClearAt, api, &Betas::Unknown), Gate::Unknown);
    }
}
