//! The proof over stored conversations, and its anchors.

use super::law::{directives, keeps};
use super::{INLINE, Open, place, refusals};
use crate::common::corpus::{cases, report};
use crate::common::recorded::conversation;
use convo::directive::ToolMode;
use convo::provider::Requests;
use serde_json::{Value, json};
use std::path::Path;

/// Bytes of bodies of one conversation that the linter looks at, at most.
const MOST: usize = 300 << 10;

fn bundle(folder: &Path) -> Vec<u8> {
    let (base, events) = conversation(folder);
    let value = match base {
        Some(base) => json!({"base_config": base, "events": events}),
        None => Value::from(events),
    };
    value.to_string().into_bytes()
}

#[test]
fn every_request_point_of_every_conversation_keeps_the_law() {
    let (mut points, mut broken) = (0, Vec::new());
    for folder in cases("conversations") {
        let bytes = bundle(&folder);
        for mode in [ToolMode::Deferred, ToolMode::Inline] {
            let open = Open::usual(mode);
            let found = place(&bytes, &open.options(Requests::All));
            let (bodies, told) = found.expect("bodies");
            let profile = open.profile(&bodies[0]);
            let (mut left, last) = (MOST, bodies.len() - 1);
            for (at, body) in bodies.iter().enumerate() {
                points += 1;
                let name = format!("{} {mode:?} {at}", folder.display());
                if at == last || body.len() <= left {
                    left = left.saturating_sub(body.len());
                    assert_eq!(refusals(body, &profile), [""; 0], "{name}");
                }
                if at > 0
                    && let Err(why) = keeps(&bodies[at - 1], body)
                {
                    broken.push((name, why));
                }
            }
            // Only another system prompt costs the prefix, and that is told.
            let told = told.iter().filter(|one| one.code == "head-changed").count();
            assert_eq!(broken.len(), told, "{broken:?}");
            assert!(broken.iter().all(|(_, why)| why == "`system` changed"));
            broken.clear();
        }
    }
    report("placed request points", points);
}

#[test]
fn every_open_profile_places_every_conversation() {
    let mut count = 0;
    let all = Open::all();
    for (turn, folder) in cases("conversations").iter().enumerate() {
        let bytes = bundle(folder);
        // The larger it is, the fewer profiles, each time others.
        let step = 1 + bytes.len() / 50_000;
        for open in all.iter().skip(turn % step).step_by(step) {
            let found = place(&bytes, &open.options(Requests::Last));
            let (bodies, told) = found.expect("a body");
            assert!(told.iter().all(|one| one.code != "gate-closed"), "{open:?}");
            let profile = open.profile(&bodies[0]);
            let why = refusals(&bodies[0], &profile);
            assert_eq!(why, [""; 0], "{} {open:?}", folder.display());
            count += 1;
        }
    }
    report("placed for every profile", count);
}

/// Texts and tool changes of each system message of the last body.
fn said(id: &str, beta: &str) -> Option<Vec<(usize, Vec<String>)>> {
    let folder = cases("conversations")
        .into_iter()
        .find(|folder| folder.to_string_lossy().contains(id))?;
    let open = Open::new("claude-opus-5", beta, ToolMode::Deferred);
    let found = place(&bundle(&folder), &open.options(Requests::Last));
    let (bodies, _) = found.expect("a body");
    let body: Value = serde_json::from_slice(&bodies[0]).expect("JSON");
    let messages = body["messages"].as_array().expect("messages").iter();
    let system = messages.filter(|message| message["role"] == "system");
    let directive = |message: &Value| {
        let blocks = message["content"].as_array().expect("blocks");
        let texts = blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .count();
        let changes = blocks.iter().filter(|block| block["type"] != "text");
        let change = |block: &Value| {
            let name = block["tool"]["name"].as_str().expect("a name");
            match block["type"] == "tool_addition" {
                true => format!("+{name}"),
                false => format!("-{name}"),
            }
        };
        (texts, changes.map(change).collect())
    };
    let said = system.map(directive).collect();
    assert_eq!(directives(&bodies[0]).len(), Vec::len(&said));
    Some(said)
}

#[test]
fn two_directives_of_two_and_ten_sections() {
    let Some(said) = said("17800836875", INLINE) else {
        return report("anchors of placing", 0);
    };
    assert_eq!(said.len(), 3, "the initial one and two more");
    assert_eq!((said[0].0, said[0].1.len()), (0, 31));
    let names = |names: &[&str]| -> Vec<String> {
        names.iter().map(|name| format!("+git_{name}")).collect()
    };
    let staging = [
        "add_intent",
        "list_patches",
        "stage_patch",
        "stage_patch_lines",
        "unstage",
    ];
    assert_eq!(said[1], (2, names(&staging)));
    assert_eq!(said[2], (10, names(&["commit"])));
    let without = self::said("17800836875", "").expect("the conversation");
    assert_eq!(without, [(2, vec![]), (10, vec![])]);
    // Everything disabled mid-conversation: 28 tools, 7 of them of MCP servers.
    let off = self::said("17662304290", INLINE).expect("the conversation");
    let removed = off.last().expect("a directive").1.iter();
    assert_eq!(removed.filter(|one| one.starts_with('-')).count(), 21);
    report("anchors of placing", 3);
}
