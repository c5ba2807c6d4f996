//! What `flatten` mends, `lint` sees: each mend is switched off and its rule looked for.
//!
//! `--parity jp` writes what the other program would, unmended; what that mends too is
//! undone in the body.

use crate::common::command::run;
use convo::body::Provider;
use convo::lint::Wanted;
use serde_json::{Value, json};

fn ask(text: &str) -> Value {
    json!({"type": "chat_request", "content": text})
}

fn say(text: &str) -> Value {
    json!({"type": "chat_response", "message": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_call_request", "id": id, "name": "f", "arguments": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_call_response", "id": id, "content": "ok", "is_error": false})
}

fn body(model: &str, events: &[Value], inputs: &Value, mended: bool) -> Vec<u8> {
    let bundle = json!({"encoding": "plain", "base_config": {}, "events": events,
        "inputs": inputs});
    let mut args = vec!["flatten", "--model", model];
    if !mended {
        args.extend(["--parity", "jp"]);
    }
    let ran = run(&args, bundle.to_string().as_bytes());
    assert_eq!(ran.status, 0, "{model}: {}", ran.shown());
    ran.stdout.into_bytes()
}

/// The rules that a body for `model` breaks.
fn broken(model: &str, body: &[u8]) -> Vec<&'static str> {
    let (provider, name) = model.split_once('/').expect("a provider");
    let wanted = Wanted {
        model: Some(name.to_owned()),
        betas: Some(Vec::new()),
        ..Wanted::default()
    };
    let found = super::with(
        body,
        Provider::read(provider),
        &wanted,
        |body, capture, profile| convo::lint::check(body, capture.bytes(), profile),
    );
    found
        .expect("a body")
        .iter()
        .map(|one| one.rule.id)
        .collect()
}

const CLAUDE: &str = "anthropic/claude-opus-4-6";
const GPT: &str = "openai/gpt-5.4";
const GEMINI: &str = "google/gemini-3.5-flash";
const ROUTER: &str = "openrouter/openai/gpt-5.4";
const CEREBRAS: &str = "cerebras/gpt-oss-120b";
const LLAMA: &str = "llamacpp/x";
const OLLAMA: &str = "ollama/qwen3";

#[test]
fn every_mend_has_its_rule() {
    let tool = |name: &str, parameters: Value| json!({"tools": [{"name": name, "description": "d", "parameters": parameters}]});
    let odd = |id: &str| vec![ask("go"), call(id), result(id)];
    let twice = || {
        vec![
            ask("go"),
            call("a"),
            result("a"),
            say("x"),
            ask("b"),
            call("a"),
            result("a"),
        ]
    };
    let late = || vec![ask("go"), call("a"), ask("wait"), result("a"), ask("b")];
    let bad_name = || tool("a b", json!({}));
    let bad_array = || tool("w", json!({"t": {"type": "array"}}));
    let go = || vec![ask("go")];
    let none = || json!({});
    let long = "x".repeat(70);
    for (model, events, inputs, rule) in [
        (CLAUDE, odd("a.b"), none(), "tool-use-id-pattern"),
        (CLAUDE, odd(""), none(), "tool-use-id-pattern"),
        (CLAUDE, twice(), none(), "tool-use-id-duplicate"),
        (
            CLAUDE,
            vec![ask("go"), say(" "), ask("b")],
            none(),
            "text-whitespace",
        ),
        (CLAUDE, late(), none(), "tool-result-not-first"),
        (CLAUDE, go(), bad_name(), "tool-name-pattern"),
        (GPT, odd(&long), none(), "responses-call-id-length"),
        (GPT, twice(), none(), "call-id-duplicate"),
        (GPT, go(), bad_name(), "openai-tool-name-pattern"),
        (GPT, go(), bad_array(), "openai-schema-array-items"),
        (GEMINI, go(), bad_name(), "gemini-function-name"),
        (ROUTER, twice(), none(), "call-id-duplicate"),
        (ROUTER, late(), none(), "result-orphan"),
        (ROUTER, go(), bad_name(), "openai-tool-name-pattern"),
        (ROUTER, go(), bad_array(), "openai-schema-array-items"),
        (CEREBRAS, twice(), none(), "call-id-duplicate"),
        (CEREBRAS, late(), none(), "result-orphan"),
        (CEREBRAS, go(), bad_name(), "openai-tool-name-pattern"),
        (LLAMA, twice(), none(), "call-id-duplicate"),
        (LLAMA, late(), none(), "result-orphan"),
        (LLAMA, go(), bad_array(), "openai-schema-array-items"),
        (OLLAMA, late(), none(), "result-orphan"),
    ] {
        let off = broken(model, &body(model, &events, &inputs, false));
        assert!(off.contains(&rule), "{model} {rule}: {off:?}");
        let on = broken(model, &body(model, &events, &inputs, true));
        assert!(!on.contains(&rule), "{model} {rule}: {on:?}");
    }
}

/// Sampling that the model refuses beside thinking, or two kinds of it.
#[test]
fn sampling_that_is_left_out_has_its_rules() {
    let bundle = json!({"encoding": "plain", "events": [ask("go")],
        "base_config": {"assistant": {"model": {"parameters":
            {"temperature": 0.5, "top_p": 0.5, "top_k": 4}}}}})
    .to_string();
    for model in [CLAUDE, "anthropic/claude-opus-5"] {
        let rules = |more: &[&str]| {
            let mut args = vec!["flatten", "--model", model];
            args.extend_from_slice(more);
            let ran = run(&args, bundle.as_bytes());
            assert_eq!(ran.status, 0, "{}", ran.shown());
            let mut found = broken(model, ran.stdout.as_bytes());
            found.retain(|rule| rule.contains("sampling") || rule.contains("top-p"));
            (found, ran.stderr)
        };
        let (off, _) = rules(&["--parity", "jp"]);
        assert!(!off.is_empty(), "{model}");
        let (on, told) = rules(&[]);
        assert_eq!(on, [""; 0], "{model}");
        assert!(told.contains("left out"), "{told}");
    }
}

/// Mends that the other program makes too: undone in the body.
#[test]
fn what_both_mend_has_its_rule() {
    let open = [ask("go"), call("a"), say("x"), ask("b")];
    for (model, list, rule) in [
        (CLAUDE, "messages", "tool-use-unanswered"),
        (GPT, "input", "call-unanswered"),
        (ROUTER, "messages", "call-unanswered"),
        (CEREBRAS, "messages", "call-unanswered"),
    ] {
        let text = body(model, &open, &json!({}), true);
        assert!(!broken(model, &text).contains(&rule), "{model}");
        let mut undone: Value = serde_json::from_slice(&text).expect("JSON");
        let items = undone[list].as_array_mut().expect("a list");
        let said = |one: &Value| one.to_string().contains("Tool call was interrupted.");
        for item in items.iter_mut() {
            if let Some(blocks) = item["content"].as_array_mut() {
                blocks.retain(|one| one["type"] == "text" || !said(one));
            }
        }
        items.retain(|one| {
            one["role"] != "tool" && one["type"] != "function_call_output"
        });
        let off = broken(model, undone.to_string().as_bytes());
        assert!(off.contains(&rule), "{model}: {off:?}");
    }
    // A result without its call is left out: put in again, it is an orphan.
    for (model, list, item, rule) in [
        (
            CLAUDE,
            "messages",
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "k"}]}),
            "tool-result-orphan",
        ),
        (
            GPT,
            "input",
            json!({"type": "function_call_output", "call_id": "a", "output": "k"}),
            "result-orphan",
        ),
        (
            GEMINI,
            "contents",
            json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "k"}}}]}),
            "result-orphan",
        ),
    ] {
        let events = [ask("go"), result("a"), say("x"), ask("b")];
        let text = body(model, &events, &json!({}), true);
        assert!(!broken(model, &text).contains(&rule), "{model}");
        let mut undone: Value = serde_json::from_slice(&text).expect("JSON");
        undone[list].as_array_mut().expect("a list").push(item);
        let off = broken(model, undone.to_string().as_bytes());
        let counted = off.contains(&rule)
            || model == GEMINI && off.contains(&"gemini-response-count");
        assert!(counted, "{model}: {off:?}");
    }
    // Half a character.
    for model in [CLAUDE, GPT, GEMINI, CEREBRAS] {
        let text = body(model, &[ask("sun HALF cut")], &json!({}), true);
        let cut = String::from_utf8(text)
            .expect("UTF-8")
            .replace("HALF", "\\ud83d");
        assert!(
            broken(model, cut.as_bytes()).contains(&"lone-surrogate"),
            "{model}"
        );
    }
}
