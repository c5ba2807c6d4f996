//! What is said in place to save the prefix: efforts, system prompts, choices to call
//! nothing (`docs/directives.md`).

use super::law::keeps;
use super::{Open, ask, base, delta, local, outline, place, refusals, say, system};
use crate::common::bodies::bundle;
use convo::directive::ToolMode;
use convo::error::Diagnostic;
use convo::provider::{Options, PlaceOptions, Requests};
use serde_json::{Value, json};

const EFFORTS: &str = "mid-conversation-output-config-2026-07-01";

fn effort(level: &str) -> Value {
    delta(json!({"assistant": {"model": {"parameters":
        {"reasoning": {"effort": level}}}}}))
}

fn prompt(text: &str) -> Value {
    delta(json!({"assistant": {"system_prompt": text}}))
}

fn run(
    events: &[Value],
    open: &Open,
    more: impl Fn(PlaceOptions) -> PlaceOptions,
) -> (Vec<Value>, Vec<Diagnostic>) {
    let options = open.options(Requests::All);
    let options = Options {
        place: options.place.map(more),
        ..options
    };
    let bytes = bundle(&Value::from(events.to_vec())).to_string();
    let (bodies, told) = place(bytes.as_bytes(), &options).expect("bodies");
    for pair in bodies.windows(2) {
        assert_eq!(keeps(&pair[0], &pair[1]), Ok(()));
    }
    let read = |body: &Vec<u8>| {
        assert_eq!(refusals(body, &open.profile(body)), [""; 0]);
        serde_json::from_slice(body).expect("JSON")
    };
    (bodies.iter().map(read).collect(), told)
}

fn both() -> Open {
    Open {
        betas: format!("[\"{}\",\"{EFFORTS}\"]", super::INLINE),
        ..Open::usual(ToolMode::Deferred)
    }
}

fn efforts(body: &Value) -> Vec<(usize, String)> {
    let messages = body["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .enumerate();
    let said = messages.filter_map(|(at, message)| {
        let level = message["output_config"]["effort"].as_str()?;
        assert_eq!(message["content"], json!([]));
        Some((at, level.to_owned()))
    });
    said.collect()
}

fn changes_of_effort() -> Vec<Value> {
    vec![
        base(json!({})),
        effort("low"),
        ask("1"),
        say("a"),
        effort("high"),
        ask("2"),
        say("b"),
        // Changed and changed back; and in the middle of an exchange.
        effort("low"),
        effort("high"),
        ask("3"),
        json!({"type": "tool_call_request", "id": "c", "name": "f", "arguments": {}}),
        effort("max"),
        json!({"type": "tool_call_response", "id": "c", "content": "ok"}),
        say("c"),
        ask("4"),
    ]
}

/// An effort is said before the user's message that begins a turn, for it holds from
/// there on; the top of the body keeps the first.
#[test]
fn efforts_are_said_in_messages() {
    let (bodies, told) = run(&changes_of_effort(), &both(), |place| PlaceOptions {
        efforts: true,
        ..place
    });
    for body in &bodies {
        assert_eq!(body["output_config"]["effort"], "low");
    }
    let said: Vec<_> = bodies.iter().map(efforts).collect();
    let two = (2, "high".to_owned());
    assert_eq!(
        said[..4],
        [
            vec![],
            vec![two.clone()],
            vec![two.clone()],
            vec![two.clone()]
        ]
    );
    let last = &bodies[4];
    assert_eq!(said[4], [two, (9, "max".to_owned())]);
    assert_eq!(last["messages"][10]["content"][0]["text"], "4");
    // It costs nothing, so nothing is told of it.
    assert!(
        told.iter().all(|one| one.code != "messages-cost"),
        "{told:?}"
    );
}

#[test]
fn efforts_stay_at_the_top_where_messages_take_none() {
    let without = Open::usual(ToolMode::Deferred);
    let old = Open {
        model: "claude-opus-4-8".to_owned(),
        ..both()
    };
    for (open, why) in [(without, "no beta"), (old, "takes no effort in messages")] {
        let (bodies, told) = run(&changes_of_effort(), &open, |place| PlaceOptions {
            efforts: true,
            ..place
        });
        assert!(bodies.iter().all(|body| efforts(body).is_empty()));
        let last = bodies.last().expect("a body");
        assert_eq!(last["output_config"]["effort"], "max");
        let closed = told.iter().find(|one| one.code == "gate-closed");
        let closed = closed.expect("it is told");
        assert!(closed.message.contains(why), "{}", closed.message);
        assert!(
            told.iter().any(|one| one.code == "messages-cost"),
            "{told:?}"
        );
    }
}

/// A changed system prompt is said in place, the first one stays at the head, and what
/// that saves is told where bytes are counted.
#[test]
fn a_system_prompt_is_said_in_place_if_asked_for() {
    let events = [
        base(json!({"f": local(true)})),
        ask("1"),
        say("a"),
        prompt("Q"),
        ask("2"),
        say("b"),
        prompt(""),
        ask("3"),
        say("c"),
        prompt("P"),
        ask("4"),
        say("d"),
        prompt("X"),
        prompt("P"),
        ask("5"),
    ];
    let (bodies, told) = run(&events, &Open::usual(ToolMode::Deferred), |place| {
        PlaceOptions {
            personas: true,
            measure: true,
            ..place
        }
    });
    for body in &bodies {
        assert_eq!(system(body)[0], "P");
    }
    let last = bodies.last().expect("a body");
    let said: Vec<String> = outline(last)
        .into_iter()
        .filter(|one| one.contains("system"))
        .collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(
        said[0].contains("These instructions replace the system prompt given earlier")
    );
    assert!(said[1].contains("The system prompt given earlier no longer applies."));
    assert!(said[2].ends_with("\"P\""), "{said:?}");
    let told: Vec<_> = told
        .iter()
        .filter(|one| one.code == "prompt-placed")
        .collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].message.starts_with("request 2: "), "{told:?}");
}

fn choice(name: &str) -> Value {
    delta(json!({"assistant": {"tool_choice": name}}))
}

/// Tools are taken away for a choice to call nothing only where messages are cached
/// that are longer than the changes, and given back with the next choice.
#[test]
fn a_choice_to_call_nothing_takes_the_tools_away_where_that_is_cheaper() {
    for (words, is_silent) in [("short", false), (&*"long ".repeat(200), true)] {
        let events = [
            base(json!({"f": local(true), "g": local(true), "h": local(false)})),
            ask(words),
            say("a"),
            choice("none"),
            ask("2"),
            say("b"),
            ask("3"),
            say("c"),
            super::tool_delta(json!({"h": {"enable": true}})),
            choice("auto"),
            ask("4"),
        ];
        let open = Open::usual(ToolMode::Deferred);
        let (bodies, told) = run(&events, &open, |place| place);
        let choices: Vec<&Value> = bodies
            .iter()
            .map(|body| &body["tool_choice"]["type"])
            .collect();
        let second = if is_silent { "auto" } else { "none" };
        assert_eq!(choices, ["auto", second, second, "auto"]);
        assert_eq!(
            told.iter().any(|one| one.code == "choice-silent"),
            is_silent
        );
        let costs = told
            .iter()
            .filter(|one| one.code == "messages-cost")
            .count();
        assert_eq!(costs, if is_silent { 0 } else { 2 });
        let removed = bodies[2].to_string().matches("tool_removal").count();
        assert_eq!(removed, if is_silent { 2 } else { 0 });
        let added = bodies[3].to_string().matches("tool_addition").count();
        // Those of the first request, then those that come back, and the new one.
        assert_eq!(added, if is_silent { 1 + 3 } else { 1 + 1 });
    }
}

/// Nothing was cached before the first request: there the parameter is free.
#[test]
fn a_first_choice_to_call_nothing_is_a_parameter() {
    let events = [
        base(json!({"f": local(true)})),
        choice("none"),
        ask(&"long ".repeat(200)),
        say("a"),
        ask("2"),
    ];
    let (bodies, _) = run(&events, &Open::usual(ToolMode::Deferred), |place| place);
    for body in &bodies {
        assert_eq!(body["tool_choice"]["type"], "none");
        assert_eq!(body.to_string().matches("tool_removal").count(), 0);
    }
}
