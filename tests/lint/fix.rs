//! `lint --fix`: mends that lose no meaning, told one by one, and nothing else.

use super::values::{EXAMPLES, grown};
use crate::common::command::run;
use convo::json::Raw;

fn mended(body: &str, provider: &str) -> (String, String, i32) {
    let ran = run(&["lint", "--fix", "--provider", provider], body.as_bytes());
    (ran.stdout, ran.stderr, ran.status)
}

#[test]
fn each_mend_obeys_its_rule_and_leaves_the_rest() {
    for (provider, before, after) in [
        (
            "anthropic",
            r#"{"model":"claude-opus-4-6", "max_tokens": 9,"messages":[{"role":"user","content":"sun \ud83d cut"}]}"#,
            r#"{"model":"claude-opus-4-6", "max_tokens": 9,"messages":[{"role":"user","content":"sun \ufffd cut"}]}"#,
        ),
        (
            "anthropic",
            r#"{"model":"claude-opus-4-6","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"iVBORw0KGgo="}}, {"type":"text","text":""}]}]}"#,
            r#"{"model":"claude-opus-4-6","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}"#,
        ),
        (
            "openai",
            r#"{"model":"gpt-5","input":"q","tools":[{"type":"function","name":"w","parameters":{"type":"object","properties":{"t":{"type":"array"}}}}]}"#,
            r#"{"model":"gpt-5","input":"q","tools":[{"type":"function","name":"w","parameters":{"type":"object","properties":{"t":{"items":{},"type":"array"}}}}]}"#,
        ),
        (
            "openai",
            r#"{"model":"gpt-5.4","max_tokens":90,"messages":[{"role":"user","content":"max_tokens"}]}"#,
            r#"{"model":"gpt-5.4","max_completion_tokens":90,"messages":[{"role":"user","content":"max_tokens"}]}"#,
        ),
    ] {
        let (out, err, status) = mended(before, provider);
        assert_eq!(out.trim_end(), after, "{err}");
        assert!(err.contains("note:"), "{err}");
        assert_eq!(status, 0, "{err}");
    }
}

/// A renamed id is no other call's: the one that stands there keeps its own.
#[test]
fn a_renamed_id_becomes_nobody_elses() {
    let block = |id: &str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}"#)
    };
    let result = |id: &str| {
        format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"k"}}"#)
    };
    let body = format!(
        r#"{{"model":"claude-opus-4-6","max_tokens":9,"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{},{}]}},{{"role":"user","content":[{},{}]}}]}}"#,
        block("a.b"),
        block("a_b"),
        result("a.b"),
        result("a_b")
    );
    let (out, err, status) = mended(&body, "anthropic");
    assert_eq!(status, 0, "{err}");
    assert_eq!(out.matches("\"a_b\"").count(), 2, "{out}");
    assert_eq!(out.matches("\"a_b_2\"").count(), 2, "{out}");
}

#[test]
fn long_ids_are_renamed_together_and_stay_apart() {
    let (a, b) = (
        format!("call_{}a", "x".repeat(80)),
        format!("call_{}b", "x".repeat(80)),
    );
    let call = |id: &str| {
        format!(
            r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}},
           {{"type":"function_call_output","call_id":"{id}","output":"ok"}}"#
        )
    };
    let body = format!(
        r#"{{"model":"gpt-5-mini","store":false,"input":[{{"role":"user","content":"go"}},{},{}]}}"#,
        call(&a),
        call(&b)
    );
    let (out, err, status) = mended(&body, "openai");
    assert_eq!(status, 0, "{err}");
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let id = |at: usize| {
        value["input"][at]["call_id"]
            .as_str()
            .expect("an id")
            .to_owned()
    };
    assert_eq!((id(1), id(3)), (id(2), id(4)));
    assert_ne!(id(1), id(3));
    assert!(id(1).len() <= 64 && id(3).len() <= 64);
}

#[test]
fn a_body_without_a_fault_comes_out_as_it_is() {
    let body = r#"{ "model":"claude-opus-4-6",  "max_tokens": 9, "messages":[{"role":"user","content":"h\u00e9"}] }"#;
    let (out, err, status) = mended(body, "anthropic");
    assert_eq!((out.trim_end(), err.as_str(), status), (body, "", 0));
    let ran = run(&["lint", "--fix", "--diff"], body.as_bytes());
    assert_eq!(ran.shown(), "[out]\n[err]\n[0]\n");
}

#[test]
fn what_needs_a_choice_stays_a_finding() {
    let body = r#"{"model":"claude-opus-4-6","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_use","id":"a","name":"n","input":{}}]}]}"#;
    let (out, err, status) = mended(body, "anthropic");
    assert_eq!(out.trim_end(), body);
    assert!(err.contains("error["), "{err}");
    assert_eq!(status, 1);
}

#[test]
fn a_diff_shows_the_mend() {
    let body = r#"{"model":"claude-opus-4-6","max_tokens":9,"messages":[{"role":"user","content":"sun \ud83d"}]}"#;
    let ran = run(&["lint", "--fix", "--diff"], body.as_bytes());
    let shown = &ran.stdout;
    assert!(
        shown.contains("-      \"content\": \"sun \\ud83d\""),
        "{shown}"
    );
    assert!(
        shown.contains("+      \"content\": \"sun \\ufffd\""),
        "{shown}"
    );
}

/// Whatever the examples are, the mended body is JSON and has no more findings.
#[test]
fn mended_examples_are_whole() {
    let mut by_provider: std::collections::BTreeMap<String, String> =
        Default::default();
    for line in EXAMPLES.lines() {
        let line = Raw::parse(line.as_bytes()).expect("JSON");
        let body = line.get("fail").expect("a body");
        let text = std::str::from_utf8(body.bytes()).expect("UTF-8");
        if text.contains("000000)")
            || text.contains("rep(a,33554433)")
            || text.contains("rep(A,")
        {
            continue;
        }
        let provider = line.get("provider").and_then(Raw::as_str).expect("a name");
        let all = by_provider.entry(provider.into_owned()).or_default();
        all.push_str(&grown(text));
        all.push('\n');
    }
    for (provider, bodies) in by_provider {
        let (out, err, _) = mended(&bodies, &provider);
        assert_eq!(
            out.lines().count(),
            bodies.lines().count(),
            "{provider}: {err}"
        );
        for line in out.lines() {
            assert!(Raw::parse(line.as_bytes()).is_ok(), "{line}");
        }
        let again = run(&["lint", "--fix", "--provider", &provider], out.as_bytes());
        assert_eq!(again.stdout, out, "{provider}");
    }
}
