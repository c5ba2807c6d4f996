//! One cache for the writer, `lint` and `diff-cache-prefix`: what one of them says of
//! marks and lengths, the others say too.

use crate::common::command::run;
use serde_json::{Value, json};

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("written");
    file
}

fn marks(value: &Value) -> usize {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| usize::from(key == "cache_control") + marks(value))
            .sum(),
        Value::Array(items) => items.iter().map(marks).sum(),
        _ => 0,
    }
}

/// With a budget of two, two marks are written, and `lint` under the same facts has
/// nothing against them.
#[test]
fn the_writer_keeps_to_the_budget_that_lint_judges_by() {
    let events = json!({
        "base_config": {"assistant": {"system_prompt": "Be brief.",
            "model": {"id": "anthropic/claude-opus-5"}}},
        "events": [{"type": "turn_start"}, {"type": "chat_request", "content": "hi"}],
        "inputs": {"tools": [{"name": "f", "description": "d", "parameters": {}}],
            "attachments": [{"source": "a.txt", "text": "long"}]},
    });
    let own = file(r#"{"models":[],"limits":{"breakpoints":2}}"#);
    let path = own.path().to_str().expect("a path");
    let events = events.to_string();
    let default = run(&["flatten"], events.as_bytes()).ok(0);
    let body = run(&["flatten", "--model-details", path], events.as_bytes()).ok(0);
    let read = |text: &str| marks(&serde_json::from_str(text).expect("JSON"));
    assert_eq!((read(&default), read(&body)), (4, 2), "{body}");
    let lint = run(&["lint", "--model-details", path], body.as_bytes());
    assert!(
        !lint.stdout.contains("breakpoint-budget"),
        "{}",
        lint.shown()
    );
    let lint = run(&["lint", "--model-details", path], default.as_bytes());
    assert!(
        lint.stdout.contains("breakpoint-budget"),
        "{}",
        lint.shown()
    );
}

/// A picture given by its address is as long as one given by its bytes.
#[test]
fn a_marked_picture_is_long_enough_for_both() {
    let body = |more: &[&str]| {
        let picture = json!({"type": "image", "source": {"type": "url", "url": "https://e.test/a.png"},
            "cache_control": {"type": "ephemeral"}});
        let mut messages = vec![json!({"role": "user", "content": [picture]})];
        for (index, text) in more.iter().enumerate() {
            let role = ["assistant", "user"][index % 2];
            messages.push(json!({"role": role, "content": text}));
        }
        json!({"model": "claude-opus-5", "max_tokens": 9, "messages": messages})
            .to_string()
    };
    let lint = run(&["lint"], body(&[]).as_bytes());
    assert!(!lint.stdout.contains("below-minimum"), "{}", lint.shown());
    let run_of_two = format!("{}\n{}\n", body(&[]), body(&["a", "b"]));
    let diff = run(&["diff-cache-prefix", "-"], run_of_two.as_bytes());
    assert!(!diff.stdout.contains("below-minimum"), "{}", diff.shown());
    assert_eq!(diff.status, 0, "{}", diff.shown());
}

/// What a report says of lengths does not change when a body is spread over lines.
#[test]
fn lengths_are_those_of_the_prompt_not_of_the_file() {
    let body = |time: &str| {
        json!({"model": "claude-opus-4-6", "max_tokens": 9,
            "tools": [{"name": "f", "description": "d", "input_schema": {"type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}],
            "system": [{"type": "text", "text": format!("It is {time}. {}", "Rules. ".repeat(4000)),
                "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "hi",
                "cache_control": {"type": "ephemeral"}}]}]})
    };
    let lengths = |pretty: bool| {
        let text = |value: Value| match pretty {
            true => serde_json::to_string_pretty(&value).expect("JSON"),
            false => value.to_string(),
        };
        let (a, b) = (file(&text(body("10:00"))), file(&text(body("10:01"))));
        let paths = [a.path(), b.path()].map(|path| path.to_str().expect("a path"));
        let args = ["diff-cache-prefix", "--format", "json", paths[0], paths[1]];
        let report: Value =
            serde_json::from_str(&run(&args, b"").stdout).expect("a report");
        (report["reusable"]["bytes"].clone(), report["lost"].clone())
    };
    assert_eq!(lengths(true), lengths(false));
}
