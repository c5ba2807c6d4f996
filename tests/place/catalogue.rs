//! `--catalogue`: what servers list, tools as inputs have them, lock files; and
//! those that do not fit the stream.

use super::{Open, ask, base, local, outline, placed_with, say, tool_delta, tools};
use crate::common::bodies::{bundle, conversation};
use convo::directive::{CatalogueFile, ToolMode};
use convo::provider::{Options, Requests, place_directives};
use serde_json::{Value, json};

fn mcp(source: &str) -> Value {
    json!({"source": source, "enable": true})
}

fn with<T>(
    file: &Value,
    mode: ToolMode,
    then: impl FnOnce(&Open, &Options<'_>) -> T,
) -> T {
    let bytes = file.to_string();
    let file = CatalogueFile::read(bytes.as_bytes()).expect("a catalogue");
    let open = Open::usual(mode);
    let options = open.options(Requests::All);
    let options = Options {
        catalogue: Some(&file),
        ..options
    };
    then(&open, &options)
}

/// The last body with a catalogue file, and the codes told.
#[track_caller]
fn last(events: &[Value], file: &Value, mode: ToolMode) -> (Value, Vec<String>) {
    let events = Value::from(events.to_vec());
    with(file, mode, |open, options| {
        let (mut bodies, told) = placed_with(&events, open, options);
        (bodies.pop().expect("a body"), told)
    })
}

/// The catalogue that a stream leaves.
fn lock(events: &[Value]) -> Value {
    let bytes = bundle(&Value::from(events.to_vec())).to_string();
    let open = Open::usual(ToolMode::Deferred);
    let (mut out, mut told) = (Vec::new(), Vec::new());
    let options = open.options(Requests::Last);
    let conversation = conversation(bytes.as_bytes());
    let found = place_directives(&mut out, &conversation, &options, &mut told);
    let found = found.expect("a body").expect("a catalogue");
    serde_json::from_slice(&found).expect("JSON")
}

#[test]
fn what_a_server_lists_makes_its_tools_resolvable() {
    let file = json!({"cal": {"tools": [
        {"name": "list", "description": "theirs", "annotations": {"readOnlyHint": true},
         "inputSchema": {"type": "object", "required": ["day"], "properties":
            {"day": {"type": "string", "pattern": "^."}, "n": {"type": "number"}}}},
        {"name": "bad", "inputSchema": {"type": "object", "anyOf": []}}]}});
    let stored = json!({"source": "mcp.cal.list", "summary": "ours", "parameters":
        {"n": {"type": "integer", "required": true, "summary": "how many"}}});
    let events = [
        base(
            json!({"f": local(true), "cal_list": stored, "b": mcp("mcp.cal.bad"),
            "gone": mcp("mcp.cal.gone")}),
        ),
        ask("q"),
        say("a"),
        tool_delta(json!({"list": mcp("mcp.cal")})),
        ask("r"),
    ];
    let (body, told) = last(&events, &file, ToolMode::Deferred);
    assert_eq!(tools(&body), ["f", "(cal_list)", "(list)"]);
    let lines = outline(&body);
    assert_eq!(
        [&lines[1], &lines[4]],
        ["system: +cal_list", "system: +list"]
    );
    let tool = &body["tools"][1];
    assert_eq!(tool["description"], "ours");
    assert_eq!(
        tool["input_schema"],
        json!({"type": "object", "properties": {
            "day": {"type": "string", "pattern": "^."},
            "n": {"type": "integer", "description": "how many"}},
            "required": ["day", "n"]})
    );
    assert_eq!(body["tools"][2]["description"], "theirs");
    assert_eq!(told, ["tool-schema", "tools-missing"]);
}

#[test]
fn tools_as_inputs_have_them_resolve_by_name() {
    let file = json!([{"name": "m", "description": "given",
        "parameters": {"x": {"type": "string", "required": true}}}]);
    let events = [base(json!({"f": local(true), "m": mcp("mcp.s")})), ask("q")];
    let (body, told) = last(&events, &file, ToolMode::Deferred);
    assert_eq!(tools(&body), ["f", "(m)"]);
    assert_eq!(body["tools"][1]["description"], "given");
    assert_eq!(body["tools"][1]["input_schema"]["required"], json!(["x"]));
    assert_eq!(told, [""; 0]);
}

#[test]
fn a_lock_file_keeps_order_anchor_and_bytes() {
    let first = [base(json!({"f": local(true), "g": local(false)})), ask("q")];
    let lock = lock(&first);
    // The same tools in another order, another one enabled, one edited, one new.
    let edited = json!({"source": "local", "enable": true, "description": "other"});
    let events = [
        base(json!({"new": local(true), "g": edited, "f": local(false)})),
        ask("q"),
        say("a"),
        tool_delta(json!({"late": local(true)})),
        ask("r"),
    ];
    let (body, told) = last(&events, &lock, ToolMode::Deferred);
    assert_eq!(tools(&body), ["f", "(g)", "(new)", "(late)"]);
    assert_eq!(body["tools"][1]["description"], "d");
    let lines = outline(&body);
    assert_eq!(
        [&lines[1], &lines[4]],
        ["system: -f +g(other) +new", "system: +late"]
    );
    assert_eq!(told, ["catalogue-grown"]);
    let (body, _) = last(&events, &lock, ToolMode::Inline);
    let lines = outline(&body);
    assert_eq!(tools(&body), ["f", "(g)", "(new)"]);
    assert_eq!(
        [&lines[1], &lines[4]],
        ["system: -f +g(other) +new", "system: +late(d)"]
    );
}

#[test]
fn a_lock_file_of_another_stream_still_gives_a_body() {
    let lock = lock(&[base(json!({"x": local(true), "y": local(true)})), ask("q")]);
    let (body, told) = last(
        &[base(json!({"f": local(true)})), ask("q")],
        &lock,
        ToolMode::Deferred,
    );
    // Its tools stay in place and are never offered.
    assert_eq!(tools(&body), ["x", "(y)", "(f)"]);
    assert_eq!(outline(&body)[1], "system: -x +f");
    assert_eq!(told, ["catalogue-grown", "catalogue-unused"]);
    // With one, a conversation without tools has an anchor from the start.
    let late = tool_delta(json!({"f": local(true)}));
    let events = [base(json!({})), ask("q"), say("a"), late, ask("r")];
    let (body, told) = last(&events, &lock, ToolMode::Deferred);
    assert_eq!(tools(&body), ["x", "(y)", "(f)"]);
    // Nothing was on offer before: now is the time to say how to use tools.
    assert!(outline(&body)[4].contains("Tool Usage"));
    assert!(outline(&body)[4].ends_with(" +f"));
    assert_eq!(told, ["catalogue-unused"]);
}

#[test]
fn a_lock_file_holds_definitions_of_servers_too() {
    let file =
        json!({"s": {"tools": [{"name": "m", "inputSchema": {"type": "object"}}]}});
    let events = [base(json!({"f": local(true), "m": mcp("mcp.s")})), ask("q")];
    let (body, _) = last(&events, &file, ToolMode::Deferred);
    let mut lock = body["tools"].clone();
    lock[0]
        .as_object_mut()
        .expect("a tool")
        .remove("cache_control");
    let (again, told) = last(&events, &lock, ToolMode::Deferred);
    assert_eq!(again["tools"], body["tools"]);
    assert_eq!(told, [""; 0]);
}

#[test]
fn files_of_no_such_shape_are_refused() {
    for text in ["", "{", "5", "[5]", r#"{"s": {"tools": [{"x": 1}]}}"#] {
        assert!(CatalogueFile::read(text.as_bytes()).is_err(), "{text}");
    }
}

fn listed(description: &str) -> Value {
    json!({"s": {"tools": [{"name": "x", "description": description, "inputSchema":
        {"type": "object", "properties": {"p": {"anyOf": [{"type": "string"}],
            "format": "uri"}}, "required": ["p"]}}]}})
}

fn talk() -> Value {
    json!([
        base(json!({"w": local(true), "x": mcp("mcp.s.x")})),
        ask("q")
    ])
}

/// A lock file and what a server lists now go together: `tools` keeps the bytes, the
/// newer definition goes by value.
#[test]
fn a_lock_file_and_a_newer_list_are_laid_together() {
    let bytes = listed("old").to_string();
    let old = CatalogueFile::read(bytes.as_bytes()).expect("servers");
    let open = Open::usual(ToolMode::Deferred);
    let stream = bundle(&talk()).to_string();
    let run = |file: &CatalogueFile<'_>| {
        let options = Options {
            catalogue: Some(file),
            ..open.options(Requests::Last)
        };
        let mut body = Vec::new();
        let told = &mut Vec::new();
        let tools = place_directives(
            &mut body,
            &conversation(stream.as_bytes()),
            &options,
            told,
        );
        let tools = tools.expect("a body").expect("tools");
        (body, tools)
    };
    let (_, lock) = run(&old);
    let mut both = CatalogueFile::read(&lock).expect("a lock file");
    let (locked, _) = run(&both);
    let bytes = listed("new").to_string();
    both.merge(CatalogueFile::read(bytes.as_bytes()).expect("servers"))
        .expect("one lock");
    let (newer, tools) = run(&both);
    assert_eq!(tools, lock);
    let value =
        |body: &[u8]| String::from_utf8_lossy(body).contains("\"description\":\"new\"");
    assert!(value(&newer) && !value(&locked));
    assert!(String::from_utf8_lossy(&newer).contains("tool_definition"));
}

/// Flattened, for every provider: the tool of a catalogue is sent with all its schema
/// says; the closed gate and `flatten` write the same bytes.
#[test]
fn catalogues_count_wherever_tools_are_written() {
    let bytes = listed("here").to_string();
    let file = CatalogueFile::read(bytes.as_bytes()).expect("servers");
    let stream = bundle(&talk()).to_string();
    let mut seen = 0;
    for provider in convo::body::Provider::ALL {
        let options = Options {
            catalogue: Some(&file),
            ..crate::common::bodies::options(provider.name(), Some("claude-opus-5"))
        };
        let (bodies, told) =
            crate::common::bodies::lines(stream.as_bytes(), &options).expect("a body");
        let text = String::from_utf8_lossy(&bodies[0]).into_owned();
        let name = provider.name();
        assert!(
            text.contains(r#""anyOf":[{"type":"string"}],"format":"uri""#),
            "{name} {text}"
        );
        assert!(text.contains("\"here\""), "{name}");
        assert!(
            told.iter().all(|one| one.code != "tools-missing"),
            "{told:?}"
        );
        if provider == convo::body::Provider::Anthropic {
            let closed = Options {
                place: Some(convo::provider::PlaceOptions::default()),
                model: Some("claude-sonnet-4-6"),
                ..options
            };
            let flat = Options {
                place: None,
                ..closed
            };
            let one = super::place(stream.as_bytes(), &closed).expect("a body").0;
            assert_eq!(
                one,
                super::place(stream.as_bytes(), &flat).expect("a body").0
            );
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
    // Without one, what is left out is a warning.
    let options = crate::common::bodies::options("anthropic", Some("claude-opus-5"));
    let (_, told) =
        crate::common::bodies::lines(stream.as_bytes(), &options).expect("a body");
    let missing = told
        .iter()
        .find(|one| one.code == "tools-missing")
        .expect("told");
    assert_eq!(missing.severity, convo::error::Severity::Warning);
}

#[test]
fn drift_from_a_lock_file_is_told_tool_by_tool() {
    use crate::common::command::run;
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let now = put("now.json", &listed("old").to_string());
    let newer = put("newer.json", &listed("new").to_string());
    let lock = folder.path().join("lock.json");
    let lock = lock.to_str().expect("UTF-8");
    let input = bundle(&talk()).to_string();
    let head = ["place-directives", "--model", "claude-opus-5"];
    let ask =
        |more: &[&str], input: &str| run(&[&head[..], more].concat(), input.as_bytes());
    let open = [
        "--beta",
        super::INLINE,
        "--catalogue",
        &now,
        "--write-catalogue",
        lock,
    ];
    assert_eq!(ask(&open, &input).status, 0);
    let check = |file: &str, input: &str| {
        ask(&["--catalogue", file, "--check-catalogue", lock], input)
    };
    let same = check(&now, &input);
    assert_eq!(
        (same.stdout.as_str(), same.status),
        ("", 0),
        "{}",
        same.shown()
    );
    let drifted = check(&newer, &input);
    assert_eq!(drifted.stdout, "x: changed at /description\n");
    assert_eq!(drifted.status, 1, "{}", drifted.shown());
    // A tool that nobody lists any more, and one that is new.
    let empty = put("empty.json", "{\"s\": []}");
    let mut events = talk();
    events[0]["delta"]["conversation"]["tools"]["y"] = local(false);
    let other = check(&empty, &bundle(&events).to_string());
    assert_eq!(
        other.stdout,
        "x: gone: nobody lists it\ny: new: the lock file does not hold it\n"
    );
    assert_eq!(other.status, 1);
    // What makes no sense is refused.
    for more in [
        vec!["--catalogue", lock, "--check-catalogue", lock],
        vec!["--check-catalogue", &now],
        vec!["--catalogue", lock, "--catalogue", lock],
    ] {
        assert_eq!(ask(&more, &input).status, 2, "{more:?}");
    }
    let parity = ["flatten", "--parity", "jp", "--catalogue", &now];
    assert_eq!(run(&parity, input.as_bytes()).status, 2);
}
