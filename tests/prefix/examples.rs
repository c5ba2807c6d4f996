//! Examples of `docs/prefix.md#binding`, and its decision table.

use super::{Setting, found, levels, pair, pair_bytes, places, states};
use convo::prefix::{Account, Outcome, Reason, Verdict};
use serde_json::{Value, json};

/// A user message whose block carries the breakpoint.
fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text,
        "cache_control": {"type": "ephemeral"}}]})
}

fn bare(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

fn answer(seal: &str, text: &str) -> Value {
    json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "", "signature": seal},
        {"type": "text", "text": text}]})
}

fn tool(name: &str) -> Value {
    json!({"name": name, "input_schema": {"type": "object"}})
}

fn body(messages: &[Value]) -> Value {
    json!({"max_tokens": 1, "tools": [tool("a")], "system": "S", "messages": messages})
}

#[test]
fn e1_appending_a_turn() {
    let a = body(&[user("M1")]);
    let b = body(&[bare("M1"), answer("T1", "R1"), user("M2")]);
    let report = pair(&a, &b, &Setting::model("claude-fable-5-2"));
    assert_eq!(report.verdict, Verdict::Hit);
    assert_eq!(levels(&report), "k/k/k");
    assert_eq!(places(&report), []);
    assert_eq!(states(&report), ["valid"]);
    assert_eq!(report.binding.outcome, Outcome::Accepted);
}

#[test]
fn e2_a_date_in_the_system_text() {
    let a = body(&[bare("M1"), answer("T1", "R1"), user("M2")]);
    let mut b = a.clone();
    b["system"] = json!("S. Today is Tuesday");
    for (model, account, outcome) in [
        ("claude-fable-5-2", Account::Old, Outcome::Rejected),
        ("claude-fable-5-2", Account::Unknown, Outcome::Rejected),
        ("claude-fable-5-1", Account::New, Outcome::Rejected),
        ("claude-fable-5-1", Account::Old, Outcome::Accepted),
        ("claude-opus-5-5", Account::New, Outcome::Rejected),
        ("claude-opus-5-5", Account::Old, Outcome::Accepted),
        (
            "claude-opus-5-5",
            Account::Unknown,
            Outcome::DependsOnAccount,
        ),
        ("claude-mythos-5-1", Account::New, Outcome::Uncertain),
        ("claude-opus-5", Account::New, Outcome::NotChecked),
        ("no-such-model", Account::New, Outcome::Uncertain),
    ] {
        let report = pair(&a, &b, &Setting::model(model).account(account));
        assert_eq!(report.reason, Some(Reason::System));
        assert_eq!(levels(&report), "k/l/l");
        assert_eq!(states(&report), ["invalid_prefix"], "{model}");
        assert_eq!(report.binding.outcome, outcome, "{model} {account:?}");
    }
    let report = pair(
        &a,
        &b,
        &Setting::model("claude-opus-5-5").account(Account::Old),
    );
    let notes = report.binding.notes.join("\n");
    assert!(notes.contains("subscription token"), "{notes}");
    assert_eq!(
        report.binding.first.as_deref(),
        Some("/messages/1/content/0")
    );
}

#[test]
fn e3_a_plain_tool_is_added() {
    let a = body(&[bare("M1"), answer("T1", "R1"), user("M2")]);
    let mut b = body(&[
        bare("M1"),
        answer("T1", "R1"),
        bare("M2"),
        answer("T2", "R2"),
        user("M3"),
    ]);
    b["tools"] = json!([tool("a"), tool("b")]);
    let report = pair(&a, &b, &Setting::model("claude-fable-5-2"));
    assert_eq!(report.reason, Some(Reason::Tools));
    assert_eq!(
        places(&report),
        [("/tools/1", None, "added", "diff-tools-set")]
    );
    assert_eq!(levels(&report), "l/l/l");
    assert_eq!(report.verdict, Verdict::Miss);
    assert_eq!(states(&report), ["invalid_prefix", "invalid_prefix"]);
    assert_eq!(
        report.binding.first.as_deref(),
        Some("/messages/1/content/0")
    );
    assert_eq!(report.binding.outcome, Outcome::Rejected);
}

#[test]
fn e4_a_tool_is_defined_in_a_message() {
    let a = body(&[bare("M1"), answer("T1", "R1"), user("M2")]);
    let define = json!({"role": "system", "content": [{"type": "tool_addition",
        "tool": {"type": "tool_definition", "definition": tool("b")}}]});
    let b = body(&[
        bare("M1"),
        answer("T1", "R1"),
        bare("M2"),
        answer("T2", "R2"),
        user("M3"),
        define,
    ]);
    let setting = Setting::model("claude-fable-5-2");
    let report = pair(&a, &b, &setting);
    assert_eq!(report.verdict, Verdict::Hit);
    assert_eq!(states(&report), ["valid", "valid"]);
    // With no plain tool the start of the prompt moves, once; thinking stays.
    let (mut a, mut b) = (a, b);
    for one in [&mut a, &mut b] {
        one["tools"][0]["defer_loading"] = json!(true);
    }
    let report = pair(&a, &b, &setting);
    assert_eq!(report.verdict, Verdict::Miss);
    assert_eq!(states(&report), ["valid", "valid"]);
}

#[test]
fn e5_a_summary_of_ones_own() {
    let a = body(&[
        bare("M1"),
        answer("T1", "R1"),
        bare("M2"),
        answer("T2", "R2"),
        user("M3"),
    ]);
    let mut b = body(&[
        bare("summary of first exchange"),
        answer("T2", "R2"),
        bare("M3"),
        answer("T3", "R3"),
        user("M4"),
    ]);
    let setting = Setting::model("claude-fable-5-2");
    let report = pair(&a, &b, &setting);
    assert_eq!(report.reason, Some(Reason::Messages));
    assert!(report.divergences[0].path.starts_with("/messages/0"));
    assert_eq!(levels(&report), "k/k/l");
    assert_eq!(states(&report), ["invalid_prefix", "invalid_prefix"]);
    assert_eq!(
        report.binding.first.as_deref(),
        Some("/messages/1/content/0")
    );
    assert_eq!(report.binding.outcome, Outcome::Rejected);
    b["thinking"] = json!({"type": "adaptive",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"}});
    let report = pair(&a, &b, &setting);
    assert_eq!(report.binding.outcome, Outcome::Dropped);
    assert_eq!(report.binding.dropped, Some((2, 2)));
}

#[test]
fn e6_key_order_and_tool_choice() {
    let call = |input: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"","signature":"T1"}},{{"type":"tool_use","id":"t","name":"a","input":{input}}}]}}"#
        )
    };
    let result = |mark: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"r"{mark}}}]}}"#
        )
    };
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let start = format!(r#"{{"max_tokens":1,"tools":[{}],"system":"S","#, tool("a"));
    let a = format!(
        r#"{start}"messages":[{},{},{}]}}"#,
        bare("M1"),
        call(r#"{"x":1,"y":2}"#),
        result(mark)
    );
    let b = format!(
        r#"{start}"tool_choice":{{"type":"none"}},"messages":[{},{},{},{},{}]}}"#,
        bare("M1"),
        call(r#"{"y":2,"x":1}"#),
        result(""),
        answer("T2", "R2"),
        user("M2")
    );
    let setting = Setting::model("claude-fable-5-2");
    let report = pair_bytes(a.as_bytes(), b.as_bytes(), &setting);
    assert_eq!(states(&report), ["valid", "valid"]);
    assert_eq!(report.binding.outcome, Outcome::Accepted);
    assert_eq!(levels(&report), "k/k/l");
    let expected = (
        "/messages/1/content/1/input",
        None,
        "key_order",
        "diff-message-edited",
    );
    assert_eq!(places(&report), [expected]);
    assert_eq!(found(&report, "diff-tool-choice"), Some("warning"));
}
