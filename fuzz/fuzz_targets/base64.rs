//! Stored strings decode as the slow decoder says, and come back as they were.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/common/oracle/mod.rs"]
mod oracle;

use convo::block::{Decoder, Encoding};
use convo::json::Raw;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|stored: &str| {
    let written = json!(stored).to_string();
    let raw = Raw::parse(written.as_bytes()).expect("a string");
    let text = raw.as_text().expect("a string");
    let entry = json!({ "type": "tool_call_response", "content": stored });
    for strict in [false, true] {
        let slow = oracle::bare_entries(vec![entry.clone()]).entries(None, strict);
        let mut decoder = Decoder::new(Encoding::Storage, strict);
        assert_eq!(slow[0]["content"], json!(decoder.text(text)));

        let mut plain = Vec::new();
        decoder.write_leaves(&mut plain, raw, Encoding::Plain);
        assert_eq!(
            serde_json::from_slice::<serde_json::Value>(&plain).ok(),
            Some(slow[0]["content"].clone())
        );
    }
    let mut encoded = Vec::new();
    let mut encoder = Decoder::new(Encoding::Plain, false);
    encoder.write_leaves(&mut encoded, raw, Encoding::Storage);
    let encoded = Raw::parse(&encoded).expect("a string");
    let encoded = encoded.as_text().expect("a string");
    assert_eq!(Decoder::new(Encoding::Storage, true).text(encoded), stored);
});
