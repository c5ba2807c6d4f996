//! Reports from the field, restated, each through the command, with its right
//! answer.

use crate::common::command::{Ran, convo, run};
use crate::common::fixture;
use serde_json::{Value, json};

fn case(number: u64) -> (Option<Value>, Value) {
    let text = String::from_utf8(fixture("prefix/cases.jsonl")).expect("UTF-8");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut found = lines.filter(|line| line["case"] == number);
    let mut line = found.next().expect("a case");
    let a = line.get_mut("a").map(Value::take);
    (a, line["b"].take())
}

/// Runs the command on two bodies in files `a.json` and `b.json`.
pub(super) fn ran(a: &Value, b: &Value, args: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, body: &Value| {
        std::fs::write(folder.path().join(name), body.to_string()).expect("written");
    };
    write("a.json", a);
    write("b.json", b);
    let mut command = convo();
    let output = command
        .current_dir(folder.path())
        .args(["diff-cache-prefix", "a.json", "b.json"])
        .args(args)
        .output()
        .expect("convo runs");
    Ran {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: output.status.code().unwrap_or(-1),
    }
}

struct Expected {
    verdict: &'static str,
    levels: [&'static str; 3],
    reason: Value,
    first: Value,
    reusable: Value,
    status: i32,
}

const K: &str = "kept";
const L: &str = "lost";
const P: &str = "partial";
const E: &str = "empty";

#[track_caller]
fn check(number: u64, extra: &[&str], expected: &Expected) -> Value {
    let (a, b) = case(number);
    let mut args = vec!["--format", "json"];
    args.extend(match number {
        0..=21 => ["--model", "claude-opus-5"].as_slice(),
        _ => ["--model", "claude-opus-5-5", "--account", "new"].as_slice(),
    });
    args.extend(extra);
    let ran = ran(&a.expect("a first body"), &b, &args);
    let report: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.shown()));
    assert_eq!(report["verdict"], expected.verdict, "{report:#}");
    let [tools, system, messages] = expected.levels;
    let levels = json!({"tools": tools, "system": system, "messages": messages});
    assert_eq!(report["levels"], levels, "{report:#}");
    assert_eq!(report["reason"], expected.reason, "{report:#}");
    let first = match report["divergences"].get(0) {
        None => Value::Null,
        Some(one) => json!([one["path"], one["offset"], one["cause"], one["rule"]]),
    };
    assert_eq!(first, expected.first, "{report:#}");
    let reusable = &report["reusable"];
    let reusable = if reusable.is_null() {
        &Value::Null
    } else {
        &reusable["breakpoint"]
    };
    assert_eq!(*reusable, expected.reusable, "{report:#}");
    assert_eq!(ran.status, expected.status, "{report:#}");
    assert_eq!(ran.stderr, "");
    report
}

#[track_caller]
fn rule(report: &Value, rule: &str, severity: &str) -> Value {
    let findings = report["findings"].as_array().expect("findings");
    let mut found = findings.iter().filter(|one| one["rule"] == rule);
    let one = found
        .next()
        .unwrap_or_else(|| panic!("{rule} is not in {report:#}"));
    assert_eq!(one["severity"], severity, "{one:#}");
    one.clone()
}

#[track_caller]
fn says(report: &Value, key: &str, text: &str) {
    let told = report["divergences"][0][key].as_str().expect("a text");
    assert!(told.contains(text), "{told}");
}

#[test]
fn case_01_tools_in_another_order() {
    let first = json!(["/tools/0/name", 0, "reordered", "diff-tools-order"]);
    let reason = json!("tools_changed");
    let expected = Expected {
        verdict: "miss",
        levels: [L, L, L],
        reason,
        first,
        reusable: Value::Null,
        status: 1,
    };
    let report = check(1, &[], &expected);
    assert_eq!(report["divergences"].as_array().map(Vec::len), Some(1));
    says(&report, "detail", "no definition changed");
    assert_eq!(report["binding"]["outcome"], "accepted");
}

#[test]
fn case_02_clock_with_seconds() {
    let first = json!(["/system/0/text", 43, "clock", "diff-system"]);
    let expected = Expected {
        verdict: "miss",
        levels: [K, L, L],
        reason: json!("system_changed"),
        first,
        reusable: Value::Null,
        status: 1,
    };
    let report = check(2, &[], &expected);
    rule(&report, "volatile-prefix", "warning");
    let saved = rule(&report, "no-entry", "note");
    assert_eq!(saved["path"], "/tools/0");
    says(&report, "hint", "newest user message");
}

#[test]
fn case_03_clock_at_the_first_byte() {
    let first = json!(["/system/0/text", 22, "clock", "diff-system"]);
    let expected = Expected {
        verdict: "miss",
        levels: [E, L, L],
        reason: json!("system_changed"),
        first,
        reusable: Value::Null,
        status: 1,
    };
    let report = check(3, &[], &expected);
    says(&report, "detail", "22 characters matched");
    rule(&report, "volatile-prefix", "warning");
}

#[test]
fn case_04_arguments_in_another_key_order() {
    let first = json!([
        "/messages/1/content/0/input",
        null,
        "key_order",
        "diff-message-edited"
    ]);
    let expected = Expected {
        verdict: "miss",
        levels: [E, E, P],
        reason: json!("messages_changed"),
        first,
        reusable: Value::Null,
        status: 1,
    };
    let report = check(4, &[], &expected);
    says(&report, "detail", "no value changed");
}

#[test]
fn case_05_a_server_drops_out() {
    let first = json!(["/tools/1/name", 4, "removed", "diff-tools-set"]);
    let expected = Expected {
        verdict: "miss",
        levels: [L, L, L],
        reason: json!("tools_changed"),
        first,
        reusable: Value::Null,
        status: 1,
    };
    let report = check(5, &[], &expected);
    assert_eq!(report["divergences"].as_array().map(Vec::len), Some(1));
    says(&report, "detail", "`mcp_x`");
    says(&report, "hint", "tool_removal");
}

#[test]
fn case_06_a_late_tool_is_deferred() {
    let expected = Expected {
        verdict: "hit",
        levels: [K, K, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/system/0"),
        status: 0,
    };
    let report = check(6, &[], &expected);
    rule(&report, "diff-tools-deferred", "note");
    rule(&report, "deferred-unreachable", "warning");
}

#[test]
fn case_07_the_marker_moves_on() {
    let expected = Expected {
        verdict: "hit",
        levels: [E, E, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/messages/0/content/0"),
        status: 0,
    };
    check(7, &[], &expected);
}

#[test]
fn case_08_a_description_changes() {
    let first = json!([
        "/tools/0/description",
        12,
        "edited",
        "diff-tools-definition"
    ]);
    let expected = Expected {
        verdict: "miss",
        levels: [L, L, L],
        reason: json!("tools_changed"),
        first,
        reusable: Value::Null,
        status: 1,
    };
    check(8, &[], &expected);
}

#[test]
fn case_09_a_wide_turn_of_parallel_calls() {
    let near = Expected {
        verdict: "hit",
        levels: [E, E, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/messages/0/content/0"),
        status: 0,
    };
    let report = check(9, &[], &near);
    let note = rule(&report, "diff-lookback", "note");
    let text = note["message"].as_str().expect("a text");
    assert!(
        text.contains("24 blocks") && text.contains("2 positions"),
        "{text}"
    );
    let far = Expected {
        verdict: "miss",
        reusable: Value::Null,
        status: 1,
        ..near
    };
    let report = check(9, &["--platform", "bedrock"], &far);
    let found = rule(&report, "diff-lookback", "warning");
    assert_eq!(found["cause"], "out_of_reach");
    let hint = found["hint"].as_str().expect("a hint");
    assert!(hint.contains("end of the previous user turn"), "{hint}");
}

#[test]
fn case_10_a_string_becomes_a_list() {
    let expected = Expected {
        verdict: "hit",
        levels: [E, E, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/messages/0/content/0"),
        status: 0,
    };
    let report = check(10, &[], &expected);
    let note = rule(&report, "diff-form", "note");
    assert_eq!(note["path"], "/messages/0/content");
}

#[test]
fn case_11_a_trailing_newline_is_lost() {
    let first = json!([
        "/messages/0/content/0/text",
        5,
        "whitespace",
        "diff-message-edited"
    ]);
    let expected = Expected {
        verdict: "miss",
        levels: [E, E, L],
        reason: json!("messages_changed"),
        first,
        reusable: Value::Null,
        status: 1,
    };
    check(11, &[], &expected);
    let (a, b) = case(11);
    let shown = ran(&a.expect("a body"), &b, &["--model", "claude-opus-5"]).ok(1);
    assert!(
        shown.contains("- do it\\n") && shown.contains("+ do it\n"),
        "{shown}"
    );
}

#[test]
fn case_12_a_nonce_in_the_first_block() {
    let lost = Expected {
        verdict: "miss",
        levels: [E, L, L],
        reason: json!("system_changed"),
        first: json!(["/system/0/text", 22, "random_id", "diff-system"]),
        reusable: Value::Null,
        status: 1,
    };
    let report = check(12, &[], &lost);
    says(&report, "detail", "/system/1 is equal");
    let masked = Expected {
        verdict: "hit",
        levels: [E, K, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/system/1"),
        status: 0,
    };
    check(12, &["--mask", "cch=[0-9a-f]+"], &masked);
}

#[test]
fn case_13_a_window_that_slides() {
    let first = json!([
        "/messages/0/content/0/text",
        1,
        "shifted",
        "diff-message-removed"
    ]);
    let expected = Expected {
        verdict: "partial",
        levels: [E, K, L],
        reason: json!("messages_changed"),
        first,
        reusable: json!("/system/0"),
        status: 1,
    };
    let report = check(13, &[], &expected);
    assert_eq!(report["divergences"].as_array().map(Vec::len), Some(1));
    says(
        &report,
        "detail",
        "2 oldest messages dropped; the rest is intact",
    );
}

#[test]
fn case_14_a_sent_message_grows() {
    let expected = Expected {
        verdict: "hit",
        levels: [E, E, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/messages/2/content/0"),
        status: 0,
    };
    let report = check(14, &[], &expected);
    let note = rule(&report, "diff-grown", "note");
    assert_eq!(note["path"], "/messages/2/content/1");
    // The same without the first body's marker.
    let (a, b) = case(14);
    let mut a = a.expect("a body");
    let block = a["messages"][2]["content"][0]
        .as_object_mut()
        .expect("a block");
    block.shift_remove("cache_control");
    let args = ["--model", "claude-opus-5", "--format", "json"];
    let report: Value = serde_json::from_str(&ran(&a, &b, &args).ok(0)).expect("JSON");
    assert_eq!(report["verdict"], "hit");
    let note = rule(&report, "diff-grown", "note");
    assert_eq!(note["path"], "/messages/2/content/1");
    let note = rule(&report, "no-breakpoint", "note");
    let text = note["message"].as_str().expect("a text");
    assert!(text.contains("nothing is cached"), "{text}");
}

#[test]
fn case_15_only_the_finish_tool() {
    let expected = Expected {
        verdict: "miss",
        levels: [L, L, L],
        reason: json!("tools_changed"),
        first: json!(["/tools/0/name", 0, "removed", "diff-tools-set"]),
        reusable: Value::Null,
        status: 1,
    };
    let report = check(15, &[], &expected);
    says(&report, "detail", "2 tools removed");
    says(&report, "hint", "keep the array and set `tool_choice`");
    let choice = rule(&report, "diff-tool-choice", "warning");
    assert_eq!(choice["cause"], "parameter");
    let (a, b) = case(15);
    let args = ["--model", "claude-opus-5-5", "--format", "json"];
    let report = ran(&a.expect("a body"), &b, &args).ok(1);
    rule(
        &serde_json::from_str(&report).expect("JSON"),
        "tool-choice-forced",
        "error",
    );
}

#[test]
fn case_16_the_first_picture() {
    let expected = Expected {
        verdict: "partial",
        levels: [E, K, L],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/system/0"),
        status: 1,
    };
    let report = check(16, &[], &expected);
    let found = rule(&report, "diff-images", "warning");
    assert_eq!(found["cause"], "images");
    let text = found["message"].as_str().expect("a text");
    assert!(text.contains("documented"), "{text}");
}

#[test]
fn case_17_messages_before_system() {
    let expected = Expected {
        verdict: "hit",
        levels: [E, K, K],
        reason: Value::Null,
        first: Value::Null,
        reusable: json!("/system/0"),
        status: 0,
    };
    check(17, &[], &expected);
    let report = check(17, &["--platform", "google-cloud"], &expected);
    let note = rule(&report, "raw-order", "note");
    let text = note["message"].as_str().expect("a text");
    assert!(text.contains("`messages` precede `system`"), "{text}");
}

/// Cases 18 to 21 are for `lint`; its errors on the second body are in the report.
#[test]
fn cases_18_to_21_the_api_refuses_the_body() {
    for (number, rules) in [
        (18, &["deferred-cache-control"][..]),
        (19, &["ttl-order"]),
        (20, &["breakpoint-budget"]),
        (21, &["text-empty", "cache-control-empty-text"]),
    ] {
        let (_, b) = case(number);
        let args = ["--model", "claude-opus-5", "--format", "json"];
        let report: Value =
            serde_json::from_str(&ran(&b, &b, &args).ok(0)).expect("JSON");
        for name in rules {
            rule(&report, name, "error");
        }
        let failing = ["--model", "claude-opus-5", "--fail-on", "lint"];
        ran(&b, &b, &failing).ok(1);
    }
    run(
        &[
            "diff-cache-prefix",
            "--fail-on",
            "never",
            "--fail-on",
            "lint",
        ],
        b"",
    )
    .ok(2);
}

#[test]
fn case_22_the_system_prompt_is_rebuilt() {
    let expected = Expected {
        verdict: "miss",
        levels: [E, L, L],
        reason: json!("system_changed"),
        first: json!(["/system/0/text", 6, "edited", "diff-system"]),
        reusable: Value::Null,
        status: 1,
    };
    let report = check(22, &[], &expected);
    let binding = &report["binding"];
    assert_eq!(binding["outcome"], "rejected");
    assert_eq!(binding["first"], "/messages/1/content/0");
    let block = json!([{"path": "/messages/1/content/0", "state": "invalid_prefix",
        "cause": "/system/0/text"}]);
    assert_eq!(binding["blocks"], block);
    says(&report, "hint", "mid-conversation system message");
}

#[test]
fn case_23_an_older_pair_becomes_a_summary() {
    let first = json!([
        "/messages/1/content/0/type",
        1,
        "edited",
        "diff-message-edited"
    ]);
    let expected = Expected {
        verdict: "partial",
        levels: [E, K, P],
        reason: json!("messages_changed"),
        first,
        reusable: json!("/system/0"),
        status: 1,
    };
    let report = check(23, &[], &expected);
    let binding = &report["binding"];
    assert_eq!(binding["outcome"], "rejected");
    assert_eq!(binding["first"], "/messages/3/content/0");
    let block = json!([{"path": "/messages/3/content/0", "state": "invalid_prefix",
        "cause": "/messages/1/content/0"}]);
    assert_eq!(binding["blocks"], block);
    let hint = binding["hint"].as_str().expect("a hint");
    assert!(
        hint.contains("do not rewrite") && hint.contains("strip the kept"),
        "{hint}"
    );
}
