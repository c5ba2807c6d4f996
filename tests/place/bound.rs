//! Thinking whose prefix has changed: the differ's own binding pass finds nothing to
//! refuse in a run of bodies, flattened or placed.

use super::{
    INLINE, Open, ask, delta, local, outline, place, say, section, tool_delta,
};
use crate::common::bodies::bundle;
use convo::body::{captures, records};
use convo::directive::ToolMode;
use convo::model::Table;
use convo::prefix::{Account, Comparison, History, Outcome, Sent};
use convo::provider::{Binding, Format, Options, Requests};
use serde_json::{Value, json};

const CONTROLS: &str = "thinking-binding-controls-2026-08-01";

fn think(seal: &str) -> Value {
    json!({"type": "chat_response", "reasoning": format!("t{seal}"),
        "metadata": {"anthropic_thinking_signature": seal}})
}

fn prompt(text: &str) -> Value {
    delta(json!({"assistant": {"system_prompt": text}}))
}

fn head(tools: impl Into<Value>) -> Value {
    delta(json!({"assistant": {"system_prompt": "P",
        "model": {"id": "anthropic/claude-opus-5-5"}}, "conversation": {"tools": tools.into()}}))
}

fn compaction() -> Value {
    json!({"type": "compaction", "summary": {"summary": "so far"}, "from_turn": 0,
        "to_turn": 0})
}

/// Outcomes of the pairs of a run.
fn outcomes(bodies: &[u8]) -> Vec<Outcome> {
    let table = Table::built_in();
    let judge = Comparison::new(&table).account(Account::New);
    let mut history = History::default();
    let mut last = None;
    let mut found = Vec::new();
    let all: Vec<_> = records(bodies)
        .flat_map(|record| captures(bodies, record.expect("a record")))
        .map(|one| one.expect("a capture"))
        .collect();
    for capture in &all {
        let sent = Sent {
            name: "x".to_owned(),
            capture,
            times: convo::prefix::Times::default(),
        };
        if let Some(before) = last.replace(sent.clone()) {
            let report = judge.pair(&before, &sent, &mut history).expect("a report");
            found.push(report.binding.outcome);
        }
    }
    found
}

fn run<'o>(open: &'o Open, flat: bool, binding: Binding) -> Options<'o> {
    let options = open.options(Requests::All);
    Options {
        format: Format::Request,
        binding,
        place: options.place.filter(|_| !flat),
        ..options
    }
}

#[test]
fn no_body_of_a_run_is_refused() {
    let tools = json!({"f": local(true), "g": local(false)});
    let changes: [(&str, Vec<Value>); 6] = [
        ("prompt", vec![prompt("N")]),
        ("section", vec![section("S")]),
        ("tool", vec![tool_delta(json!({"g": {"enable": true}}))]),
        ("first tool", vec![tool_delta(json!({"late": local(true)}))]),
        ("compaction", vec![compaction()]),
        (
            "choice",
            vec![delta(json!({"assistant": {"tool_choice": "required"}}))],
        ),
    ];
    let mut refused = 0;
    for (what, change) in &changes {
        let tools = if *what == "first tool" {
            json!({})
        } else {
            tools.clone()
        };
        let mut events = vec![
            head(tools),
            json!({"type": "turn_start"}),
            ask("q1"),
            think("UzE="),
            say("a1"),
        ];
        events.push(json!({"type": "turn_start"}));
        events.extend([ask("q2"), think("UzI="), say("a2")]);
        events.extend(change.iter().cloned());
        events.push(json!({"type": "turn_start"}));
        events.extend([
            ask("q3"),
            think("UzM="),
            say("a3"),
            ask("q4"),
            think("UzQ="),
        ]);
        events.extend([say("a4"), ask("q5")]);
        let bytes = bundle(&Value::from(events)).to_string();
        for beta in [INLINE, ""] {
            let open = Open::new("claude-opus-5-5", beta, ToolMode::Deferred);
            for flat in [false, true] {
                let options = run(&open, flat, Binding::Drop);
                let (bodies, told) = place(bytes.as_bytes(), &options).expect("bodies");
                let found = outcomes(&bodies.join(&b'\n'));
                assert!(
                    found.iter().all(|one| *one == Outcome::Accepted),
                    "{what} {flat} {beta}: {found:?}\n{}",
                    String::from_utf8_lossy(&bodies.join(&b'\n'))
                );
                // Thinking made behind the change stays.
                let last = String::from_utf8_lossy(bodies.last().expect("a body"));
                assert!(last.contains("UzM=") && last.contains("UzQ="), "{what}");
                let bound = told.iter().any(|one| one.code == "thinking-bound");
                assert_eq!(bound, !last.contains("UzI="), "{what} {flat} {beta}");
                let options = run(&open, flat, Binding::Keep);
                let (bodies, _) = place(bytes.as_bytes(), &options).expect("bodies");
                let found = outcomes(&bodies.join(&b'\n'));
                let fails = found.contains(&Outcome::Rejected);
                assert_eq!(fails, bound && (*what != "compaction" || fails), "{what}");
                refused += usize::from(fails);
            }
        }
    }
    assert!(refused > 8, "{refused} runs that the check would refuse");
}

#[test]
fn where_the_beta_is_on_the_api_is_asked() {
    let events = json!([
        head(json!({"f": local(true)})),
        ask("q1"),
        think("UzE="),
        say("a1"),
        prompt("N"),
        ask("q2")
    ]);
    let open = Open {
        betas: format!("[\"{INLINE}\",\"{CONTROLS}\"]"),
        ..Open::new("claude-opus-5-5", INLINE, ToolMode::Deferred)
    };
    let (bodies, told) = super::placed(&events, &open);
    assert_eq!(bodies[0]["thinking"].get("block_binding"), None);
    assert_eq!(
        bodies[1]["thinking"]["block_binding"],
        json!({"prefix_mismatch_behavior": "drop_block"})
    );
    assert_eq!(bodies[1]["messages"][1]["content"][0]["type"], "thinking");
    assert_eq!(told, ["head-changed", "thinking-bound"]);
    // Another model checks nothing, so nothing is left out.
    let (bodies, told) = super::placed(&events, &Open::usual(ToolMode::Deferred));
    assert_eq!(bodies[1]["messages"][1]["content"][0]["type"], "thinking");
    assert_eq!(told, ["head-changed"]);
}

#[test]
fn an_answer_of_thinking_alone_goes_with_its_boundary() {
    let events = json!([
        head(json!({"f": local(true)})),
        ask("q1"),
        section("S"),
        think("UzE="),
        prompt("N"),
        ask("q2"),
        say("a"),
        ask("q3")
    ]);
    let open = Open::new("claude-opus-5-5", INLINE, ToolMode::Deferred);
    let (bodies, _) = super::placed(&events, &open);
    assert_eq!(
        outline(&bodies[1]),
        ["user: \"q1\" \"q2\"", "system: \"S\""],
        "the directive moves to the boundary that is left"
    );
    assert_eq!(outline(&bodies[2])[..2], outline(&bodies[1])[..]);
}

/// A pair that cannot be compared leaves nothing behind that the next is judged by.
#[test]
fn a_run_goes_on_behind_a_body_of_another_provider() {
    let table = Table::built_in();
    let judge = Comparison::new(&table).account(Account::New);
    let body = |turns: usize| {
        let mut messages = vec![json!({"role": "user", "content": "q"})];
        for at in 0..turns {
            messages.push(json!({"role": "assistant", "content": [{"type": "thinking",
                "thinking": "t", "signature": format!("S{at}")}, {"type": "text", "text": "a"}]}));
            messages.push(json!({"role": "user", "content": "q"}));
        }
        json!({"model": "claude-opus-5-5", "max_tokens": 9, "messages": messages})
    };
    let other = json!({"model": "gpt-5-mini", "input": [{"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "q"}]}], "store": false});
    let run = [body(1), body(2), other, body(5), body(6)];
    let lines: Vec<u8> = run
        .iter()
        .flat_map(|one| format!("{one}\n").into_bytes())
        .collect();
    let all: Vec<_> = records(&lines)
        .flat_map(|record| captures(&lines, record.expect("a record")))
        .map(|one| one.expect("a capture"))
        .collect();
    let sent = |at: usize| Sent {
        name: "x".to_owned(),
        capture: &all[at],
        times: convo::prefix::Times::default(),
    };
    let mut history = History::default();
    let mut pair = |at: usize| judge.pair(&sent(at), &sent(at + 1), &mut history);
    assert!(pair(0).is_ok() && pair(1).is_err() && pair(2).is_err());
    let report = pair(3).expect("a report");
    assert_eq!(report.binding.outcome, Outcome::Accepted);
}
