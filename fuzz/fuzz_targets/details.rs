//! Any file of `--model-details`.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/common/readers.rs"]
mod readers;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    readers::details(data);
});
