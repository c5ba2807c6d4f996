//! What a client can do at one provider: which marks, messages and tool changes its
//! model takes, on this platform and with these betas.

use crate::body::{Dialect, Provider};
use crate::json::Raw;
use crate::model::{Betas, CacheKind, Caching, Feature, Gate, Model, Platform, Table};
use crate::prefix::request::{Judge, Request};

/// What is open to the second request's client.
#[derive(Debug, Clone)]
pub(in crate::prefix) struct Means<'t> {
    pub(super) provider: Provider,
    pub(super) dialect: Dialect,
    /// The model, if the table knows it.
    pub(super) model: Option<&'t Model>,
    /// What the request calls it.
    pub(super) name: String,
    pub(in crate::prefix) cache: Caching,
    /// Whether the request thinks, which rules out a forced choice.
    pub(super) thinks: bool,
    /// The role of the request's instructions, where they stand in messages.
    pub(super) role: Option<&'static str>,
    table: &'t Table,
    platform: Platform,
    betas: Betas,
}

impl<'t> Means<'t> {
    /// Those of a request.
    pub(in crate::prefix) fn of(
        b: &Request<'_>,
        judge: &Judge<'t>,
        cache: Caching,
    ) -> Self {
        let thinking = b.body.fields.given("thinking");
        let kind = thinking
            .and_then(|one| one.get("type"))
            .and_then(Raw::as_str);
        let role = || {
            let first = b.body.messages().next()?;
            match first.role.as_ref() {
                "system" => Some("system"),
                "developer" => Some("developer"),
                _ => None,
            }
        };
        Self {
            provider: b.body.provider,
            dialect: b.body.dialect,
            model: b
                .model
                .as_deref()
                .and_then(|name| judge.table.model(name).map(AsRef::as_ref)),
            name: b.model.clone().unwrap_or_default(),
            thinks: kind.is_some_and(|kind| kind != "disabled"),
            role: role(),
            cache,
            table: judge.table,
            platform: judge.platform,
            betas: b.betas.clone(),
        }
    }

    /// Whether a feature is to be had, and the beta it takes to name; `None` if it
    /// is not.
    pub(super) fn takes(&self, feature: Feature) -> Option<Option<&'t str>> {
        if self.provider != Provider::Anthropic {
            return None;
        }
        let model = self.model?;
        let support = match feature {
            Feature::SystemMessage => model.system_messages,
            Feature::ToolChange | Feature::ToolDefinition => model.tool_changes,
            Feature::ClearAt => model.clear_at,
            Feature::MessageEffort => model.message_effort,
            _ => crate::model::Support::Yes,
        };
        if support.refused() {
            return None;
        }
        match self.table.gate(feature, self.platform, &self.betas) {
            Gate::NotHere => None,
            Gate::Open => Some(None),
            Gate::NeedsBeta | Gate::Unknown => {
                let mut names = self.table.betas_for(feature, self.platform);
                names.next().map(Some)
            }
        }
    }

    /// Whether a system message may stand in the conversation.
    pub(in crate::prefix) fn appends_system(&self) -> bool {
        self.takes(Feature::SystemMessage).is_some()
    }

    /// What sets a breakpoint, if the client can.
    pub(in crate::prefix) fn mark(&self) -> Option<&'static str> {
        match self.cache.kind {
            CacheKind::Breakpoints if self.cache.implicit => {
                Some("prompt_cache_breakpoint")
            }
            CacheKind::Breakpoints => Some("cache_control"),
            CacheKind::Prefix | CacheKind::Units | CacheKind::Resource => None,
        }
    }

    /// How to set one on the newest message.
    pub(in crate::prefix) fn mark_newest(&self) -> String {
        match self.mark() {
            Some("prompt_cache_breakpoint") => "leave out `prompt_cache_options.mode`, or \
                 set `\"prompt_cache_breakpoint\":{\"mode\":\"explicit\"}` on a content part \
                 of the newest user message of every request"
                .to_owned(),
            _ => "set `cache_control` on the last block of the newest message, in every \
                  request"
                .to_owned(),
        }
    }

    /// How to set one at a segment; `None` where none can stand. `bare`: the text is
    /// a string, which carries none; `spent`: the request has as many as it may.
    pub(in crate::prefix) fn mark_at(
        &self,
        path: &str,
        bare: bool,
        spent: bool,
    ) -> Option<String> {
        let mark = self.mark()?;
        let parts = self.dialect != Dialect::Messages;
        // Tools and instructions carry none where marks are for content parts.
        if parts && !(path.starts_with("/messages") || path.starts_with("/input")) {
            return None;
        }
        let mut text = match bare {
            true => format!("write {path} as a list of one text block with `{mark}`"),
            false => format!("set a breakpoint on {path} (`{mark}`)"),
        };
        if spent {
            text.push_str(", in place of one of those that are set");
        }
        Some(text)
    }

    /// How to keep an entry longer.
    pub(in crate::prefix) fn keep_longer(&self) -> String {
        let asks = |name: &str| self.cache.ttl.iter().any(|(one, _)| one == name);
        let long = match self.provider {
            Provider::Anthropic | Provider::OpenRouter
                if self.mark() == Some("cache_control") && asks("1h") =>
            {
                Some("ask for `\"ttl\":\"1h\"`")
            }
            Provider::OpenAi
                if self.cache.implicit && asks("12h") && self.responses() =>
            {
                Some("ask for `\"prompt_cache_options\":{\"ttl\":\"12h\"}`")
            }
            Provider::OpenAi if self.keeps_a_day() => {
                Some("ask for `\"prompt_cache_retention\":\"24h\"`")
            }
            Provider::Google => {
                Some("put what is stable into a `cachedContents` resource")
            }
            Provider::Ollama => Some("ask for a longer `keep_alive`"),
            _ => None,
        };
        match long {
            Some(long) => format!("{long}, or send a request in time to keep it alive"),
            None => "send a request in time to keep it alive".to_owned(),
        }
    }

    fn responses(&self) -> bool {
        self.dialect == Dialect::Responses
    }

    /// Models documented to take `prompt_cache_retention` with `24h`
    /// (<https://developers.openai.com/api/docs/guides/prompt-caching>).
    fn keeps_a_day(&self) -> bool {
        const STARTS: [&str; 6] = [
            "gpt-5.5", "gpt-5.4", "gpt-5.2", "gpt-5.1", "gpt-5", "gpt-4.1",
        ];
        let small = ["mini", "nano", "chat", "pro"];
        !self.cache.implicit
            && STARTS.iter().any(|start| self.name.starts_with(start))
            && !small.iter().any(|part| self.name.contains(part))
    }

    /// How to put up with a changed parameter.
    pub(in crate::prefix) fn parameter(&self, rule: &str, name: &str) -> String {
        use super::Way;
        let ways: &[Way] = match rule {
            "diff-tool-choice" => &[Way::WithdrawInstead, Way::Allow, Way::SameChoice],
            "diff-effort" => &[Way::EffortMessage, Way::SameEffort],
            _ => &[],
        };
        match ways.iter().find(|way| way.opens(self).is_some()) {
            Some(way) => way.says("", self),
            None => {
                format!("send the same `{name}` in every request of a conversation")
            }
        }
    }
}
