//! Random streams, as stored: every kind, both generations, odd and broken corners.
//!
//! [`stream`] gives entries that every reader accepts. Few ids, names, turns and
//! times are used, so that they meet. [`spell`] writes a value as JSON in one of
//! many ways: white space, escapes, duplicate keys.

mod text;

use self::text::{stored_json, stored_text, text};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// A whole stream in storage encoding, valid and of any order.
pub(crate) fn stream() -> BoxedStrategy<Vec<Value>> {
    vec(entry(), 0..24).boxed()
}

/// One entry that fits the contract.
pub(crate) fn entry() -> BoxedStrategy<Value> {
    prop_oneof![
        3 => event("turn_start", Just(json!({}))),
        3 => event("chat_request", chat_request()),
        4 => event("chat_response", chat_response()),
        5 => event("tool_call_request", call()),
        6 => event("tool_call_response", result()),
        2 => event("inquiry", Just(json!({}))).prop_flat_map(inquiry),
        2 => delta(),
        3 => compaction(),
        1 => unknown(),
    ]
    .boxed()
}

fn event(
    kind: &'static str,
    fields: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<Value> {
    let ids = (weighted(0.1, stored_json()), weighted(0.1, stored_json()));
    (
        weighted(0.9, timestamp()),
        fields,
        weighted(0.2, metadata()),
        ids,
    )
        .prop_map(
            move |(timestamp, fields, metadata, (event_id, request_id))| {
                let mut entry = json!({ "type": kind });
                for (key, value) in [
                    ("timestamp", timestamp.map(Value::from)),
                    ("event_id", event_id),
                    ("request_id", request_id),
                ] {
                    if let Some(value) = value {
                        entry[key] = value;
                    }
                }
                for (key, value) in fields.as_object().into_iter().flatten() {
                    entry[key] = value.clone();
                }
                if let Some(metadata) = metadata {
                    entry["metadata"] = metadata;
                }
                entry
            },
        )
        .boxed()
}

/// An object of the members that were drawn.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let present = members
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Map<String, Value>>())
}

fn chat_request() -> BoxedStrategy<Value> {
    let schema = select(vec![Value::Null, json!({ "type": "object" })]);
    let author = select(vec![Value::Null, json!("Ada")]);
    (
        text(),
        weighted(0.1, schema),
        weighted(0.1, author),
        weighted(0.1, vec(resource(), 0..2)),
    )
        .prop_map(|(content, schema, author, resources)| {
            object([
                ("content", Some(json!(content))),
                ("schema", schema),
                ("author", author),
                ("resources", resources.map(Value::from)),
            ])
        })
        .boxed()
}

fn chat_response() -> BoxedStrategy<Value> {
    let odd = || select(vec![Value::Null, json!(5), json!([])]);
    prop_oneof![
        4 => text().prop_map(|text| json!({ "message": text })),
        3 => text().prop_map(|text| json!({ "reasoning": text })),
        1 => stored_json().prop_map(|data| json!({ "data": data })),
        1 => (text(), text()).prop_map(|(a, b)| json!({ "reasoning": a, "message": b })),
        1 => (text(), odd()).prop_map(|(a, b)| json!({ "message": b, "reasoning": a })),
        1 => (odd(), odd()).prop_map(|(a, b)| json!({ "reasoning": b, "data": a })),
    ]
    .boxed()
}

fn call() -> BoxedStrategy<Value> {
    let arguments = vec(
        (select(vec!["path", "ZmlsZQ==", "", "é"]), stored_json()),
        0..3,
    )
    .prop_map(|members| {
        let members = members.into_iter().map(|(k, v)| (k.to_owned(), v));
        Value::Object(members.collect())
    });
    (
        id(),
        select(vec!["look", "fs_read_file", "tell_user", "日"]),
        weighted(0.8, arguments),
    )
        .prop_map(|(id, name, arguments)| {
            object([
                ("id", Some(json!(id))),
                ("name", Some(json!(name))),
                ("arguments", arguments),
            ])
        })
        .boxed()
}

fn result() -> BoxedStrategy<Value> {
    let content = prop_oneof![
        3 => stored_text().prop_map(Value::from),
        5 => vec(block(), 0..4).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    (
        id(),
        weighted(0.9, content),
        weighted(0.8, any::<bool>()),
        weighted(0.1, any::<bool>()),
    )
        .prop_map(|(id, content, is_error, other)| {
            object([
                ("id", Some(json!(id))),
                ("content", content),
                ("is_error", is_error.map(Value::from)),
                ("isError", other.map(Value::from)),
            ])
        })
        .boxed()
}

/// A content block, well formed or not, addressed to whomever.
pub(crate) fn block() -> BoxedStrategy<Value> {
    let kind = prop_oneof![
        5 => (text(), weighted(0.3, Just("text/markdown"))).prop_map(|(text, mime)| {
            let mime = mime.map(Value::from);
            object([
                ("type", Some(json!("text"))),
                ("text", Some(json!(text))),
                ("mimeType", mime),
            ])
        }),
        4 => (resource(), weighted(0.2, text())).prop_map(|(resource, formatted)| {
            object([
                ("type", Some(json!("resource"))),
                ("resource", Some(resource)),
                ("formatted", formatted.map(Value::from)),
            ])
        }),
        1 => Just(json!({ "type": "question", "question": { "id": "q", "text": "?" } })),
        1 => Just(json!({ "type": "text" })),
        1 => Just(json!({ "type": "resource", "resource": "file:///a" })),
        1 => Just(json!({ "type": "hologram", "resource": {} })),
        1 => Just(json!({})),
    ];
    let annotated = (kind, weighted(0.6, annotations())).prop_map(|(block, notes)| {
        let mut block = block;
        if let Some(notes) = notes {
            block["annotations"] = notes;
        }
        block
    });
    prop_oneof![
        12 => annotated,
        1 => select(vec![Value::Null, json!(7), json!("text"), json!([])]),
    ]
    .boxed()
}

fn resource() -> BoxedStrategy<Value> {
    let body = prop_oneof![
        text().prop_map(|text| ("text", text)),
        Just(("blob", "iVBORw0KGgo=".to_owned())),
        Just(("formatted", "inner".to_owned())),
    ];
    (body, weighted(0.4, annotations()))
        .prop_map(|((key, text), notes)| {
            let uri = json!("file:///w/a.rs");
            object([
                ("uri", Some(uri)),
                (key, Some(json!(text))),
                ("annotations", notes),
            ])
        })
        .boxed()
}

fn annotations() -> BoxedStrategy<Value> {
    let audiences = vec![
        json!(["user"]),
        json!(["user"]),
        json!(["assistant"]),
        json!(["assistant"]),
        json!(["user", "assistant"]),
        json!(["developer"]),
        json!(["developer", "user"]),
        json!([]),
        json!([1, null]),
        json!([["user"]]),
        json!(["USER"]),
        json!("user"),
        json!("assistant"),
        json!(""),
        json!({ "user": true }),
        json!(5),
        json!(true),
        Value::Null,
    ];
    prop_oneof![
        8 => select(audiences).prop_map(|a| json!({ "audience": a, "priority": 0.5 })),
        1 => select(vec![json!({}), Value::Null, json!("user"), json!(["user"])]),
    ]
    .boxed()
}

fn inquiry(event: Value) -> BoxedStrategy<Value> {
    let with = move |kind: &str, fields: Value| {
        let mut event = event.clone();
        event["type"] = json!(kind);
        for (key, value) in fields.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        event
    };
    let request = with.clone();
    let answers = vec![
        json!({ "answer": null }),
        json!({ "outcome": "answered", "answer": "ZmlsZQ==" }),
        json!({ "outcome": "cancelled", "reason": 5 }),
        json!({ "outcome": "redacted" }),
        json!({ "outcome": "deferred" }),
    ];
    let sources = vec![
        json!({ "source": "tool", "name": "look" }),
        json!({ "source": "other", "name": "vault" }),
        json!({ "source": "oracle" }),
    ];
    let types = vec![
        json!({ "type": "boolean" }),
        json!({ "type": "select", "options": [{ "value": null }] }),
        json!({ "type": "secret" }),
    ];
    prop_oneof![
        (id(), select(answers)).prop_map(move |(id, mut answer)| {
            answer["id"] = json!(id);
            with("inquiry_response", answer)
        }),
        (id(), select(sources), select(types)).prop_map(move |(id, source, kind)| {
            let question = json!({ "text": "Apply?", "answer_type": kind });
            let fields = json!({ "id": id, "source": source, "question": question });
            request("inquiry_request", fields)
        }),
    ]
    .boxed()
}

fn delta() -> BoxedStrategy<Value> {
    let fields = vec![
        json!({ "delta": { "assistant": { "name": "ZmlsZQ==" } } }),
        json!({ "delta": null }),
        json!({}),
        json!({ "inherit": true, "assistant": { "system_prompt": "Short." } }),
        json!({ "delta": {}, "metadata": null, "timestamp": 5, "unsets": ["a.b"] }),
    ];
    (weighted(0.8, timestamp()), select(fields))
        .prop_map(|(timestamp, fields)| {
            let mut entry = json!({ "type": "config_delta" });
            if let Some(timestamp) = timestamp {
                entry["timestamp"] = json!(timestamp);
            }
            for (key, value) in fields.as_object().into_iter().flatten() {
                entry[key] = value.clone();
            }
            entry
        })
        .boxed()
}

fn compaction() -> BoxedStrategy<Value> {
    let turn = || select(vec![json!(0), json!(1), json!(2), json!(3), json!(2.0)]);
    let far = prop_oneof![4 => turn(), 1 => Just(json!(99))];
    let summaries = vec![
        Value::Null,
        json!({ "summary": "one" }),
        json!({ "summary": "two" }),
        json!({ "summary": "" }),
    ];
    let tools = vec![
        Value::Null,
        json!({ "policy": "omit" }),
        json!({ "policy": "strip" }),
        json!({ "policy": "strip", "request": true }),
        json!({ "policy": "strip", "request": false, "response": true }),
        json!({ "policy": "strip", "request": true, "response": true }),
    ];
    let reasoning = select(vec![Value::Null, json!("strip")]);
    (
        weighted(0.9, timestamp()),
        (turn(), far),
        weighted(0.4, select(summaries)),
        weighted(0.4, reasoning),
        weighted(0.5, select(tools)),
    )
        .prop_map(|(timestamp, (from, to), summary, reasoning, tools)| {
            object([
                ("type", Some(json!("compaction"))),
                ("timestamp", timestamp.map(Value::from)),
                ("from_turn", Some(from)),
                ("to_turn", Some(to)),
                ("summary", summary),
                ("reasoning", reasoning),
                ("tool_calls", tools),
            ])
        })
        .boxed()
}

fn unknown() -> BoxedStrategy<Value> {
    select(vec![
        json!({ "type": "telemetry", "metadata": { "k": "ZmlsZQ==" }, "content": 5 }),
        json!({ "type": null, "content": "ZmlsZQ==" }),
        json!({ "type": "Chat_Request", "timestamp": "soon" }),
        json!({ "note": [1, { "type": "turn_start" }] }),
        json!({}),
    ])
    .boxed()
}

fn id() -> BoxedStrategy<&'static str> {
    select(vec!["a", "a", "a", "b", "b", "", "ü/1"]).boxed()
}

/// Times close together, in both spellings, equal instants among them.
fn timestamp() -> BoxedStrategy<String> {
    let spellings = [
        "2026-09-01 10:00:0S.0",
        "2026-09-01 10:00:0S",
        "2026-09-01T12:00:0S.500+02:00",
        "2026-09-01t10:00:0Sz",
        "2026-09-01 09:30:0S.123456789-00:30",
        "2024-02-29 23:59:0S.5",
    ];
    (select(spellings.to_vec()), 0..10u8)
        .prop_map(|(spelling, second)| spelling.replace('S', &second.to_string()))
        .boxed()
}

fn metadata() -> BoxedStrategy<Value> {
    stored_json()
        .prop_map(|value| json!({ "k": value, "cache_breakpoint": true }))
        .boxed()
}
