//! Conversion entries of the field reports, and their siblings, for every provider.

use super::*;

const CUT: &str = "Tool call was interrupted.";

/// What each provider makes of events; `failed` where it has an error state.
#[track_caller]
fn everywhere(events: &Value, expected: &[&str]) {
    for provider in OTHERS {
        let expected = with_ids(provider, expected);
        let expected = expected.into_iter().map(|line| match provider {
            Provider::Google => line,
            _ => line.replacen("failed", "result", 1),
        });
        let expected: Vec<_> = expected.collect();
        assert_eq!(Ask::new(provider, events).said(), expected, "{provider:?}");
    }
}

#[test]
fn entry_1_an_interrupted_call_is_answered_before_the_next_text() {
    let cut = format!("failed t1 {CUT:?}");
    let expected = ["user \"go\"", "call t1 f {}", &cut, "user \"never mind\""];
    let events = json!([start(), ask("go"), call("t1"), start(), ask("never mind")]);
    everywhere(&events, &expected);
    everywhere(
        &json!([ask("go"), call("t1"), ask("never mind")]),
        &expected,
    );
    // One of two, the other one's result behind a text.
    let events = json!([
        ask("go"),
        call("t1"),
        call("t2"),
        ask("x"),
        result("t1", "one"),
        ask("y")
    ]);
    let cut = format!("failed t2 {CUT:?}");
    everywhere(
        &events,
        &[
            "user \"go\"",
            "call t1 f {}",
            "call t2 f {}",
            "result t1 \"one\"",
            &cut,
            "user \"x\"",
            "user \"y\"",
        ],
    );
}

#[test]
fn entry_2_a_result_without_its_call_goes() {
    let events = json!([result("t1", "ok"), say("fine"), start(), ask("next")]);
    everywhere(&events, &["user \"next\""]);
    for provider in OTHERS {
        let (_, told) = Ask::new(provider, &events).told();
        assert!(told.contains(&"result-left-out"), "{provider:?} {told:?}");
        assert!(told.contains(&"before-first-request"), "{provider:?}");
    }
    // In the middle, and twice for one call.
    let events = json!([ask("a"), say("b"), result("tx", "ok"), ask("c")]);
    everywhere(&events, &["user \"a\"", "say \"b\"", "user \"c\""]);
    let twice = json!([ask("a"), call("t1"), result("t1", "1"), result("t1", "2")]);
    everywhere(&twice, &["user \"a\"", "call t1 f {}", "result t1 \"1\""]);
}

#[test]
fn entry_3_a_call_whose_result_is_gone_stays_with_its_text() {
    let events = json!([
        start(),
        ask("summary"),
        call("t1"),
        say("done"),
        start(),
        ask("next")
    ]);
    let cut = format!("failed t1 {CUT:?}");
    for provider in OTHERS {
        let said = Ask::new(provider, &events).said();
        let calls = with_ids(provider, &["call t1 f {}", &cut]);
        let place = |what: &str| said.iter().position(|line| line == what);
        let answer = calls[1].replacen("failed", "result", 1);
        let answer = place(&calls[1]).or_else(|| place(&answer)).expect("answer");
        assert!(place(&calls[0]).expect("the call") < answer, "{said:?}");
        assert!(place("say \"done\"").expect("done") < answer, "{said:?}");
        assert_eq!(said.last().map(String::as_str), Some("user \"next\""));
    }
}

#[test]
fn entry_4_an_id_used_again_is_renamed_with_its_result() {
    let turn = |n: &str| [start(), ask(n), call("t1"), result("t1", n), say("x")];
    let events: Vec<Value> = [turn("a"), turn("b")].into_iter().flatten().collect();
    everywhere(
        &Value::from([events, vec![ask("c")]].concat()),
        &[
            "user \"a\"",
            "call t1 f {}",
            "result t1 \"a\"",
            "say \"x\"",
            "user \"b\"",
            "call t1_2 f {}",
            "result t1_2 \"b\"",
            "say \"x\"",
            "user \"c\"",
        ],
    );
}

#[test]
fn entry_5_results_come_before_the_texts_of_their_message() {
    let expected = [
        "user \"go\"",
        "call t1 f {}",
        "result t1 \"ok\"",
        "user \"hurry\"",
    ];
    let events = json!([ask("go"), call("t1"), ask("hurry"), result("t1", "ok")]);
    everywhere(&events, &expected);
    let events = json!([ask("go"), call("t1"), result("t1", "ok"), ask("hurry")]);
    everywhere(&events, &expected);
}

#[test]
fn entry_6_no_empty_text_and_the_empty_result_is_sent() {
    let events = json!([
        ask("go"),
        say(""),
        think(" "),
        call("t1"),
        result("t1", ""),
        ask("\n")
    ]);
    everywhere(&events, &["user \"go\"", "call t1 f {}", "result t1 \"\""]);
    for provider in OTHERS {
        let text = Ask::new(provider, &events).body().to_string();
        assert!(!text.contains("\"text\":\"\""), "{provider:?} {text}");
    }
}

#[test]
fn entry_9_system_texts_stand_at_the_head() {
    let section = json!({"assistant": {"system_prompt_sections":
        [{"content": "Use metric."}]}});
    let events = json!([
        {"type": "config_delta", "delta": {"assistant": {"system_prompt": "Be brief."}}},
        start(), ask("hi"), say("yo"),
        {"type": "config_delta", "delta": section}, start(), ask("how far?"),
    ]);
    for provider in Provider::ALL {
        let lines = outline(provider, &Ask::new(provider, &events).body());
        assert_eq!(
            lines,
            [
                "system \"Be brief.\"",
                "system \"Use metric.\"",
                "user \"hi\"",
                "say \"yo\"",
                "user \"how far?\""
            ],
            "{provider:?}"
        );
    }
    let body = Ask::new(Provider::Ollama, &events).body();
    assert_eq!(body["messages"].as_array().map(Vec::len), Some(5));
}

#[test]
fn entry_10_what_stands_before_the_first_request_goes() {
    let pair = json!([
        call("t1"),
        result("t1", "ok"),
        say("done"),
        start(),
        ask("next")
    ]);
    everywhere(&pair, &["user \"next\""]);
    let body = Ask::new(Provider::Google, &pair).body();
    assert_eq!(body["contents"][0]["role"], "user");
}

#[test]
fn entry_11_the_first_unsigned_call_of_a_step_gets_the_bypass() {
    let signed = json!({"type": "tool_call_request", "id": "s", "name": "f",
        "arguments": {}, "metadata": {"google_thought_signature": "SIG"}});
    let bypass = json!("skip_thought_signature_validator");
    let results = [result("t1", "1"), result("t2", "2"), result("s", "3")];
    let signatures = |calls: Vec<Value>, jp: bool| {
        let events = [vec![ask("go")], calls, results.to_vec()].concat();
        let mut asked = Ask::new(Provider::Google, &Value::from(events));
        asked.mode = if jp { Mode::Jp } else { Mode::Convo };
        let (body, told) = asked.told();
        let parts = body["contents"][1]["parts"].as_array().expect("parts");
        let of = |part: &Value| part.get("thoughtSignature").cloned();
        let unsigned = told.contains(&"call-unsigned");
        (parts.iter().map(of).collect::<Vec<_>>(), unsigned)
    };
    let two = vec![call("t1"), call("t2")];
    assert_eq!(
        signatures(two.clone(), false),
        (vec![Some(bypass.clone()), None], true)
    );
    let both = vec![Some(bypass.clone()), Some(bypass.clone())];
    assert_eq!(signatures(two, true), (both, false));
    let own = Some(json!("SIG"));
    let mixed = vec![signed.clone(), call("t1")];
    assert_eq!(signatures(mixed, false), (vec![own.clone(), None], false));
    let late = vec![call("t1"), signed];
    assert_eq!(signatures(late, false), (vec![Some(bypass), own], true));
    // An older model asks for none, so nothing is told.
    let events = json!([ask("go"), call("t1"), result("t1", "1")]);
    let mut old = Ask::new(Provider::Google, &events);
    old.model = "gemini-2.5-flash-lite";
    assert!(!old.told().1.contains(&"call-unsigned"));
}

#[test]
fn entry_12_arguments_are_an_object_or_a_string() {
    let events = json!([ask("go"), {"type": "tool_call_request", "id": "t1", "name": "f",
        "arguments": {"x": 1, "y": "é\n\"z"}}, result("t1", "ok")]);
    let text = "{\"x\":1,\"y\":\"é\\n\\\"z\"}";
    let body = |provider| Ask::new(provider, &events).body();
    let native = &body(Provider::Ollama)["messages"][2]["tool_calls"][0]["function"];
    assert_eq!(native["arguments"], json!({"x": 1, "y": "é\n\"z"}));
    let part = &body(Provider::Google)["contents"][1]["parts"][0]["functionCall"];
    assert_eq!(part["args"], native["arguments"]);
    assert_eq!(body(Provider::OpenAi)["input"][2]["arguments"], text);
    for provider in [Provider::OpenRouter, Provider::LlamaCpp, Provider::Cerebras] {
        let call = &body(provider)["messages"][2]["tool_calls"][0]["function"];
        assert_eq!(call["arguments"], text, "{provider:?}");
    }
}

#[test]
fn entry_13_ids_of_the_server_do_not_come_without_their_reasoning() {
    let item = |id: &str| json!({"openai_item_id": id});
    let call = json!({"type": "tool_call_request", "id": "call_1", "name": "f",
        "arguments": {}, "metadata": item("fc_1")});
    let events = json!([
        ask("go"),
        call,
        result("call_1", "ok"),
        say("done"),
        ask("n")
    ]);
    let body = Ask::new(Provider::OpenAi, &events).body();
    let input = body["input"].as_array().expect("items");
    assert_eq!(
        (&input[2]["id"], &input[2]["call_id"]),
        (&json!(null), &json!("call_1"))
    );
    assert_eq!(input[3]["call_id"], "call_1");
    assert!(!body.to_string().contains("fc_1"));
    // A message behind reasoning that cannot go as an item does not name its own.
    let mut lost = think("plan");
    lost["metadata"] = item("rs_1");
    let mut message = say("done");
    message["metadata"] = item("msg_1");
    let events = json!([ask("go"), lost, message, ask("n")]);
    let asked = Ask::new(Provider::OpenAi, &events);
    let (body, told) = asked.told();
    assert!(told.contains(&"reasoning-as-text"));
    assert_eq!(body["input"][2]["content"], "<think>\nplan\n</think>\n\n");
    assert_eq!(body["input"][3]["content"], "done");
    let parity = asked.jp().body();
    assert_eq!(parity["input"][2]["id"], "rs_1");
    assert_eq!(parity["input"][3]["id"], "msg_1");
}

#[test]
fn entry_18_later_sections_are_told_to_change_the_head() {
    let section = |text: &str| {
        json!({"type": "config_delta", "delta": {"assistant":
        {"system_prompt_sections": [{"content": text}]}}})
    };
    let events = json!([
        {"type": "config_delta", "delta": {"assistant": {"system_prompt": "A"}}},
        start(), ask("q"), section("B"), say("a"), section("C"), start(), ask("r"),
    ]);
    let (body, told) = Ask::new(Provider::Google, &events).told();
    let parts = json!([{"text": "A"}, {"text": "B"}, {"text": "C"}]);
    assert_eq!(body["systemInstruction"]["parts"], parts);
    assert!(told.contains(&"head-changed"));
}
