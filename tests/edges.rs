//! The edges of the process: odd arguments, pipes in odd places, names and keys
//! that no terminal should see.

use crate::common::command::{convo, feed, run};
use std::path::Path;

#[test]
fn a_base_configuration_is_read_once_and_refused_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("base.json");
    let name = base.to_str().expect("UTF-8");
    for (content, expected) in [
        ("{bad", "byte 1: expected a key in quotes"),
        ("5", "no JSON object: found a number"),
        ("{} {}", "byte 3: expected the end of the input"),
    ] {
        std::fs::write(&base, content).expect("a file");
        let ran = run(&["project", "--base-config", name], b"[]\n[]\n[]\n");
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert!(ran.stderr.contains("--base-config"), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert_eq!(ran.ok(2), "", "{content}");
    }
    std::fs::write(&base, "\u{feff} {} \n").expect("a file");
    let ran = run(&["validate", "--base-config", name], b"[]\n");
    assert_eq!(ran.shown(), "[out]\n[err]\n[0]\n");
}

#[test]
fn any_number_of_jobs_is_served_by_as_many_threads_as_there_is_work_for() {
    let ran = run(&["project", "-j", "65535"], b"[]\n[]\n");
    assert_eq!(ran.ok(0), "{\"data\":[]}\n{\"data\":[]}\n");
}

#[test]
fn a_strict_stop_has_the_same_status_at_any_number_of_jobs() {
    // The bad conversation fills a load of its own.
    let bad = format!("[5,\"{}\"]\n", "x".repeat(600 * 1024));
    for (input, status) in [(bad.clone(), 2), (format!("{bad}[]\n"), 1)] {
        for jobs in ["1", "2", "5"] {
            let args = ["project", "--strict", "-j", jobs];
            assert_eq!(run(&args, input.as_bytes()).ok(status), "", "-j {jobs}");
        }
    }
}

#[test]
fn control_characters_of_names_and_keys_do_not_reach_the_terminal() {
    let entries =
        br#"[{"type":"note","\u001b[31m\n\u2066":{"a":1,"a":2}},{"\u001b[31m":tru}]"#;
    let clean = |text: &str| !text.contains(['\u{1b}', '\u{2066}', '\u{202e}']);
    let cut = run(&["project"], entries);
    assert!(clean(&cut.stderr), "{:?}", cut.stderr);
    assert!(cut.stderr.contains("/1/\\u{1b}[31m"), "{:?}", cut.stderr);
    let whole = String::from_utf8_lossy(entries).replace("tru", "\"\u{202e}\"");
    let odd = run(&["validate"], whole.as_bytes());
    assert!(clean(&odd.stdout), "{:?}", odd.stdout);
    assert!(
        odd.stdout.contains("/0/\\u{1b}[31m\\n\\u{2066}/a"),
        "{}",
        odd.stdout
    );
    let absent = run(&["project", "\u{1b}[31m"], b"");
    assert!(clean(&absent.stderr), "{:?}", absent.stderr);
}

#[cfg(unix)]
mod unix {
    use super::{Path, convo, feed, run};
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::Command;

    #[test]
    fn arguments_that_are_no_text_are_bad_usage_or_files() {
        let odd = std::ffi::OsStr::from_bytes(b"\xff.json");
        let ran = feed(convo().args(["project", "--nonsense"]).arg(odd), b"");
        assert!(ran.stderr.contains("--nonsense"), "{}", ran.stderr);
        assert_eq!(ran.status, 2);
        let ran = feed(convo().arg("project").arg(odd), b"");
        assert!(
            ran.stderr.contains(".json: cannot be read"),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.status, 2);
    }

    fn pipe(path: &Path) {
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo").success());
    }

    #[test]
    fn a_pipe_in_a_conversation_directory_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join(".jp/conversations/123-x");
        std::fs::create_dir_all(&home).expect("a directory");
        pipe(&home.join("events.json"));
        let name = folder.path().to_str().expect("UTF-8");
        let request = b"{\"type\":\"read_events\",\"conversation\":\"123\"}\n";
        for (args, input, status) in [
            (&["bundle", name][..], &b""[..], 2),
            (&["read-events", "--workspace", name], request, 0),
        ] {
            let ran = run(args, input);
            let told = format!("{}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.status, status, "{told}");
            assert!(!told.contains("\"events\""), "{told}");
        }
        std::fs::remove_file(home.join("events.json")).expect("the pipe");
        std::fs::write(home.join("events.json"), "[]").expect("a file");
        pipe(&home.join("metadata.json"));
        let ran = run(&["bundle", name], b"");
        let told = "metadata.json cannot be read: it is no regular file";
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
        assert_eq!(ran.status, 2);
    }

    #[test]
    fn a_linked_conversation_goes_by_the_name_of_its_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let conversations = folder.path().join(".jp/conversations");
        std::fs::create_dir_all(&conversations).expect("a directory");
        let kept = folder.path().join("kept-elsewhere");
        std::fs::create_dir(&kept).expect("a directory");
        std::fs::write(kept.join("events.json"), "[]").expect("a file");
        std::os::unix::fs::symlink(&kept, conversations.join("17800836875-x"))
            .expect("a link");
        let name = folder.path().to_str().expect("UTF-8");
        let out = run(&["bundle", name], b"").ok(0);
        assert!(out.starts_with("{\"id\":\"17800836875\","), "{out}");
        let request = b"{\"type\":\"read_events\",\"conversation\":\"17800836875\"}\n";
        let out = run(&["read-events", "--workspace", name], request).ok(0);
        assert!(out.starts_with("{\"type\":\"events\""), "{out}");
    }
}
