//! What is told of providers, switches and costs, and where the fourth mark stands.

use super::{INLINE, JULY, Open, ask, base, delta, local, place, say, tool_delta};
use crate::common::bodies::{bundle, lines, options};
use convo::directive::ToolMode;
use convo::error::Diagnostic;
use convo::provider::{Options, PlaceOptions, Requests};
use serde_json::{Value, json};

fn model(name: &str) -> Value {
    delta(json!({"assistant": {"model": {"id": name}}}))
}

fn head(name: &str, tools: &Value) -> Value {
    delta(
        json!({"assistant": {"system_prompt": "P", "model": {"id": name}},
        "conversation": {"tools": tools}}),
    )
}

/// Bodies for whatever the configuration names, and what is told.
fn as_configured(events: &Value, beta: &str) -> (Vec<Value>, Vec<Diagnostic>) {
    let open = Open::new("", beta, ToolMode::Deferred);
    let options = Options {
        provider: None,
        model: None,
        ..open.options(Requests::All)
    };
    let bytes = bundle(events).to_string();
    let (bodies, told) = place(bytes.as_bytes(), &options).expect("bodies");
    let read = |body: &Vec<u8>| serde_json::from_slice(body).expect("JSON");
    (bodies.iter().map(read).collect(), told)
}

fn said(told: &[Diagnostic], code: &str) -> Vec<String> {
    let found = told.iter().filter(|one| one.code == code);
    found.map(|one| one.message.clone()).collect()
}

/// A name that the table knows brings its provider; one of none or of several is to
/// be told apart by whoever asks.
#[test]
fn a_model_without_its_provider_brings_it_along() {
    let events = json!([
        head("google/gemini-3-flash-preview", &json!({})),
        ask("q"),
        say("a"),
        ask("r")
    ]);
    let bytes = bundle(&events).to_string();
    let with = |model: &'static str| {
        let options = Options {
            provider: None,
            ..options("anthropic", Some(model))
        };
        lines(bytes.as_bytes(), &options)
    };
    let (bodies, _) = with("claude-opus-5").expect("a body");
    let body: Value = serde_json::from_slice(&bodies[0]).expect("JSON");
    assert_eq!(body["model"], "claude-opus-5");
    assert_eq!(body["messages"][0]["role"], "user");
    // The configuration's own name is the configuration's own model.
    let (bodies, _) = with("gemini-3-flash-preview").expect("a body");
    let body: Value = serde_json::from_slice(&bodies[0]).expect("JSON");
    assert!(body["contents"].is_array(), "{body}");
    let error = with("gpt-oss-120b").expect_err("several have it");
    assert!(
        error.message.contains("openai, cerebras"),
        "{}",
        error.message
    );
    let hint = error.hint.expect("a hint");
    assert!(hint.contains("openai/gpt-oss-120b"), "{hint}");
    let error = with("nobody-knows").expect_err("none has it");
    assert!(
        error
            .hint
            .is_some_and(|hint| hint.contains("PROVIDER/nobody-knows"))
    );
}

#[test]
fn a_body_of_another_provider_is_told_once_a_run() {
    let events = json!([
        head("anthropic/claude-opus-5", &json!({"w": local(true)})),
        ask("1"),
        say("a"),
        model("openai/gpt-5-mini"),
        ask("2"),
        say("a"),
        ask("3"),
        say("a"),
        model("anthropic/claude-opus-5"),
        ask("4"),
        say("a"),
        model("google/gemini-2.5-pro"),
        ask("5")
    ]);
    let (bodies, told) = as_configured(&events, INLINE);
    assert_eq!(bodies.len(), 5);
    let foreign = said(&told, "not-messages");
    assert_eq!(foreign.len(), 2, "{foreign:?}");
    assert!(foreign[0].starts_with("request 2: the body is one for openai"));
    assert!(foreign[1].starts_with("request 5: the body is one for google"));
    let switched = said(&told, "prefix-switched");
    assert_eq!(switched.len(), 3, "{switched:?}");
    assert!(
        switched[1].contains("from openai to anthropic"),
        "{switched:?}"
    );
}

#[test]
fn a_switch_of_model_and_betas_is_told_and_keeps_nothing() {
    let betas = |name: &str| {
        delta(json!({"providers": {"llm": {"anthropic": {"beta_headers": [name]}}}}))
    };
    let events = json!([
        head("anthropic/claude-opus-5", &json!({"w": local(true)})),
        ask("1"),
        say("a"),
        model("anthropic/claude-opus-4-8"),
        betas("x-2026-01-01"),
        ask("2"),
        say("a"),
        betas("y-2026-01-01"),
        ask("3")
    ]);
    let bytes = bundle(&events).to_string();
    let open = Open::new("", INLINE, ToolMode::Deferred);
    let place_options = PlaceOptions {
        measure: true,
        ..PlaceOptions::default()
    };
    let options = Options {
        provider: None,
        model: None,
        place: Some(place_options),
        ..open.options(Requests::All)
    };
    let (_, told) = place(bytes.as_bytes(), &options).expect("bodies");
    let switched = said(&told, "prefix-switched");
    assert_eq!(switched.len(), 2, "{switched:?}");
    assert!(
        switched[0].contains("`claude-opus-4-8` and the beta headers changed: nothing")
    );
    assert!(
        switched[1].contains("beta headers changed: what was cached before may not")
    );
    let kept = said(&told, "prefix-kept");
    assert!(kept[1].contains(" 0 of "), "{kept:?}");
    assert!(!kept[2].contains(" 0 of "), "{kept:?}");
}

/// What tools cost that are flattened is told by every command, at their request.
#[test]
fn flattened_tools_are_told_where_they_cost() {
    let events = json!([
        base(json!({"w": local(true), "v": local(false)})),
        ask("1"),
        say("a"),
        tool_delta(json!({"v": {"enable": true}})),
        ask("2"),
        say("a"),
        tool_delta(json!({"v": {"enable": true}})),
        ask("3"),
        say("a"),
        ask("4")
    ]);
    let bytes = bundle(&events).to_string();
    for requests in [Requests::All, Requests::Number(2)] {
        for (name, hinted) in [("claude-opus-5", true), ("claude-sonnet-4-6", false)] {
            let options = Options {
                requests,
                ..options("anthropic", Some(name))
            };
            let (_, told) = lines(bytes.as_bytes(), &options).expect("bodies");
            let costs: Vec<&Diagnostic> = told
                .iter()
                .filter(|one| one.code == "head-changed")
                .collect();
            assert_eq!(costs.len(), 1, "{told:?}");
            assert!(
                costs[0]
                    .message
                    .starts_with("request 2: tools changed since")
            );
            // Who cannot place them is not told to.
            assert_eq!(costs[0].hint.is_some(), hinted, "{name}");
        }
    }
}

/// A first tool that is off costs nothing in `inline` mode until it is offered; where
/// the beta takes references only, definitions are deferred, and cost at once.
#[test]
fn a_late_tool_costs_where_bytes_move() {
    let events = json!([
        base(json!({})),
        ask("1"),
        say("a"),
        tool_delta(json!({"w": local(false)})),
        ask("2"),
        say("a"),
        tool_delta(json!({"w": {"enable": true}})),
        ask("3")
    ]);
    for (beta, number) in [(INLINE, 3), (JULY, 2)] {
        let open = Open::new("claude-opus-5", beta, ToolMode::Inline);
        let bytes = bundle(&events).to_string();
        let found = place(bytes.as_bytes(), &open.options(Requests::All));
        let (_, told) = found.expect("bodies");
        let costs = said(&told, "first-tool");
        assert_eq!(costs.len(), 1, "{beta}: {told:?}");
        assert!(
            costs[0].starts_with(&format!("request {number}:")),
            "{costs:?}"
        );
    }
}

#[test]
fn tools_that_are_offered_are_not_counted_as_deferred() {
    let events = json!([
        base(json!({"w": local(true), "v": local(true), "u": local(false)})),
        ask("1")
    ]);
    let open = Open::usual(ToolMode::Deferred);
    let place_options = PlaceOptions {
        measure: true,
        ..PlaceOptions::default()
    };
    let options = Options {
        place: Some(place_options),
        ..open.options(Requests::All)
    };
    let bytes = bundle(&events).to_string();
    let (bodies, told) = place(bytes.as_bytes(), &options).expect("bodies");
    let body: Value = serde_json::from_slice(&bodies[0]).expect("JSON");
    let hidden = serde_json::to_vec(&body["tools"][2]).expect("JSON").len();
    let kept = said(&told, "prefix-kept");
    let expected = format!("request 1: {hidden} bytes of tool definitions deferred");
    assert!(kept[0].starts_with(&expected), "{kept:?}");
}

fn marks(message: &Value) -> Vec<usize> {
    let blocks = message["content"].as_array().expect("blocks").iter();
    let marked = blocks
        .enumerate()
        .filter(|(_, one)| one.get("cache_control").is_some());
    marked.map(|(at, _)| at).collect()
}

/// A mark left over stands at the end of the request before, where the automatic one
/// cannot look back so far, and nowhere else; never a fifth one.
#[test]
fn the_fourth_mark_stands_where_the_lookback_breaks() {
    let answer = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|n| {
                if n % 2 == 0 {
                    say("a")
                } else {
                    json!({"type": "chat_response", "reasoning": "r"})
                }
            })
            .collect()
    };
    for (count, is_far) in [(18, false), (19, true), (40, true)] {
        for directive in [false, true] {
            let mut events =
                vec![base(json!({"w": local(true), "v": local(false)})), ask("1")];
            if directive {
                events.push(super::section("S"));
                events.insert(1, ask("0"));
                events.insert(2, say("0"));
            }
            events.extend(answer(count));
            events.push(ask("2"));
            let open = Open::usual(ToolMode::Deferred);
            let (bodies, _) = super::placed(&events.into(), &open);
            let body = bodies.last().expect("a body");
            let messages = body["messages"].as_array().expect("messages");
            let found: Vec<usize> = (0..messages.len())
                .filter(|at| !marks(&messages[*at]).is_empty())
                .collect();
            // Behind it the answer and the new message.
            let expected = messages.len() - 3;
            assert_eq!(
                found,
                if is_far { vec![expected] } else { vec![] },
                "{count}"
            );
            let role = if directive { "system" } else { "user" };
            assert_eq!(messages[expected]["role"], role);
            let all = body.to_string().matches("\"cache_control\"").count();
            assert!(all <= 4, "{all}");
        }
    }
}

/// A parameter reaches the body, or it is told that it does not.
#[test]
fn parameters_are_sent_or_told() {
    let names = [
        ("anthropic", "claude-opus-4-6"),
        ("openai", "gpt-5.6"),
        ("google", "gemini-2.5-pro"),
        ("openrouter", "x/y"),
        ("ollama", "m"),
        ("llamacpp", "m"),
        ("cerebras", "zai-glm-4.7"),
    ];
    let parameters = json!({"max_tokens": 3000, "top_k": 7, "verbosity": "low",
        "reasoning_mode": "pro", "context_window": 4096, "keep_alive": "7m",
        "context_management": {"edits": []}, "stop_words": ["x"], "foo": 1,
        "temperature": 0.5, "top_p": 0.5, "empty": [], "none": null});
    let run = |provider: &str, model: &'static str, parameters: Value| {
        let events = json!([
            delta(json!({"assistant": {"system_prompt": "P",
            "model": {"parameters": parameters}}})),
            ask("q")
        ]);
        let bytes = bundle(&events).to_string();
        let options = options(provider, Some(model));
        let (bodies, told) = lines(bytes.as_bytes(), &options).expect("a body");
        (bodies, said(&told, "parameter-left-out"), told)
    };
    for (provider, model) in names {
        let (bare, none, _) = run(provider, model, json!({}));
        assert_eq!(none, [""; 0], "{provider}");
        for (name, value) in parameters.as_object().expect("a map") {
            let other = json!({"other": {name: value}});
            for asked in [json!({name: value}), other] {
                let (body, unsaid, told) = run(provider, model, asked);
                let is_empty = ["empty", "none"].contains(&&**name);
                let mended = told.iter().any(|one| one.message.contains(name.as_str()));
                // What the model refuses beside thinking is told by its own code.
                let stripped = told.iter().any(|one| one.code == "sampling-left-out")
                    || provider == "openai"
                        && ["temperature", "top_p"].contains(&&**name);
                let expected = usize::from(body == bare && !is_empty && !stripped);
                assert_eq!(
                    unsaid.len(),
                    expected,
                    "{provider} {name} {unsaid:?} {mended}"
                );
                assert!(unsaid.iter().all(|one| one.contains(&format!("`{name}`"))));
            }
        }
    }
}
