//! Real reports about converted conversations, with their right answers and
//! siblings: the other order, the other side of the pair, inside a parallel run.

use crate::common::bodies::{bodies, bundle, lines, options, outline};
use convo::provider::Requests;
use serde_json::{Value, json};

fn start() -> Value {
    json!({"type": "turn_start"})
}

fn ask(text: &str) -> Value {
    json!({"type": "chat_request", "content": text})
}

fn say(text: &str) -> Value {
    json!({"type": "chat_response", "message": text})
}

fn think(text: &str) -> Value {
    json!({"type": "chat_response", "reasoning": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_call_request", "id": id, "name": "f", "arguments": {}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "tool_call_response", "id": id, "content": text})
}

/// The messages of the last body, and what was told.
#[track_caller]
fn last(events: &[Value]) -> (Vec<String>, Vec<String>) {
    let (bodies, told) = bodies(&Value::from(events.to_vec()), Requests::Last);
    (outline(&bodies[0]), told)
}

#[track_caller]
fn expect(events: &[Value], expected: &[&str]) {
    assert_eq!(last(events).0, expected);
}

const CUT: &str = "Tool call was interrupted.";

#[test]
fn an_interrupted_call_is_answered_before_the_next_text() {
    let answered = format!("user: result(t1, {CUT}, error) \"never mind\"");
    let events = [start(), ask("go"), call("t1"), start(), ask("never mind")];
    let expected = ["user: \"go\"", "assistant: call(t1, f {})", &answered];
    expect(&events, &expected);
    assert_eq!(last(&events).1, ["call-interrupted"]);
    // Without a turn between, and with the text of the call behind it.
    expect(&[ask("go"), call("t1"), ask("never mind")], &expected);
    expect(
        &[
            ask("go"),
            call("t1"),
            say("done"),
            start(),
            ask("never mind"),
        ],
        &[
            "user: \"go\"",
            "assistant: call(t1, f {}) \"done\"",
            &answered,
        ],
    );
}

#[test]
fn one_of_parallel_calls_is_interrupted() {
    let both = format!("user: result(t2, two) result(t1, {CUT}, error) \"next\"");
    let calls = "assistant: call(t1, f {}) call(t2, f {})";
    expect(
        &[
            ask("go"),
            call("t1"),
            call("t2"),
            result("t2", "two"),
            ask("next"),
        ],
        &["user: \"go\"", calls, &both],
    );
    let alone = format!("user: result(t2, two) result(t1, {CUT}, error)");
    let told = [
        ask("go"),
        call("t1"),
        call("t2"),
        result("t2", "two"),
        say("done"),
        result("t1", "late"),
        start(),
        ask("next"),
    ];
    let expected = [
        "user: \"go\"",
        calls,
        &alone,
        "assistant: \"done\"",
        "user: \"next\"",
    ];
    expect(&told, &expected);
    assert_eq!(last(&told).1, ["result-left-out", "call-interrupted"]);
}

#[test]
fn a_result_without_its_call_goes() {
    let events = [result("t1", "ok"), say("fine"), start(), ask("next")];
    let (found, told) = last(&events);
    assert_eq!(found, ["user: \"next\""]);
    assert_eq!(told, ["result-left-out", "before-first-request"]);
    // The call alone before the first request, the pair there, a wrong id behind.
    expect(&[call("t1"), start(), ask("next")], &["user: \"next\""]);
    let pair = [
        call("t1"),
        result("t1", "ok"),
        say("done"),
        start(),
        ask("next"),
    ];
    expect(&pair, &["user: \"next\""]);
    let alien = [ask("a"), say("b"), result("tx", "ok"), ask("c")];
    expect(&alien, &["user: \"a\"", "assistant: \"b\"", "user: \"c\""]);
    assert_eq!(last(&alien).1, ["result-left-out"]);
    // A result before its call is an orphan, and the call is interrupted.
    expect(
        &[ask("a"), result("t1", "early"), call("t1"), ask("c")],
        &[
            "user: \"a\"",
            "assistant: call(t1, f {})",
            &format!("user: result(t1, {CUT}, error) \"c\""),
        ],
    );
    // A second result of one call.
    expect(
        &[
            ask("a"),
            call("t1"),
            result("t1", "1"),
            result("t1", "2"),
            ask("b"),
        ],
        &[
            "user: \"a\"",
            "assistant: call(t1, f {})",
            "user: result(t1, 1) \"b\"",
        ],
    );
}

#[test]
fn ids_that_come_again_are_renamed_with_their_results() {
    let turn = |n: &str| [start(), ask(n), call("t1"), result("t1", n), say("x")];
    let events: Vec<Value> = [turn("a"), turn("b")].into_iter().flatten().collect();
    let all = bodies(&Value::from(events), Requests::All).0;
    assert_eq!(all.len(), 4);
    let second = ["assistant: call(t1_2, f {})", "user: result(t1_2, b)"];
    assert_eq!(outline(&all[3])[5..], second);
    assert_eq!(
        outline(&all[1])[1..],
        ["assistant: call(t1, f {})", "user: result(t1, a)"]
    );
    // In one turn, in parallel: first in, first out; and a genuine `t1_2`.
    expect(
        &[
            ask("go"),
            call("t1"),
            call("t1"),
            call("t1_2"),
            call(""),
            call("a.b"),
            result("t1", "one"),
            result("t1_2", "three"),
            result("t1", "two"),
            result("a.b", "five"),
            result("", "four"),
        ],
        &[
            "user: \"go\"",
            "assistant: call(t1, f {}) call(t1_2, f {}) call(t1_2_2, f {}) call(_2, f {}) \
             call(a_b, f {})",
            "user: result(t1, one) result(t1_2_2, three) result(t1_2, two) \
             result(a_b, five) result(_2, four)",
        ],
    );
}

#[test]
fn results_come_before_the_texts_of_their_message() {
    let after = [
        "user: \"go\"",
        "assistant: call(t1, f {})",
        "user: result(t1, ok) \"hurry\"",
    ];
    for events in [
        [ask("go"), call("t1"), ask("hurry"), result("t1", "ok")],
        [ask("go"), call("t1"), result("t1", "ok"), ask("hurry")],
    ] {
        expect(&events, &after);
        let done = [events.to_vec(), vec![say("done"), ask("more")]].concat();
        assert_eq!(last(&done).0[..3], after);
    }
    expect(
        &[
            ask("go"),
            call("a"),
            call("b"),
            ask("one"),
            result("b", "B"),
            ask("two"),
            result("a", "A"),
        ],
        &[
            "user: \"go\"",
            "assistant: call(a, f {}) call(b, f {})",
            "user: result(b, B) result(a, A) \"one\" \"two\"",
        ],
    );
}

#[test]
fn blank_texts_are_left_out_and_empty_results_are_not() {
    expect(
        &[
            ask("go"),
            say(""),
            call("t1"),
            say(" \n"),
            think(""),
            result("t1", ""),
            ask("\t"),
        ],
        &[
            "user: \"go\"",
            "assistant: call(t1, f {})",
            "user: result(t1, )",
        ],
    );
    // A blank answer makes no request point, and messages around it are one.
    let events = [ask("go"), say(""), ask("on"), say("done")];
    let all = bodies(&Value::from(events.to_vec()), Requests::All).0;
    assert_eq!(all.len(), 1);
    assert_eq!(outline(&all[0]), ["user: \"go\" \"on\""]);
}

#[test]
fn reasoning_goes_as_thinking_only_where_it_is_signed() {
    let signed = |metadata: Value| json!({"type": "chat_response", "reasoning": "plan", "metadata": metadata});
    let rest = [call("t1"), result("t1", "ok")];
    let with =
        |reasoning: Value| last(&[&[ask("go"), reasoning], &rest[..]].concat()).0;
    let own = json!({"anthropic_thinking_signature": "SIG1"});
    assert_eq!(
        with(signed(own.clone())),
        [
            "user: \"go\"",
            "assistant: thinking(plan, SIG1) call(t1, f {})",
            "user: result(t1, ok)"
        ]
    );
    let as_text = "assistant: \"<think>\nplan\n</think>\n\n\" call(t1, f {})";
    assert_eq!(with(think("plan"))[1], as_text);
    let other = json!({"google_thought_signature": "G"});
    assert_eq!(with(signed(other))[1], as_text);
    // The configuration at the event decides, where it names a model at all.
    let model = |id: &str| json!({"type": "config_delta", "delta": {"assistant": {"model": {"id": id}}}});
    for (first, then, native) in [
        (
            "google/gemini-3-pro-preview",
            "anthropic/claude-opus-4-8",
            false,
        ),
        (
            "anthropic/claude-opus-4-8",
            "google/gemini-3-pro-preview",
            true,
        ),
    ] {
        let events = [
            model(first),
            ask("go"),
            signed(own.clone()),
            model(then),
            ask("x"),
        ];
        let found = &last(&events).0[1];
        assert_eq!(
            found.contains("thinking("),
            native,
            "{first} {then}: {found}"
        );
    }
    let redacted = json!({"type": "chat_response", "reasoning": "",
        "metadata": {"anthropic_redacted_thinking": "R"}});
    assert_eq!(with(redacted)[1], "assistant: redacted(R) call(t1, f {})");
    let silent = json!({"type": "chat_response", "reasoning": "", "metadata": own});
    assert_eq!(
        with(silent)[1],
        "assistant: thinking(, SIG1) call(t1, f {})"
    );
}

#[test]
fn only_what_is_for_the_assistant_is_in_a_result() {
    let block = |text: &str, role: &str| json!({"type": "text", "text": text, "annotations": {"audience": [role]}});
    let with = |blocks: Value, is_error: bool| {
        let response = json!({"type": "tool_call_response", "id": "t1",
            "content": blocks, "is_error": is_error});
        last(&[ask("go"), call("t1"), response]).0[2].clone()
    };
    let (user, own) = (
        block("Report for you", "user"),
        block("stored as id 7", "assistant"),
    );
    assert_eq!(
        with(json!([user, own]), false),
        "user: result(t1, stored as id 7)"
    );
    assert_eq!(
        with(json!([own, user]), false),
        "user: result(t1, stored as id 7)"
    );
    assert_eq!(
        with(json!([user]), false),
        "user: result(t1, Tool executed successfully.)"
    );
    assert_eq!(
        with(json!([user]), true),
        "user: result(t1, Tool failed., error)"
    );
    assert_eq!(
        with(json!([]), false),
        "user: result(t1, Tool executed successfully.)"
    );
    let nobody = block("x", "developer");
    assert_eq!(
        with(json!([nobody, {"type": "text", "text": ""}]), false),
        "user: result(t1, )"
    );
}

#[test]
fn a_call_open_at_the_end_is_answered_there_too() {
    let events = json!([ask("go"), say("on it"), call("t1")]);
    let (end, told) = bodies(&events, Requests::End);
    let answered = format!("user: result(t1, {CUT}, error)");
    assert_eq!(
        outline(&end[0]),
        [
            "user: \"go\"",
            "assistant: \"on it\" call(t1, f {})",
            &answered
        ]
    );
    assert_eq!(told, ["call-interrupted"]);
    // The answer that repair puts in makes no request point.
    assert_eq!(bodies(&events, Requests::All).0.len(), 1);
    let (end, told) = bodies(&json!([ask("go"), say("bye ")]), Requests::End);
    assert_eq!(outline(&end[0]), ["user: \"go\"", "assistant: \"bye \""]);
    assert_eq!(told, ["ends-with-assistant"]);
}

#[test]
fn a_budget_is_asked_for_only_where_the_turn_began_with_thinking() {
    let own = json!({"anthropic_thinking_signature": "S"});
    let signed = json!({"type": "chat_response", "reasoning": "p", "metadata": own});
    let round = |id: &str| [call(id), result(id, "ok")];
    let thinking = |events: &[&[Value]]| {
        let bytes = bundle(&Value::from(events.concat())).to_string();
        let options = options("anthropic", Some("claude-haiku-4-5"));
        let (lines, _) = lines(bytes.as_bytes(), &options).expect("a body");
        let body: Value = serde_json::from_slice(&lines[0]).expect("JSON");
        body["thinking"]["type"]
            .as_str()
            .expect("a type")
            .to_owned()
    };
    let (go, a, b) = (&[ask("go")][..], &round("a")[..], &round("b")[..]);
    let thought = &[signed][..];
    assert_eq!(thinking(&[go]), "enabled");
    assert_eq!(thinking(&[go, thought, a]), "enabled");
    assert_eq!(thinking(&[go, thought, a, b]), "enabled");
    assert_eq!(thinking(&[go, a]), "disabled");
    assert_eq!(thinking(&[go, &[think("p")], a]), "disabled");
    assert_eq!(thinking(&[go, a, thought, b]), "disabled");
    assert_eq!(thinking(&[go, a, &[say("done"), ask("more")]]), "enabled");
    assert_eq!(
        thinking(&[go, a, &[say("done"), ask("x")], thought, b]),
        "enabled"
    );
}
