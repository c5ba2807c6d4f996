//! Hostile streams: each has its message or its body, never a body that is refused,
//! and costs what its length says.

use super::{Open, ask, base, delta, local, outline, placed, say, section, tool_delta};
use super::{place, refusals, tools};
use crate::common::bodies::bundle;
use convo::directive::ToolMode;
use convo::provider::Requests;
use serde_json::{Map, Value, json};

const MODES: [ToolMode; 2] = [ToolMode::Deferred, ToolMode::Inline];

#[test]
fn a_thousand_deltas_in_a_row_are_one_directive() {
    let mut events = vec![base(json!({"f": local(true)})), ask("q"), say("a")];
    for index in 0..1000 {
        events.push(section(&format!("S{index}")));
        events.push(tool_delta(json!({"f": {"enable": index % 2 == 0}})));
        events.push(tool_delta(json!({format!("t{index}"): local(true)})));
    }
    events.push(ask("r"));
    for mode in MODES {
        let events = Value::from(events.clone());
        let (bodies, _) = placed(&events, &Open::usual(mode));
        let message = &bodies[1]["messages"][3];
        assert_eq!(message["content"].as_array().expect("blocks").len(), 2001);
        assert_eq!(outline(&bodies[1]).len(), 4);
    }
}

#[test]
fn a_delta_that_turns_every_tool_off_removes_each() {
    let off = json!({"f": {"enable": false}, "g": {"enable": false}});
    let mut events = vec![
        base(json!({"f": local(true), "g": local(true)})),
        ask("q"),
        say("a"),
        tool_delta(off),
        ask("r"),
    ];
    events.push(delta(json!({"assistant": {"tool_choice": "required"}})));
    for mode in MODES {
        let (bodies, _) = placed(&Value::from(events.clone()), &Open::usual(mode));
        assert_eq!(outline(&bodies[1])[4], "system: -f -g");
        assert_eq!(tools(&bodies[1]), ["f", "(g)"]);
        assert_eq!(bodies[1]["tool_choice"]["type"], "auto");
    }
}

#[test]
fn more_tools_than_a_request_holds_are_left_out_and_told() {
    let mut many = Map::new();
    for index in 0..10_010 {
        many.insert(
            format!("t{index}"),
            json!({"source": "local", "enable": index < 3}),
        );
    }
    let big = json!({"source": "local", "description": "x".repeat(4 << 20)});
    let half = json!({"source": "local", "description": "x".repeat(3 << 20)});
    let events = json!([
        base(Value::from(many)),
        ask("q"),
        say("a"),
        tool_delta(json!({"big": big})),
        ask("r")
    ]);
    let (bodies, told) = placed(&events, &Open::usual(ToolMode::Deferred));
    assert_eq!(tools(&bodies[1]).len(), 10_001);
    // Told once with names, then counted.
    assert_eq!(told.iter().filter(|code| *code == "tool-limit").count(), 2);
    let events = json!([
        base(json!({"f": local(true)})),
        ask("q"),
        say("a"),
        tool_delta(json!({"one": half, "two": half, "big": big})),
        ask("r"),
        say("b"),
        tool_delta(json!({"one": {"enable": false}})),
        ask("s"),
        say("c"),
        ask("t")
    ]);
    for mode in MODES {
        let (bodies, told) = placed(&events, &Open::usual(mode));
        let last = outline(&bodies[3]).join("\n");
        // What there was no room for comes as soon as there is.
        assert!(told.contains(&"tool-limit".to_owned()), "{told:?}");
        assert!(last.contains("-one") && last.contains("+two"), "{mode:?}");
        assert!(!last.contains("+big"));
    }
}

#[test]
fn a_tool_that_is_unset_or_loses_its_source_is_withdrawn() {
    let unset = json!({"type": "config_delta", "unsets": ["conversation.tools.g"]});
    let all = json!({"type": "config_delta", "unsets": ["conversation.tools"]});
    let field =
        json!({"type": "config_delta", "unsets": ["conversation.tools.g.source"]});
    let again = tool_delta(json!({"g": local(true)}));
    for change in [unset, all, field] {
        let events = json!([
            base(json!({"f": local(false), "g": local(true)})),
            ask("q"),
            say("a"),
            change,
            ask("r"),
            say("b"),
            again,
            ask("s")
        ]);
        for mode in MODES {
            let (bodies, _) = placed(&events, &Open::usual(mode));
            let lines = outline(&bodies[2]);
            assert_eq!([&lines[3], &lines[6]], ["system: -g", "system: +g"]);
        }
    }
}

#[test]
fn a_tool_that_was_edited_can_still_lose_its_definition() {
    let edit = tool_delta(json!({"g": {"description": "other"}}));
    let field =
        json!({"type": "config_delta", "unsets": ["conversation.tools.g.source"]});
    let events = json!([
        base(json!({"f": local(true), "g": local(true)})),
        ask("q"),
        say("a"),
        edit,
        ask("r"),
        say("b"),
        field,
        ask("s"),
        say("c"),
        tool_delta(json!({"g": {"source": "local"}})),
        ask("t")
    ]);
    for mode in MODES {
        let (bodies, _) = placed(&events, &Open::usual(mode));
        let lines = outline(&bodies[3]);
        let last: Vec<_> = lines
            .iter()
            .filter(|line| line.starts_with("sys"))
            .collect();
        assert!(last[last.len() - 2].ends_with("-g"), "{lines:?}");
        assert!(last[last.len() - 1].ends_with("+g"), "{lines:?}");
    }
}

/// A change at each of many requests, over many tools: squares would not end.
#[test]
fn many_requests_with_a_change_each_have_their_body() {
    let shapes: [fn(usize, &mut Vec<Value>); 4] = [
        |index, events| events.push(section(&format!("section number {index}"))),
        |index, events| {
            events.push(tool_delta(json!({format!("t{index}"): local(true)})));
        },
        |index, events| {
            events.push(tool_delta(json!({"f": {"enable": index % 2 == 0}})));
        },
        |index, events| {
            events.push(tool_delta(json!({"*": {"enable": index % 2 == 0}})));
        },
    ];
    for add in shapes {
        let mut tools = Map::new();
        for index in 0..2000 {
            tools.insert(format!("x{index}"), local(index % 2 == 0));
        }
        tools.insert("f".to_owned(), local(true));
        let mut events = vec![base(Value::from(tools))];
        for index in 0..2000 {
            events.push(ask("q"));
            events.push(say("a"));
            add(index, &mut events);
        }
        events.push(ask("r"));
        let bytes = bundle(&Value::from(events)).to_string();
        let open = Open::usual(ToolMode::Deferred);
        let found = place(bytes.as_bytes(), &open.options(Requests::Last));
        let (bodies, _) = found.expect("a body");
        assert_eq!(refusals(&bodies[0], &open.profile(&bodies[0])), [""; 0]);
    }
}
