//! A body of any provider in short: one line a thing said, in order.

use convo::body::{Dialect, Provider};
use serde_json::Value;

/// `user "…"`, `think "…"`, `say "…"`, `call ID NAME ARGUMENTS`, `result ID "…"` and
/// `system "…"`; ids are left out where the provider has none.
pub(crate) fn outline(provider: Provider, body: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    match provider.dialect() {
        Dialect::Responses => responses(body, &mut lines),
        Dialect::Gemini => gemini(body, &mut lines),
        Dialect::Messages => messages(body, &mut lines),
        Dialect::Chat | Dialect::Ollama | Dialect::Converse => chat(body, &mut lines),
    }
    lines
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(role: &Value) -> &'static str {
    match role.as_str().expect("a role") {
        "assistant" | "model" => "say",
        "user" => "user",
        "system" => "system",
        "tool" => "result",
        other => panic!("role {other}"),
    }
}

/// A string, or the texts of a list of parts.
fn texts(content: &Value) -> Vec<String> {
    if let Some(text) = content.as_str() {
        return vec![format!("{text:?}")];
    }
    let part = |part: &Value| match part["text"].as_str() {
        Some(text) => format!("{text:?}"),
        None => part["type"].as_str().unwrap_or("file").to_owned(),
    };
    list(content).map(part).collect()
}

fn responses(body: &Value, lines: &mut Vec<String>) {
    for item in list(&body["input"]) {
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str().expect("a type") {
            "message" => {
                let role = word(&item["role"]);
                let texts = texts(&item["content"]).into_iter();
                lines.extend(texts.map(|text| format!("{role} {text}")));
            }
            "reasoning" => {
                lines.push(format!("think {}", item["summary"][0]["text"]));
            }
            "function_call" => {
                let arguments = item["arguments"].as_str().expect("a string");
                let name = item["name"].as_str().expect("a name");
                lines.push(format!("call {id} {name} {arguments}"));
            }
            "function_call_output" => {
                lines.push(format!("result {id} {}", item["output"]));
            }
            other => panic!("item {other}"),
        }
    }
}

fn gemini(body: &Value, lines: &mut Vec<String>) {
    for part in list(&body["systemInstruction"]["parts"]) {
        lines.push(format!("system {}", part["text"]));
    }
    for content in list(&body["contents"]) {
        for part in list(&content["parts"]) {
            let text = |value: &Value| value.as_str().expect("text").to_owned();
            if let Some(call) = part.get("functionCall") {
                let (id, name) = (text(&call["id"]), text(&call["name"]));
                lines.push(format!("call {id} {name} {}", call["args"]));
            } else if let Some(result) = part.get("functionResponse") {
                let response = &result["response"];
                let (word, said) = match response.get("error") {
                    Some(error) => ("failed", error),
                    None => ("result", &response["content"]),
                };
                lines.push(format!("{word} {} {said}", text(&result["id"])));
            } else if part.get("inlineData").is_some() {
                lines.push("user file".to_owned());
            } else {
                let word = match part.get("thought") {
                    Some(_) => "think",
                    None => word(&content["role"]),
                };
                lines.push(format!("{word} {}", part["text"]));
            }
        }
    }
}

fn messages(body: &Value, lines: &mut Vec<String>) {
    for block in list(&body["system"]) {
        lines.push(format!("system {}", block["text"]));
    }
    for message in list(&body["messages"]) {
        for block in list(&message["content"]) {
            let text = |key: &str| block[key].as_str().expect("text").to_owned();
            lines.push(match block["type"].as_str().expect("a type") {
                "text" => format!("{} {}", word(&message["role"]), block["text"]),
                "thinking" => format!("think {}", block["thinking"]),
                "tool_use" => {
                    format!("call {} {} {}", text("id"), text("name"), block["input"])
                }
                "tool_result" => {
                    let failed = block["is_error"] == Value::Bool(true);
                    let word = if failed { "failed" } else { "result" };
                    format!("{word} {} {}", text("tool_use_id"), block["content"])
                }
                _ => "user file".to_owned(),
            });
        }
    }
}

fn chat(body: &Value, lines: &mut Vec<String>) {
    for message in list(&body["messages"]) {
        let role = word(&message["role"]);
        let reasoning = ["reasoning_content", "reasoning", "thinking"];
        for text in reasoning.iter().filter_map(|key| message[*key].as_str()) {
            lines.push(format!("think {text:?}"));
        }
        let id = message["tool_call_id"].as_str().unwrap_or_default();
        let space = if id.is_empty() { "" } else { " " };
        for text in texts(&message["content"]) {
            if role != "say" || text != "\"\"" {
                lines.push(format!("{role}{space}{id} {text}"));
            }
        }
        for call in list(&message["tool_calls"]) {
            let function = &call["function"];
            let name = function["name"].as_str().expect("a name");
            let arguments = match function["arguments"].as_str() {
                Some(text) => text.to_owned(),
                None => function["arguments"].to_string(),
            };
            let id = call["id"].as_str();
            let id = id.map(|id| format!("{id} ")).unwrap_or_default();
            lines.push(format!("call {id}{name} {arguments}"));
        }
    }
}
