//! The laws of views and of splitting, at random.
//!
//! What a view must be is stated here on bytes, with no help from the writer that
//! is under test: a minifier of a few lines stands in for it.

use crate::common::generate;
use crate::common::spell::spell;
use convo::block::{Decoder, Encoding};
use convo::json::Raw;
use convo::stream::{Container, Conversation, Entries, First, Piece, Splitter};
use convo::view::{EntryWriter, View};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::io::Read;

/// The entries of a view of `text`, each as written.
fn view(text: &str, encoding: Encoding, addressed_only: bool) -> Vec<String> {
    let raw = Raw::parse(text.as_bytes()).expect("JSON");
    let conversation = match Conversation::read(raw).expect("a known form") {
        Container::Conversation(conversation) => conversation,
        Container::Entry(_) => panic!("a conversation, not an entry"),
    };
    let decoder = Decoder::new(encoding, false);
    let mut writer =
        EntryWriter::new(View::User { addressed_only }, decoder, Encoding::Plain);
    let events = Entries::new(&conversation, false)
        .collect(&mut Vec::new())
        .expect("a valid stream");
    let mut shown = Vec::new();
    for event in &events {
        let mut out = Vec::new();
        if writer.write(&mut out, event) {
            shown.push(String::from_utf8(out).expect("UTF-8"));
        }
    }
    shown
}

fn array(entries: &[String]) -> String {
    format!("[{}]", entries.join(","))
}

/// JSON without the white space between its tokens.
fn minified(text: &str) -> String {
    let mut out = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string || !c.is_ascii_whitespace() {
            out.push(c);
        }
        let quote = c == '"' && !escaped;
        in_string ^= quote;
        escaped = in_string && c == '\\' && !escaped;
    }
    out
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

proptest! {
    #[test]
    fn projecting_twice_equals_projecting_once(
        stream in generate::stream(),
        seed in any::<u64>(),
        addressed_only in any::<bool>(),
    ) {
        let text = spell(&Value::from(stream), seed);
        let once = view(&text, Encoding::Storage, addressed_only);
        // Read with --encoding plain.
        let twice = view(&array(&once), Encoding::Plain, addressed_only);
        prop_assert_eq!(&once, &twice);
        // Through the envelope, whose encoding nobody has to say.
        let envelope = format!("{{\"data\":{}}}", array(&once));
        let raw = Raw::parse(envelope.as_bytes()).expect("JSON");
        let Ok(Container::Conversation(found)) = Conversation::read(raw) else {
            panic!("an envelope");
        };
        prop_assert_eq!(found.encoding, Encoding::Plain);
        prop_assert_eq!(&once, &view(&envelope, found.encoding, addressed_only));
    }

    #[test]
    fn what_passes_is_byte_identical_or_a_reduced_result(
        stream in generate::stream(),
        seeds in proptest::collection::vec(any::<u64>(), 24),
        addressed_only in any::<bool>(),
    ) {
        let sources: Vec<String> =
            stream.iter().zip(seeds).map(|(entry, seed)| spell(entry, seed)).collect();
        let mut left = sources.iter().map(|source| minified(source));
        for shown in view(&array(&sources), Encoding::Plain, addressed_only) {
            let whole = |source: &String| *source == shown;
            let reduced = |source: &String| is_reduced(source, &shown);
            prop_assert!(
                left.any(|source| {
                    whole(&source) || reduced(&source) || is_answer(&source, &shown)
                }),
                "{} of {:?}", shown, sources
            );
        }
    }

    #[test]
    fn decoding_changes_encoded_strings_alone(
        stream in generate::stream(),
        seed in any::<u64>(),
    ) {
        // Whoever has nothing that storage encodes keeps every byte.
        let encodes = |entry: &Value| {
            entry.get("metadata").is_some()
                || entry["type"] == "tool_call_request"
                || entry["content"].is_string() && entry["type"] == "tool_call_response"
        };
        let plain: Vec<Value> =
            stream.into_iter().filter(|entry| !encodes(entry)).collect();
        let text = spell(&Value::from(plain), seed);
        prop_assert_eq!(
            view(&text, Encoding::Storage, false),
            view(&text, Encoding::Plain, false)
        );
    }
}

/// Whether `shown` is the answer `source` without the reasoning beside it.
fn is_answer(source: &str, shown: &str) -> bool {
    let (mut before, after) = (value(source), value(shown));
    let reasoning = before
        .as_object_mut()
        .and_then(|entry| entry.shift_remove("reasoning"));
    before["type"] == "chat_response" && reasoning.is_some() && before == after
}

/// Whether `shown` is the result `source` with blocks taken away and nothing else.
fn is_reduced(source: &str, shown: &str) -> bool {
    let (before, after) = (value(source), value(shown));
    let (Some(all), Some(kept)) =
        (before["content"].as_array(), after["content"].as_array())
    else {
        return false;
    };
    let mut left = all.iter();
    let in_order = kept.iter().all(|block| left.any(|found| found == block));
    let mut rest = before.clone();
    rest["content"] = after["content"].clone();
    if kept.len() < all.len()
        && let Some(members) = rest.as_object_mut()
    {
        members.shift_remove("structuredContent");
    }
    let spelled_alike = Raw::parse(shown.as_bytes())
        .ok()
        .and_then(|raw| raw.get("content"))
        .and_then(Raw::as_array)
        .is_some_and(|mut blocks| {
            blocks
                .all(|block| source.contains(&*String::from_utf8_lossy(block.bytes())))
        });
    before["type"] == "tool_call_response"
        && !kept.is_empty()
        && in_order
        && rest == after
        && spelled_alike
}

/// An entry, and whether the user sees what it says.
fn marked() -> impl Strategy<Value = (Value, bool)> {
    let audience = select(vec![
        (Some(json!(["assistant"])), false),
        (Some(json!("assistant")), false),
        (Some(json!(["developer"])), false),
        (Some(json!(["assistant", 5, null])), false),
        (Some(json!(["assistant", "user"])), true),
        (Some(json!("user")), true),
        (Some(json!([])), true),
        (Some(json!({ "assistant": true })), true),
        (None, true),
    ]);
    let block = (0..4, audience).prop_map(|(shape, (audience, shown))| {
        let text = if shown { "SHOWN" } else { "SECRET" };
        let notes = json!({ "audience": audience });
        let block = match shape {
            0 => json!({ "type": "text", "text": text, "annotations": notes }),
            1 => json!({ "type": "resource", "formatted": text, "annotations": notes,
                "resource": { "uri": text, "annotations": { "audience": "user" } } }),
            2 => json!({ "type": "resource",
                "resource": { "uri": "u", "text": text, "annotations": notes } }),
            _ => json!({ "type": "hologram", "light": text, "annotations": notes }),
        };
        let content = json!([block, { "type": "question", "question": { "text": "SECRET" } },
            { "type": "text", "text": "SECRET", "annotations": { "audience": ["assistant"] } }]);
        (json!({ "type": "tool_call_response", "id": "a", "content": content }), shown)
    });
    let other = select(vec![
        (json!({ "type": "chat_request", "content": "SHOWN" }), true),
        (json!({ "type": "chat_response", "message": "SHOWN" }), true),
        (json!({ "type": "chat_response", "data": "SHOWN" }), true),
        (
            json!({ "type": "chat_response", "reasoning": "SECRET" }),
            false,
        ),
        (
            json!({ "type": "chat_response", "reasoning": "SECRET", "data": 1 }),
            false,
        ),
        (
            json!({ "type": "chat_response", "reasoning": "SECRET", "message": "SHOWN" }),
            true,
        ),
        (
            json!({ "type": "tool_call_response", "id": "a", "content": [
                { "type": "text", "text": "SHOWN", "annotations": { "audience": "user" } },
                { "type": "text", "text": "SECRET", "annotations": { "audience": "assistant" } }],
                "structuredContent": { "x": "SECRET" } }),
            true,
        ),
        (
            json!({ "type": "tool_call_response", "id": "a", "content": [],
                "structuredContent": { "x": "SHOWN" } }),
            true,
        ),
        (
            json!({ "type": "tool_call_request", "id": "a", "name": "SECRET",
                "arguments": { "a": "SECRET" } }),
            false,
        ),
        (
            json!({ "type": "inquiry_request", "id": "SECRET",
                "source": { "source": "assistant" },
                "question": { "text": "SECRET", "answer_type": { "type": "text" } } }),
            false,
        ),
        (
            json!({ "type": "inquiry_response", "id": "a", "answer": "SECRET" }),
            false,
        ),
        (
            json!({ "type": "config_delta", "delta": { "x": "SECRET" } }),
            false,
        ),
        (
            json!({ "type": "compaction", "from_turn": 0, "to_turn": 0,
                "summary": { "summary": "SECRET" } }),
            false,
        ),
        (json!({ "type": "note", "message": "SECRET" }), false),
        (json!({ "content": "SECRET" }), false),
    ]);
    prop_oneof![2 => block, 1 => other]
}

proptest! {
    #[test]
    fn the_user_view_holds_all_for_the_user_and_nothing_for_the_assistant_alone(
        stream in proptest::collection::vec(marked(), 0..12),
        seed in any::<u64>(),
    ) {
        let (entries, shown): (Vec<Value>, Vec<bool>) = stream.into_iter().unzip();
        let text = spell(&json!({ "data": entries }), seed);
        let seen: Vec<Value> =
            view(&text, Encoding::Plain, false).iter().map(|entry| value(entry)).collect();
        prop_assert!(!json!(seen).to_string().contains("SECRET"), "{}", json!(seen));
        prop_assert_eq!(seen.len(), shown.iter().filter(|shown| **shown).count());
        prop_assert!(seen.iter().all(|entry| entry.to_string().contains("SHOWN")));
    }

    #[test]
    fn pretty_and_minified_split_to_the_same_streams(
        streams in proptest::collection::vec(
            (generate::stream(), 0..3u8, any::<u64>()), 1..5),
        steps in proptest::collection::vec(1..97usize, 1..8),
    ) {
        let archive: Vec<(Value, u64)> = streams
            .into_iter()
            .map(|(stream, form, seed)| match form {
                0 => (json!(stream), seed),
                1 => (json!({ "data": stream }), seed),
                _ => (json!({ "base_config": {}, "events": stream }), seed),
            })
            .collect();
        let join = |spelled: Vec<String>, between: &str| spelled.join(between);
        let values = || archive.iter().map(|(value, _)| value);
        let lines = join(values().map(Value::to_string).collect(), "\n");
        let expected: Vec<String> = values().map(Value::to_string).collect();
        let pretty = values()
            .map(|value| serde_json::to_string_pretty(value).expect("JSON"))
            .collect();
        prop_assert_eq!(&split(&lines, &steps), &expected);
        prop_assert_eq!(&split(&join(pretty, "\n"), &steps), &expected);
        prop_assert_eq!(&split(&join(expected.clone(), ""), &steps), &expected);
        let odd: Vec<String> =
            archive.iter().map(|(value, seed)| spell(value, *seed)).collect();
        let minified: Vec<String> = odd.iter().map(|text| minified(text)).collect();
        prop_assert_eq!(split(&join(odd, " "), &steps), minified);
    }
}

/// The values of an input that arrives in pieces, minified.
fn split(input: &str, steps: &[usize]) -> Vec<String> {
    let mut splitter = Splitter::new(Trickle {
        left: input.as_bytes(),
        steps,
        turn: 0,
    });
    let mut found = Vec::new();
    assert!(!matches!(splitter.peek().expect("bytes"), First::Nothing));
    while let Some(piece) = splitter.next().expect("bytes") {
        match piece {
            Piece::Value { bytes, offset } => {
                let from = usize::try_from(offset).expect("an offset");
                assert_eq!(&input.as_bytes()[from..from + bytes.len()], bytes);
                found.push(minified(&String::from_utf8_lossy(bytes)));
            }
            Piece::Salvaged { .. } => panic!("nothing is broken"),
            Piece::Broken { error, .. } => panic!("{error}"),
        }
    }
    found
}

/// A reader that gives a few bytes at a time.
struct Trickle<'a> {
    left: &'a [u8],
    steps: &'a [usize],
    turn: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let step = self.steps[self.turn % self.steps.len()];
        self.turn += 1;
        let count = step.min(self.left.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.left[..count]);
        self.left = &self.left[count..];
        Ok(count)
    }
}
