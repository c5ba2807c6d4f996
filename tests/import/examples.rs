//! Twelve small inputs, one idea each, and what becomes of them.
//!
//! Everything but `metadata` must be as the fixture has it; what `metadata` it
//! shows must be there. Kept lines that the fixture leaves out are passed over.

use super::{events, import, pass, records, run};
use crate::common::fixture;
use serde_json::Value;

fn input(name: &str) -> String {
    String::from_utf8(fixture(&format!("import/{name}.in.jsonl"))).expect("UTF-8")
}

fn output(name: &str) -> Value {
    serde_json::from_slice(&fixture(&format!("import/{name}.out.json"))).expect("JSON")
}

/// Whether all that `want` has is in `found`.
fn covers(found: &Value, want: &Value) -> bool {
    match (found, want) {
        (Value::Object(found), Value::Object(want)) => want
            .iter()
            .all(|(key, want)| found.get(key).is_some_and(|found| covers(found, want))),
        (found, want) => found == want,
    }
}

#[track_caller]
fn same(found: &Value, want: &Value, name: &str) {
    let lines: Vec<_> = events(want)
        .iter()
        .filter(|e| e["type"] == "foreign")
        .map(|e| e["line"].clone())
        .collect();
    let found_events: Vec<_> = events(found)
        .iter()
        .filter(|e| e["type"] != "foreign" || lines.contains(&e["line"]))
        .collect();
    assert_eq!(found_events.len(), events(want).len(), "{name}: {found:#}");
    for (found, want) in found_events.iter().zip(events(want)) {
        let plain = |event: &Value| {
            let mut event = event.clone();
            event.as_object_mut().expect("an entry").remove("metadata");
            event
        };
        assert_eq!(plain(found), plain(want), "{name}");
        if let Some(want) = want.get("metadata") {
            assert!(
                covers(&found["metadata"], want),
                "{name}: {found:#}\n{want:#}"
            );
        }
    }
    assert!(
        covers(&found["base_config"], &want["base_config"]),
        "{name}: {found:#}"
    );
    assert_eq!(found["encoding"], want["encoding"]);
    let facts = |record: &Value| {
        let mut inputs = record["inputs"].clone();
        inputs.as_object_mut().expect("inputs").remove("created_at");
        inputs
    };
    assert_eq!(facts(found), facts(want), "{name}");
    let stored = ["lines", "events"];
    let mut about = want["metadata"]["import"].clone();
    for key in stored.iter().filter(|_| name != "01") {
        about.as_object_mut().expect("import").remove(*key);
    }
    let got = &found["metadata"]["import"];
    assert!(covers(got, &about), "{name}: {got:#}\n{about:#}");
}

#[test]
fn the_worked_examples() {
    for (name, args) in [
        ("01", &[][..]),
        ("02", &[]),
        ("03", &[]),
        ("05", &[]),
        ("06", &[]),
        ("08", &[]),
        ("09", &[]),
        ("10", &[]),
        ("12-chat", &[]),
        ("12-sharegpt", &[]),
    ] {
        let found = import(&input(name), args);
        assert_eq!(found.len(), 1, "{name}");
        same(&found[0], &output(name), name);
    }
}

#[test]
fn a_compaction_overlays_or_cuts() {
    let found = import(&input("04"), &[]);
    same(&found[0], &output("04-overlay"), "04-overlay");
    let found = import(&input("04"), &["--compaction", "cut"]);
    same(&found[0], &output("04-cut"), "04-cut");
}

#[test]
fn a_subagent_is_a_record_of_its_own() {
    let found = import(&input("07"), &[]);
    assert_eq!(found.len(), 2);
    same(&found[0], &output("07-1"), "07-1");
    same(&found[1], &output("07-2"), "07-2");
    assert_eq!(import(&input("07"), &["--sidechains", "drop"]).len(), 1);
}

#[test]
fn a_body_there_and_back() {
    let found = run(&input("11"), &[]).ok(0);
    same(&records(&found)[0], &output("11-there"), "11-there");
    let back = pass(&["flatten", "--requests", "end"], &found).ok(0);
    let mut back: Value = serde_json::from_str(&back).expect("a body");
    let strip = |value: &mut Value| {
        for message in value.as_array_mut().expect("messages") {
            for block in message["content"].as_array_mut().expect("blocks") {
                block
                    .as_object_mut()
                    .expect("a block")
                    .remove("cache_control");
            }
        }
    };
    strip(&mut back["messages"]);
    assert_eq!(back["messages"], output("11-back"));
}

#[test]
fn the_branches_of_a_session_are_listed() {
    let ran = run(&input("03"), &["--branch", "list"]);
    insta::assert_snapshot!(ran.shown(), @r"
    0	a2	2026-03-01T09:00:03.000Z	4 lines	forks at a1	Shorter.
    1	a3	2026-03-01T09:00:10.000Z	4 lines	forks at a1	Greek, please.	active
    [out]
    [err]
    [0]
    ");
    let all = import(&input("03"), &["--branch", "all"]);
    assert_eq!(all.len(), 2);
    let by_id = import(&input("03"), &["--branch", "a2"]);
    assert_eq!(by_id[0]["events"], all[0]["events"]);
    let unknown = run(&input("03"), &["--branch", "zz"]);
    assert_eq!(unknown.status, 2, "{}", unknown.shown());
}

#[test]
fn what_is_not_on_the_path_is_told() {
    let ran = run(&input("03"), &[]);
    assert!(
        ran.stderr
            .contains("note: 2 of 6 lines belong to 1 other branch"),
        "{}",
        ran.stderr
    );
}

#[test]
fn every_command_reads_the_examples_straight() {
    for name in [
        "01",
        "02",
        "03",
        "04",
        "05",
        "06",
        "07",
        "08",
        "09",
        "10",
        "11",
        "12-chat",
        "12-sharegpt",
    ] {
        let text = input(name);
        let imported = run(&text, &[]).ok(0);
        for command in [
            &["project"][..],
            &["render"],
            &["validate", "-q"],
            &[
                "flatten",
                "--requests",
                "all",
                "--provider",
                "openai",
                "--model",
                "gpt-5.5",
            ],
        ] {
            let straight = pass(command, &text);
            let twice = pass(command, &imported);
            assert_eq!(
                straight.status,
                0,
                "{name} {command:?}: {}",
                straight.shown()
            );
            assert_eq!(straight.stdout, twice.stdout, "{name} {command:?}");
            let told = straight.stderr.contains("note: read as ");
            assert!(told || command.contains(&"-q"), "{}", straight.stderr);
        }
    }
}
