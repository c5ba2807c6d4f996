//! Tools and the choice of one.

use super::{HAIKU, OPUS, body};
use convo::config::Mode;
use serde_json::{Value, json};

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
