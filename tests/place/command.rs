//! `convo place-directives` from outside: options, notes, statuses.

use super::{INLINE, ask, base, local, say, section, tool_delta};
use crate::common::bodies::bundle;
use crate::common::command::{run, run_in};
use serde_json::{Value, json};

const COMMAND: &str = "place-directives";
const MODEL: [&str; 2] = ["--model", "anthropic/claude-opus-5"];

fn input() -> Vec<u8> {
    let events = json!([
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        say("a"),
        section("S"),
        tool_delta(json!({"g": {"enable": true}})),
        ask("r")
    ]);
    bundle(&events).to_string().into_bytes()
}

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&[COMMAND], &MODEL[..], more].concat()
}

#[test]
fn a_request_names_its_betas_and_verbose_counts_bytes() {
    let all = args(&["--beta", INLINE, "--format", "request", "-v"]);
    let ran = run(&all, &input());
    let request: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(request["headers"]["anthropic-beta"], INLINE);
    assert_eq!(request["body"]["messages"][3]["role"], "system");
    assert!(
        ran.stderr.contains("bytes of tool definitions deferred"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("are the prefix that the request before left")
    );
    assert_eq!(ran.status, 0);
}

#[test]
fn a_closed_gate_is_told() {
    let ran = run(&args(&[]), &input());
    insta::assert_snapshot!(ran.stderr, @r"
    convo place-directives: note: conversation 1: tool changes are flattened: no beta is in force that opens them
      hint: add --beta inline-tools-2026-09-15
    convo place-directives: warning: conversation 1: request 2: tools changed since the request before it and are flattened, which costs the cached prefix
    ");
    let there = args(&["--platform", "bedrock", "--beta", INLINE]);
    let ran = run(&there, &input());
    insta::assert_snapshot!(ran.stderr, @r"
    convo place-directives: warning: conversation 1: beta `inline-tools-2026-09-15` is left out: bedrock does not have it
    convo place-directives: note: conversation 1: tool changes are flattened: no beta is in force that opens them
      hint: add --beta mid-conversation-tool-changes-2026-07-01
    convo place-directives: warning: conversation 1: request 2: tools changed since the request before it and are flattened, which costs the cached prefix
    ");
    let old = ["place-directives", "--model", "anthropic/claude-sonnet-5"];
    let ran = run(&old, &input());
    insta::assert_snapshot!(ran.stderr, @r"
    convo place-directives: note: conversation 1: texts and tool changes are flattened: model `claude-sonnet-5` takes no system messages in a conversation
    convo place-directives: warning: conversation 1: request 2: the system prompt and tools changed since the request before it, which costs the cached prefix
    ");
}

#[test]
fn items_are_the_thread() {
    let ran = run(&args(&["--beta", INLINE, "--items"]), &input());
    let thread: Value = serde_json::from_str(&ran.ok(0)).expect("JSON");
    assert_eq!(thread["prelude"].as_array().expect("prelude").len(), 2);
    assert_eq!(thread["attachments"], json!([]));
    let items = json!([
        {"event": ask("q")},
        {"event": say("a")},
        {"event": ask("r")},
        {"directive": [{"type": "text", "text": "S"},
            {"type": "tool_addition", "name": "g"}]},
    ]);
    assert_eq!(thread["items"], items);
    // What repair and compaction put in is written as it would be stored.
    let call = json!({"type": "tool_call_request", "id": "t", "name": "f",
        "arguments": {"x": 1}});
    let events = json!([base(json!({"f": local(true)})), ask("q"), call, ask("r"),
        {"type": "chat_response", "reasoning": "why"}, section("S"),
        tool_delta(json!({"n": local(true)})), ask("s")]);
    let all = args(&["--beta", INLINE, "--items", "--tool-mode", "inline"]);
    let out = run(&all, bundle(&events).to_string().as_bytes()).ok(0);
    let thread: Value = serde_json::from_str(&out).expect("JSON");
    let items = thread["items"].as_array().expect("items");
    assert_eq!(items[1], json!({"event": call}));
    assert_eq!(
        items[2]["event"],
        json!({"type": "tool_call_response", "id": "t",
        "content": "Tool call was interrupted.", "is_error": true})
    );
    let last = &items[items.len() - 1]["directive"][1];
    assert_eq!(last["definition"]["name"], "n");
}

#[test]
fn inline_elsewhere_is_bad_usage() {
    let all = args(&["--platform", "bedrock", "--tool-mode", "inline"]);
    let ran = run(&all, &input());
    insta::assert_snapshot!(ran.shown(), @r"
    [out]
    convo place-directives: --tool-mode inline: bedrock takes no definitions in messages
      hint: use --tool-mode deferred
    [err]
    [2]
    ");
}

#[test]
fn a_lock_file_is_written_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = args(&["--beta", INLINE, "--write-catalogue", "tools.json"]);
    let first = run_in(folder.path(), &write, &input()).ok(0);
    let lock =
        std::fs::read_to_string(folder.path().join("tools.json")).expect("a lock");
    insta::assert_snapshot!(lock, @r#"
    [
      {
        "type": "custom",
        "name": "f",
        "input_schema": {
          "type": "object"
        },
        "description": "d"
      },
      {
        "type": "custom",
        "name": "g",
        "input_schema": {
          "type": "object"
        },
        "description": "d",
        "defer_loading": true
      }
    ]
    "#);
    let read = args(&["--beta", INLINE, "--catalogue", "tools.json"]);
    assert_eq!(run_in(folder.path(), &read, &input()).ok(0), first);
    // Nothing to write, a file of another shape, conversations that differ.
    let none = args(&["--write-catalogue", "none.json"]);
    let ran = run_in(folder.path(), &none, &input());
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("no body has placed tools"),
        "{}",
        ran.stderr
    );
    std::fs::write(folder.path().join("bad.json"), "[{}]").expect("a file");
    let ran = run_in(folder.path(), &args(&["--catalogue", "bad.json"]), b"");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("bad.json"), "{}", ran.stderr);
    let other = json!([base(json!({"h": local(true)})), ask("q")]);
    let mut both = input();
    both.extend(bundle(&other).to_string().into_bytes());
    let ran = run_in(folder.path(), &write, &both);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("different tools"), "{}", ran.stderr);
}

/// Requests that the linter takes, which differ in what they try and nothing else.
#[test]
fn live_checks_are_requests_that_differ_in_one_thing() {
    let ran = run(&[COMMAND, "--live-checks"], b"");
    let lines: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<&str> = lines
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(
        names,
        ["kept", "removed", "never-offered", "with", "without"],
        "{}",
        ran.shown()
    );
    let requests: Vec<String> = lines
        .iter()
        .map(|one| format!("{}\n", one["request"]))
        .collect();
    let lint = run(&["lint", "-"], requests.concat().as_bytes());
    assert_eq!(lint.status, 0, "{}", lint.shown());
    let body = |at: usize| &lines[at]["request"]["body"];
    for at in [1, 2] {
        assert_eq!(body(0)["system"], body(at)["system"]);
        assert_eq!(body(0)["tools"], body(at)["tools"]);
    }
    let count =
        |at: usize, what: &str| body(at)["messages"].to_string().matches(what).count();
    let big =
        [0, 1, 2].map(|at| (count(at, "tool_addition"), count(at, "tool_removal")));
    assert_eq!(big, [(1, 0), (1, 1), (0, 0)]);
    assert!(body(0)["tools"].to_string().len() > 10_000);
    assert_eq!((count(3, "PINEAPPLE"), count(4, "PINEAPPLE")), (1, 0));
    assert!(
        lines
            .iter()
            .all(|one| one["read"].as_str().is_some_and(|read| read.len() > 20))
    );
    assert_eq!(run(&[COMMAND, "--live-checks", "x.json"], b"").status, 2);
}
