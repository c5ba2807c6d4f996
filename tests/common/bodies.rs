//! Flattening in tests, and what every Anthropic body must be.

use convo::body::Provider;
use convo::config::Mode;
use convo::error::{Diagnostic, Error};
use convo::json::Raw;
use convo::model::Table;
use convo::provider::{Options, Requests, flatten};
use convo::stream::{Container, Conversation};
use serde_json::{Value, json};
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(Table::built_in);

/// Options as the command line makes them, for one provider and model.
pub(crate) fn options<'o>(provider: &str, model: Option<&'o str>) -> Options<'o> {
    Options {
        provider: Provider::parse(provider),
        model,
        ..Options::new(&TABLE)
    }
}

/// The conversation in `bytes`.
pub(crate) fn conversation(bytes: &[u8]) -> Conversation<'_> {
    let raw = Raw::parse(bytes).expect("JSON");
    match Conversation::read(raw).expect("a conversation") {
        Container::Conversation(conversation) => conversation,
        Container::Entry(_) => panic!("a bare entry"),
    }
}

/// The lines written, and what was told.
pub(crate) fn lines(
    bytes: &[u8],
    options: &Options<'_>,
) -> Result<(Vec<Vec<u8>>, Vec<Diagnostic>), Error> {
    let (mut out, mut told) = (Vec::new(), Vec::new());
    flatten(&mut out, &conversation(bytes), options, &mut told)?;
    let lines = out.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    Ok((lines.map(<[u8]>::to_vec).collect(), told))
}

/// A bundle of plain events; a first `config_delta` is the base, as in the cases.
pub(crate) fn bundle(events: &Value) -> Value {
    let mut events = events.as_array().expect("events").clone();
    let base = match events.first() {
        Some(first) if first["type"] == "config_delta" => {
            events.remove(0)["delta"].take()
        }
        _ => json!({}),
    };
    json!({"base_config": base, "events": events, "encoding": "plain"})
}

/// The bodies of plain events for `claude-opus-4-8`, and the codes told.
pub(crate) fn bodies(events: &Value, requests: Requests) -> (Vec<Value>, Vec<String>) {
    bodies_in(events, requests, Mode::Convo)
}

/// As [`bodies`], in a mode.
pub(crate) fn bodies_in(
    events: &Value,
    requests: Requests,
    mode: Mode,
) -> (Vec<Value>, Vec<String>) {
    let bytes = bundle(events).to_string();
    let options = Options {
        requests,
        mode,
        ..options("anthropic", Some("claude-opus-4-8"))
    };
    let (lines, told) = lines(bytes.as_bytes(), &options).expect("bodies");
    let bodies = lines.iter().map(|line| {
        let body: Value = serde_json::from_slice(line).expect("a body is JSON");
        if mode == Mode::Convo {
            let raw = Raw::parse(line).expect("JSON");
            check_messages(raw).unwrap_or_else(|why| panic!("{why}: {body:#}"));
        }
        body
    });
    let codes = told.iter().map(|one| one.code.to_owned()).collect();
    (bodies.collect(), codes)
}

/// The messages of a body in short: `user: text…` and the like, a line each.
pub(crate) fn outline(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().expect("messages");
    let block = |block: &Value| {
        let text = |key: &str| block[key].as_str().unwrap_or("?").to_owned();
        match block["type"].as_str().expect("a type") {
            "text" => format!("\"{}\"", text("text")),
            "thinking" => {
                format!("thinking({}, {})", text("thinking"), text("signature"))
            }
            "redacted_thinking" => format!("redacted({})", text("data")),
            "tool_use" => {
                format!("call({}, {} {})", text("id"), text("name"), block["input"])
            }
            "tool_result" => format!(
                "result({}, {}{})",
                text("tool_use_id"),
                text("content"),
                if block["is_error"] == json!(true) {
                    ", error"
                } else {
                    ""
                }
            ),
            other => format!("{other}({})", text("title")),
        }
    };
    let line = |message: &Value| {
        let blocks = message["content"].as_array().expect("blocks");
        let blocks: Vec<_> = blocks.iter().map(block).collect();
        let role = message["role"].as_str().expect("a role");
        format!("{role}: {}", blocks.join(" "))
    };
    messages.iter().map(line).collect()
}

/// Starts with the user, alternates, answers every call at once and in front,
/// names no id twice, says nothing blank.
pub(crate) fn check_messages(body: Raw<'_>) -> Result<(), String> {
    let text = |block: Raw<'_>, key: &str| {
        let text = block.get(key).and_then(Raw::as_str);
        text.map(std::borrow::Cow::into_owned).unwrap_or_default()
    };
    let messages = body.get("messages").and_then(Raw::as_array);
    let mut seen = std::collections::HashSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut last = "assistant".to_owned();
    for (index, message) in messages.ok_or("no messages")?.enumerate() {
        let role = text(message, "role");
        if role == last {
            return Err(format!("message {index}: {role} twice in a row"));
        }
        let mut others = false;
        let mut blocks = 0;
        let content = message.get("content").and_then(Raw::as_array);
        for block in content.ok_or("no content")? {
            blocks += 1;
            match text(block, "type").as_str() {
                "tool_use" => {
                    let id = text(block, "id");
                    if id.is_empty() || !seen.insert(id.clone()) {
                        return Err(format!("message {index}: id `{id}` again"));
                    }
                    open.push(id);
                }
                "tool_result" => {
                    let id = text(block, "tool_use_id");
                    let at = open.iter().position(|one| *one == id);
                    let at =
                        at.ok_or_else(|| format!("message {index}: orphan `{id}`"))?;
                    if others {
                        return Err(format!("message {index}: result behind text"));
                    }
                    open.remove(at);
                }
                kind => {
                    others = true;
                    if kind == "text" && text(block, "text").trim().is_empty() {
                        return Err(format!("message {index}: blank text"));
                    }
                }
            }
        }
        if blocks == 0 {
            return Err(format!("message {index}: empty"));
        }
        if role == "user" && !open.is_empty() {
            return Err(format!("message {index}: unanswered {open:?}"));
        }
        last = role;
    }
    if !open.is_empty() {
        return Err(format!("unanswered at the end: {open:?}"));
    }
    Ok(())
}
