//! `convo read-events`: JP's plugin protocol.

use crate::common::command::run;
use crate::common::fixture;
use serde_json::Value;

const ARGS: [&str; 3] = ["read-events", "--workspace", "fixtures/workspace"];

fn ask(requests: &str) -> Vec<Value> {
    run(&ARGS, requests.as_bytes())
        .ok(0)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn every_good_request_gets_its_events_and_every_bad_one_a_failure() {
    for (file, expected) in [("good", "events"), ("bad", "error")] {
        let requests = fixture(&format!("plugin/requests-{file}.jsonl"));
        let text = String::from_utf8(requests).expect("UTF-8");
        let answers = ask(&text);
        assert_eq!(
            answers.len(),
            text.lines().filter(|l| !l.trim().is_empty()).count()
        );
        let lines: Vec<u8> = answers
            .iter()
            .flat_map(|answer| format!("{answer}\n").into_bytes())
            .collect();
        assert_eq!(
            run(&["validate", "--schema", "plugin-response"], &lines).ok(0),
            ""
        );
        for answer in answers {
            assert_eq!(answer["type"], expected, "{answer}");
            assert!(
                answer
                    .as_object()
                    .expect("object")
                    .values()
                    .all(|v| !v.is_null())
            );
        }
    }
}

#[test]
fn answers_echo_what_was_asked() {
    let answers = ask(concat!(
        r#"{"type":"read_events","id":"a","conversation":"jp-c17882496000","view":"user"}"#,
        "\n",
        r#"{"type":"read_events","conversation":"17882568000"}"#,
        "\n",
        r#"{"type":"read_events","id":"c","conversation":"404"}"#,
        "\nnot json\n",
        r#"{"type":"stop","id":"e"}"#,
    ));
    assert_eq!(answers.len(), 5);
    assert_eq!(
        (&answers[0]["id"], &answers[0]["conversation"]),
        (&"a".into(), &"jp-c17882496000".into())
    );
    assert!(answers[1].get("id").is_none());
    assert_eq!(answers[2]["request"], "read_events");
    assert_eq!(answers[2]["message"], "no conversation 404");
    assert!(answers[3].get("request").is_none());
    assert_eq!(answers[4]["id"], "e");
}

#[test]
fn raw_holds_every_entry_plain_and_never_the_base() {
    let answers = ask(concat!(
        r#"{"type":"read_events","conversation":"17870000000"}"#,
        "\n",
        r#"{"type":"read_events","conversation":"17883360000"}"#,
    ));
    let kinds = |answer: &Value| -> Vec<String> {
        let entries = answer["data"].as_array().expect("entries");
        entries
            .iter()
            .map(|e| e["type"].as_str().expect("text").to_owned())
            .collect()
    };
    assert!(
        !kinds(&answers[0]).contains(&"config_delta".to_owned()),
        "form B's base"
    );
    assert_eq!(
        kinds(&answers[1])[0],
        "config_delta",
        "form A's first delta is no base"
    );
}

#[test]
fn the_user_view_is_the_one_project_writes() {
    let request =
        r#"{"type":"read_events","conversation":"17882496000","view":"user"}"#;
    let answer = &ask(request)[0];
    let home = "fixtures/workspace/.jp/conversations/17882496000";
    let projected: Value =
        serde_json::from_str(&run(&["project", home], b"").ok(0)).expect("JSON");
    assert_eq!(answer["data"], projected["data"]);
}

#[test]
fn a_line_too_long_to_keep_is_one_failure() {
    let request = r#"{"type":"read_events","conversation":"17882496000"}"#;
    let long = format!("{{\"type\":\"{}\"}}\n{request}\n", "x".repeat(3_000_000));
    let answers = ask(&long);
    assert_eq!(answers.len(), 2);
    assert_eq!(
        (&answers[0]["type"], &answers[1]["type"]),
        (&"error".into(), &"events".into())
    );
    assert_eq!(run(&["read-events", "--workspace", "src"], b"").status, 2);
}

#[test]
fn what_is_passed_over_is_told_on_standard_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join(".jp/conversations/1-x");
    std::fs::create_dir_all(&home).expect("a folder");
    let events = r#"[{"type":"tool_call_response","id":"1"},{"type":"chat_request"}]"#;
    std::fs::write(home.join("events.json"), events).expect("written");
    let root = folder.path().to_str().expect("UTF-8");
    let request = br#"{"type":"read_events","conversation":"1"}"#;
    let strict = run(&["read-events", "--workspace", root], request);
    assert!(
        strict
            .stdout
            .starts_with(r#"{"type":"error","request":"read_events""#)
    );
    let ran = run(&["read-events", "--lenient", "--workspace", root], request);
    for part in ["1-x", "it is read as []", "the key content is missing"] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    let expected = format!(r#"{{"type":"events","conversation":"1","data":{events}}}"#);
    assert_eq!(ran.ok(0).trim_end(), expected);
}

#[test]
fn live_conversations_come_before_archived_ones_and_hidden_ones_never() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join(".jp/conversations");
    for (home, text) in [
        ("1-live", "live"),
        (".archive/1", "archived"),
        (".archive/2-a-b", "archived"),
        (".trash/3", "rejected"),
        (".hidden-4", "hidden"),
    ] {
        std::fs::create_dir_all(root.join(home)).expect("a folder");
        let events = format!(r#"[{{"type":"chat_response","message":"{text}"}}]"#);
        std::fs::write(root.join(home).join("events.json"), events).expect("written");
    }
    let ask = |id: &str| {
        let request = format!(r#"{{"type":"read_events","conversation":"{id}"}}"#);
        let workspace = folder.path().to_str().expect("UTF-8");
        run(
            &["read-events", "--workspace", workspace],
            request.as_bytes(),
        )
        .ok(0)
    };
    assert!(ask("1").contains("\"live\""));
    assert!(ask("jp-c2").contains("\"archived\""));
    for id in ["3", "4", "5", "", "jp-c", "1-live", "jp-1", "-1", "١"] {
        assert!(ask(id).starts_with(r#"{"type":"error""#), "{id}");
    }
}
