//! Compaction (6): resolution per entry, then projection.

use super::time::{Instant, instant};
use super::turns::{pairs, turns};
use super::{is_event, kind};
use serde_json::{Value, json};

/// A compaction and the place it stands in.
struct Compaction<'a> {
    entry: &'a Value,
    at: usize,
    turn: usize,
    from: f64,
    to: f64,
    /// An unknown time is before every known one.
    time: Option<Instant>,
}

/// What makes two summaries the same one (6.3).
type Sameness = (String, f64, f64, Option<Instant>);

/// The entries with all compactions applied, for the raw view or the user view
/// (`view` is its `addressed_only`).
pub(super) fn compacted(entries: &[Value], view: Option<bool>) -> Vec<Value> {
    let turns = turns(entries);
    let pairs = pairs(entries);
    let compactions: Vec<Compaction<'_>> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| kind(entry) == "compaction")
        .map(|(at, entry)| Compaction {
            entry,
            at,
            turn: turns[at],
            from: entry["from_turn"].as_f64().unwrap_or(f64::INFINITY),
            to: entry["to_turn"].as_f64().unwrap_or(-1.0),
            time: entry["timestamp"].as_str().and_then(instant),
        })
        .collect();

    // A result goes with its call, if that stands in the same turn.
    let place = |at: usize| match pairs[at] {
        Some(call) if turns[call] == turns[at] => call,
        _ => at,
    };
    let covers = |compaction: &Compaction<'_>, at: usize| {
        let turn = turns[at] as f64;
        compaction.from <= turn
            && turn <= compaction.to
            && turns[at] <= compaction.turn
            && place(at) < compaction.at
    };
    let winner = |at: usize, policy: &str| {
        compactions
            .iter()
            .filter(|compaction| covers(compaction, at))
            .filter(|compaction| !compaction.entry[policy].is_null())
            .max_by(|a, b| a.time.cmp(&b.time).then(a.at.cmp(&b.at)))
    };

    let mut out = Vec::new();
    // The summary of the event before, if it has one.
    let mut run: Option<Sameness> = None;
    for (at, entry) in entries.iter().enumerate() {
        if kind(entry) == "compaction" {
            continue;
        }
        if !is_event(entry) {
            out.push(entry.clone());
            continue;
        }
        if let Some(winner) = winner(at, "summary") {
            let text = winner.entry["summary"]["summary"].as_str().unwrap_or("");
            let same: Sameness =
                (text.to_owned(), winner.from, winner.to, winner.time.clone());
            // A result behind the compaction follows its call out, in silence.
            if at > winner.at {
                continue;
            }
            if run.as_ref() != Some(&same) {
                out.extend(stand_in(entry, text));
                run = Some(same);
            }
            continue;
        }
        run = None;
        if winner(at, "reasoning").is_some() && is_reasoning(entry) {
            continue;
        }
        let tools = winner(at, "tool_calls").map(|winner| &winner.entry["tool_calls"]);
        let name = pairs[at].and_then(|call| entries[call]["name"].as_str());
        out.extend(without_tools(entry, tools, name, view));
    }
    out
}

/// The three entries a summary becomes, at the time of the first event it replaces.
fn stand_in(first: &Value, text: &str) -> Vec<Value> {
    let request = "[Summary of previous conversation]";
    let mut entries = vec![
        json!({ "type": "turn_start", "timestamp": null }),
        json!({ "type": "chat_request", "timestamp": null, "content": request }),
        json!({ "type": "chat_response", "timestamp": null, "message": text }),
    ];
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        match first.get("timestamp") {
            Some(time) => entry["timestamp"] = time.clone(),
            None => drop(entry.shift_remove("timestamp")),
        }
    }
    entries
}

fn is_reasoning(entry: &Value) -> bool {
    kind(entry) == "chat_response"
        && !entry["message"].is_string()
        && entry["reasoning"].is_string()
}

/// A call or result under a `tool_calls` policy; other entries unchanged.
fn without_tools(
    entry: &Value,
    policy: Option<&Value>,
    name: Option<&str>,
    view: Option<bool>,
) -> Option<Value> {
    let is_call = kind(entry) == "tool_call_request";
    let is_result = kind(entry) == "tool_call_response";
    let Some(policy) = policy.filter(|_| is_call || is_result) else {
        return Some(entry.clone());
    };
    if policy["policy"] == "omit" {
        return None;
    }
    let mut entry = entry.clone();
    if is_call && policy["request"] == true && entry.get("arguments").is_some() {
        entry["arguments"] = json!({});
    }
    if is_result && policy["response"] == true {
        // What was said to the user stays.
        if view.is_some()
            && let Some(said) = super::user_entry(&entry, true)
        {
            return Some(said);
        }
        let members = entry.as_object_mut().expect("an entry");
        members.shift_remove("structuredContent");
        let failed = entry["is_error"] == true || entry["isError"] == true;
        let outcome = if failed { "error" } else { "success" };
        let text = format!("[compacted] {}: {outcome}", name.unwrap_or("unknown"));
        entry["content"] = match &entry["content"] {
            Value::String(_) => json!(text),
            // D-17; absent and null content count as `[]` (D-5).
            _ => json!([{ "type": "text", "text": text }]),
        };
    }
    Some(entry)
}
