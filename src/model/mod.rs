//! Every fact about providers, models, betas, platforms, caches, limits and prices:
//! data and its reader.
//!
//! Everything that changes when a vendor ships a model is in the files of `facts/`
//! beside this one, by vendor, each fact with its source and the source's date, so
//! that a new model is a line there. A file of the same shape, given by the user,
//! overrides it field by field ([`Table::merge`]); `convo models` shows what is
//! believed and why. Values ending in `?` are assumed, not documented: who judges by
//! them should warn, not fail.

mod caching;
mod entry;
mod feature;
mod merge;
mod names;
pub mod openai;
mod reads;
mod source;
mod support;

pub use caching::{CacheKind, Caching, Order};
pub use entry::Model;
pub use feature::{Betas, Feature, Gate, Limits, Platform};
pub use source::{Fact, Source};
pub use support::{Binding, KeepThinking, ReasoningSupport, Support};

use caching::PlatformFacts;
use feature::Way;
use names::{Names, plain_name, without_date};
use std::borrow::Cow;
use std::sync::Arc;

/// The provider whose models and platforms the Messages API has.
const CLAUDE: &str = "anthropic";

/// All that is known. A clone is cheap.
#[derive(Debug, Clone, Default)]
pub struct Table {
    models: Arc<Vec<Arc<Model>>>,
    /// What holds of names that are not listed, the first that fits.
    families: Arc<Vec<(Names, Arc<Model>)>>,
    caches: Arc<Vec<Arc<Caching>>>,
    features: Arc<Vec<(Feature, Vec<Way>)>>,
    platforms: Arc<Vec<PlatformFacts>>,
    limits: Limits,
    /// The objects of limits and features as read, for their sources.
    said: Arc<Vec<(&'static str, source::Layer)>>,
}

impl Table {
    /// The Claude model of that name, however the platform spells it.
    ///
    /// Known spellings beside the plain id: with a date (`-20251001`,
    /// `@20251001`), `-latest`, Bedrock's `us.anthropic.<id>-v1:0` and the like,
    /// and a gateway's `anthropic/<id>`, with dots in the version.
    pub fn model(&self, name: &str) -> Option<&Arc<Model>> {
        let find = |name: &str| self.named(CLAUDE, name);
        find(name).or_else(|| {
            let plain = plain_name(name);
            find(&plain).or_else(|| find(without_date(&plain)))
        })
    }

    /// A provider's model; a dated or `-latest` spelling of a known name counts as
    /// that model, and for Anthropic every spelling of [`Self::model`].
    pub fn find(&self, provider: &str, name: &str) -> Option<&Arc<Model>> {
        match provider {
            CLAUDE => self.model(name),
            _ => self
                .named(provider, name)
                .or_else(|| self.named(provider, without_date(name))),
        }
    }

    /// What is known of a provider's model, also where it is not in the table: then
    /// what holds of its family. Its `id` is the name as given.
    pub fn describe(&self, provider: &str, name: &str) -> Arc<Model> {
        let mut families = self.families.iter();
        let family = families
            .find(|(names, family)| family.provider == provider && names.hold(name));
        let mut model = match (self.find(provider, name), family) {
            (Some(model), Some((_, family))) => {
                let mut model = Arc::clone(model);
                let facts = Arc::make_mut(&mut model);
                facts.signed_calls = facts.signed_calls.or(family.signed_calls);
                facts.tool_pictures = facts.tool_pictures.or(family.tool_pictures);
                model
            }
            (Some(model), _) => Arc::clone(model),
            (None, Some((_, family))) => Arc::clone(family),
            (None, None) => Arc::new(Model::unknown(name)),
        };
        if model.id != name {
            name.clone_into(&mut Arc::make_mut(&mut model).id);
        }
        model
    }

    /// The entry of exactly that name; what a user added goes before the rest.
    fn named(&self, provider: &str, name: &str) -> Option<&Arc<Model>> {
        self.models.iter().find(|model| {
            model.is(name) && (model.provider.is_empty() || model.provider == provider)
        })
    }

    /// The providers that have a model of that name.
    pub fn providers_of(&self, name: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let spelt = [name, without_date(name)];
        for model in self.models.iter().filter(|one| !one.provider.is_empty()) {
            let is = spelt.iter().any(|name| model.is(name));
            if is && !found.contains(&&*model.provider) {
                found.push(&model.provider);
            }
        }
        found
    }

    /// The model whose profile stands in for an unknown one of the Messages API.
    pub fn newest(&self) -> Option<&Arc<Model>> {
        self.models.iter().find(|model| model.provider == CLAUDE)
    }

    /// All models: by vendor, newest first.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// All caches.
    pub fn caches(&self) -> &[Arc<Caching>] {
        &self.caches
    }

    /// The prompt cache of a provider's model on a platform, with what the model and
    /// the platform say of it: the least length and the price of a read.
    pub fn caching(&self, provider: &str, name: &str, platform: Platform) -> Caching {
        let mut all = self.caches.iter();
        let found = all.find(|one| one.is_of(provider, name, platform));
        let mut caching = found.map(|one| Caching::clone(one)).unwrap_or_default();
        let claude = name
            .rsplit_once("anthropic/")
            .map_or(name, |(_, rest)| rest);
        let model = match provider {
            CLAUDE => self.model(name),
            _ if name.contains("anthropic/") => self.model(claude),
            _ => self.find(provider, name),
        };
        if let Some(model) = model {
            if caching.least.is_none() && model.min_cacheable > 0 {
                caching.least = Some(self.min_cacheable(model, platform));
            }
            caching.read = model.cache_read.or(caching.read);
        }
        caching
    }

    /// The fewest tokens that are cached of a Claude model on a platform.
    pub fn min_cacheable(&self, model: &Model, platform: Platform) -> usize {
        let own = self.platform(platform).and_then(|facts| {
            let found = facts.min_cacheable.iter().find(|(id, _)| model.is(id));
            found.map(|(_, tokens)| *tokens)
        });
        own.unwrap_or(model.min_cacheable)
    }

    fn platform(&self, platform: Platform) -> Option<&PlatformFacts> {
        let mut all = self.platforms.iter();
        all.find(|facts| facts.name == platform.name())
    }

    /// What is believed of `"limits"`, or of `"features"`, each with its source.
    pub fn facts(&self, of: &str) -> Vec<Fact<'_>> {
        let layers = self.said.iter().filter(|(one, _)| *one == of);
        source::latest(layers.flat_map(|(_, layer)| layer.facts()))
    }

    /// What is believed of a platform, each with its source.
    pub fn platform_facts(&self, platform: Platform) -> Vec<Fact<'_>> {
        let facts = self.platform(platform);
        let layers = facts.into_iter().flat_map(|facts| &facts.layers);
        source::latest(layers.flat_map(source::Layer::facts))
    }

    /// The limits of a request on the vendor's own API.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The limits of a request on a platform.
    pub fn limits_on(&self, platform: Platform) -> Cow<'_, Limits> {
        let own = self
            .platform(platform)
            .and_then(|facts| facts.limits.as_ref());
        match own {
            None => Cow::Borrowed(&self.limits),
            Some(own) => {
                let mut limits = self.limits;
                let read =
                    limits.read(crate::json::Raw::checked(own.as_bytes()), "/limits");
                debug_assert!(read.is_ok(), "checked when it was merged: {read:?}");
                Cow::Owned(limits)
            }
        }
    }

    /// Whether a platform takes `cache_control` at the top of a request.
    pub fn takes_automatic_caching(&self, platform: Platform) -> bool {
        let facts = self.platform(platform);
        facts.and_then(|facts| facts.automatic_caching) != Some(false)
    }

    /// Whether a run of calls or of results is one position of the cache's
    /// lookback on this platform.
    pub fn runs_count_once(&self, platform: Platform) -> bool {
        let facts = self.platform(platform);
        facts.is_some_and(|facts| facts.runs_count_once)
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
        for model in table.models() {
            assert!(!model.provider.is_empty(), "{}", model.id);
            for fact in model.facts() {
                let source = fact.source.expect("a source");
                let cited = source.url.is_some() && source.date.is_some();
                assert!(
                    cited || source.title.contains("not published"),
                    "{model:?} {}",
                    fact.key
                );
            }
            let own = table.find(&model.provider, &model.id).expect("itself");
            assert_eq!(
                own.id, model.id,
                "no two entries of a provider share a name"
            );
        }
        for caching in table.caches() {
            for fact in caching.facts() {
                assert!(
                    fact.source.is_some_and(|one| one.date.is_some()),
                    "{}",
                    fact.key
                );
            }
        }
        for feature in Feature::ALL {
            assert!(!table.ways(feature).is_empty(), "{feature:?}");
        }
        let opus = table.model("claude-opus-5-5").expect("a known model");
        assert_eq!(opus.forced_tool_choice, Support::No);
        assert_eq!(opus.cache_read, Some(0.05));
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
        for (bad, path) in [
            ("", None),
            ("1", Some("")),
            (r#"{"models":{}}"#, Some("/models")),
            (r#"{"models":[{}]}"#, Some("/models/0")),
            (r#"{"id":"x","prefill":"perhaps"}"#, Some("/prefill")),
            (
                r#"{"id":"x","max_output_tokens":"8"}"#,
                Some("/max_output_tokens"),
            ),
            (r#"{"id":"x","colour":1}"#, Some("/colour")),
            (r#"{"id":"x","like":"nobody"}"#, Some("/like")),
            (r#"{"limit":{}}"#, Some("/limit")),
            (r#"{"limits":{"breakpoint":2}}"#, Some("/limits/breakpoint")),
            (
                r#"{"limits":{"breakpoints":"2"}}"#,
                Some("/limits/breakpoints"),
            ),
            (
                r#"{"features":{"teleport":[]}}"#,
                Some("/features/teleport"),
            ),
            (
                r#"{"features":{"clear_at":[{}]}}"#,
                Some("/features/clear_at/0"),
            ),
            (r#"{"platforms":{"moon":{}}}"#, Some("/platforms/moon")),
            (
                r#"{"platforms":{"bedrock":{"limits":{"messages":-1}}}}"#,
                Some("/platforms/bedrock/limits/messages"),
            ),
            (
                r#"{"caches":[{"id":"claude","ttl":5}]}"#,
                Some("/caches/0/ttl"),
            ),
        ] {
            let error = table.merge(bad.as_bytes()).expect_err(bad);
            assert_eq!(error.position.path.as_deref(), path, "{bad}");
        }
    }

    #[test]
    fn one_shape_serves_models_of_every_provider() {
        let mut table = Table::built_in();
        for file in [
            r#"{"name":"gpt-9","provider":"openai","max_output_tokens":9}"#,
            r#"[{"name":"gpt-9","provider":"openai","max_output_tokens":9}]"#,
            r#"{"models":[{"id":"gpt-9","provider":"openai","max_output_tokens":9}]}"#,
        ] {
            table.merge(file.as_bytes()).expect(file);
            let found = table.find("openai", "gpt-9").expect("added");
            assert_eq!((found.max_output_tokens, found.is_known), (Some(9), true));
            assert!(table.find("google", "gpt-9").is_none());
        }
        // The entry speaks of one provider's, or of all that have the model.
        let name = "gpt-oss-120b";
        assert_eq!(table.providers_of(name), ["openai", "cerebras"]);
        let limit =
            |table: &Table, of: &str| table.find(of, name).expect(of).context_window;
        let own = br#"{"id":"gpt-oss-120b","provider":"cerebras","context_window":1}"#;
        table.merge(own).expect("an entry");
        assert_eq!(limit(&table, "cerebras"), Some(1));
        assert_eq!(limit(&table, "openai"), Some(131_072));
        let all = br#"{"id":"gpt-oss-120b","context_window":2}"#;
        table.merge(all).expect("an entry");
        assert_eq!(limit(&table, "cerebras"), Some(2));
        assert_eq!(limit(&table, "openai"), Some(2));
    }

    #[test]
    fn what_is_not_listed_has_the_facts_of_its_family() {
        let table = Table::built_in();
        for (name, expected) in [
            ("gemini-2.0-flash", Support::No),
            ("gemini-1.5-pro", Support::No),
            ("gemini-2.5-flash", Support::No),
            ("gemini-3-pro-preview", Support::Yes),
            ("models/gemini-4-argon", Support::Yes),
            ("gemini-3-pro-image", Support::AssumedYes),
            ("gemini-flash-latest", Support::AssumedYes),
            ("gemma", Support::AssumedYes),
        ] {
            let found = table.describe("google", name);
            assert_eq!(found.signed_calls, Some(expected), "{name}");
            assert_eq!(found.id, name);
        }
    }

    #[test]
    fn caches_are_found_by_provider_model_and_platform() {
        let table = Table::built_in();
        for (provider, name, platform, id, least) in [
            (
                "anthropic",
                "claude-opus-4-7",
                Platform::ClaudeApi,
                "claude",
                2048,
            ),
            (
                "anthropic",
                "claude-opus-4-7",
                Platform::Bedrock,
                "claude-bedrock",
                4096,
            ),
            (
                "openai",
                "gpt-5.6",
                Platform::ClaudeApi,
                "openai-breakpoints",
                1024,
            ),
            ("openai", "gpt-5.5", Platform::ClaudeApi, "openai-5.5", 1024),
            ("openai", "gpt-5", Platform::ClaudeApi, "openai-older", 1024),
            (
                "openai",
                "gpt-4o",
                Platform::ClaudeApi,
                "openai-gpt-4o",
                1024,
            ),
            (
                "google",
                "gemini-2.5-pro",
                Platform::ClaudeApi,
                "gemini-2",
                2048,
            ),
            (
                "google",
                "gemini-pro-latest",
                Platform::ClaudeApi,
                "gemini",
                4096,
            ),
            (
                "openrouter",
                "anthropic/claude-opus-4.6",
                Platform::ClaudeApi,
                "openrouter-anthropic",
                4096,
            ),
            (
                "openrouter",
                "openai/gpt-5.6",
                Platform::ClaudeApi,
                "openrouter-openai-breakpoints",
                1024,
            ),
            (
                "openrouter",
                "deepseek/deepseek-v4",
                Platform::ClaudeApi,
                "openrouter-deepseek",
                0,
            ),
            (
                "cerebras",
                "zai-glm-4.7",
                Platform::ClaudeApi,
                "cerebras",
                128,
            ),
            ("ollama", "qwen3.5:9b", Platform::ClaudeApi, "ollama", 0),
        ] {
            let found = table.caching(provider, name, platform);
            assert_eq!(found.id, id, "{provider} {name}");
            assert_eq!(found.least.unwrap_or(0), least, "{provider} {name}");
        }
        let claude = table.caching("anthropic", "claude-opus-5-5", Platform::ClaudeApi);
        assert_eq!(claude.read, Some(0.05));
        assert_eq!(claude.write_price(Some("1h")), 2.0);
        assert_eq!(claude.lifetime(None), Some(300));
        let older = table.caching("openai", "gpt-5", Platform::ClaudeApi);
        assert_eq!((older.readable(1000), older.readable(1100)), (0, 1024));
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

    /// `docs/prefix.md#kinds-of-cache`
    #[test]
    fn each_provider_has_its_kind_of_cache() {
        use CacheKind::{Breakpoints, Prefix, Units};
        let table = Table::built_in();
        for (provider, model, kind, implicit, least, step) in [
            (
                "anthropic",
                "claude-opus-5",
                Breakpoints,
                false,
                Some(512),
                None,
            ),
            ("openai", "gpt-5.5", Prefix, false, Some(1024), Some(128)),
            ("openai", "gpt-5", Prefix, false, Some(1024), Some(128)),
            ("openai", "o4-mini", Prefix, false, Some(1024), Some(128)),
            ("openai", "gpt-5.6-pro", Breakpoints, true, Some(1024), None),
            ("openai", "gpt-6", Breakpoints, true, Some(1024), None),
            ("google", "gemini-2.5-pro", Prefix, false, Some(2048), None),
            (
                "google",
                "gemini-3.5-flash",
                Prefix,
                false,
                Some(4096),
                None,
            ),
            (
                "openrouter",
                "openai/gpt-5.6",
                Breakpoints,
                true,
                Some(1024),
                None,
            ),
            (
                "openrouter",
                "deepseek/deepseek-v4",
                Units,
                false,
                None,
                Some(128),
            ),
            (
                "cerebras",
                "gpt-oss-120b",
                Prefix,
                false,
                Some(128),
                Some(128),
            ),
            ("llamacpp", "m", Prefix, false, None, Some(1)),
            ("ollama", "m", Prefix, false, None, Some(1)),
        ] {
            let facts = table.caching(provider, model, Platform::ClaudeApi);
            let found = (facts.kind, facts.implicit, facts.least, facts.step);
            assert_eq!(found, (kind, implicit, least, step), "{provider} {model}");
        }
    }

    #[test]
    fn prices_of_a_cache_can_be_laid_over() {
        let mut table = Table::built_in();
        let own = br#"{"caches":[{"id":"claude","write":{"5m":9,"1h":10}}]}"#;
        table.merge(own).expect("facts");
        let facts = table.caching("anthropic", "claude-opus-5", Platform::ClaudeApi);
        let found = (facts.write_price(None), facts.write_price(Some("1h")));
        assert_eq!(found, (9.0, 10.0));
    }
}
