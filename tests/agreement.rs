//! Two contracts that must be one: the schema of an entry and the check that
//! every reader applies, on the fixtures, on mutations of them, and at random.

use crate::common::generate;
use crate::common::spell::{mutations, spell};
use crate::common::{fixture_path, fixtures};
use convo::event::{Event, check::check};
use convo::json::Raw;
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::Value;

fn schema() -> Validator {
    let path = fixture_path("../schemas/event.schema.json");
    let bytes = std::fs::read(path).expect("a schema");
    let schema = serde_json::from_slice(&bytes).expect("JSON");
    jsonschema::draft202012::new(&schema).expect("a schema that compiles")
}

fn reader_accepts(text: &str) -> bool {
    let raw = Raw::parse(text.as_bytes()).expect("JSON");
    Event::read(raw).is_ok_and(|event| check(&event).is_ok())
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn schema_and_reader_agree_on_fixtures_and_their_mutations() {
    let schema = schema();
    let mut count = 0;
    for folder in ["events/good", "events/bad"] {
        for path in fixtures(folder, "json") {
            let text = std::fs::read_to_string(&path).expect("a fixture");
            let accepted = folder == "events/good";
            assert_eq!(reader_accepts(&text), accepted, "{}", path.display());
            for mutant in mutations(&value(&text)) {
                count += 1;
                let text = mutant.to_string();
                assert_eq!(reader_accepts(&text), schema.is_valid(&mutant), "{text}");
            }
        }
    }
    assert!(count > 5000, "{count} mutations");
}

proptest! {
    #[test]
    fn schema_and_reader_accept_every_generated_entry(
        entry in generate::entry(),
        seed in any::<u64>(),
    ) {
        let schema = schema();
        prop_assert!(schema.is_valid(&entry), "{entry}");
        let text = spell(&entry, seed);
        prop_assert_eq!(value(&text), entry);
        prop_assert!(reader_accepts(&text), "{}", text);
    }
}
