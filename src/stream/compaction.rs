//! Compaction overlays resolved and projected (`docs/formats.md#compaction`).
//!
//! [`plan`] says, for every entry of a stream, what compaction makes of it. It
//! changes nothing and writes nothing: provider requests and `project
//! --compacted` each write the result their own way. Ranges count raw turns. A
//! compaction covers only what stands before it in the stream; a result goes
//! with its call.

use super::Pairing;
use crate::event::{Event, EventKind, Timestamp, check};
use crate::json::{Raw, Text};

/// The content of the request that a summary stands behind.
pub const SUMMARY_REQUEST: &str = "[Summary of previous conversation]";

/// What compaction makes of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate<'a> {
    /// It stays as it is.
    Keep,
    /// It goes.
    Drop,
    /// It goes, and a turn start, a request with [`SUMMARY_REQUEST`] and a message
    /// with this text stand in its place, all with its timestamp.
    Summary(Text<'a>),
    /// A call keeps its name and id, and loses its arguments.
    StripArguments,
    /// A response keeps its id and error flag; its content becomes this text.
    StripContent(String),
}

/// How the rules are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// `docs/formats.md#compaction` as `convo` reads it.
    Standard,
    /// As JP applies them: `to_turn` clamped to the last turn, whole turns
    /// covered wherever the compaction stands, names by the last call of an id.
    Jp,
}

/// One compaction, read.
#[derive(Debug)]
pub(crate) struct Overlay<'a> {
    position: usize,
    turn: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) time: Option<Timestamp>,
    pub(crate) summary: Option<Text<'a>>,
    pub(crate) strips_reasoning: bool,
    pub(crate) calls: Option<Calls>,
}

/// What a compaction makes of calls and their results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    Omit,
    Strip { request: bool, response: bool },
}

#[derive(Clone, Copy)]
enum Policy {
    Summary,
    Reasoning,
    Calls,
}

impl<'a> Overlay<'a> {
    /// Reads a compaction that stands at `position` in `turn`; `last` is the last
    /// turn it may cover.
    pub(crate) fn read(
        event: &Event<'a>,
        position: usize,
        turn: usize,
        last: usize,
    ) -> Option<Self> {
        let number = |key: &str| {
            let number = check::turn_number(event.get(key)?)?;
            Some(usize::try_from(number).unwrap_or(usize::MAX))
        };
        let present = |key: &str| event.get(key).filter(|value| !value.is_null());
        let calls = present("tool_calls").map(|calls| {
            let flag = |key: &str| calls.get(key).and_then(Raw::as_bool) == Some(true);
            match calls.get("policy").and_then(Raw::as_text) {
                Some(policy) if policy.is("omit") => Calls::Omit,
                _ => Calls::Strip {
                    request: flag("request"),
                    response: flag("response"),
                },
            }
        });
        Some(Self {
            position,
            turn,
            from: number("from_turn")?,
            to: number("to_turn")?.min(last),
            time: event.timestamp(),
            summary: present("summary")
                .and_then(|summary| summary.get("summary"))
                .and_then(Raw::as_text),
            strips_reasoning: present("reasoning").is_some(),
            calls,
        })
    }

    fn has(&self, policy: Policy) -> bool {
        match policy {
            Policy::Summary => self.summary.is_some(),
            Policy::Reasoning => self.strips_reasoning,
            Policy::Calls => self.calls.is_some(),
        }
    }

    /// Whether two overlays are the same compaction: text, range and time.
    ///
    /// An overlay is known by its position; texts are compared only of two.
    fn same(&self, other: &Self) -> bool {
        self.position == other.position
            || (self.from, self.to, self.time) == (other.from, other.to, other.time)
                && self.summary.map(Text::decode) == other.summary.map(Text::decode)
    }
}

/// The winning overlay of one policy for every entry.
struct Winners {
    /// By turn: among overlays that stand in a later turn.
    whole: Vec<Option<usize>>,
    /// By entry: among overlays of the entry's own turn that stand behind it.
    behind: Vec<Option<usize>>,
}

impl Winners {
    fn of(
        overlays: &[Overlay<'_>],
        policy: Policy,
        turns: &[usize],
        rules: Rules,
    ) -> Self {
        let turn_count = turns.last().map_or(0, |last| last + 1);
        let mut order: Vec<usize> = (0..overlays.len())
            .filter(|&i| overlays[i].has(policy))
            .collect();
        order.sort_by_key(|&i| {
            std::cmp::Reverse((overlays[i].time, overlays[i].position))
        });
        let mut whole = vec![None; turn_count];
        // `next[t]`: the first turn from t on that no overlay has won yet.
        let mut next: Vec<usize> = (0..=turn_count).collect();
        for &i in &order {
            let overlay = &overlays[i];
            let end = match rules {
                Rules::Standard => overlay.turn.min(overlay.to.saturating_add(1)),
                Rules::Jp => overlay.to.saturating_add(1),
            }
            .min(turn_count);
            let mut turn = find(&mut next, overlay.from.min(turn_count));
            while turn < end {
                whole[turn] = Some(i);
                next[turn] = turn + 1;
                turn = find(&mut next, turn);
            }
        }
        let mut behind = vec![None; turns.len()];
        if rules == Rules::Standard {
            let mut rank = vec![usize::MAX; overlays.len()];
            for (place, &i) in order.iter().enumerate() {
                rank[i] = place;
            }
            let mut standing = overlays.iter().enumerate().rev().peekable();
            let mut best: Option<usize> = None;
            for index in (0..turns.len()).rev() {
                if turns
                    .get(index + 1)
                    .is_some_and(|&turn| turn != turns[index])
                {
                    best = None;
                }
                behind[index] = best;
                while let Some((i, overlay)) = standing.peek()
                    && overlay.position >= index
                {
                    let covers = (overlay.from..=overlay.to).contains(&overlay.turn);
                    let better = best.is_none_or(|best| rank[*i] < rank[best]);
                    if covers && rank[*i] != usize::MAX && better {
                        best = Some(*i);
                    }
                    standing.next();
                }
            }
        }
        Self { whole, behind }
    }

    fn at(&self, index: usize, turn: usize, overlays: &[Overlay<'_>]) -> Option<usize> {
        let key = |i: &usize| (overlays[*i].time, overlays[*i].position);
        let whole = self.whole.get(turn).copied().flatten();
        let behind = self.behind.get(index).copied().flatten();
        whole.into_iter().chain(behind).max_by_key(key)
    }
}

/// The representative of `turn`, halving the path on the way.
fn find(next: &mut [usize], mut turn: usize) -> usize {
    while next[turn] != turn {
        next[turn] = next[next[turn]];
        turn = next[turn];
    }
    turn
}

/// What compaction makes of each of `events`.
pub fn plan<'a>(events: &[Event<'a>], rules: Rules) -> Vec<Fate<'a>> {
    let is_compaction = |event: &Event<'_>| event.kind() == EventKind::Compaction;
    if !events.iter().any(is_compaction) {
        return vec![Fate::Keep; events.len()];
    }
    let pairing = Pairing::of(events);
    let turns = pairing.turns();
    let last = turns.last().copied().unwrap_or(0);
    let overlays: Vec<Overlay<'a>> = events
        .iter()
        .enumerate()
        .filter(|(_, event)| is_compaction(event))
        .filter_map(|(index, event)| {
            let clamp = match rules {
                Rules::Standard => turns[index],
                Rules::Jp => last,
            };
            Overlay::read(event, index, turns[index], clamp)
        })
        .collect();
    let [summaries, reasoning, calls] =
        [Policy::Summary, Policy::Reasoning, Policy::Calls]
            .map(|policy| Winners::of(&overlays, policy, turns, rules));
    let mut last_names = std::collections::HashMap::new();
    if rules == Rules::Jp {
        for event in events
            .iter()
            .filter(|e| e.kind() == EventKind::ToolCallRequest)
        {
            if let (Some(id), Some(name)) = (event.text("id"), event.text("name")) {
                last_names.insert(id.decode(), name);
            }
        }
    }
    let mut run: Option<usize> = None;
    events
        .iter()
        .enumerate()
        .map(|(index, event)| {
            let kind = event.kind();
            if !kind.is_conversation() {
                return if is_compaction(event) {
                    Fate::Drop
                } else {
                    Fate::Keep
                };
            }
            let call = (kind == EventKind::ToolCallResponse
                && rules == Rules::Standard)
                .then(|| pairing.same_turn(index))
                .flatten();
            let place = call.unwrap_or(index);
            let turn = turns[index];
            if let Some(winner) = summaries.at(place, turn, &overlays) {
                // A result behind the compaction follows its call out, in silence.
                if place != index && index > overlays[winner].position {
                    return Fate::Drop;
                }
                let goes_on =
                    run.is_some_and(|run| overlays[run].same(&overlays[winner]));
                run = Some(winner);
                return match (overlays[winner].summary, goes_on) {
                    (Some(text), false) => Fate::Summary(text),
                    _ => Fate::Drop,
                };
            }
            run = None;
            match kind {
                EventKind::ChatResponse => {
                    let reasons = matches!(
                        event.answer(),
                        Some(crate::event::Answer::Reasoning(_))
                    );
                    match reasons && reasoning.at(place, turn, &overlays).is_some() {
                        true => Fate::Drop,
                        false => Fate::Keep,
                    }
                }
                EventKind::ToolCallRequest | EventKind::ToolCallResponse => {
                    let policy = calls
                        .at(place, turn, &overlays)
                        .and_then(|winner| overlays[winner].calls);
                    match (policy, kind) {
                        (Some(Calls::Omit), _) => Fate::Drop,
                        (
                            Some(Calls::Strip { request: true, .. }),
                            EventKind::ToolCallRequest,
                        ) => Fate::StripArguments,
                        (
                            Some(Calls::Strip { response: true, .. }),
                            EventKind::ToolCallResponse,
                        ) => {
                            let id = event.text("id").map(Text::decode);
                            let name = match rules {
                                Rules::Standard => pairing
                                    .partner(index)
                                    .and_then(|call| events[call].text("name")),
                                Rules::Jp => {
                                    id.and_then(|id| last_names.get(&id).copied())
                                }
                            };
                            Fate::StripContent(status(
                                name.map(Text::decode).as_deref(),
                                event.is_error(),
                            ))
                        }
                        _ => Fate::Keep,
                    }
                }
                _ => Fate::Keep,
            }
        })
        .collect()
}

/// What a stripped response says.
fn status(name: Option<&str>, is_error: bool) -> String {
    format!(
        "[compacted] {}: {}",
        name.unwrap_or("unknown"),
        if is_error { "error" } else { "success" }
    )
}
