//! Thinking of a fixed budget and turns that open without it: the API refuses
//! such a request, so `flatten` switches thinking off for it and says so.

use crate::common::command::run;
use serde_json::{Value, json};

/// The body for a model that thinks with a budget, and what was said.
fn body(events: &Value, parity: bool) -> (Value, String) {
    let mut args = vec!["flatten", "--encoding", "plain", "--provider", "anthropic"];
    args.extend(["--model", "claude-haiku-4-5"]);
    if parity {
        args.extend(["--parity", "jp"]);
    }
    let ran = run(&args, events.to_string().as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    (serde_json::from_str(&ran.stdout).expect("JSON"), ran.stderr)
}

fn reasoning() -> Value {
    json!({"type":"chat_response","reasoning":"plan",
           "metadata":{"anthropic_thinking_signature":"SIG"}})
}

fn call(id: &str) -> [Value; 2] {
    [
        json!({"type":"tool_call_request","id":id,"name":"f","arguments":{}}),
        json!({"type":"tool_call_response","id":id,"content":"ok"}),
    ]
}

fn stream(parts: &[&[Value]]) -> Value {
    let base = json!({"type":"config_delta","delta":{
        "assistant":{"model":{"id":"anthropic/claude-haiku-4-5"}}}});
    let start = [
        base,
        json!({"type":"turn_start"}),
        json!({"type":"chat_request","content":"go"}),
    ];
    Value::Array([&start[..], &parts.concat()].concat())
}

#[test]
fn a_turn_that_opens_without_thinking_goes_without() {
    let (sent, told) = body(&stream(&[&call("a")]), false);
    assert_eq!(sent["thinking"], json!({"type":"disabled"}));
    assert!(told.contains("must begin with signed thinking"), "{told}");
    let (sent, told) = body(&stream(&[&call("a")]), true);
    assert_eq!(sent["thinking"]["type"], "enabled");
    assert!(!told.contains("must begin with signed thinking"), "{told}");
}

#[test]
fn thinking_that_comes_later_in_the_turn_does_not_open_it() {
    let parts: [&[Value]; 3] = [&call("a"), &[reasoning()], &call("b")];
    assert_eq!(
        body(&stream(&parts), false).0["thinking"]["type"],
        "disabled"
    );
}

#[test]
fn answers_do_not_end_a_turn_that_opens_with_thinking() {
    let parts: [&[Value]; 3] = [&[reasoning()], &call("a"), &call("b")];
    let (sent, told) = body(&stream(&parts), false);
    assert_eq!(sent["thinking"]["type"], "enabled", "{told}");
}

#[test]
fn a_new_request_ends_the_turn() {
    let next = [
        json!({"type":"chat_response","message":"done"}),
        json!({"type":"turn_start"}),
        json!({"type":"chat_request","content":"next"}),
    ];
    let (sent, _) = body(&stream(&[&call("a"), &next]), false);
    assert_eq!(sent["thinking"]["type"], "enabled");
}
