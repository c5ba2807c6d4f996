//! `flatten` from outside: selection, forms, bad input, batches.

use crate::common::command::{Ran, run};
use convo::provider::Options;
use serde_json::{Value, json};

const MODEL: &str = "anthropic/claude-opus-4-8";

fn stream(events: &Value) -> Vec<u8> {
    let mut all = vec![
        json!({"type": "config_delta", "timestamp": "2026-01-01 00:00:00.0",
        "delta": {"assistant": {"model": {"id": MODEL}}}}),
    ];
    all.extend(events.as_array().expect("events").iter().cloned());
    for (index, event) in all.iter_mut().enumerate() {
        event["timestamp"] = json!(format!("2026-01-01 00:00:{index:02}.0"));
    }
    Value::from(all).to_string().into_bytes()
}

fn talk() -> Vec<u8> {
    stream(
        &json!([{"type": "turn_start"}, {"type": "chat_request", "content": "hi"},
        {"type": "chat_response", "message": "yo"},
        {"type": "turn_start"}, {"type": "chat_request", "content": "more"}]),
    )
}

fn flatten(args: &[&str], input: &[u8]) -> Ran {
    run(&[&["flatten"], args].concat(), input)
}

/// Status and standard error of a refusal; nothing may be on standard output.
#[track_caller]
fn refused(args: &[&str], input: &[u8], status: i32, words: &[&str]) {
    let ran = flatten(args, input);
    assert_eq!(
        (ran.stdout.as_str(), ran.status),
        ("", status),
        "{}",
        ran.shown()
    );
    for word in words {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.shown());
    }
}

#[test]
fn the_last_body_is_the_default() {
    let ran = flatten(&[], &talk());
    insta::assert_snapshot!(ran.shown(), @r#"
    {"model":"claude-opus-4-8","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","content":[{"type":"text","text":"yo"}]},{"role":"user","content":[{"type":"text","text":"more"}]}],"max_tokens":128000,"thinking":{"type":"adaptive","display":"summarized"},"stream":true,"system":[{"type":"text","text":"You are a helpful assistant.","cache_control":{"type":"ephemeral","ttl":"5m"}}],"output_config":{"effort":"high"},"cache_control":{"type":"ephemeral","ttl":"5m"}}
    [out]
    [err]
    [0]
    "#);
}

#[test]
fn requests_are_chosen_by_name_or_number() {
    let count = |args: &[&str]| {
        let out = flatten(args, &talk()).ok(0);
        let bodies: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let length =
            |body: &Value| body["messages"].as_array().expect("messages").len();
        bodies.iter().map(length).collect::<Vec<_>>()
    };
    assert_eq!(count(&["--requests", "all"]), [1, 3]);
    assert_eq!(count(&["--requests", "1"]), [1]);
    assert_eq!(count(&["--requests", "2"]), [3]);
    assert_eq!(count(&["--requests", "end"]), [3]);
    let ended = stream(&json!([{"type": "chat_request", "content": "hi"},
        {"type": "chat_response", "message": "yo"}]));
    let ran = flatten(&["--requests", "end"], &ended);
    assert!(
        ran.stderr.contains("a user message must follow"),
        "{}",
        ran.shown()
    );
    assert_eq!(ran.status, 0);
}

#[test]
fn a_request_has_its_headers_and_no_credentials() {
    let mut facts = tempfile::NamedTempFile::new().expect("a file");
    let betas =
        r#"{"beta_headers":["context-editing-2025-06-27","interleaved-thinking-x"]}"#;
    std::io::Write::write_all(&mut facts, betas.as_bytes()).expect("written");
    let facts = facts.path().to_str().expect("a path");
    let args = ["--format", "request", "--inputs", facts];
    let out = flatten(&args, &talk()).ok(0);
    let request: Value = serde_json::from_str(&out).expect("JSON");
    let keys: Vec<_> = request.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["method", "path", "headers", "body"]);
    assert_eq!(
        request["headers"],
        json!({"content-type": "application/json", "anthropic-version": "2023-06-01",
            "anthropic-beta": "context-editing-2025-06-27"})
    );
    assert_eq!(request["path"], "/v1/messages");
}

#[test]
fn pretty_is_the_same_value() {
    let out = flatten(&["--pretty"], &talk()).ok(0);
    assert!(
        out.starts_with("{\n  \"model\": \"claude-opus-4-8\",\n"),
        "{out}"
    );
    let one: Value = serde_json::from_str(&out).expect("JSON");
    let other: Value =
        serde_json::from_str(&flatten(&[], &talk()).ok(0)).expect("JSON");
    assert_eq!(one, other);
    assert_eq!(
        serde_json::to_string_pretty(&one).expect("JSON"),
        out.trim_end()
    );
}

#[test]
fn every_mistake_has_its_own_message() {
    let user = br#"{"data":[{"type":"chat_request","timestamp":"2026-01-01 00:00:00.0","content":"x"},
        {"type":"tool_call_response","timestamp":"2026-01-01 00:00:00.0","id":"a","content":"x"}]}"#;
    refused(&[], user, 2, &["user view"]);
    let ask = json!([{"type": "chat_request", "timestamp": "2026-01-01 00:00:00.0",
        "content": "x"}]);
    let ask = ask.to_string().into_bytes();
    refused(&[], &ask, 2, &["names no model", "--model PROVIDER/NAME"]);
    refused(
        &["--model", "opus"],
        &ask,
        2,
        &["no provider is known to have model `opus`", "PROVIDER/opus"],
    );
    refused(
        &["--model", "deepseek/x", "--provider", "deepseek"],
        &ask,
        2,
        &["deepseek"],
    );
    let with = |id: &str| {
        let text = String::from_utf8(talk()).expect("UTF-8");
        text.replace(MODEL, id).into_bytes()
    };
    refused(&[], &with("nobody"), 2, &["alias `nobody`", "--model"]);
    refused(&[], &with("xai/grok"), 2, &["provider `xai`", "--provider"]);
    assert_eq!(flatten(&["--model", MODEL], &with("nobody")).status, 0);
    let ran = flatten(&[], &with("anthropic/claude-who"));
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert!(
        ran.stderr
            .contains("nothing is known of anthropic's model `claude-who`")
    );
    refused(
        &["--requests", "3"],
        &talk(),
        2,
        &["request 3", "has 2", "1 to 2"],
    );
    refused(&["--requests", "0"], &talk(), 2, &["count from 1"]);
    refused(
        &["--requests", "first"],
        &talk(),
        2,
        &["last, all, end or a number"],
    );
    let silent = stream(&json!([{"type": "chat_request", "content": " "}]));
    refused(&[], &silent, 2, &["found none", "conversation 1"]);
    refused(&[], b"[]", 2, &["found none"]);
    let other = ["--provider", "openai"];
    refused(&other, &talk(), 2, &["openai"]);
}

#[test]
fn an_inputs_file_that_does_not_fit_is_refused_with_its_path() {
    let try_inputs = |text: &str, words: &[&str]| {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("written");
        let path = file.path().to_str().expect("a path");
        refused(&["--inputs", path], &talk(), 2, words);
    };
    try_inputs("{", &["expected", "found"]);
    try_inputs("[]", &["an object", "an array"]);
    try_inputs(r#"{"tools": {}}"#, &["/tools", "an array"]);
    try_inputs(r#"{"tools": [{}]}"#, &["/tools/0", "`name`"]);
    try_inputs(r#"{"system_parts": [1]}"#, &["/system_parts/0", "a string"]);
    try_inputs(
        r#"{"attachments": [{"source": "x"}]}"#,
        &["/attachments/0", "`source`"],
    );
    try_inputs(r#"{"tool_choice": 1}"#, &["/tool_choice"]);
    refused(
        &["--inputs", "/nowhere"],
        &talk(),
        2,
        &["--inputs", "cannot be read"],
    );
    let bundle = json!({"base_config": {}, "events": [], "inputs": {"model": 1}});
    refused(&[], bundle.to_string().as_bytes(), 2, &["/inputs/model"]);
}

#[test]
fn a_batch_goes_on_and_is_the_same_at_any_number_of_jobs() {
    let line = |bytes: &[u8]| [bytes, b"\n"].concat();
    let bad = line(br#"[{"type":"chat_request","timestamp":"2026-01-01 00:00:00.0"}]"#);
    let input = [line(&talk()), bad, line(&talk()), line(b"[]")].concat();
    let one = flatten(&["-j", "1", "--requests", "all"], &input);
    let four = flatten(&["-j", "4", "--requests", "all"], &input);
    assert_eq!((&one.stdout, one.status), (&four.stdout, 1));
    assert_eq!(one.stderr, four.stderr);
    assert_eq!(one.stdout.lines().count(), 4);
    assert!(
        one.stderr.contains("conversation 2") && one.stderr.contains("conversation 4")
    );
}

#[test]
fn details_of_a_model_may_be_given() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    let text = r#"{"models":[{"provider":"anthropic","id":"claude-opus-4-8","max_output_tokens":9,
        "reasoning":"unsupported"}]}"#;
    std::io::Write::write_all(&mut file, text.as_bytes()).expect("written");
    let path = file.path().to_str().expect("a path");
    let out = flatten(&["--model-details", path], &talk()).ok(0);
    let body: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(body["max_tokens"], 9);
    assert!(body.get("thinking").is_none());
}

#[test]
fn a_changed_head_is_told() {
    let delta = |content: &str| {
        json!({"type": "config_delta", "delta": {"assistant": {
        "system_prompt_sections": [{"content": content}]}}})
    };
    let events = json!([{"type": "chat_request", "content": "q"},
        {"type": "chat_response", "message": "a"}, delta("C"),
        {"type": "turn_start"}, {"type": "chat_request", "content": "r"}]);
    let ran = flatten(&[], &stream(&events));
    assert!(
        ran.stderr.contains("request 2: the system prompt changed"),
        "{}",
        ran.shown()
    );
    let body: Value = serde_json::from_str(&ran.ok(0)).expect("JSON");
    assert_eq!(body["system"][1]["text"], "C");
}

#[test]
fn resources_of_a_request_are_not_dropped_in_silence() {
    let resource = json!({"uri": "file:///a", "text": "a"});
    let with = |resources: Value| {
        let request =
            json!({"type": "chat_request", "content": "q", "resources": resources});
        flatten(&[], &stream(&json!([request]))).stderr
    };
    let told = with(json!([resource]));
    assert!(told.contains("resources of 1 request left out"), "{told}");
    let told = with(json!([]));
    assert!(!told.contains("resources"), "{told}");
}

/// A body stands for itself: those before the one that cannot be written are out, at
/// any `--jobs`.
#[test]
fn bodies_made_before_a_refusal_stay() {
    let switch = json!({"type": "config_delta",
        "delta": {"assistant": {"model": {"id": "nobody/x"}}}});
    let mut events: Vec<Value> = serde_json::from_slice(&talk()).expect("JSON");
    events.insert(4, switch);
    let bad = serde_json::to_vec(&events).expect("JSON");
    let both = [&bad[..], b"\n", &talk()].concat();
    let whole = flatten(&["--requests", "all"], &talk()).ok(0);
    let first = whole.lines().next().expect("a body");
    for jobs in ["1", "3"] {
        let ran = flatten(&["--requests", "all", "-j", jobs], &both);
        assert_eq!(ran.stdout, format!("{first}\n{whole}"), "{}", ran.shown());
        assert_eq!(ran.status, 1);
        assert!(ran.stderr.contains("nobody"), "{}", ran.stderr);
        let ran = flatten(&["--requests", "all", "-j", jobs], &bad);
        assert_eq!((ran.stdout, ran.status), (format!("{first}\n"), 1));
        let ran = flatten(&["-j", jobs], &bad);
        assert_eq!((ran.stdout, ran.status), (String::new(), 2));
    }
}

/// Each body is handed over when it is made: no more than one is held.
#[test]
fn bodies_are_handed_over_one_by_one() {
    use crate::common::bodies::{conversation, options};
    use convo::provider::{Requests, each_body};
    let bytes = talk();
    let options = Options {
        requests: Requests::All,
        ..options("anthropic", None)
    };
    let mut sizes = Vec::new();
    let read = conversation(&bytes);
    each_body(&read, &options, &mut Vec::new(), &mut |body| {
        assert!(
            body.ends_with(b"}\n") && body.iter().filter(|b| **b == b'\n').count() == 1
        );
        sizes.push(body.len());
        Ok(())
    })
    .expect("bodies");
    assert_eq!(sizes.len(), 2);
    assert!(sizes[0] < sizes[1]);
    // The first that cannot be taken is the last that is made.
    let mut count = 0;
    let stopped = each_body(&read, &options, &mut Vec::new(), &mut |_| {
        count += 1;
        let full = convo::error::ErrorKind::Output;
        Err(convo::error::Error::new(full, "full", "full"))
    });
    assert_eq!((count, stopped.expect_err("it stops").code), (1, "full"));
}
