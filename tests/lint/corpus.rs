//! Real bodies: every recorded Anthropic body, and those JP writes from whole
//! conversations, lint without an error, or with the ones their data causes.

use super::{errors, lint_bytes, with};
use crate::common::command::run;
use crate::common::corpus::{cases, corpus, report};
use convo::body::Provider;
use convo::lint::{Wanted, check};
use serde_json::Value;
use std::io::Read as _;
use std::path::PathBuf;

/// All corpus files with a body, as (name, bytes), sorted.
fn bodies(part: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let folders = cases(part).into_iter().filter(|path| path.is_dir());
    for folder in folders {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        for file in files {
            let bytes = std::fs::read(&file).expect("a file");
            let mut plain = Vec::new();
            if file.extension().is_some_and(|end| end == "gz") {
                flate2::read::GzDecoder::new(bytes.as_slice())
                    .read_to_end(&mut plain)
                    .expect("gzip");
            } else {
                plain = bytes;
            }
            let folder = folder.file_name().unwrap_or_default().to_string_lossy();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            found.push((format!("{folder}/{name}"), plain));
        }
    }
    found
}

/// The errors of a corpus file's body, each with its path.
fn found(name: &str, bytes: &[u8]) -> (Provider, Vec<(&'static str, String)>) {
    let file: Value = serde_json::from_slice(bytes).expect(name);
    let model = file["inputs"]["model"]["name"].as_str().map(str::to_owned);
    let capture = serde_json::json!({"headers": {}, "body": file["body"]}).to_string();
    let wanted = Wanted {
        model,
        ..Wanted::default()
    };
    with(
        capture.as_bytes(),
        None,
        &wanted,
        |body, capture, profile| {
            let found = check(body, capture.bytes(), profile);
            let all = found
                .iter()
                .filter(|one| errors(std::slice::from_ref(one)) != [""; 0]);
            let list = all.map(|one| (one.rule.id, one.path.clone())).collect();
            (body.provider, list)
        },
    )
    .unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn recorded_bodies_have_no_errors() {
    let mut count = 0;
    for (name, bytes) in bodies("providers") {
        if name.ends_with("wire-constants.json") {
            continue;
        }
        let (provider, errors) = found(&name, &bytes);
        assert!(
            name.starts_with(provider.name()),
            "{name}: taken for {provider:?}"
        );
        assert!(errors.is_empty(), "{name}: {errors:?}");
        count += 1;
    }
    report("lint of recorded bodies", count);
    assert!(corpus().is_none() || count == 147, "{count}");
}

/// The errors that the stored data really causes.
fn expected(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        // The stream ends with the assistant and thinking is on, which rules out
        // going on from its words on models that otherwise would.
        "17653152345/anthropic-asis.json.gz" => {
            &[("prefill-unsupported", "/messages/13")]
        }
        "17659773217/anthropic-asis.json.gz" => {
            &[("prefill-unsupported", "/messages/11")]
        }
        "17662304290/anthropic-asis.json.gz" => {
            &[("prefill-unsupported", "/messages/21")]
        }
        // JP asks `gpt-5-mini` for an effort that the model does not know.
        "17800836875/openai-next.json.gz" => {
            &[("openai-effort-model", "/reasoning/effort")]
        }
        // The stored conversation calls a tool twice under one id, and JP replays
        // ids as they are; `asis` ends with the assistant besides.
        "17671120783/anthropic-asis.json.gz" => &[
            ("tool-use-id-duplicate", "/messages/15/content/0/id"),
            ("prefill-unsupported", "/messages/19"),
        ],
        "17671120783/anthropic-next.json.gz" => {
            &[("tool-use-id-duplicate", "/messages/15/content/0/id")]
        }
        _ => &[],
    }
}

#[test]
fn bodies_of_whole_conversations_have_only_the_errors_of_their_data() {
    let mut count = 0;
    for (name, bytes) in bodies("jp-bodies") {
        let (provider, errors) = found(&name, &bytes);
        assert!(
            name.contains(provider.name()),
            "{name}: taken for {provider:?}"
        );
        let errors: Vec<_> = errors
            .iter()
            .map(|(id, path)| (*id, path.as_str()))
            .collect();
        assert_eq!(errors, expected(&name), "{name}");
        count += 1;
    }
    report("lint of bodies written by JP", count);
    assert!(corpus().is_none() || count == 80, "{count}");
}

/// Of a conversation's many bodies the first, the last and every eighth; of a long
/// one's the last.
#[test]
fn bodies_that_flatten_writes_have_no_errors() {
    let mut count = 0;
    for conversation in cases("conversations") {
        let path = conversation.to_str().expect("UTF-8");
        let size = std::fs::metadata(conversation.join("events.json"));
        let long = size.expect("a file").len() > 500_000;
        let requests = if long { "last" } else { "all" };
        for model in ["claude-opus-4-6", "claude-opus-5-5"] {
            let args = [
                "flatten",
                "--provider",
                "anthropic",
                "--model",
                model,
                "--requests",
                requests,
                path,
            ];
            let bodies = run(&args, b"").ok(0);
            let lines: Vec<_> = bodies.lines().collect();
            for (index, line) in lines.iter().enumerate() {
                if index % 8 > 0 && index + 1 < lines.len() {
                    continue;
                }
                let capture = format!(r#"{{"headers":{{}},"body":{line}}}"#);
                let found = lint_bytes(capture.as_bytes(), &Wanted::default());
                let found = found.expect("a body");
                assert_eq!(errors(&found), [""; 0], "{path} {index}: {found:#?}");
                count += 1;
            }
        }
    }
    report("lint of bodies that flatten writes", count);
}
