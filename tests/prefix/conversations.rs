//! The bodies of stored conversations, compared in turn; JP's own bodies.

use super::{Setting, pair_bytes};
use crate::common::command::run;
use crate::common::corpus::{cases, report};
use convo::prefix::Verdict;
use serde_json::{Value, json};
use std::io::Read as _;

/// A conversation with a new section after its first turn.
fn changing() -> String {
    let at = |second: usize| format!("2026-01-01 00:00:{second:02}.0");
    json!({"base_config": {"assistant": {"model": {"id": {"provider": "anthropic",
            "name": "claude-opus-5"}}, "system_prompt": "You help."}},
        "encoding": "plain",
        "events": [
            {"timestamp": at(1), "type": "turn_start"},
            {"timestamp": at(2), "type": "chat_request", "content": "one"},
            {"timestamp": at(3), "type": "chat_response", "message": "first"},
            {"timestamp": at(4), "type": "config_delta",
                "delta": {"assistant": {"system_prompt_sections": [{"content": "More."}]}}},
            {"timestamp": at(5), "type": "turn_start"},
            {"timestamp": at(6), "type": "chat_request", "content": "two"},
            {"timestamp": at(7), "type": "chat_response", "message": "second"},
            {"timestamp": at(8), "type": "turn_start"},
            {"timestamp": at(9), "type": "chat_request", "content": "three"}]})
    .to_string()
}

fn compared(via: &str, input: &str, stdin: &[u8]) -> Vec<Value> {
    let args = [
        "diff-cache-prefix",
        "--conversation",
        input,
        "--via",
        via,
        "--provider",
        "anthropic",
        "--model",
        "claude-opus-5",
        "--beta",
        "inline-tools-2026-09-15",
        "--least-length",
        "0",
        "--format",
        "json",
    ];
    let ran = run(&args, stdin);
    assert!((0..2).contains(&ran.status), "{input}: {}", ran.stderr);
    let lines = ran.stdout.lines();
    let values = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    values.filter(|one| one["verdict"].is_string()).collect()
}

#[test]
fn flatten_loses_the_prefix_and_place_directives_keeps_it() {
    let input = changing();
    let flat = compared("flatten", "-", input.as_bytes());
    assert_eq!(flat.len(), 2);
    assert_eq!(flat[0]["reason"], "system_changed");
    assert_eq!(flat[1]["verdict"], "hit");
    let placed = compared("place-directives", "-", input.as_bytes());
    assert_eq!(placed.len(), 2);
    for report in &placed {
        assert_eq!(report["verdict"], "hit", "{report:#}");
        assert_eq!(report["divergences"], json!([]));
    }
    run(&["diff-cache-prefix", "--conversation", "-"], b"").ok(2);
}

/// Where nothing outside the law changes, placing loses nothing; a changed system
/// prompt is outside of it.
#[test]
fn stored_conversations_keep_their_prefix_when_placed() {
    let (mut count, mut flat, mut placed) = (0, 0, 0);
    for path in cases("conversations") {
        let size = std::fs::metadata(path.join("events.json")).map(|data| data.len());
        // The bodies of a long one add up to much.
        let small = size.is_ok_and(|size| size < 300_000);
        let Some(path) = path.to_str().filter(|_| small) else {
            continue;
        };
        count += 1;
        let diverge = |one: &Value| one["divergences"][0]["level"].is_string();
        flat += compared("flatten", path, b"")
            .iter()
            .filter(|one| diverge(one))
            .count();
        for report in compared("place-directives", path, b"") {
            placed += usize::from(diverge(&report));
        }
    }
    report("compared conversations", count);
    assert_eq!(placed, 0);
    assert!(
        count == 0 || flat > 0,
        "some configuration changes somewhere"
    );
}

/// A body, and the same with one message less, are a hit and a rewind.
#[test]
fn bodies_of_every_provider_keep_their_prefix_when_they_grow() {
    let mut count = 0;
    for folder in cases("jp-bodies") {
        let Ok(files) = std::fs::read_dir(&folder) else {
            continue;
        };
        for file in files.flatten() {
            let packed = std::fs::read(file.path()).expect("readable");
            let mut text = String::new();
            let mut reader = flate2::read::GzDecoder::new(packed.as_slice());
            reader.read_to_string(&mut text).expect("gzip");
            let case: Value = serde_json::from_str(&text).expect("JSON");
            let body = &case["body"];
            let key = ["messages", "input", "contents"]
                .into_iter()
                .find(|key| body[*key].is_array())
                .expect("messages");
            let mut shorter = body.clone();
            let list = shorter[key].as_array_mut().expect("a list");
            let role = |one: &Value| one["role"].as_str().unwrap_or("").to_owned();
            while list.len() > 2 && role(&list[list.len() - 1]) != "user" {
                list.pop();
            }
            if list.len() < 3
                || list.len() == body[key].as_array().expect("a list").len()
            {
                list.pop();
            }
            let provider = case["provider"].as_str().expect("a name");
            let setting = Setting {
                provider: convo::body::Provider::parse(provider),
                ..Setting::default()
            };
            let (less, more) = (shorter.to_string(), body.to_string());
            let grown = pair_bytes(less.as_bytes(), more.as_bytes(), &setting);
            assert!(grown.divergences.is_empty(), "{:?}", file.path());
            assert_ne!(grown.verdict, Verdict::Miss, "{:?}", file.path());
            let back = pair_bytes(more.as_bytes(), less.as_bytes(), &setting);
            assert_eq!(back.verdict, Verdict::Shorter, "{:?}", file.path());
            count += 1;
        }
    }
    report("bodies that grow", count);
}
