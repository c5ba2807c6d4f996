//! Every hint can be followed: each cause at each level, for every model of the
//! table, platform and state of the betas; the body that follows a hint, where a
//! program can make it, passes `lint`.

use super::{Means, ROWS, Way, way};
use crate::body::{Body, Dialect, Provider, captures, records};
use crate::error::Severity;
use crate::lint::{Profile, Wanted, check};
use crate::model::{Betas, Platform, Table};
use crate::prefix::report::{Cause, Level};
use crate::prefix::request::{Judge, Request};
use crate::prefix::rules;
use crate::prefix::segment::Prefix;
use crate::prefix::values::text::Masks;
use serde_json::{Value, json};

const CAUSES: [Cause; 23] = [
    Cause::Edited,
    Cause::Added,
    Cause::Removed,
    Cause::Reordered,
    Cause::KeyOrder,
    Cause::Whitespace,
    Cause::Clock,
    Cause::Counter,
    Cause::RandomId,
    Cause::Reencoded,
    Cause::Shifted,
    Cause::Truncated,
    Cause::Form,
    Cause::Model,
    Cause::Parameter,
    Cause::Toggle,
    Cause::Images,
    Cause::Betas,
    Cause::OutOfReach,
    Cause::Expired,
    Cause::BelowMinimum,
    Cause::Moved,
    Cause::ReasoningLeftOut,
];

/// A request of a provider, as one is sent.
fn base(provider: Provider, model: &str, chat: bool) -> Value {
    let function = json!({"name": "a", "description": "d",
        "parameters": {"type": "object", "properties": {}}});
    match provider {
        Provider::Anthropic => {
            json!({"model": model, "max_tokens": 4096, "system": [{"type": "text", "text": "S"}],
            "cache_control": {"type": "ephemeral"},
            "tools": [{"name": "a", "description": "d", "input_schema": {"type": "object", "properties": {}}},
                {"name": "b", "description": "d", "input_schema": {"type": "object", "properties": {}}}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "yes?"}]},
                {"role": "user", "content": [{"type": "text", "text": "go on"}]}]})
        }
        Provider::OpenAi if !chat => {
            json!({"model": model, "instructions": "S", "store": false,
            "tools": [{"type": "function", "name": "a", "strict": false,
                "parameters": {"type": "object", "properties": {}}}],
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes?"}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go on"}]}]})
        }
        Provider::Google => json!({"systemInstruction": {"parts": [{"text": "S"}]},
            "tools": [{"functionDeclarations": [function]}],
            "contents": [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "yes?"}]},
                {"role": "user", "parts": [{"text": "go on"}]}]}),
        Provider::OpenAi if model.starts_with("o1-mini") => json!({"model": model,
            "messages": [{"role": "user", "content": "hi"}]}),
        _ => {
            json!({"model": model, "tools": [{"type": "function", "function": function}],
            "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "yes?"}, {"role": "user", "content": "go on"}]})
        }
    }
}

/// The body that follows a hint.
fn follow(way: Way, provider: Provider, mut body: Value) -> Option<Value> {
    let list = match provider {
        Provider::Google => "contents",
        _ if body.get("input").is_some() => "input",
        _ => "messages",
    };
    let schema = json!({"type": "object", "properties": {}});
    let named = |name: &str| json!({"type": "tool_reference", "name": name});
    let change = |kind: &str, tool: Value| json!({"role": "system", "content": [{"type": kind, "tool": tool}]});
    let add = match way {
        Way::Withdraw => change("tool_removal", named("a")),
        Way::AddDeferred => {
            let tool = json!({"name": "c", "description": "d", "input_schema": schema, "defer_loading": true});
            body["tools"].as_array_mut()?.push(tool);
            change("tool_addition", named("c"))
        }
        Way::Redefine => change(
            "tool_addition",
            json!({"type": "tool_definition",
                "definition": {"name": "a", "description": "new", "input_schema": schema}}),
        ),
        Way::SystemMessage => {
            json!({"role": "system", "content": "From now on in French."})
        }
        Way::Clearing => {
            json!({"role": "system", "content": "Mind the time.", "clear_at": "next_user_message"})
        }
        Way::EffortMessage => {
            json!({"role": "system", "content": [], "output_config": {"effort": "low"}})
        }
        Way::ContextEditing => {
            body["context_management"] =
                json!({"edits": [{"type": "clear_tool_uses_20250919"}]});
            return Some(body);
        }
        Way::Allow => {
            let mut tool = json!({"type": "function", "name": "a"});
            body["tool_choice"] = if list == "input" {
                json!({"type": "allowed_tools", "mode": "auto", "tools": [tool]})
            } else {
                tool = json!({"type": "function", "function": {"name": "a"}});
                json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [tool]}})
            };
            return body.get("tools").is_some().then_some(body);
        }
        Way::AddItem => {
            json!({"type": "additional_tools", "role": "developer", "tools": [
            {"type": "function", "name": "c", "parameters": schema}]})
        }
        Way::Role if list == "input" => {
            json!({"type": "message", "role": "developer", "content": "From now on in French."})
        }
        Way::Role => json!({"role": "system", "content": "From now on in French."}),
        Way::UserMessage | Way::Move => {
            let last = body[list].as_array_mut()?.last_mut()?;
            match provider {
                Provider::Google => last["parts"]
                    .as_array_mut()?
                    .push(json!({"text": "It is noon."})),
                _ => last["content"] = json!("go on. It is noon."),
            }
            return Some(body);
        }
        _ => return None,
    };
    body[list].as_array_mut()?.push(add);
    Some(body)
}

/// Calls `told` with what is open to a client of each model, on each platform, with
/// the betas known and not, and a body as it sends them.
fn everyone(told: &mut dyn FnMut(&Means<'_>, Provider, &Value, Platform)) {
    let table = Table::built_in();
    let masks = Masks::default();
    let openai = [
        "gpt-4o",
        "gpt-4.1",
        "gpt-5-mini",
        "gpt-5",
        "gpt-5.5",
        "gpt-5.6",
        "gpt-6-astra",
        "gpt-6.2",
        "o1-mini",
        "o3",
        "o4-mini",
    ];
    let mut all: Vec<(Provider, String, bool)> = Vec::new();
    for model in table
        .models()
        .iter()
        .filter(|one| one.provider == "anthropic")
    {
        all.push((Provider::Anthropic, model.id.clone(), false));
    }
    for model in openai {
        all.push((Provider::OpenAi, model.to_owned(), true));
        if !model.starts_with("o1-mini") {
            all.push((Provider::OpenAi, model.to_owned(), false));
        }
    }
    for (provider, models) in [
        (
            Provider::Google,
            [
                "gemini-2.5-flash",
                "gemini-3-pro-preview",
                "gemini-3.5-flash",
            ],
        ),
        (
            Provider::OpenRouter,
            [
                "anthropic/claude-opus-4.6",
                "openai/gpt-5.6",
                "deepseek/deepseek-v4",
            ],
        ),
        (Provider::Ollama, ["llama3", "qwen3", "gpt-oss:20b"]),
        (Provider::LlamaCpp, ["m", "qwen3", "gpt-oss"]),
        (
            Provider::Cerebras,
            ["gpt-oss-120b", "zai-glm-4.7", "llama3.1-8b"],
        ),
    ] {
        all.extend(models.map(|model| (provider, model.to_owned(), true)));
    }
    for (provider, model, chat) in all {
        let body = base(provider, &model, chat);
        let text = body.to_string();
        let platforms = match provider {
            Provider::Anthropic => &Platform::ALL[..],
            _ => &Platform::ALL[..1],
        };
        for &platform in platforms {
            for betas in [Betas::Unknown, Betas::Known(Vec::new())] {
                let record =
                    records(text.as_bytes()).next().expect("one").expect("JSON");
                let capture =
                    captures(text.as_bytes(), record).remove(0).expect("a body");
                let read = capture.body(Some(provider), Some(&model)).expect("a body");
                let prefix = Prefix::cut(&read);
                let request = Request {
                    name: String::new(),
                    body: &read,
                    prefix: &prefix,
                    bytes: capture.bytes(),
                    model: Some(model.clone()),
                    betas,
                };
                let judge = Judge {
                    table: &table,
                    platform,
                    account: crate::prefix::Account::Unknown,
                    masks: &masks,
                    salt: None,
                    least: None,
                    context: 3,
                    gap: None,
                    written: Vec::new(),
                };
                let cache = table.caching(provider.name(), &model, platform);
                let means = Means::of(&request, &judge, cache);
                told(&means, provider, &body, platform);
            }
        }
    }
}

/// What `lint` refuses in a body.
fn refused(
    provider: Provider,
    body: &Value,
    platform: Platform,
    beta: Option<&str>,
) -> Vec<String> {
    let table = Table::built_in();
    let text = body.to_string();
    let raw = crate::json::Raw::parse(text.as_bytes()).expect("JSON");
    let body = Body::read(raw, Some(provider), None).expect("a body");
    let wanted = Wanted {
        platform: Some(platform),
        betas: Some(beta.map(str::to_owned).into_iter().collect()),
        ..Wanted::default()
    };
    let profile = Profile::new(&table, &wanted, &body, None);
    let found = check(&body, text.as_bytes(), &profile);
    let errors = found.iter().filter(|one| one.severity == Severity::Error);
    errors
        .map(|one| format!("{}: {}", one.rule.id, one.message))
        .collect()
}

#[test]
fn p4_every_hint_can_be_followed() {
    let mut made = std::collections::BTreeMap::new();
    everyone(&mut |means, provider, body, platform| {
        let plain = refused(provider, body, platform, None);
        for cause in CAUSES {
            for level in [Level::Tools, Level::System, Level::Messages] {
                for rule in rules::RULES.iter().filter(|rule| {
                    ROWS.iter()
                        .any(|row| row.rules.iter().any(|one| rule.id.starts_with(one)))
                        || rule.id == "diff-system"
                }) {
                    let way = way(level, cause, rule, means);
                    let says = way.says("/at", means);
                    if provider != Provider::Anthropic {
                        for word in [
                            "tool_addition",
                            "tool_removal",
                            "\"role\":\"system\"",
                            "clear_at",
                        ] {
                            assert!(!says.contains(word), "{provider:?}: {says}");
                        }
                    }
                    let key = (
                        way,
                        means.name.clone(),
                        platform.name(),
                        body.get("input").is_some(),
                    );
                    if made.contains_key(&key) {
                        continue;
                    }
                    let followed = follow(way, provider, body.clone());
                    let beta = way.opens(means).flatten();
                    if let Some(followed) = &followed {
                        let errors = refused(provider, followed, platform, beta);
                        let new: Vec<_> =
                            errors.iter().filter(|one| !plain.contains(one)).collect();
                        assert!(
                            new.is_empty(),
                            "{} on {}: {says}: {new:?}",
                            means.name,
                            platform.name()
                        );
                        assert_eq!(says.contains("(beta `"), beta.is_some(), "{says}");
                    }
                    made.insert(key, followed.is_some());
                }
            }
        }
        // Hints on parameters.
        for rule in ["diff-tool-choice", "diff-effort", "diff-thinking"] {
            let says = means.parameter(rule, "x");
            let (way, word) = match rule {
                "diff-effort" => (Way::EffortMessage, "output_config"),
                _ => (Way::Withdraw, "tool_removal"),
            };
            if says.contains(word) {
                let beta = way.opens(means).expect("it is open");
                let followed = follow(way, provider, body.clone()).expect("a body");
                let errors = refused(provider, &followed, platform, beta);
                assert!(
                    errors.iter().all(|one| plain.contains(one)),
                    "{}: {says}: {errors:?}",
                    means.name
                );
            }
        }
        assert!(means.keep_longer().contains("in time"));
    });
    let followed = made.values().filter(|one| **one).count();
    println!(
        "hints: {} ways of models and platforms, {followed} followed and linted",
        made.len()
    );
    for way in Way::FOLLOWED {
        if way != Way::EffortMessage {
            let some = made.iter().any(|(key, followed)| key.0 == way && *followed);
            assert!(some, "{way:?} is never followed");
        }
    }
}

#[test]
fn a_breakpoint_is_advised_only_where_one_can_stand() {
    everyone(&mut |means, _, _, _| {
        let at = |path: &str| means.mark_at(path, false, false);
        match means.mark() {
            Some("cache_control") if means.dialect == Dialect::Messages => {
                assert!(at("/tools/0").is_some() && at("/system/0").is_some());
            }
            Some(_) => {
                assert_eq!(at("/tools/0"), None);
                assert_eq!(at("/instructions"), None);
                assert!(at("/messages/0/content/0").is_some());
            }
            None => assert_eq!(at("/tools/0"), None),
        }
    });
}
