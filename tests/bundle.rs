//! `convo bundle`: what a line holds, and which directories are found.

use crate::common::command::{run, run_in};
use serde_json::Value;

const HOME: &str = "fixtures/workspace/.jp/conversations";

fn lines(args: &[&str]) -> Vec<Value> {
    let args = [&["bundle"], args].concat();
    run(&args, b"")
        .ok(0)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["id"].as_str().expect("text"))
        .collect()
}

#[test]
fn a_workspace_is_walked_in_order_of_id() {
    let live = ["17882496000", "17882568000", "17883360000"];
    for root in ["fixtures/workspace", "fixtures/workspace/.jp", HOME] {
        assert_eq!(ids(&lines(&[root])), live, "{root}");
    }
    let all = lines(&["--archived", "fixtures/workspace"]);
    assert_eq!(ids(&all), [&live[..], &["17870000000"]].concat());
}

#[test]
fn the_base_of_form_a_stands_beside_its_events() {
    let found =
        lines(&["fixtures/workspace/.jp/conversations/17883360000-leading-delta"]);
    assert_eq!(
        found[0]["events"][0]["type"], "config_delta",
        "an ordinary delta"
    );
    assert!(found[0]["base_config"]["assistant"].is_object());
    assert_eq!(found[0]["inputs"]["created_at"], "2026-09-02T08:00:00Z");
    assert_eq!(found[0]["encoding"], "storage");
}

#[test]
fn the_base_of_form_b_leaves_the_events_in_both_shapes() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, first, created) in [
        (
            "10-a",
            r#"{"type":"config_delta","timestamp":"2026-01-30 08:00:00.5","delta":{"assistant":{"name":"x"}}}"#,
            "2026-01-30T08:00:00.5Z",
        ),
        (
            "20-b",
            r#"{"type":"config_delta","timestamp":"2025-12-04 09:28:23.2","assistant":{"name":"x"},"claims":{},"event_id":"e"}"#,
            "2025-12-04T09:28:23.2Z",
        ),
        ("30", r#"{"type":"config_delta"}"#, "1970-01-01T00:00:03Z"),
    ] {
        let home = folder.path().join("conversations").join(name);
        std::fs::create_dir_all(&home).expect("a folder");
        let events = format!("[ {first} ,{{\"type\":\"turn_start\" }}]");
        std::fs::write(home.join("events.json"), events).expect("written");
        let out = run_in(&home, &["bundle", "."], b"").ok(0);
        let bundle: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(bundle["events"], serde_json::json!([{"type":"turn_start"}]));
        assert_eq!(bundle["inputs"]["created_at"], created, "{name}");
        let base = match name {
            "30" => serde_json::json!({}),
            _ => serde_json::json!({"assistant":{"name":"x"}}),
        };
        assert_eq!(bundle["base_config"], base, "{name}");
        assert_eq!(bundle["id"].as_str(), name.split('-').next());
    }
}

#[test]
fn bundles_are_valid_and_project_to_what_their_directory_projects_to() {
    let bundles = run(&["bundle", "--archived", "fixtures/workspace"], b"").ok(0);
    assert_eq!(run(&["validate", "-q"], bundles.as_bytes()).ok(0), "");
    for line in bundles.lines() {
        let bundle: Value = serde_json::from_str(line).expect("JSON");
        let id = bundle["id"].as_str().expect("text");
        let view = run(&["project", "--output", "array"], line.as_bytes()).ok(0);
        let homes = [HOME.to_owned(), format!("{HOME}/.archive")];
        let home = homes
            .iter()
            .flat_map(|folder| std::fs::read_dir(folder).expect("a folder"))
            .map(|entry| entry.expect("an entry").path())
            .find(|path| {
                path.file_name()
                    .is_some_and(|n| n.to_string_lossy().starts_with(id))
            })
            .expect("its directory");
        let direct = run(
            &[
                "project",
                "--output",
                "array",
                home.to_str().expect("UTF-8"),
            ],
            b"",
        );
        assert_eq!(view, direct.ok(0));
    }
}

#[test]
fn a_broken_directory_does_not_cost_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = |name: &str| folder.path().join(".jp/conversations").join(name);
    for (name, events) in [
        ("1-good", Some("[]")),
        ("2-cut", Some("[{")),
        ("3-none", None),
        (
            "4-view",
            Some(r#"{"data":[{"type":"tool_call_response","id":"1"}]}"#),
        ),
        ("5-gzip", Some("\u{1f}\u{fffd}")),
        ("6-good", Some("\u{feff}[]")),
    ] {
        std::fs::create_dir_all(home(name)).expect("a folder");
        if let Some(events) = events {
            std::fs::write(home(name).join("events.json"), events).expect("written");
        }
    }
    let root = folder.path().to_str().expect("UTF-8");
    let ran = run(&["bundle", root], b"");
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.shown());
    assert_eq!(ran.status, 1);
    for part in ["2-cut", "3-none", "4-view", "5-gzip"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    assert!(
        ran.stderr.contains("looks like a user view"),
        "{}",
        ran.stderr
    );
    let strict = run(&["bundle", "--strict", root], b"");
    assert_eq!((strict.stdout.lines().count(), strict.status), (1, 1));
    assert_eq!(run(&["bundle", "no-such-directory"], b"").status, 2);
    assert_eq!(run(&["bundle"], b"").status, 2);
}
