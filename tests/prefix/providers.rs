//! Every provider in its own order (`docs/prefix.md#kinds-of-cache`).

use super::{Setting, found, levels, pair, places};
use convo::body::Provider;
use convo::prefix::{Outcome, Reason, Verdict};
use serde_json::{Value, json};

fn setting(provider: Provider) -> Setting {
    Setting {
        model: Some("m"),
        provider: Some(provider),
        ..Setting::default()
    }
}

/// A body with system text, a tool and three messages, and a longer one.
pub(super) fn bodies(provider: Provider) -> (Value, Value) {
    let chat = |message: fn(&str, &str) -> Value| {
        let body = |texts: &[(&str, &str)]| {
            let mut list = vec![message("system", "S")];
            list.extend(texts.iter().map(|(role, text)| message(role, text)));
            json!({"model": "m", "messages": list, "tools": [{"type": "function",
                "function": {"name": "f", "description": "d", "parameters": {}}}]})
        };
        let turns = [
            ("user", "M1"),
            ("assistant", "R1"),
            ("user", "M2"),
            ("assistant", "R2"),
            ("user", "M3"),
        ];
        (body(&turns[..3]), body(&turns))
    };
    match provider {
        Provider::Anthropic | Provider::Bedrock => {
            let body = |turns: usize| {
                let list: Vec<Value> = (0..turns)
                    .map(|n| {
                        let role = ["user", "assistant"][n % 2];
                        json!({"role": role, "content": [{"type": "text", "text": format!("T{n}")}]})
                    })
                    .collect();
                json!({"model": "m", "max_tokens": 1, "system": [{"type": "text", "text": "S"}],
                    "tools": [{"name": "f", "description": "d", "input_schema": {}}],
                    "messages": list})
            };
            (body(3), body(5))
        }
        Provider::OpenAi => {
            let body = |turns: usize| {
                let list: Vec<Value> = (0..turns)
                    .map(|n| {
                        let role = ["user", "assistant"][n % 2];
                        json!({"type": "message", "role": role,
                            "content": [{"type": (["input_text", "output_text"][n % 2]),
                                "text": format!("T{n}")}]})
                    })
                    .collect();
                json!({"model": "m", "instructions": "S", "input": list,
                    "tools": [{"type": "function", "name": "f", "parameters": {}}]})
            };
            (body(3), body(5))
        }
        Provider::Google => {
            let body = |turns: usize| {
                let list: Vec<Value> = (0..turns)
                    .map(|n| {
                        let role = ["user", "model"][n % 2];
                        json!({"role": role, "parts": [{"text": format!("T{n}")}]})
                    })
                    .collect();
                json!({"contents": list, "systemInstruction": {"parts": [{"text": "S"}]},
                    "tools": [{"functionDeclarations": [{"name": "f", "description": "d"}]},
                        {"functionDeclarations": [{"name": "g", "description": "d"}]}]})
            };
            (body(3), body(5))
        }
        Provider::Ollama | Provider::LlamaCpp | Provider::Cerebras => {
            chat(|role, text| json!({"role": role, "content": text}))
        }
        Provider::OpenRouter => chat(
            |role, text| json!({"role": role, "content": [{"type": "text", "text": text}]}),
        ),
    }
}

#[test]
fn a_turn_more_is_a_hit_everywhere() {
    for provider in Provider::ALL {
        let (a, b) = bodies(provider);
        let report = pair(&a, &b, &setting(provider));
        // Nothing is marked, and this cache holds what is marked alone.
        let expected = match provider {
            Provider::Anthropic => Verdict::Uncached,
            _ => Verdict::Hit,
        };
        assert_eq!(report.verdict, expected, "{provider:?}");
        assert_eq!(levels(&report), "k/k/k", "{provider:?}");
        assert_eq!(report.provider, provider.name());
    }
}

#[test]
fn what_is_not_documented_is_said() {
    for provider in Provider::ALL {
        let (a, b) = bodies(provider);
        let told = found(&pair(&a, &b, &setting(provider)), "not-published");
        let expected = (provider != Provider::Anthropic).then_some("note");
        assert_eq!(told, expected, "{provider:?}");
    }
}

#[test]
fn a_change_costs_its_level_and_those_behind_it() {
    for (provider, edit, path, state) in [
        (
            Provider::OpenAi,
            ("/instructions", json!("S!")),
            "/instructions",
            "k/l/l",
        ),
        (
            Provider::OpenAi,
            ("/tools/0/name", json!("g")),
            "/tools/0/name",
            "l/l/l",
        ),
        (
            Provider::OpenRouter,
            ("/messages/0/content/0/text", json!("S!")),
            "/messages/0/content/0/text",
            "k/l/l",
        ),
        // The order of tools and system text is not published, or a template's.
        (
            Provider::Google,
            ("/systemInstruction/parts/0/text", json!("S!")),
            "/systemInstruction/parts/0/text",
            "l/l/l",
        ),
        (
            Provider::Google,
            ("/tools/1/functionDeclarations/0/description", json!("e")),
            "/tools/1/functionDeclarations/0/description",
            "p/l/l",
        ),
        (
            Provider::Ollama,
            ("/messages/0/content", json!("S!")),
            "/messages/0/content",
            "l/l/l",
        ),
        (
            Provider::LlamaCpp,
            ("/tools/0/function/description", json!("e")),
            "/tools/0/function/description",
            "p/l/l",
        ),
        (
            Provider::Cerebras,
            ("/messages/2/content", json!("R1!")),
            "/messages/2/content",
            "k/k/p",
        ),
    ] {
        let (a, mut b) = bodies(provider);
        *b.pointer_mut(edit.0).expect("a place") = edit.1;
        let report = pair(&a, &b, &setting(provider));
        assert_eq!(places(&report)[0].0, path, "{provider:?}");
        assert_eq!(levels(&report), state, "{provider:?} {path}");
    }
}

#[test]
fn parameters_that_reach_the_prompt() {
    for (provider, key, value, verdict) in [
        (
            Provider::OpenAi,
            "text",
            json!({"format": {"type": "json_schema", "name": "x", "schema": {}}}),
            Verdict::Miss,
        ),
        (
            Provider::OpenAi,
            "text",
            json!({"format": {"type": "text"}}),
            Verdict::Hit,
        ),
        (
            Provider::OpenAi,
            "prompt_cache_key",
            json!("k"),
            Verdict::Unknown,
        ),
        (
            Provider::OpenAi,
            "max_output_tokens",
            json!(5),
            Verdict::Hit,
        ),
        (
            Provider::Google,
            "toolConfig",
            json!({"functionCallingConfig": {"mode": "ANY"}}),
            Verdict::Miss,
        ),
        (
            Provider::Ollama,
            "options",
            json!({"num_ctx": 9}),
            Verdict::Miss,
        ),
        (Provider::Ollama, "keep_alive", json!("5m"), Verdict::Hit),
        (
            Provider::LlamaCpp,
            "chat_template_kwargs",
            json!({"enable_thinking": true}),
            Verdict::Unknown,
        ),
        (Provider::Cerebras, "temperature", json!(0.5), Verdict::Hit),
    ] {
        let (a, mut b) = bodies(provider);
        b[key] = value.clone();
        let report = pair(&a, &b, &setting(provider));
        assert_eq!(report.verdict, verdict, "{provider:?} {key} {value}");
    }
}

#[test]
fn soft_forcing_at_the_head_and_at_the_end() {
    let (a, mut b) = bodies(Provider::OpenRouter);
    let nudge =
        json!({"role": "system", "content": [{"type": "text", "text": "call f"}]});
    b["messages"]
        .as_array_mut()
        .expect("messages")
        .insert(0, nudge.clone());
    let report = pair(&a, &b, &setting(Provider::OpenRouter));
    assert_eq!(levels(&report), "k/l/l");
    assert_eq!(places(&report)[0].2, "added");
    let (a, mut b) = bodies(Provider::Ollama);
    b["messages"].as_array_mut().expect("messages").push(nudge);
    assert_eq!(
        pair(&a, &b, &setting(Provider::Ollama)).verdict,
        Verdict::Hit
    );
}

#[test]
fn markers_of_the_providers_that_have_them() {
    // GPT-5.6 and later match at a breakpoint only; the newest message is one.
    let (mut a, mut b) = bodies(Provider::OpenAi);
    let newer = Setting {
        model: None,
        ..setting(Provider::OpenAi)
    };
    for one in [&mut a, &mut b] {
        one["model"] = json!("gpt-5.6");
    }
    assert_eq!(pair(&a, &b, &newer).verdict, Verdict::Hit);
    b["input"][2]["content"][0]["text"] = json!("T2!");
    assert_eq!(
        pair(&a, &b, &newer).verdict,
        Verdict::Miss,
        "no partial fallback"
    );
    a["input"][0]["content"][0]["prompt_cache_breakpoint"] =
        json!({"mode": "explicit"});
    assert_eq!(pair(&a, &b, &newer).verdict, Verdict::Partial);
    for one in [&mut a, &mut b] {
        one["model"] = json!("gpt-5.5");
    }
    assert_eq!(
        pair(&a, &b, &newer).verdict,
        Verdict::Partial,
        "any position"
    );
    // OpenRouter hands an Anthropic model's markers on.
    let (mut a, mut b) = bodies(Provider::OpenRouter);
    let gateway = Setting {
        model: Some("anthropic/claude-opus-4.5"),
        ..setting(Provider::OpenRouter)
    };
    for one in [&mut a, &mut b] {
        one["model"] = json!("anthropic/claude-opus-4.5");
        one["messages"][0]["content"][0]["cache_control"] =
            json!({"type": "ephemeral"});
    }
    b["messages"][1]["content"][0]["text"] = json!("M1!");
    let report = pair(&a, &b, &gateway);
    assert_eq!(
        report.verdict,
        Verdict::Hit,
        "all that was cached is the system text"
    );
    assert_eq!(levels(&report), "k/k/l");
    assert_eq!(report.reason, Some(Reason::Messages));
}

#[test]
fn arguments_in_a_string_are_looked_into() {
    let call = |arguments: &str| {
        json!({"messages": [{"role": "user", "content": "x"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "t", "type": "function",
                "function": {"name": "f", "arguments": arguments}}]},
            {"role": "tool", "tool_call_id": "t", "content": "r"}]})
    };
    let a = call(r#"{"a":1,"b":2}"#);
    for (other, cause) in [
        (r#"{"b":2,"a":1}"#, "key_order"),
        (r#"{"a": 1, "b": 2}"#, "whitespace"),
        (r#"{"a":1,"b":3}"#, "edited"),
    ] {
        let report = pair(&a, &call(other), &setting(Provider::OpenRouter));
        let (path, _, why, _) = places(&report)[0];
        assert_eq!(path, "/messages/1/tool_calls/0/function/arguments");
        assert_eq!(why, cause, "{other}");
    }
}

#[test]
fn nobody_else_binds_reasoning_to_what_came_before() {
    let (mut a, mut b) = bodies(Provider::OpenAi);
    for one in [&mut a, &mut b] {
        let item = json!({"type": "reasoning", "id": "rs_1", "summary": [],
            "encrypted_content": "x"});
        one["input"].as_array_mut().expect("items").insert(1, item);
        one["input"][2]["id"] = json!("msg_1");
    }
    b["instructions"] = json!("S!");
    let report = pair(&a, &b, &setting(Provider::OpenAi));
    assert_eq!(report.binding.outcome, Outcome::NotChecked);
    let (a, b) = bodies(Provider::OpenAi);
    let report = pair(&a, &b, &setting(Provider::OpenAi));
    assert_eq!(report.binding.outcome, Outcome::Accepted);
}
