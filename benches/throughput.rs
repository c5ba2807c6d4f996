//! In-process speed of each filter, in bytes of input a second.
//!
//! The input is the corpus where there is one, else a fixture many times over.
//! `cargo bench --bench throughput`; ratios against other programs come from
//! `benches/compare.py`.

use convo::block::{Decoder, Encoding};
use convo::directive::ToolMode;
use convo::json::Raw;
use convo::model::Table;
use convo::provider::{Options, PlaceOptions, place_directives};
use convo::stream::{Container, Conversation, Entries, Piece, Splitter};
use convo::view::{EntryWriter, View};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::{Path, PathBuf};

/// The stored arrays; with `base`, each that has a base configuration as a bundle.
fn archive(base: bool) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = std::env::var_os("CONVO_CORPUS")
        .map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let mut bytes = Vec::new();
    if let Ok(homes) = std::fs::read_dir(corpus.join("conversations")) {
        for home in homes.flatten() {
            let read = |name: &str| std::fs::read(home.path().join(name));
            let events = read("events.json").unwrap_or_default();
            match read("base_config.json").ok().filter(|_| base) {
                Some(base) => {
                    bytes.extend_from_slice(b"{\"base_config\":");
                    bytes.extend(base);
                    bytes.extend_from_slice(b",\"events\":");
                    bytes.extend(events);
                    bytes.push(b'}');
                }
                None => bytes.extend(events),
            }
            bytes.push(b'\n');
        }
    }
    if bytes.is_empty() {
        let tour = std::fs::read(root.join("fixtures/streams/tour.json"));
        bytes = tour.unwrap_or_default().repeat(1000);
    }
    bytes
}

fn split(archive: &[u8]) -> usize {
    let mut splitter = Splitter::new(archive);
    let mut count = 0;
    while let Ok(Some(piece)) = splitter.next() {
        count += usize::from(matches!(piece, Piece::Value { .. }));
    }
    count
}

fn project(archive: &[u8], out: &mut Vec<u8>) {
    let mut splitter = Splitter::new(archive);
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
            writer.write(out, &event);
        }
        black_box(&out);
    }
}

/// The last body of every conversation, flattened or with its changes in place.
fn bodies(archive: &[u8], options: &Options<'_>, out: &mut Vec<u8>) {
    let mut splitter = Splitter::new(archive);
    while let Ok(Some(Piece::Value { bytes, .. })) = splitter.next() {
        let Ok(Container::Conversation(conversation)) =
            Conversation::read(Raw::checked(bytes))
        else {
            continue;
        };
        out.clear();
        let done = place_directives(out, &conversation, options, &mut Vec::new());
        black_box((&out, done.is_ok()));
    }
}

fn filters(criterion: &mut Criterion) {
    let archive = self::archive(false);
    let mut group = criterion.benchmark_group("filters");
    group.throughput(Throughput::Bytes(archive.len() as u64));
    group.bench_function("split", |b| b.iter(|| split(black_box(&archive))));
    let mut out = Vec::new();
    group.bench_function("project", |b| {
        b.iter(|| project(black_box(&archive), &mut out));
    });
    let archive = self::archive(true);
    let table = Table::built_in();
    let flat = Options {
        model: Some("anthropic/claude-opus-5"),
        ..Options::new(&table)
    };
    group.bench_function("flatten", |b| {
        b.iter(|| bodies(black_box(&archive), &flat, &mut out));
    });
    for (name, tool_mode) in [
        ("place-directives", ToolMode::Deferred),
        ("place-directives-inline", ToolMode::Inline),
    ] {
        let betas = Raw::checked(br#"["inline-tools-2026-09-15"]"#);
        let options = Options {
            betas: Some(betas),
            place: Some(PlaceOptions {
                tool_mode,
                ..PlaceOptions::default()
            }),
            ..flat
        };
        group.bench_function(name, |b| {
            b.iter(|| bodies(black_box(&archive), &options, &mut out));
        });
    }
    group.finish();
}

criterion_group!(benches, filters);
criterion_main!(benches);
