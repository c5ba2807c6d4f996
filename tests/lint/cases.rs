//! Reports from the field that give one body, and other providers' rules.

use super::{Seen, lint, lint_bytes, seen};
use convo::error::Severity;
use convo::finding::Finding;
use convo::lint::Wanted;
use serde_json::{Value, json};

fn opus() -> Wanted {
    Wanted {
        model: Some("claude-opus-5".to_owned()),
        ..Wanted::default()
    }
}

/// The findings on a body of the cases, `max_tokens` filled in.
fn case(text: &str, wanted: &Wanted) -> Vec<Finding> {
    let mut body: Value = serde_json::from_str(text).expect("JSON");
    body["max_tokens"] = json!(64);
    lint(&body, wanted)
}

fn has(
    found: &[Finding],
    rule: &'static str,
    severity: &'static str,
    path: &str,
) -> Finding {
    let wanted: Seen = (rule, severity, path.to_owned());
    let at = seen(found).iter().position(|one| *one == wanted);
    found[at.unwrap_or_else(|| panic!("no {wanted:?} in {found:#?}"))].clone()
}

#[test]
fn bodies_7_the_last_assistant_message_ends_in_a_space() {
    let text = r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}, {"role": "assistant", "content": [{"type": "text", "text": "Sure "}]}]}"#;
    let found = case(text, &opus());
    has(
        &found,
        "prefill-trailing-space",
        "error",
        "/messages/1/content/0",
    );
    has(&found, "prefill-unsupported", "error", "/messages/1");
    let old = Wanted {
        model: Some("claude-sonnet-4-5".to_owned()),
        ..Wanted::default()
    };
    let found = case(text, &old);
    has(
        &found,
        "prefill-trailing-space",
        "error",
        "/messages/1/content/0",
    );
    assert!(!found.iter().any(|one| one.rule.id == "prefill-unsupported"));
    let middle = text.replace(
        "\"Sure \"}]}",
        "\"Sure \"}]}, {\"role\":\"user\",\"content\":\"on\"}",
    );
    assert!(case(&middle, &opus()).is_empty());
}

#[test]
fn prefix_18_a_deferred_tool_carries_a_breakpoint() {
    let text = r#"{"tools": [{"name": "a", "description": "d", "input_schema": {"type": "object", "properties": {}}}, {"name": "m", "description": "d", "input_schema": {"type": "object", "properties": {}}, "defer_loading": true, "cache_control": {"type": "ephemeral"}}], "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}"#;
    let found = case(text, &opus());
    let finding = has(&found, "deferred-cache-control", "error", "/tools/1");
    assert!(finding.message.contains("`m`"), "{}", finding.message);
    assert!(finding.hint.contains("/tools/0"), "{}", finding.hint);
    has(&found, "deferred-unreachable", "warning", "/tools/1");
}

#[test]
fn prefix_19_a_long_lifetime_behind_a_short_one() {
    let text = r#"{"system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral", "ttl": "5m"}}], "messages": [{"role": "user", "content": [{"type": "text", "text": "q", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]}]}"#;
    let finding = has(
        &case(text, &opus()),
        "ttl-order",
        "error",
        "/messages/0/content/0",
    );
    assert!(finding.message.contains("/system/0"), "{}", finding.message);
    assert_eq!(finding.related[0].path, "/system/0");
}

#[test]
fn prefix_20_five_explicit_markers() {
    let text = r#"{"tools": [{"name": "a", "description": "d", "input_schema": {"type": "object", "properties": {}}, "cache_control": {"type": "ephemeral"}}], "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}], "messages": [{"role": "user", "content": [{"type": "text", "text": "1", "cache_control": {"type": "ephemeral"}}]}, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}, {"role": "user", "content": [{"type": "text", "text": "2", "cache_control": {"type": "ephemeral"}}]}, {"role": "assistant", "content": [{"type": "text", "text": "y"}]}, {"role": "user", "content": [{"type": "text", "text": "3", "cache_control": {"type": "ephemeral"}}]}]}"#;
    let found = case(text, &opus());
    let finding = has(
        &found,
        "breakpoint-budget",
        "error",
        "/messages/4/content/0",
    );
    let paths: Vec<_> = finding
        .related
        .iter()
        .map(|one| one.path.as_str())
        .collect();
    let expected = [
        "/tools/0",
        "/system/0",
        "/messages/0/content/0",
        "/messages/2/content/0",
        "/messages/4/content/0",
    ];
    assert_eq!(paths, expected);
    assert!(
        finding.message.contains(&expected.join(", ")),
        "{}",
        finding.message
    );
    let mut count = found
        .iter()
        .filter(|one| one.rule.id == "breakpoint-budget");
    assert!(count.next().is_some() && count.next().is_none());
}

#[test]
fn prefix_21_a_marker_on_an_empty_text() {
    let text = r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "go"}]}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}, {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]}]}"#;
    let found = case(text, &opus());
    let path = "/messages/2/content/1";
    has(&found, "text-empty", "error", path);
    let finding = has(&found, "cache-control-empty-text", "error", path);
    assert!(
        finding.hint.contains("/messages/2/content/0"),
        "{}",
        finding.hint
    );
}

#[test]
fn prefix_2_3_6_and_15_have_their_findings() {
    let clock = r#"{"system": [{"type": "text", "text": "Current time is 15:09:20.\nYou run the house.", "cache_control": {"type": "ephemeral"}}], "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}"#;
    has(
        &case(clock, &opus()),
        "volatile-prefix",
        "warning",
        "/system/0",
    );
    let forced = r#"{"tools": [{"name": "f", "input_schema": {"type": "object"}}], "messages": [{"role": "user", "content": "go"}], "tool_choice": {"type": "tool", "name": "f"}}"#;
    assert!(case(forced, &opus()).is_empty());
    let newer = Wanted {
        model: Some("claude-opus-5-5".to_owned()),
        ..Wanted::default()
    };
    has(
        &case(forced, &newer),
        "tool-choice-forced",
        "error",
        "/tool_choice",
    );
}

#[test]
fn betas_nobody_named_give_notes() {
    let body = r#"{"model":"claude-opus-5","tools":[{"name":"w","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"},{"role":"system","content":[{"type":"tool_removal","tool":{"type":"tool_reference","name":"w"}}]}]}"#;
    let at = "/messages/1/content/0";
    has(
        &case(body, &Wanted::default()),
        "tool-change-beta-missing",
        "note",
        at,
    );
    let none = Wanted {
        betas: Some(Vec::new()),
        ..Wanted::default()
    };
    has(&case(body, &none), "tool-change-beta-missing", "error", at);
}

#[test]
fn an_unknown_model_is_judged_with_warnings() {
    let body = r#"{"model":"claude-next","thinking":{"type":"enabled","budget_tokens":1},"messages":[{"role":"user","content":"hi"}]}"#;
    let found = case(body, &Wanted::default());
    has(&found, "model-unknown", "warning", "/model");
    has(&found, "thinking-type-model", "warning", "/thinking/type");
}

#[test]
fn prefix_9_a_wide_turn_is_out_of_reach_where_every_block_counts() {
    let calls: Vec<Value> = (1..13)
        .map(|n| json!({"type": "tool_use", "id": format!("t{n}"), "name": "f", "input": {}}))
        .collect();
    let mut results: Vec<Value> = (1..13)
        .map(|n| json!({"type": "tool_result", "tool_use_id": format!("t{n}"), "content": "ok"}))
        .collect();
    results[11]["cache_control"] = json!({"type": "ephemeral"});
    let body = json!({"model": "claude-opus-5", "max_tokens": 64,
    "tools": [{"name": "f", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]});
    let lookback =
        |found: &[Finding]| found.iter().any(|one| one.rule.id == "lookback-window");
    assert!(!lookback(&lint(&body, &opus())));
    let bedrock = Wanted {
        platform: Some(convo::model::Platform::Bedrock),
        ..opus()
    };
    let found = lint(&body, &bedrock);
    has(
        &found,
        "lookback-window",
        "warning",
        "/messages/2/content/11",
    );
}

#[test]
fn platforms_refuse_what_they_do_not_offer() {
    let body = r#"{"model":"claude-opus-5","tools":[{"name":"w","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"},{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"db","input_schema":{"type":"object"}}}}]}]}"#;
    let on = |platform, beta: &str| Wanted {
        platform: Some(platform),
        betas: Some(vec![beta.to_owned()]),
        ..Wanted::default()
    };
    use convo::model::Platform::{Bedrock, ClaudeApi, GoogleCloud};
    let (at, inline) = ("/messages/1/content/0", "inline-tools-2026-09-15");
    let found = case(body, &on(ClaudeApi, inline));
    assert!(super::errors(&found).is_empty(), "{found:#?}");
    for platform in [Bedrock, GoogleCloud] {
        let found = case(
            body,
            &on(platform, "mid-conversation-tool-changes-2026-07-01"),
        );
        let finding = has(&found, "tool-definition-beta-missing", "error", at);
        assert!(
            finding.message.contains(platform.name()),
            "{}",
            finding.message
        );
        let found = case(body, &on(platform, inline));
        has(&found, "tool-change-beta-missing", "error", at);
    }
}

/// One body of another provider, and the findings it has.
#[test]
fn other_providers_have_their_pairs_order_and_reasoning() {
    let cases = include_str!("../../fixtures/lint/others.jsonl");
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).expect(line);
        let wanted = Wanted {
            model: case["model"].as_str().map(str::to_owned),
            ..Wanted::default()
        };
        let bytes = case["body"].to_string().into_bytes();
        let found = lint_bytes(&bytes, &wanted).expect(line);
        let found: Vec<_> = found
            .iter()
            .map(|one| {
                let severity = match one.severity {
                    Severity::Error => "E",
                    Severity::Warning => "W",
                    Severity::Note => "N",
                };
                format!("{} {severity} {}", one.rule.id, one.path)
            })
            .collect();
        let expected: Vec<_> = case["found"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one.as_str().expect("a finding"))
            .collect();
        assert_eq!(found, expected, "{line}");
    }
}
