//! The views of the crate against the slow implementation: on every fixture and
//! on random streams, spelled at random.

use crate::common::oracle::{self, Options};
use crate::common::spell::spell;
use crate::common::{fast, fixtures, generate};
use proptest::prelude::*;
use serde_json::Value;

fn fast(text: &str, options: Options, strict: bool) -> Vec<Value> {
    fast::project(text.as_bytes(), options, strict).expect("a valid conversation")
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
