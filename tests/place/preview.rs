//! What each change costs, before it is made and after.

use super::{INLINE, ask, base, local, say, section, tool_delta};
use crate::common::bodies::bundle;
use crate::common::command::{Ran, run};
use serde_json::{Value, json};

fn preview(events: &Value, more: &[&str]) -> Ran {
    let command = ["place-directives", "--model", "anthropic/claude-opus-5"];
    let args = [&command[..], more].concat();
    run(&args, bundle(events).to_string().as_bytes())
}

fn lines(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn events() -> Value {
    json!([
        base(json!({"f": local(true), "g": local(false)})),
        section("first"),
        ask("1"),
        say("a"),
        section("S"),
        tool_delta(json!({"g": {"enable": true}})),
        ask("2"),
        say("b"),
        super::delta(json!({"assistant": {"system_prompt": "Q"}}))
    ])
}

/// Each change is judged alone, beside the request before it.
#[test]
fn every_change_has_its_price_both_ways() {
    let ran = preview(&events(), &["--beta", INLINE, "--preview=json"]);
    let found = lines(&ran);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let of = |key: &str| -> Vec<&Value> { found.iter().map(|one| &one[key]).collect() };
    assert_eq!(of("event"), [0, 3, 4, 7]);
    assert_eq!(of("request"), [0, 1, 1, 2]);
    assert_eq!(found[0]["flattened"], Value::Null);
    let cost =
        |at: usize, way: &str, what: &str| found[at][way][what]["bytes"].as_u64();
    for at in [1, 2, 3] {
        assert!(cost(at, "flattened", "lost") > Some(0));
        assert_eq!(cost(at, "flattened", "said"), Some(0));
    }
    // Tools stand before the system parts: they cost more.
    assert!(cost(2, "flattened", "lost") > cost(1, "flattened", "lost"));
    for at in [1, 2] {
        assert_eq!(cost(at, "directive", "lost"), Some(0));
        assert!(cost(at, "directive", "said") > Some(0));
        assert_eq!(found[at]["gate"], Value::Null);
    }
    // A system prompt costs its head, unless it is said in place.
    assert!(cost(3, "directive", "lost") > Some(0));
    let ran = preview(&events(), &["--persona-messages", "--preview=json"]);
    let found = lines(&ran);
    assert_eq!(found[3]["directive"]["lost"]["bytes"], 0, "{}", ran.shown());
    // A gate is named where it stands in the way, and only there.
    assert_eq!(found[1]["gate"], Value::Null);
    let gate = found[2]["gate"].as_str().expect("a gate");
    assert!(gate.contains("no beta is in force"), "{gate}");
}

#[test]
fn a_planned_change_is_judged_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("delta.json");
    let path = path.to_str().expect("UTF-8");
    let events = json!([base(json!({"f": local(true)})), ask("1"), say("a")]);
    let change = json!({"assistant": {"system_prompt_sections": [{"content": "S"}]}});
    let stored = json!({"type": "config_delta", "delta": change});
    let mut seen = Vec::new();
    for planned in [change, stored] {
        std::fs::write(path, planned.to_string()).expect("a file");
        let ran = preview(&events, &["--delta", path]);
        assert_eq!(ran.status, 0, "{}", ran.shown());
        assert!(
            ran.stdout.starts_with(
                "planned, request 2: assistant.system_prompt_sections: flattened loses "
            ),
            "{}",
            ran.shown()
        );
        assert!(
            ran.stdout
                .contains("; as a directive loses nothing and says ")
        );
        seen.push(ran.stdout);
    }
    assert_eq!(seen[0], seen[1]);
    // As if it had been stored there, and one had asked.
    let mut stored = events.as_array().expect("events").clone();
    stored.extend([section("S"), ask("...")]);
    let ran = preview(&stored.into(), &["--preview"]);
    let price = |text: &str| {
        text.split_once(": assistant")
            .map(|(_, rest)| rest.to_owned())
    };
    assert_eq!(price(&ran.stdout), price(&seen[0]));
    std::fs::write(path, "[]").expect("a file");
    let ran = preview(&events, &["--delta", path]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("a configuration as a JSON object"));
}
