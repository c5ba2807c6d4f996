//! Laws of flattening over random streams: late results, ids used again,
//! compactions, empty requests, deltas anywhere.

use crate::common::bodies::{bundle, check_messages, conversation, lines, options};
use crate::flatten_laws::points;
use convo::config::Mode;
use convo::json::Raw;
use convo::provider::{Options, Requests};
use convo::stream::compaction::{Fate, Rules, plan};
use proptest::prelude::*;
use serde_json::{Value, json};

const IDS: [&str; 5] = ["a", "b", "a_2", "", "x.y"];

fn entry() -> impl Strategy<Value = Value> {
    let text = || prop::sample::select(vec!["", " ", "t", "u"]);
    let id = || prop::sample::select(IDS.to_vec());
    let delta = prop_oneof![
        Just(json!({"assistant": {"model": {"id": "google/g"}}})),
        Just(json!({"assistant": {"model": {"id": "anthropic/claude-opus-4-8"}}})),
        Just(json!({"assistant": {"system_prompt_sections": [{"content": "S"}]}})),
        Just(json!({"conversation": {"tools": {"f": {"source": "local"}}}})),
        Just(json!({"conversation": {"tools": {"f": {"enable": false}}}})),
        Just(json!({"assistant": {"tool_choice": "f"}})),
    ];
    prop_oneof![
        2 => Just(json!({"type": "turn_start"})),
        4 => text().prop_map(|text| json!({"type": "chat_request", "content": text})),
        4 => text().prop_map(|text| json!({"type": "chat_response", "message": text})),
        2 => (text(), any::<bool>()).prop_map(|(text, signed)| match signed {
            true => json!({"type": "chat_response", "reasoning": text,
                "metadata": {"anthropic_thinking_signature": "S"}}),
            false => json!({"type": "chat_response", "reasoning": text}),
        }),
        5 => (id(), any::<bool>()).prop_map(|(id, g)| json!({"type": "tool_call_request",
            "id": id, "name": if g { "g" } else { "f" }, "arguments": {"k": "v"}})),
        5 => id().prop_map(|id| json!({"type": "tool_call_response", "id": id,
            "content": "r"})),
        1 => compaction(),
        1 => delta.prop_map(|delta| json!({"type": "config_delta", "delta": delta})),
        1 => Just(json!({"type": "chat_response", "data": null})),
        1 => Just(json!({"type": "later_kind"})),
    ]
}

fn compaction() -> impl Strategy<Value = Value> {
    let policy = prop_oneof![
        Just(json!({"summary": {"summary": "so far"}})),
        Just(json!({"summary": {"summary": ""}})),
        Just(json!({"reasoning": "strip"})),
        Just(json!({"tool_calls": {"policy": "omit"}})),
        Just(
            json!({"tool_calls": {"policy": "strip", "request": true, "response": true}})
        ),
    ];
    (policy, 0..3_u8, 0..4_u8, 0..4_u8).prop_map(|(mut policy, from, more, time)| {
        policy["type"] = json!("compaction");
        policy["timestamp"] = json!(format!("2026-01-01 00:00:0{time}.0"));
        policy["from_turn"] = json!(from);
        policy["to_turn"] = json!(from + more);
        policy
    })
}

/// Streams whose results all say where they stand.
pub(crate) fn stream() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(entry(), 1..40).prop_map(|mut entries| {
        for (index, entry) in entries.iter_mut().enumerate() {
            if entry["type"] == "tool_call_response" {
                entry["content"] = json!(format!("r{index}."));
            }
        }
        entries
    })
}

fn bytes(entries: &[Value]) -> Vec<u8> {
    let mut bundle = bundle(&Value::from(vec![json!({"type": "turn_start"})]));
    bundle["events"] = Value::from(entries.to_vec());
    bundle.to_string().into_bytes()
}

fn asked(requests: Requests, mode: Mode) -> Options<'static> {
    Options {
        requests,
        mode,
        ..options("anthropic", Some("claude-opus-4-8"))
    }
}

/// The calls and results that must reach a body at `point`, by the words of
/// `docs/bodies.md`: first in, first out in the turn, before the first request point
/// behind the call.
fn due(
    entries: &[Value],
    points: &[usize],
    first: usize,
    point: usize,
) -> Vec<(usize, usize)> {
    let mut turn = 0;
    let mut turns = Vec::new();
    let mut seen = false;
    for entry in entries {
        let conversation = !["config_delta", "compaction", "later_kind"]
            .iter()
            .any(|kind| entry["type"] == *kind);
        turn += usize::from(entry["type"] == "turn_start" && seen);
        seen |= conversation;
        turns.push(turn);
    }
    let mut answered = vec![false; entries.len()];
    let mut due = Vec::new();
    for index in first..point {
        if entries[index]["type"] != "tool_call_response" {
            continue;
        }
        let call = (first..index).find(|&call| {
            entries[call]["type"] == "tool_call_request"
                && entries[call]["id"] == entries[index]["id"]
                && turns[call] == turns[index]
                && !answered[call]
                && !points.iter().any(|&p| call < p && p <= index)
        });
        if let Some(call) = call {
            answered[call] = true;
            due.push((call, index));
        }
    }
    due
}

/// The request points by the words of `docs/bodies.md`, resolving compaction anew at
/// every entry.
fn slow_points(entries: &[Value]) -> Vec<usize> {
    let bytes = bytes(entries);
    let conversation = conversation(&bytes);
    let events = convo::stream::Entries::new(&conversation, false);
    let events = events.collect(&mut Vec::new()).expect("entries");
    let text = |entry: &Value, key: &str| {
        entry[key].as_str().map(str::trim).map(str::to_owned)
    };
    let asks = |entry: &Value| {
        entry["type"] == "chat_request"
            && text(entry, "content").is_some_and(|text| !text.is_empty())
    };
    let Some(first) = entries.iter().position(asks) else {
        return Vec::new();
    };
    // Whether the entry speaks for the user.
    let speaks = |index: usize, points: &[usize]| match entries[index]["type"]
        .as_str()?
    {
        "chat_request" => asks(&entries[index]).then_some(true),
        "tool_call_request" => Some(false),
        "tool_call_response" => {
            let due = due(entries, points, first, index + 1);
            due.iter()
                .any(|(_, result)| *result == index)
                .then_some(true)
        }
        "chat_response" => {
            let entry = &entries[index];
            let told = text(entry, "message").or_else(|| text(entry, "reasoning"));
            let ids = entries[..index].iter().rev();
            let mut ids =
                ids.filter_map(|one| one["delta"]["assistant"]["model"]["id"].as_str());
            let foreign = ids.next().is_some_and(|id| id.starts_with("google"));
            let signed = entry.get("metadata").is_some() && !foreign;
            let told = told.is_none_or(|text| !text.is_empty());
            (told || signed).then_some(false)
        }
        _ => None,
    };
    let mut points = Vec::new();
    for index in first..=entries.len() {
        let is_end = index == entries.len();
        if !is_end && speaks(index, &points) != Some(false) {
            continue;
        }
        let fates = plan(&events[..index], Rules::Standard);
        let (mut last, mut spoken) = (None, Vec::new());
        for (before, fate) in fates.iter().enumerate() {
            match fate {
                Fate::Summary(text) => {
                    last = Some(text.decode().trim().is_empty());
                    spoken.push(before);
                }
                Fate::Drop => {}
                _ if before < first => {}
                _ if entries[before]["type"] == "tool_call_response" => {}
                _ => {
                    let own = speaks(before, &points);
                    spoken.extend(own.map(|_| before));
                    last = own.or(last);
                }
            }
        }
        // A result goes with its call, whatever stands between them.
        for (call, result) in due(entries, &points, first, index) {
            let kept = !matches!(fates[call], Fate::Drop | Fate::Summary(_));
            let later = |index: &usize| *index > result;
            if kept && !spoken.iter().any(later) {
                last = Some(true);
            }
        }
        if last == Some(true) {
            points.push(index);
        }
    }
    points
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bodies_are_legal_and_depend_on_nothing_behind_their_point(entries in stream()) {
        let whole = bytes(&entries);
        let Ok((bodies, _)) = lines(&whole, &asked(Requests::All, Mode::Convo)) else {
            let blank = |entry: &Value| entry["type"] != "chat_request"
                || entry["content"].as_str().is_some_and(|text| text.trim().is_empty());
            prop_assert!(entries.iter().all(blank)
                || entries.iter().any(|entry| entry["type"] == "compaction"));
            return Ok(());
        };
        let points = points(&whole, &asked(Requests::All, Mode::Convo));
        prop_assert_eq!(bodies.len(), points.len());
        prop_assert_eq!(&points, &slow_points(&entries));
        let compacted = entries.iter().any(|entry| entry["type"] == "compaction");
        let first = entries.iter().position(|entry| {
            let text = entry["content"].as_str().unwrap_or_default();
            entry["type"] == "chat_request" && !text.trim().is_empty()
        });
        let first = first.expect("a request");
        for (body, &point) in bodies.iter().zip(&points) {
            let raw = Raw::parse(body).expect("a body is JSON");
            prop_assert_eq!(check_messages(raw), Ok(()));
            let cut = bytes(&entries[..point]);
            let (last, _) = lines(&cut, &asked(Requests::Last, Mode::Convo)).expect("a body");
            prop_assert!(last[0] == *body, "cut at {}", point);
            if !compacted {
                let text = String::from_utf8_lossy(body);
                let sent = text.matches("\"r").count();
                let due = due(&entries, &points, first, point);
                for (_, result) in &due {
                    let one = entries[*result]["content"].to_string();
                    prop_assert!(text.contains(&one), "{} at {}: {}", one, point, text);
                }
                prop_assert!(sent >= due.len());
            }
        }
        let (end, _) = lines(&whole, &asked(Requests::End, Mode::Convo)).expect("a body");
        let raw = Raw::parse(&end[0]).expect("a body is JSON");
        prop_assert_eq!(check_messages(raw), Ok(()));
    }

    #[test]
    fn parity_bodies_are_json_and_follow_their_cut(entries in stream()) {
        let whole = bytes(&entries);
        let Ok((bodies, _)) = lines(&whole, &asked(Requests::All, Mode::Jp)) else {
            return Ok(());
        };
        let points = points(&whole, &asked(Requests::All, Mode::Jp));
        for (body, &point) in bodies.iter().zip(&points) {
            prop_assert!(Raw::parse(body).is_ok());
            let cut = bytes(&entries[..point]);
            let (end, _) = lines(&cut, &asked(Requests::End, Mode::Jp)).expect("a body");
            prop_assert!(end[0] == *body, "cut at {}", point);
        }
    }
}
