//! Any input through every command that reads streams: nothing panics, and what is
//! written is UTF-8 and JSON.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/common/readers.rs"]
mod readers;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    readers::streams(data);
});
