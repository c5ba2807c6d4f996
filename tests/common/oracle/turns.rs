//! Turns (3) and pairs of call and result (5.2).

use super::{is_event, kind};
use serde_json::Value;

/// The turn of every entry, counted from 0.
pub(super) fn turns(entries: &[Value]) -> Vec<usize> {
    let mut turn = 0;
    let mut seen = false;
    let mut turns = Vec::new();
    for entry in entries {
        if is_event(entry) {
            if kind(entry) == "turn_start" && seen {
                turn += 1;
            }
            seen = true;
        }
        turns.push(turn);
    }
    turns
}

/// For every entry that is a result, the index of the call it answers.
///
/// The oldest open call of that id in the same turn, else the oldest open one
/// before that turn, else none (D-15).
pub(super) fn pairs(entries: &[Value]) -> Vec<Option<usize>> {
    let turns = turns(entries);
    let mut answered = vec![false; entries.len()];
    let mut pairs = vec![None; entries.len()];
    for (at, entry) in entries.iter().enumerate() {
        if kind(entry) != "tool_call_response" {
            continue;
        }
        let open: Vec<usize> = (0..at)
            .filter(|&call| kind(&entries[call]) == "tool_call_request")
            .filter(|&call| entries[call]["id"] == entry["id"])
            .filter(|&call| !answered[call])
            .collect();
        let same_turn = open.iter().find(|&&call| turns[call] == turns[at]);
        if let Some(&call) = same_turn.or(open.first()) {
            answered[call] = true;
            pairs[at] = Some(call);
        }
    }
    pairs
}
