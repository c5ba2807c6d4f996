//! Law W on recorded bodies, and every file of the corpus through every command.

use super::{pass, run};
use crate::common::corpus::{cases, corpus, report};
use serde_json::{Value, json};

/// Files without a conversation: lines of usage alone.
const EMPTY: [&str; 2] = ["ccu-session-alpha.jsonl", "ccu-test-transcript.jsonl"];

#[test]
fn every_transcript_imports_validates_renders_and_projects() {
    let mut count = 0;
    let folders = ["claude-code", "codex", "gemini-cli", "cline", "datasets"];
    for folder in folders {
        for path in cases(&format!("import/{folder}")) {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let ran = run(&text, &[]);
            if EMPTY.contains(&&*name) {
                assert_eq!(ran.status, 2, "{name}: {}", ran.stderr);
                continue;
            }
            assert_eq!(ran.status, 0, "{name}: {}", ran.stderr);
            count += 1;
            for command in [
                &["validate", "-q"][..],
                &["render", "--color", "never"],
                &["project"],
                &[
                    "flatten",
                    "--requests",
                    "all",
                    "--provider",
                    "anthropic",
                    "--model",
                    "claude-opus-5",
                ],
            ] {
                let done = pass(command, &ran.stdout);
                assert_eq!(done.status, 0, "{name} {command:?}: {}", done.stderr);
            }
        }
    }
    report(
        "every_transcript_imports_validates_renders_and_projects",
        count,
    );
}

/// What the round trip sets aside: spelling, ids that only a container has, what
/// is not sent back. The numbers are those of `docs/formats.md`.
fn messages(format: &str, body: &Value) -> Vec<Value> {
    match format {
        "anthropic" => anthropic(body),
        "openai" => responses(body),
        "google" => gemini(body),
        _ => chat(body),
    }
}

fn no_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("cache_control");
            map.retain(|_, one| !one.is_null());
            map.values_mut().for_each(no_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(no_nulls),
        _ => {}
    }
}

/// Adjacent messages of one role as one (E-2), blank texts left out (E-1).
fn joined(list: Vec<(String, Vec<Value>)>) -> Vec<Value> {
    let mut out: Vec<(String, Vec<Value>)> = Vec::new();
    for (role, mut parts) in list {
        parts.retain(|part| part != "");
        if parts.is_empty() {
            continue;
        }
        match out.last_mut().filter(|(last, _)| *last == role) {
            Some((_, all)) => all.append(&mut parts),
            None => out.push((role, parts)),
        }
    }
    out.retain(|(_, parts)| !parts.is_empty());
    // Assistant messages before the first of the user are not sent (E-6).
    while out
        .first()
        .is_some_and(|(role, _)| role == "assistant" || role == "model")
    {
        out.remove(0);
    }
    out.into_iter()
        .map(|(role, parts)| json!([role, parts]))
        .collect()
}

fn anthropic(body: &Value) -> Vec<Value> {
    let mut list = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().expect("a role").to_owned();
        if role == "system" {
            continue;
        }
        let mut results = Vec::new();
        let mut parts = Vec::new();
        let blocks = match &message["content"] {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            other => other.as_array().cloned().unwrap_or_default(),
        };
        for mut block in blocks {
            no_nulls(&mut block);
            let kind = block["type"].as_str().unwrap_or_default().to_owned();
            let object = block.as_object_mut().expect("a block");
            match kind.as_str() {
                "text"
                    if object["text"].as_str().is_none_or(|t| t.trim().is_empty()) => {}
                "text" => parts.push(json!({"text": object["text"]})),
                "tool_result" => {
                    let text = match object.get("content") {
                        Some(Value::Array(list)) => {
                            let texts: Vec<_> = list
                                .iter()
                                .filter_map(|b| b["text"].as_str())
                                .collect();
                            texts.join("\n\n")
                        }
                        Some(Value::String(text)) => text.clone(),
                        _ => String::new(),
                    };
                    // A result of no text is the placeholder (E-4), whatever else it holds.
                    let text = match text.as_str() {
                        "Tool executed successfully." => String::new(),
                        text => text.to_owned(),
                    };
                    let error = object.get("is_error") == Some(&json!(true));
                    results.push(json!([object["tool_use_id"], text, error]));
                }
                "thinking" | "redacted_thinking" | "tool_use" => {
                    object.retain(|key, _| {
                        [
                            "type",
                            "thinking",
                            "signature",
                            "data",
                            "id",
                            "name",
                            "input",
                        ]
                        .contains(&key.as_str())
                    });
                    parts.push(block);
                }
                _ => {}
            }
        }
        results.append(&mut parts);
        list.push((role, results));
    }
    joined(list)
}

fn chat(body: &Value) -> Vec<Value> {
    let mut list = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().expect("a role").to_owned();
        if role == "system" || role == "developer" {
            continue;
        }
        let mut parts = Vec::new();
        match &message["content"] {
            Value::String(text) if !text.trim().is_empty() => parts.push(json!(text)),
            Value::Array(list) => {
                parts.extend(
                    list.iter()
                        .filter_map(|p| p["text"].as_str())
                        .map(|t| json!(t)),
                );
            }
            _ => {}
        }
        if role == "tool" {
            let text: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
            parts = vec![json!([message["tool_call_id"], text.join("\n\n")])];
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let function = &call["function"];
            let arguments = function["arguments"].as_str().unwrap_or("{}");
            let arguments: Value =
                serde_json::from_str(arguments).unwrap_or(json!(arguments));
            parts.push(json!([call["id"], function["name"], arguments]));
        }
        list.push((role, parts));
    }
    joined(list)
}

fn responses(body: &Value) -> Vec<Value> {
    let mut list = Vec::new();
    let items = match &body["input"] {
        Value::String(text) => vec![json!({"role": "user", "content": text})],
        other => other.as_array().cloned().unwrap_or_default(),
    };
    for mut item in items {
        no_nulls(&mut item);
        let role = item["role"].as_str().unwrap_or_default().to_owned();
        let kind = item["type"].as_str().unwrap_or("message").to_owned();
        match kind.as_str() {
            "message" if role == "system" || role == "developer" => {}
            "message" => {
                let texts: Vec<Value> = match &item["content"] {
                    Value::String(text) => vec![json!(text)],
                    other => {
                        let parts = other.as_array().into_iter().flatten();
                        parts.filter_map(|p| p.get("text").cloned()).collect()
                    }
                };
                list.push((role, texts));
            }
            "reasoning" => {
                let parts = item["summary"].as_array().into_iter().flatten();
                let texts: Vec<_> = parts.filter_map(|p| p["text"].as_str()).collect();
                let text = texts.join("\n\n");
                list.push((
                    "assistant".to_owned(),
                    vec![json!([text, item["encrypted_content"]])],
                ));
            }
            "function_call" => {
                let arguments = item["arguments"].as_str().unwrap_or("{}");
                let arguments: Value = serde_json::from_str(arguments).expect("JSON");
                list.push((
                    "assistant".to_owned(),
                    vec![json!([item["call_id"], item["name"], arguments])],
                ));
            }
            "function_call_output" => {
                // Files of an output are not sent back: the placeholder (E-4, E-10).
                let output = match &item["output"] {
                    Value::String(text) if text == "Tool executed successfully." => {
                        String::new()
                    }
                    Value::String(text) => text.clone(),
                    other => {
                        let parts = other.as_array().into_iter().flatten();
                        let texts: Vec<_> =
                            parts.filter_map(|p| p["text"].as_str()).collect();
                        texts.join("\n\n")
                    }
                };
                list.push(("tool".to_owned(), vec![json!([item["call_id"], output])]));
            }
            _ => {}
        }
    }
    joined(list)
}

fn gemini(body: &Value) -> Vec<Value> {
    let either = |part: &Value, camel: &str, snake: &str| -> Option<Value> {
        part.get(camel).or_else(|| part.get(snake)).cloned()
    };
    let mut list = Vec::new();
    for content in body["contents"].as_array().into_iter().flatten() {
        let role = match content["role"].as_str() {
            Some("model") => "model",
            _ => "user",
        };
        let mut parts = Vec::new();
        let mut results = Vec::new();
        for part in content["parts"].as_array().into_iter().flatten() {
            let signature = either(part, "thoughtSignature", "thought_signature")
                .filter(|s| s != "skip_thought_signature_validator");
            if let Some(call) = either(part, "functionCall", "function_call") {
                let args = call.get("args").cloned().unwrap_or(json!({}));
                parts.push(json!([call["name"], args, signature]));
            } else if let Some(answer) =
                either(part, "functionResponse", "function_response")
            {
                results.push(json!([answer["name"], answered(&answer["response"])]));
            } else if let Some(text) = part["text"].as_str()
                && !text.trim().is_empty()
            {
                parts.push(json!([text, part.get("thought"), signature]));
            }
        }
        results.append(&mut parts);
        list.push((role.to_owned(), results));
    }
    joined(list)
}

/// A response as text: of its only member, else of all of it (E-8).
fn answered(response: &Value) -> Value {
    for key in ["content", "output", "error"] {
        if let Some(text) = response.get(key).filter(|t| t.is_string())
            && response.as_object().is_some_and(|o| o.len() == 1)
        {
            return json!([key == "error", text]);
        }
    }
    json!([false, response.to_string()])
}

/// The system parts of a body.
fn system(format: &str, body: &Value) -> Vec<Value> {
    let texts = |value: &Value| -> Vec<Value> {
        match value {
            Value::String(text) => vec![json!(text)],
            other => {
                let parts = other.as_array().into_iter().flatten();
                parts.filter_map(|part| part.get("text").cloned()).collect()
            }
        }
    };
    match format {
        "anthropic" => texts(&body["system"]),
        "google" => {
            let system = body
                .get("systemInstruction")
                .or_else(|| body.get("system_instruction"));
            system.map(|s| texts(&s["parts"])).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Ids and names of what the provider ran: not sent back today (E-10).
fn served(record: &Value) -> Vec<Value> {
    let events = record["events"].as_array().into_iter().flatten();
    events
        .filter(|e| e["metadata"]["foreign"]["server"] == true)
        .flat_map(|e| [e["id"].clone(), e["name"].clone()])
        .filter(|id| !id.is_null())
        .collect()
}

/// Messages without what the provider ran, joined again.
fn unserved(list: Vec<Value>, served: &[Value]) -> Vec<Value> {
    let list = list.into_iter().map(|message| {
        let role = message[0].as_str().expect("a role").to_owned();
        let parts = message[1].as_array().expect("parts").iter().filter(|part| {
            let id = part.get(0).or_else(|| part.get("id"));
            !id.is_some_and(|id| served.contains(id))
        });
        (role, parts.cloned().collect())
    });
    joined(list.collect())
}

#[test]
fn law_w_on_recorded_bodies() {
    let Some(corpus) = corpus() else {
        return report("law_w_on_recorded_bodies", 0);
    };
    let mut count = 0;
    let mut wrong = Vec::new();
    for (file, format, provider, model) in [
        (
            "anthropic-messages",
            "anthropic",
            "anthropic",
            "claude-opus-5",
        ),
        ("openai-responses", "openai", "openai", "gpt-5.5"),
        ("gemini", "google", "google", "gemini-3-pro"),
        ("openai-chat", "chat", "openrouter", "openai/gpt-5.5"),
        ("chat-other", "chat", "openrouter", "openai/gpt-5.5"),
        ("local-chat", "chat", "openrouter", "openai/gpt-5.5"),
        ("openrouter-chat", "chat", "openrouter", "openai/gpt-5.5"),
    ] {
        let path = corpus.join(format!("import/bodies/{file}.jsonl"));
        let text = std::fs::read_to_string(path).expect("UTF-8");
        for line in text.lines() {
            let before: Value = serde_json::from_str(line).expect("a line");
            let imported = run(line, &[]);
            assert_eq!(imported.status, 0, "{}", imported.shown());
            let args = [
                "flatten",
                "--requests",
                "end",
                "--provider",
                provider,
                "--model",
                model,
            ];
            let flat = pass(&args, &imported.stdout);
            count += 1;
            let body = &before["body"];
            let record: Value =
                serde_json::from_str(&imported.stdout).expect("a bundle");
            let asked = record["events"].as_array().into_iter().flatten().any(|e| {
                let text = e["content"].as_str().unwrap_or_default();
                e["type"] == "chat_request" && !text.trim().is_empty()
            });
            if !asked {
                // What holds no text of the user is no request (E-6).
                assert_eq!(flat.status, 2, "{}: {}", before["origin"], flat.stderr);
                continue;
            }
            if record["events"]
                .to_string()
                .contains("\"type\":\"compaction\"")
            {
                continue;
            }
            let after: Value = serde_json::from_str(&flat.stdout).expect(&flat.stderr);
            let served = served(&record);
            let (a, b) = (messages(format, body), messages(format, &after));
            let b = unserved(b, &served);
            let a = unserved(a, &served);
            if a != b {
                wrong.push(format!(
                    "{}\n  {}\n  {}",
                    before["origin"],
                    json!(a),
                    json!(b)
                ));
            }
            let (a, b) = (system(format, body), system(format, &after));
            if !b.starts_with(&a) {
                wrong.push(format!("system {}: {a:?} {b:?}", before["origin"]));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    report("law_w_on_recorded_bodies", count);
}

#[test]
fn converse_bodies_are_refused_by_name() {
    let Some(corpus) = corpus() else {
        return report("converse_bodies_are_refused_by_name", 0);
    };
    let path = corpus.join("import/bodies/bedrock-converse.jsonl");
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let mut count = 0;
    for line in text.lines() {
        count += 1;
        let ran = run(line, &[]);
        // InvokeModel takes a Messages body, and says so with a version.
        if line.contains("anthropic_version") {
            assert_eq!(ran.status, 0, "{}", ran.stderr);
        } else {
            assert_eq!(ran.status, 2);
            assert!(ran.stderr.contains("Converse"), "{}", ran.stderr);
        }
    }
    report("converse_bodies_are_refused_by_name", count);
}

#[test]
fn recorded_traffic_is_read() {
    let mut count = 0;
    for path in cases("traffic") {
        if path.extension().is_none_or(|e| e != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let ran = run(&text, &[]);
        let refused = text.lines().count() - ran.stdout.lines().count();
        count += ran.stdout.lines().count();
        let named = ran.stderr.matches("without a message").count();
        assert_eq!(refused, named, "{}: {}", path.display(), ran.stderr);
        let checked = pass(&["validate", "-q"], &ran.stdout);
        assert_eq!(checked.status, 0, "{}", checked.stdout);
    }
    report("recorded_traffic_is_read", count);
}
