//! The proof over longer generated streams, and where flattening loses the prefix.

use super::exhaustive::{ALPHABET, Letter, Proof, bytes, entry, oracle};
use super::law::keeps;
use super::{Open, place};
use convo::directive::ToolMode;
use convo::provider::{Options, Requests};
use proptest::prelude::*;

fn letters() -> impl Strategy<Value = Vec<Letter>> {
    let letter = prop_oneof![
        12 => prop::sample::select(&ALPHABET[..10]),
        1 => Just(Letter::Compaction),
    ];
    prop::collection::vec(letter, 6..60)
}

/// The head of a prompt: what a delta can change when all is flattened.
fn head(body: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let raw = convo::json::Raw::parse(body).expect("JSON");
    let part = |key| {
        raw.get(key)
            .map(convo::json::Raw::bytes)
            .unwrap_or_default()
    };
    (part("tools").to_vec(), part("system").to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn longer_streams_keep_the_law(letters in letters(), profile in 0..55_usize) {
        let open = Open::all().swap_remove(profile);
        let usual = Open::usual(match open.mode {
            ToolMode::Deferred => ToolMode::Inline,
            ToolMode::Inline => ToolMode::Deferred,
        });
        let mut proof = Proof::new(vec![open, usual]);
        for letter in letters {
            proof.push(letter);
        }
    }

    #[test]
    fn flattening_breaks_the_prefix_exactly_where_a_delta_changed_the_head(
        mut letters in letters()
    ) {
        letters.retain(|letter| *letter != Letter::Compaction);
        let mut counts = std::collections::HashMap::new();
        let entries: Vec<String> = letters.iter().enumerate().map(|(index, letter)| {
            let count = counts.entry(*letter as usize).or_insert(0);
            *count += 1;
            entry(*letter, index, *count - 1)
        }).collect();
        let oracle = oracle(&letters);
        if oracle.points.is_empty() {
            return Ok(());
        }
        let bytes = bytes(&entries);
        let open = Open::usual(ToolMode::Inline);
        let flat = Options { place: None, ..open.options(Requests::All) };
        let (flat, _) = place(&bytes, &flat).expect("bodies");
        let (kept, _) = place(&bytes, &open.options(Requests::All)).expect("bodies");
        for at in 1..flat.len() {
            let between = &letters[oracle.points[at - 1]..oracle.points[at]];
            let section = between.contains(&Letter::Section);
            let tools = between.contains(&Letter::Tools);
            let changed = head(&flat[at - 1]) != head(&flat[at]);
            prop_assert_eq!(keeps(&flat[at - 1], &flat[at]).is_err(), changed);
            // A section always changes the head; a tool delta may; nothing else does.
            prop_assert!(changed || !section, "{:?}", between);
            prop_assert!(!changed || section || tools, "{:?}", between);
            prop_assert_eq!(keeps(&kept[at - 1], &kept[at]), Ok(()));
        }
    }
}
