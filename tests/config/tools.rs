//! Rule T: tools, their enablement and their definitions.

use super::with;
use convo::config::{Mode, Warnings};
use serde_json::{Value, json};

fn tools(base: &Value, deltas: &[Value]) -> Vec<String> {
    let base = json!({"conversation": {"tools": base}});
    let deltas: Vec<_> = deltas
        .iter()
        .map(|one| json!({"conversation": {"tools": one}}))
        .collect();
    with(&base, &deltas, Mode::Convo, |config, _| {
        let tools = config.tools();
        let state = |tool: &convo::config::Tool<'_>| {
            let on = tools.is_available(tool, None);
            let named = tools.is_available(tool, Some(&tool.name));
            format!("{} {on} {named}", tool.name)
        };
        tools.iter().map(state).collect()
    })
}

#[test]
fn enablement_normalises_and_merges_per_sub_field() {
    for (enable, expected) in [
        (json!(true), "f true true"),
        (json!("on"), "f true true"),
        (json!("true"), "f true true"),
        (json!(false), "f false true"),
        (json!("off"), "f false true"),
        (json!("false"), "f false true"),
        (json!("explicit"), "f false true"),
        (json!("always"), "f true true"),
        (
            json!({"state": false, "allow_toggle": "never"}),
            "f false false",
        ),
        (json!({"state": false}), "f false true"),
        (json!({"allow_toggle": "never"}), "f true true"),
        (json!(null), "f true true"),
        (json!("sometimes"), "f true true"),
    ] {
        assert_eq!(
            tools(&json!({"f": {"enable": enable}}), &[]),
            [expected],
            "{enable}"
        );
    }
    let locked = json!({"f": {"enable": {"state": false, "allow_toggle": "never"}}});
    let on = json!({"f": {"enable": {"state": true}}});
    assert_eq!(tools(&locked, &[on]), ["f true true"]);
    let short = json!({"f": {"enable": false}});
    assert_eq!(
        tools(&locked, &[short]),
        ["f false true"],
        "a shorthand sets both"
    );
    // `*` counts where the tool says nothing.
    let star = json!({"*": {"enable": "off"}, "f": {}, "g": {"enable": true}});
    assert_eq!(tools(&star, &[]), ["f false true", "g true true"]);
}

#[test]
fn rule_t_keeps_places_and_merges_fields() {
    let base = json!({"b": {"source": "local"}, "a": {}, "*": {}});
    let delta = json!({"a": {"enable": false}, "c": {"source": "mcp.s"}, "b": {"enable": false}});
    assert_eq!(
        tools(&base, &[delta]),
        ["b false true", "a false true", "c true true"]
    );
    let base = json!({"conversation": {"tools": {"f": {"source": "local", "summary": "S",
        "description": "D", "parameters": {
            "x": {"type": "string", "required": true, "enum": ["a"]},
            "y": {"type": ["array", "string"], "items": {"type": "string"}}}}}}});
    let delta = json!({"conversation": {"tools": {"f": {"summary": "T", "parameters": {
        "y": {"items": {"type": "object", "properties": {"k": {"type": "null", "required": true}}}},
        "z": {"type": "integer", "default": 3, "summary": "", "description": "long"},
        "x": {"type": "string", "enum": ["b"], "default": null}}}}}});
    with(&base, &[delta], Mode::Convo, |config, told| {
        assert_eq!(told.len(), 0, "{told:?}");
        let tool = config.tools().get("f").expect("f");
        assert_eq!(tool.description().expect("a description").decode(), "T");
        let parameters = tool.parameters(&mut Warnings::default());
        let mut out = Vec::new();
        parameters.write_properties(&mut out);
        parameters.write_required(&mut out);
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            r#"{"x":{"type":"string","enum":["b"]},"#.to_owned()
                + r#""y":{"type":["array","string"],"items":{"type":"object","#
                + r#""properties":{"k":{"type":"null"}},"required":["k"]}},"#
                + r#""z":{"type":"integer","description":"","default":3}}["x"]"#
        );
    });
}

#[test]
fn sources_say_whether_a_definition_is_known() {
    let base = json!({"conversation": {"tools": {
        "a": {"source": "builtin"}, "b": {"source": "local.x"}, "c": {"source": "mcp.s.t.u"},
        "d": {"source": "mcp"}, "e": {"source": "mcp..t"}, "f": {}, "g": {"source": "web"}}}});
    with(&base, &[], Mode::Convo, |config, _| {
        let found: Vec<_> = config
            .tools()
            .iter()
            .map(|tool| (tool.is_resolvable(), tool.server()))
            .collect();
        let server =
            |server: &str, name: &str| Some((server.to_owned(), name.to_owned()));
        let expected = [
            (true, None),
            (true, None),
            (false, server("s", "t.u")),
            (false, server("", "d")),
            (false, server("", "t")),
            (false, None),
            (false, None),
        ];
        assert_eq!(found, expected);
    });
}
