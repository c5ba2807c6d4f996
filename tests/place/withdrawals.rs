//! Sections that go away and come back (`--withdrawals`).

use super::{Open, ask, delta, outline, placed_with, say, section};
use convo::directive::{ToolMode, Withdrawals};
use convo::provider::{Options, PlaceOptions, Requests};
use serde_json::{Value, json};

fn replace(list: impl Into<Value>) -> Value {
    let list = list.into();
    delta(json!({"assistant": {"system_prompt_sections":
        {"value": list, "strategy": "replace"}}}))
}

/// What directives say, and the codes told.
#[track_caller]
fn said(events: &[Value], withdrawals: Withdrawals) -> (Vec<String>, Vec<String>) {
    let open = Open::usual(ToolMode::Deferred);
    let options = open.options(Requests::Last);
    let place = PlaceOptions {
        withdrawals,
        ..options.place.expect("placing")
    };
    let options = Options {
        place: Some(place),
        ..options
    };
    let (bodies, told) = placed_with(&Value::from(events.to_vec()), &open, &options);
    let lines = outline(&bodies[0]);
    let said = lines
        .iter()
        .filter_map(|line| line.strip_prefix("system: "));
    (said.map(str::to_owned).collect(), told)
}

fn events() -> Vec<Value> {
    let titled = json!({"title": "Style", "content": "Be brief."});
    vec![
        delta(json!({"assistant": {"system_prompt": "P",
            "system_prompt_sections": [titled, {"tag": "x", "content": "y"}]}})),
        ask("q"),
        say("a"),
        replace(json!([{"tag": "x", "content": "y"}])),
        ask("r"),
        say("b"),
        replace(json!([titled, {"content": "new"}])),
        ask("s"),
    ]
}

#[test]
fn reported_what_is_gone_cannot_be_unsaid() {
    let (said, told) = said(&events(), Withdrawals::Report);
    // What returns is said again: nobody knows that it never went away.
    assert_eq!(said, ["\"# Style\n\nBe brief.\" \"new\""]);
    assert_eq!(told, ["section-withdrawn", "section-withdrawn"]);
}

#[test]
fn noticed_what_is_gone_is_taken_back_and_said_again() {
    let (said, told) = said(&events(), Withdrawals::Notice);
    let gone = |name: &str| {
        format!("\"The instructions in \"{name}\" given earlier no longer apply.\"")
    };
    let again = format!("{} \"# Style\n\nBe brief.\" \"new\"", gone("x"));
    assert_eq!(said, [gone("Style"), again]);
    assert_eq!(told, [""; 0]);
}

#[test]
fn a_copy_that_stays_keeps_a_section_in_force() {
    let twice = json!([{"content": "S"}, {"content": "S"}]);
    let mut events = vec![
        delta(
            json!({"assistant": {"system_prompt": "P", "system_prompt_sections": twice}}),
        ),
        ask("q"),
        say("a"),
        replace(json!([{"content": "S"}])),
        ask("r"),
    ];
    let notice = "\"The instructions in \"S\" given earlier no longer apply.\"";
    assert_eq!(said(&events, Withdrawals::Report), (vec![], vec![]));
    // A notice takes all copies back, so the one that stays is said again.
    let once = format!("{notice} \"S\"");
    assert_eq!(
        said(&events, Withdrawals::Notice).0,
        std::slice::from_ref(&once)
    );
    events.extend([say("b"), section("S"), ask("s")]);
    assert_eq!(said(&events, Withdrawals::Notice).0, [&*once, "\"S\""]);
    events.extend([say("c"), replace(json!([])), ask("t")]);
    assert_eq!(
        said(&events, Withdrawals::Notice).0,
        [&*once, "\"S\"", notice]
    );
}

#[test]
fn a_notice_names_title_else_tag_else_the_first_line_cut_short() {
    let long = "é".repeat(61);
    for (section, name) in [
        (json!({"title": "T", "tag": "g", "content": "c"}), "T"),
        (json!({"title": " ", "tag": "g", "content": "c"}), "g"),
        (json!({"content": "\n one \ntwo"}), "one"),
        (json!({"content": long}), &format!("{}…", "é".repeat(60))),
        (json!({"content": "é".repeat(60)}), &"é".repeat(60)),
    ] {
        let events = [
            delta(json!({"assistant": {"system_prompt": "P",
                "system_prompt_sections": [section]}})),
            ask("q"),
            say("a"),
            replace(json!([])),
            ask("r"),
        ];
        let expected = format!(
            "\"The instructions in \"{name}\" given earlier no longer apply.\""
        );
        assert_eq!(said(&events, Withdrawals::Notice).0, [expected]);
    }
    let instruction = delta(json!({"assistant": {"system_prompt": "P",
        "instructions": [{"title": "Edits"}, {"items": ["a"]}]}}));
    let unset = json!({"type": "config_delta", "unsets": ["assistant.instructions"]});
    let events = [instruction, ask("q"), say("a"), unset, ask("r")];
    let line = said(&events, Withdrawals::Notice).0.remove(0);
    assert!(
        line.contains("\"Edits\"") && line.contains("\"instruction\""),
        "{line}"
    );
}

fn titled(title: &str, content: &str) -> Value {
    json!({"title": title, "content": content})
}

fn with_sections(list: impl Into<Value>) -> Value {
    let list = list.into();
    delta(json!({"assistant": {"system_prompt": "P", "system_prompt_sections": list}}))
}

#[test]
fn a_section_that_returns_is_said_again() {
    let (read, edit) = (titled("Mode", "May read."), titled("Mode", "May edit."));
    let events = [
        with_sections(json!([read])),
        ask("1"),
        say("a"),
        replace(json!([edit])),
        ask("2"),
        say("a"),
        replace(json!([read])),
        ask("3"),
    ];
    let line = "\"This replaces the instructions in \"Mode\" given earlier.\"";
    let (said, told) = said(&events, Withdrawals::Notice);
    let edited = format!("{line} \"# Mode\n\nMay edit.\"");
    assert_eq!(said, [edited, format!("{line} \"# Mode\n\nMay read.\"")]);
    assert_eq!(told, [""; 0]);
}

#[test]
fn what_shares_its_title_is_quoted() {
    let gone = |list: Value, left: Value| {
        let events = [
            with_sections(list),
            ask("q"),
            say("a"),
            replace(left),
            ask("r"),
        ];
        said(&events, Withdrawals::Notice).0.remove(0)
    };
    let (tabs, quotes) = (titled("Style", "Use tabs."), titled("Style", "Use quotes."));
    let found = gone(json!([tabs, quotes]), json!([quotes]));
    let whole = "\"The instructions given earlier that read \"# Style\n\nUse tabs.\" no \
                 longer apply.\"";
    assert_eq!(found, whole);
    // As many first lines as no other text begins with.
    let long = titled("Style", "Use tabs.\nAlways.\nEverywhere.");
    let found = gone(json!([tabs, long]), json!([tabs]));
    let lines = "\"The instructions given earlier that begin with \"# Style\n\nUse tabs.\n\
                 Always.\" no longer apply.\"";
    assert_eq!(found, lines);
    // The start of another is quoted whole.
    assert_eq!(gone(json!([tabs, long]), json!([long])), whole);
    // Two that go away together: each is named by what only it has.
    let found = gone(json!([tabs, quotes]), json!([]));
    assert_eq!(
        found.matches("given earlier that read").count(),
        2,
        "{found}"
    );
    // Tool Usage stands whatever happens.
    let found = gone(json!([titled("Tool Usage", "x")]), json!([]));
    assert!(
        found.contains("that begin with \"# Tool Usage\""),
        "{found}"
    );
}
