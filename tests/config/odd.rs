//! Unsets, nonsense, old shapes, repeated keys.

use super::{rendered, s, with};
use convo::config::{Config, Mode, ToolChoice, Warnings};
use convo::json::Raw;
use serde_json::{Value, json};

#[test]
fn unsets_take_keys_back() {
    let base = json!({"assistant": {"system_prompt": "P", "system_prompt_sections": [s("a")],
        "instructions": [{"title": "I"}], "tool_choice": "none",
        "model": {"id": "p/n", "parameters": {"reasoning": "off", "top_k": 3}}},
        "conversation": {"tools": {"f": {"enable": false}, "g": {"summary": "S"}}}});
    let unset =
        |paths: Value| json!({"type": "config_delta", "unsets": paths, "delta": {}});
    let all = unset(json!([
        "assistant.system_prompt",
        "assistant.system_prompt_sections",
        "assistant.instructions",
        "assistant.tool_choice",
        "assistant.model",
        "conversation.tools.f.enable",
        "conversation.tools.g",
        "conversation.tools.nope",
        "style.code",
        7
    ]));
    with(&base, &[all], Mode::Convo, |config, told| {
        assert_eq!(config.system_prompt(), "You are a helpful assistant.");
        assert!(rendered(config).is_empty());
        assert_eq!(config.tool_choice(), ToolChoice::Auto);
        assert_eq!(config.model().resolve().expect("no alias"), None);
        assert_eq!(config.parameters().reasoning(), None);
        let tools = config.tools();
        let f = tools.get("f").expect("f stays");
        assert!(tools.is_available(f, None) && tools.get("g").is_none());
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("style.code"), "{told:?}");
    });
    // Before the merge: what the same delta sets stays, and a tool comes last.
    let mut both = unset(json!(["assistant.system_prompt", "conversation.tools.f"]));
    both["delta"] = json!({"assistant": {"system_prompt": {"value": "Q", "strategy": "append"}},
        "conversation": {"tools": {"f": {}}}});
    with(&base, &[both], Mode::Convo, |config, _| {
        assert_eq!(config.system_prompt(), "Q");
        let names: Vec<_> = config.tools().iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["g", "f"]);
    });
}

#[test]
fn nonsense_costs_its_own_field_only_and_is_told_with_its_path() {
    let base = json!({"assistant": {"system_prompt": 7, "tool_choice": [],
        "system_prompt_sections": {"value": [{"content": 1}, s("ok")], "strategy": "mix"},
        "model": {"id": 5}}, "conversation": {"tools": {"f": {"enable": "maybe",
        "summary": 3, "parameters": {"p": {"type": 1, "required": "x"}}}}}});
    with(&base, &[json!(7)], Mode::Convo, |config, told| {
        assert_eq!(rendered(config), ["ok"]);
        let f = config.tools().get("f").expect("f");
        let mut more = Warnings::default();
        f.parameters(&mut more);
        let all: Vec<_> = told
            .iter()
            .chain(more.list.iter().map(|one| &one.message))
            .map(|message| message.split('`').nth(1).unwrap_or("").to_owned())
            .collect();
        assert_eq!(
            all,
            [
                "assistant.system_prompt",
                "assistant.tool_choice",
                "assistant.system_prompt_sections[0].content",
                "assistant.system_prompt_sections[0]",
                "assistant.system_prompt_sections.strategy",
                "assistant.model.id",
                "conversation.tools.f.enable",
                "conversation.tools.f.summary",
                "",
                "conversation.tools.f.parameters.p.type",
                "conversation.tools.f.parameters.p.required",
            ]
        );
    });
}

#[test]
fn flat_deltas_and_the_last_of_repeated_keys_count() {
    let flat = json!({"type": "config_delta", "inherit": true,
        "assistant": {"system_prompt": "flat"}});
    with(&flat, &[], Mode::Convo, |c, _| {
        assert_eq!(c.system_prompt(), "flat");
    });
    with(&json!({}), &[flat], Mode::Convo, |c, _| {
        assert_eq!(c.system_prompt(), "flat");
    });
    let text = r#"{"assistant":{"system_prompt":"a"},"conversation":{"tools":{"f":{"enable":true},
        "g":{},"f":{"enable":false}}},"assistant":{"tool_choice":"none"}}"#;
    let raw = Raw::parse(text.as_bytes()).expect("JSON");
    let config = Config::new(Some(raw), Mode::Convo, &mut Warnings::default());
    assert_eq!(config.system_prompt(), "You are a helpful assistant.");
    let tools = config.tools();
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["f", "g"]);
    assert!(!tools.is_available(tools.get("f").expect("f"), None));
}
