//! Any bytes make records that are bundles, or are refused; recognition included.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/common/readers.rs"]
mod readers;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    readers::transcripts(data);
});
