//! What only the request before shows: gaps in the thinking, and how far back
//! the last write is (`docs/lint.md#sources`).

use super::catalogue::{cache, messages};
use super::marks::Positions;
use super::profile::Profile;
use super::report::{Report, Spot};
use crate::body::{Body, Dialect, is_thinking};
use crate::finding::Finding;
use crate::json::Raw;
use std::borrow::Cow;
use std::collections::HashMap;

/// Findings on a body that follows from the request before it.
///
/// The `lookback-window` finding of [`check`](super::check) presumes where the
/// last write is; the one of this function knows it and stands in its stead.
pub fn after(
    before: &Body<'_>,
    body: &Body<'_>,
    bytes: &[u8],
    profile: &Profile,
) -> Vec<Finding> {
    let mut report = Report::new(body, bytes, profile);
    let dialects = (before.dialect, body.dialect);
    if dialects == (Dialect::Messages, Dialect::Messages) {
        gap(before, body, &mut report);
        lookback(before, body, &mut report);
    }
    report.finish()
}

/// The signatures of all thinking blocks, in order.
fn chain<'a>(body: &Body<'a>) -> Vec<(Cow<'a, str>, Spot<'a>)> {
    let mut found = Vec::new();
    for message in body
        .messages()
        .filter(|message| message.role == "assistant")
    {
        for block in message.blocks().filter(|block| is_thinking(&block.kind)) {
            let seal = block.fields.text("signature");
            if let Some(seal) = seal.or_else(|| block.fields.text("data")) {
                let spot = Spot {
                    place: block.place,
                    raw: block.raw,
                };
                found.push((seal, spot));
            }
        }
    }
    found
}

/// The blocks kept must be an unbroken run of the chain. One left out at the
/// front breaks nothing, but costs the cache from there on; where its message
/// went with it, that is another matter.
fn gap(before: &Body<'_>, body: &Body<'_>, report: &mut Report<'_>) {
    let old = chain(before);
    let place: HashMap<&str, usize> = old
        .iter()
        .enumerate()
        .map(|(index, (seal, _))| (seal.as_ref(), index))
        .collect();
    let mut last: Option<usize> = None;
    for (seal, spot) in chain(body) {
        let Some(&index) = place.get(seal.as_ref()) else {
            continue;
        };
        let same_message = old[index].1.place.message() == spot.place.message();
        let text = match last {
            Some(last) if index == last + 1 => None,
            Some(last) if index > last => {
                Some("thinking between this block and the one before it was left out")
            }
            Some(_) => Some("thinking blocks changed their order"),
            None if index > 0 && same_message => Some(
                "the thinking before this block was left out: the block stands, \
                 the reasoning and the cache from there on are lost",
            ),
            None => None,
        };
        if let Some(text) = text {
            report.at(&messages::THINKING_GAP, spot.place, spot.raw, text);
        }
        last = Some(index);
    }
}

/// The last position that a request writes at, and whether it is marked, for
/// every block of `messages`.
fn positions<'a>(body: &Body<'a>, runs: bool) -> (Vec<(usize, Spot<'a>)>, usize) {
    let mut count = Positions::new(runs);
    let mut marks = Vec::new();
    let mut last = None;
    for message in body.messages() {
        let scoped = message.fields.text("clear_at");
        let scoped = scoped.as_deref() == Some("next_user_message");
        for block in message.blocks() {
            let position = count.next(&block.kind);
            let spot = Spot {
                place: block.place,
                raw: block.raw,
            };
            if block.fields.given("cache_control").is_some() {
                marks.push((position, spot));
            }
            let empty = block.text().is_some_and(|text| text.bytes().len() == 2);
            if !(is_thinking(&block.kind) || empty || scoped) {
                last = Some((position, spot));
            }
        }
    }
    if body.fields.given("cache_control").is_some()
        && let Some(last) = last
        && marks.last().is_none_or(|(position, _)| *position < last.0)
    {
        marks.push(last);
    }
    (marks, count.at())
}

fn lookback(before: &Body<'_>, body: &Body<'_>, report: &mut Report<'_>) {
    let profile = report.profile;
    let runs = profile.table.runs_count_once(profile.platform);
    let back = profile.limits().lookback;
    let (written, length) = positions(before, runs);
    let (marks, longer) = positions(body, runs);
    let (Some((written, _)), Some((_, late))) = (written.last(), marks.last()) else {
        return;
    };
    if longer < length
        || marks
            .iter()
            .any(|(at, _)| (*written..*written + back).contains(at))
    {
        return;
    }
    let behind = marks
        .iter()
        .map(|(at, _)| at.saturating_sub(*written))
        .max();
    let text = format!(
        "the last write is {} positions behind the nearest breakpoint, \
         which looks back over {back}",
        behind.unwrap_or_default()
    );
    let rule = &cache::LOOKBACK_WINDOW;
    let raw: Raw<'_> = late.raw;
    report.at(rule, late.place, raw, text);
}
