//! Inputs made to cost much: what is small must stay cheap, whatever its shape.
//!
//! Each runs under a limit of memory that the input's size allows and a cost of
//! a hundred times its size does not.

use crate::common::command::{Ran, run};

const MESSAGE: &str = "{\"type\":\"chat_response\",\"message\":\"\"}";

/// Runs `convo` on `input` with at most `megabytes` of memory.
#[cfg(target_os = "linux")]
fn run_within(megabytes: usize, args: &[&str], input: &[u8]) -> Ran {
    let limit = format!("ulimit -d {}; exec \"$@\"", megabytes * 1024);
    crate::common::command::shell(&limit, args, input)
}

#[cfg(not(target_os = "linux"))]
fn run_within(_: usize, args: &[&str], input: &[u8]) -> Ran {
    run(args, input)
}

fn list(element: &str, count: usize) -> String {
    vec![element; count].join(",")
}

#[test]
fn open_brackets_are_located_in_bounded_memory() {
    let input = "[".repeat(4_000_000);
    let ran = run_within(64, &["project"], input.as_bytes());
    let path = "/0".repeat(128);
    let told = format!("at {path}, byte 4000000: expected a JSON value");
    assert!(ran.stderr.contains(&told), "{}", ran.stderr);
    assert_eq!(ran.ok(2), "");
}

#[test]
fn findings_are_written_as_they_are_found() {
    let input = format!("[{}]", list("1", 150_000));
    for args in [&["validate"][..], &["validate", "--format", "json"]] {
        let out = run_within(48, args, input.as_bytes()).ok(1);
        assert_eq!(out.lines().count(), 150_000);
    }
}

#[test]
fn a_user_view_is_checked_entry_by_entry() {
    let response = "{\"type\":\"tool_call_response\",\"id\":\"a\",\"content\":[\"\"]}";
    let input = format!("{{\"data\":[{}]}}", list(response, 20_000));
    let out = run_within(48, &["validate"], input.as_bytes()).ok(0);
    assert_eq!(out, "");
    let wrong = format!("{{\"data\":[{response},{{\"type\":\"note\"}}],\"type\":1}}");
    let out = run(&["validate"], wrong.as_bytes()).ok(1);
    let byte = wrong.find("\"note\"").expect("in the input");
    let told = format!("event 2, at /data/1/type, byte {byte}: error");
    assert!(out.contains(&told), "{out}");
}

#[test]
fn a_long_key_is_not_repeated_with_every_finding() {
    let key = "k".repeat(200_000);
    let odd = format!(
        "[{{\"type\":\"note\",\"{key}\":{{{},\"b\":[{}]}}}}]",
        list("\"a\":1", 10_000),
        list("\"\\ud800\"", 10_000)
    );
    let out = run_within(64, &["validate"], odd.as_bytes()).ok(0);
    let told = "19999 duplicate keys or lone surrogates stand at a path longer than \
                4096 bytes [deep-oddities]";
    assert!(out.contains(told), "{out}");
    let shapes = format!(
        "[{{\"type\":\"inquiry_request\",\"id\":\"a\",\"source\":{{\"source\":\"user\"}},\
         \"question\":{{\"text\":\"\",\"answer_type\":{{\"type\":\"select\",\
         \"options\":[{}]}}}},\"{key}\":[{}]}}]",
        list("1", 20),
        list("1", 10_000)
    );
    let out = run_within(64, &["validate"], shapes.as_bytes()).ok(1);
    assert_eq!(out.matches(": error: ").count(), 20);
}

#[test]
fn of_very_many_warnings_the_number_is_told() {
    let input = format!("[{}]", list("1", 150_000));
    let ran = run_within(48, &["project", "--lenient"], input.as_bytes());
    let told = "149000 more of its entries are of a bad shape";
    assert!(ran.stderr.contains(told), "{}", &ran.stderr[..200]);
    let responses = list("{\"type\":\"tool_call_response\",\"id\":\"\"}", 40_000);
    let ran = run_within(48, &["project"], format!("[{responses}]").as_bytes());
    assert!(ran.stderr.contains("39000 more of its entries"));
    assert_eq!(ran.ok(0), "{\"data\":[]}\n");
}

fn compaction(turns: (usize, usize), summary: &str) -> String {
    format!(
        "{{\"type\":\"compaction\",\"timestamp\":\"2026-01-0{} 00:00:00.0\",\
         \"from_turn\":{},\"to_turn\":{},\"summary\":{{\"summary\":\"{summary}\"}}}}",
        if turns.0 == turns.1 { 2 } else { 1 },
        turns.0,
        turns.1
    )
}

#[test]
fn a_summary_is_written_out_as_often_as_it_stands_but_not_held() {
    let turns = 1000;
    let mut entries = vec!["{\"type\":\"turn_start\"}".to_owned(); turns + 1];
    entries.extend(
        (0..turns)
            .step_by(2)
            .map(|turn| compaction((turn, turn), "x")),
    );
    entries.push(compaction((0, turns - 1), &"s\\n".repeat(40_000)));
    let input = format!("[{}]", entries.join(","));
    let out = run_within(32, &["project", "--compacted"], input.as_bytes()).ok(0);
    assert_eq!(out.matches("\"message\":\"s\\n").count(), turns / 2);
}

#[test]
fn a_long_summary_over_many_entries_costs_linear_time() {
    let summary = compaction((0, 9), &"s".repeat(4_000_000));
    let input = format!("[{},{summary}]", list(MESSAGE, 100_000));
    let out = run(&["project", "--compacted"], input.as_bytes()).ok(0);
    assert_eq!(out.matches("chat_response").count(), 1);
}

#[test]
fn what_is_said_again_is_told_once_and_counted() {
    // A result that answers no call, three thousand times; ids differ, words do not.
    let result = |n| {
        format!("{{\"type\":\"tool_call_response\",\"id\":\"c{n}\",\"content\":\"\"}}")
    };
    // With a delta it is no user view.
    let ask = "{\"type\":\"chat_request\",\"content\":\"hi\"},\
               {\"type\":\"config_delta\",\"delta\":{}}"
        .to_owned();
    let entries: Vec<_> = std::iter::once(ask).chain((0..3000).map(result)).collect();
    let args = ["flatten", "--model", "anthropic/claude-opus-4-6"];
    let input = format!("[{}]", entries.join(","));
    let ran = run(&args, input.as_bytes());
    let lines: Vec<_> = ran
        .stderr
        .lines()
        .filter(|l| l.contains("warning:"))
        .collect();
    assert_eq!(lines.len(), 21, "{}", ran.stderr);
    assert!(
        lines[20].ends_with("conversation 1: ... and 2,980 more like it"),
        "{lines:?}"
    );
    let all = run(&[&args[..], &["-v"]].concat(), input.as_bytes());
    assert_eq!(all.stderr.matches("warning:").count(), 3000);
    // The next conversation begins anew.
    let two = format!("{input}\n{input}\n");
    let ran = run(&args, two.as_bytes());
    assert_eq!(ran.stderr.matches("... and 2,980 more").count(), 2);
    // Bare entries are told as they come; the count stands at the end.
    let bare = "{\"type\":\"no_such_kind\"}\n".repeat(50);
    let ran = run(&["project", "--lenient"], bare.as_bytes());
    assert!(ran.stderr.lines().count() <= 3, "{}", ran.stderr);
}
