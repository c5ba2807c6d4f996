//! Any file of `--catalogue`, and the bodies written with it.
#![no_main]

#[allow(dead_code)]
#[path = "../../tests/common/readers.rs"]
mod readers;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    readers::catalogue(data);
});
