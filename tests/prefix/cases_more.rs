//! Reports from the field, as in `cases`: windows, tools, pictures, hosts, rules that
//! make a request invalid, and thinking.

use super::case::{E, Expected, K, L, P, case, check, ran, rule, says};
use crate::common::command::run;
use serde_json::{Value, json};

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
    let report: Value = serde_json::from_str(&ran(&a, &b, &args).ok(1)).expect("JSON");
    assert_eq!(report["verdict"], "uncached");
    assert_eq!(report["levels"]["messages"], "kept");
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
        let ran_on_it = ran(&b, &b, &args);
        let report: Value = serde_json::from_str(&ran_on_it.stdout).expect("JSON");
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
