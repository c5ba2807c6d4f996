//! Rules of the Messages body that no recorded body shows (`docs/bodies.md#anthropic`).

mod content;
mod settings;
mod tools;

use crate::common::bodies::{lines, options};
use convo::config::Mode;
use convo::provider::Options;
use serde_json::{Value, json};

/// The body of one request, for a configuration, facts and a model.
#[track_caller]
pub(super) fn body(
    model: &str,
    config: &Value,
    inputs: &Value,
    mode: Mode,
) -> (Value, Vec<String>) {
    let events =
        json!([{"type": "turn_start"}, {"type": "chat_request", "content": "hi"}]);
    body_of(model, config, inputs, mode, &events)
}

#[track_caller]
pub(super) fn body_of(
    model: &str,
    config: &Value,
    inputs: &Value,
    mode: Mode,
    events: &Value,
) -> (Value, Vec<String>) {
    let bundle = json!({"base_config": config, "events": events, "inputs": inputs,
        "encoding": "plain"});
    let options = Options {
        mode,
        ..options("anthropic", Some(model))
    };
    let (lines, told) = lines(bundle.to_string().as_bytes(), &options).expect("a body");
    let body = serde_json::from_slice(&lines[0]).expect("a body is JSON");
    (body, told.iter().map(|one| one.code.to_owned()).collect())
}

pub(super) fn reasoning(value: &Value) -> Value {
    json!({"assistant": {"model": {"parameters": {"reasoning": value}}}})
}

pub(super) const OPUS: &str = "claude-opus-4-8";
pub(super) const HAIKU: &str = "claude-haiku-4-5";
