//! Which profiles take what (`docs/directives.md#gates`), and what is told.

use super::{INLINE, JULY, Open, TABLE, ask, base, local, outline, place, placed, say};
use super::{section, tool_delta, tools};
use crate::common::bodies::{bundle, lines, options};
use convo::directive::ToolMode;
use convo::model::Platform;
use convo::provider::{Format, Options, PlaceOptions, Requests};
use serde_json::{Value, json};

fn events() -> Value {
    json!([
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        say("a"),
        section("S"),
        tool_delta(json!({"g": {"enable": true}})),
        ask("r")
    ])
}

#[test]
fn both_gates_are_open_on_eleven_models_with_any_of_their_betas() {
    let all = Open::all();
    let mut models: Vec<_> = all.iter().map(|open| &open.model).collect();
    models.dedup();
    assert_eq!((models.len(), all.len()), (11, 55));
    for open in all {
        let (bodies, told) = placed(&events(), &open);
        assert_eq!(outline(&bodies[1])[3], "system: \"S\" +g", "{open:?}");
        let assumed = told.iter().all(|code| *code != "gate-closed");
        assert!(assumed, "{open:?}: {told:?}");
    }
}

#[test]
fn a_model_without_system_messages_flattens_to_the_byte() {
    let bytes = bundle(&events()).to_string();
    for model in TABLE
        .models()
        .iter()
        .filter(|one| one.system_messages.refused())
    {
        let open = Open::new(&model.id, INLINE, ToolMode::Deferred);
        let (found, told) =
            place(bytes.as_bytes(), &open.options(Requests::All)).expect("bodies");
        let flat = Options {
            requests: Requests::All,
            ..options("anthropic", Some(&model.id))
        };
        assert_eq!(found, lines(bytes.as_bytes(), &flat).expect("bodies").0);
        let told: Vec<_> = told.iter().map(|one| one.code).collect();
        assert!(told.contains(&"gate-closed"), "{}: {told:?}", model.id);
    }
}

#[test]
fn without_a_beta_texts_are_placed_and_tools_flatten() {
    let open = Open::new("claude-opus-5", "", ToolMode::Deferred);
    let (bodies, told) = placed(&events(), &open);
    assert_eq!(outline(&bodies[1])[3], "system: \"S\"");
    assert_eq!(tools(&bodies[0]), ["f"]);
    assert_eq!(tools(&bodies[1]), ["f", "g"]);
    assert_eq!(told, ["gate-closed", "head-changed"]);
    // The older beta opens references alone.
    let inline = Open::new("claude-opus-5", JULY, ToolMode::Inline);
    assert_eq!(placed(&events(), &inline).1, ["gate-closed"]);
}

#[test]
fn a_model_that_nobody_knows_flattens() {
    let bytes = bundle(&events()).to_string();
    let open = Open::new("claude-next", INLINE, ToolMode::Deferred);
    let (_, told) =
        place(bytes.as_bytes(), &open.options(Requests::Last)).expect("a body");
    let closed = told
        .iter()
        .find(|one| one.code == "gate-closed")
        .expect("a note");
    let hint = closed.hint.as_deref().unwrap_or_default();
    assert!(hint.contains("--model-details"), "{closed:?}");
    // Told of a model like another one, it places.
    let mut table = TABLE.clone();
    let file = br#"{"id": "claude-next", "like": "claude-opus-5"}"#;
    table.merge(file).expect("a table");
    let options = Options {
        table: &table,
        ..open.options(Requests::Last)
    };
    let (bodies, _) = place(bytes.as_bytes(), &options).expect("a body");
    let body: Value = serde_json::from_slice(&bodies[0]).expect("JSON");
    assert_eq!(outline(&body)[3], "system: \"S\" +g");
}

#[test]
fn a_beta_that_the_platform_does_not_have_is_left_out_and_told() {
    let open = Open {
        platform: Platform::Bedrock,
        ..Open::usual(ToolMode::Deferred)
    };
    let options = Options {
        format: Format::Request,
        ..open.options(Requests::Last)
    };
    let bytes = bundle(&events()).to_string();
    let (found, told) = place(bytes.as_bytes(), &options).expect("a request");
    let told: Vec<_> = told.iter().map(|one| one.code).collect();
    assert_eq!(told, ["beta-platform", "gate-closed", "head-changed"]);
    assert!(!String::from_utf8_lossy(&found[0]).contains(INLINE));
}

#[test]
fn definitions_by_value_on_another_platform_are_bad_usage() {
    for platform in [Platform::Bedrock, Platform::GoogleCloud] {
        let open = Open {
            platform,
            ..Open::usual(ToolMode::Inline)
        };
        let bytes = bundle(&events()).to_string();
        let error = place(bytes.as_bytes(), &open.options(Requests::Last));
        let error = error.expect_err("bad usage");
        assert_eq!(error.kind, convo::error::ErrorKind::Usage);
        assert_eq!(error.code, "tool-mode");
    }
}

#[test]
fn a_request_names_the_betas_of_configuration_and_options() {
    let mut events = events();
    let betas =
        json!({"llm": {"anthropic": {"beta_headers": ["some-beta-2026-01-01"]}}});
    events[0]["delta"]["providers"] = betas;
    let open = Open::usual(ToolMode::Deferred);
    let options = Options {
        format: Format::Request,
        ..open.options(Requests::Last)
    };
    let bytes = bundle(&events).to_string();
    let (found, _) = place(bytes.as_bytes(), &options).expect("a request");
    let request: Value = serde_json::from_slice(&found[0]).expect("JSON");
    assert_eq!(
        request["headers"]["anthropic-beta"],
        format!("some-beta-2026-01-01,{INLINE}")
    );
}

#[test]
fn options_by_default_place_nothing_without_a_beta() {
    assert_eq!(options("anthropic", None).platform, Platform::ClaudeApi);
    assert_eq!(PlaceOptions::default().tool_mode, ToolMode::Deferred);
}
