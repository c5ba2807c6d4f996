//! Law K: every line of a session can be rebuilt from its record.
//!
//! The inverse of the import, written from what `docs/formats.md` says of
//! `metadata.foreign`, for sessions of one path.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The lines of a Claude Code session, by number.
pub(super) fn claude_code(record: &Value) -> BTreeMap<u64, Value> {
    let about = &record["metadata"]["import"];
    let mut state: Map<String, Value> =
        about["common"].as_object().cloned().unwrap_or_default();
    let mut model = record["base_config"]["assistant"]["model"]["id"]["name"].clone();
    let mut events: Vec<(u64, &Value, Value)> = Vec::new();
    let mut lines = BTreeMap::new();
    for event in record["events"].as_array().expect("events") {
        match event["type"].as_str().expect("a type") {
            "turn_start" => {}
            "config_delta" => {
                let name = &event["delta"]["assistant"]["model"]["id"]["name"];
                if !name.is_null() {
                    model = name.clone();
                }
            }
            "foreign" => {
                let line = event["line"].as_u64().expect("a line");
                lines.insert(line, event.get("raw").cloned().unwrap_or(Value::Null));
            }
            _ => {
                let line = event["metadata"]["foreign"]["line"].as_u64();
                events.push((line.expect("a line"), event, model.clone()));
            }
        }
    }
    // Fields that repeat follow the order of the file.
    events.sort_by_key(|(line, _, _)| *line);
    let mut parent = Value::Null;
    let mut done = 0;
    let tree_before = |from: u64, to: u64, lines: &BTreeMap<u64, Value>| {
        let between = lines.range(from + 1..to);
        between.rev().find_map(|(_, raw)| raw.get("uuid").cloned())
    };
    let mut at = 0;
    while at < events.len() {
        let line = events[at].0;
        let same = events[at..]
            .iter()
            .take_while(|(l, _, _)| *l == line)
            .count();
        if let Some(uuid) = tree_before(done, line, &lines) {
            parent = uuid;
        }
        let value = one_line(&events[at..at + same], &mut state, &parent);
        if let Some(uuid) = value.get("uuid") {
            parent = uuid.clone();
        }
        lines.insert(line, value);
        done = line;
        at += same;
    }
    lines
}

fn one_line(
    events: &[(u64, &Value, Value)],
    state: &mut Map<String, Value>,
    parent: &Value,
) -> Value {
    let bearer = events
        .iter()
        .map(|(_, event, _)| event)
        .find(|event| event["type"] == "tool_call_response")
        .unwrap_or(&events[0].1);
    let foreign = &bearer["metadata"]["foreign"];
    let absent: Vec<&str> = foreign["absent"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut rest = foreign["rest"].as_object().cloned().unwrap_or_default();
    let first = events[0].1;
    if let Some(steering) = rest.shift_remove("steering") {
        return steered(first, rest, &steering);
    }
    if first["type"] == "compaction" {
        return summary(first, rest);
    }
    let is_user = matches!(
        first["type"].as_str(),
        Some("chat_request" | "tool_call_response")
    );
    let mut message = rest
        .shift_remove("message")
        .and_then(|m| m.as_object().cloned())
        .unwrap_or_default();
    let mut line = Map::new();
    let role = if is_user { "user" } else { "assistant" };
    line.insert("type".to_owned(), json!(role));
    if let Some(stamp) = first.get("timestamp") {
        line.insert("timestamp".to_owned(), stamp.clone());
    }
    if let Some(id) = first["event_id"].as_str() {
        let id = match events.len() > 1 {
            true => id.rsplit_once('/').expect("a part").0,
            false => id,
        };
        line.insert("uuid".to_owned(), json!(id));
    }
    for name in COMMON {
        if absent.contains(&name) {
            state.shift_remove(name);
        } else if let Some(value) = rest.shift_remove(name) {
            state.insert(name.to_owned(), value);
        }
        if let Some(value) = state.get(name) {
            line.insert(name.to_owned(), value.clone());
        }
    }
    match rest.shift_remove("parentUuid") {
        Some(value) => drop(line.insert("parentUuid".to_owned(), value)),
        None if absent.contains(&"parentUuid") => {}
        None => drop(line.insert("parentUuid".to_owned(), parent.clone())),
    }
    line.extend(rest);
    if !message.contains_key("role") && !absent.contains(&"message.role") {
        message.insert("role".to_owned(), json!(role));
    }
    if !is_user && !message.contains_key("model") && !absent.contains(&"message.model")
    {
        message.insert("model".to_owned(), events[0].2.clone());
    }
    let left = message.shift_remove("content");
    let content = content(events, left, is_user);
    message.insert("content".to_owned(), content);
    line.insert("message".to_owned(), Value::Object(message));
    Value::Object(line)
}

const COMMON: [&str; 9] = [
    "sessionId",
    "cwd",
    "version",
    "gitBranch",
    "userType",
    "entrypoint",
    "isSidechain",
    "slug",
    "session_id",
];

fn steered(event: &Value, rest: Map<String, Value>, how: &Value) -> Value {
    let mut line = rest;
    line.insert("type".to_owned(), how.clone());
    if let Some(stamp) = event.get("timestamp") {
        line.insert("timestamp".to_owned(), stamp.clone());
    }
    if let Some(id) = event.get("event_id") {
        line.insert("uuid".to_owned(), id.clone());
    }
    if how == "attachment" {
        line["attachment"]["prompt"] = event["content"].clone();
    } else {
        line.insert("content".to_owned(), event["content"].clone());
    }
    Value::Object(line)
}

fn summary(event: &Value, mut line: Map<String, Value>) -> Value {
    line.insert("type".to_owned(), json!("user"));
    let id = &event["metadata"]["foreign"]["event_id"];
    if !id.is_null() {
        line.insert("uuid".to_owned(), id.clone());
    }
    line.entry("message").or_insert_with(
        || json!({ "role": "user", "content": event["summary"]["summary"] }),
    );
    Value::Object(line)
}

/// The content of a message: its blocks with what was left of them.
fn content(
    events: &[(u64, &Value, Value)],
    left: Option<Value>,
    is_user: bool,
) -> Value {
    let left: Vec<Value> = left.and_then(|l| l.as_array().cloned()).unwrap_or_default();
    let single = events.len() == 1;
    let foreign = |event: &Value| event["metadata"]["foreign"].clone();
    if single {
        let event = events[0].1;
        let told = foreign(event);
        let text = event["type"] == "chat_request" || event.get("message").is_some();
        let plain = told.get("at").is_none() && told.get("parts").is_none();
        let listed = !is_user && left_is_list(event, &left);
        if text && plain && !listed {
            return match is_user {
                true => event["content"].clone(),
                false => json!([block(event, left.first())]),
            };
        }
    }
    let index = |path: &str| -> usize {
        path.rsplit('/')
            .next()
            .expect("a part")
            .parse()
            .expect("an index")
    };
    let mut blocks: BTreeMap<usize, Value> = BTreeMap::new();
    for (_, event, _) in events {
        let told = foreign(event);
        if let Some(parts) = told["parts"].as_array() {
            let (text, files) = parts.split_last().expect("parts");
            let files: Vec<_> = files
                .iter()
                .map(|p| index(p.as_str().expect("a path")))
                .collect();
            let text = index(text.as_str().expect("a path"));
            for (number, at) in files.iter().enumerate() {
                blocks.insert(*at, file(&event["resources"][number], left.get(*at)));
            }
            blocks.insert(text, block(event, left.get(text)));
            continue;
        }
        let at = told["at"].as_str().map_or(0, index);
        blocks.insert(at, block(event, left.get(at)));
    }
    for (at, rest) in left.iter().enumerate() {
        if !rest.is_null() {
            blocks.entry(at).or_insert_with(|| rest.clone());
        }
    }
    Value::Array(blocks.into_values().collect())
}

fn left_is_list(event: &Value, left: &[Value]) -> bool {
    event.get("message").is_some() && !left.is_empty()
}

fn file(resource: &Value, left: Option<&Value>) -> Value {
    let mut out = left
        .and_then(|l| l.as_object().cloned())
        .unwrap_or_default();
    let source = out.shift_remove("source").unwrap_or_else(|| json!({}));
    let mut source = source.as_object().cloned().unwrap_or_default();
    if resource.get("blob").is_some() && !source.contains_key("data") {
        source.insert("type".to_owned(), json!("base64"));
        source.insert("media_type".to_owned(), resource["mimeType"].clone());
        source.insert("data".to_owned(), resource["blob"].clone());
    }
    out.entry("type").or_insert(json!("image"));
    out.insert("source".to_owned(), Value::Object(source));
    Value::Object(out)
}

/// The block an event was made of.
fn block(event: &Value, left: Option<&Value>) -> Value {
    let metadata = &event["metadata"];
    let text = event.get("content").or_else(|| event.get("message"));
    if left.is_some_and(|l| l.as_array().is_some_and(Vec::is_empty)) {
        return text.expect("a text").clone();
    }
    if metadata["foreign"]["server"] == true {
        return left.expect("the block").clone();
    }
    let mut out = left
        .and_then(|l| l.as_object().cloned())
        .unwrap_or_default();
    let mut put =
        |key: &str, value: &Value| drop(out.insert(key.to_owned(), value.clone()));
    match event["type"].as_str().expect("a type") {
        "chat_request" => {
            put("type", &json!("text"));
            put("text", &event["content"]);
        }
        "tool_call_request" => {
            put("type", &json!("tool_use"));
            put("id", &event["id"]);
            put("name", &event["name"]);
            let input = left
                .and_then(|l| l.get("input"))
                .unwrap_or(&event["arguments"]);
            put("input", input);
        }
        "tool_call_response" => {
            put("type", &json!("tool_result"));
            put("tool_use_id", &event["id"]);
            let added = metadata["foreign"]["added"].as_array();
            if added.is_none_or(|list| !list.contains(&json!("is_error"))) {
                put("is_error", &event["is_error"]);
            }
            match left.and_then(|l| l.get("content")) {
                Some(Value::Bool(false)) => drop(out.shift_remove("content")),
                left => {
                    let value = result(&event["content"], left);
                    out.insert("content".to_owned(), value);
                }
            }
        }
        _ if event.get("reasoning").is_some() => {
            if let Some(data) = metadata.get("anthropic_redacted_thinking") {
                put("type", &json!("redacted_thinking"));
                put("data", data);
            } else {
                put("type", &json!("thinking"));
                put("thinking", &event["reasoning"]);
                if let Some(signature) = metadata.get("anthropic_thinking_signature") {
                    put("signature", signature);
                }
            }
        }
        _ => {
            put("type", &json!("text"));
            put("text", &event["message"]);
        }
    }
    Value::Object(out)
}

fn result(content: &Value, left: Option<&Value>) -> Value {
    let Some(list) = content.as_array() else {
        return content.clone();
    };
    if left.is_some_and(Value::is_null) && list.is_empty() {
        return Value::Null;
    }
    let left = left.and_then(Value::as_array).cloned().unwrap_or_default();
    let blocks = list.iter().enumerate().map(|(at, block)| {
        let left = left.get(at).filter(|l| !l.is_null());
        if left.is_some_and(|l| l.as_array().is_some_and(Vec::is_empty)) {
            return block["text"].clone();
        }
        if let Some(resource) = block.get("resource") {
            return file(resource, left);
        }
        if block.get("text").is_none() {
            return block["source"].clone();
        }
        let mut out = left
            .and_then(|l| l.as_object().cloned())
            .unwrap_or_default();
        out.insert("type".to_owned(), json!("text"));
        out.insert("text".to_owned(), block["text"].clone());
        Value::Object(out)
    });
    Value::Array(blocks.collect())
}
