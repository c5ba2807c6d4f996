//! The command: ways in, ways out, status, bad input.

use super::case::ran;
use crate::common::command::{process, run, run_in};
use serde_json::{Value, json};
use std::path::Path;

fn body(system: &str, texts: &[&str]) -> Value {
    let mark = json!({"type": "ephemeral"});
    let list: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let mut block = json!({"type": "text", "text": text});
            if at + 1 == texts.len() {
                block["cache_control"] = mark.clone();
            }
            {
                let role = ["user", "assistant"][at % 2];
                json!({"role": role, "content": [block]})
            }
        })
        .collect();
    json!({"model": "claude-opus-5", "max_tokens": 1,
        "system": [{"type": "text", "text": system, "cache_control": mark}],
        "messages": list})
}

/// Reports as JSON, of pairs of any length, from standard input.
pub(super) const REPORTS: [&str; 5] = [
    "diff-cache-prefix",
    "--least-length",
    "0",
    "--format",
    "json",
];

pub(super) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

pub(super) fn fits(line: &Value) {
    let schema = include_str!("../../schemas/prefix-report.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let wrong: Vec<_> = validator
        .iter_errors(line)
        .map(|error| error.to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{line:#}");
}

#[test]
fn the_human_report_answers_first() {
    let a = body("You help.\nNow: 10:00:01\nBe kind.", &["M1"]);
    let b = body("You help.\nNow: 10:00:02\nBe kind.", &["M1", "R1", "M2"]);
    let shown = ran(&a, &b, &[]).shown();
    insta::assert_snapshot!(shown, @"
    a.json -> b.json: miss: nothing that was cached can be read
      tools                              empty
      system    ░░░░░░░░░░░░░░░░░░░░░░░░ lost, 0 bytes of 96 bytes equal
      messages  ████████████████████████ lost, 64 bytes of 64 bytes equal
      reason    system_changed
      lost      160 bytes (about 40 tokens)

    system clock at /system/0/text, character 22 (bytes 96 and 96)
      a date or time changed; 22 characters matched before it [diff-system]
        You help.
      - Now: 10:00:01
      + Now: 10:00:02
        Be kind.
      hint: move it out of /system/0 to the end of the newest user message

    warning: /system/0: a time of day in front of the last breakpoint [volatile-prefix]
      hint: move it to the end of `messages`, or leave it out
    warning: /messages/2/content/0: about 54 tokens up to the last breakpoint, `claude-opus-5` caches from 512 on [below-minimum]
      hint: nothing, if the conversation grows; else leave the breakpoint out
    [out]
    [err]
    [1]
    ");
}

#[test]
fn a_hit_is_short() {
    let a = body("S", &["M1"]);
    let b = body("S", &["M1", "R1", "M2"]);
    let shown = ran(&a, &b, &["-q"]).shown();
    insta::assert_snapshot!(shown, @"
    a.json -> b.json: hit: all that was cached is still a prefix
      tools                              empty
      system    ████████████████████████ kept, 63 bytes
      messages  ████████████████████████ kept, 64 bytes
      readable  up to /messages/0/content/0: 127 bytes (about 32 tokens)

    warning: /messages/2/content/0: about 46 tokens up to the last breakpoint, `claude-opus-5` caches from 512 on [below-minimum]
      hint: nothing, if the conversation grows; else leave the breakpoint out
    [out]
    [err]
    [0]
    ");
}

#[test]
fn annotations_name_file_and_line() {
    let a = body("S", &["M1", "R1", "M2"]);
    let b = body("S, 2%", &["M1", "R1", "M2"]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.json"), a.to_string()).expect("written");
    let pretty = serde_json::to_string_pretty(&b).expect("JSON");
    std::fs::write(path("b.json"), &pretty).expect("written");
    let args = [
        "diff-cache-prefix",
        "--format",
        "github",
        "a.json",
        "b.json",
    ];
    let out = run_in(folder.path(), &args, b"").ok(1);
    let line = 1 + pretty
        .lines()
        .position(|line| line.contains("S, 2%"))
        .expect("a line");
    let start = format!(
        "::error file=b.json,line={line},title=prompt prefix%3A system edited::"
    );
    assert!(out.starts_with(&start), "{out}");
    assert!(
        !out.lines().next().expect("a line").contains("2%,"),
        "{out}"
    );
    let args = [
        "diff-cache-prefix",
        "--format",
        "github",
        "--fail-on",
        "never",
        "a.json",
        "b.json",
    ];
    let out = run_in(folder.path(), &args, b"").ok(0);
    assert!(out.starts_with("::warning file=b.json"), "{out}");
}

#[test]
fn many_requests_are_compared_in_turn_and_summed() {
    let lines = [
        body("S", &["M1"]),
        body("S", &["M1", "R1", "M2"]),
        body("S!", &["M1", "R1", "M2", "R2", "M3"]),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let out = json_lines(&run(&REPORTS, input.as_bytes()).ok(1));
    out.iter().for_each(fits);
    assert_eq!(out.len(), 3);
    assert_eq!(out[0]["verdict"], "hit");
    assert_eq!((&out[0]["a"], &out[0]["b"]), (&json!("-:1"), &json!("-:2")));
    assert_eq!(out[1]["verdict"], "miss");
    let sum = &out[2];
    assert_eq!(sum["schema"], "convo/prefix-summary/1");
    assert_eq!((&sum["pairs"], &sum["kept"]), (&json!(2), &json!(1)));
    assert_eq!(sum["causes"]["edited"]["pairs"], 1);
    assert!(
        sum["cost_factor"].as_f64().expect("a factor") > 1.0,
        "{sum}"
    );
    let human = run(
        &["diff-cache-prefix", "--least-length", "0"],
        input.as_bytes(),
    )
    .ok(1);
    assert!(human.contains("1 of 2 pairs kept the prefix"), "{human}");
    // Bytes are those of the input, past the first lines.
    let byte =
        usize::try_from(out[1]["divergences"][0]["byte_b"].as_u64().expect("a byte"));
    assert!(input[byte.expect("small")..].starts_with("!\""));
}

#[test]
fn recordings_bring_headers_and_times() {
    let entry = |body: &Value, beta: &str, time: &str| {
        json!({"startedDateTime": time, "request": {"method": "POST",
            "url": "https://api.example/v1/messages",
            "headers": [{"name": "anthropic-beta", "value": beta}],
            "postData": {"text": body.to_string()}}})
    };
    let (a, b) = (body("S\n\"", &["M1"]), body("S\n\"", &["M1", "R1", "M2"]));
    let har = |beta: &str, time: &str| {
        let options = json!({"request": {"method": "GET", "url": "https://x"}});
        json!({"log": {"entries": [entry(&a, "x", "2026-11-01T10:00:00Z"), options,
            entry(&b, beta, time)]}})
    };
    let read = |har: &Value, status: i32| {
        let out = run(&REPORTS, har.to_string().as_bytes()).ok(status);
        json_lines(&out).remove(0)
    };
    let report = read(&har("x", "2026-11-01T10:04:59.5Z"), 0);
    assert_eq!(report["verdict"], "hit");
    let report = read(&har("x", "2026-11-01T10:06:00Z"), 1);
    assert_eq!(report["verdict"], "miss");
    assert!(report.to_string().contains("diff-ttl"), "{report}");
    let report = read(&har("x,y", "2026-11-01T10:01:00Z"), 1);
    assert_eq!(
        (&report["verdict"], &report["reason"]),
        (&json!("unknown"), &json!("unavailable"))
    );
    // A byte inside an escaped body is that of the file.
    let mut edited = b.clone();
    edited["system"][0]["text"] = json!("S\n\"!");
    let input =
        json!({"log": {"entries": [entry(&a, "x", ""), entry(&edited, "x", "")]}});
    let report = read(&input, 1);
    let byte = report["divergences"][0]["byte_b"].as_u64().expect("a byte") as usize;
    assert!(input.to_string()[byte..].starts_with("!\\\""), "{report}");
}

#[test]
fn hashes_only_holds_no_word() {
    let secret = |word: &str| {
        let mut one = body(&format!("{word} secret clause"), &["private question"]);
        one["tools"] = json!([{"name": format!("hidden_{word}"), "description": "classified",
            "input_schema": {"type": "object", "properties": {format!("key_{word}"): {}}}}]);
        one["model"] = json!("inhouse-model");
        one
    };
    for format in ["json", "human", "github"] {
        let args = ["--hashes-only", "--format", format];
        let out = ran(&secret("alpha"), &secret("beta"), &args).ok(1);
        for word in [
            "secret",
            "private",
            "classified",
            "alpha",
            "beta",
            "hidden",
            "inhouse",
        ] {
            assert!(!out.contains(word), "{format}: {word}: {out}");
        }
        // Digests are of this run alone, unless a key is given.
        let again = ran(&secret("alpha"), &secret("beta"), &args).ok(1);
        assert_ne!(out, again);
        let keyed = |key| {
            let args = [&args[..], &["--salt", key]].concat();
            ran(&secret("alpha"), &secret("beta"), &args).ok(1)
        };
        assert_eq!(keyed("k"), keyed("k"));
        assert_ne!(keyed("k"), keyed("l"));
    }
    let (a, b) = (secret("alpha"), secret("beta"));
    assert_eq!(ran(&a, &b, &["--salt", "k"]).status, 2);
}

/// Keys are the caller's words too, in paths, hints and messages.
#[test]
fn p14_hashes_only_leaks_no_key() {
    let message = |key: &str| {
        json!({"model": "claude-opus-5", "max_tokens": 9, "cache_control": {"type": "ephemeral"},
            "messages": [{"role": "user", key: "hi"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f",
                    "input": {key: {"4111222233334444": key, "name": 1}}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1",
                    "content": "ok"}]}]})
    };
    let system = |key: &str| {
        json!({"model": "claude-opus-5", "max_tokens": 9, "system": [{"type": "text", "text": "S", key: 1}],
            "cache_control": {"type": "ephemeral"}, key: {"x": 1},
            "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {key: {"enum": ["4111222233334444"]}},
                "required": [key]}}],
            "messages": [{"role": "user", "content": "hi"}]})
    };
    for make in [message as fn(&str) -> Value, system] {
        let (a, b) = (make("content"), make("SECRETKEY"));
        for (a, b) in [(&a, &b), (&b, &a), (&b, &make("SECRETKEX"))] {
            for format in ["json", "human", "github"] {
                let args = ["--hashes-only", "--format", format, "--fail-on", "never"];
                let ran = ran(a, b, &args);
                for word in ["SECRET", "4111", "4444"] {
                    assert!(!ran.stdout.contains(word), "{format}: {}", ran.shown());
                }
            }
        }
    }
}

#[test]
fn what_fails_is_up_to_the_caller() {
    let (a, b) = (body("S", &["M1"]), body("S!", &["M1"]));
    let status = |args: &[&str]| ran(&a, &b, args).status;
    assert_eq!(status(&[]), 1);
    assert_eq!(status(&["--fail-on", "binding"]), 0);
    assert_eq!(status(&["--fail-on", "never"]), 0);
    assert_eq!(status(&["--fail-on", "lint"]), 0);
    assert_eq!(status(&["--fail-on", "warning"]), 1);
    assert_eq!(status(&["--fail-on", "binding", "--fail-on", "lost"]), 1);
    assert_eq!(status(&["--fail-on", "never", "--fail-on", "lost"]), 2);
    assert_eq!(status(&["--mask", "("]), 2);
}

#[test]
fn every_bad_input_has_its_answer() {
    let good = body("S", &["M1"]).to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    };
    write("good.json", good.as_bytes());
    write(
        "other.json",
        br#"{"contents":[{"role":"user","parts":[{"text":"x"}]}]}"#,
    );
    write("broken.json", br#"{"messages":[}"#);
    write("array.json", b"[1]");
    write("events.json", br#"{"events":[]}"#);
    write("packed.json", b"\x1f\x8b\x08\x00");
    write(
        "form.txt",
        b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n{}\r\n--x--\r\n",
    );
    write("empty.json", b"");
    write("two.jsonl", format!("{good}\n{good}\n").as_bytes());
    for (file, code) in [
        ("other.json", "two-providers"),
        ("broken.json", "json-syntax"),
        ("array.json", "not-a-body"),
        ("events.json", "not-a-body"),
        ("packed.json", "not-json"),
        ("form.txt", "multipart"),
        ("empty.json", "empty-input"),
        ("two.jsonl", "several"),
        ("none.json", "unreadable"),
    ] {
        let args = [
            "diff-cache-prefix",
            "good.json",
            file,
            "--message-format",
            "json",
        ];
        let ran = run_in(folder.path(), &args, b"");
        assert_eq!(ran.status, 2, "{file}: {}", ran.shown());
        assert_eq!(ran.stdout, "");
        let told: Value = serde_json::from_str(ran.stderr.trim())
            .unwrap_or_else(|_| panic!("{}", ran.shown()));
        assert_eq!(told["code"], code, "{file}");
        assert_eq!(told["input"], file, "{file}");
        assert!(!told["message"].as_str().expect("a text").is_empty());
    }
    // One where two are needed; a bad record among good ones.
    let args = [
        "diff-cache-prefix",
        "--least-length",
        "0",
        "--message-format",
        "json",
    ];
    let told = run(&args, good.as_bytes());
    assert_eq!(told.status, 2);
    assert!(told.stderr.contains("\"no-pair\""), "{}", told.stderr);
    let mixed = format!("{good}\n{{\"messages\":]}}\n{good}\n");
    let told = run(&args, mixed.as_bytes());
    assert_eq!(told.status, 1, "{}", told.shown());
    assert!(told.stdout.contains("-:1 -> -:3: hit"), "{}", told.shown());
    assert_eq!(run(&["diff-cache-prefix", "-", "-"], b"{}").status, 2);
}

#[test]
fn equal_files_are_a_hit_whatever_they_hold() {
    let one = body("S", &["M1"]);
    let out = ran(&one, &one, &["--format", "json"]).ok(0);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    fits(&report);
    assert_eq!(report["verdict"], "hit");
    assert_eq!(report["divergences"], json!([]));
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let mut command = process();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("many.jsonl");
    let line = body("S", &["M1"]).to_string();
    std::fs::write(&path, format!("{line}\n").repeat(2000)).expect("written");
    let mut child = command
        .args([
            "diff-cache-prefix",
            "--least-length",
            "0",
            "--format",
            "json",
        ])
        .arg(Path::new(&path))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("convo runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
