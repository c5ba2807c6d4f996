//! Any bytes make records that are bundles, or are refused; recognition included.
#![no_main]

use convo::import::{Found, Importer, Options, Sink, recognise, values};
use convo::json::Raw;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let head = values(input, true);
    let Found::Foreign(shape, _) = recognise(&head, None) else {
        return;
    };
    let mut take = |one: convo::import::Imported| {
        if let Ok(bundle) = one.bundle {
            Raw::parse(&bundle).expect("a bundle is JSON");
        }
    };
    let mut table = |_| {};
    let mut sink = Sink::new(&mut take, &mut table);
    let mut importer = Importer::new(Options::default(), shape);
    if importer.wants_all() {
        importer.all(input, &mut sink);
    } else {
        for value in head {
            importer.value(value, 0, &mut sink);
        }
        importer.end(&mut sink);
    }
});
