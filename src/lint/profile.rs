//! What a body is judged by: model, platform, betas, and which rules are on.

use crate::body::{Body, Headers};
use crate::finding::Rule;
use crate::model::{Betas, Limits, Model, Platform, Support, Table};
use std::sync::Arc;

/// What the caller says about the requests at hand.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The model, where a body names none.
    pub model: Option<String>,
    /// The platform, where the body does not tell.
    pub platform: Option<Platform>,
    /// The betas that are on, if the caller knows.
    pub betas: Option<Vec<String>>,
    /// Ids of rules that judge on request only, and shall.
    pub enable: Vec<String>,
    /// Ids of rules that shall not judge.
    pub ignore: Vec<String>,
}

/// What one body is judged by.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The model's name as given, if it is.
    pub name: Option<String>,
    /// What is known of the model; that of the newest one if it is unknown.
    pub model: Arc<Model>,
    /// Whether the model is in the table.
    pub known: bool,
    /// The platform the request goes to.
    pub platform: Platform,
    /// The betas that are on.
    pub betas: Betas,
    /// The version of the API asked for, if the headers say.
    pub version: Option<String>,
    pub(super) table: Table,
    limits: Limits,
    enable: Vec<String>,
    ignore: Vec<String>,
}

impl Profile {
    /// Brings together what the caller, the headers and the body say.
    pub fn new(
        table: &Table,
        wanted: &Wanted,
        body: &Body<'_>,
        headers: Option<&Headers>,
    ) -> Self {
        let name = body
            .model()
            .map(std::borrow::Cow::into_owned)
            .or_else(|| wanted.model.clone());
        let found = name.as_deref().and_then(|name| table.model(name));
        let listed = |key: &str| {
            let list = body.get(key)?.as_array()?;
            let names = list.filter_map(crate::json::Raw::as_str);
            Some(names.map(Into::into).collect::<Vec<String>>())
        };
        let mut betas = wanted.betas.clone();
        let header = headers.map(|all| all.list("anthropic-beta"));
        for more in [header, listed("anthropic_beta")].into_iter().flatten() {
            betas.get_or_insert_default().extend(more);
        }
        let platform = wanted.platform.or(told(body)).unwrap_or_default();
        Self {
            limits: table.limits_on(platform).into_owned(),
            known: found.is_some(),
            model: found.or(table.newest()).cloned().unwrap_or_default(),
            name,
            platform,
            betas: betas.map_or(Betas::Unknown, Betas::Known),
            version: headers
                .and_then(|all| all.all("anthropic-version").next())
                .map(str::to_owned),
            table: table.clone(),
            enable: wanted.enable.clone(),
            ignore: wanted.ignore.clone(),
        }
    }

    /// Whether a rule judges at all.
    pub fn wants(&self, rule: &Rule) -> bool {
        let named = |list: &[String]| list.iter().any(|id| id == rule.id);
        (!rule.on_request || named(&self.enable)) && !named(&self.ignore)
    }

    /// The limits of a request on its platform.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The limits on the vendor's own API, which are the published ones.
    pub(super) fn published(&self) -> &Limits {
        self.table.limits()
    }

    /// Whether a refusal by this entry of the model's profile is documented.
    pub(super) fn sure(&self, support: Support) -> bool {
        self.known && support.sure()
    }

    /// Whether the request asks for API version 2026-10-21 or later.
    pub(super) fn since_2026_10(&self) -> bool {
        self.version
            .as_deref()
            .is_some_and(|one| one >= "2026-10-21")
    }
}

/// The platform that the body itself names.
fn told(body: &Body<'_>) -> Option<Platform> {
    let version = body.fields.text("anthropic_version")?;
    match version.as_ref() {
        one if one.starts_with("bedrock") => Some(Platform::Bedrock),
        one if one.starts_with("vertex") => Some(Platform::GoogleCloud),
        _ => None,
    }
}
