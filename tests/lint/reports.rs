//! Reports of refused requests, restated: each body as it was sent, and the answer.

use super::{lint, seen};
use crate::common::command::run;
use convo::finding::Finding;
use convo::lint::Wanted;
use serde_json::{Value, json};

fn found(body: &Value) -> Vec<Finding> {
    lint(body, &Wanted::default())
}

/// The errors on a body: rule and path.
fn errors(body: &Value) -> Vec<(&'static str, String)> {
    let all = seen(&found(body)).into_iter();
    all.filter(|(_, severity, _)| *severity == "error")
        .map(|(rule, _, path)| (rule, path))
        .collect()
}

/// A PNG of these sides, as far as its header.
fn png(width: u32, height: u32) -> String {
    use base64::Engine as _;
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend_from_slice(&width.to_be_bytes());
    bytes.extend_from_slice(&height.to_be_bytes());
    bytes.extend_from_slice(b"\x08\x02\0\0\0\0\0\0\0");
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn picture(data: &str) -> Value {
    json!({"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": data}})
}

fn look(model: &str, mut content: Vec<Value>) -> Value {
    content.push(json!({"type": "text", "text": "look"}));
    json!({"model": model, "max_tokens": 9,
        "messages": [{"role": "user", "content": content}]})
}

/// A conversation whose one call and result have these ids, flattened.
fn flattened(model: &str, events: &Value) -> (Value, String) {
    let bundle = json!({"encoding": "plain", "base_config": {}, "events": events});
    let input = bundle.to_string();
    let ran = run(&["flatten", "--model", model], input.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    (serde_json::from_str(&ran.stdout).expect("JSON"), ran.stderr)
}

#[test]
fn report_125_a_breakpoint_on_a_thinking_block() {
    let body = json!({"model": "claude-opus-4-6", "max_tokens": 9,
        "thinking": {"type": "adaptive"}, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "t", "signature": "S",
             "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "a"}]},
        {"role": "user", "content": [{"type": "text", "text": "n"}]}]});
    let at = "/messages/1/content/0/cache_control";
    let errors = errors(&body);
    let (rule, path) = errors.first().expect("an error");
    assert_eq!(*rule, "cache-control-thinking");
    assert!(at.starts_with(path.as_str()), "{path}");
    assert_eq!(errors.len(), 1);
}

#[test]
fn report_127_one_wide_picture_among_many() {
    let mut all = vec![picture(&png(2162, 32))];
    assert_eq!(errors(&look("claude-opus-4-6", all.clone())), []);
    all.extend((0..20).map(|_| picture(&png(8, 8))));
    let body = look("claude-opus-4-6", all);
    let errors = errors(&body);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].1.starts_with("/messages/0/content/0"),
        "{errors:?}"
    );
    let found = found(&body);
    let told = format!("{} {}", found[0].message, found[0].rule.why);
    assert!(told.contains("20") && told.contains("2,000"), "{told}");
}

#[test]
fn report_129_a_call_id_longer_than_the_provider_takes() {
    let id = |end: &str| format!("call_{}{end}", "a".repeat(80));
    let body = json!({"model": "gpt-5-mini", "store": false, "input": [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "function_call", "call_id": id(""), "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": id(""), "output": "ok"}]});
    let rule = "responses-call-id-length";
    let wanted = [1, 2].map(|item| (rule, format!("/input/{item}/call_id")));
    assert_eq!(errors(&body), wanted);
    // Two ids with one start stay two, and it is told.
    let call = |id: &str| json!({"type": "tool_call_request", "id": id, "name": "f", "arguments": {}});
    let result = |id: &str| json!({"type": "tool_call_response", "id": id, "content": "ok", "is_error": false});
    let (one, two) = (id("1"), id("2"));
    let events = json!([{"type": "chat_request", "content": "go"},
        call(&one), call(&two), result(&one), result(&two)]);
    let (body, told) = flattened("openai/gpt-5-mini", &events);
    let ids = body["input"].as_array().expect("items").iter();
    let ids: Vec<_> = ids.filter_map(|item| item["call_id"].as_str()).collect();
    assert!(ids.iter().all(|id| id.len() <= 64), "{ids:?}");
    assert_eq!((ids[0], ids[1]), (ids[2], ids[3]));
    assert_ne!(ids[0], ids[1]);
    assert!(told.contains("64"), "{told}");
}

#[test]
fn report_131_parallel_calls_stored_as_two_model_turns() {
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {}}});
    let signed =
        json!({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "U0lH"});
    let answer = |name: &str| json!({"functionResponse": {"name": name, "response": {"content": "ok"}}});
    let body = |turns: &[Value]| {
        let mut contents = vec![json!({"role": "user", "parts": [{"text": "go"}]})];
        contents.extend_from_slice(turns);
        contents.push(json!({"role": "user", "parts": [answer("f"), answer("g")]}));
        json!({"contents": contents})
    };
    let wanted = Wanted {
        model: Some("gemini-3-flash-preview".to_owned()),
        ..Wanted::default()
    };
    let errors = |turns: &[Value]| {
        // The model is in the address, not in the body.
        let all = lint(
            &json!({"model": "gemini-3-flash-preview", "body": body(turns)}),
            &wanted,
        );
        seen(&all)
            .into_iter()
            .filter(|(_, severity, _)| *severity == "error")
            .collect::<Vec<_>>()
    };
    let model = |parts: &[Value]| json!({"role": "model", "parts": parts});
    let apart = errors(&[model(std::slice::from_ref(&signed)), model(&[call("g")])]);
    let first = (
        "thought-signature",
        "error",
        "/contents/2/parts/0".to_owned(),
    );
    assert!(apart.contains(&first), "{apart:?}");
    assert_eq!(errors(&[model(&[signed, call("g")])]), []);
}

#[test]
fn report_133_a_tool_name_with_a_dot_or_a_slash() {
    let schema = json!({"type": "object", "properties": {}});
    let tool =
        |name: &str| json!({"type": "function", "name": name, "parameters": schema});
    let body = |name: &str| {
        json!({"model": "gpt-5-mini", "store": false, "tools": [tool(name)],
        "input": [{"type": "message", "role": "user", "content": "go"}]})
    };
    let wanted = ("openai-tool-name-pattern", "/tools/0/name".to_owned());
    assert_eq!(errors(&body("mcp.files/read")), [wanted]);
    // 65 characters are a doubt for Responses, 129 are sure to be refused.
    let long = found(&body(&"a".repeat(65)));
    assert_eq!(long[0].rule.id, "openai-tool-name-length");
    assert_eq!(
        errors(&body(&"a".repeat(129)))[0].0,
        "openai-tool-name-length"
    );
    let google = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "tools": [{"functionDeclarations": [{"name": "1 bad name!"}]}]});
    assert_eq!(errors(&google)[0].0, "gemini-function-name");
}

#[test]
fn report_135_half_an_emoji_left_by_a_cut() {
    let cut = "sun \\ud83d cut";
    let anthropic = format!(
        "{{\"model\":\"claude-opus-5\",\"max_tokens\":9,\"messages\":[{{\"role\":\"user\",\"content\":\"{cut}\"}}]}}"
    );
    let ran = run(&["lint", "--format", "github"], anthropic.as_bytes());
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(
        ran.stdout.contains("title=lone-surrogate"),
        "{}",
        ran.stdout
    );
    for (provider, body) in [
        (
            "openai",
            format!("{{\"model\":\"gpt-5-mini\",\"input\":\"{cut}\"}}"),
        ),
        (
            "google",
            format!(
                "{{\"contents\":[{{\"role\":\"user\",\"parts\":[{{\"text\":\"{cut}\"}}]}}]}}"
            ),
        ),
        (
            "cerebras",
            format!(
                "{{\"model\":\"gpt-oss-120b\",\"messages\":[{{\"role\":\"user\",\"content\":\"{cut}\"}}]}}"
            ),
        ),
        (
            "ollama",
            format!(
                "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{cut}\"}}]}}"
            ),
        ),
    ] {
        let args = ["lint", "--format", "json", "--provider", provider];
        let ran = run(&args, body.as_bytes());
        assert!(
            ran.stdout.contains("\"rule\":\"lone-surrogate\""),
            "{provider}: {}",
            ran.shown()
        );
    }
    let events = format!(
        "[{{\"type\":\"chat_request\",\"timestamp\":\"2026-01-01 00:00:00.0\",\"content\":\"{cut}\"}}]"
    );
    let told = run(&["validate"], events.as_bytes()).ok(0);
    assert!(told.contains("[lone-surrogate]"), "{told}");
}

#[test]
fn report_159_a_picture_labelled_as_another_kind() {
    let mut wrong = picture(&png(1, 1));
    wrong["source"]["media_type"] = json!("image/jpeg");
    let body = look("claude-opus-4-6", vec![wrong]);
    let errors = errors(&body);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].0, "image-magic");
    let told = &found(&body)[0].message;
    assert!(
        told.contains("image/jpeg") && told.contains("image/png"),
        "{told}"
    );
}

#[test]
fn report_161_a_thinking_budget_not_below_max_tokens() {
    let body = |max: u64, budget: u64, temperature: Option<f64>| {
        let mut body = json!({"model": "claude-sonnet-4-5", "max_tokens": max,
            "thinking": {"type": "enabled", "budget_tokens": budget},
            "messages": [{"role": "user", "content": "go"}]});
        if let Some(temperature) = temperature {
            body["temperature"] = json!(temperature);
        }
        body
    };
    let ids = |body: &Value| {
        errors(body)
            .into_iter()
            .map(|(id, _)| id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&body(1024, 4096, None)), ["budget-max"]);
    assert_eq!(ids(&body(4096, 1000, None)), ["budget-min"]);
    assert_eq!(ids(&body(4096, 2048, Some(0.5))).len(), 1);
    assert_eq!(ids(&body(4096, 2048, None)), [""; 0]);
}

#[test]
fn report_163_a_picture_over_the_size_limit() {
    let mut data = png(64, 64);
    data.push_str(&"A".repeat(7 * 1024 * 1024 - data.len()));
    let body = look("claude-opus-4-6", vec![picture(&data)]);
    let weighs = |platform: Option<convo::model::Platform>| {
        let wanted = Wanted {
            platform,
            ..Wanted::default()
        };
        let found = lint(&body, &wanted);
        let one = found.iter().find(|one| one.rule.id == "image-bytes");
        one.expect("a finding").severity.name()
    };
    // The Claude API takes twice as much since; the clouds do not.
    assert_eq!(weighs(None), "warning");
    assert_eq!(weighs(Some(convo::model::Platform::Bedrock)), "error");
}

/// What is no request body: one line that says what it is, and status 2.
#[test]
fn what_is_no_body_is_named() {
    for (input, what) in [
        ("hello", "expected a JSON value"),
        ("", "the input is empty"),
        ("{\"a\":", "cut short"),
        ("5", "found a number"),
        ("[]", "found an array"),
        ("\u{1f}\u{8b}", ""),
        ("<!doctype html><p>502", "an HTML page"),
        ("{}", ""),
        (
            "{\"type\":\"error\",\"error\":{\"type\":\"x\",\"message\":\"y\"}}",
            "",
        ),
        (
            "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"usage\":{}}",
            "not a request body",
        ),
        (
            "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[]}",
            "not a request body",
        ),
        (
            "{\"candidates\":[{\"content\":{\"parts\":[]}}]}",
            "not a request body",
        ),
        ("{\"events\":[],\"base_config\":{}}", "stored conversation"),
        (
            "{\"requests\":[{\"custom_id\":\"a\",\"params\":{}}]}",
            "batch",
        ),
        (
            "{\"model\":\"text-embedding-3-small\",\"input\":[\"a\"],\"encoding_format\":\"float\"}",
            "embeddings",
        ),
        (
            "{\"prompt\":\"Once\",\"max_tokens_to_sample\":9}",
            "completions",
        ),
    ] {
        let ran = run(&["lint"], input.as_bytes());
        assert_eq!(ran.status, 2, "{input}: {}", ran.shown());
        assert_eq!(ran.stdout, "", "{input}");
        let lines: Vec<_> = ran.stderr.lines().collect();
        assert!(
            lines[0].starts_with("convo lint: "),
            "{input}: {}",
            ran.stderr
        );
        assert!(lines[0].contains(what), "{input}: {}", ran.stderr);
        let rest = lines[1..].iter().all(|line| line.starts_with("  hint: "));
        assert!(rest, "{input}: {}", ran.stderr);
    }
    // A body given for another provider's.
    let body = "{\"contents\":[{\"parts\":[{\"text\":\"hi\"}]}]}";
    let ran = run(&["lint", "--provider", "anthropic"], body.as_bytes());
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("not for anthropic"), "{}", ran.stderr);
}
