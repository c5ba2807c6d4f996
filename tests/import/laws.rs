//! Laws: lines can be rebuilt (K), bodies come back by value (W), a file may end
//! anywhere, the order of lines outside the tree is no matter.

use super::rebuild;
use super::{events, import, of_kind, pass, run};
use crate::common::corpus::{cases, report};
use crate::common::fixture;
use convo::import::{Format, Importer, Options, Shape, Sink};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The records of a session, in process.
fn session(bytes: &[u8], format: Format, options: Options) -> Vec<Value> {
    let mut found = Vec::new();
    let mut take = |one: convo::import::Imported| {
        found.extend(
            one.bundle
                .ok()
                .map(|bundle| serde_json::from_slice(&bundle).expect("a bundle")),
        );
    };
    let mut table = |_| {};
    let mut sink = Sink::new(&mut take, &mut table);
    Importer::new(options, Shape::Session(format)).all(bytes, &mut sink);
    found
}

fn claude(text: &str) -> Vec<Value> {
    session(text.as_bytes(), Format::ClaudeCode, Options::default())
}

/// Compares every line of a session of one path with what is rebuilt of it.
fn rebuilt(text: &str, record: &Value, name: &str) {
    let lines = rebuild::claude_code(record);
    for (index, line) in text.lines().enumerate() {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let found = lines.get(&(index as u64 + 1)).cloned();
        let found = found.unwrap_or(Value::Null);
        assert_eq!(sorted(&found), sorted(&line), "{name}, line {}", index + 1);
    }
}

/// The value with its keys in one order.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

#[test]
fn law_k_on_sessions_of_one_path() {
    for name in ["01", "02", "04", "05", "06"] {
        let bytes = fixture(&format!("import/{name}.in.jsonl"));
        let text = String::from_utf8(bytes).expect("UTF-8");
        rebuilt(&text, &claude(&text)[0], name);
    }
}

#[test]
fn law_k_on_the_corpus() {
    let mut count = 0;
    for path in cases("import/claude-code") {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let found = claude(&text);
        let Some(record) = found.first() else {
            continue;
        };
        let about = &record["metadata"]["import"];
        let whole = about.get("branch").is_none() && about.get("sidechains").is_none();
        if whole {
            count += 1;
            rebuilt(&text, record, &path.display().to_string());
        }
    }
    report("law_k_on_the_corpus", count);
}

#[test]
fn a_file_may_end_anywhere() {
    for (name, format) in [("01", Format::ClaudeCode), ("08", Format::Codex)] {
        let bytes = fixture(&format!("import/{name}.in.jsonl"));
        for end in 0..bytes.len() {
            let cut = session(&bytes[..end], format, Options::default());
            let whole = bytes[..end]
                .iter()
                .rposition(|b| *b == b'\n')
                .map_or(0, |at| at + 1);
            let lines = session(&bytes[..whole], format, Options::default());
            let complete = serde_json::from_slice::<Value>(&bytes[whole..end]).is_ok();
            if complete {
                continue;
            }
            let mut found = cut.first().map_or_else(Vec::new, |r| events(r).clone());
            let broken = found.iter().filter(|e| e["kind"] == "broken").count();
            assert!(broken <= 1, "{name} at {end}");
            found.retain(|e| e["kind"] != "broken");
            let expected = lines.first().map_or_else(Vec::new, |r| events(r).clone());
            assert_eq!(found, expected, "{name} at {end}");
        }
    }
}

#[test]
fn an_import_of_a_bundle_is_the_bundle() {
    let bytes = fixture("import/01.in.jsonl");
    let text = String::from_utf8(bytes).expect("UTF-8");
    let once = run(&text, &[]).ok(0);
    assert_eq!(run(&once, &[]).ok(0), once);
}

#[test]
fn the_same_bytes_at_any_number_of_jobs() {
    let lines: String = (0..200)
        .map(|n| {
            json!({"model": "gpt-4o", "messages": [
                {"role": "user", "content": format!("Question {n}")},
                {"role": "assistant", "content": "Answer."}]})
            .to_string()
                + "\n"
        })
        .collect();
    let one = run(&lines, &[]).ok(0);
    assert_eq!(run(&lines, &["-j", "4"]).ok(0), one);
    let straight = pass(&["project", "-j", "4"], &lines).ok(0);
    assert_eq!(straight, pass(&["project"], &one).ok(0));
}

/// Blocks of an assistant's message and results that answer them.
fn turns() -> impl Strategy<Value = Vec<(String, Vec<Block>)>> {
    let block = prop_oneof![
        "[a-z \u{e9}\"\\\\\n]{1,12}".prop_map(Block::Text),
        ("[a-z]{1,6}", "[A-Za-z0-9+/]{0,8}").prop_map(|(t, s)| Block::Thinking(t, s)),
        ("[a-z]{1,5}", any::<bool>(), any::<bool>())
            .prop_map(|(n, listed, failed)| Block::Call(n, listed, failed)),
    ];
    let turn = ("[a-z]{1,9}", proptest::collection::vec(block, 1..5));
    proptest::collection::vec(turn, 1..5)
}

#[derive(Debug, Clone)]
enum Block {
    Text(String),
    Thinking(String, String),
    Call(String, bool, bool),
}

/// The messages of a body, and the same as a session with one line a block.
fn written(turns: &[(String, Vec<Block>)]) -> (Vec<Value>, String) {
    let mut messages = Vec::new();
    let mut lines = String::new();
    let mut parent = Value::Null;
    let mut number = 0;
    let mut line = |kind: &str, message: Value| {
        number += 1;
        let id = format!("u{number}");
        let line = json!({"type": kind, "uuid": id, "parentUuid": parent, "cwd": "/w",
            "gitBranch": if number % 3 == 0 { "a" } else { "b" }, "message": message});
        lines.push_str(&line.to_string());
        lines.push('\n');
        parent = json!(id);
    };
    let mut calls = 0;
    for (index, (asked, blocks)) in turns.iter().enumerate() {
        messages.push(json!({"role": "user", "content": asked}));
        line("user", json!({"role": "user", "content": asked}));
        let mut said = Vec::new();
        let mut results = Vec::new();
        for block in blocks {
            said.push(match block {
                Block::Text(text) => json!({"type": "text", "text": text}),
                Block::Thinking(text, signature) => {
                    json!({"type": "thinking", "thinking": text, "signature": signature})
                }
                Block::Call(name, listed, failed) => {
                    calls += 1;
                    let id = format!("t{calls}");
                    let content = match listed {
                        true => json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
                        false => json!("done"),
                    };
                    let mut result =
                        json!({"type": "tool_result", "tool_use_id": id, "content": content});
                    if *failed {
                        result["is_error"] = json!(true);
                    }
                    results.push(result);
                    json!({"type": "tool_use", "id": id, "name": name, "input": {"n": calls}})
                }
            });
        }
        for block in &said {
            line(
                "assistant",
                json!({"role": "assistant", "id": format!("m{index}"),
                "model": "claude-opus-5", "content": [block]}),
            );
        }
        messages.push(json!({"role": "assistant", "content": said}));
        if !results.is_empty() {
            for result in &results {
                line("user", json!({"role": "user", "content": [result]}));
            }
            messages.push(json!({"role": "user", "content": results}));
            messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "ok"}]}));
            line(
                "assistant",
                json!({"role": "assistant", "id": format!("r{index}"),
                "model": "claude-opus-5", "content": [{"type": "text", "text": "ok"}]}),
            );
        }
    }
    (messages, lines)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law K over generated sessions.
    #[test]
    fn lines_can_be_rebuilt(turns in turns()) {
        let (_, lines) = written(&turns);
        let found = claude(&lines);
        prop_assert_eq!(found.len(), 1);
        rebuilt(&lines, &found[0], "generated");
    }

    /// A body and the session of the same messages hold the same conversation.
    #[test]
    fn a_body_and_a_session_say_the_same(turns in turns()) {
        let (messages, lines) = written(&turns);
        let found = claude(&lines);
        let body = json!({"model": "claude-opus-5", "max_tokens": 9, "messages": messages});
        let mut bodies = Vec::new();
        let mut take = |one: convo::import::Imported| {
            let bundle = one.bundle.expect("a record");
            bodies.push(serde_json::from_slice::<Value>(&bundle).expect("a bundle"));
        };
        let mut table = |_| {};
        let mut sink = Sink::new(&mut take, &mut table);
        let text = body.to_string();
        let raw = convo::json::Raw::parse(text.as_bytes()).expect("JSON");
        let mut importer = Importer::new(Options::default(), Shape::Values);
        importer.value(raw, 0, &mut sink);
        let plain = |record: &Value| -> Vec<Value> {
            events(record).iter().map(|event| {
                let mut event = event.clone();
                let object = event.as_object_mut().expect("an entry");
                object.remove("event_id");
                if let Some(metadata) = object.get_mut("metadata") {
                    metadata.as_object_mut().expect("metadata").remove("foreign");
                }
                event
            }).collect()
        };
        prop_assert_eq!(plain(&found[0]), plain(&bodies[0]));
    }

    /// Nothing panics, whatever the bytes are.
    #[test]
    fn any_bytes_are_taken(text in "(\\{\"(type|message|content|role|uuid|parentUuid)\":(\"(user|assistant|u1|summary)\"|\\[\\]|null|\\{\\})\\}\n){0,6}[ -~]{0,20}") {
        for format in [Format::ClaudeCode, Format::Codex, Format::GeminiCli] {
            session(text.as_bytes(), format, Options::default());
        }
    }
}

#[test]
fn lines_outside_the_tree_may_stand_anywhere() {
    let text = String::from_utf8(fixture("import/02.in.jsonl")).expect("UTF-8");
    let mode = "{\"type\":\"mode\",\"mode\":\"x\",\"sessionId\":\"s\"}";
    let plain = import(&text, &["--keep", "none"]);
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..=lines.len() {
        let mut mixed = lines.clone();
        mixed.insert(at, mode);
        let found = import(&mixed.join("\n"), &["--keep", "none"]);
        assert_eq!(found[0]["events"], plain[0]["events"], "{at}");
    }
    assert!(of_kind(&plain[0], "foreign").is_empty());
}

/// A session is read while its program writes it: what is there is whole, and a last
/// line that is not there yet is no fault.
#[test]
fn a_session_may_grow_while_it_is_read() {
    use std::io::Write as _;
    let home = tempfile::tempdir().expect("a directory");
    let path = home.path().join("session.jsonl");
    let mut file = std::fs::File::create(&path).expect("a file");
    let line = |n: usize| {
        let parent = n.checked_sub(1).map(|before| format!("u{before}"));
        json!({"type": "user", "uuid": format!("u{n}"), "parentUuid": parent, "sessionId": "s",
            "message": {"role": "user", "content": format!("Line {n}. {}", "x".repeat(2000))}})
        .to_string()
    };
    file.write_all(line(0).as_bytes()).expect("written");
    file.write_all(b"\n").expect("written");
    let writer = std::thread::spawn(move || {
        for n in 1..400 {
            let text = line(n);
            // Half a line at a time.
            let (head, tail) = text.split_at(text.len() / 2);
            for part in [head, tail, "\n"] {
                file.write_all(part.as_bytes()).expect("written");
                file.flush().expect("written");
            }
        }
    });
    let name = path.display().to_string();
    let mut seen = 0;
    for _ in 0..12 {
        let ran = super::pass(&["import", &name], "");
        assert_eq!(ran.status, 0, "{}", ran.shown());
        let records = super::records(&ran.stdout);
        let requests = of_kind(&records[0], "chat_request");
        for (n, request) in requests.iter().enumerate() {
            let text = request["content"].as_str().expect("text");
            assert!(text.starts_with(&format!("Line {n}. ")), "{n}: {text}");
        }
        assert!(requests.len() >= seen, "{} after {seen}", requests.len());
        seen = requests.len();
    }
    writer.join().expect("written");
    let ran = super::pass(&["import", &name], "");
    assert_eq!(
        of_kind(&super::records(&ran.stdout)[0], "chat_request").len(),
        400
    );
}
