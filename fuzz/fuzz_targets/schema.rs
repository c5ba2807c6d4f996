//! Any value against each published schema: places lie inside the value.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/common/readers.rs"]
mod readers;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    readers::schemas(data);
});
