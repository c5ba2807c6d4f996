//! What JP sends where its code and ours would part (`docs/bodies.md`, `--parity jp`).

use super::*;

fn with(mut event: Value, key: &str, value: &str) -> Value {
    event["metadata"] = json!({key: value});
    event
}

#[test]
fn google_leaves_the_level_to_a_model_it_does_not_know() {
    for effort in ["auto", "high"] {
        let asked = Ask::new(Provider::Google, &json!([ask("go")]))
            .parameters(json!({"reasoning": {"effort": effort}}))
            .on(json!({}));
        let asked = asked.jp();
        let level =
            &asked.body()["generationConfig"]["thinkingConfig"]["thinkingLevel"];
        let expected = match effort {
            "auto" => Value::Null,
            _ => json!("HIGH"),
        };
        assert_eq!(*level, expected, "{effort}");
    }
}

#[test]
fn google_forgets_a_call_once_it_is_answered() {
    let signed = with(result("1", "twice"), "google_thought_signature", "SIG");
    let events = json!([
        ask("go"),
        call("1"),
        result("1", "once"),
        signed,
        call("1"),
        result("1", "anew"),
    ]);
    let body = Ask::new(Provider::Google, &events).jp().body();
    let parts = body["contents"].as_array().expect("contents").iter();
    let parts = parts.flat_map(|one| one["parts"].as_array().expect("parts"));
    let results: Vec<_> = parts
        .filter(|part| part.get("functionResponse").is_some())
        .map(|part| {
            let name = part["functionResponse"]["name"].as_str();
            (
                name.expect("a name"),
                part.get("thoughtSignature").is_some(),
            )
        })
        .collect();
    assert_eq!(results, [("f", false), ("", true), ("f", false)]);
}

#[test]
fn a_result_that_is_written_is_not_told_as_left_out() {
    let late = json!([call("1"), ask("go"), result("1", "tardy result")]);
    let first = json!([result("1", "early"), ask("go")]);
    for provider in OTHERS {
        for events in [&late, &first] {
            let (body, told) = Ask::new(provider, events).jp().told();
            assert!(!told.contains(&"result-left-out"), "{provider:?} {told:?}");
            assert_eq!(body.to_string().contains("tardy result"), *events == late);
        }
    }
    let (_, told) = Ask::new(Provider::OpenAi, &first).told();
    assert!(told.contains(&"result-left-out"), "{told:?}");
}

/// A tool is asked for although none is offered.
#[test]
fn a_nudge_needs_no_tool() {
    let events = json!([ask("go")]);
    let nudge = "You MUST use AT LEAST ONE tool";
    for (provider, details) in [
        (Provider::Ollama, json!({})),
        (Provider::OpenRouter, json!({})),
        (Provider::Anthropic, json!({})),
    ] {
        let asked = Ask::new(provider, &events)
            .parameters(json!({"reasoning": {"effort": "low"}}))
            .input("tool_choice", json!("required"))
            .on(details);
        let (ours, told) = asked.told();
        assert!(!ours.to_string().contains(nudge), "{provider:?} {told:?}");
        let body = asked.jp().body();
        assert!(body.to_string().contains(nudge), "{provider:?}");
        assert_eq!(body.get("tool_choice"), None, "{provider:?}");
    }
}

#[test]
fn cerebras_puts_one_of_into_words() {
    let schema = json!({"type": "object", "properties": {
        "kind": {"oneOf": [{"type": "string"}, {"type": "number"}]}}});
    let mut asked = ask("go");
    asked["schema"] = schema;
    let asked = Ask::new(Provider::Cerebras, &json!([asked]));
    let kind = |body: Value| {
        let schema = &body["response_format"]["json_schema"]["schema"];
        schema["properties"]["kind"].clone()
    };
    assert!(kind(asked.body())["anyOf"].is_array());
    let parity = kind(asked.jp().body());
    assert_eq!(parity.get("anyOf"), None);
    let words = parity["description"].as_str().expect("words");
    assert!(words.contains("oneOf"), "{words}");
}

/// Whatever an answer is sent as, it keeps what it was for.
#[test]
fn openai_phases_stay() {
    let structured = json!({"type": "chat_response", "data": {"a": 1}});
    let events = json!([
        ask("go"),
        with(structured, "openai_phase", "final_answer"),
        ask("on"),
        with(think("hm"), "openai_phase", "commentary"),
        ask("and"),
    ]);
    for asked in [
        Ask::new(Provider::OpenAi, &events),
        Ask::new(Provider::OpenAi, &events).jp(),
    ] {
        let body = asked.body();
        let input = body["input"].as_array().expect("input");
        let phases: Vec<_> = input.iter().filter_map(|one| one.get("phase")).collect();
        assert_eq!(phases, ["final_answer", "commentary"]);
    }
}

#[test]
fn ollama_says_first_what_a_parameter_is_for() {
    let tool = json!([{"name": "f", "description": "d", "parameters": {
        "title": {"type": "string", "summary": "A title."},
        "list": {"type": "array", "summary": "Some.", "items":
            {"type": "object", "properties": {"a": {"type": "string", "summary": "A."}}}},
    }}]);
    let asked = Ask::new(Provider::Ollama, &json!([ask("go")])).input("tools", tool);
    let text = asked.jp().body()["tools"][0]["function"]["parameters"].to_string();
    let expected = "{\"title\":{\"description\":\"A title.\",\"type\":\"string\"},\
         \"list\":{\"description\":\"Some.\",\"type\":\"array\",\"items\":{\"type\":\"object\",\
         \"properties\":{\"a\":{\"description\":\"A.\",\"type\":\"string\"}}}}}";
    assert_eq!(text, expected);
}

#[test]
fn what_may_be_null_is_said_last() {
    let tool = json!([{"name": "f", "description": "d", "parameters": {
        "list": {"type": "array", "summary": "Some.", "items": {"type": "string"}}}}]);
    for provider in [Provider::OpenAi, Provider::OpenRouter, Provider::LlamaCpp] {
        let asked =
            Ask::new(provider, &json!([ask("go")])).input("tools", tool.clone());
        let text = asked.jp().body()["tools"].to_string();
        let expected = "\"list\":{\"description\":\"Some.\",\"anyOf\":[";
        assert!(text.contains(expected), "{provider:?} {text}");
    }
}
