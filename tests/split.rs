//! Cutting an input into values: what is found does not depend on how the bytes
//! arrive.

use crate::common::{fixture, fixtures};
use convo::stream::{Piece, Splitter};
use std::io::Read;

/// A reader that hands out at most so many bytes at once.
struct Slowly<'a>(&'a [u8], usize);

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// Offset and length of every value; no length for what is broken.
fn pieces(reader: impl Read) -> Vec<(u64, Option<usize>)> {
    let mut splitter = Splitter::new(reader);
    let mut found = Vec::new();
    while let Some(piece) = splitter.next().expect("a reader that never fails") {
        found.push(match piece {
            Piece::Value { bytes, offset } | Piece::Salvaged { bytes, offset, .. } => {
                (offset, Some(bytes.len()))
            }
            Piece::Broken { offset, .. } => (offset, None),
        });
    }
    found
}

fn assert_same_at_every_pace(bytes: &[u8]) {
    let whole = pieces(bytes);
    for most in [1, 2, 7, 100, 255, 256, 257] {
        assert_eq!(pieces(Slowly(bytes, most)), whole, "{most} bytes at once");
    }
}

#[test]
fn values_are_the_same_however_the_bytes_arrive() {
    for extension in ["json", "jsonl"] {
        for path in fixtures("streams", extension) {
            let bytes = std::fs::read(path).expect("a fixture");
            assert_same_at_every_pace(&bytes);
        }
    }
}

#[test]
fn reading_goes_on_at_the_same_place_however_the_bytes_arrive() {
    let archive = fixture("streams/form-g.jsonl");
    for cut in (0..archive.len()).step_by(97) {
        let mut broken = archive[..cut].to_vec();
        broken.push(b'\n');
        broken.extend_from_slice(&archive);
        assert_same_at_every_pace(&broken);
    }
    // A line that shows only behind a long run of blanks that it may be one.
    let blanks = " ".repeat(300);
    assert_same_at_every_pace(format!("]\n{{{blanks}\"data\": []}}\n[]").as_bytes());
}
