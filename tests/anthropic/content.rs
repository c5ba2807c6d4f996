//! Documents, structured answers, schemas, an answer that broke off.

use super::{OPUS, body, body_of};
use crate::common::bodies::{bodies_in, outline};
use convo::config::Mode;
use convo::provider::Requests;
use serde_json::{Value, json};

#[test]
fn attachments_are_documents_of_the_first_user_message() {
    let inputs = json!({"attachments": [
        {"source": "a.txt", "text": "A", "description": "about"},
        {"source": "p.pdf", "media_type": "application/pdf", "data": "UA=="},
        {"source": "i.png", "media_type": "image/png", "data": "SQ=="},
        {"source": "z.zip", "media_type": "application/zip", "data": "Wg=="}]});
    let (body, _) = body(OPUS, &json!({}), &inputs, Mode::Convo);
    let blocks = body["messages"][0]["content"].as_array().expect("blocks");
    assert_eq!(blocks.len(), 4);
    assert_eq!(
        blocks[0].to_string(),
        r#"{"type":"document","source":{"type":"text","data":"A","media_type":"text/plain"},"#
            .to_owned() + r#""title":"a.txt","context":"about"}"#
    );
    assert_eq!(
        blocks[1]["source"],
        json!({"type": "base64", "data": "UA==",
        "media_type": "application/pdf"})
    );
    assert_eq!(
        blocks[2]["source"],
        json!({"type": "content", "content": [{"type": "image",
        "source": {"type": "base64", "data": "SQ==", "media_type": "image/png"}}]})
    );
    assert_eq!(blocks[2]["cache_control"]["ttl"], "5m");
    assert_eq!(blocks[3]["text"], "hi");
}

#[test]
fn a_schema_is_reduced_and_the_rest_put_into_words() {
    let schema = json!({"title": "T", "type": "object", "x": 1, "$defs": {"d": {"type": "string",
        "format": "email", "minLength": 2}}, "description": "D", "properties": {
            "a": {"type": "array", "items": {"$ref": "#/$defs/d", "x": 2}, "minItems": 2},
            "b": {"oneOf": [{"type": "null"}, {"type": "string", "format": "odd"}]},
            "c": {"enum": ["x", "y"], "type": "string"}},
        "additionalProperties": true, "required": ["a"]});
    let events = json!([{"type": "chat_request", "content": "hi", "schema": schema}]);
    let (body, _) = body_of(OPUS, &json!({}), &json!({}), Mode::Convo, &events);
    let sent = &body["output_config"]["format"];
    assert_eq!(sent["type"], "json_schema");
    assert_eq!(
        sent["schema"],
        json!({"title": "T", "$defs": {"d": {"type": "string", "format": "email",
            "description": "{minLength: 2}"}}, "type": "object", "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/d"},
                    "description": "{minItems: 2}"},
                "b": {"anyOf": [{"type": "null"}, {"type": "string",
                    "description": "{format: \"odd\"}"}]},
                "c": {"type": "string", "description": "{enum: [\"x\",\"y\"]}"}},
            "additionalProperties": false, "required": ["a"],
            "description": "D\n\n{x: 1}"})
    );
}

#[test]
fn parity_goes_on_with_an_answer_that_broke_off() {
    let thought = |metadata: Value| {
        json!({"type": "chat_response", "reasoning": "plan",
        "metadata": metadata})
    };
    let own = json!({"type": "config_delta", "delta": {"assistant": {"model": {
        "id": "anthropic/claude-opus-4-8"}}}});
    let signed = thought(json!({"anthropic_thinking_signature": "S"}));
    let redacted = thought(json!({"anthropic_redacted_thinking": "R"}));
    let events = json!([own, {"type": "chat_request", "content": "go"}, signed, redacted,
        {"type": "chat_response", "message": "so"}]);
    let (jp, _) = bodies_in(&events, Requests::End, Mode::Jp);
    let go_on = "user: \"Continue your response exactly from where you left off. Do not repeat \
        content you already produced.\"";
    let told = [
        "user: \"go\"",
        "assistant: \"<think>\nplan\n</think>\n\n\" \"so\"",
        go_on,
    ];
    assert_eq!(outline(&jp[0]), told);
    let (own, _) = bodies_in(&events, Requests::End, Mode::Convo);
    let told = [
        "user: \"go\"",
        "assistant: thinking(plan, S) redacted(R) \"so\"",
    ];
    assert_eq!(outline(&own[0]), told);
}

#[test]
fn structured_answers_are_replayed_as_compact_text() {
    let events = json!([{"type": "chat_request", "content": "go"},
        {"type": "chat_response", "data": {"score": 3, "why": ["a b", null]}},
        {"type": "chat_request", "content": "more"}]);
    let (bodies, _) = bodies_in(&events, Requests::Last, Mode::Convo);
    let text = &bodies[0]["messages"][1]["content"][0]["text"];
    assert_eq!(text, r#"{"score":3,"why":["a b",null]}"#);
}
