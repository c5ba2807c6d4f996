//! Random bodies: one changed value is named by path and byte in every provider's
//! order, and what is harmless stays a hit.

use super::providers::bodies;
use super::{Setting, pair_bytes};
use convo::body::Provider;
use convo::prefix::Verdict;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{1,12}",
        "[\\u{20}-\\u{7e}é😀\"\\\\\n]{1,20}",
        "[0-9a-f]{4,12}",
    ]
}

/// What a random turn holds, whoever writes it.
#[derive(Debug, Clone)]
struct Said {
    user: String,
    answer: String,
    call: Option<(String, i64)>,
}

fn said() -> impl Strategy<Value = Said> {
    let call = proptest::option::of((text(), any::<i64>()));
    (text(), text(), call).prop_map(|(user, answer, call)| Said { user, answer, call })
}

/// A body of a provider with these turns, tools and system text.
fn body(provider: Provider, turns: &[Said], tools: &[String], system: &str) -> Value {
    let (mut body, _) = bodies(provider);
    let named = |at: usize| format!("tool{at}");
    let mut list = Vec::new();
    for (at, one) in turns.iter().enumerate() {
        match provider {
            Provider::Anthropic => {
                list.push(json!({"role": "user", "content": [{"type": "text", "text": one.user}]}));
                let mut blocks = vec![json!({"type": "text", "text": one.answer})];
                if let Some((arg, number)) = &one.call {
                    blocks.push(
                        json!({"type": "tool_use", "id": format!("t{at}"), "name": "f",
                        "input": {"arg": arg, "n": {"deep": [number, {"x": arg}]}}}),
                    );
                }
                list.push(json!({"role": "assistant", "content": blocks}));
                if one.call.is_some() {
                    list.push(
                        json!({"role": "user", "content": [{"type": "tool_result",
                        "tool_use_id": format!("t{at}"), "content": one.answer}]}),
                    );
                }
            }
            Provider::OpenAi => {
                list.push(json!({"type": "message", "role": "user",
                    "content": [{"type": "input_text", "text": one.user}]}));
                list.push(json!({"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": one.answer}]}));
                if let Some((arg, number)) = &one.call {
                    list.push(
                        json!({"type": "function_call", "call_id": format!("t{at}"),
                        "name": "f", "arguments": format!("<{arg}{number}>")}),
                    );
                    list.push(json!({"type": "function_call_output",
                        "call_id": format!("t{at}"), "output": one.answer}));
                }
            }
            Provider::Google => {
                list.push(json!({"role": "user", "parts": [{"text": one.user}]}));
                let mut parts = vec![json!({"text": one.answer})];
                if let Some((arg, number)) = &one.call {
                    parts.push(json!({"functionCall": {"name": "f", "args": {"a": arg, "n": number}}}));
                }
                list.push(json!({"role": "model", "parts": parts}));
            }
            _ => {
                list.push(json!({"role": "user", "content": one.user}));
                let mut message = json!({"role": "assistant", "content": one.answer});
                if let Some((arg, number)) = &one.call {
                    let arguments = match provider {
                        Provider::Ollama => json!({"a": arg, "n": number}),
                        _ => json!(format!("<{arg}{number}>")),
                    };
                    message["tool_calls"] = json!([{"id": format!("t{at}"), "type": "function",
                        "function": {"name": "f", "arguments": arguments}}]);
                }
                list.push(message);
            }
        }
    }
    let tool = |(at, text): (usize, &String)| match provider {
        Provider::Anthropic => json!({"name": named(at), "description": text,
            "input_schema": {"type": "object", "properties": {"p": {"description": text}}}}),
        Provider::OpenAi => {
            json!({"type": "function", "name": named(at), "description": text})
        }
        Provider::Google => {
            json!({"functionDeclarations": [{"name": named(at), "description": text}]})
        }
        _ => {
            json!({"type": "function", "function": {"name": named(at), "description": text}})
        }
    };
    body["tools"] = tools.iter().enumerate().map(tool).collect();
    match provider {
        Provider::Anthropic => body["system"][0]["text"] = json!(system),
        Provider::OpenAi => body["instructions"] = json!(system),
        Provider::Google => {
            body["systemInstruction"]["parts"][0]["text"] = json!(system);
        }
        _ => list.insert(0, json!({"role": "system", "content": system})),
    }
    let key = match provider {
        Provider::OpenAi => "input",
        Provider::Google => "contents",
        _ => "messages",
    };
    body[key] = Value::Array(list);
    body
}

/// The pointers of all values that can be changed into another of their kind.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                leaves(member, &format!("{path}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (at, one) in list.iter().enumerate() {
                leaves(one, &format!("{path}/{at}"), found);
            }
        }
        Value::String(_) | Value::Number(_) => found.push(path.to_owned()),
        _ => {}
    }
}

fn content(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for key in [
        "tools",
        "system",
        "instructions",
        "systemInstruction",
        "messages",
        "input",
        "contents",
    ] {
        if let Some(value) = body.get(key) {
            leaves(value, &format!("/{key}"), &mut found);
        }
    }
    // What makes a body that of its dialect is no value to change.
    found.retain(|path| !path.ends_with("/type") && !path.ends_with("/role"));
    found
}

/// The byte of a value in `text`, by its pointer, and of its first change.
fn byte_of(text: &str, path: &str) -> usize {
    let root = convo::json::Raw::parse(text.as_bytes()).expect("JSON");
    let value = convo::json::pointer::resolve(root, path).expect("a value");
    value.offset_in(text.as_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_changed_value_is_named_by_path_and_byte(
        turns in vec(said(), 1..5),
        tools in vec(text(), 1..4),
        system in text(),
        which in 0..Provider::ALL.len(),
        place in any::<Index>(),
        pretty in any::<bool>(),
    ) {
        let provider = Provider::ALL[which];
        let a = body(provider, &turns, &tools, &system);
        let mut b = a.clone();
        let paths = content(&b);
        let path = &paths[place.index(paths.len())];
        let old = b.pointer(path).expect("a value").clone();
        let new = match &old {
            Value::String(text) => json!(format!("{text}!x")),
            Value::Number(number) => json!(number.as_i64().unwrap_or(0).wrapping_add(1)),
            other => other.clone(),
        };
        *b.pointer_mut(path).expect("a value") = new;
        let write = |body: &Value, pretty: bool| match pretty {
            true => serde_json::to_string_pretty(body).expect("JSON"),
            false => body.to_string(),
        };
        let (left, right) = (write(&a, pretty), write(&b, false));
        let setting = Setting { provider: Some(provider), model: Some("m"), ..Setting::default() };
        let report = pair_bytes(left.as_bytes(), right.as_bytes(), &setting);
        let first = report.divergences.iter().find(|one| one.path == *path);
        prop_assert!(first.is_some(), "{provider:?} {path}: {:?}", super::places(&report));
        let first = first.expect("checked");
        let (at_a, at_b) = (byte_of(&left, path), byte_of(&right, path));
        match &old {
            Value::String(text) => {
                prop_assert_eq!(first.offset, Some(text.chars().count()));
                let escaped = json!(text).to_string().len() - 1;
                prop_assert_eq!((first.byte_a, first.byte_b), (at_a + escaped, at_b + escaped));
            }
            _ => prop_assert_eq!((first.byte_a, first.byte_b), (at_a, at_b)),
        }
        prop_assert_eq!(report.divergences.len(), 1, "{:?}", super::places(&report));
        prop_assert!(report.verdict != Verdict::Hit && report.verdict != Verdict::Shorter);
        // The other way round it is the same place.
        let back = pair_bytes(right.as_bytes(), left.as_bytes(), &setting);
        prop_assert!(back.divergences.iter().any(|one| one.path == *path));
    }

    #[test]
    fn equal_bodies_have_no_difference(
        turns in vec(said(), 1..5),
        tools in vec(text(), 0..4),
        system in text(),
        which in 0..Provider::ALL.len(),
    ) {
        let provider = Provider::ALL[which];
        let a = body(provider, &turns, &tools, &system);
        let setting = Setting { provider: Some(provider), model: Some("m"), ..Setting::default() };
        let pretty = serde_json::to_string_pretty(&a).expect("JSON");
        let report = pair_bytes(a.to_string().as_bytes(), pretty.as_bytes(), &setting);
        let unmarked = provider == Provider::Anthropic;
        let expected = if unmarked { Verdict::Uncached } else { Verdict::Hit };
        prop_assert_eq!(report.verdict, expected);
        prop_assert!(report.divergences.is_empty());
    }

    #[test]
    fn harmless_changes_stay_a_hit(
        turns in vec(said(), 1..5),
        more in vec(said(), 0..3),
        tools in vec(text(), 1..4),
        system in text(),
        changes in vec(0..10_usize, 1..8),
        nonce in "[0-9a-f]{6,12}",
    ) {
        let provider = Provider::Anthropic;
        let mark = json!({"type": "ephemeral"});
        let text = format!("{system} cch=00ff00ff;");
        let mut a = body(provider, &turns, &tools, &text);
        mark_last(&mut a, &mark);
        let all: Vec<Said> = turns.iter().chain(&more).cloned().collect();
        let mut b = body(provider, &all, &tools, &text);
        mark_last(&mut b, &mark);
        let mut pretty = false;
        for change in changes {
            harmless(&mut b, change, &nonce, &mut pretty);
        }
        let setting = Setting { masks: vec!["cch=[0-9a-f]+".to_owned()], ..Setting::default() };
        let right = match pretty {
            true => serde_json::to_string_pretty(&b).expect("JSON"),
            false => b.to_string(),
        };
        let report = pair_bytes(a.to_string().as_bytes(), right.as_bytes(), &setting);
        prop_assert_eq!(report.verdict, Verdict::Hit, "{}\n{}", a, right);
        prop_assert!(report.divergences.is_empty());
        prop_assert_eq!(report.lost.bytes, 0);
    }
}

/// Puts the marker on the last block, as every turn does anew.
fn mark_last(body: &mut Value, mark: &Value) {
    let blocks = body["messages"]
        .as_array_mut()
        .and_then(|list| list.last_mut());
    let blocks = blocks.and_then(|message| message["content"].as_array_mut());
    if let Some(last) = blocks.and_then(|list| list.last_mut()) {
        last["cache_control"] = mark.clone();
    }
}

fn harmless(b: &mut Value, change: usize, nonce: &str, pretty: &mut bool) {
    let mark = json!({"type": "ephemeral"});
    match change {
        0 => b["metadata"] = json!({"user_id": nonce}),
        1 => b["max_tokens"] = json!(77),
        2 => b["stream"] = json!(true),
        3 => b["tools"][0]["cache_control"] = mark,
        4 => b["system"][0]["cache_control"] = mark,
        5 => {
            let name = format!("late_{nonce}");
            let tool = json!({"name": name, "defer_loading": true,
                "input_schema": {"type": "object"}});
            b["tools"].as_array_mut().expect("tools").push(tool);
        }
        6 => {
            let text = b["system"][0]["text"].as_str().expect("a text");
            let masked = text.replace("cch=00ff00ff", &format!("cch={nonce}"));
            b["system"][0]["text"] = json!(masked);
        }
        7 => *pretty = true,
        8 => {
            // One text as a string, where it carries no marker.
            let text = b["messages"][0]["content"][0]["text"].as_str();
            let marked = b["messages"][0]["content"][0]
                .get("cache_control")
                .is_some();
            if let Some(text) = text.map(str::to_owned).filter(|_| !marked) {
                b["messages"][0]["content"] = json!(text);
            }
        }
        _ => {
            let list = b["messages"].as_array_mut().expect("messages");
            list.push(json!({"role": "system", "content": "from now on"}));
        }
    }
}
