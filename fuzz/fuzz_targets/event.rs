//! The reader's check of an entry and the published schema are one contract.
#![no_main]

use convo::event::{Event, check::check};
use convo::json::Raw;
use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let text = include_str!("../../schemas/event.schema.json");
    let schema = serde_json::from_str(text).expect("JSON");
    jsonschema::draft202012::new(&schema).expect("a schema that compiles")
});

fuzz_target!(|data: &[u8]| {
    let Ok(raw) = Raw::parse(data) else {
        return;
    };
    let accepted = Event::read(raw).is_ok_and(|event| check(&event).is_ok());
    if let Ok(value) = serde_json::from_slice::<Value>(data) {
        assert_eq!(accepted, SCHEMA.is_valid(&value));
    }
});
