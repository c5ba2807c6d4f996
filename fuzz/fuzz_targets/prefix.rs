//! Two bodies, one a line, laid against each other: no panic, and a body is never
//! away from itself.

#![no_main]

use convo::body::{captures, records};
use convo::model::Table;
use convo::prefix::{Comparison, History, Sent};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    let (Some(a), Some(b)) = (lines.next(), lines.next()) else {
        return;
    };
    let read = |line| {
        captures(line, records(line).next()?.ok()?)
            .into_iter()
            .next()?
            .ok()
    };
    let (Some(first), Some(second)) = (read(a), read(b)) else {
        return;
    };
    let table = Table::built_in();
    let comparison = Comparison::new(&table).model(Some("claude-opus-5-5"));
    let sent = |capture| Sent {
        name: String::new(),
        capture,
        times: convo::prefix::Times::default(),
    };
    let (one, other) = (sent(&first), sent(&second));
    let Ok(report) = comparison.pair(&one, &other, &mut History::default()) else {
        return;
    };
    for place in &report.divergences {
        assert!(place.byte_a <= a.len() && place.byte_b <= b.len());
    }
    if let Ok(itself) = comparison.pair(&one, &one, &mut History::default()) {
        assert!(itself.divergences.is_empty());
    }
});
