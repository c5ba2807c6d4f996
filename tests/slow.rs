//! The views of the crate against the slow implementation: on every fixture and
//! on random streams, spelled at random.

use crate::common::oracle::{self, Options};
use crate::common::spell::spell;
use crate::common::{fixtures, generate};
use convo::block::{Decoder, Encoding};
use convo::json::Raw;
use convo::stream::compaction::{Fate, Rules, plan};
use convo::stream::{Container, Conversation, Entries};
use convo::view::{EntryWriter, View};
use proptest::prelude::*;
use serde_json::Value;

/// The view of one conversation as the crate writes it, strings plain.
fn fast(text: &str, options: Options, strict: bool) -> Vec<Value> {
    let raw = Raw::parse(text.as_bytes()).expect("JSON");
    let conversation = match Conversation::read(raw).expect("a known form") {
        Container::Conversation(conversation) => conversation,
        Container::Entry(_) => panic!("one conversation, not an entry"),
    };
    let view = match options.raw {
        true => View::Raw,
        false => View::User {
            addressed_only: options.addressed_only,
        },
    };
    let decoder = Decoder::new(conversation.encoding, strict);
    let mut writer = EntryWriter::new(view, decoder, Encoding::Plain);
    let mut events = Entries::new(&conversation, false)
        .collect(&mut Vec::new())
        .expect("a valid stream");
    if conversation.embedded_base().is_some() {
        events.remove(0);
    }
    let fates = match options.compacted {
        true => plan(&events, Rules::Standard),
        false => vec![Fate::Keep; events.len()],
    };
    let mut out = Vec::new();
    for (event, fate) in events.iter().zip(&fates) {
        writer.write_compacted(&mut out, event, fate, &mut |out| out.push(b'\n'));
    }
    serde_json::Deserializer::from_slice(&out)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("entries one after the other")
}

fn slow(value: &Value, options: Options, strict: bool) -> Vec<Value> {
    let conversation = oracle::conversation(value, false).expect("a known form");
    oracle::project(&conversation.entries(None, strict), options)
}

fn all_options() -> Vec<Options> {
    let bits = |n: u8| Options {
        raw: n & 1 != 0,
        addressed_only: n & 2 != 0,
        compacted: n & 4 != 0,
    };
    (0..8).map(bits).collect()
}

#[test]
fn fast_equals_slow_on_every_fixture() {
    for path in fixtures("streams", "json") {
        let text = std::fs::read_to_string(&path).expect("a fixture");
        let text = text.trim_start_matches('\u{feff}');
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            continue;
        };
        for options in all_options() {
            for strict in [false, true] {
                assert_eq!(
                    fast(text, options, strict),
                    slow(&value, options, strict),
                    "{} {options:?}",
                    path.display()
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn fast_equals_slow_on_random_streams(
        stream in generate::stream(),
        seed in any::<u64>(),
        strict in any::<bool>(),
    ) {
        let value = Value::from(stream);
        let text = spell(&value, seed);
        for options in all_options() {
            prop_assert_eq!(
                fast(&text, options, strict),
                slow(&value, options, strict),
                "{:?} {}", options, text
            );
        }
    }
}
