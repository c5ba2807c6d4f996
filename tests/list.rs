//! `convo list`: what stands under a directory, of any format.

use crate::common::command::{run, run_in};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;

/// A directory with one conversation of each kind, and what is none.
fn directory() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    let usage = |read: u32| json!({"input_tokens": 10, "cache_creation_input_tokens": 10, "cache_read_input_tokens": read, "output_tokens": 1});
    let session = |day: u32, read: u32| {
        let user = json!({"type": "user", "uuid": "u", "parentUuid": null, "sessionId": format!("session-{day}"),
            "timestamp": format!("2026-03-0{day}T09:00:00.000Z"), "message": {"role": "user", "content": "Name\n it\u{202e}."}});
        let answer = json!({"type": "assistant", "uuid": "a", "parentUuid": "u", "sessionId": format!("session-{day}"),
            "timestamp": format!("2026-03-0{day}T09:00:05.000Z"),
            "message": {"id": "m", "role": "assistant", "model": "claude-opus-5", "usage": usage(read), "content": [{"type": "text", "text": "al"}]}});
        format!("{user}\n{answer}\n")
    };
    write("projects/x/session-1.jsonl", &session(1, 20));
    let agent = json!({"type": "user", "uuid": "s1", "parentUuid": null, "isSidechain": true, "agentId": "g", "sessionId": "session-2",
        "timestamp": "2026-03-02T09:00:01.000Z", "message": {"role": "user", "content": "Search."}});
    let found = json!({"type": "assistant", "uuid": "s2", "parentUuid": "s1", "isSidechain": true, "agentId": "g", "sessionId": "session-2",
        "timestamp": "2026-03-02T09:00:02.000Z", "message": {"id": "n", "role": "assistant", "model": "claude-haiku-4-5", "content": [{"type": "text", "text": "none"}]}});
    write(
        "projects/x/session-2.jsonl",
        &format!("{}{agent}\n{found}\n", session(2, 180)),
    );
    write(
        "stored/.jp/conversations/17636257526-names/events.json",
        r#"[{"type":"turn_start","timestamp":"2025-11-20 08:02:32.6"},{"type":"chat_request","timestamp":"2025-11-20 08:02:32.6","content":"Say hi."}]"#,
    );
    write(
        "stored/.jp/conversations/17636257526-names/base_config.json",
        r#"{"assistant":{"model":{"id":{"provider":"anthropic","name":"claude-haiku-4-5"}}}}"#,
    );
    write(
        "stored/.jp/conversations/17636257526-names/metadata.json",
        r#"{"title":"Names"}"#,
    );
    let body =
        r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Weather?"}]}"#;
    write("bodies.jsonl", &format!("{body}\n{body}\n"));
    write("package.json", r#"{"name":"x","version":"1"}"#);
    write("numbers.json", "[1,2,3]");
    write("torn.json", r#"{"events":["#);
    write("empty.jsonl", "");
    write("notes.txt", "not looked at");
    home
}

fn listed(home: &Path, args: &[&str]) -> Value {
    let args = [&["list", ".", "--format", "json"], args].concat();
    serde_json::from_str(&run_in(home, &args, b"").ok(0)).expect("JSON")
}

#[test]
fn conversations_of_any_format_the_newest_first() {
    let home = directory();
    let ran = run_in(home.path(), &["list"], b"");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    insta::assert_snapshot!(ran.shown(), @r"
    session-2       2026-03-02 09:00  1  anthropic/claude-opus-5     90 %  929 B  Name it\u{202e}.
    session-1       2026-03-01 09:00  1  anthropic/claude-opus-5     50 %  484 B  Name it\u{202e}.
    17636257526     2025-11-20 08:02  1  anthropic/claude-haiku-4-5     -  139 B  Say hi.
    bodies.jsonl    -                 1  openai/gpt-4o                  -  383 B  Weather?
    bodies.jsonl:2  -                 1  openai/gpt-4o                  -  383 B  Weather?
    [out]
    convo list: note: 4 files hold no conversation; 1 subagent not listed
      hint: --subagents lists them
    [err]
    [0]
    ");
}

#[test]
fn the_json_list_keeps_its_schema_and_has_every_fact() {
    let home = directory();
    let list = listed(home.path(), &[]);
    let schema = run(&["schema", "list"], b"").ok(0);
    let schema: Value = serde_json::from_str(&schema).expect("a schema");
    let validator: Validator =
        jsonschema::draft202012::new(&schema).expect("it compiles");
    let errors: Vec<_> = validator
        .iter_errors(&list)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(list["no_conversation"], 4, "{list}");
    assert_eq!(list["subagents"], 1);
    let rows = list["conversations"].as_array().expect("rows");
    assert_eq!(rows[0]["id"], "session-2");
    assert_eq!(rows[0]["cache_read_share"], 0.9);
    assert_eq!(rows[0]["input_tokens"], 200);
    assert_eq!(rows[1]["cache_read_share"], 0.5);
    let stored = &rows[2];
    assert_eq!(stored["title"], "Names");
    assert_eq!(stored["id"], "17636257526");
    assert_eq!(stored["models"], json!(["anthropic/claude-haiku-4-5"]));
    assert_eq!(stored["cache_read_share"], Value::Null);
    let all = listed(home.path(), &["--subagents"]);
    assert_eq!(all["subagents"], 0);
    let agent = |row: &&Value| row["subagent"] == true;
    let rows = all["conversations"].as_array().expect("rows");
    assert_eq!(rows.iter().filter(agent).count(), 1, "{all}");
}

#[test]
fn every_order_can_be_had_and_turned_around() {
    let home = directory();
    let order = |args: &[&str]| -> Vec<String> {
        let list = listed(home.path(), args);
        let rows = list["conversations"].as_array().expect("rows");
        let name = |row: &Value| {
            format!("{}:{}", row["path"].as_str().expect("a path"), row["index"])
        };
        rows.iter().map(name).collect()
    };
    let path = order(&["--sort", "path"]);
    let mut sorted = path.clone();
    sorted.sort();
    assert_eq!(path, sorted);
    let cached = order(&["--sort", "cached"]);
    assert!(
        cached[0].contains("session-1") && cached[1].contains("session-2"),
        "{cached:?}"
    );
    let size = order(&["--sort", "size"]);
    assert!(size[0].contains("session-2"), "{size:?}");
    assert_eq!(order(&["--sort", "turns"]).len(), 5);
    let mut turned = order(&["-r"]);
    turned.reverse();
    assert_eq!(turned, order(&[]));
}

#[test]
fn the_same_list_at_any_number_of_jobs() {
    let home = directory();
    let one = run_in(home.path(), &["list", "-j", "1"], b"").shown();
    assert_eq!(one, run_in(home.path(), &["list", "-j", "3"], b"").shown());
}

#[test]
fn what_cannot_be_read_is_told() {
    let home = directory();
    let ran = run_in(home.path(), &["list", "nowhere"], b"");
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("nowhere"), "{}", ran.stderr);
    let ran = run_in(home.path(), &["list", "nowhere", "bodies.jsonl"], b"");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(ran.stdout.lines().count(), 2);
    let ran = run_in(home.path(), &["list", "--paths", "bodies.jsonl"], b"");
    assert!(ran.stdout.contains("bodies.jsonl:2"), "{}", ran.shown());
}
