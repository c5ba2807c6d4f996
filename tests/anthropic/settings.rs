//! Thinking, parameters, cache marks, context management.

use super::{HAIKU, OPUS, body, body_of, reasoning};
use convo::config::Mode;
use serde_json::{Value, json};

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
    let (sent, told) = body(HAIKU, &config, &json!({}), Mode::Jp);
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
    // Thinking takes temperature 1, no `top_k`, and `top_p` from 0.95 on.
    let (beside, told) = body(HAIKU, &config, &json!({}), Mode::Convo);
    assert!(beside.get("temperature").is_none() && beside.get("top_k").is_none());
    assert_eq!(beside["top_p"], json!(0.95));
    assert_eq!(told, ["parameter-left-out", "sampling-left-out"]);
    let (kept, told) = body(OPUS, &config, &json!({}), Mode::Convo);
    assert!(kept.get("temperature").is_none() && kept.get("top_k").is_none());
    assert_eq!(told, ["parameter-left-out", "sampling-left-out"]);
    let (jp, _) = body(OPUS, &config, &json!({}), Mode::Jp);
    assert_eq!(jp["top_k"], 40);
    let (unknown, told) = body("claude-who", &json!({}), &json!({}), Mode::Convo);
    assert_eq!(
        (&unknown["max_tokens"], &told[..]),
        (&json!(2048), &["model-unknown".to_owned()][..])
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
