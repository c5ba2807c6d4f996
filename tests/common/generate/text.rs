//! Random strings, plain and as stored, and JSON made of them.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Plain text: words, none at all, things that look encoded, things hard to write.
pub(super) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => select(vec!["Hello.", "", "file", "ZmlsZQ==", "a/b", "{\"type\":\"x\"}"])
            .prop_map(str::to_owned),
        1 => vec(any::<char>(), 0..12).prop_map(String::from_iter),
        1 => select(vec!["\u{0}\u{1f}\u{7f}", "\"\\\n", "👩\u{200d}👧 e\u{301}", "\u{2028}"])
            .prop_map(str::to_owned),
    ]
    .boxed()
}

/// A string in a place that storage encodes: mostly encoded, sometimes not.
pub(super) fn stored_text() -> BoxedStrategy<String> {
    let odd = [
        "",
        "YQ",
        "YR==",
        "YQ=",
        "YQ==\n",
        "/w==",
        "_w==",
        "Pz8_",
        "Pz8-Pw==",
        "-+8=",
        "====",
        "Y",
        "file",
        "not base64",
        "YQ==YQ==",
        "4pyT8J-ZgiDihpI_",
        "=a==",
    ];
    prop_oneof![
        6 => text().prop_map(|text| base64(text.as_bytes(), "+/")),
        1 => text().prop_map(|text| base64(text.as_bytes(), "-_")),
        1 => vec(any::<u8>(), 0..9).prop_map(|bytes| base64(&bytes, "+/")),
        2 => select(odd.to_vec()).prop_map(str::to_owned),
        1 => text(),
    ]
    .boxed()
}

/// Any JSON whose strings storage encodes.
pub(super) fn stored_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        4 => stored_text().prop_map(Value::from),
        1 => select(vec![Value::Null, json!(true), json!(1.0), json!(-7)]),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((select(vec!["k", "YQ==", ""]), inner), 0..3).prop_map(|members| {
                let members = members.into_iter().map(|(k, v)| (k.to_owned(), v));
                Value::Object(members.collect())
            }),
        ]
    })
    .boxed()
}

/// Base64 with padding; `last` are the digits 62 and 63.
fn base64(bytes: &[u8], last: &str) -> String {
    let digits: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(last.chars())
        .collect();
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..group.len()].copy_from_slice(group);
        let bits = three.iter().fold(0, |sum, &b| sum << 8 | usize::from(b));
        for place in 0..4 {
            text.push(match place <= group.len() {
                true => digits[bits >> (18 - 6 * place) & 63],
                false => '=',
            });
        }
    }
    text
}
