//! Reports from the field, restated, each through the command, with its right
//! answer: caches missed for an unstable prefix.

use super::case::{E, Expected, K, L, P, case, check, ran, rule, says};
use serde_json::{Value, json};

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
