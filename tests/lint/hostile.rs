//! Bodies nobody means well: cut, mangled, wrong in every kind, deep, wide. The
//! answer may be anything but a panic, and every finding leads to its value.

use super::with;
use convo::body::{Body, Provider};
use convo::json::{Raw, pointer};
use convo::lint::{Wanted, check};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::OnceLock;

fn wanted() -> Wanted {
    Wanted {
        enable: vec!["system-untrusted-text".to_owned()],
        ..Wanted::default()
    }
}

/// Lints whatever this is, and follows every finding to its place.
fn survive(input: &[u8], provider: Option<Provider>) {
    let _ = with(input, provider, &wanted(), |body, capture, profile| {
        let found = check(body, capture.bytes(), profile);
        for one in &found {
            let value = pointer::resolve(body.raw, &one.path);
            let value = value.unwrap_or_else(|| panic!("{one:#?} leads nowhere"));
            let byte = value.offset_in(capture.bytes());
            assert_eq!(Some(byte), one.byte, "{one:#?}");
            assert!(!one.message.is_empty() && !one.hint.is_empty());
        }
    });
}

fn bodies() -> &'static [Value] {
    static BODIES: OnceLock<Vec<Value>> = OnceLock::new();
    BODIES.get_or_init(read)
}

fn read() -> Vec<Value> {
    let lines = |text: &'static str| text.lines().map(str::to_owned);
    let examples = lines(include_str!("../../fixtures/lint/examples.jsonl"))
        .chain(lines(include_str!("../../fixtures/lint/legal.jsonl")))
        .map(|line| serde_json::from_str::<Value>(&line).expect("JSON"))
        .flat_map(|line| {
            ["fail", "pass", "legal"]
                .into_iter()
                .filter_map(move |key| Some(super::patched(line.get(key)?)))
        });
    let others = lines(include_str!("../../fixtures/lint/others.jsonl")).map(|line| {
        serde_json::from_str::<Value>(&line).expect("JSON")["body"].clone()
    });
    examples.chain(others).collect()
}

/// What takes a value's place.
fn odd(choice: usize) -> Value {
    match choice % 14 {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1.5e300),
        3 => json!(""),
        4 => json!("\u{202e}\u{0}é"),
        5 => json!([]),
        6 => json!({}),
        7 => json!([[], {}, null, 1, "x"]),
        8 => json!({"type": "tool_result", "content": [{"type": "tool_reference"}]}),
        9 => json!([{"type": "text", "text": "", "cache_control": 5}]),
        10 => json!({"type": "tool_definition", "definition": {"name": "w"}}),
        11 => json!("srvtoolu_"),
        12 => json!([{"role": "system", "content": [{"type": "tool_addition"}]}]),
        _ => json!({"type": "ephemeral", "ttl": "1h"}),
    }
}

/// All places of a value, in order.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(inner, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                places(inner, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn any_value_in_any_place_is_survived() {
    let mut count = 0;
    for (number, body) in bodies().iter().enumerate() {
        let mut all = Vec::new();
        places(body, "", &mut all);
        for (index, place) in all.iter().enumerate().skip(number % 4).step_by(4) {
            let mut changed = body.clone();
            if let Some(value) = changed.pointer_mut(place) {
                *value = odd(index + number);
            }
            survive(changed.to_string().as_bytes(), None);
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

proptest! {
    #[test]
    fn cut_and_mangled_bytes_are_survived(
        which in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let all = bodies();
        let mut bytes = which.get(all).to_string().into_bytes();
        survive(&bytes[..cut.index(bytes.len())], None);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        survive(&bytes, None);
    }

    #[test]
    fn every_dialect_survives_the_bodies_of_the_others(
        which in any::<prop::sample::Index>(),
        provider in prop::sample::select(Provider::ALL.to_vec()),
    ) {
        let all = bodies();
        let bytes = which.get(all).to_string().into_bytes();
        survive(&bytes, Some(provider));
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    for text in [
        format!(r#"{{"messages":{deep}}}"#),
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"x","content":{deep}}}]}}]}}"#
        ),
        format!(r#"{{"tools":[{{"name":"a","input_schema":{deep}}}],"messages":[]}}"#),
        format!(r#"{{"max_tokens":{deep}}}"#),
    ] {
        survive(text.as_bytes(), None);
    }
    let nested = r#"{"content":["#.repeat(100_000) + &"]}".repeat(100_000);
    survive(format!(r#"{{"messages":[{nested}]}}"#).as_bytes(), None);
}

#[test]
fn duplicate_keys_count_by_their_last_value() {
    let text = br#"{"messages":[],"max_tokens":1,"model":"claude-opus-5","messages":[{"role":"user","content":"","content":"hi"}]}"#;
    let raw = Raw::parse(text).expect("a value");
    let body = Body::read(raw, None, None).expect("a body");
    assert_eq!(body.messages().count(), 1);
    with(text, None, &Wanted::default(), |body, capture, profile| {
        assert!(check(body, capture.bytes(), profile).is_empty());
    })
    .expect("a body");
}
