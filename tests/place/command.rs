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
    insta::assert_snapshot!(ran.stderr, @"");
    let ran = run(
        &args(&["--platform", "bedrock", "--beta", INLINE]),
        &input(),
    );
    insta::assert_snapshot!(ran.stderr, @"");
}

#[test]
fn items_are_the_thread() {
    let ran = run(&args(&["--beta", INLINE, "--items"]), &input());
    insta::assert_snapshot!(ran.ok(0), @"");
}

#[test]
fn inline_elsewhere_is_bad_usage() {
    let all = args(&["--platform", "bedrock", "--tool-mode", "inline"]);
    let ran = run(&all, &input());
    insta::assert_snapshot!(ran.shown(), @"");
}

#[test]
fn a_lock_file_is_written_and_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = args(&["--beta", INLINE, "--write-catalogue", "tools.json"]);
    let first = run_in(folder.path(), &write, &input()).ok(0);
    let lock =
        std::fs::read_to_string(folder.path().join("tools.json")).expect("a lock");
    insta::assert_snapshot!(lock, @"");
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
