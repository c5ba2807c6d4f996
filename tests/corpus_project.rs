//! `convo project` over every stored conversation of the corpus, in every way in:
//! directory, file, archive, bundles; equal to the slow implementation.

use crate::common::command::run;
use crate::common::corpus::{cases, report};
use crate::common::oracle::{self, Options};
use serde_json::Value;
use std::path::Path;

fn slow(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path.join("events.json")).expect("events");
    let base_given = path.join("base_config.json").is_file();
    let conversations = oracle::read(&bytes, base_given).expect("a conversation");
    oracle::project(&conversations[0].entries(None, false), Options::default())
}

fn data(line: &str) -> Vec<Value> {
    let mut envelope: Value = serde_json::from_str(line).expect("JSON");
    match envelope["data"].take() {
        Value::Array(entries) => entries,
        other => panic!("no entries: {other}"),
    }
}

#[test]
fn every_way_in_equals_the_slow_implementation() {
    let homes = cases("conversations");
    let mut archive = Vec::new();
    let mut expected = Vec::new();
    for home in &homes {
        let name = home.to_str().expect("UTF-8");
        let view = slow(home);
        let from_directory = run(&["project", name], b"");
        assert_eq!(from_directory.stderr, "", "{name}");
        assert_eq!(data(&from_directory.stdout), view, "{name}");
        let events = home.join("events.json");
        let from_file = run(&["project", events.to_str().expect("UTF-8")], b"");
        assert_eq!(data(&from_file.stdout), view, "{name}");
        archive.extend(std::fs::read(events).expect("events"));
        expected.push(view);
    }
    if let Some(folder) = homes.first().and_then(|home| home.parent()) {
        let bundles = run(&["bundle", folder.to_str().expect("UTF-8")], b"").ok(0);
        for jobs in ["1", "4"] {
            for input in [&archive[..], bundles.as_bytes()] {
                let out = run(&["project", "-j", jobs], input).ok(0);
                let views: Vec<_> = out.lines().map(data).collect();
                assert!(views == expected, "-j {jobs}");
            }
        }
    }
    report("project", homes.len());
}

#[test]
fn every_stored_conversation_is_valid() {
    let homes = cases("conversations");
    for home in &homes {
        let out = run(&["validate", home.to_str().expect("UTF-8")], b"").ok(0);
        assert!(!out.contains(": error: "), "{out}");
    }
    report("validate", homes.len());
}
