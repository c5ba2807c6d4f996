//! Reasoning sent back, and reasoning asked for (`docs/bodies.md#reasoning`, `docs/bodies.md#openai`, `docs/bodies.md#cerebras`).

use super::*;

fn signed(text: &str, metadata: Value) -> Value {
    let mut event = think(text);
    event["metadata"] = metadata;
    event
}

#[test]
fn entry_8_reasoning_goes_as_each_provider_takes_it() {
    let anthropic = json!({"anthropic_thinking_signature": "SIG1"});
    for reasoning in [signed("plan", anthropic), think("plan")] {
        let events = json!([ask("go"), reasoning, call("t1"), result("t1", "ok")]);
        for provider in OTHERS {
            let said = Ask::new(provider, &events).said();
            let expected = match provider {
                Provider::OpenAi => Some("say \"<think>\\nplan\\n</think>\\n\\n\""),
                Provider::OpenRouter => None,
                _ => Some("think \"plan\""),
            };
            let found = (said.len() == 4).then(|| said[1].as_str());
            assert_eq!(found, expected, "{provider:?} {said:?}");
            let body = Ask::new(provider, &events).body().to_string();
            assert!(!body.contains("SIG1"), "{provider:?}");
        }
    }
    let events = json!([ask("go"), think("plan"), call("t1"), result("t1", "ok")]);
    let told = |provider| Ask::new(provider, &events).told().1;
    assert!(told(Provider::OpenAi).contains(&"reasoning-as-text"));
    assert!(told(Provider::OpenRouter).contains(&"reasoning-left-out"));
}

#[test]
fn openai_items_come_back_whole() {
    let whole = json!({"openai_item_id": "rs_1", "openai_encrypted_content": "ENC"});
    let mut message = say("done");
    message["metadata"] =
        json!({"openai_item_id": "msg_1", "openai_phase": "final_answer"});
    let events = json!([ask("go"), signed("", whole.clone()), message, ask("on")]);
    let asked = Ask::new(Provider::OpenAi, &events);
    let body = asked.body();
    assert_eq!(
        body["input"][2],
        json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "ENC",
            "summary": [{"type": "summary_text", "text": ""}]})
    );
    assert_eq!(
        body["input"][3],
        json!({"type": "message", "id": "msg_1", "role": "assistant",
            "status": "completed", "phase": "final_answer",
            "content": [{"type": "output_text", "text": "done", "annotations": []}]})
    );
    // A phase without an id; a phase that nobody knows.
    let phase = |phase: &str| {
        let mut message = say("done");
        message["metadata"] = json!({"openai_phase": phase});
        let events = json!([ask("go"), message, ask("on")]);
        Ask::new(Provider::OpenAi, &events).body()["input"][2].clone()
    };
    assert_eq!(phase("commentary")["phase"], "commentary");
    assert_eq!(phase("other").get("phase"), None);
    // Reasoning that led to nothing is refused as an item.
    let events = json!([ask("go"), signed("plan", whole.clone()), ask("on")]);
    let dangling = Ask::new(Provider::OpenAi, &events);
    assert_eq!(
        dangling.said()[1],
        "say \"<think>\\nplan\\n</think>\\n\\n\""
    );
    assert_eq!(dangling.jp().said()[1], "think \"plan\"");
    let events = json!([ask("go"), signed("", whole), ask("on")]);
    let said = Ask::new(Provider::OpenAi, &events).said();
    assert_eq!(said, ["user \"go\"", "user \"on\""]);
}

#[test]
fn openai_messages_lose_their_id_with_stripped_reasoning() {
    let whole = json!({"openai_item_id": "rs_1", "openai_encrypted_content": "ENC"});
    let mut message = say("done");
    message["metadata"] = json!({"openai_item_id": "msg_1"});
    let mut events = vec![
        start(),
        ask("go"),
        signed("plan", whole),
        message,
        start(),
        ask("on"),
    ];
    let id = |events: &[Value]| {
        let body = Ask::new(Provider::OpenAi, &Value::from(events.to_vec())).body();
        let items = body["input"].as_array().expect("items").clone();
        items
            .iter()
            .find_map(|item| item["id"].as_str().map(str::to_owned))
    };
    assert_eq!(id(&events).as_deref(), Some("rs_1"));
    events.push(
        json!({"type": "compaction", "timestamp": "2026-01-01 00:00:00.0",
        "from_turn": 0, "to_turn": 0, "reasoning": "strip"}),
    );
    assert_eq!(id(&events), None);
}

#[test]
fn google_parts_keep_their_signature_last() {
    let own = json!({"google_thought_signature": "SIG"});
    let mut message = say("done");
    message["metadata"] = own.clone();
    let events = json!([ask("go"), signed("", own), message, ask("on")]);
    let body = Ask::new(Provider::Google, &events).body();
    assert_eq!(
        body["contents"][1],
        json!({"parts": [{"thought": true, "text": "", "thoughtSignature": "SIG"},
            {"text": "done", "thoughtSignature": "SIG"}], "role": "model"})
    );
}

#[test]
fn ollama_puts_reasoning_into_the_message_before_it() {
    let events = json!([
        ask("go"),
        think("a"),
        say("b"),
        think("c"),
        think("d"),
        call("t1"),
        think("e"),
        result("t1", "ok")
    ]);
    let body = Ask::new(Provider::Ollama, &events).body();
    let messages = body["messages"].as_array().expect("messages");
    let short = |message: &Value| {
        let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
        json!([message["content"], message["thinking"], calls])
    };
    let found: Vec<_> = messages[1..].iter().map(short).collect();
    let expected = json!([
        ["go", null, 0],
        ["", "a", 0],
        ["b", "c", 0],
        ["", "d", 0],
        ["", "e", 1],
        ["ok", null, 0]
    ]);
    assert_eq!(Value::from(found), expected);
}

/// The field that asks for reasoning, for a configured value and a model.
fn asked(provider: Provider, reasoning: &Value, model: &Value) -> Value {
    let events = json!([ask("go")]);
    let asked = Ask::new(provider, &events);
    let asked = asked.parameters(json!({"reasoning": reasoning}));
    let body = asked.on(model.clone()).body();
    match provider {
        Provider::Google => body["generationConfig"]["thinkingConfig"].clone(),
        Provider::Ollama => body["think"].clone(),
        Provider::LlamaCpp => body["chat_template_kwargs"]["enable_thinking"].clone(),
        Provider::Cerebras => body["reasoning_effort"].clone(),
        _ => body["reasoning"].clone(),
    }
}

fn levels(levels: &[&str], can_disable: bool) -> Value {
    json!({"mode": "leveled", "levels": levels, "can_disable": can_disable})
}

#[test]
fn what_is_asked_of_openai() {
    let of = |reasoning: Value, support: Value| {
        let model =
            json!({"name": "m", "max_output_tokens": 1000, "reasoning": support});
        asked(Provider::OpenAi, &reasoning, &model)["effort"].clone()
    };
    let budget = json!({"mode": "budgetted", "min": 0});
    for (reasoning, support, expected) in [
        (json!(null), json!(null), json!(null)),
        (json!("off"), json!(null), json!("none")),
        (json!("auto"), json!(null), json!("medium")),
        (json!({"effort": "max"}), json!("unsupported"), json!(null)),
        (json!("off"), budget.clone(), json!("minimal")),
        (json!(null), budget.clone(), json!("medium")),
        (json!({"effort": "xlow"}), budget.clone(), json!("minimal")),
        (json!({"effort": "max"}), budget.clone(), json!("xhigh")),
        (
            json!({"effort": {"absolute": 850}}),
            budget.clone(),
            json!("xhigh"),
        ),
        (json!({"effort": {"absolute": 100}}), budget, json!("low")),
        (json!("off"), levels(&["low"], true), json!("none")),
        (json!("off"), levels(&["high", "low"], false), json!("low")),
        (
            json!("off"),
            levels(&["low", "xlow"], false),
            json!("minimal"),
        ),
        (
            json!({"effort": "max"}),
            levels(&["max"], true),
            json!("max"),
        ),
        (json!("auto"), levels(&["high", "low"], true), json!("high")),
    ] {
        let found = of(reasoning.clone(), support.clone());
        assert_eq!(found, expected, "{reasoning} {support}");
    }
}

#[test]
fn what_is_asked_of_google() {
    let of = |reasoning: Value, support: Value| {
        let model =
            json!({"name": "m", "max_output_tokens": 1000, "reasoning": support});
        let found = asked(Provider::Google, &reasoning, &model);
        let keys = ["includeThoughts", "thinkingBudget", "thinkingLevel"];
        match found.is_null() {
            true => found,
            false => Value::from(keys.map(|key| found[key].clone()).to_vec()),
        }
    };
    let budget = json!({"mode": "budgetted", "min": 100, "max": 600});
    for (reasoning, support, expected) in [
        (json!(null), json!(null), json!(null)),
        (json!("off"), json!(null), json!([false, 0, null])),
        (
            json!({"effort": "low"}),
            json!(null),
            json!([true, null, "LOW"]),
        ),
        (json!("auto"), json!("unsupported"), json!(null)),
        (json!("off"), budget.clone(), json!([false, 100, null])),
        (json!(null), budget.clone(), json!([true, 500, null])),
        (
            json!({"effort": "max"}),
            budget.clone(),
            json!([true, 600, null]),
        ),
        (json!({"effort": "none"}), budget, json!([true, 100, null])),
        (
            json!("off"),
            levels(&["low"], true),
            json!([false, 0, null]),
        ),
        (
            json!("off"),
            levels(&["high", "low"], false),
            json!([false, null, "LOW"]),
        ),
        (
            json!({"effort": "medium"}),
            levels(&["low"], true),
            json!([true, null, "HIGH"]),
        ),
        (
            json!({"effort": "xlow"}),
            levels(&["xlow"], true),
            json!([true, null, "MINIMAL"]),
        ),
    ] {
        let found = of(reasoning.clone(), support.clone());
        assert_eq!(found, expected, "{reasoning} {support}");
    }
}

#[test]
fn what_is_asked_of_the_chat_dialects() {
    let model = |support: Value| json!({"name": "m", "reasoning": support});
    let low = json!({"effort": "xlow"});
    let router = |reasoning: Value, support: Value| {
        asked(Provider::OpenRouter, &reasoning, &model(support))
    };
    let on = |effort: &str| json!({"exclude": false, "effort": effort});
    let off = json!({"exclude": true, "effort": "minimal"});
    assert_eq!(router(json!(null), json!(null)), off);
    assert_eq!(router(json!("off"), levels(&["low"], true)), off);
    assert_eq!(router(json!("auto"), json!("unsupported")), off);
    assert_eq!(router(low.clone(), json!(null)), on("minimal"));
    assert_eq!(router(json!({"effort": "max"}), json!(null)), on("xhigh"));
    assert_eq!(router(json!("auto"), levels(&["high"], true)), on("high"));

    let cerebras = |reasoning: Value, support: Value| {
        asked(Provider::Cerebras, &reasoning, &model(support))
    };
    assert_eq!(cerebras(json!("off"), json!(null)), json!("none"));
    assert_eq!(cerebras(json!(null), json!(null)), json!(null));
    assert_eq!(cerebras(json!("auto"), json!(null)), json!(null));
    assert_eq!(
        cerebras(json!("off"), levels(&["low"], true)),
        json!("none")
    );
    assert_eq!(cerebras(json!("off"), levels(&["low"], false)), json!(null));
    assert_eq!(cerebras(low.clone(), json!(null)), json!("low"));
    assert_eq!(
        cerebras(json!({"effort": "max"}), json!(null)),
        json!("high")
    );
    let tokens = json!({"effort": {"absolute": 7}});
    assert_eq!(cerebras(tokens, json!(null)), json!("medium"));
    assert_eq!(cerebras(low.clone(), json!("unsupported")), json!(null));

    // The model table has no say in llamacpp.
    for (reasoning, thinks, local) in [
        (json!(null), false, false),
        (json!("off"), false, false),
        (json!("auto"), true, true),
        (low, true, true),
    ] {
        let of = |provider, support| asked(provider, &reasoning, &model(support));
        assert_eq!(of(Provider::Ollama, json!(null)), json!(thinks));
        assert_eq!(of(Provider::Ollama, json!("unsupported")), json!(false));
        assert_eq!(of(Provider::LlamaCpp, json!("unsupported")), json!(local));
    }
}

#[test]
fn cerebras_reads_reasoning_apart_unless_there_is_none() {
    let events = json!([ask("go")]);
    let body = |support: Value| {
        let model = json!({"name": "gpt-oss-120b", "reasoning": support});
        Ask::new(Provider::Cerebras, &events)
            .input("model", model)
            .body()
    };
    assert_eq!(body(json!(null))["reasoning_format"], "parsed");
    assert_eq!(body(json!("unsupported")).get("reasoning_format"), None);
}
