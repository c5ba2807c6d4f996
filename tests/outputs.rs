//! Real output against the schema that is published for it: it fits, and no key of
//! it is left undescribed.

use crate::common::command::run;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The schema as the program prints it.
fn schema(name: &str) -> Value {
    let text = run(&["schema", name], b"").ok(0);
    serde_json::from_str(&text).expect("JSON")
}

/// The keys of `value` that `schema` says nothing of, here and below.
fn undescribed(
    value: &Value,
    schema: &Value,
    root: &Value,
    found: &mut BTreeSet<String>,
) {
    let target = schema["$ref"]
        .as_str()
        .and_then(|at| root.pointer(&at[1..]));
    let schema = target.unwrap_or(schema);
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let known = schema["properties"].get(key);
                let free = schema.get("additionalProperties");
                match known.or(free) {
                    Some(known) => undescribed(member, known, root, found),
                    None => drop(found.insert(key.clone())),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                undescribed(item, &schema["items"], root, found);
            }
        }
        _ => {}
    }
}

/// Every line of `lines` fits the schema `name`; gives how many there were.
#[track_caller]
fn fits(name: &str, lines: &str) -> usize {
    let schema = schema(name);
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let errors: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}\n{line}");
        let mut found = BTreeSet::new();
        undescribed(&value, &schema, &schema, &mut found);
        assert!(found.is_empty(), "{name} says nothing of {found:?}\n{line}");
    }
    lines.lines().count()
}

#[test]
fn facts_about_models_fit() {
    for args in [
        &["models", "--format", "json"][..],
        &["models", "gpt-5.5", "--format", "json"],
    ] {
        assert_eq!(fits("models", &run(args, b"").ok(0)), 1);
    }
}

/// Every fact has a source, and every built-in one a date.
#[test]
fn every_fact_says_where_it_was_read() {
    let all: Value =
        serde_json::from_str(&run(&["models", "--format", "json"], b"").ok(0))
            .expect("JSON");
    let models = all["models"].as_array().expect("models");
    let facts = models
        .iter()
        .flat_map(|model| [&model["facts"], &model["cache"]["facts"]])
        .chain([&all["features"], &all["limits"]])
        .flat_map(|facts| facts.as_array().expect("facts"));
    for fact in facts {
        let source = &fact["source"];
        assert!(source["title"].is_string(), "{fact}");
        assert!(source["date"].is_string(), "{fact}");
    }
}

/// `convo models` shows a user's file laid over, and suggests a name.
#[test]
fn a_stale_fact_is_seen_and_mended() {
    let text = run(&["models", "claude-opus-5"], b"").ok(0);
    assert!(text.contains("min_cacheable: 512  (https://"), "{text}");
    let file = tempfile::NamedTempFile::new().expect("a file");
    let own = r#"{"models":[{"id":"claude-opus-5","min_cacheable":77}],"limits":{"breakpoints":2}}"#;
    std::fs::write(file.path(), own).expect("written");
    let path = file.path().to_str().expect("a path");
    let text = run(&["models", "claude-opus-5", "--model-details", path], b"").ok(0);
    assert!(
        text.contains(&format!("min_cacheable: 77  ({path}, undated)")),
        "{text}"
    );
    assert!(
        text.contains(&format!("breakpoints: 2  ({path}, undated)")),
        "{text}"
    );
    let ran = run(&["models", "claude-opus-55"], b"");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("did you mean `claude-opus-5"),
        "{}",
        ran.stderr
    );
}

#[test]
fn lint_reports_fit() {
    let mut bodies = String::new();
    for file in ["examples", "others", "legal"] {
        let text = std::fs::read_to_string(format!("fixtures/lint/{file}.jsonl"))
            .expect("a fixture");
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).expect("JSON");
            for key in ["fail", "pass", "body"] {
                if let Some(body) = case.get(key).filter(|body| body.is_object()) {
                    bodies.push_str(&format!("{body}\n"));
                }
            }
        }
    }
    let ran = run(&["lint", "--format", "json", "-"], bodies.as_bytes());
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(fits("lint-report", &ran.stdout) > 100);
}

#[test]
fn findings_of_validate_fit() {
    let args = [
        "validate",
        "--format",
        "json",
        "fixtures/streams/reused-ids.json",
    ];
    assert!(fits("validate-finding", &run(&args, b"").ok(0)) >= 3);
    let input = br#"[{"type":"chat_request","content":5},{"type":"turn_start"}]"#;
    let out = run(&["validate", "--format", "json"], input).ok(1);
    assert!(fits("validate-finding", &out) >= 1);
}

#[test]
fn summaries_of_prefix_reports_fit() {
    let body = |text: &str| {
        json!({"model": "claude-opus-4-6", "max_tokens": 64,
            "system": [{"type": "text", "text": text,
                "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": "hi"}]})
    };
    let bodies: String = ["It is 10:41.", "It is 10:57.", "It is 10:57."]
        .iter()
        .map(|text| format!("{}\n", body(text)))
        .collect();
    let ran = run(
        &["diff-cache-prefix", "--format", "json", "-"],
        bodies.as_bytes(),
    );
    let summaries: String = ran
        .stdout
        .lines()
        .filter(|line| line.contains("convo/prefix-summary/1"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(fits("prefix-summary", &summaries), 1, "{}", ran.shown());
}

#[test]
fn previews_fit() {
    let events = serde_json::json!({"encoding": "plain", "base_config": {"assistant": {
        "system_prompt": "P", "model": {"id": "anthropic/claude-opus-5"}}}, "events": [
        {"type": "config_delta", "delta": {"assistant": {"system_prompt": "Q"}}},
        {"type": "chat_request", "content": "q"}, {"type": "chat_response", "message": "a"},
        {"type": "config_delta", "delta": {"assistant": {"system_prompt_sections": [
            {"content": "S"}]}}, "unsets": ["assistant.instructions"]},
        {"type": "config_delta", "delta": {"assistant": {"system_prompt": "R\u{1b}"}}},
        {"type": "chat_request", "content": "r"}]});
    let input = events.to_string();
    let ran = run(&["place-directives", "--preview=json"], input.as_bytes());
    assert_eq!(fits("preview", &ran.stdout), 3, "{}", ran.shown());
}

#[test]
fn diagnostics_fit() {
    for (command, input) in [
        (
            "project",
            "[]\n[{\"type\":\"chat_request\",\"content\":5}]\n[]",
        ),
        ("project", "nothing"),
        ("flatten", "[]\n[]"),
        (
            "render",
            "[{\"type\":\"chat_request\",\"content\":\"\\u001b[2J\"}]",
        ),
        ("lint", "{\"a\":"),
        ("validate", "{"),
    ] {
        let ran = run(&[command, "--message-format", "json"], input.as_bytes());
        let lines: String = ran
            .stderr
            .lines()
            .filter(|line| line.starts_with('{'))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(fits("diagnostic", &lines) > 0, "{command}: {}", ran.shown());
    }
}
