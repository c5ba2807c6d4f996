//! One finding for one act: what was done to the messages, not where bytes differ.

use super::{Setting, pair, places, states};
use convo::body::Provider;
use convo::prefix::{Account, Outcome};
use serde_json::{Value, json};

fn text(role: &str, text: &str) -> Value {
    json!({"role": role, "content": [{"type": "text", "text": text}]})
}

/// A conversation of so many messages.
fn talk(count: usize) -> Vec<Value> {
    let role = |at: usize| ["user", "assistant"][at % 2];
    (0..count)
        .map(|at| text(role(at), &format!("message {at}")))
        .collect()
}

fn body(messages: &[Value]) -> Value {
    json!({"max_tokens": 1, "cache_control": {"type": "ephemeral"}, "system": "S",
        "messages": messages})
}

#[test]
fn messages_that_went_are_one_finding() {
    let a = body(&talk(9));
    let drop = |from: usize, count: usize, instead: Option<&str>| {
        let mut list = talk(13);
        list.drain(from..from + count);
        if let Some(words) = instead {
            list.insert(from, text("user", words));
        }
        body(&list)
    };
    for (b, path, cause, words) in [
        (
            drop(0, 2, None),
            "/messages/0",
            "shifted",
            "2 oldest messages dropped",
        ),
        (
            drop(1, 2, None),
            "/messages/1",
            "removed",
            "2 messages dropped",
        ),
        (
            drop(3, 3, None),
            "/messages/3",
            "removed",
            "3 messages dropped",
        ),
        (
            drop(1, 3, Some("(earlier turns were dropped)")),
            "/messages/1",
            "removed",
            "3 messages dropped, 1 put in their place",
        ),
    ] {
        let report = pair(&a, &b, &Setting::default());
        let found = places(&report);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0.starts_with(path), "{found:?}");
        assert_eq!((found[0].2, found[0].3), (cause, "diff-message-removed"));
        let detail = &report.divergences[0].detail;
        assert!(detail.contains(words), "{detail}");
    }
}

#[test]
fn a_reminder_that_travels_is_moved_and_thinking_behind_it_fails() {
    let reminder = text("user", "<reminder>Two todos are open.</reminder>");
    let answer = json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "", "signature": "S1"},
        {"type": "text", "text": "done"}]});
    let (first, next) = (text("user", "go"), text("user", "more"));
    let a = body(&[first.clone(), reminder.clone()]);
    let b = body(&[first.clone(), answer.clone(), next.clone(), reminder]);
    let setting = Setting::model("claude-opus-5-5").account(Account::New);
    let report = pair(&a, &b, &setting);
    assert_eq!(places(&report).len(), 1, "{:?}", places(&report));
    assert_eq!(places(&report)[0].2, "moved");
    let detail = &report.divergences[0].detail;
    assert!(detail.contains("behind /messages/0"), "{detail}");
    assert_eq!(states(&report), ["invalid_prefix"]);
    assert_eq!(report.binding.outcome, Outcome::Rejected);
    // The same as a block of the newest message.
    let with = |words: &str| {
        json!({"role": "user", "content": [{"type": "text", "text": words},
            {"type": "text", "text": "<reminder>Two todos are open.</reminder>"}]})
    };
    let a = body(&[with("go")]);
    let b = body(&[first, answer, with("more")]);
    let report = pair(&a, &b, &setting);
    assert_eq!(places(&report)[0].2, "moved");
    assert_eq!(report.binding.outcome, Outcome::Rejected);
}

#[test]
fn results_in_another_order_are_reordered_not_edited() {
    let calls = json!({"role": "assistant", "content": [
        {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
        {"type": "tool_use", "id": "t2", "name": "g", "input": {}}]});
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    let with = |results: [Value; 2]| {
        [
            text("user", "go"),
            calls.clone(),
            json!({"role": "user", "content": results}),
        ]
    };
    let a = with([result("t2", "two"), result("t1", "one")]);
    let mut b = with([result("t1", "one"), result("t2", "two")]).to_vec();
    b.extend([text("assistant", "ok"), text("user", "next")]);
    let report = pair(&body(&a), &body(&b), &Setting::default());
    let place = (
        "/messages/2/content/0/tool_use_id",
        Some(1),
        "reordered",
        "diff-message-edited",
    );
    assert_eq!(places(&report), [place]);
}

#[test]
fn tool_ids_made_anew_are_one_act() {
    let with = |ids: [&str; 2], more: bool| {
        let mut list =
            vec![json!({"type": "message", "role": "user", "content": "go"})];
        for id in ids {
            list.push(json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}));
            list.push(
                json!({"type": "function_call_output", "call_id": id, "output": "one"}),
            );
        }
        if more {
            list.push(json!({"type": "message", "role": "user", "content": "next"}));
        }
        json!({"model": "gpt-5-mini", "store": false, "input": list})
    };
    let a = with(["call_9f2c11aa", "call_9f2c11ab"], false);
    let b = with(["call_03be77d1", "call_03be77d2"], true);
    let setting = Setting {
        model: None,
        provider: Some(Provider::OpenAi),
        ..Setting::default()
    };
    let report = pair(&a, &b, &setting);
    assert_eq!(places(&report).len(), 1, "{:?}", places(&report));
    assert_eq!(places(&report)[0].0, "/input/1/call_id");
    assert_eq!(places(&report)[0].2, "random_id");
    let detail = &report.divergences[0].detail;
    assert!(detail.contains("call and result are one act"), "{detail}");
}

#[test]
fn reasoning_left_out_has_its_own_cause_and_hint() {
    let with = |reasoning: bool| {
        let mut answer = json!({"role": "assistant", "content": "ok"});
        if reasoning {
            answer["reasoning_content"] = json!("because");
        }
        json!({"model": "m", "cache_prompt": true, "messages": [
            {"role": "user", "content": "go"}, answer, {"role": "user", "content": "more"}]})
    };
    let setting = Setting {
        model: None,
        provider: Some(Provider::LlamaCpp),
        ..Setting::default()
    };
    let report = pair(&with(true), &with(false), &setting);
    assert_eq!(
        places(&report)[0].2,
        "reasoning_left_out",
        "{:?}",
        places(&report)
    );
    let hint = &report.divergences[0].hint;
    assert!(hint.contains("send the reasoning back"), "{hint}");
}

/// A gap in the chain fails the blocks behind it; what goes from the front does not.
#[test]
fn thinking_dropped_from_the_middle_is_refused() {
    let with = |kept: &[usize]| {
        let mut list = vec![text("user", "go")];
        for at in 1..4 {
            let mut blocks = Vec::new();
            if kept.contains(&at) {
                blocks.push(json!({"type": "thinking", "thinking": "", "signature": format!("S{at}")}));
            }
            blocks.push(json!({"type": "text", "text": format!("answer {at}")}));
            list.push(json!({"role": "assistant", "content": blocks}));
            list.push(text("user", "more"));
        }
        body(&list)
    };
    let setting = Setting::model("claude-opus-5-5").account(Account::New);
    let all = with(&[1, 2, 3]);
    for (kept, outcome) in [
        (&[1, 3][..], Outcome::Rejected),
        (&[2, 3], Outcome::Accepted),
        (&[1, 2], Outcome::Accepted),
        (&[], Outcome::Accepted),
    ] {
        let report = pair(&all, &with(kept), &setting);
        assert_eq!(report.binding.outcome, outcome, "{kept:?}");
    }
}
