//! Rules S and L: prompts and lists.

use super::{rendered, s, with};
use convo::config::Mode;
use serde_json::{Value, json};

fn prompt(base: &Value, deltas: &[Value], mode: Mode) -> String {
    let base = json!({"assistant": {"system_prompt": base}});
    let deltas: Vec<_> = deltas
        .iter()
        .map(|one| json!({"assistant": {"system_prompt": one}}))
        .collect();
    with(&base, &deltas, mode, |config, _| {
        config.system_prompt().to_owned()
    })
}

#[test]
fn rule_s_merges_prompts() {
    let wrap = |text: &str, strategy: &str, separator: &str| json!({"value": text, "strategy": strategy, "separator": separator});
    for (delta, expected) in [
        (json!("new"), "new"),
        (wrap("new", "append", "paragraph"), "old\n\nnew"),
        (wrap("new", "append", "line"), "old\nnew"),
        (wrap("new", "append", "space"), "old new"),
        (wrap("new", "append", "none"), "oldnew"),
        (wrap("new", "prepend", "space"), "new old"),
        (wrap("new", "replace", "space"), "new"),
        (json!({"strategy": "replace"}), ""),
        (json!({"strategy": "append"}), "old"),
        (json!({"value": "new"}), "oldnew"),
        (json!(null), "old"),
        (json!(7), "old"),
    ] {
        assert_eq!(
            prompt(&json!("old"), std::slice::from_ref(&delta), Mode::Convo),
            expected,
            "{delta}"
        );
    }
    // D-11: the other program loses both.
    assert_eq!(
        prompt(&json!("old"), &[json!({"value": "new"})], Mode::Jp),
        ""
    );
    let discarded =
        json!({"value": "b", "strategy": "append", "discard_when_merged": true});
    let deltas = [discarded.clone(), wrap("c", "append", "none")];
    assert_eq!(prompt(&json!("a"), &deltas[..1], Mode::Convo), "ab");
    assert_eq!(prompt(&json!("a"), &deltas, Mode::Convo), "c");
    // The base forgets its wrapper, and an empty wrapper is an empty prompt.
    assert_eq!(
        prompt(&discarded, &[wrap("c", "append", "none")], Mode::Convo),
        "bc"
    );
    assert_eq!(prompt(&json!({"strategy": "append"}), &[], Mode::Convo), "");
    assert_eq!(
        prompt(&json!(null), &[], Mode::Convo),
        "You are a helpful assistant."
    );
}

pub(super) fn sections(base: &Value, deltas: &[Value], mode: Mode) -> Vec<String> {
    let base = json!({"assistant": {"system_prompt_sections": base}});
    let deltas: Vec<_> = deltas
        .iter()
        .map(|one| match one {
            Value::String(_) => json!({"assistant": {"system_prompt": one}}),
            _ => json!({"assistant": {"system_prompt_sections": one}}),
        })
        .collect();
    with(&base, &deltas, mode, |config, _| rendered(config))
}

#[test]
fn rule_l_merges_lists() {
    let wrap = |strategy: &str| json!({"value": [s("b")], "strategy": strategy});
    for (delta, expected) in [
        (json!([s("b")]), vec!["a", "b"]),
        (json!({"value": [s("b")]}), vec!["a", "b"]),
        (wrap("append"), vec!["a", "b"]),
        (wrap("prepend"), vec!["b", "a"]),
        (wrap("replace"), vec!["b"]),
        (json!({"strategy": "replace"}), vec![]),
        (json!([s("a")]), vec!["a", "a"]),
        (json!({"value": [s("a")], "dedup": true}), vec!["a"]),
        (json!([{"content": "a", "position": 0}]), vec!["a", "a"]),
        (
            json!({"value": [{"content": "a", "position": 0}], "dedup": true}),
            vec!["a"],
        ),
        (
            json!({"value": [{"content": "a", "position": 1}], "dedup": true}),
            vec!["a", "a"],
        ),
        (json!([s("b"), {"tag": "x"}, 7]), vec!["a", "b"]),
        (json!(null), vec!["a"]),
    ] {
        assert_eq!(
            sections(&json!([s("a")]), std::slice::from_ref(&delta), Mode::Convo),
            expected,
            "{delta}"
        );
    }
    // D-31: deltas as stored differ from each other, the base has its defaults.
    let dedup = |items: Value| json!({"value": items, "dedup": true});
    let deltas = [
        dedup(json!([s("b")])),
        json!([{"content": "b", "position": 0}]),
    ];
    assert_eq!(sections(&json!([]), &deltas, Mode::Convo), ["b"]);
    assert_eq!(sections(&json!([]), &deltas, Mode::Jp), ["b", "b"]);
    // The flag sticks, `inherit` keeps it, `false` ends it; the base never has it.
    let again = json!([s("a")]);
    assert_eq!(
        sections(
            &json!([s("a")]),
            &[dedup(json!([])), again.clone()],
            Mode::Convo
        ),
        ["a"]
    );
    let off = json!({"value": [s("a")], "dedup": false});
    assert_eq!(
        sections(&json!([s("a")]), &[dedup(json!([])), off], Mode::Convo),
        ["a", "a"]
    );
    assert_eq!(
        sections(
            &dedup(json!([s("a")])),
            std::slice::from_ref(&again),
            Mode::Convo
        ),
        ["a", "a"]
    );
    // What is to be discarded goes at the next merge, in JP at any delta.
    let discard =
        json!({"value": [s("b")], "strategy": "replace", "discard_when_merged": true});
    assert_eq!(
        sections(&json!([]), &[discard.clone(), again], Mode::Convo),
        ["a"]
    );
    let other = json!("a prompt");
    assert_eq!(
        sections(&json!([]), &[discard.clone(), other.clone()], Mode::Convo),
        ["b"]
    );
    assert!(sections(&json!([]), &[discard, other], Mode::Jp).is_empty());
}
