//! What a body says beside the talk: sampling, tool choice, caching, files, path.

use super::*;

fn tools(names: &[&str]) -> Value {
    let tool =
        |name: &&str| json!({"name": name, "description": null, "parameters": {}});
    names.iter().map(tool).collect()
}

#[test]
fn parameters_go_where_each_provider_has_room_for_them() {
    let events = json!([ask("go")]);
    let parameters = json!({"max_tokens": 900, "temperature": 0.7, "top_p": 0.5,
        "top_k": 40, "stop_words": ["x"], "reasoning": "off",
        "other": {"context_window": 4096}});
    let wide = 0.699_999_988_079_071;
    for provider in OTHERS {
        let asked = Ask::new(provider, &events).parameters(parameters.clone());
        // A model that reasons takes no temperature of OpenAI's.
        let body = asked.on(json!({"reasoning": "unsupported"})).body();
        assert!(!body.to_string().contains("stop"), "{provider:?}");
        let text = body.to_string();
        let pick = |keys: &[&str], at: &Value| -> Vec<Value> {
            keys.iter().map(|key| at[*key].clone()).collect()
        };
        let (found, expected) = match provider {
            Provider::OpenAi => {
                let keys = ["max_output_tokens", "temperature", "top_p", "top_k"];
                (pick(&keys, &body), json!([900, 0.7, 0.5, null]))
            }
            Provider::Google => {
                let keys = ["maxOutputTokens", "temperature", "topP", "topK"];
                (
                    pick(&keys, &body["generationConfig"]),
                    json!([900, wide, 0.5, 40]),
                )
            }
            Provider::Ollama => {
                let keys = ["temperature", "top_p", "top_k", "num_ctx"];
                (pick(&keys, &body["options"]), json!([0.7, 0.5, 40, 4096]))
            }
            Provider::LlamaCpp => {
                let keys = ["max_tokens", "temperature", "top_p", "top_k"];
                (pick(&keys, &body), json!([900, wide, 0.5, null]))
            }
            Provider::Cerebras => {
                let keys = ["max_completion_tokens", "temperature", "top_p", "top_k"];
                (pick(&keys, &body), json!([900, wide, 0.5, null]))
            }
            _ => {
                assert!(!text.contains("900") && !text.contains("0.7"), "{text}");
                continue;
            }
        };
        assert_eq!(Value::from(found), expected, "{provider:?}");
    }
}

#[test]
fn openai_leaves_sampling_out_while_the_model_reasons() {
    let events = json!([ask("go")]);
    let asked = |reasoning: &str| {
        Ask::new(Provider::OpenAi, &events)
            .parameters(json!({"temperature": 0.7, "reasoning": reasoning}))
            .told()
    };
    let (body, told) = asked("auto");
    assert_eq!(body["temperature"], json!(null));
    assert!(told.contains(&"sampling-left-out"));
    let plain = Ask::new(Provider::OpenAi, &events)
        .parameters(json!({"temperature": 0.7, "reasoning": "off"}))
        .input(
            "model",
            json!({"name": "gpt-5-mini", "features": [],
            "reasoning": {"mode": "leveled", "levels": ["low"]}}),
        );
    assert_eq!(plain.body()["temperature"], json!(0.7));
}

#[test]
fn openai_parameters_of_its_own() {
    let events = json!([ask("go")]);
    let body = |features: Value, other: Value| {
        let model = json!({"name": "gpt-5-mini", "features": features});
        Ask::new(Provider::OpenAi, &events)
            .parameters(json!({"reasoning": {"effort": "low"}, "other": other}))
            .input("model", model)
            .body()
    };
    let pro = json!({"reasoning_mode": "pro", "verbosity": "low"});
    let both = body(
        json!(["reasoning_pro_mode", "persisted_reasoning"]),
        pro.clone(),
    );
    assert_eq!(
        both["reasoning"],
        json!({"effort": "low", "summary": "auto", "mode": "pro", "context": "all_turns"})
    );
    let format = json!({"format": {"type": "text"}, "verbosity": "low"});
    assert_eq!(both["text"], format);
    let none = body(json!([]), pro);
    assert_eq!(
        none["reasoning"],
        json!({"effort": "low", "summary": "auto"})
    );
    assert_eq!(none["stream"], true);
    assert_eq!(body(json!(["non_streaming"]), json!({}))["stream"], false);
}

#[test]
fn a_tool_choice_is_said_in_each_dialect() {
    let events = json!([ask("go")]);
    let named = json!({"function": "f"});
    let function = json!({"type": "function", "function": {"name": "f"}});
    for (choice, openai, google, chat, local) in [
        (
            json!("auto"),
            json!("auto"),
            ("VALIDATED", json!([])),
            json!("auto"),
            "auto",
        ),
        (
            json!("none"),
            json!("none"),
            ("NONE", json!([])),
            json!("none"),
            "none",
        ),
        (
            json!("required"),
            json!("required"),
            ("ANY", json!([])),
            json!("required"),
            "required",
        ),
        (
            named,
            json!({"name": "f", "type": "function"}),
            ("ANY", json!(["f"])),
            function,
            "required",
        ),
    ] {
        let body = |provider| {
            Ask::new(provider, &events)
                .parameters(json!({"reasoning": "off"}))
                .on(json!({"reasoning": null}))
                .input("tools", tools(&["f", "g"]))
                .input("tool_choice", choice.clone())
                .body()
        };
        assert_eq!(body(Provider::OpenAi)["tool_choice"], openai);
        let config = &body(Provider::Google)["toolConfig"]["functionCallingConfig"];
        assert_eq!(config["mode"], google.0);
        assert_eq!(config["allowedFunctionNames"], google.1);
        assert_eq!(body(Provider::OpenRouter)["tool_choice"], chat);
        assert_eq!(body(Provider::Cerebras)["tool_choice"], chat);
        let llamacpp = body(Provider::LlamaCpp);
        assert_eq!(llamacpp["tool_choice"], local);
        let alone = choice.is_object();
        let sent = llamacpp["tools"].as_array().map(Vec::len);
        assert_eq!(sent, Some(if alone { 1 } else { 2 }));
        let ollama = body(Provider::Ollama);
        assert_eq!(ollama.get("tool_choice"), None);
        let last = ollama["messages"]
            .as_array()
            .and_then(|all| all.last().cloned());
        let nudge = last.expect("a message");
        let forced = choice == json!("required") || alone;
        assert_eq!(nudge["role"] == "system", forced, "{choice}");
        if alone {
            let text = nudge["content"].as_str().expect("text");
            assert!(text.starts_with(
                "IMPORTANT: You MUST use the function named 'f' available to you. DO NOT"
            ));
        }
    }
}

#[test]
fn openrouter_puts_a_forced_choice_in_words_while_the_model_reasons() {
    let events = json!([ask("go")]);
    let (body, told) = Ask::new(Provider::OpenRouter, &events)
        .parameters(json!({"reasoning": {"effort": "low"}}))
        .input("tools", tools(&["f", "g"]))
        .input("tool_choice", json!({"function": "f"}))
        .input("system_parts", json!(["A", "B"]))
        .told();
    assert_eq!(body["tool_choice"], "auto");
    assert!(told.contains(&"forced-choice"));
    let text = body["messages"][0]["content"][0]["text"]
        .as_str()
        .expect("text");
    assert!(text.starts_with("IMPORTANT: You MUST call the tool named 'f'. DO NOT"));
    assert_eq!(body["messages"][1]["content"][0]["text"], "A");
}

#[test]
fn openrouter_marks_the_ends_of_the_system_message_for_two_vendors() {
    let events = json!([ask("go")]);
    let marks = |model: &'static str, parts: Value| {
        let mut asked =
            Ask::new(Provider::OpenRouter, &events).input("system_parts", parts);
        asked.model = model;
        let body = asked.body();
        let parts = body["messages"][0]["content"]
            .as_array()
            .expect("parts")
            .clone();
        let marked = |part: &Value| part.get("cache_control").is_some();
        parts.iter().map(marked).collect::<Vec<_>>()
    };
    let three = json!(["A", "B", "C"]);
    let model = "anthropic/claude-opus-5";
    assert_eq!(marks(model, three.clone()), [true, false, true]);
    assert_eq!(marks(model, json!(["A"])), [true]);
    assert_eq!(marks("google/gemini", three.clone()), [true, false, true]);
    assert_eq!(marks("openai/gpt-5-mini", three), [false, false, false]);
}

#[test]
fn openai_caches_by_a_key_and_by_marks() {
    let events = |cache: &str| {
        json!([{"type": "config_delta", "delta": {"assistant":
            {"request": {"cache": cache}}}}, ask("go")])
    };
    let body = |cache: &str, model: &'static str| {
        let mut asked = Ask::new(Provider::OpenAi, &events(cache));
        asked.model = model;
        asked
            .input("system_parts", json!(["A", "B"]))
            .input("attachments", json!([{"source": "s", "text": "t"}]))
            .body()
    };
    let marks =
        |body: &Value| body.to_string().matches("prompt_cache_breakpoint").count();
    let plain = body("short", "gpt-5-mini");
    assert_eq!(
        plain["prompt_cache_key"],
        "jp:conversation:1577836800000000"
    );
    assert_eq!(marks(&plain), 0);
    let marked = body("short", "gpt-5.6");
    assert_eq!(marks(&marked), 2);
    let last = &marked["input"][0]["content"][1];
    assert_eq!(last["prompt_cache_breakpoint"], json!({"mode": "explicit"}));
    for (model, options) in [
        ("gpt-5.6", json!({"mode": "explicit"})),
        ("gpt-5-mini", json!(null)),
    ] {
        let off = body("off", model);
        assert_eq!(off.get("prompt_cache_key"), None);
        assert_eq!(off["prompt_cache_options"], options);
        assert_eq!(marks(&off), 0);
    }
    let mut asked = Ask::new(Provider::OpenAi, &json!([ask("go")]));
    asked.bundle["inputs"] = json!({});
    let (body, told) = asked.told();
    assert_eq!(body.get("prompt_cache_key"), None);
    assert!(told.contains(&"no-cache-key"));
}

#[test]
fn files_come_before_the_talk() {
    let files = json!([{"source": "a.png", "media_type": "image/png", "data": "AAEC"},
        {"source": "n.txt", "text": "hi"},
        {"source": "b.pdf", "media_type": "application/pdf", "data": "AAED"}]);
    let xml = "<documents>\n  <document>\n    <index>1</index>\n    \
               <source>n.txt</source>\n    <content>hi</content>\n  </document>\n\
               </documents>";
    let events = json!([ask("go")]);
    let body = |provider| {
        Ask::new(provider, &events)
            .input("attachments", files.clone())
            .input("system_parts", json!(["S"]))
            .told()
    };
    let png = "data:image/png;base64,AAEC";
    let input = |text: &str| json!({"type": "input_text", "text": text});
    assert_eq!(
        body(Provider::OpenAi).0["input"][1]["content"],
        json!([input(xml), input("[Attached file: a.png]"),
            {"type": "input_image", "detail": "auto", "file_id": null, "image_url": png},
            input("[Attached file: b.pdf]"),
            {"type": "input_file", "file_data": "data:application/pdf;base64,AAED",
             "filename": "b.pdf"}])
    );
    assert_eq!(
        body(Provider::Google).0["contents"][0],
        json!({"parts": [{"text": xml}, {"text": "[Attached file: a.png]"},
            {"inlineData": {"mimeType": "image/png", "data": "AAEC"}},
            {"text": "[Attached file: b.pdf]"},
            {"inlineData": {"mimeType": "application/pdf", "data": "AAED"}}],
            "role": "user"})
    );
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        body(Provider::OpenRouter).0["messages"][1]["content"],
        json!([text(xml), text("[Attached file: a.png]"),
            {"type": "image_url", "image_url": {"url": png}},
            text("[Attached file: b.pdf]"),
            {"type": "file", "file": {"filename": "b.pdf",
             "file_data": "data:application/pdf;base64,AAED"}}])
    );
    for provider in [Provider::Ollama, Provider::LlamaCpp, Provider::Cerebras] {
        let (body, told) = body(provider);
        assert_eq!(body["messages"][1]["role"], "system");
        assert_eq!(body["messages"][1]["content"], xml);
        assert!(told.contains(&"attachment-left-out"), "{provider:?}");
        let pictures = &body["messages"][2];
        match provider {
            Provider::Ollama => assert_eq!(pictures["images"], json!(["AAEC"])),
            Provider::LlamaCpp => assert_eq!(
                pictures["content"],
                json!([{"type": "image_url", "image_url": {"url": png}}])
            ),
            _ => assert_eq!(pictures["content"], "go"),
        }
    }
}

#[test]
fn requests_name_their_path() {
    use convo::provider::Format;
    let events = json!([ask("go")]);
    for (provider, path) in [
        (Provider::OpenAi, "/v1/responses"),
        (
            Provider::Google,
            "/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse",
        ),
        (Provider::OpenRouter, "/api/v1/chat/completions"),
        (Provider::Ollama, "/api/chat"),
        (Provider::LlamaCpp, "/v1/chat/completions"),
        (Provider::Cerebras, "/v1/chat/completions"),
    ] {
        let bytes = Ask::new(provider, &events).bundle.to_string();
        let options = Options {
            format: Format::Request,
            ..options(provider.name(), Some(model(provider)))
        };
        let (lines, _) = lines(bytes.as_bytes(), &options).expect("a request");
        let request: Value = serde_json::from_slice(&lines[0]).expect("JSON");
        assert_eq!(request["path"], path);
        assert_eq!(request["body"], Ask::new(provider, &events).body());
    }
}
