//! Where the default mode mends what the other program sends, each with both.

use super::*;

/// What is said in both modes: parity first.
fn both(provider: Provider, events: &Value) -> [Vec<String>; 2] {
    let said = Ask::new(provider, events).said();
    [Ask::new(provider, events).jp().said(), said]
}

#[test]
fn adjacent_texts_and_reasoning_are_all_sent() {
    let events = json!([
        ask("go"),
        think("p"),
        say("a"),
        think("q"),
        say("b"),
        call("t1"),
        result("t1", "ok")
    ]);
    for provider in [Provider::LlamaCpp, Provider::Cerebras] {
        let [parity, mended] = both(provider, &events);
        assert_eq!(parity[1..3], ["think \"q\"", "say \"b\""]);
        assert_eq!(mended[1..3], ["think \"p\\n\\nq\"", "say \"a\\n\\nb\""]);
        assert_eq!(parity[3..], mended[3..]);
    }
    let events = json!([
        ask("go"),
        call("t1"),
        say("a"),
        call("t2"),
        say("b"),
        result("t1", "1"),
        result("t2", "2")
    ]);
    let body = Ask::new(Provider::OpenRouter, &events).body();
    let message = &body["messages"][2];
    assert_eq!(message["content"].as_array().map(Vec::len), Some(2));
    assert_eq!(message["tool_calls"][1]["index"], 1);
}

#[test]
fn a_message_of_reasoning_alone_has_a_content() {
    let events = json!([ask("go"), think("p"), ask("on")]);
    for (provider, key) in [
        (Provider::LlamaCpp, "reasoning_content"),
        (Provider::Cerebras, "reasoning"),
    ] {
        let message = |asked: Ask| asked.body()["messages"][2].clone();
        assert_eq!(
            message(Ask::new(provider, &events).jp()),
            json!({"role": "assistant", key: "p"})
        );
        assert_eq!(
            message(Ask::new(provider, &events)),
            json!({"role": "assistant", key: "p", "content": ""})
        );
    }
    let [parity, mended] = [true, false].map(|jp| {
        let asked = Ask::new(Provider::OpenRouter, &events);
        let asked = if jp { asked.jp() } else { asked };
        asked.body()["messages"].clone()
    });
    assert_eq!(parity[2], json!({"role": "assistant"}));
    assert_eq!(mended.as_array().map(Vec::len), Some(3));
}

#[test]
fn a_failure_is_not_forgotten() {
    let events = json!([ask("go"), call("t1"), failed("t1", "no")]);
    for provider in OTHERS {
        let [parity, mended] = both(provider, &events);
        let last = |lines: &[String]| lines.last().expect("a line").clone();
        assert!(last(&parity).ends_with(" \"no\""), "{provider:?}");
        let mended = last(&mended);
        let says = mended.starts_with("failed") || mended.contains("Error: no");
        assert!(says, "{provider:?} {mended}");
    }
}

#[test]
fn ollama_results_follow_the_order_of_their_calls() {
    let events = json!([
        ask("go"),
        call("a"),
        call("b"),
        result("b", "B"),
        result("a", "A"),
        say("x"),
        call("c"),
        result("c", "C")
    ]);
    let [parity, mended] = both(Provider::Ollama, &events);
    assert_eq!(parity[3..5], ["result \"B\"", "result \"A\""]);
    assert_eq!(mended[3..5], ["result \"A\"", "result \"B\""]);
    assert_eq!(parity[5..], mended[5..]);
    let told = Ask::new(Provider::Ollama, &events).told().1;
    assert!(told.contains(&"results-reordered"));
}

#[test]
fn ollama_tools_are_described_by_a_schema() {
    let tools = json!([{"name": "f", "description": null, "parameters":
        {"a": {"type": "string", "required": true}}}]);
    let events = json!([ask("go")]);
    let asked = Ask::new(Provider::Ollama, &events).input("tools", tools);
    let function = |body: &Value| body["tools"][0]["function"]["parameters"].clone();
    assert_eq!(
        function(&asked.body()),
        json!({"type": "object", "properties": {"a": {"type": "string"}},
            "additionalProperties": false, "required": ["a"]})
    );
    let parity = asked.jp().body();
    assert_eq!(function(&parity), json!({"a": {"type": "string"}}));
    assert_eq!(parity["tools"][0]["type"], "Function");
}

#[test]
fn ollama_is_kept_alive_as_long_as_is_said() {
    let events = json!([ask("go")]);
    let kept = |value: Value, jp: bool| {
        let asked = Ask::new(Provider::Ollama, &events)
            .parameters(json!({"other": {"keep_alive": value}}));
        let asked = if jp { asked.jp() } else { asked };
        let (body, told) = asked.told();
        (body["keep_alive"].clone(), told.contains(&"keep-alive"))
    };
    for (given, parity, mended) in [
        (json!("10"), json!("10m"), json!("10m")),
        (json!("2h"), json!("5h"), json!("2h")),
        (json!("30s"), json!("5s"), json!("30s")),
        (json!("-1"), json!("-1m"), json!("-1m")),
        (json!("2 days"), json!("5s"), json!(null)),
        (json!(10), json!(null), json!(null)),
    ] {
        assert_eq!(kept(given.clone(), true), (parity, false), "{given}");
        let told = mended.is_null() && given.is_string();
        assert_eq!(kept(given.clone(), false), (mended, told), "{given}");
    }
}

#[test]
fn a_choice_needs_a_tool() {
    let events = json!([ask("go")]);
    let asked =
        Ask::new(Provider::OpenAi, &events).input("tool_choice", json!("required"));
    assert_eq!(asked.body()["tool_choice"], "auto");
    assert_eq!(asked.jp().body()["tool_choice"], "required");
}

#[test]
fn openai_ids_of_calls_fit() {
    let long = "x".repeat(70);
    let events = json!([ask("go"), call(&long), result(&long, "ok")]);
    let asked = Ask::new(Provider::OpenAi, &events);
    let body = asked.body();
    let cut = "x".repeat(64);
    assert_eq!(body["input"][2]["call_id"], cut.as_str());
    assert_eq!(body["input"][3]["call_id"], cut.as_str());
    assert_eq!(asked.jp().body()["input"][2]["call_id"], long.as_str());
}

#[test]
fn files_that_are_not_taken_leave_no_label() {
    let file =
        json!([{"source": "a.zip", "media_type": "application/zip", "data": "AA=="}]);
    let events = json!([ask("go")]);
    for provider in OTHERS {
        let asked = Ask::new(provider, &events).input("attachments", file.clone());
        let (body, told) = asked.told();
        let takes = matches!(provider, Provider::Google | Provider::OpenRouter);
        assert_eq!(body.to_string().contains("a.zip"), takes, "{provider:?}");
        assert_eq!(
            !told.contains(&"attachment-left-out"),
            takes,
            "{provider:?}"
        );
        let parity = asked.jp().body().to_string();
        let labelled = takes || provider == Provider::OpenAi;
        assert_eq!(parity.contains("[Attached file: a.zip]"), labelled);
    }
}
