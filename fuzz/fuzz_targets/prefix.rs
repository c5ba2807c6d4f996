//! Two bodies, one a line, laid against each other: no panic, and a body is never
//! away from itself.

#![no_main]

use convo::body::Body;
use convo::json::Raw;
use convo::model::{Betas, Platform, Table};
use convo::prefix::{Account, History, Judge, Masks, Prefix, Request, compare};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    let (Some(a), Some(b)) = (lines.next(), lines.next()) else {
        return;
    };
    let read = |line| Body::read(Raw::parse(line).ok()?, None, None).ok();
    let (Some(first), Some(second)) = (read(a), read(b)) else {
        return;
    };
    if first.provider != second.provider {
        return;
    }
    let table = Table::built_in();
    let judge = Judge {
        table: &table,
        platform: Platform::ClaudeApi,
        account: Account::Unknown,
        masks: Masks::default(),
        context: 3,
        gap: None,
    };
    let (cut_a, cut_b) = (Prefix::cut(&first), Prefix::cut(&second));
    let request = |body, prefix, bytes| Request {
        name: String::new(),
        body,
        prefix,
        bytes,
        model: Some("claude-opus-5-5".to_owned()),
        betas: Betas::Unknown,
    };
    let (one, other) = (request(&first, &cut_a, a), request(&second, &cut_b, b));
    let report = compare(&one, &other, &judge, &mut History::default());
    for place in &report.divergences {
        assert!(place.byte_a <= a.len() && place.byte_b <= b.len());
    }
    let itself = compare(&one, &one, &judge, &mut History::default());
    assert!(itself.divergences.is_empty());
});
