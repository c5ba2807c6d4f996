//! Definitions by value (`docs/directives.md#catalogue`): `tools` never changes.

use super::{
    JULY, Open, ask, base, delta, local, outline, placed, say, tool_delta, tools,
};
use convo::directive::ToolMode;
use serde_json::{Value, json};

#[track_caller]
fn both(events: &[Value]) -> [(Value, Vec<String>); 2] {
    [ToolMode::Deferred, ToolMode::Inline].map(|mode| {
        let events = Value::from(events.to_vec());
        let (bodies, told) = placed(&events, &Open::usual(mode));
        (bodies.last().expect("a body").clone(), told)
    })
}

#[test]
fn a_tool_that_appears_later_comes_by_value() {
    let new = tool_delta(json!({"n": {"source": "local", "description": "new"}}));
    let off = tool_delta(json!({"n": {"enable": false}}));
    let on = tool_delta(json!({"n": {"enable": true}}));
    let events = [
        base(json!({"f": local(true)})),
        ask("q"),
        say("a"),
        new,
        ask("r"),
        say("b"),
        off,
        ask("s"),
        say("c"),
        on,
        ask("t"),
    ];
    let [(deferred, _), (inline, told)] = both(&events);
    assert_eq!(tools(&deferred), ["f", "(n)"]);
    assert_eq!(tools(&inline), ["f"]);
    assert_eq!(told, [""; 0]);
    let (deferred, inline) = (outline(&deferred), outline(&inline));
    assert_eq!(
        [&deferred[3], &deferred[6], &deferred[9]],
        ["system: +n", "system: -n", "system: +n"]
    );
    // What was sent by value once is referred to by name.
    assert_eq!(
        [&inline[3], &inline[6], &inline[9]],
        ["system: +n(new)", "system: -n", "system: +n"]
    );
}

#[test]
fn an_edited_definition_is_sent_anew_or_kept_as_it_was() {
    let edit = |text: &str| tool_delta(json!({"f": {"description": text}}));
    let enable = |on: bool| tool_delta(json!({"f": {"enable": on}}));
    let events = [
        base(json!({"f": local(true), "g": local(true)})),
        ask("q"),
        say("a"),
        edit("two"),
        ask("r"),
        say("b"),
        enable(false),
        ask("s"),
        say("c"),
        edit("three"),
        ask("t"),
        say("d"),
        enable(true),
        ask("u"),
    ];
    let [(deferred, told), (inline, quiet)] = both(&events);
    assert_eq!(deferred["tools"][0]["description"], "d");
    assert_eq!(inline["tools"][0]["description"], "d");
    assert_eq!((told, quiet), (vec![], vec![]));
    assert_eq!(
        outline(&deferred)[3],
        outline(&inline)[3],
        "by value, where it is open"
    );
    let july = Open::new("claude-opus-5", JULY, ToolMode::Deferred);
    let (_, told) = placed(&Value::from(events.to_vec()), &july);
    assert_eq!(told, ["tool-edited"], "else it stays as it was");
    let lines = outline(&inline);
    // At once where the tool is offered, else when it next is.
    let said: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("sys"))
        .collect();
    assert_eq!(
        said,
        [
            "system: +g",
            "system: +f(two)",
            "system: -f",
            "system: +f(three)"
        ]
    );
    let lines = outline(&deferred);
    let said: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("sys"))
        .collect();
    assert_eq!(
        said,
        [
            "system: +g",
            "system: +f(two)",
            "system: -f",
            "system: +f(three)"
        ]
    );
}

#[test]
fn an_edit_that_changes_no_byte_is_none() {
    let edit = tool_delta(json!({"f": {"description": "d", "parameters": null}}));
    let events = [
        base(json!({"f": local(true)})),
        ask("q"),
        say("a"),
        edit,
        ask("r"),
    ];
    for (body, told) in both(&events) {
        assert_eq!(outline(&body).len(), 3);
        assert_eq!(told, [""; 0]);
    }
}

#[test]
fn the_first_tool_of_all_appears_late() {
    let first =
        tool_delta(json!({"off": local(false), "n": local(true), "o": local(true)}));
    let events = [
        base(json!({})),
        ask("q"),
        say("a"),
        first,
        ask("r"),
        say("b"),
        tool_delta(json!({"p": local(true)})),
        ask("s"),
    ];
    let [(deferred, told), (inline, also)] = both(&events);
    assert_eq!(tools(&deferred), ["(off)", "n", "(o)", "(p)"]);
    let lines = outline(&deferred);
    // The anchor is on offer from the start; only the others are added.
    assert_eq!([&lines[3], &lines[6]], ["system: +o", "system: +p"]);
    // Tool Usage comes with the request that pays.
    for body in [&deferred, &inline] {
        assert_eq!(body["system"].as_array().expect("parts").len(), 2);
    }
    assert_eq!(inline.get("tools"), None);
    assert_eq!(inline.get("tool_choice"), None);
    let lines = outline(&inline);
    assert_eq!(
        [&lines[3], &lines[6]],
        ["system: +n(d) +o(d)", "system: +p(d)"]
    );
    assert_eq!(
        (told, also),
        (vec!["first-tool".to_owned()], vec!["first-tool".to_owned()])
    );
}

#[test]
fn a_first_tool_that_is_off_is_removed_at_its_own_place() {
    let first = tool_delta(json!({"n": local(false)}));
    let events = [base(json!({})), ask("q"), say("a"), first, ask("r")];
    let [(deferred, _), (inline, _)] = both(&events);
    assert_eq!(tools(&deferred), ["n"]);
    assert_eq!(outline(&deferred)[3], "system: -n");
    assert_eq!(outline(&inline).len(), 3);
}

#[test]
fn an_anchor_that_is_off_is_removed_in_the_initial_directive() {
    let events = [
        base(json!({"f": local(false), "g": local(false)})),
        ask("q"),
    ];
    for (body, _) in both(&events) {
        assert_eq!(tools(&body), ["f", "(g)"]);
        assert_eq!(outline(&body)[1], "system: -f");
        assert_eq!(body["tool_choice"]["type"], "auto");
    }
}

#[test]
fn a_change_of_the_defaults_is_a_change_of_all_that_inherit_it() {
    let all = |on: bool| tool_delta(json!({"*": {"enable": on}}));
    let bare = json!({"source": "local"});
    let tools_ = json!({"a": bare, "b": local(true), "c": bare, "d": local(false)});
    let events = [
        base(tools_),
        ask("q"),
        say("x"),
        all(false),
        ask("r"),
        say("y"),
        all(true),
        ask("s"),
    ];
    for (body, _) in both(&events) {
        let lines = outline(&body);
        assert_eq!(lines[1], "system: +b +c");
        assert_eq!([&lines[4], &lines[7]], ["system: -a -c", "system: +a +c"]);
    }
}

#[test]
fn a_forced_choice_of_a_tool_by_value_is_a_line() {
    let new = delta(json!({"conversation": {"tools": {"n": local(true)}},
        "assistant": {"tool_choice": "n", "model": {"parameters": {"reasoning": "off"}}}}));
    let events = [
        base(json!({"f": local(true)})),
        ask("q"),
        say("a"),
        new,
        ask("r"),
    ];
    let [(deferred, _), (inline, _)] = both(&events);
    assert_eq!(
        deferred["tool_choice"],
        json!({"type": "tool", "name": "n",
        "disable_parallel_tool_use": false})
    );
    assert_eq!(outline(&deferred)[3], "system: +n");
    assert_eq!(inline["tool_choice"]["type"], "auto");
    let line = &outline(&inline)[3];
    assert!(line.contains("MUST call the tool named 'n'"), "{line}");
}
