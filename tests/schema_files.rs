//! The files of `schemas/` themselves: well formed, self-contained, documented,
//! equal where they repeat each other, and right about the fixtures.

use crate::common::oracle::{Options, project, read};
use crate::common::{fixture, fixture_path, fixtures};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::path::Path;

const NAMES: [&str; 15] = [
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
    "import-report",
];

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("schemas")
        .join(format!("{name}.schema.json"));
    let bytes = std::fs::read(&path).expect("a schema");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn validator(name: &str) -> Validator {
    jsonschema::draft202012::new(&schema(name)).expect("a schema that compiles")
}

fn value(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a fixture");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn every_schema_has_its_name_and_says_what_it_is() {
    for name in NAMES {
        let schema = schema(name);
        jsonschema::meta::validate(&schema).expect("a valid schema");
        let id = format!("https://convo.invalid/schemas/{name}/1");
        assert_eq!(schema["$id"], id, "{name}");
        for key in ["title", "description"] {
            assert!(schema[key].is_string(), "{name}: {key}");
        }
    }
    assert_eq!(
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas"))
            .expect("a folder")
            .count(),
        NAMES.len(),
        "a schema is missing from the list"
    );
}

#[test]
fn the_event_schema_is_the_same_everywhere() {
    let mut event = schema("event");
    event
        .as_object_mut()
        .expect("a schema")
        .shift_remove("$schema");
    for name in ["stream", "bundle", "user-view", "plugin-response"] {
        assert!(
            schema(name)["$defs"]["event"] == event,
            "copy event.schema.json without `$schema` to $defs/event of {name}"
        );
    }
}

#[test]
fn the_summary_schema_is_the_same_in_both_files() {
    let report = schema("prefix-report");
    let summary = schema("prefix-summary");
    for key in ["type", "properties", "required"] {
        assert!(
            report["$defs"]["summary"][key] == summary[key],
            "copy $defs/summary/{key} of prefix-report.schema.json"
        );
    }
}

/// What is not described, itself or by what it refers to, and what refers to
/// something outside the file. Conditions describe nothing and are passed over.
fn undocumented(schema: &Value, path: &str, found: &mut Vec<String>) {
    for (at, item) in schema.as_array().into_iter().flatten().enumerate() {
        undocumented(item, &format!("{path}/{at}"), found);
    }
    for (key, member) in schema.as_object().into_iter().flatten() {
        let path = format!("{path}/{key}");
        if key == "$ref" && !member.to_string().starts_with("\"#/$defs/") {
            found.push(path.clone());
        }
        if key == "properties" {
            for (name, property) in member.as_object().into_iter().flatten() {
                let told = ["description", "$ref"].map(|key| property.get(key));
                if told == [None, None] {
                    found.push(format!("{path}/{name}"));
                }
            }
        }
        if !["if", "not"].contains(&key.as_str()) {
            undocumented(member, &path, found);
        }
    }
}

#[test]
fn properties_are_documented_and_references_local() {
    for name in [
        "event",
        "bundle",
        "plugin-request",
        "plugin-response",
        "prefix-report",
        "prefix-summary",
        "lint-report",
        "validate-finding",
        "preview",
        "diagnostic",
    ] {
        let mut found = Vec::new();
        undocumented(&schema(name), "", &mut found);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

#[test]
fn good_entries_are_accepted_and_bad_ones_are_not() {
    let event = validator("event");
    let stream = validator("stream");
    let bundle = validator("bundle");
    let answer = validator("plugin-response");
    for (folder, accepted) in [("events/good", true), ("events/bad", false)] {
        let paths = fixtures(folder, "json");
        assert!(paths.len() >= 40, "{folder}");
        for path in paths {
            let entry = value(&path);
            let name = path.display();
            assert_eq!(event.is_valid(&entry), accepted, "{name}");
            assert_eq!(
                event.iter_errors(&entry).count() == 1,
                !accepted,
                "one mistake, one error: {name}"
            );
            let whole = json!([entry]);
            assert_eq!(stream.is_valid(&whole), accepted, "{name}");
            let whole = json!({ "base_config": {}, "events": [entry] });
            assert_eq!(bundle.is_valid(&whole), accepted, "{name}");
            let whole =
                json!({ "type": "events", "conversation": "1", "data": [entry] });
            assert_eq!(answer.is_valid(&whole), accepted, "{name}");
        }
    }
}

#[test]
fn every_fixture_says_why_it_is_there() {
    for folder in ["events/good", "events/bad"] {
        let list = fixture(&format!("{folder}/README.md"));
        let list = String::from_utf8(list).expect("UTF-8");
        let lines: Vec<&str> = list.lines().filter(|l| l.starts_with("- `")).collect();
        let paths = fixtures(folder, "json");
        assert_eq!(lines.len(), paths.len(), "{folder}");
        for path in paths {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let start = format!("- `{stem}`: ");
            assert!(lines.iter().any(|l| l.starts_with(&start)), "{stem}");
        }
    }
    for folder in ["streams", "plugin"] {
        for extension in ["json", "jsonl"] {
            for path in fixtures(folder, extension) {
                let why = std::fs::read_to_string(path.with_extension("md"));
                let lines = why.unwrap_or_default().lines().count();
                assert_eq!(lines, 1, "{}", path.display());
            }
        }
    }
    assert!(fixture_path("workspace/README.md").exists());
}

#[test]
fn plugin_requests_fit_or_do_not() {
    let request = validator("plugin-request");
    for (name, accepted) in [("good", true), ("bad", false)] {
        let lines = fixture(&format!("plugin/requests-{name}.jsonl"));
        for line in String::from_utf8(lines).expect("UTF-8").lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(request.is_valid(&line), accepted, "{line}");
        }
    }
}

#[test]
fn answers_and_failures_of_the_plugin_protocol() {
    let answer = validator("plugin-response");
    let failure = json!({ "type": "error", "id": "r", "request": "read_events",
        "message": "no such conversation" });
    assert!(answer.is_valid(&failure));
    assert!(answer.is_valid(&json!({ "type": "error", "message": "not JSON" })));
    assert!(!answer.is_valid(&json!({ "type": "error", "data": [] })));
    assert!(!answer.is_valid(&json!({ "type": "events", "conversation": "1" })));
    let data = value(&fixture_path("streams/form-d-raw.json"));
    assert!(answer.is_valid(&data));
}

#[test]
fn every_user_view_fits_its_schema() {
    let schema = validator("user-view");
    for path in fixtures("streams", "json") {
        let bytes = std::fs::read(&path).expect("a fixture");
        for conversation in read(&bytes, false).expect("a known form") {
            for addressed_only in [false, true] {
                let options = Options {
                    addressed_only,
                    ..Options::default()
                };
                let view = project(&conversation.entries(None, false), options);
                let view = conversation.envelope(view);
                let errors: Vec<_> = schema.iter_errors(&view).collect();
                assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
            }
        }
    }
}

#[test]
fn a_user_view_is_told_from_a_raw_one() {
    let view = validator("user-view");
    for (name, accepted) in [
        ("worked-example-user", true),
        ("form-d-user", true),
        ("form-d-empty", true),
        ("form-d-raw", false),
        ("form-e-plain", false),
    ] {
        let envelope = value(&fixture_path(&format!("streams/{name}.json")));
        assert_eq!(view.is_valid(&envelope), accepted, "{name}");
    }
}
