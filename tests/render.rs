//! `convo render` from outside: streams, formats, environment, pager, statuses.

#[path = "../examples/picture.rs"]
mod picture;

use crate::common::command::{convo, feed, process, run, shell};
use crate::common::fixture;
use std::process::Stdio;

const EVENTS: &str = r#"[
 {"type":"turn_start","timestamp":"2026-05-29 19:42:36.5"},
 {"type":"chat_request","timestamp":"2026-05-29 19:42:36.5","content":"Hi **there**"},
 {"type":"tool_call_request","timestamp":"2026-05-29 19:42:37.0","id":"1","name":"sh",
  "arguments":{"cmd":"bHM="}},
 {"type":"tool_call_response","timestamp":"2026-05-29 19:42:38.0","id":"1",
  "content":"YS50eHQKYi50eHQ=","is_error":false},
 {"type":"chat_response","timestamp":"2026-05-29 19:42:39.0","message":"Two files."},
 {"type":"turn_start","timestamp":"2026-05-29 19:43:36.5"},
 {"type":"chat_request","timestamp":"2026-05-29 19:43:36.5","content":"Thanks"}]"#;

fn lines() -> String {
    let list: Vec<serde_json::Value> = serde_json::from_str(EVENTS).expect("JSON");
    list.iter().map(|entry| format!("{entry}\n")).collect()
}

fn with(set: &[(&str, &str)], args: &[&str], input: &str) -> (String, String) {
    let mut command = convo();
    command.arg("render").args(args);
    for name in [
        "TERM",
        "COLORTERM",
        "CONVO_THEME",
        "PAGER",
        "CONVO_PAGER",
        "LC_ALL",
    ] {
        command.env_remove(name);
    }
    command.env("LANG", "C.UTF-8");
    for (name, value) in set {
        command.env(name, value);
    }
    let ran = feed(&mut command, input.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    (ran.stdout, ran.stderr)
}

#[test]
fn ch_1_streams() {
    insta::assert_snapshot!(run(&["render", "--width", "60"], EVENTS.as_bytes()).shown(), @r#"
    ── user ──────────────────── turn 1, 2026-05-29T19:42:36Z ──

    Hi **there**

    ── jp ──────────────────────────────────────────────────────

    Two files.

    ── user ──────────────────── turn 2, 2026-05-29T19:43:36Z ──

    Thanks
    [out]
    Calling tool sh with arguments:

    ```json
    {
      "cmd": "ls"
    }
    ```

    a.txt
    b.txt
    [err]
    [0]
    "#);
}

#[test]
fn ch_2_redirecting_one_stream_leaves_the_other() {
    let both = run(&["render"], EVENTS.as_bytes());
    let mut command = process();
    command.arg("render").stderr(Stdio::null());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("convo starts");
    std::io::Write::write_all(
        &mut child.stdin.take().expect("a pipe"),
        EVENTS.as_bytes(),
    )
    .expect("input");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), both.stdout);
}

#[test]
fn ch_3_order_on_one_stream() {
    let args = ["render", "--width", "60"];
    let ran = shell("\"$@\" 2>&1", &args, EVENTS.as_bytes());
    let at = |text: &str| ran.stdout.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(at("── jp") < at("Calling tool sh"));
    assert!(at("b.txt") < at("Two files."));
    assert!(!ran.stdout.contains("\n\n\n"), "{}", ran.stdout);
}

#[test]
fn ch_4_a_pipe_gets_no_escapes() {
    let (out, err) = with(&[("TERM", "xterm-256color")], &[], EVENTS);
    assert!(!out.contains('\u{1b}') && !err.contains('\u{1b}'));
}

#[test]
fn ch_5_and_ch_6_json_formats() {
    let ran = run(&["render", "--format", "lines"], EVENTS.as_bytes());
    assert_eq!(ran.stdout.lines().count(), 7);
    assert!(ran.stdout.contains("bHM=") && ran.stderr.is_empty());
    let user = run(
        &["render", "--format", "json", "--view", "user"],
        EVENTS.as_bytes(),
    );
    let list: Vec<serde_json::Value> =
        serde_json::from_str(&user.stdout).expect("an array");
    assert_eq!(list.len(), 6);
    let same = run(
        &[
            "render", "--format", "json", "--view", "user", "--color", "always",
        ],
        EVENTS.as_bytes(),
    );
    assert_eq!(same.stdout, user.stdout);
}

#[test]
fn ch_7_notices_name_the_turn() {
    let input = r#"[{"type":"turn_start"},{"type":"chat_request","content":"a"},
        {"type":"turn_start"},{"type":"chat_request","content":"b\u001b[2J\u200b"}]"#;
    let (out, err) = with(&[], &["--encoding", "plain"], input);
    assert!(!out.contains('\u{1b}'));
    assert_eq!(
        err,
        "convo render: note: conversation 1, turn 2: removed 1 control sequence, 1 \
         invisible character; --control show reveals them\n"
    );
}

#[cfg(unix)]
#[test]
fn ch_8_a_closed_pipe_is_quiet() {
    let long = format!(
        r#"[{{"type":"turn_start"}},{{"type":"chat_response","message":"{}"}}]"#,
        "word ".repeat(400_000)
    );
    let line = "\"$@\" | head -n 2; exit ${PIPESTATUS[0]}";
    let ran = shell(line, &["render"], long.as_bytes());
    assert_eq!((ran.stderr.as_str(), ran.status), ("", 0));
    let bare = format!(
        "{{\"type\":\"chat_response\",\"message\":\"{}\"}}\n",
        "word ".repeat(400_000)
    );
    let ran = shell(line, &["render"], bare.as_bytes());
    assert_eq!((ran.stderr.as_str(), ran.status), ("", 0));
}

#[test]
fn ch_9_nothing_is_written_and_nothing_run() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut command = convo();
    command.arg("render").current_dir(folder.path());
    command.env("TMPDIR", folder.path());
    let ran = feed(&mut command, EVENTS.as_bytes());
    assert_eq!(ran.status, 0);
    let left = std::fs::read_dir(folder.path()).expect("a directory");
    assert_eq!(left.count(), 0);
}

#[test]
fn ch_10_a_pager_gets_both_streams_in_order() {
    for variable in ["CONVO_PAGER", "PAGER"] {
        let set = [(variable, "sed s/^/|/")];
        let (out, err) = with(&set, &["--paging", "always", "--width", "60"], EVENTS);
        assert!(err.is_empty(), "{err}");
        let at = |text: &str| out.find(text).unwrap_or_else(|| panic!("{text}: {out}"));
        assert!(at("|── jp") < at("|Calling tool") && at("|b.txt") < at("|Two files."));
    }
    let mut command = convo();
    command.args(["render", "--paging", "always"]);
    command.env("CONVO_PAGER", "/no/such/pager");
    let ran = feed(&mut command, EVENTS.as_bytes());
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("cannot be started"), "{}", ran.stderr);
}

#[test]
fn env_colour() {
    let colour = |set: &[(&str, &str)], args: &[&str]| {
        let (out, err) = with(set, args, EVENTS);
        assert_eq!(out.contains('\u{1b}'), err.contains('\u{1b}'));
        out.contains('\u{1b}')
    };
    assert!(colour(&[("FORCE_COLOR", "1")], &[]));
    assert!(colour(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!colour(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], &[]));
    assert!(!colour(&[("FORCE_COLOR", "0")], &[]));
    assert!(colour(&[("NO_COLOR", "1")], &["--color", "always"]));
    assert!(!colour(&[("FORCE_COLOR", "1")], &["--color", "never"]));
}

#[test]
fn env_width_and_theme() {
    let first = |set: &[(&str, &str)], args: &[&str]| {
        let (out, _) = with(set, args, EVENTS);
        let line = out.lines().next().unwrap_or_default().to_owned();
        line.chars().count()
    };
    assert_eq!(first(&[], &[]), 80);
    assert_eq!(first(&[("COLUMNS", "50")], &[]), 50);
    assert_eq!(first(&[("COLUMNS", "50")], &["--width", "70"]), 70);
    assert_eq!(first(&[], &["--width", "1"]), 20);
    let bad = run(&["render", "--theme", "solarised"], EVENTS.as_bytes());
    assert_eq!(bad.status, 2);
    assert!(
        bad.stderr.contains("auto, ansi, light, dark, none"),
        "{}",
        bad.stderr
    );
    let args = ["--color", "always", "--theme", "light"];
    let light = with(&[("COLORTERM", "truecolor")], &args, EVENTS).0;
    let named = [("COLORTERM", "truecolor"), ("CONVO_THEME", "light")];
    assert_eq!(with(&named, &args[..2], EVENTS).0, light);
}

#[test]
fn env_ascii() {
    let (out, err) = with(&[("ACCESSIBLE", "1")], &[], EVENTS);
    assert!(out.starts_with("--- user --- turn 1, "), "{out}");
    assert!(out.is_ascii() && err.is_ascii());
    // The locale speaks for a terminal, never for a file.
    let (out, _) = with(&[("LC_ALL", "C")], &[], EVENTS);
    assert!(!out.is_ascii());
}

#[test]
fn filters() {
    let text = |args: &[&str]| with(&[], args, EVENTS).0;
    assert!(!text(&["--turns", "2"]).contains("Hi"));
    assert!(!text(&["--turns", "..1"]).contains("Thanks"));
    assert!(text(&["--turns", "1..2"]).contains("Thanks"));
    assert_eq!(text(&["--last", "1"]), text(&["--turns", "2.."]));
    assert!(text(&["--only", "tools"]).is_empty());
    assert!(text(&["--time", "none"]).contains("─ turn 1 ──"));
    let relative = ["--time", "relative", "--now", "2026-05-29T21:42:40Z"];
    assert!(text(&relative).contains("turn 1, 2 hours ago ──"));
    assert_eq!(text(&["--timestamps"]), text(&["--time", "iso"]));
    for bad in [
        &["--turns", "0"][..],
        &["--turns", "3..2"],
        &["--turns", "x"],
        &["--last", "0"],
        &["--now", "soon"],
    ] {
        let args: Vec<&str> = std::iter::once("render")
            .chain(bad.iter().copied())
            .collect();
        assert_eq!(run(&args, EVENTS.as_bytes()).status, 2, "{bad:?}");
    }
}

#[test]
fn current_config() {
    let input = r#"[{"type":"turn_start"},{"type":"chat_response","message":"m"},
        {"type":"config_delta","delta":{"assistant":{"name":"Late"}}}]"#;
    assert!(with(&[], &[], input).0.contains("── jp "));
    assert!(
        with(&[], &["--current-config"], input)
            .0
            .contains("── Late ")
    );
}

#[test]
fn form_f_gives_the_bytes_of_the_whole() {
    let whole = with(&[], &[], EVENTS);
    assert_eq!(with(&[], &[], &lines()), whole);
    let last = with(&[], &["--last", "1"], EVENTS);
    assert_eq!(with(&[], &["--last", "1"], &lines()), last);
}

#[test]
fn form_f_is_shown_as_it_arrives() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let mut command = process();
    command.args(["render", "--width", "60"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("convo starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    input
        .write_all(b"{\"type\":\"chat_request\",\"content\":\"first\"}\n")
        .expect("input");
    input.flush().expect("input");
    let mut seen = String::new();
    while !seen.contains("first") {
        assert!(output.read_line(&mut seen).expect("output") > 0, "{seen}");
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn form_f_takes_a_base_and_breaks_off_cleanly() {
    let folder = tempfile::tempdir().expect("a directory");
    let base = folder.path().join("base.json");
    std::fs::write(&base, r#"{"assistant":{"name":"Given"}}"#).expect("a file");
    let base = base.to_string_lossy().into_owned();
    let args = ["--base-config", base.as_str()];
    let input = "{\"type\":\"chat_response\",\"message\":\"m\"}\n";
    assert!(with(&[], &args, input).0.contains("── Given "));
    let broken = format!("{input}{{\"type\":\"chat_response\"}}\n");
    let ran = run(&["render"], broken.as_bytes());
    assert!(
        ran.stdout.ends_with("\nm\n") && ran.status == 1,
        "{}",
        ran.shown()
    );
}

#[test]
fn markdown_reads_back_as_the_same_document() {
    use crate::common::markdown::meaning;
    let source = "# Title\n\nlong *text* that would be wrapped at eighty columns if \
                  this were the terminal, two  \nspaces\n\n- a\n- b\n\n| a | b |\n\
                  |---|---|\n| 1 | 2 |\n\n[r]\n\n[r]: https://e.org";
    let entry = serde_json::json!({"type":"chat_response","message":source});
    let args = ["--format", "markdown", "--only", "speech"];
    let (out, _) = with(&[], &args, &format!("[{entry}]"));
    let body = out
        .strip_prefix("## jp, turn 1\n\n")
        .unwrap_or_else(|| panic!("{out}"));
    assert_eq!(meaning(body), meaning(source));
    let again = serde_json::json!({"type":"chat_response","message":body});
    let (twice, _) = with(&[], &args, &format!("[{again}]"));
    assert_eq!(twice, out);
}

#[test]
fn a_batch_keeps_a_blank_line_between_conversations() {
    let one = r#"[{"type":"chat_response","message":"one"}]"#;
    let two = r#"[{"type":"chat_response","message":"two"}]"#;
    let (out, err) = with(&[], &["--jobs", "2"], &format!("{one}\n{two}\n"));
    assert_eq!(out.matches("── jp ").count(), 2);
    assert!(!out.contains("\n\n\n") && err.is_empty(), "{out}{err}");
    let bad = format!("{one}\n[{{\"type\":\"chat_response\"}}]\n{two}\n");
    let ran = run(&["render"], bad.as_bytes());
    assert!(ran.stdout.contains("one") && ran.stdout.contains("two"));
    assert_eq!(ran.status, 1, "{}", ran.shown());
}

#[test]
fn the_picture_of_the_readme_is_up_to_date() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/render.svg");
    let stored = std::fs::read_to_string(root).unwrap_or_default();
    let fresh = picture::picture(&fixture("streams/picture.json"));
    assert!(
        stored == fresh,
        "docs/render.svg is stale: cargo run --example picture > docs/render.svg"
    );
}

#[test]
fn the_picture_of_the_report_is_up_to_date() {
    let root = env!("CARGO_MANIFEST_DIR");
    let command = "convo diff-cache-prefix fixtures/requests/agent.jsonl";
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_convo"))
        .args(["diff-cache-prefix", "--color", "always"])
        .arg("fixtures/requests/agent.jsonl")
        .current_dir(root)
        .env("COLORTERM", "")
        .env("TERM", "xterm")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("the program runs");
    let fresh = picture::svg(command, &String::from_utf8_lossy(&ran.stdout));
    let path = format!("{root}/docs/report.svg");
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        std::fs::write(&path, &fresh).expect("written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == fresh,
        "docs/report.svg is stale: UPDATE_DOCUMENTS=1 cargo test up_to_date"
    );
}
