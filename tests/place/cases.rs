//! Real reports about placing, with their right answers and siblings
//! and the points that `docs/directives.md` makes.

use super::{
    INLINE, Open, ask, base, delta, local, outline, placed, placed_with, say, section,
    system, tool_delta, tools,
};
use convo::directive::ToolMode;
use convo::provider::{Options, Requests};
use serde_json::{Value, json};

fn usual() -> Open {
    Open::usual(ToolMode::Deferred)
}

#[track_caller]
fn last(events: &[Value]) -> (Value, Vec<String>) {
    let (bodies, told) = placed(&Value::from(events.to_vec()), &usual());
    (bodies.last().expect("a body").clone(), told)
}

fn prompt(text: &str) -> Value {
    delta(json!({"assistant": {"system_prompt": text}}))
}

fn turn() -> Value {
    json!({"type": "turn_start"})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_call_request", "id": id, "name": "f", "arguments": {}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "tool_call_response", "id": id, "content": text})
}

#[test]
fn a_later_text_is_a_system_message_and_the_prelude_stays() {
    // Case 15.
    let events = [
        prompt("You code."),
        turn(),
        ask("update it"),
        section("Follow the README."),
        say("ok"),
        turn(),
        ask("go on"),
    ];
    let (bodies, told) = placed(&Value::from(events.to_vec()), &usual());
    let expected = [
        "user: \"update it\"",
        "system: \"Follow the README.\"",
        "assistant: \"ok\"",
        "user: \"go on\"",
    ];
    assert_eq!(outline(&bodies[1]), expected);
    assert_eq!(outline(&bodies[0]), expected[..2]);
    for body in &bodies {
        assert_eq!(system(body), ["You code."]);
    }
    assert_eq!(told, [""; 0]);
}

#[test]
fn changes_that_snap_to_one_boundary_are_one_message() {
    // Case 16.
    let mut events = vec![
        prompt("A"),
        turn(),
        ask("q"),
        say("a"),
        section("B"),
        section("C"),
        turn(),
        ask("r"),
    ];
    let expected = [
        "user: \"q\"",
        "assistant: \"a\"",
        "user: \"r\"",
        "system: \"B\" \"C\"",
    ];
    assert_eq!(outline(&last(&events).0), expected);
    events.extend([say("b"), section("D"), turn(), ask("s")]);
    let (body, _) = last(&events);
    assert_eq!(outline(&body)[..4], expected);
    assert_eq!(outline(&body)[6], "system: \"D\"");
}

#[test]
fn a_change_of_a_tool_without_a_definition_is_left_out() {
    // Case 17.
    let ghost = tool_delta(json!({"ghost": {"enable": true}}));
    let f = json!({"f": {"source": "local", "enable": true, "description": "Does f.",
        "parameters": {}}});
    let events = [base(f), turn(), ask("q"), say("a"), ghost, turn(), ask("r")];
    let (body, told) = last(&events);
    assert_eq!(outline(&body).len(), 3, "no empty system message");
    assert_eq!(told, ["directive-stripped"]);
    // What else there is to say survives.
    let mixed = delta(
        json!({"conversation": {"tools": {"ghost": {"enable": true}}},
        "assistant": {"system_prompt_sections": [{"content": "S"}]}}),
    );
    let mut events = events.to_vec();
    events[4] = mixed;
    assert_eq!(outline(&last(&events).0)[3], "system: \"S\"");
}

#[test]
fn another_provider_flattens_and_says_so() {
    // Case 18: no in-place mode is offered there.
    let events = json!([
        prompt("A"),
        ask("q"),
        section("B"),
        say("a"),
        section("C"),
        ask("r")
    ]);
    let open = Open::new("claude-sonnet-5", INLINE, ToolMode::Deferred);
    let (bodies, told) = placed(&events, &open);
    assert_eq!(system(&bodies[1]), ["A", "B", "C"]);
    assert!(told.contains(&"gate-closed".to_owned()), "{told:?}");
    assert!(told.contains(&"head-changed".to_owned()), "{told:?}");
}

#[test]
fn the_initial_directive_stands_behind_the_first_user_message() {
    let tools_ = json!({"off": local(false), "f": local(true), "g": local(true)});
    let events = [
        base(tools_),
        ask("one"),
        section("S"),
        ask("two"),
        tool_delta(json!({"g": {"enable": false}, "off": {"enable": true}})),
        say("x"),
        ask("y"),
    ];
    let (body, _) = last(&events);
    let expected = [
        "user: \"one\" \"two\"",
        "system: \"S\" +off",
        "assistant: \"x\"",
        "user: \"y\"",
    ];
    assert_eq!(outline(&body), expected);
    assert_eq!(
        tools(&body),
        ["(off)", "f", "(g)"],
        "the first enabled is anchor"
    );
    assert!(system(&body)[1].contains("Tool Usage"));
}

#[test]
fn no_directive_stands_between_a_call_and_its_result() {
    let events = [
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        call("t"),
        section("S"),
        tool_delta(json!({"g": {"enable": true}})),
        result("t", "r"),
        say("x"),
        ask("y"),
    ];
    let expected = [
        "user: \"q\"",
        "assistant: call(t)",
        "user: result(r)",
        "system: \"S\" +g",
        "assistant: \"x\"",
        "user: \"y\"",
    ];
    assert_eq!(outline(&last(&events).0), expected);
    // Between two results, and where repair puts the result in.
    let two = [
        base(json!({"f": local(true)})),
        ask("q"),
        call("t"),
        call("u"),
        result("u", "2"),
        section("S"),
        result("t", "1"),
    ];
    assert_eq!(outline(&last(&two).0)[3], "system: \"S\"");
    let cut = [prompt("P"), ask("q"), call("t"), section("S"), ask("y")];
    let expected = "user: result(Tool call was interrupted.) \"y\"";
    assert_eq!(outline(&last(&cut).0)[2..], [expected, "system: \"S\""]);
}

#[test]
fn a_change_without_a_place_is_held_and_told() {
    let events = json!([prompt("P"), ask("q"), say("a"), section("S")]);
    let open = usual();
    let end = open.options(Requests::End);
    let bytes = crate::common::bodies::bundle(&events).to_string();
    let (bodies, told) = super::place(bytes.as_bytes(), &end).expect("a body");
    let body: Value = serde_json::from_slice(&bodies[0]).expect("JSON");
    assert_eq!(outline(&body), ["user: \"q\"", "assistant: \"a\""]);
    let codes: Vec<_> = told.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["ends-with-assistant", "directive-held"]);
}

#[test]
fn what_comes_and_goes_between_two_boundaries_is_not_said() {
    let replace = |list: Value| {
        delta(json!({"assistant": {"system_prompt_sections":
            {"value": list, "strategy": "replace"}}}))
    };
    let events = [
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        say("a"),
        section("S"),
        tool_delta(json!({"g": {"enable": true}, "f": {"enable": false}})),
        replace(json!([])),
        tool_delta(json!({"g": {"enable": false}, "f": {"enable": true}})),
        ask("r"),
    ];
    let (body, told) = last(&events);
    assert_eq!(outline(&body).len(), 3);
    assert_eq!(told, [""; 0]);
}

#[test]
fn texts_stand_in_the_order_of_the_new_list_then_tools_in_catalogue_order() {
    let sections = delta(json!({"assistant": {"system_prompt_sections": [
        {"content": "late", "position": 5}, {"content": "early", "position": -5},
        {"content": "mid"}], "instructions": [{"title": "I", "items": ["x"]}]},
        "conversation": {"tools": {"new": local(true), "g": {"enable": true},
            "f": {"enable": false}}}}));
    let events = [
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        say("a"),
        sections,
        ask("r"),
    ];
    let (body, _) = last(&events);
    assert_eq!(
        outline(&body)[3],
        "system: \"early\" \"mid\" \"<instruction title=\"I\">\n- x\n</instruction>\" \
         \"late\" -f +g +new"
    );
    assert_eq!(tools(&body), ["f", "(g)", "(new)"]);
}

#[test]
fn equal_texts_are_counted() {
    let twice = delta(json!({"assistant": {"system_prompt_sections":
        [{"content": "S"}, {"content": "S"}, {"content": " \n"}]}}));
    let events = [
        prompt("P"),
        section("S"),
        ask("q"),
        say("a"),
        twice,
        ask("r"),
    ];
    let (body, _) = last(&events);
    assert_eq!(system(&body), ["P", "S"]);
    assert_eq!(outline(&body)[3], "system: \"S\" \"S\"");
}

#[test]
fn a_new_prompt_costs_the_prefix_and_is_told() {
    let events = [prompt("P"), ask("q"), say("a"), prompt("N"), ask("r")];
    let (body, told) = last(&events);
    assert_eq!(system(&body), ["N"]);
    assert_eq!(outline(&body).len(), 3);
    assert_eq!(told, ["head-changed"]);
}

#[test]
fn a_forced_choice_is_a_line_until_a_directive_lifts_it() {
    let choose = |choice: &str| delta(json!({"assistant": {"tool_choice": choice}}));
    let events = [
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        choose("required"),
        say("a"),
        ask("r"),
        say("b"),
        choose("g"),
        section("S"),
        ask("s"),
        say("c"),
        choose("auto"),
        ask("t"),
    ];
    let open = Open::new("claude-opus-5-5", INLINE, ToolMode::Deferred);
    let (bodies, told) = placed(&Value::from(events.to_vec()), &open);
    let lines = outline(&bodies[3]);
    assert_eq!(bodies.len(), 4);
    assert!(lines[1].starts_with("system: \"IMPORTANT: You MUST use AT LEAST ONE"));
    // It stands, so it is not repeated; another choice lifts it.
    assert_eq!(lines[4], "assistant: \"b\"");
    let lifted = "system: \"The instruction given earlier that you MUST call a tool no \
                  longer applies.\"";
    let third =
        format!("{lifted} \"S\" \"IMPORTANT: You MUST call the tool named 'g'.");
    assert!(lines[6].starts_with(&third), "{}", lines[6]);
    assert!(
        lines[6].ends_with("+g"),
        "a tool that must be called is offered"
    );
    assert_eq!(lines[9], format!("{lifted} -g"));
    for (index, body) in bodies.iter().enumerate() {
        assert_eq!(system(body).len(), 2, "never in `system`");
        assert_eq!(body["tool_choice"]["type"], "auto");
        let before = outline(body).len();
        assert_eq!(outline(body)[..], lines[..before], "{index}");
    }
    assert!(told.contains(&"messages-cost".to_owned()) || !told.is_empty());
}

#[test]
fn what_costs_the_messages_is_told() {
    let effort = delta(json!({"assistant": {"model": {"parameters":
        {"reasoning": {"effort": "max"}}}}}));
    let none = delta(json!({"assistant": {"tool_choice": "none"}}));
    for change in [effort, none] {
        let events = [
            base(json!({"f": local(true)})),
            ask("q"),
            say("a"),
            change,
            ask("r"),
        ];
        let (_, told) = last(&events);
        assert_eq!(told, ["messages-cost"]);
    }
    let events = [
        prompt("P"),
        ask("q"),
        say("a"),
        turn(),
        json!({"type": "chat_request", "content": "r", "schema": {"type": "object"}}),
    ];
    assert_eq!(last(&events).1, ["messages-cost"]);
}

#[test]
fn marks_stand_on_anchor_prelude_and_the_whole() {
    let events = json!([base(json!({"off": local(false), "f": local(true)})), ask("q"),
        {"type": "chat_request", "content": "r", "metadata": {"cache_breakpoint": true}}]);
    let (bodies, _) = placed(&events, &usual());
    let body = &bodies[0];
    let mark = json!({"type": "ephemeral", "ttl": "5m"});
    assert_eq!(body["cache_control"], mark);
    assert_eq!(body["system"][1]["cache_control"], mark);
    assert_eq!(body["tools"][1]["cache_control"], mark);
    assert_eq!(body.to_string().matches("cache_control").count(), 3);
}

#[test]
fn system_parts_given_from_outside_replace_the_prelude_alone() {
    let events = json!([
        base(json!({"f": local(true), "g": local(false)})),
        ask("q"),
        say("a"),
        section("S"),
        tool_delta(json!({"g": {"enable": true}})),
        ask("r")
    ]);
    let facts = br#"{"system_parts": ["given"]}"#;
    let open = usual();
    let options = Options {
        inputs: Some(convo::json::Raw::parse(facts).expect("JSON")),
        ..open.options(Requests::Last)
    };
    let (bodies, _) = placed_with(&events, &open, &options);
    assert_eq!(system(&bodies[0]), ["given"]);
    // What deltas bring later is sent all the same, flattened too.
    assert_eq!(outline(&bodies[0])[3], "system: \"S\" +g");
    let flat = Options {
        place: None,
        ..options
    };
    let (bodies, _) = placed_with(&events, &open, &flat);
    assert_eq!(system(&bodies[0]), ["given", "S"]);
    let facts = br#"{"system_parts": ["given", "S"]}"#;
    for place in [options.place, None] {
        let options = Options {
            inputs: Some(convo::json::Raw::parse(facts).expect("JSON")),
            place,
            ..options
        };
        let (bodies, _) = placed_with(&events, &open, &options);
        assert_eq!(system(&bodies[0]), ["given", "S"], "said once");
        assert!(!outline(&bodies[0]).join(" ").contains("system: \"S\""));
    }
    // So do tools: all of them are offered, whatever the configuration says.
    let facts = br#"{"tools": [{"name": "x"}, {"name": "y"}]}"#;
    let options = Options {
        inputs: Some(convo::json::Raw::parse(facts).expect("JSON")),
        ..open.options(Requests::Last)
    };
    let (bodies, _) = placed_with(&events, &open, &options);
    assert_eq!(tools(&bodies[0]), ["x", "(y)"]);
    let lines = outline(&bodies[0]);
    assert_eq!(lines[1], "system: +y");
    assert_eq!(lines[4], "system: \"S\"");
}
