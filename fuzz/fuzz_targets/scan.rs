//! The scanner accepts exactly what `serde_json` accepts as well-formed text.
//!
//! `IgnoredAny` judges syntax alone: it has no limit of depth, takes numbers out
//! of range and lone surrogates, as the scanner does.
#![no_main]

use convo::json::{Progress, Raw, Scanner};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;

fn expected(data: &[u8]) -> bool {
    std::str::from_utf8(data)
        .is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

/// The end of the first value, read in steps.
fn in_steps(data: &[u8], step: usize) -> Result<usize, usize> {
    let mut scanner = Scanner::new();
    let mut have = 0;
    loop {
        have = (have + step).min(data.len());
        let last = have == data.len();
        match scanner.resume(&data[..have], last) {
            Ok(Progress::Complete { end }) => return Ok(end),
            Ok(Progress::More) => assert!(!last, "the last bytes are never `More`"),
            Err(error) => return Err(error.offset),
        }
    }
}

fuzz_target!(|data: &[u8]| {
    assert_eq!(Raw::parse(data).is_ok(), expected(data));
    let whole = in_steps(data, data.len().max(1));
    for step in [1, 3, 16] {
        assert_eq!(in_steps(data, step), whole);
    }
});
