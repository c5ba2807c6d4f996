//! The configuration at a position (`docs/formats.md#configuration`), rule by rule.

mod lists;
mod model;
mod odd;
mod render;
mod tools;

use convo::config::escaped::unescape;
use convo::config::{Config, Mode, Warnings};
use convo::json::Raw;
use serde_json::{Value, json};

/// Calls `then` with the configuration after `deltas`, and what was told.
pub(super) fn with<T>(
    base: &Value,
    deltas: &[Value],
    mode: Mode,
    then: impl FnOnce(&Config<'_>, &[String]) -> T,
) -> T {
    let base = base.to_string();
    let deltas: Vec<String> = deltas
        .iter()
        .map(|delta| match delta.get("type") {
            Some(_) => delta.to_string(),
            None => json!({"type": "config_delta", "delta": delta}).to_string(),
        })
        .collect();
    let mut warnings = Warnings::default();
    let raw = |text: &'static str| Raw::parse(text.as_bytes()).expect("JSON");
    let leak = |text: String| raw(Box::leak(text.into_boxed_str()));
    let mut config = Config::new(Some(leak(base)), mode, &mut warnings);
    for (index, delta) in deltas.into_iter().enumerate() {
        warnings.event = Some(index);
        config.apply(leak(delta), &mut warnings);
    }
    let told: Vec<_> = warnings
        .list
        .iter()
        .map(|one| one.message.clone())
        .collect();
    then(&config, &told)
}

pub(super) fn rendered(config: &Config<'_>) -> Vec<String> {
    let mut list = Vec::new();
    for section in config.sections() {
        let mut out = Vec::new();
        section.render(&mut out);
        list.push(unescape(&out));
    }
    for instruction in config.instructions() {
        let mut out = Vec::new();
        instruction.render(&mut out);
        list.push(unescape(&out));
    }
    list
}

pub(super) fn s(text: &str) -> Value {
    json!({"content": text})
}
