//! The examples of the rules on values and on bodies of other providers: what
//! fails and what passes, each under its rule.
//!
//! A string `rep(c,n)` in them is `c` written `n` times; an element `times(n)`
//! repeats the element behind it, `#` counting.

use super::with;
use convo::body::Provider;
use convo::error::Severity;
use convo::finding::Finding;
use convo::json::Raw;
use convo::lint::{Wanted, check};
use convo::model::Platform;
use serde_json::Value;

pub(super) const EXAMPLES: &str = include_str!("../../fixtures/lint/values.jsonl");

/// Writes out what an example only describes.
pub(super) fn grown(text: &str) -> String {
    let text = match text.contains("\"times(") {
        true => repeated(serde_json::from_str(text).expect("JSON")).to_string(),
        false => text.to_owned(),
    };
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, behind)) = rest.split_once("\"rep(") {
        let (what, behind) = behind.split_once(")\"").expect("a closing bracket");
        let (text, count) = what.rsplit_once(',').expect("a count");
        out.push_str(before);
        out.push('"');
        out.push_str(&text.repeat(count.parse().expect("a number")));
        out.push('"');
        rest = behind;
    }
    out + rest
}

fn repeated(value: Value) -> Value {
    match value {
        Value::Array(list) => {
            let mut out = Vec::new();
            let mut count = None;
            for one in list {
                let times = one.as_str().and_then(|text| {
                    text.strip_prefix("times(")?.strip_suffix(')')?.parse().ok()
                });
                match (times, count.take()) {
                    (Some(times), _) => count = Some(times),
                    (None, Some(times)) => {
                        let text = one.to_string();
                        out.extend((0..times).map(|at: usize| -> Value {
                            let text = text.replace('#', &at.to_string());
                            serde_json::from_str(&text).expect("JSON")
                        }));
                    }
                    (None, None) => out.push(repeated(one)),
                }
            }
            Value::Array(out)
        }
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(key, one)| (key, repeated(one)))
                .collect(),
        ),
        other => other,
    }
}

fn findings(line: Raw<'_>, key: &str) -> Vec<Finding> {
    let text = |key: &str| line.get(key).and_then(Raw::as_str);
    let provider = text("provider").and_then(|name| Provider::read(&name));
    let wanted = Wanted {
        model: text("model").map(Into::into),
        platform: text("platform").and_then(|name| Platform::parse(&name)),
        ..Wanted::default()
    };
    let body = line.get(key).expect("a body");
    let body = grown(std::str::from_utf8(body.bytes()).expect("UTF-8"));
    with(
        body.as_bytes(),
        provider,
        &wanted,
        |body, capture, profile| check(body, capture.bytes(), profile),
    )
    .unwrap_or_else(|error| panic!("{error}: {}", &body[..body.len().min(300)]))
}

/// Rules that weigh less in their example than where nothing is in doubt.
fn weighs(rule: &str, severity: Severity) -> Severity {
    match rule {
        // The figure is seen in clients only, or the source is one report.
        "schema-draft" | "openai-tool-choice-unknown" | "gemini-builtin-mix" => {
            Severity::Warning
        }
        // The whole content, which was seen to be taken.
        "gemini-signature-place" => Severity::Note,
        _ => severity,
    }
}

#[test]
fn what_fails_is_found_and_what_passes_is_not() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for text in EXAMPLES.lines() {
        let line = Raw::parse(text.as_bytes()).expect("JSON");
        let id = line.get("rule").and_then(Raw::as_str).expect("a rule");
        let severity = line
            .get("severity")
            .and_then(Raw::as_str)
            .expect("a weight");
        let severity = match severity.as_ref() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Note,
        };
        let failing = findings(line, "fail");
        let own: Vec<_> = failing.iter().filter(|one| one.rule.id == id).collect();
        let found: Vec<_> = failing.iter().map(|one| one.rule.id).collect();
        if own.is_empty() {
            wrong.push(format!("{id}: fail finds {found:?}"));
        } else if !own.iter().any(|one| one.severity == weighs(&id, severity)) {
            wrong.push(format!("{id}: weighs {:?}", own[0].severity));
        }
        let passing = findings(line, "pass");
        if passing.iter().any(|one| one.rule.id == id) {
            wrong.push(format!("{id}: pass is found"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100);
}

/// Every rule of these families has an example.
#[test]
fn every_rule_has_an_example() {
    let named: Vec<_> = EXAMPLES
        .lines()
        .map(|line| {
            let line = Raw::parse(line.as_bytes()).expect("JSON");
            line.get("rule")
                .and_then(Raw::as_str)
                .expect("a rule")
                .into_owned()
        })
        .collect();
    let families = [
        "values",
        "schemas",
        "openai",
        "responses",
        "chat",
        "gemini",
        "bedrock",
    ];
    for rule in convo::lint::rules().filter(|rule| families.contains(&rule.family)) {
        let other = include_str!("../../fixtures/lint/others.jsonl");
        let own = named.iter().any(|id| id == rule.id) || other.contains(rule.id);
        assert!(own, "{}", rule.id);
    }
}
