//! The model, its parameters, caching, tool choice.

use super::with;
use convo::config::{CachePolicy, Effort, Mode, Reasoning, ToolChoice};
use convo::json::Raw;
use serde_json::{Value, json};

#[test]
fn models_resolve_through_aliases() {
    let aliases = json!({"a": "b", "b": {"provider": "google", "name": "g"}, "c": "openai/x/y",
        "l": "m", "m": "l", "bad": 7});
    let resolve = |id: Value, deltas: &[Value]| {
        let base = json!({"assistant": {"model": {"id": id}},
            "providers": {"llm": {"aliases": aliases}}});
        with(&base, deltas, Mode::Convo, |config, _| {
            match config.model().resolve() {
                Ok(Some(model)) => format!("{} {}", model.provider, model.name),
                Ok(None) => "none".to_owned(),
                Err(error) => error.message,
            }
        })
    };
    let id = |id: Value| json!({"assistant": {"model": {"id": id}}});
    assert_eq!(resolve(json!("a"), &[]), "google g");
    assert_eq!(resolve(json!("c"), &[]), "openai x/y");
    assert_eq!(resolve(json!("p/n"), &[]), "p n");
    assert_eq!(resolve(json!(null), &[]), "none");
    assert_eq!(resolve(json!({"provider": "p"}), &[]), "none");
    assert_eq!(
        resolve(json!({"provider": "p"}), &[id(json!({"name": "n"}))]),
        "p n"
    );
    assert_eq!(resolve(json!("c"), &[id(json!({"name": "n"}))]), "none");
    assert!(resolve(json!("zz"), &[]).contains("`zz`"));
    assert!(resolve(json!("l"), &[]).contains("circle"));
    assert!(resolve(json!("bad"), &[]).contains("a number"));
    let later = json!({"providers": {"llm": {"aliases": {"zz": "q/r"}}}});
    assert_eq!(resolve(json!("zz"), &[later]), "q r");
}

#[test]
fn parameters_merge_per_key() {
    let parameters =
        |value: Value| json!({"assistant": {"model": {"parameters": value}}});
    let reasoning = |values: &[Value]| {
        let deltas: Vec<_> = values[1..]
            .iter()
            .map(|one| parameters(json!({"reasoning": one})))
            .collect();
        let base = parameters(json!({"reasoning": values[0], "max_tokens": 7}));
        with(&base, &deltas, Mode::Convo, |config, _| {
            let max_tokens =
                config.parameters().get("max_tokens").and_then(Raw::as_u64);
            assert_eq!(max_tokens, Some(7));
            config.parameters().reasoning()
        })
    };
    let on = |effort| Some(Reasoning::On(effort));
    assert_eq!(reasoning(&[json!("off")]), Some(Reasoning::Off));
    assert_eq!(reasoning(&[json!("auto")]), Some(Reasoning::Auto));
    assert_eq!(reasoning(&[json!({"effort": "auto"})]), on(Effort::Auto));
    assert_eq!(
        reasoning(&[json!({"effort": {"absolute": 9}})]),
        on(Effort::Absolute(9))
    );
    let kept = [json!({"effort": "low"}), json!({"exclude": true})];
    assert_eq!(reasoning(&kept), on(Effort::Low));
    assert_eq!(
        reasoning(&[json!("off"), json!({"effort": "max"})]),
        on(Effort::Max)
    );
    assert_eq!(
        reasoning(&[json!({"effort": "max"}), json!("off")]),
        Some(Reasoning::Off)
    );
    assert_eq!(reasoning(&[json!("sometimes")]), None);
    assert_eq!(reasoning(&[json!(null)]), None);
}

#[test]
fn cache_policies_and_tool_choices() {
    let cache = |value: Value| {
        let base = json!({"assistant": {"request": {"cache": value}}});
        with(&base, &[], Mode::Convo, |config, _| config.cache_policy())
    };
    assert_eq!(cache(json!(true)), CachePolicy::Short);
    assert_eq!(cache(json!(null)), CachePolicy::Short);
    assert_eq!(cache(json!(false)), CachePolicy::Off);
    assert_eq!(cache(json!("off")), CachePolicy::Off);
    assert_eq!(cache(json!("short")), CachePolicy::Short);
    assert_eq!(cache(json!("long")), CachePolicy::Long);
    assert_eq!(cache(json!("1h 30m")), CachePolicy::Seconds(5400));
    assert_eq!(cache(json!("often")), CachePolicy::Short);
    let choice = |text: &str| {
        let base = json!({"assistant": {"tool_choice": text}});
        with(&base, &[], Mode::Convo, |config, _| {
            match config.tool_choice() {
                ToolChoice::Auto => "auto".to_owned(),
                ToolChoice::None => "none".to_owned(),
                ToolChoice::Required => "required".to_owned(),
                ToolChoice::Function(name) => format!("function {name}"),
            }
        })
    };
    for one in ["auto", "none", "required"] {
        assert_eq!(choice(one), one);
    }
    assert_eq!(choice("grep"), "function grep");
}
