//! Every truncation of every fixture, and every byte of the small ones changed, through
//! the readers of every command: whatever comes of it, nothing panics, and what is
//! written is well formed.

use crate::common::readers::{
    bodies, catalogue, details, recorded, schemas, streams, transcripts,
};
use crate::common::{fixture_path, fixtures};
use std::path::PathBuf;

/// Files longer than this are cut, not changed byte by byte.
const SMALL: usize = 400;

/// What a byte becomes: a bit of it turned, and the bytes that mean something to JSON.
const CHANGES: [u8; 5] = [b'"', b'\\', b'}', 0, 0xff];

/// Runs `reader` over all cuts of `text` and, if it is small, over all changes.
fn mutate(text: &[u8], reader: fn(&[u8]) -> usize) -> usize {
    let step = 1 + text.len() / 2000;
    let mut runs = 0;
    for end in (0..text.len()).step_by(step) {
        reader(&text[..end]);
        // What is left may still be closed: then it goes deeper than the splitter.
        reader(&[&text[..end], b"\"}]"].concat());
        runs += 2;
    }
    if text.len() > SMALL {
        return runs;
    }
    let mut changed = text.to_vec();
    for at in 0..text.len() {
        for byte in CHANGES.into_iter().chain([text[at] ^ 1, text[at] ^ 0x20]) {
            changed[at] = byte;
            reader(&changed);
            runs += 1;
        }
        changed[at] = text[at];
    }
    runs
}

fn read(path: &PathBuf) -> Vec<u8> {
    std::fs::read(path).expect("a fixture")
}

#[test]
fn streams_cut_and_changed() {
    let mut paths = fixtures("streams", "json");
    paths.extend(fixtures("streams", "jsonl"));
    let runs: usize = paths.iter().map(|path| mutate(&read(path), streams)).sum();
    assert!(runs > 20_000, "{runs}");
}

#[test]
fn entries_cut_and_changed() {
    let mut runs = 0;
    for folder in ["events/good", "events/bad"] {
        for path in fixtures(folder, "json") {
            let entry = read(&path);
            runs += mutate(
                &[b"[".as_slice(), entry.trim_ascii(), b"]"].concat(),
                streams,
            );
        }
    }
    println!("{runs} runs");
}

#[test]
fn bodies_cut_and_changed() {
    let mut recordings = 0;
    let mut runs = 0;
    for name in [
        "lint/examples.jsonl",
        "lint/legal.jsonl",
        "prefix/cases.jsonl",
    ] {
        let text = read(&fixture_path(name));
        for line in text.split(|byte| *byte == b'\n') {
            let value: serde_json::Value = match serde_json::from_slice(line) {
                Ok(value) => value,
                Err(_) => continue,
            };
            // The bodies of an example, whatever it calls them.
            let inner = value.as_object().into_iter().flatten();
            for (_, body) in inner.filter(|(_, body)| body.is_object()).take(2) {
                let body = body.to_string();
                if body.len() <= SMALL {
                    let pair = format!("{body}\n{body}");
                    runs += mutate(pair.as_bytes(), bodies);
                    // Through the escapes of a recording: a few are enough.
                    if recordings < 6 {
                        recordings += 1;
                        runs += mutate(body.as_bytes(), recorded);
                    }
                }
            }
        }
    }
    assert!(runs > 10_000, "{runs}");
}

#[test]
fn model_details_cut_and_changed() {
    let text =
        br#"{"models":[{"name":"m","features":["a"]}],"limits":{"breakpoints":2},
        "anthropic":{"m":{"max_output_tokens":5}}}"#;
    assert!(mutate(text, details) > 500);
}

#[test]
fn catalogues_cut_and_changed() {
    let listed = br#"{"s":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#;
    let locked =
        br#"[{"name":"a","input_schema":{"type":"object"},"defer_loading":true}]"#;
    assert!(mutate(listed, catalogue) > 400);
    assert!(mutate(locked, catalogue) > 400);
}

#[test]
fn transcripts_cut_and_changed() {
    let mut runs = 0;
    for path in fixtures("import", "jsonl") {
        runs += mutate(&read(&path), transcripts);
    }
    assert!(runs > 5_000, "{runs}");
}

#[test]
fn values_for_schemas_cut_and_changed() {
    let bundle = br#"{"id":"1","events":[{"type":"turn_start","timestamp":5}]}"#;
    assert!(mutate(bundle, schemas) > 400);
}
