//! `place-directives`: cases, bad input, gates, and the proof that changes keep the
//! prefix (`docs/directives.md`).

mod bound;
mod cases;
mod catalogue;
mod command;
mod corpus;
mod costs;
mod exhaustive;
mod gates;
mod inline;
mod law;
mod limits;
mod preview;
mod random;
mod seen;
mod stands;
mod wide;
mod withdrawals;

use crate::common::bodies::{bundle, conversation, options};
use convo::body::{Body, Provider};
use convo::directive::ToolMode;
use convo::error::{Diagnostic, Error, Severity};
use convo::json::Raw;
use convo::lint::{Profile, Wanted, check};
use convo::model::{Feature, Platform, Table};
use convo::provider::{Options, PlaceOptions, Requests, place_directives};
use serde_json::{Value, json};
use std::sync::LazyLock;

pub(super) const INLINE: &str = "inline-tools-2026-09-15";
pub(super) const JULY: &str = "mid-conversation-tool-changes-2026-07-01";

static TABLE: LazyLock<Table> = LazyLock::new(Table::built_in);

/// A profile: what decides which gates are open.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub(super) model: String,
    pub(super) platform: Platform,
    /// A JSON array with one beta, or none.
    pub(super) betas: String,
    pub(super) mode: ToolMode,
}

impl Open {
    pub(super) fn new(model: &str, beta: &str, mode: ToolMode) -> Self {
        Self {
            model: model.to_owned(),
            platform: Platform::ClaudeApi,
            betas: match beta {
                "" => "[]".to_owned(),
                beta => format!("[\"{beta}\"]"),
            },
            mode,
        }
    }

    /// `claude-opus-5` with the newest beta.
    pub(super) fn usual(mode: ToolMode) -> Self {
        Self::new("claude-opus-5", INLINE, mode)
    }

    /// Every profile with both gates open.
    pub(super) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        let claude = |model: &&std::sync::Arc<convo::model::Model>| {
            model.provider == "anthropic"
        };
        for model in TABLE.models().iter().filter(claude) {
            if model.system_messages.refused() || model.tool_changes.refused() {
                continue;
            }
            for platform in Platform::ALL {
                for (feature, mode) in [
                    (Feature::ToolChange, ToolMode::Deferred),
                    (Feature::ToolDefinition, ToolMode::Inline),
                ] {
                    for beta in TABLE.betas_for(feature, platform) {
                        let open = Self::new(&model.id, beta, mode);
                        all.push(Self { platform, ..open });
                    }
                }
            }
        }
        all
    }

    pub(super) fn options(&self, requests: Requests) -> Options<'_> {
        let place = PlaceOptions {
            tool_mode: self.mode,
            ..PlaceOptions::default()
        };
        Options {
            requests,
            betas: Some(Raw::parse(self.betas.as_bytes()).expect("JSON")),
            platform: self.platform,
            place: Some(place),
            ..options("anthropic", Some(&self.model))
        }
    }

    /// What the linter judges bodies of this profile by.
    pub(super) fn profile(&self, body: &[u8]) -> Profile {
        let betas = Raw::parse(self.betas.as_bytes()).expect("JSON");
        let betas = betas.as_array().expect("an array").filter_map(Raw::as_str);
        let wanted = Wanted {
            platform: Some(self.platform),
            betas: Some(betas.map(Into::into).collect()),
            ..Wanted::default()
        };
        Profile::new(&TABLE, &wanted, &read(body), None)
    }
}

fn read(body: &[u8]) -> Body<'_> {
    let raw = Raw::parse(body).expect("a body is JSON");
    Body::read(raw, Some(Provider::Anthropic), None).expect("a body")
}

/// Warnings that a body of ours never deserves.
const NEVER: [&str; 3] = [
    "tool-change-redundant",
    "deferred-unreachable",
    "system-untrusted-text",
];

/// What the linter refuses of a body.
pub(super) fn refusals(body: &[u8], profile: &Profile) -> Vec<String> {
    let findings = check(&read(body), body, profile);
    let bad = findings
        .iter()
        .filter(|one| one.severity == Severity::Error || NEVER.contains(&one.rule.id));
    bad.map(|one| format!("{} at {}: {}", one.rule.id, one.path, one.message))
        .collect()
}

pub(super) type Bodies = Result<(Vec<Vec<u8>>, Vec<Diagnostic>), Error>;

/// The bodies of a conversation, and what was told.
pub(super) fn place(bytes: &[u8], options: &Options<'_>) -> Bodies {
    let (mut out, mut told) = (Vec::new(), Vec::new());
    place_directives(&mut out, &conversation(bytes), options, &mut told)?;
    let lines = out.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    Ok((lines.map(<[u8]>::to_vec).collect(), told))
}

/// The bodies of plain events as values, and the codes told; none is refused.
#[track_caller]
pub(super) fn placed(events: &Value, open: &Open) -> (Vec<Value>, Vec<String>) {
    placed_with(events, open, &open.options(Requests::All))
}

#[track_caller]
pub(super) fn placed_with(
    events: &Value,
    open: &Open,
    options: &Options<'_>,
) -> (Vec<Value>, Vec<String>) {
    let bytes = bundle(events).to_string();
    let (bodies, told) = place(bytes.as_bytes(), options).expect("bodies");
    for body in &bodies {
        assert_eq!(refusals(body, &open.profile(body)), [""; 0], "{events}");
    }
    let read = |body: &Vec<u8>| serde_json::from_slice(body).expect("JSON");
    let codes = told.iter().map(|one| one.code.to_owned()).collect();
    (bodies.iter().map(read).collect(), codes)
}

/// Messages in short, a line each; system messages with what they say.
pub(super) fn outline(body: &Value) -> Vec<String> {
    let block = |block: &Value| {
        let tool = &block["tool"];
        let name = tool["name"].as_str().unwrap_or_default();
        match block["type"].as_str().expect("a type") {
            "text" => format!("\"{}\"", block["text"].as_str().expect("text")),
            "tool_addition" if tool["type"] == "tool_definition" => {
                let definition = &tool["definition"];
                let name = definition["name"].as_str().expect("a name");
                let text = definition["description"].as_str().unwrap_or("-");
                format!("+{name}({text})")
            }
            "tool_addition" => format!("+{name}"),
            "tool_removal" => format!("-{name}"),
            "tool_use" => format!("call({})", block["id"].as_str().expect("an id")),
            "tool_result" => {
                format!("result({})", block["content"].as_str().expect("text"))
            }
            other => other.to_owned(),
        }
    };
    let messages = body["messages"].as_array().expect("messages");
    let line = |message: &Value| {
        let blocks = message["content"].as_array().expect("blocks");
        let blocks: Vec<_> = blocks.iter().map(block).collect();
        let role = message["role"].as_str().expect("a role");
        format!("{role}: {}", blocks.join(" "))
    };
    messages.iter().map(line).collect()
}

/// The tools of a body in short: deferred ones in brackets.
pub(super) fn tools(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().cloned().unwrap_or_default();
    let name = |tool: &Value| {
        let name = tool["name"].as_str().expect("a name");
        match tool["defer_loading"] == json!(true) {
            true => format!("({name})"),
            false => name.to_owned(),
        }
    };
    tools.iter().map(name).collect()
}

/// The system texts of a body.
pub(super) fn system(body: &Value) -> Vec<String> {
    let parts = body["system"].as_array().cloned().unwrap_or_default();
    let text = |part: &Value| part["text"].as_str().expect("text").to_owned();
    parts.iter().map(text).collect()
}

pub(super) fn ask(text: &str) -> Value {
    json!({"type": "chat_request", "content": text})
}

pub(super) fn say(text: &str) -> Value {
    json!({"type": "chat_response", "message": text})
}

pub(super) fn delta(delta: impl Into<Value>) -> Value {
    let delta = delta.into();
    json!({"type": "config_delta", "delta": delta})
}

pub(super) fn section(text: &str) -> Value {
    delta(json!({"assistant": {"system_prompt_sections": [{"content": text}]}}))
}

pub(super) fn tool_delta(tools: impl Into<Value>) -> Value {
    let tools = tools.into();
    delta(json!({"conversation": {"tools": tools}}))
}

/// A base with a prompt and these tools.
pub(super) fn base(tools: impl Into<Value>) -> Value {
    let tools = tools.into();
    delta(
        json!({"assistant": {"system_prompt": "P"}, "conversation": {"tools": tools}}),
    )
}

/// A local tool.
pub(super) fn local(enable: bool) -> Value {
    json!({"source": "local", "enable": enable, "description": "d"})
}
