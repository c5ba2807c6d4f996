//! `convo validate` and `convo schema`.

use crate::common::command::run;
use crate::common::fixtures;
use convo::json::Raw;
use std::fmt::Write as _;

#[test]
fn every_finding_has_its_path_and_byte() {
    let input =
        br#"[{"type":"chat_request","timestamp":"x","content":5},{"type":"note"}]"#;
    let ran = run(&["validate", "--format", "json"], input);
    let found: Vec<serde_json::Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let places: Vec<_> = found
        .iter()
        .map(|f| {
            (
                f["severity"].as_str().expect("text"),
                f["path"].as_str().expect("text"),
                f["byte"].as_u64(),
            )
        })
        .collect();
    assert_eq!(
        places,
        [
            ("error", "/0/timestamp", Some(36)),
            ("error", "/0/content", Some(50)),
            ("warning", "/1", Some(53)),
        ]
    );
    assert_eq!(found[0]["conversation"], 0);
    assert_eq!(found[0]["event"], 0);
    assert_eq!(ran.status, 1);
}

#[test]
fn good_events_have_no_error_and_bad_ones_have() {
    for (folder, status) in [("events/good", 0), ("events/bad", 1)] {
        for path in fixtures(folder, "json") {
            let entry = std::fs::read_to_string(&path).expect("a fixture");
            let ran = run(&["validate"], format!("[{entry}]").as_bytes());
            assert_eq!(ran.status, status, "{}: {}", path.display(), ran.shown());
        }
    }
}

#[test]
fn every_stream_fixture_is_valid() {
    for extension in ["json", "jsonl"] {
        for path in fixtures("streams", extension) {
            let ran = run(&["validate", "-q", path.to_str().expect("UTF-8")], b"");
            assert_eq!(ran.shown(), "[out]\n[err]\n[0]\n", "{}", path.display());
        }
    }
}

#[test]
fn containers_are_checked_too() {
    let bundle = br#"{"id":5,"base_config":{},"events":[{"type":"chat_request"}]}"#;
    let out = run(&["validate"], bundle).ok(1);
    assert!(out.contains("at /id, byte 6: error"), "{out}");
    assert!(
        out.contains(
            "event 1, at /events/0, byte 35: error: the key content is missing"
        ),
        "{out}"
    );
    let view = br#"{"data":[{"type":"tool_call_response","id":"1","content":"x"},{"type":"compaction"}]}"#;
    assert_eq!(run(&["validate"], view).status, 1);
}

#[test]
fn a_schema_can_be_named() {
    let good = std::fs::read("fixtures/plugin/requests-good.jsonl").expect("a fixture");
    assert_eq!(
        run(&["validate", "--schema", "plugin-request"], &good).ok(0),
        ""
    );
    let bad = std::fs::read("fixtures/plugin/requests-bad.jsonl").expect("a fixture");
    assert_eq!(
        run(&["validate", "--schema", "plugin-request"], &bad).status,
        1
    );
}

#[test]
fn remarks_are_warnings() {
    let input = br#"[{"type":"turn_start","event_id":"","timestamp":"2026-01-01 00:00:00.0"},{"type":"tool_call_request","timestamp":"2026-01-01 00:00:00.0","id":"a","name":"f","arguments":{"x":"\ud800","x":1}},{"type":"tool_call_response","id":"b","content":[{"type":"text"}]}]"#;
    let out = run(&["validate"], input).ok(0);
    for rule in [
        "turn-start-key",
        "entry-id",
        "open-call",
        "lone-surrogate",
        "duplicate-key",
        "orphan-response",
        "missing-timestamp",
        "missing-is-error",
        "block-shape",
    ] {
        assert!(out.contains(&format!("[{rule}]")), "{rule}: {out}");
    }
    assert_eq!(run(&["validate", "-q"], input).ok(0), "");
}

/// Every rule of `validate` has a stream that fails, one that passes, and where there
/// is such a thing one that looks like an offender and is legal.
#[test]
fn every_rule_has_its_examples() {
    let text = include_str!("../fixtures/validate/examples.jsonl");
    let lines = text
        .lines()
        .map(|line| Raw::parse(line.as_bytes()).expect(line));
    let lines: Vec<_> = lines.collect();
    for rule in convo::show::rules::all() {
        if rule.family != "validate"
            && !["audience", "missing-content", "lone-surrogate"].contains(&rule.id)
        {
            continue;
        }
        let named = |line: &&Raw<'_>| {
            line.get("rule")
                .and_then(Raw::as_text)
                .is_some_and(|id| id.is(rule.id))
        };
        let line = lines
            .iter()
            .find(named)
            .unwrap_or_else(|| panic!("no {}", rule.id));
        for (key, found) in [("fail", true), ("pass", false), ("legal", false)] {
            let Some(stream) = line.get(key) else {
                assert_eq!(key, "legal", "{}", rule.id);
                continue;
            };
            let ran = run(&["validate", "--audience"], stream.bytes());
            let told = ran.stdout.contains(&format!("[{}]", rule.id));
            assert_eq!(told, found, "{} {key}: {}", rule.id, ran.shown());
            let error = found && rule.id.starts_with("schema-");
            assert_eq!(
                ran.status,
                i32::from(error),
                "{} {key}: {}",
                rule.id,
                ran.shown()
            );
        }
        let text = run(&["lint", "--explain", rule.id], b"").ok(0);
        assert!(
            text.contains("    fail: ") || text.contains("fail ("),
            "{text}"
        );
    }
}

/// The writers of `lint` serve `validate` too.
#[test]
fn findings_are_written_in_four_formats() {
    let path = "fixtures/streams/reused-ids.json";
    let github = run(&["validate", "--format", "github", path], b"").ok(0);
    let first = github.lines().next().expect("a line");
    let head = format!("::warning file={path},line=");
    assert!(first.starts_with(&head), "{first}");
    let sarif = run(&["validate", "--format", "sarif", path, path], b"").ok(0);
    let log: serde_sarif::sarif::Sarif = serde_json::from_str(&sarif).expect("SARIF");
    let results = log.runs[0].results.as_ref().expect("results");
    assert_eq!(results.len(), 2 * github.lines().count());
    let json = run(&["validate", "--format", "json", path], b"").ok(0);
    let json: serde_json::Value =
        serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    let text = std::fs::read_to_string(path).expect("a fixture");
    let line = usize::try_from(json["line"].as_u64().expect("a line")).expect("small");
    let byte = usize::try_from(json["byte"].as_u64().expect("a byte")).expect("small");
    assert_eq!(text[..byte].matches('\n').count() + 1, line);
    assert!(!json["hint"].as_str().expect("a hint").is_empty());
    // What is refused stands in the log too.
    let ran = run(
        &["validate", "--format", "sarif", path, "-"],
        b"[]\n{\"a\":",
    );
    assert_eq!(ran.status, 1, "{}", ran.shown());
    let log: serde_json::Value = serde_json::from_str(&ran.stdout).expect("SARIF");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let told = &invocation["toolExecutionNotifications"][0]["descriptor"]["id"];
    assert_eq!(told, "json-syntax");
}

#[test]
fn many_findings_cost_linear_time() {
    let mut input = "[{\"type\":\"inquiry_request\",\"id\":\"1\",\"source\":{\"source\":\"user\"},\"question\":{\"text\":\"\",\"answer_type\":{\"type\":\"select\",\"options\":[".to_owned();
    for n in 0..60_000 {
        let _ = write!(
            input,
            "{}{{\"k\":1,\"k\":{n}}}",
            if n == 0 { "" } else { "," }
        );
    }
    input.push_str("]}}}]");
    let out = run(&["validate"], input.as_bytes()).ok(1);
    assert_eq!(out.matches(": error: ").count(), 60_000);
    assert_eq!(out.matches("[duplicate-key]").count(), 60_000);
}

#[test]
fn schemas_are_listed_and_printed() {
    let list = run(&["schema"], b"").ok(0);
    let names: Vec<_> = list
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        names,
        [
            "event",
            "stream",
            "bundle",
            "user-view",
            "plugin-request",
            "plugin-response",
            "prefix-report",
            "prefix-summary",
            "lint-report",
            "validate-finding",
            "preview",
            "diagnostic",
            "models",
            "list",
            "import-report"
        ]
    );
    for name in names {
        let printed = run(&["schema", name], b"").ok(0);
        let file = std::fs::read_to_string(format!("schemas/{name}.schema.json"));
        assert_eq!(printed, file.expect("a schema"));
    }
    assert_eq!(run(&["schema", "nothing"], b"").status, 2);
}
