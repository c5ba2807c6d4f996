//! Bad input: told, and the body is still one the provider takes, or refused.

use super::*;
use crate::common::command::run;

#[test]
fn deepseek_and_xai_are_known_and_refused() {
    for provider in ["deepseek", "xai"] {
        let events = json!([
            {"type": "config_delta", "delta": {"assistant": {"model": {"id":
                format!("{provider}/some-model")}}}},
            {"type": "chat_request", "content": "go"}]);
        let args = ["flatten", "--encoding", "plain"];
        let ran = run(&args, events.to_string().as_bytes());
        assert_eq!(
            (ran.stdout.as_str(), ran.status),
            ("", 2),
            "{}",
            ran.shown()
        );
        let why = format!("no request body can be written for provider `{provider}`");
        assert!(ran.stderr.contains(&why), "{}", ran.shown());
        assert!(ran.stderr.contains("cerebras"), "{}", ran.shown());
        // In the middle of a stream it is history like any other.
        let events = json!([events[0], events[1], {"type": "chat_response",
            "message": "x"}, {"type": "config_delta", "delta": {"assistant": {"model":
            {"id": "cerebras/gpt-oss-120b"}}}}, {"type": "chat_request",
            "content": "on"}]);
        let ran = run(&args, events.to_string().as_bytes());
        assert_eq!(ran.status, 0, "{}", ran.shown());
        assert!(ran.stdout.starts_with("{\"model\":\"gpt-oss-120b\""));
    }
}

#[test]
fn a_tool_whose_name_is_refused_is_left_out_and_told() {
    let long = "x".repeat(65);
    for (name, takers) in [
        (
            "fs.read",
            &[Provider::Google, Provider::Ollama, Provider::LlamaCpp][..],
        ),
        (
            "1st",
            &[
                Provider::OpenAi,
                Provider::OpenRouter,
                Provider::Ollama,
                Provider::LlamaCpp,
                Provider::Cerebras,
            ],
        ),
        (&long, &[Provider::Ollama, Provider::LlamaCpp]),
        ("", &[]),
    ] {
        let tools = json!([{"name": name, "description": null, "parameters": {}}]);
        for provider in OTHERS {
            let asked = Ask::new(provider, &json!([ask("go")]))
                .input("tools", tools.clone())
                .input("tool_choice", json!({"function": name}));
            let (body, told) = asked.told();
            let tools = body["tools"].as_array().map_or(0, Vec::len);
            let takes = takers.contains(&provider);
            assert_eq!(tools == 1, takes, "{provider:?} {name}");
            assert_eq!(!told.contains(&"tool-name"), takes, "{provider:?} {told:?}");
        }
    }
}

#[test]
fn schemas_that_cannot_be_said_are_told() {
    let with = |schema: Value, provider| {
        let request =
            json!({"type": "chat_request", "content": "go", "schema": schema});
        Ask::new(provider, &json!([request])).try_all()
    };
    let list = json!({"type": "array", "items": {"type": "string"}});
    let error = with(list, Provider::OpenAi).expect_err("no object");
    assert_eq!(error.code, "schema-root");
    let tree = json!({"type": "object", "properties": {"a": {"$ref": "#", "title": "t"}}, "required": ["a"]});
    let (bodies, told) = with(tree.clone(), Provider::OpenAi).expect("a body");
    let format = &bodies[0]["text"]["format"];
    assert_eq!(
        (&format["schema"], &format["strict"]),
        (&tree, &json!(false))
    );
    assert!(told.contains(&"schema-not-strict"));
}

#[test]
fn hostile_schemas_cost_no_more_than_they_are_long() {
    // Each definition names the next one twice.
    let mut definitions = serde_json::Map::new();
    for index in 0..60 {
        let next = json!({"$ref": format!("#/$defs/{}", index + 1), "title": "t"});
        definitions.insert(
            index.to_string(),
            json!({"type": "object", "properties": {"a": next, "b": next}}),
        );
    }
    definitions.insert("60".to_owned(), json!({"type": "string"}));
    let bomb = json!({"type": "object", "$defs": definitions,
        "properties": {"a": {"$ref": "#/$defs/0", "title": "t"}}});
    let open = "{\"type\":\"array\",\"items\":".repeat(50_000);
    let deep = format!("{open}{{}}{}", "}".repeat(50_000));
    let deep = format!("{{\"type\":\"object\",\"properties\":{{\"a\":{deep}}}}}");
    for provider in OTHERS {
        for schema in [bomb.to_string(), deep.clone()] {
            let events = format!(
                "{{\"base_config\":{{}},\"encoding\":\"plain\",\"events\":[{{\"type\":\
                 \"chat_request\",\"content\":\"go\",\"schema\":{schema}}}]}}"
            );
            let options = options(provider.name(), Some(model(provider)));
            let done = lines(events.as_bytes(), &options);
            if let Ok((lines, _)) = done {
                assert!(
                    lines[0].len() < 4 * events.len() + 1_000_000,
                    "{provider:?}"
                );
            }
        }
    }
}

#[test]
fn odd_files_and_numbers_are_no_trouble() {
    for provider in Provider::ALL {
        let asked = Ask::new(provider, &json!([ask("go")]))
            .parameters(json!({"temperature": 1e300, "top_p": "x", "max_tokens": -1,
                "top_k": 1.5, "reasoning": {"effort": {"absolute": u64::MAX}}}))
            .input(
                "attachments",
                json!([{"source": "", "text": "]]><"}, {"source": "\"", "media_type": "",
                        "data": "not base64"}]),
            );
        let body = asked.body();
        assert!(body.is_object(), "{provider:?}");
    }
}
