//! `convo tell-user`: run as a local tool would be, its result in a stream, and
//! what each reader of that stream gets (`docs/views.md#tell-user`).

use crate::common::command::run;
use crate::common::screen::{replay, screen};
use convo::block::Encoding;
use convo::render::Settings;

const MESSAGE: &str = "**3 of 7** files done.\n\n- `a.rs`\n";

fn arguments() -> String {
    serde_json::json!({ "message": MESSAGE }).to_string()
}

fn content() -> serde_json::Value {
    let out = run(&["tell-user"], arguments().as_bytes()).ok(0);
    let result: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    result["content"].clone()
}

fn stream() -> String {
    serde_json::json!([
        {"type":"turn_start","timestamp":"2026-09-01 10:00:00.0"},
        {"type":"chat_request","timestamp":"2026-09-01 10:00:00.1","content":"Migrate it"},
        {"type":"tool_call_request","timestamp":"2026-09-01 10:00:05.0","id":"c1",
         "name":"tell_user","arguments":{"message":MESSAGE}},
        {"type":"tool_call_response","timestamp":"2026-09-01 10:00:05.1","id":"c1",
         "is_error":false,"content":content()},
        {"type":"chat_response","timestamp":"2026-09-01 10:00:09.0","message":"Finished."}
    ])
    .to_string()
}

/// The tool's style as `--config` registers it.
const BASE: &str = r#"{"assistant":{"model":{"id":"anthropic/claude-opus-4-6"}},
  "conversation":{"tools":{"tell_user":{"source":"local",
    "style":{"header":"off","parameters":"off","results_file_link":"off",
    "inline_results":{"user":"chat","assistant":"off"}}}}}}"#;

#[test]
fn two_blocks_the_message_verbatim() {
    assert_eq!(
        content(),
        serde_json::json!([
            {"type":"text","text":MESSAGE,"mimeType":"text/markdown",
             "annotations":{"audience":["user"]}},
            {"type":"text","text":"Message shown to user.",
             "annotations":{"audience":["assistant"]}}
        ])
    );
    let given = run(&["tell-user", &arguments()], b"").ok(0);
    assert_eq!(given, run(&["tell-user"], arguments().as_bytes()).ok(0));
}

#[test]
fn anything_else_is_refused_with_the_reason() {
    for (input, reason) in [
        ("", "expected a JSON object, found an empty input"),
        ("{", "the arguments are not JSON"),
        (r#"{"message":"\ud800"}"#, "half a surrogate pair"),
        ("[]", "found an array"),
        ("{}", "`message` is missing"),
        (r#"{"message":5}"#, "`message` is a number"),
        (r#"{"message":null}"#, "`message` is null"),
        (r#"{"message":"  "}"#, "`message` is empty"),
        (r#"{"message":"x","tone":"y"}"#, "the argument `tone`"),
        (r#"{"message":"x"} {}"#, "the arguments are not JSON"),
    ] {
        let ran = run(&["tell-user"], input.as_bytes());
        assert_eq!(ran.status, 2, "{input}");
        assert!(ran.stderr.contains(reason), "{}", ran.shown());
        // V13: the model reads it as the result of its call.
        let result: serde_json::Value =
            serde_json::from_str(&ran.stdout).expect("a result");
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn the_user_view_carries_only_the_message() {
    let out = run(&["project", "--encoding", "plain"], stream().as_bytes()).ok(0);
    assert!(
        out.contains("3 of 7") && !out.contains("Message shown"),
        "{out}"
    );
    let view: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let content = &view["data"][2]["content"];
    assert_eq!(content.as_array().map(Vec::len), Some(1));
}

#[test]
fn the_tool_result_of_a_body_carries_only_the_acknowledgement() {
    let input = format!(
        r#"{{"base_config":{BASE},"events":{},"encoding":"plain"}}"#,
        stream()
    );
    let args = ["flatten", "--provider", "anthropic", "--encoding", "plain"];
    let out = run(&args, input.as_bytes()).ok(0);
    let body: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let messages = body["messages"].to_string();
    let results: Vec<&serde_json::Value> = body["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .filter(|block| block["type"] == "tool_result")
        .collect();
    assert_eq!(results.len(), 1, "{messages}");
    let result = results[0]["content"].to_string();
    assert!(result.contains("Message shown to user."), "{result}");
    assert!(!result.contains("3 of 7"), "{result}");
    // The call keeps its argument.
    assert!(messages.contains("tool_use") && messages.contains("3 of 7"));
}

#[test]
fn the_terminal_shows_it_as_speech_without_chrome() {
    let settings = Settings::default();
    let shown = screen(BASE, &stream(), &settings);
    assert_eq!(shown.err, "");
    assert!(
        shown
            .out
            .contains("\n**3 of 7** files done.\n\n- `a.rs`\n\nFinished.\n"),
        "{}",
        shown.out
    );
    let live = replay(BASE, &stream(), &settings, Encoding::Plain, true);
    assert_eq!(live, shown);
}

#[test]
fn the_configuration_registers_it_with_that_style() {
    let config = run(&["tell-user", "--config"], b"").ok(0);
    for line in [
        "[conversation.tools.tell_user]",
        "source = \"local\"",
        "enable = { state = true, allow_toggle = \"if_named\" }",
        "run = \"unattended\"",
        "result = \"unattended\"",
        "header = \"off\"",
        "parameters = \"off\"",
        "results_file_link = \"off\"",
        "inline_results = { user = \"chat\", assistant = \"off\" }",
    ] {
        assert!(
            config.lines().any(|found| found == line),
            "{line}\n{config}"
        );
    }
}

#[test]
fn definition_and_elicitation_say_when_to_use_it() {
    let out = run(&["tell-user", "--definition"], b"").ok(0);
    let definition: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(definition["name"], "tell_user");
    let schema = &definition["input_schema"];
    assert_eq!(schema["required"], serde_json::json!(["message"]));
    let words = definition["description"].as_str().unwrap_or_default();
    for part in [
        "directly to the user",
        "specific numbers",
        "partial deliverables",
        "direct answer",
        "verbatim as chat",
        "acknowledgement",
        "turn goes on",
        "final answer",
    ] {
        assert!(words.contains(part), "{part}");
    }
    let passage = run(&["tell-user", "--elicitation"], b"").ok(0);
    assert!(passage.contains("`tell_user`") && passage.len() < 800);
    assert_eq!(
        run(&["tell-user", "--definition", "--config"], b"").status,
        2
    );
}
