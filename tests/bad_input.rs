//! What bad input gets: a message that says where and what, the status of
//! `docs/commands.md`, and never the good input beside it.

use crate::common::command::run;
use crate::common::fixture;

/// Runs `project` and gives its one error line.
#[track_caller]
fn refused(input: &[u8]) -> String {
    let ran = run(&["project"], input);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (2, ""),
        "{}",
        ran.shown()
    );
    ran.stderr
}

#[test]
fn each_kind_of_wrong_bytes_is_named() {
    for (input, expected) in [
        (&b""[..], "found an empty input"),
        (b" \n\t ", "found an empty input"),
        (b"\xef\xbb\xbf", "found an empty input"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
        (b"\x28\xb5\x2f\xfd", "a zstd file"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\xff\xfe[\x00]\x00", "UTF-16 text"),
        (b"\xfe\xff\x00[\x00]", "UTF-16 text"),
        (b"[\x00]\x00", "UTF-16 text without a byte order mark"),
        (
            b"[{\"type\":\"a\x00\"}]",
            "byte 11: expected an escape sequence instead of a raw control character, found a NUL byte",
        ),
        (
            b"[{\"type\":\"\xff\"}]",
            "at /0/type, byte 10: expected valid UTF-8, found byte 0xff",
        ),
        (b"[{\"type\":\"\xc3\"}]", "byte 10: expected valid UTF-8"),
        (
            b"[{\"type\":\"\xed\xa0\x80\"}]",
            "byte 10: expected valid UTF-8",
        ),
        (b"hello", "byte 0: expected a JSON value, found `h`"),
        (b"[1,]", "at /1, byte 3: expected a JSON value, found `]`"),
        (
            b"5",
            "expected a conversation (an array of entries, an envelope or a bundle), found a number",
        ),
        (b"\"text\"", "found a string"),
        (b"null", "found null"),
        (b"{}", "found an empty object"),
        (b"{\"a\":1,\"b\":2}", "found an object with the keys a, b"),
        (
            b"{\"events\":[]}",
            "a bundle needs `base_config` beside `events`",
        ),
        (
            b"{\"base_config\":{},\"events\":{}}",
            "at /events, byte 27: expected an array of entries in a bundle, found an object",
        ),
        (
            b"{\"base_config\":[],\"events\":[]}",
            "at /base_config, byte 15",
        ),
        (
            b"{\"base_config\":{},\"events\":[],\"encoding\":\"zip\"}",
            "at /encoding",
        ),
        (
            b"{\"type\":\"error\",\"message\":\"no such conversation\"}",
            "the envelope reports an error instead of events: no such conversation",
        ),
        (
            b"[5]",
            "event 1, at /0, byte 1: expected an object, found a number 5",
        ),
        (
            b"[{\"type\":\"turn_start\",\"metadata\":null}]",
            "at /0/metadata, byte 33: expected an object, found null",
        ),
        (
            b"{\"data\":[{\"type\":\"chat_request\"}]}",
            "event 1, at /data/0, byte 9: the key content is missing",
        ),
    ] {
        let told = refused(input);
        assert!(
            told.contains(expected),
            "{:?}: {told}",
            String::from_utf8_lossy(input)
        );
        assert!(told.starts_with("convo project: "), "{told}");
    }
}

#[test]
fn other_programs_files_are_named_once() {
    let claude = "{\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\",\"uuid\":\"u\",\"message\":{}}\n";
    let codex = "{\"timestamp\":\"t\",\"type\":\"session_meta\",\"payload\":{}}\n";
    for (input, expected) in [
        (claude.repeat(50), "a Claude Code session without a message"),
        (
            "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"u\"}\n".repeat(3),
            "a Claude Code session without a message",
        ),
        (codex.repeat(50), "a Codex session without a message"),
        (
            "{\"model\":\"m\",\"messages\":[]}".to_owned(),
            "a chat completions body without a message",
        ),
        (
            "{\"id\":\"1\",\"object\":\"chat.completion\",\"choices\":[]}".to_owned(),
            "a chat-completions response",
        ),
        (
            "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}"
                .to_owned(),
            "a response of the Messages API",
        ),
        ("{\"contents\":[]}".to_owned(), "a Gemini request body"),
        ("{\"log\":{\"entries\":[]}}".to_owned(), "requests with a body"),
    ] {
        let told = refused(input.as_bytes());
        assert!(told.contains(expected), "{told}");
        assert_eq!(told.matches("convo project:").count(), 1, "{told}");
    }
}

#[test]
fn every_truncation_of_a_fixture_is_told_and_nothing_is_half_written() {
    let whole = fixture("streams/tour.json");
    let trimmed = whole.trim_ascii_end();
    for end in (1..trimmed.len()).step_by(7) {
        let ran = run(&["project"], &trimmed[..end]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{end}");
        assert!(
            ran.stderr.contains(&format!("byte {end}: ")),
            "{end}: {}",
            ran.stderr
        );
    }
}

#[test]
fn odd_but_legal_values_pass() {
    let deep = format!(
        "[{{\"type\":\"note\",\"deep\":{}{}}},{{\"type\":\"turn_start\"}}]",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(
        run(&["project"], deep.as_bytes()).ok(0),
        "{\"data\":[{\"type\":\"turn_start\"}]}\n"
    );
    let raw = run(
        &["project", "--view", "raw", "--output", "array"],
        deep.as_bytes(),
    )
    .ok(0);
    assert_eq!(raw.trim_end(), deep);
    assert_eq!(run(&["validate", "-q"], deep.as_bytes()).ok(0), "");
    let deep_arguments = format!(
        "[{{\"type\":\"tool_call_request\",\"id\":\"1\",\"name\":\"f\",\"arguments\":{{\"a\":{}\"YQ==\"{}}}}}]",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let raw = run(&["project", "--view", "raw"], deep_arguments.as_bytes()).ok(0);
    assert!(raw.contains("[\"a\"]"));
    for odd in [
        "1e999",
        "1234567890123456789012345678901234567890",
        "-0.0",
        "\"\\ud800\"",
    ] {
        let input = format!("[{{\"type\":\"chat_response\",\"data\":{odd}}}]");
        let expected =
            format!("{{\"data\":[{{\"type\":\"chat_response\",\"data\":{odd}}}]}}\n");
        assert_eq!(run(&["project"], input.as_bytes()).ok(0), expected);
        assert_eq!(run(&["validate", "-q"], input.as_bytes()).ok(0), "");
    }
}

#[test]
fn a_bad_record_never_costs_the_good_ones_beside_it() {
    let good = |n: u8| format!("[{{\"type\":\"chat_response\",\"message\":\"{n}\"}}]");
    let pretty = |n: u8| {
        format!(
            "[\n  {{\n    \"type\": \"chat_response\",\n    \"message\": \"{n}\"\n  }}\n]"
        )
    };
    for bad in [
        "[{\"type\":\"chat_request\"}]",
        "[{\"type\":\"chat_resp",
        "[{\"type\":\"chat_response\",",
        "[{\"type\":\"chat_response\"},",
        "[{\"type\":\"chat_response\"",
        "[",
        "[{\"a\":[1,2",
        "garbage",
        "[{\"a\":tru}]",
        "{\"data\":[",
        "\u{0}\u{1}",
        "42",
        "{\"type\":\"turn_start\"}",
    ] {
        let lines = format!("{}\n{bad}\n{}\n{}\n", good(1), good(2), good(3));
        let boxes = format!("{}\n{bad}\n{}\n{}\n", pretty(1), pretty(2), pretty(3));
        for input in [lines, boxes] {
            let ran = run(&["project"], input.as_bytes());
            for n in 1..=3 {
                let message = format!("\"message\":\"{n}\"");
                assert!(
                    ran.stdout.contains(&message),
                    "{bad:?} lost {n}: {}",
                    ran.shown()
                );
            }
            assert_eq!(ran.status, 1, "{bad:?}: {}", ran.shown());
            assert_eq!(
                ran.stderr.matches("convo project:").count(),
                1,
                "{}",
                ran.stderr
            );
            assert!(
                ran.stderr.contains("conversation 2"),
                "{bad:?}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn neighbouring_bad_records_are_counted_apart() {
    let input = b"[{\"type\":\"chat_request\"}]\n[oops\n[{\"a\":\n[]\n";
    let ran = run(&["project"], input);
    for n in 1..=3 {
        assert!(
            ran.stderr.contains(&format!("conversation {n}")),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(ran.ok(1), "{\"data\":[]}\n");
}

#[test]
fn strict_stops_at_the_first_bad_conversation() {
    let input = b"[]\n[5]\n[]\n";
    assert_eq!(
        run(&["project"], input).ok(1),
        "{\"data\":[]}\n{\"data\":[]}\n"
    );
    assert_eq!(
        run(&["project", "--strict"], input).ok(1),
        "{\"data\":[]}\n"
    );
    assert_eq!(
        run(&["project", "--strict", "-j", "3"], input).ok(1),
        "{\"data\":[]}\n"
    );
    let first = b"[5]\n[]\n";
    assert_eq!(
        run(&["project", "--strict"], first).ok(1),
        "",
        "there was more to read"
    );
    assert_eq!(run(&["project", "--strict"], b"[5]\n").ok(2), "");
}

#[test]
fn lenient_carries_what_has_a_bad_shape() {
    let input = b"[{\"type\":\"chat_request\"},5,{\"type\":\"turn_start\"}]";
    let ran = run(&["project", "--lenient"], input);
    assert!(
        ran.stderr.contains("warning: conversation 1, event 1"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("event 2, at /1"), "{}", ran.stderr);
    assert_eq!(ran.ok(0), "{\"data\":[{\"type\":\"turn_start\"}]}\n");
    let raw = run(&["project", "--lenient", "--view", "raw"], input).ok(0);
    assert_eq!(
        raw,
        "{\"data\":[{\"type\":\"chat_request\"},5,{\"type\":\"turn_start\"}]}\n"
    );
}

#[test]
fn missing_things_that_are_accepted_are_told() {
    let input = b"[{\"type\":\"tool_call_response\",\"id\":\"1\"}]";
    let ran = run(&["project"], input);
    assert!(
        ran.stderr
            .contains("warning: conversation 1, event 1, at /0/content"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.ok(0), "{\"data\":[]}\n");
    let unknown = run(&["project"], b"[{\"type\":\"x\"},{\"y\":1}]");
    assert!(
        unknown
            .stderr
            .contains("none of its 2 entries is of a known kind")
    );
    assert_eq!(unknown.ok(0), "{\"data\":[]}\n");
}

#[test]
fn unreadable_inputs_count_as_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().to_str().expect("UTF-8");
    let alone = run(&["project", "no-such-file"], b"");
    assert!(
        alone.stderr.contains("no-such-file: cannot be read"),
        "{}",
        alone.stderr
    );
    assert_eq!(alone.status, 2);
    let directory = run(&["project", empty], b"");
    assert!(
        directory.stderr.contains("without events.json"),
        "{}",
        directory.stderr
    );
    assert_eq!(directory.status, 2);
    let workspace = run(&["project", "fixtures/workspace"], b"");
    assert!(
        workspace.stderr.contains("convo bundle DIR"),
        "{}",
        workspace.stderr
    );
    let both = run(&["project", "no-such-file", "-"], b"[]");
    assert_eq!(both.ok(1), "{\"data\":[]}\n");
}

#[test]
fn hostile_shapes_cost_linear_time() {
    // Each line could open a conversation, and each swallows those behind it.
    for line in [
        "[{\"a\":\n",
        "[\n",
        "{\"a\":[\n",
        "[{\"a\":[{\"b\":\n",
        "x\n",
    ] {
        let input = line.repeat(200_000);
        let ran = run(&["project", "-q"], input.as_bytes());
        assert!(ran.status == 1 || ran.status == 2, "{line:?}");
    }
}

/// Status 1 says that a part was judged: where nothing could be read, it is 2, however many
/// lines there were.
#[test]
fn many_inputs_of_which_none_can_be_read_are_as_one() {
    let line =
        r#"{"type":"user","sessionId":"s","uuid":"1","message":{"role":"user"}}"#;
    let session = format!("{line}\n{line}\n");
    assert_eq!(run(&["lint"], session.as_bytes()).status, 2);
    assert_eq!(
        run(&["diff-cache-prefix", "-"], session.as_bytes()).status,
        2
    );
    let broken = b"[{\"type\":\"chat_request\",\"content\":5}]\n[{\"type\":\"chat_request\",\"content\":6}]\n";
    assert_eq!(run(&["project"], broken).status, 2);
    let mixed = [&broken[..], b"[]\n"].concat();
    assert_eq!(run(&["project"], &mixed).status, 1);
}

/// What the hint says is done: the session's bodies are read by the command that refused it.
#[test]
fn the_way_out_of_a_transcript_can_be_taken() {
    let session = fixture("import/01.in.jsonl");
    let refused = run(&["lint"], &session);
    assert!(
        refused.stderr.contains("`convo flatten`"),
        "{}",
        refused.shown()
    );
    let flattened = run(&["flatten", "-q", "--requests", "all"], &session);
    assert_eq!(flattened.status, 0, "{}", flattened.shown());
    let judged = run(&["lint", "-q"], flattened.stdout.as_bytes());
    assert_eq!(judged.status, 0, "{}", judged.shown());
}
