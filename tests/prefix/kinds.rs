//! Kinds of cache: what is read under marks and what under a token prefix, from
//! which length on (`docs/prefix.md#kinds-of-cache`).

use super::{Setting, found, levels, pair};
use convo::body::Provider;
use convo::prefix::Verdict;
use serde_json::{Value, json};

fn table(provider: Provider) -> Setting {
    Setting {
        model: None,
        provider: Some(provider),
        least: None,
        ..Setting::default()
    }
}

/// Instructions of about 10 kB that end in a number.
fn rules(open: usize) -> String {
    let rules = "Answer in short sentences, and name the file you mean.\n".repeat(190);
    format!("{rules}Todo: {open} open")
}

fn responses(model: &str, instructions: &str, turns: &[&str]) -> Value {
    let role = |at: usize| ["user", "assistant"][at % 2];
    let items = turns.iter().enumerate();
    let items = items.map(
        |(at, text)| json!({"type": "message", "role": role(at), "content": text}),
    );
    json!({"model": model, "instructions": instructions, "prompt_cache_key": "k1",
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}],
        "input": items.collect::<Vec<_>>()})
}

#[test]
fn equal_tokens_before_a_changed_character_are_read() {
    let a = responses("gpt-5-mini", &rules(1), &["go"]);
    let b = responses("gpt-5-mini", &rules(2), &["go", "ok", "next"]);
    let report = pair(&a, &b, &table(Provider::OpenAi));
    assert_eq!(report.verdict, Verdict::Partial);
    assert_eq!(levels(&report), "k/p/l");
    let read = report.reusable.expect("something is read").amount;
    assert!(
        read.tokens.is_multiple_of(128) && read.tokens > 2_500,
        "{read:?}"
    );
    assert!(report.lost.tokens < 200, "{:?}", report.lost);

    let chat = |open| {
        json!({"model": "m", "cache_prompt": true, "messages": [
            {"role": "system", "content": rules(open)}, {"role": "user", "content": "go"}]})
    };
    let report = pair(&chat(1), &chat(2), &table(Provider::LlamaCpp));
    assert_eq!(report.verdict, Verdict::Partial);
    assert_eq!(levels(&report), "e/p/l");

    let long = |end: &str| {
        let text = format!("{}{end}", rules(1).repeat(2));
        json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}],
            "systemInstruction": {"parts": [{"text": text}]}})
    };
    let setting = Setting {
        model: Some("gemini-3.5-flash"),
        ..table(Provider::Google)
    };
    let report = pair(&long("Tenant: red"), &long("Tenant: blue"), &setting);
    assert_eq!(report.verdict, Verdict::Partial);
    assert_eq!(levels(&report), "e/p/l");

    let last = |end: &str| {
        let text = format!("{}{end}", rules(1));
        responses("gpt-5-mini", "S", &[&text, "ok"])
    };
    let report = pair(&last("a"), &last("b"), &table(Provider::OpenAi));
    assert_eq!(report.verdict, Verdict::Partial);
    assert_eq!(levels(&report), "k/k/p");
}

#[test]
fn a_short_prompt_is_not_cached_and_a_short_equal_part_not_read() {
    let a = responses("gpt-5-mini", "S", &["go"]);
    let b = responses("gpt-5-mini", "S", &["go", "ok", "next"]);
    let report = pair(&a, &b, &table(Provider::OpenAi));
    assert_eq!(report.verdict, Verdict::Uncached);
    assert_eq!(levels(&report), "k/k/k");
    assert_eq!(found(&report, "diff-minimum"), Some("warning"));
    assert!(report.reusable.is_none());
    // 600 characters of tools are equal, and what follows is not.
    let with = |time: &str| {
        let text = format!("It is {time}. {}", rules(1));
        let mut body = responses("gpt-5-mini", &text, &["go"]);
        body["tools"][0]["description"] = json!("d".repeat(600));
        body
    };
    let report = pair(&with("10:00"), &with("10:01"), &table(Provider::OpenAi));
    assert_eq!(report.verdict, Verdict::Miss);
    assert_eq!(levels(&report), "k/p/l");
    assert_eq!(found(&report, "diff-minimum"), Some("warning"));
}

fn marked(model: &str, system: &str, tool: &str) -> Value {
    json!({"model": model, "max_tokens": 9,
        "tools": [{"name": "f", "description": tool, "input_schema": {"type": "object"}}],
        "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "hi"}]})
}

#[test]
fn a_mark_after_too_few_tokens_makes_no_entry_and_gets_no_advice() {
    let long = rules(1).repeat(2);
    let a = marked("claude-opus-4-6", &format!("It is 10:00. {long}"), "d");
    let b = marked("claude-opus-4-6", &format!("It is 10:01. {long}"), "d");
    let report = pair(&a, &b, &table(Provider::Anthropic));
    assert_eq!(report.verdict, Verdict::Miss);
    // The tools alone are shorter than the 4,096 that this model caches.
    assert_eq!(found(&report, "no-entry"), None);
    let short = marked("claude-opus-4-6", "S", "d");
    let report = pair(&short, &short, &table(Provider::Anthropic));
    assert_eq!(report.verdict, Verdict::Uncached);
}

#[test]
fn what_nobody_marked_is_uncached_and_the_way_out_is_told() {
    let mut bare = marked("claude-opus-5", &rules(1), "d");
    let block = bare["system"][0].as_object_mut().expect("a block");
    block.shift_remove("cache_control");
    let full = marked("claude-opus-5", &rules(1), "d");
    for (a, b, rule) in [
        (&bare, &bare, "no-breakpoint"),
        (&full, &bare, "diff-breakpoint-lost"),
        (&bare, &full, "no-breakpoint"),
    ] {
        let report = pair(a, b, &table(Provider::Anthropic));
        assert_eq!(report.verdict, Verdict::Uncached);
        assert_eq!(levels(&report), "k/k/k");
        let mut findings = report.findings.iter();
        let one = findings.find(|one| one.rule.id == rule).expect(rule);
        assert!(one.hint.contains("`cache_control`"), "{}", one.hint);
    }
    let ran = super::case::ran(&bare, &bare, &[]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(
        super::case::ran(&bare, &bare, &["--fail-on", "binding"]).status,
        0
    );
}

#[test]
fn explicit_mode_without_a_mark_caches_nothing() {
    let mut body = responses("gpt-5.6", &rules(1), &["go"]);
    let report = pair(&body, &body, &table(Provider::OpenAi));
    assert_eq!(report.verdict, Verdict::Hit);
    body["prompt_cache_options"] = json!({"mode": "explicit"});
    let report = pair(&body, &body, &table(Provider::OpenAi));
    assert_eq!(report.verdict, Verdict::Uncached);
    let hint = report
        .findings
        .iter()
        .find(|one| one.rule.id == "no-breakpoint");
    let hint = &hint.expect("told").hint;
    assert!(hint.contains("prompt_cache_breakpoint"), "{hint}");
}
