//! Allocations and peak memory of `project`, counted and held to a bound.
//!
//! `cargo bench --bench allocations`. Counts do not depend on the machine, so a
//! regression fails here without noise (`CONTRIBUTING.md`: memory follows the longest
//! conversation, not the archive).

use convo::block::{Decoder, Encoding};
use convo::json::Raw;
use convo::stream::{Container, Conversation, Entries, Piece, Splitter};
use convo::view::{EntryWriter, View};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/streams/tour.json");
    let tour = std::fs::read(fixture).expect("the fixture is part of the repository");
    let archive = tour.repeat(2000);
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut events = 0u64;
    let mut splitter = Splitter::new(&archive[..]);
    let mut out = Vec::new();
    let before = dhat::HeapStats::get();
    while let Ok(Some(Piece::Value { bytes, .. })) = splitter.next() {
        let Ok(Container::Conversation(conversation)) =
            Conversation::read(Raw::checked(bytes))
        else {
            continue;
        };
        out.clear();
        let view = View::User {
            addressed_only: false,
        };
        let decoder = Decoder::new(Encoding::Storage, false);
        let mut writer = EntryWriter::new(view, decoder, Encoding::Plain);
        let mut entries = Entries::new(&conversation, false);
        while let Some(Ok(event)) = entries.next(&mut Vec::new()) {
            writer.write(&mut out, &event);
            events += 1;
        }
    }
    let after = dhat::HeapStats::get();
    let calls = after.total_blocks - before.total_blocks;
    let peak = after.max_bytes - before.curr_bytes;
    println!("events {events}, allocations {calls}, peak bytes {peak}");
    assert!(calls <= 8 * events, "more than 8 allocations an event");
    assert!(
        peak <= 1024 * 1024,
        "more than 1 MiB for small conversations"
    );
}
