//! Views of any conversation as the slow implementation makes them.
//!
//! What `serde_json` cannot hold (depth, numbers out of range, lone surrogates) is
//! only read, not compared.
#![no_main]

#[path = "../../tests/common/fast.rs"]
mod fast;
#[allow(dead_code)]
#[path = "../../tests/common/oracle/mod.rs"]
mod oracle;

use convo::json::Raw;
use convo::stream::Conversation;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(data) else {
        if let Ok(raw) = Raw::parse(data) {
            let _ = Conversation::read(raw);
        }
        return;
    };
    for choice in 0..16u8 {
        let options = oracle::Options {
            raw: choice & 1 != 0,
            addressed_only: choice & 2 != 0,
            compacted: choice & 4 != 0,
        };
        let strict = choice & 8 != 0;
        let Some(view) = fast::project(data, options, strict) else {
            return;
        };
        let conversation = oracle::conversation(&value, false).expect("a known form");
        let slow = oracle::project(&conversation.entries(None, strict), options);
        assert_eq!(view, slow, "{options:?}");
    }
});
