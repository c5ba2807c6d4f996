//! Standard streams that are closed or full, memory that runs out, links that lead
//! nowhere: results are never lost with a good status.
#![cfg(target_os = "linux")]

use crate::common::command::{run, run_in, shell};
use std::os::unix::fs::symlink;

const TOUR: &str = "fixtures/streams/tour.json";

/// Every command that puts something out, with arguments that make it do so.
const TALKERS: [&[&str]; 13] = [
    &["project", TOUR],
    &["project", "-j", "2", TOUR],
    &["render", TOUR],
    &["render", "--format", "lines", TOUR],
    &["flatten", "--model", "anthropic/claude-opus-4-6", TOUR],
    &["bundle", "fixtures/workspace"],
    &["validate", "fixtures/streams/no-such"],
    &["lint", "--list"],
    &["models"],
    &["schema", "event"],
    &["man"],
    &["completions", "bash"],
    &["tell-user", "--definition"],
];

#[test]
fn results_that_a_closed_or_full_output_cannot_take_end_with_two() {
    for args in TALKERS {
        for line in ["\"$@\" >&-", "\"$@\" >/dev/full"] {
            let ran = shell(line, args, b"");
            assert_eq!(ran.status, 2, "{line} {args:?}: {}", ran.shown());
        }
    }
    let ran = shell("\"$@\" >&-", &["project", TOUR], b"");
    assert!(
        ran.stderr.contains("the result cannot be written"),
        "{}",
        ran.stderr
    );
}

#[test]
fn no_results_need_no_output() {
    assert_eq!(shell("\"$@\" >&-", &["validate"], b"[]").status, 0);
    for null in ["\"$@\" >/dev/null", "\"$@\" <>/dev/null >&0"] {
        assert_eq!(shell(null, &["project", TOUR], b"").status, 0, "{null}");
    }
}

#[test]
fn chrome_that_cannot_be_written_ends_with_two() {
    for line in ["\"$@\" 2>&-", "\"$@\" 2>/dev/full"] {
        let ran = shell(line, &["render", TOUR], b"");
        assert_eq!(ran.status, 2, "{line}");
        let entries = "{\"type\":\"tool_call_request\",\"id\":\"a\",\"name\":\"b\",\"arguments\":{}}\n";
        let ran = shell(line, &["render"], entries.as_bytes());
        assert_eq!(ran.status, 2, "{line}, bare entries");
    }
    // Diagnostics alone that nobody hears change nothing.
    let note = b"[{\"type\":\"no_such_kind\"}]";
    assert_eq!(shell("\"$@\" 2>&-", &["project"], note).status, 0);
}

#[test]
fn a_link_to_itself_is_a_conversation_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let homes = folder.path().join(".jp/conversations");
    let good = homes.join("17800836875-good");
    std::fs::create_dir_all(&good).expect("made");
    std::fs::write(good.join("events.json"), "[]").expect("written");
    symlink("17800836876-loop", homes.join("17800836876-loop")).expect("a link");
    let ran = run_in(folder.path(), &["bundle", "."], b"");
    assert!(
        ran.stderr.contains("17800836876-loop: events.json"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.ok(1).lines().count(), 1);
}

#[test]
fn a_directory_that_cannot_be_entered_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    symlink("events.json", folder.path().join("events.json")).expect("a link");
    for command in ["project", "render", "bundle"] {
        let ran = run_in(folder.path(), &[command, "."], b"");
        assert!(ran.stderr.contains("cannot be read"), "{}", ran.stderr);
        assert_eq!(ran.status, 2, "{command}");
    }
}

#[test]
fn running_out_of_memory_ends_with_two_and_a_line() {
    let long = format!("[{{\"type\":\"{}\"}}]", "x".repeat(40_000_000));
    let many = format!("[{}{{}}]", "{},".repeat(2_000_000));
    let limit = |megabytes| format!("ulimit -v {}; exec \"$@\"", megabytes * 1024);
    // The whole value does not fit: an input that cannot be read.
    let ran = shell(&limit(32), &["project"], long.as_bytes());
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    // It does, and what is made of it does not.
    let args = [
        "flatten",
        "--lenient",
        "--model",
        "anthropic/claude-opus-4-6",
    ];
    let ran = shell(&limit(60), &args, many.as_bytes());
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.lines().count() <= 2, "{}", ran.stderr);
}

#[test]
fn the_surroundings_change_no_byte_of_what_goes_into_a_file() {
    let plain = run(&["render", TOUR], b"");
    for set in [
        "LANG=C",
        "LC_ALL=C",
        "LANG=C.UTF-8",
        "TERM=dumb",
        "COLORTERM=truecolor",
    ] {
        let line = format!("env {set} \"$@\"");
        let ran = shell(&line, &["render", TOUR], b"");
        assert_eq!(
            (&ran.stdout, &ran.stderr),
            (&plain.stdout, &plain.stderr),
            "{set}"
        );
    }
}
