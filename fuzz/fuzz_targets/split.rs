//! The splitter finds the values `serde_json` finds, however the bytes arrive.
#![no_main]

use convo::json::Raw;
use convo::stream::salvage::salvage;
use convo::stream::{Piece, Splitter};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use std::io::Read;

/// Hands out one byte, then two, then one again.
struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = 3 - self.1;
        let count = self.1.min(self.0.len()).min(buffer.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

/// Start and end of every value, and `None` for what is broken.
fn pieces(reader: impl Read) -> Vec<Option<(u64, u64)>> {
    let mut splitter = Splitter::new(reader);
    let mut found = Vec::new();
    while let Some(piece) = splitter.next().expect("a reader that never fails") {
        found.push(match piece {
            Piece::Value { bytes, offset } | Piece::Salvaged { bytes, offset, .. } => {
                Some((offset, offset + bytes.len() as u64))
            }
            Piece::Broken { .. } => None,
        });
    }
    found
}

fuzz_target!(|data: &[u8]| {
    let found = pieces(data);
    assert_eq!(pieces(Dribble(data, 2)), found);
    // What is salvaged is one value, whatever the bytes.
    if let Some(whole) = salvage(data) {
        Raw::parse(&whole.bytes).expect("it is JSON");
        assert!(whole.end <= data.len());
    }

    let mark = if data.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let Ok(text) = std::str::from_utf8(&data[mark..]) else {
        return;
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut ends = Vec::new();
    while let Some(value) = values.next() {
        if value.is_err() {
            return;
        }
        ends.push((mark + values.byte_offset()) as u64);
    }
    let found: Vec<u64> = found
        .iter()
        .map(|piece| piece.expect("no broken piece where all is well").1)
        .collect();
    assert_eq!(found, ends);
});
