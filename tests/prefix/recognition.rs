//! Whose request it is, and what is no request at all.

use crate::common::command::run;
use serde_json::{Value, json};

fn chat(time: &str) -> Value {
    json!({"model": "m", "messages": [
        {"role": "system", "content": format!("It is {time}. {}", "Be brief. ".repeat(900))},
        {"role": "user", "content": "go"}]})
}

fn har(url: &str) -> String {
    let entry = |time: &str| {
        json!({"request": {"method": "POST", "url": url,
            "postData": {"text": chat(time).to_string()}}})
    };
    json!({"log": {"entries": [entry("10:00:01"), entry("10:00:02")]}}).to_string()
}

#[test]
fn the_address_names_the_provider() {
    let args = ["diff-cache-prefix", "--format", "json"];
    for (url, provider) in [
        ("https://api.openai.com/v1/chat/completions", "openai"),
        (
            "https://openrouter.ai/api/v1/chat/completions",
            "openrouter",
        ),
        ("https://api.cerebras.ai/v1/chat/completions", "cerebras"),
    ] {
        let out = run(&args, har(url).as_bytes()).ok(1);
        let report: Value =
            serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
        assert_eq!(report["provider"], provider);
        assert_ne!(report["verdict"], "hit", "{report:#}");
        assert_eq!(report["divergences"][0]["cause"], "clock");
        assert!(
            !report.to_string().contains("provider-guessed"),
            "{report:#}"
        );
    }
}

#[test]
fn chat_completions_are_read_under_openai_and_not_under_google() {
    let line = |time: &str| format!("{}\n", chat(time));
    let input = line("10:00:01") + &line("10:00:02");
    let args = |provider| {
        [
            "diff-cache-prefix",
            "--format",
            "json",
            "--provider",
            provider,
        ]
    };
    let out = run(&args("openai"), input.as_bytes()).ok(1);
    assert!(out.contains(r#""verdict":"miss""#), "{out}");
    let told = run(&args("google"), input.as_bytes());
    assert_eq!(told.status, 2, "{}", told.shown());
    assert!(told.stderr.contains("no `contents`"), "{}", told.stderr);
    assert!(
        told.stderr.contains("leave out --provider"),
        "{}",
        told.stderr
    );
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": "x"}]}]});
    for provider in ["openai", "openrouter", "llamacpp", "anthropic"] {
        let told = run(&args(provider), format!("{gemini}\n{gemini}\n").as_bytes());
        assert_eq!(told.status, 2, "{provider}: {}", told.shown());
    }
}

#[test]
fn what_is_no_request_is_named_with_what_to_do() {
    let batch =
        format!("{}\n", json!({"custom_id": "1", "params": chat("now")})).repeat(2);
    let session = json!({"type": "user", "sessionId": "s", "parentUuid": null,
        "message": {"role": "user", "content": "hi"}});
    let rollout = json!({"timestamp": "t", "type": "response_item", "payload": {}});
    for (input, code, words) in [
        (
            b"\x89PNG\r\n\x1a\n\0\0".to_vec(),
            "not-json",
            "a PNG picture",
        ),
        (
            b"<!DOCTYPE html><html></html>".to_vec(),
            "not-json",
            "an HTML page",
        ),
        (b"%PDF-1.7".to_vec(), "not-json", "a PDF"),
        (batch.into_bytes(), "batch", "jq -c .params"),
        (
            format!("{session}\n").into_bytes(),
            "transcript",
            "convo import",
        ),
        (
            format!("{rollout}\n").into_bytes(),
            "transcript",
            "convo import",
        ),
    ] {
        let args = ["diff-cache-prefix", "--message-format", "json"];
        let told = run(&args, &input);
        assert_eq!(told.status, 2, "{words}: {}", told.shown());
        let first = told.stderr.lines().next().expect("a message");
        let told: Value = serde_json::from_str(first).expect("JSON");
        assert_eq!(told["code"], code, "{told}");
        assert!(told.to_string().contains(words), "{told}");
    }
}
