//! Pictures, sounds and files in the results of tools, as seven providers' bodies hold
//! them (`docs/bodies.md#pictures`): what is written is what `lint` lets pass.

use crate::common::command::run;
use serde_json::{Value, json};

/// One pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const MODELS: [(&str, bool); 10] = [
    ("anthropic/claude-opus-4-6", true),
    ("anthropic/claude-3-haiku", true),
    ("openai/gpt-5.4", true),
    ("openai/o3-mini", false),
    ("google/gemini-3-pro-preview", true),
    ("google/gemini-2.5-pro", false),
    ("openrouter/z-ai/glm", false),
    ("ollama/llama", false),
    ("llamacpp/llama", false),
    ("cerebras/gpt-oss-120b", false),
];

/// A picture of so many pixels a side: what a PNG says of itself, and no more.
fn png(side: u32) -> String {
    use base64::Engine as _;
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend_from_slice(&side.to_be_bytes());
    bytes.extend_from_slice(&1_u32.to_be_bytes());
    bytes.extend_from_slice(&[8, 6, 0, 0, 0, 0, 0, 0, 0]);
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn image(data: &str) -> Value {
    json!({"type": "image", "mimeType": "image/png", "data": data})
}

fn stream(results: &[Value], is_error: bool) -> String {
    let mut events = vec![
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "get"}),
    ];
    for (index, blocks) in results.iter().enumerate() {
        let id = format!("t{index}");
        events.push(json!({"type": "tool_call_request", "id": id, "name": "f",
            "arguments": {}}));
        events.push(
            json!({"type": "tool_call_response", "id": id, "content": blocks,
            "is_error": is_error}),
        );
    }
    events.push(json!({"type": "chat_response", "message": "ok"}));
    events.push(json!({"type": "turn_start"}));
    events.push(json!({"type": "chat_request", "content": "next"}));
    Value::Array(events).to_string()
}

/// The body, found good by `lint`, and what was told.
fn body(model: &str, events: &str) -> (String, String) {
    let ran = run(&["flatten", "--model", model], events.as_bytes());
    assert_eq!(ran.status, 0, "{model}: {}", ran.shown());
    let provider = model.split('/').next().unwrap_or_default();
    let judged = run(&["lint", "--provider", provider], ran.stdout.as_bytes());
    assert_eq!(judged.status, 0, "{model}: {}", judged.shown());
    (ran.stdout, ran.stderr)
}

#[test]
fn r155_v10_a_screenshot_reaches_models_that_take_pictures() {
    let blocks = json!([{"type": "text", "text": "shot"}, image(PNG)]);
    let events = stream(&[blocks], false);
    for (model, takes) in MODELS {
        let (body, told) = body(model, &events);
        assert_eq!(body.contains(PNG), takes, "{model}: {body}");
        let line = "[image (image/png, 70 bytes)]";
        // Gemini's pictures stand beside the text, where a line keeps the place.
        let beside = model.starts_with("google");
        assert_eq!(body.contains(line), !takes || beside, "{model}: {body}");
        assert_eq!(told.contains("sent as a line"), !takes, "{model}: {told}");
    }
    let (sent, _) = body("anthropic/claude-opus-4-6", &events);
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    assert_eq!(
        sent.pointer("/messages/2/content/0/content"),
        Some(
            &json!([{"type": "text", "text": "shot"}, {"type": "image", "source":
            {"type": "base64", "media_type": "image/png", "data": PNG}}])
        )
    );
    let (sent, _) = body("openai/gpt-5.4", &events);
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    let url = format!("data:image/png;base64,{PNG}");
    let output = json!([{"type": "input_text", "text": "shot"},
        {"type": "input_image", "detail": "auto", "image_url": url}]);
    assert!(
        sent["input"]
            .as_array()
            .is_some_and(|items| items.iter().any(|one| one["output"] == output)),
        "{sent}"
    );
    let (sent, _) = body("google/gemini-3-pro-preview", &events);
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    assert_eq!(
        sent.pointer("/contents/2/parts/0/functionResponse/parts"),
        Some(&json!([{"inlineData": {"mimeType": "image/png", "data": PNG}}]))
    );
}

#[test]
fn r159_a_picture_goes_by_its_bytes() {
    let wrong = json!([{"type": "image", "mimeType": "image/jpeg", "data": PNG}]);
    let file = json!([{"type": "resource", "resource": {"uri": "file:///a.png",
        "mimeType": "image/png", "blob": PNG}}]);
    for blocks in [wrong, file] {
        for (model, takes) in MODELS {
            let (body, _) = body(model, &stream(std::slice::from_ref(&blocks), false));
            assert_eq!(body.contains(PNG), takes, "{model}: {body}");
            assert!(!takes || !body.contains("image/jpeg\",\"data"), "{body}");
        }
    }
}

#[test]
fn v10_what_does_not_go_is_a_line() {
    let many = png(8_001);
    let cases = [
        (image("bm90IGEgcGljdHVyZQ=="), "no picture that is taken"),
        (image("not base64"), "no picture that is taken"),
        (image(&many), "longer than 8,000 pixels"),
        (
            json!({"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}),
            "results hold no sound",
        ),
    ];
    for (block, why) in cases {
        let events = stream(&[json!([block])], false);
        let (body, told) = body("anthropic/claude-opus-4-6", &events);
        assert!(body.contains(" bytes)]"), "{body}");
        assert!(!body.contains("base64\""), "{body}");
        assert!(told.contains(why), "{why}: {told}");
    }
    // A failure is text alone.
    let (sent, told) = body(
        "anthropic/claude-opus-4-6",
        &stream(&[json!([{"type": "text", "text": "no"}, image(PNG)])], true),
    );
    assert!(sent.contains("no\\n\\n[image"), "{sent}");
    assert!(told.contains("an error is text alone"), "{told}");
    // Structured content where `content` has nothing.
    for (model, _) in MODELS {
        let events = stream(&[json!([])], false).replace(
            "\"content\":[]",
            "\"content\":[],\"structuredContent\":{\"n\":41}",
        );
        let (body, _) = body(model, &events);
        assert!(body.contains(r#"{\"n\":41}"#), "{model}: {body}");
    }
}

/// With more than twenty pictures none may be wide: the later ones give way, so that
/// no earlier request changes.
#[test]
fn r163_many_pictures_keep_the_limits_and_the_prefix() {
    let wide = png(2_400);
    let narrow = png(100);
    let results: Vec<Value> = (0..25)
        .map(|index| json!([image(if index == 3 { &wide } else { &narrow })]))
        .collect();
    let events = stream(&results, false);
    let (sent, told) = body("anthropic/claude-opus-4-6", &events);
    assert_eq!(sent.matches("\"base64\"").count(), 20);
    assert!(told.contains("more than 20 pictures"), "{told}");
    let all = run(
        &[
            "flatten",
            "--requests",
            "all",
            "--model",
            "anthropic/claude-opus-4-6",
        ],
        events.as_bytes(),
    );
    assert_eq!(all.status, 0);
    let bodies: Vec<Value> = all
        .stdout
        .replace(
            ",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"5m\"}",
            "",
        )
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert!(bodies.len() > 25, "{}", bodies.len());
    for pair in bodies.windows(2) {
        let messages = |body: &Value| body["messages"].as_array().cloned();
        let (before, after) = (messages(&pair[0]), messages(&pair[1]));
        let (before, after) = (before.expect("messages"), after.expect("messages"));
        assert_eq!(before, after[..before.len()]);
    }
    // All narrow: all go.
    let results = vec![json!([image(&narrow)]); 25];
    let (sent, _) = body("anthropic/claude-opus-4-6", &stream(&results, false));
    assert_eq!(sent.matches("\"base64\"").count(), 25);
}

#[test]
fn r153_an_embedded_file_reaches_the_model_and_the_user() {
    let blocks = json!([{"type": "text", "text": "downloaded, sha 12ab"},
        {"type": "resource", "resource": {"uri": "repo://o/r/SECURITY.md",
            "mimeType": "text/plain", "text": "Report to the desk."}}]);
    let events = stream(&[blocks], false);
    for (model, _) in MODELS {
        let (body, _) = body(model, &events);
        assert!(body.contains("Report to the desk."), "{model}: {body}");
    }
    let view = run(&["project"], events.as_bytes()).ok(0);
    assert!(view.contains("Report to the desk."), "{view}");
    let shown = run(&["render", "--style", "full"], events.as_bytes());
    assert!(
        shown.stderr.contains("Report to the desk."),
        "{}",
        shown.shown()
    );
}

/// JP knows neither images nor sounds: under parity results are the text they were.
#[test]
fn parity_writes_text() {
    let events = stream(&[json!([image(PNG)])], false);
    for (model, _) in MODELS {
        let args = ["flatten", "--parity", "jp", "--model", model];
        let body = run(&args, events.as_bytes()).ok(0);
        assert!(!body.contains(PNG), "{model}: {body}");
    }
}
