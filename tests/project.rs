//! `convo project`: wiring, shapes, statuses. The rules of the view are tested
//! against the slow implementation in `slow` and beside the source.

use crate::common::command::run;
use crate::common::{fixture, fixture_path};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

const TWO: &[u8] = br#"[{"type":"turn_start"},{"type":"chat_request","content":"a"}]
[{"type":"chat_response","message":"b"}]
"#;

#[test]
fn the_worked_example_gives_the_user_view() {
    let out = run(&["project", "fixtures/streams/worked-example.json"], b"").ok(0);
    let expected: serde_json::Value =
        serde_json::from_slice(&fixture("streams/worked-example-user.json"))
            .expect("JSON");
    let found: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(found["data"], expected["data"]);
    assert!(out.ends_with("]}\n") && out.lines().count() == 1);
}

#[test]
fn shapes_of_the_result() {
    for (shape, expected) in [
        (
            "envelope",
            "{\"data\":[{\"type\":\"turn_start\"},{\"type\":\"chat_request\",\"content\":\"a\"}]}\n{\"data\":[{\"type\":\"chat_response\",\"message\":\"b\"}]}\n",
        ),
        (
            "array",
            "[{\"type\":\"turn_start\"},{\"type\":\"chat_request\",\"content\":\"a\"}]\n[{\"type\":\"chat_response\",\"message\":\"b\"}]\n",
        ),
        (
            "lines",
            "{\"type\":\"turn_start\"}\n{\"type\":\"chat_request\",\"content\":\"a\"}\n{\"type\":\"chat_response\",\"message\":\"b\"}\n",
        ),
    ] {
        assert_eq!(
            run(&["project", "--output", shape], TWO).ok(0),
            expected,
            "{shape}"
        );
    }
}

#[test]
fn the_envelope_keeps_what_the_input_said_of_itself() {
    let input =
        br#"{"conversation":"12", "data":[], "type":"events", "id":"r\u0031", "x":1}"#;
    assert_eq!(
        run(&["project"], input).ok(0),
        "{\"type\":\"events\",\"id\":\"r\\u0031\",\"conversation\":\"12\",\"data\":[]}\n"
    );
}

#[test]
fn bytes_of_what_passes_are_kept() {
    let input = br#"[ { "type" : "chat_response", "message" : "\u00e9\/", "n" : [ 1.50, 1e2, 123456789012345678901234567890, -0 ], "n" : null } ]"#;
    assert_eq!(
        run(&["project", "--output", "lines"], input).ok(0),
        "{\"type\":\"chat_response\",\"message\":\"\\u00e9\\/\",\"n\":[1.50,1e2,123456789012345678901234567890,-0],\"n\":null}\n"
    );
}

#[test]
fn duplicate_content_never_lets_other_blocks_through() {
    let input = br#"[{"type":"tool_call_response","id":"1","content":[{"type":"text","text":"secret","annotations":{"audience":["assistant"]}}],"content":"cGxhaW4="}]"#;
    let out = run(&["project"], input).ok(0);
    assert!(!out.contains("secret"), "{out}");
    assert!(
        out.contains("\"content\":[],\"content\":\"plain\""),
        "{out}"
    );
}

#[test]
fn the_raw_view_can_be_read_back() {
    for name in [
        "tour",
        "metadata",
        "responses",
        "form-d-raw",
        "unknown-kinds",
    ] {
        let path = format!("fixtures/streams/{name}.json");
        let array = run(
            &["project", "--view", "raw", "--output", "array", &path],
            b"",
        )
        .ok(0);
        let again = run(
            &["project", "--view", "raw", "--output", "array"],
            array.as_bytes(),
        )
        .ok(0);
        assert_eq!(array, again, "{name}");
        let view = run(&["project", "--output", "array", &path], b"").ok(0);
        let view_again = run(&["project", "--output", "array"], array.as_bytes()).ok(0);
        assert_eq!(view, view_again, "{name}");
    }
}

#[test]
fn the_encoding_is_the_containers_unless_said_otherwise() {
    let entry = r#"{"type":"tool_call_response","id":"1","content":"file"}"#;
    for (input, args, expected) in [
        (format!("[{entry}]"), vec![], "~)^"),
        (format!("[{entry}]"), vec!["--encoding", "plain"], "file"),
        (format!("{{\"data\":[{entry}]}}"), vec![], "file"),
        (
            format!("{{\"data\":[{entry}]}}"),
            vec!["--encoding", "storage"],
            "~)^",
        ),
        (
            format!(
                "{{\"base_config\":{{}},\"events\":[{entry}],\"encoding\":\"plain\"}}"
            ),
            vec![],
            "file",
        ),
        (
            format!("{{\"base_config\":{{}},\"events\":[{entry}]}}"),
            vec![],
            "~)^",
        ),
        (entry.to_owned(), vec![], "~)^"),
    ] {
        let args = [vec!["project"], args].concat();
        let out = run(&args, input.as_bytes()).ok(0);
        assert!(
            out.contains(&format!("\"content\":\"{expected}\"")),
            "{input}: {out}"
        );
    }
}

#[test]
fn directories_and_files_come_in_argument_order() {
    let home = "fixtures/workspace/.jp/conversations/17882496000";
    let events = format!("{home}/events.json");
    let one = run(&["project", home], b"").ok(0);
    let two = run(&["project", &events], b"").ok(0);
    assert_eq!(one, two);
    let first = run(&["project", "fixtures/streams/worked-example.json"], b"").ok(0);
    let both = run(
        &["project", home, "-", &events],
        &fixture("streams/worked-example.json"),
    );
    assert_eq!(both.ok(0), format!("{one}{first}{two}"));
}

#[test]
fn every_job_count_writes_the_same_bytes() {
    let mut archive = Vec::new();
    for round in 0..400 {
        for name in ["tour", "responses", "resources", "form-g-pretty", "form-e"] {
            archive.extend(fixture(&format!("streams/{name}.json")));
            archive.push(b'\n');
        }
        if round % 7 == 0 {
            archive.extend(b"[{\"type\":\"chat_request\"}]\n[broken\n");
        }
    }
    let one = run(&["project", "-j", "1"], &archive);
    for jobs in ["2", "4", "7"] {
        let many = run(&["project", "-j", jobs], &archive);
        assert_eq!(one.stdout, many.stdout, "{jobs}");
        assert_eq!(one.stderr, many.stderr, "{jobs}");
        assert_eq!((one.status, many.status), (1, 1));
    }
}

#[test]
fn an_entry_of_form_f_is_out_when_its_last_byte_is_in() {
    let mut child = crate::common::command::process()
        .arg("project")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for index in 0..3 {
        // No line break behind it: the closing brace is enough.
        let entry = format!("{{\"type\":\"chat_response\",\"message\":\"{index}\"}}");
        stdin.write_all(entry.as_bytes()).expect("written");
        stdin.flush().expect("flushed");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("read");
        assert_eq!(line.trim_end(), entry);
    }
    drop(stdin);
    assert!(child.wait().expect("ends").success());
}

#[test]
fn form_f_that_breaks_off_is_closed_after_the_last_good_entry() {
    let input = b"{\"type\":\"turn_start\"}\n{\"type\":\"chat_request\",\"content\":5}";
    for (shape, expected) in [
        ("lines", "{\"type\":\"turn_start\"}\n"),
        ("array", "[{\"type\":\"turn_start\"}]\n"),
        ("envelope", "{\"data\":[{\"type\":\"turn_start\"}]}\n"),
    ] {
        let ran = run(&["project", "--output", shape], input);
        assert!(
            ran.stderr.contains("event 2, at /1/content, byte 55"),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.ok(1), expected);
        let cut = run(
            &["project", "--output", shape],
            b"{\"type\":\"turn_start\"} {\"type\":",
        );
        assert!(cut.stderr.contains("event 2"), "{}", cut.stderr);
        assert_eq!(cut.ok(1), expected);
    }
    let first = run(&["project"], b"{\"type\":\"chat_request\",\"content\":5}");
    assert_eq!(first.ok(2), "");
}

#[test]
fn compaction_is_applied_only_when_asked() {
    let path = fixture_path("streams/compaction.json");
    let path = path.to_str().expect("UTF-8");
    let plain = run(&["project", path], b"").ok(0);
    let compacted = run(&["project", "--compacted", path], b"").ok(0);
    assert!(!plain.contains("[Summary of previous conversation]"));
    assert_ne!(plain, compacted);
    assert!(compacted.starts_with("{\"data\":[{") && !compacted.contains(",]"));
    let lines = run(&["project", "--compacted", "--output", "lines", path], b"").ok(0);
    for line in lines.lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("one entry a line");
    }
}

#[test]
fn a_user_view_is_no_stream_d3() {
    let view = fixture("streams/worked-example-user.json");
    assert_eq!(run(&["project"], &view).status, 0);
    let ran = run(&["project", "--compacted"], &view);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("looks like a user view"),
        "{}",
        ran.stderr
    );
}

#[test]
fn addressed_only_keeps_what_names_the_user() {
    let out = run(
        &["project", "--addressed-only", "fixtures/streams/tour.json"],
        b"",
    )
    .ok(0);
    assert!(
        out.contains("12 files moved") && !out.contains("#!/bin/sh"),
        "{out}"
    );
}
