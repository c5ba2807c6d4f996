//! Rules of the Messages body that no recorded body shows (`spec/providers.md` 2).

use crate::common::bodies::{bodies_in, lines, options, outline};
use convo::config::Mode;
use convo::provider::{Options, Requests};
use serde_json::{Value, json};

/// The body of one request, for a configuration, facts and a model.
#[track_caller]
fn body(
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
fn body_of(
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

fn reasoning(value: &Value) -> Value {
    json!({"assistant": {"model": {"parameters": {"reasoning": value}}}})
}

const OPUS: &str = "claude-opus-4-8";
const HAIKU: &str = "claude-haiku-4-5";

#[test]
fn thinking_follows_support_and_configuration() {
    let adaptive = json!({"type": "adaptive", "display": "summarized"});
    let disabled = json!({"type": "disabled"});
    let enabled = |budget: u64| json!({"type": "enabled", "budget_tokens": budget, "display": "summarized"});
    let effort = |name: &str| json!({ "effort": name });
    for (model, configured, thinking, sent) in [
        (OPUS, json!(null), adaptive.clone(), json!("high")),
        (OPUS, json!("auto"), adaptive.clone(), json!("high")),
        (OPUS, effort("auto"), adaptive.clone(), json!(null)),
        (OPUS, effort("xlow"), adaptive.clone(), json!("low")),
        (OPUS, effort("medium"), adaptive.clone(), json!("medium")),
        (OPUS, effort("xhigh"), adaptive.clone(), json!("xhigh")),
        (
            "claude-opus-4-6",
            effort("xhigh"),
            adaptive.clone(),
            json!("high"),
        ),
        (
            "claude-opus-4-6",
            effort("max"),
            adaptive.clone(),
            json!("max"),
        ),
        (OPUS, effort_tokens(120_000), adaptive.clone(), json!("max")),
        (
            OPUS,
            effort_tokens(30_000),
            adaptive.clone(),
            json!("medium"),
        ),
        (OPUS, json!("off"), disabled.clone(), json!(null)),
        ("claude-fable-5", json!("off"), json!(null), json!(null)),
        (HAIKU, json!(null), enabled(32_000), json!(null)),
        (HAIKU, effort("low"), enabled(12_800), json!(null)),
        (HAIKU, effort("none"), enabled(1024), json!(null)),
        (HAIKU, effort_tokens(5000), enabled(5000), json!(null)),
        (HAIKU, effort("max"), enabled(63_999), json!(null)),
        (HAIKU, json!("off"), disabled.clone(), json!(null)),
        ("claude-3-haiku", effort("high"), json!(null), json!(null)),
        ("claude-who", json!(null), json!(null), json!(null)),
        ("claude-who", json!("off"), disabled, json!(null)),
        ("claude-who", effort("max"), adaptive, json!("max")),
    ] {
        let (body, _) = body(model, &reasoning(&configured), &json!({}), Mode::Convo);
        assert_eq!(body["thinking"], thinking, "{model} {configured}");
        assert_eq!(
            body["output_config"]["effort"], sent,
            "{model} {configured}"
        );
    }
    let (jp, _) = body(HAIKU, &reasoning(&effort("max")), &json!({}), Mode::Jp);
    assert_eq!(jp["thinking"]["budget_tokens"], 64_000);
    let long = json!({"beta_headers": ["interleaved-thinking-2025-05-14"]});
    let (long, _) = body(
        HAIKU,
        &reasoning(&effort_tokens(150_000)),
        &long,
        Mode::Convo,
    );
    assert_eq!(long["thinking"]["budget_tokens"], 150_000);
}

fn effort_tokens(tokens: u64) -> Value {
    json!({"effort": {"absolute": tokens}})
}

#[test]
fn parameters_are_sent_and_refused_ones_are_not() {
    let config = json!({"assistant": {"model": {"parameters": {"max_tokens": 5000,
        "temperature": 0.7, "top_p": 0.95, "top_k": 40, "stop_words": ["x"]}}}});
    let (sent, told) = body(HAIKU, &config, &json!({}), Mode::Convo);
    assert_eq!(sent["max_tokens"], 5000);
    assert_eq!(sent["temperature"].to_string(), "0.7");
    assert_eq!((&sent["top_p"], &sent["top_k"]), (&json!(0.95), &json!(40)));
    assert!(sent.get("stop_sequences").is_none() && told.is_empty());
    let keys: Vec<_> = sent.as_object().expect("an object").keys().collect();
    let order = [
        "model",
        "messages",
        "max_tokens",
        "thinking",
        "stream",
        "temperature",
        "top_k",
        "top_p",
        "system",
        "cache_control",
    ];
    assert_eq!(keys, order);
    let (kept, told) = body(OPUS, &config, &json!({}), Mode::Convo);
    assert!(kept.get("temperature").is_none() && kept.get("top_k").is_none());
    assert_eq!(told, ["sampling-left-out"]);
    let (jp, _) = body(OPUS, &config, &json!({}), Mode::Jp);
    assert_eq!(jp["top_k"], 40);
    let (unknown, told) = body("claude-who", &json!({}), &json!({}), Mode::Convo);
    assert_eq!(
        (&unknown["max_tokens"], &told[..]),
        (&json!(2048), &["unknown-model".to_owned()][..])
    );
}

fn offering(names: &[&str], choice: &str, more: &Value) -> Value {
    let tool = |name: &&str| ((*name).to_owned(), json!({"source": "local"}));
    let tools: serde_json::Map<_, _> = names.iter().map(tool).collect();
    let mut config = json!({"assistant": {"tool_choice": choice},
        "conversation": {"tools": tools}});
    config["assistant"]["model"] = more.clone();
    config
}

#[test]
fn a_choice_is_forced_only_where_the_model_takes_it() {
    let off = json!({"parameters": {"reasoning": "off"}});
    let on = json!({});
    let chosen = |model: &str, names: &[&str], choice: &str, more: &Value| {
        let (body, _) = body(
            model,
            &offering(names, choice, more),
            &json!({}),
            Mode::Convo,
        );
        let nudge = body["system"]
            .as_array()
            .and_then(|all| all.last())
            .map(|one| {
                assert!(
                    one.get("cache_control").is_none()
                        || !one["text"].as_str().unwrap_or("").starts_with("IMPORTANT")
                );
                one["text"].as_str().unwrap_or_default().to_owned()
            });
        let nudge = nudge.filter(|text| text.starts_with("IMPORTANT"));
        (
            body["tool_choice"]["type"].clone(),
            body["tool_choice"]["name"].clone(),
            nudge,
        )
    };
    let two = ["f", "g"];
    assert_eq!(
        chosen(HAIKU, &two, "auto", &off),
        (json!("auto"), json!(null), None)
    );
    assert_eq!(
        chosen(HAIKU, &two, "none", &off),
        (json!("none"), json!(null), None)
    );
    assert_eq!(
        chosen(HAIKU, &two, "required", &off),
        (json!("any"), json!(null), None)
    );
    assert_eq!(
        chosen(HAIKU, &two, "g", &off),
        (json!("tool"), json!("g"), None)
    );
    assert_eq!(
        chosen(HAIKU, &["g"], "g", &off),
        (json!("any"), json!(null), None)
    );
    let (kind, _, nudge) = chosen(HAIKU, &two, "g", &on);
    assert_eq!(kind, "auto");
    assert!(
        nudge
            .expect("a nudge")
            .starts_with("IMPORTANT: You MUST call the tool named 'g'.")
    );
    let (kind, _, nudge) = chosen(HAIKU, &["g"], "g", &on);
    assert_eq!(kind, "auto");
    assert!(nudge.expect("a nudge").contains("AT LEAST ONE tool"));
    // The model refuses it even with thinking off.
    let (kind, _, nudge) = chosen("claude-haiku-5-5", &two, "required", &off);
    assert_eq!((kind, nudge.is_some()), (json!("auto"), true));
    // Always thinking, whatever is configured.
    let (kind, ..) = chosen("claude-fable-5", &two, "required", &off);
    assert_eq!(kind, "auto");
    // Without tools nothing is said about them.
    let (none, _) = body(
        HAIKU,
        &offering(&[], "required", &off),
        &json!({}),
        Mode::Convo,
    );
    assert!(none.get("tools").is_none() && none.get("tool_choice").is_none());
    // A choice of what is not offered.
    let (other, told) =
        body(HAIKU, &offering(&two, "h", &off), &json!({}), Mode::Convo);
    assert_eq!(
        (&other["tool_choice"]["type"], &told[..]),
        (&json!("auto"), &["tool-choice".to_owned()][..])
    );
}

#[test]
fn tools_have_their_keys_and_refused_names_are_left_out() {
    let config = json!({"conversation": {"tools": {
        "f": {"source": "local", "summary": "S", "description": "D",
            "parameters": {"x": {"type": "string", "required": true}}},
        "a.b": {"source": "local"}, "m": {"source": "mcp.s"}, "u": {},
        "off": {"source": "local", "enable": false}, "g": {"source": "builtin"}}}});
    let (plain, told) = body(OPUS, &config, &json!({}), Mode::Convo);
    let tools = plain["tools"].as_array().expect("tools");
    assert_eq!(
        tools[0].to_string(),
        r#"{"type":"custom","name":"f","input_schema":{"type":"object","properties":"#
            .to_owned()
            + r#"{"x":{"type":"string"}},"required":["x"]},"description":"S"}"#
    );
    assert_eq!(tools[1]["input_schema"], json!({"type": "object"}));
    assert_eq!(tools.len(), 2);
    assert_eq!(told, ["tool-name", "tool-unresolvable", "tools-missing"]);
    let strict = json!({"beta_headers": ["structured-outputs-2025-11-13"]});
    let (strict, _) = body(OPUS, &config, &strict, Mode::Convo);
    assert_eq!(strict["tools"][1]["strict"], json!(true));
    assert_eq!(
        strict["tools"][1]["input_schema"]["additionalProperties"],
        json!(false)
    );
}

#[test]
fn cache_marks_are_spent_in_order() {
    let tools = json!({"f": {"source": "local"}, "g": {"source": "local"}});
    let config = |cache: Value| {
        json!({"assistant": {"request": {"cache": cache}},
        "conversation": {"tools": tools}})
    };
    let texts = json!({"attachments": [{"source": "a.txt", "text": "A"}, {"source": "b.txt",
        "text": "B", "description": "about b"}]});
    let events = |marked: bool| {
        json!([{"type": "chat_request", "content": "hi",
        "metadata": {"cache_breakpoint": marked}}])
    };
    let marks = |body: &Value| {
        let mut found = Vec::new();
        for (name, list) in [
            ("doc", &body["messages"][0]["content"]),
            ("sys", &body["system"]),
            ("tool", &body["tools"]),
        ] {
            for (index, one) in list.as_array().into_iter().flatten().enumerate() {
                if let Some(mark) = one.get("cache_control") {
                    found.push(format!(
                        "{name}{index} {}",
                        mark["ttl"].as_str().expect("ttl")
                    ));
                }
            }
        }
        if let Some(top) = body.get("cache_control") {
            found.push(format!("top {}", top["ttl"].as_str().expect("ttl")));
        }
        found
    };
    let with = |cache: Value, inputs: &Value, marked: bool| {
        let (body, _) =
            body_of(OPUS, &config(cache), inputs, Mode::Convo, &events(marked));
        marks(&body)
    };
    assert_eq!(
        with(json!(true), &texts, false),
        ["doc1 5m", "sys1 5m", "tool1 5m", "top 5m"]
    );
    assert_eq!(
        with(json!("long"), &json!({}), false),
        ["sys1 1h", "tool1 1h", "top 1h"]
    );
    assert_eq!(with(json!("45m"), &json!({}), false)[0], "sys1 1h");
    assert_eq!(with(json!("29m"), &json!({}), false)[0], "sys1 5m");
    assert!(with(json!(false), &texts, true).is_empty());
    assert_eq!(
        with(json!(true), &texts, true),
        ["doc1 5m", "doc2 5m", "sys1 5m"]
    );
    let bare = json!({"system_parts": [], "tools": []});
    assert_eq!(with(json!(true), &bare, false), ["top 5m"]);
}

#[test]
fn attachments_are_documents_of_the_first_user_message() {
    let inputs = json!({"attachments": [
        {"source": "a.txt", "text": "A", "description": "about"},
        {"source": "p.pdf", "media_type": "application/pdf", "data": "UA=="},
        {"source": "i.png", "media_type": "image/png", "data": "SQ=="},
        {"source": "z.zip", "media_type": "application/zip", "data": "Wg=="}]});
    let (body, _) = body(OPUS, &json!({}), &inputs, Mode::Convo);
    let blocks = body["messages"][0]["content"].as_array().expect("blocks");
    assert_eq!(blocks.len(), 4);
    assert_eq!(
        blocks[0].to_string(),
        r#"{"type":"document","source":{"type":"text","data":"A","media_type":"text/plain"},"#
            .to_owned() + r#""title":"a.txt","context":"about"}"#
    );
    assert_eq!(
        blocks[1]["source"],
        json!({"type": "base64", "data": "UA==",
        "media_type": "application/pdf"})
    );
    assert_eq!(
        blocks[2]["source"],
        json!({"type": "content", "content": [{"type": "image",
        "source": {"type": "base64", "data": "SQ==", "media_type": "image/png"}}]})
    );
    assert_eq!(blocks[2]["cache_control"]["ttl"], "5m");
    assert_eq!(blocks[3]["text"], "hi");
}

#[test]
fn context_management_goes_with_its_exact_header_only() {
    let with = |beta: &str, parameters: Value| {
        let config = json!({"assistant": {"model": {"parameters": parameters}}});
        let inputs = json!({"beta_headers": [beta]});
        body(OPUS, &config, &inputs, Mode::Convo).0["context_management"].clone()
    };
    let default = json!({"edits": [{"type": "clear_tool_uses_20250919"}]});
    assert_eq!(with("context-editing-2025-06-27", json!({})), default);
    assert_eq!(
        with("context-management-2025-06-27", json!({})),
        json!(null)
    );
    let own = json!({"other": {"context_management": {"edits": []}}});
    assert_eq!(
        with("context-editing-2025-06-27", own),
        json!({"edits": []})
    );
}

#[test]
fn a_schema_is_reduced_and_the_rest_put_into_words() {
    let schema = json!({"title": "T", "type": "object", "x": 1, "$defs": {"d": {"type": "string",
        "format": "email", "minLength": 2}}, "description": "D", "properties": {
            "a": {"type": "array", "items": {"$ref": "#/$defs/d", "x": 2}, "minItems": 2},
            "b": {"oneOf": [{"type": "null"}, {"type": "string", "format": "odd"}]},
            "c": {"enum": ["x", "y"], "type": "string"}},
        "additionalProperties": true, "required": ["a"]});
    let events = json!([{"type": "chat_request", "content": "hi", "schema": schema}]);
    let (body, _) = body_of(OPUS, &json!({}), &json!({}), Mode::Convo, &events);
    let sent = &body["output_config"]["format"];
    assert_eq!(sent["type"], "json_schema");
    assert_eq!(
        sent["schema"],
        json!({"title": "T", "$defs": {"d": {"type": "string", "format": "email",
            "description": "{minLength: 2}"}}, "type": "object", "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/d"},
                    "description": "{minItems: 2}"},
                "b": {"anyOf": [{"type": "null"}, {"type": "string",
                    "description": "{format: \"odd\"}"}]},
                "c": {"type": "string", "description": "{enum: [\"x\",\"y\"]}"}},
            "additionalProperties": false, "required": ["a"],
            "description": "D\n\n{x: 1}"})
    );
}

#[test]
fn parity_goes_on_with_an_answer_that_broke_off() {
    let thought = |metadata: Value| {
        json!({"type": "chat_response", "reasoning": "plan",
        "metadata": metadata})
    };
    let own = json!({"type": "config_delta", "delta": {"assistant": {"model": {
        "id": "anthropic/claude-opus-4-8"}}}});
    let signed = thought(json!({"anthropic_thinking_signature": "S"}));
    let redacted = thought(json!({"anthropic_redacted_thinking": "R"}));
    let events = json!([own, {"type": "chat_request", "content": "go"}, signed, redacted,
        {"type": "chat_response", "message": "so"}]);
    let (jp, _) = bodies_in(&events, Requests::End, Mode::Jp);
    let go_on = "user: \"Continue your response exactly from where you left off. Do not repeat \
        content you already produced.\"";
    let told = [
        "user: \"go\"",
        "assistant: \"<think>\nplan\n</think>\n\n\" \"so\"",
        go_on,
    ];
    assert_eq!(outline(&jp[0]), told);
    let (own, _) = bodies_in(&events, Requests::End, Mode::Convo);
    let told = [
        "user: \"go\"",
        "assistant: thinking(plan, S) redacted(R) \"so\"",
    ];
    assert_eq!(outline(&own[0]), told);
}

#[test]
fn structured_answers_are_replayed_as_compact_text() {
    let events = json!([{"type": "chat_request", "content": "go"},
        {"type": "chat_response", "data": {"score": 3, "why": ["a b", null]}},
        {"type": "chat_request", "content": "more"}]);
    let (bodies, _) = bodies_in(&events, Requests::Last, Mode::Convo);
    let text = &bodies[0]["messages"][1]["content"][0]["text"];
    assert_eq!(text, r#"{"score":3,"why":["a b",null]}"#);
}
