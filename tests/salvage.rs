//! What is whole on both sides of broken bytes comes out, in every command; what is
//! gone is told (`docs/formats.md#salvage`).

use crate::common::command::run;
use convo::stream::salvage::salvage;
use serde_json::{Value, json};

const ENTRIES: [&str; 4] = [
    r#"{"type":"turn_start"}"#,
    r#"{"type":"chat_request","content":"one, [{\"type\":\"turn_start\"}]"}"#,
    r#"{"type":"tool_call_response","id":"t","content":[{"type":"text","text":"a"}]}"#,
    r#"{"timestamp":"2026-01-01 00:00:00.0","type":"chat_response","message":"two"}"#,
];

/// The ways the same entries are held, with the path to them.
fn containers() -> Vec<(String, &'static str)> {
    let one = ENTRIES.join(",");
    vec![
        (format!("[{one}]"), ""),
        (format!("[\n  {}\n]\n", ENTRIES.join(",\n  ")), ""),
        (
            format!(r#"{{"type":"events","data":[{one}],"id":"x"}}"#),
            "/data",
        ),
        (
            format!(
                r#"{{"base_config":{{"a":[1]}},"events":[{one}],"encoding":"plain"}}"#
            ),
            "/events",
        ),
    ]
}

/// The entries of a salvaged value, as they are written.
fn entries(bytes: &[u8], path: &str) -> Vec<Value> {
    let value: Value = serde_json::from_slice(bytes).expect("what is salvaged is JSON");
    let array = value.pointer(path).and_then(Value::as_array).cloned();
    array.expect("the container as it was")
}

#[test]
fn r149_every_cut_leaves_the_entries_before_it() {
    let wanted: Vec<Value> = ENTRIES
        .iter()
        .map(|entry| serde_json::from_str(entry).expect("JSON"))
        .collect();
    for (text, path) in containers() {
        let ends: Vec<usize> = ENTRIES
            .iter()
            .map(|entry| text.find(entry).expect("it is there") + entry.len())
            .collect();
        for cut in 0..text.trim_end().len() {
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            let Some(found) = salvage(&text.as_bytes()[..cut]) else {
                assert_eq!(whole, 0, "{}", &text[..cut]);
                continue;
            };
            assert_eq!(
                entries(&found.bytes, path),
                wanted[..whole],
                "{}",
                &text[..cut]
            );
            let gap = found.gaps.last().expect("the cut is told");
            assert!(gap.last);
            assert_eq!((gap.from + gap.length) as usize, cut);
            for (&(at, from), entry) in found.starts.iter().zip(ENTRIES) {
                assert!(found.bytes[at..].starts_with(entry.as_bytes()));
                assert!(text[from as usize..].starts_with(entry));
            }
        }
    }
}

#[test]
fn v14_zero_bytes_cost_the_entries_they_touch() {
    for (text, path) in containers() {
        let starts: Vec<usize> = ENTRIES
            .iter()
            .map(|entry| text.find(entry).expect("it is there"))
            .collect();
        let spans: Vec<_> = starts
            .iter()
            .zip(ENTRIES)
            .map(|(&from, entry)| from..from + entry.len())
            .collect();
        for run in spans[0].start..spans[3].end - 4 {
            let mut bytes = text.clone().into_bytes();
            bytes[run..run + 4].fill(0);
            let touched =
                |span: &std::ops::Range<usize>| span.start < run + 4 && run < span.end;
            let whole: Vec<Value> = spans
                .iter()
                .zip(ENTRIES)
                .filter(|(span, _)| !touched(span))
                .map(|(_, entry)| serde_json::from_str(entry).expect("JSON"))
                .collect();
            let found = salvage(&bytes).expect("some entries are whole");
            assert_eq!(
                entries(&found.bytes, path),
                whole,
                "zeros at {run} of {text}"
            );
            assert!(!found.gaps.is_empty());
        }
    }
}

/// Entries that never end, each inside the one before: looked at again from each
/// opening, they would cost the square of their length.
#[test]
fn the_work_is_bounded() {
    let deep = r#"{"type":"chat_request","content":["#.repeat(200_000);
    let found = salvage(format!("[{},{deep}", ENTRIES[0]).as_bytes());
    assert_eq!(found.expect("one entry").starts.len(), 1);
    let broken = r#"{"type":"turn_start",},"#.repeat(200_000);
    let found = salvage(format!("[{broken}{}]", ENTRIES[0]).as_bytes());
    assert_eq!(found.expect("one entry").starts.len(), 1);
}

const STREAM: &str = r#"[{"type":"turn_start"},{"type":"chat_request","content":"one"},
{"type":"chat_response","mess"#;

#[test]
fn r149_every_command_reads_a_cut_array_under_lenient() {
    for command in [
        &["project"][..],
        &["project", "-j", "2"],
        &["render"],
        &["flatten", "--model", "anthropic/claude-opus-4-6"],
        &["place-directives", "--model", "anthropic/claude-opus-4-6"],
        &["validate", "-q"],
    ] {
        let ran = run(command, STREAM.as_bytes());
        assert_eq!(ran.status, 2, "{}", ran.shown());
        assert!(ran.stderr.contains("--lenient gives"), "{}", ran.shown());
        let lenient: Vec<_> = command.iter().copied().chain(["--lenient"]).collect();
        let ran = run(&lenient, STREAM.as_bytes());
        assert_eq!(ran.status, 1, "{}", ran.shown());
        assert!(
            command[0] == "validate" || ran.stdout.contains("one"),
            "{}",
            ran.shown()
        );
        assert!(ran.stderr.contains("event 3, at /2"), "{}", ran.shown());
        assert!(
            ran.stderr
                .contains("29 bytes are left out from byte 64 on; nothing behind it"),
            "{}",
            ran.shown()
        );
    }
}

#[test]
fn v14_conversations_side_by_side_stay_apart() {
    let whole = r#"[{"type":"turn_start"},{"type":"chat_request","content":"whole"}]"#;
    let cut = r#"[{"type":"turn_start"},{"type":"chat_requ"#;
    // Cut at the end of a line, and with another conversation glued to it.
    let input = format!("{whole}\n{cut}\n{whole}\n{cut}{whole}\n");
    for jobs in ["1", "2"] {
        let ran = run(&["project", "--lenient", "-j", jobs], input.as_bytes());
        let lines: Vec<_> = ran.stdout.lines().collect();
        let short = r#"{"data":[{"type":"turn_start"}]}"#;
        assert_eq!(lines.len(), 5, "{}", ran.shown());
        assert_eq!((lines[1], lines[3]), (short, short), "{}", ran.shown());
        assert_eq!((lines[0], lines[0]), (lines[2], lines[4]));
        assert_eq!(ran.status, 1);
    }
}

#[test]
fn v14_bare_entries_go_on_at_the_next_line_where_they_are_gathered() {
    let input = "\0\0\0\0\n{\"type\":\"turn_start\"}\n\
        {\"type\":\"chat_request\",\"content\":\"one\"}\n\
        {\"type\":\"chat_response\",\"message\":\"sal\u{e9}"
        .as_bytes();
    let mut input = input[..input.len() - 1].to_vec();
    input.extend_from_slice(
        b"\n{\"type\":\"chat_request\"}\n{\"type\":\"chat_request\",\"content\":\"three\"}\n",
    );
    for command in [
        &["flatten", "--model", "anthropic/claude-opus-4-6"][..],
        &["place-directives", "--model", "anthropic/claude-opus-4-6"],
        &["project", "--output", "envelope"],
        &["project", "--compacted"],
        &["render", "--last", "1"],
        &["validate"],
    ] {
        let ran = run(command, &input);
        assert_eq!(ran.status, 1, "{}", ran.shown());
        for place in ["event 1", "event 3, at /2"] {
            assert!(ran.stderr.contains(place), "{place}: {}", ran.shown());
        }
        assert!(ran.stderr.contains("on; the next line"), "{}", ran.shown());
        let shows = command[0] == "validate" || ran.stdout.contains("three");
        assert!(shows, "{}", ran.shown());
        let strict: Vec<_> = command.iter().copied().chain(["--strict"]).collect();
        assert_ne!(run(&strict, &input).status, 0);
    }
}

#[test]
fn r147_what_is_glued_to_a_cut_record_is_had_from_an_array() {
    let glued = r#"[{"type":"turn_start"},{"type":"chat_response","message":"par{"type":"chat_response","message":"two"},{"type":"chat_request","content":"three"}]"#;
    let ran = run(&["project", "--lenient"], glued.as_bytes());
    assert_eq!(ran.status, 1);
    assert!(
        ran.stdout.contains(r#""message":"two"},{"#),
        "{}",
        ran.shown()
    );
}

#[test]
fn salvage_writes_what_every_command_reads() {
    let folder = tempfile();
    let to = folder.join("whole.json");
    let to = to.to_str().expect("UTF-8");
    let ran = run(&["validate", "--salvage", to], STREAM.as_bytes());
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(
        ran.stderr.contains("29 bytes are left out from byte 64"),
        "{}",
        ran.shown()
    );
    let written = std::fs::read_to_string(to).expect("the file");
    let events: Value = serde_json::from_str(&written).expect("an array");
    let request = json!({"type": "chat_request", "content": "one"});
    assert_eq!(events, json!([{"type": "turn_start"}, request]));
    assert_eq!(run(&["project", to], b"").status, 0);
    // Never over a file that is there.
    let again = run(&["validate", "--salvage", to], STREAM.as_bytes());
    assert_eq!(again.status, 2, "{}", again.shown());
    assert_eq!(std::fs::read_to_string(to).expect("the file"), written);
    // Entries that no reader takes are left out, bare entries become an array.
    let to = folder.join("bare.json");
    let to = to.to_str().expect("UTF-8");
    let bare = "{\"type\":\"turn_start\"}\n{\"type\":\"chat_request\"}\n\
                {\"type\":\"chat_request\",\"content\":\"x\"}\n";
    let ran = run(&["validate", "--salvage", to], bare.as_bytes());
    assert!(
        ran.stderr.contains("23 bytes are left out from byte 22 on"),
        "{}",
        ran.shown()
    );
    let written = std::fs::read_to_string(to).expect("the file");
    assert_eq!(
        written,
        "[\n{\"type\":\"turn_start\"},\n{\"type\":\"chat_request\",\"content\":\"x\"}\n]\n"
    );
    let jobs = run(&["validate", "-j", "2", "--salvage", "x"], b"[]");
    assert_eq!(jobs.status, 2);
    std::fs::remove_dir_all(folder).expect("it is ours");
}

fn tempfile() -> std::path::PathBuf {
    let folder =
        std::env::temp_dir().join(format!("convo-salvage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
