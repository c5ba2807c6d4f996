//! One walk along a stream: which result answers which call, and where requests
//! were sent.
//!
//! `docs/bodies.md#request-points` and `docs/formats.md#pairing`, `docs/formats.md#repair`. Everything is decided in stream
//! order from what stands before, so that a body depends on nothing behind its
//! request point. A result answers the oldest open call of its id in its turn; a
//! request point closes every open call for good. Compaction is looked at only
//! to find out which side spoke last.

use super::item::Side;
use super::overlay::{Overlays, Seen};
use super::owner::{Owner, owner_at};
use super::rules::Policy;
use crate::config::{Config, Delta, Mode, Replay, Warnings};
use crate::error::{Diagnostic, Position};
use crate::event::{Event, EventKind};
use crate::json::{Raw, Text};
use crate::stream::TurnCounter;
use crate::term::counted;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// What the walk found out.
#[derive(Debug, Default)]
pub struct Walk<'a> {
    /// The first `chat_request` that is not blank.
    pub first: Option<usize>,
    /// The request points: each is the number of entries before it.
    pub points: Vec<usize>,
    /// For each entry its counterpart: a call's result, a result's call.
    pub partner: Vec<Option<usize>>,
    /// The configuration before the first entry, to be followed through the deltas.
    pub replay: Replay<'a>,
    /// Who owns the events from each index on.
    pub owners: Vec<(usize, Owner)>,
    /// The side that spoke last, at the end of the stream.
    pub last_side: Option<Side>,
}

impl Walk<'_> {
    /// The owner of the event at `index`.
    pub fn owner(&self, index: usize) -> Owner {
        owner_at(&self.owners, index)
    }
}

/// Walks along `events`; `base` is the base configuration. Of the deltas only the
/// model is followed here: it says whose rules hold.
pub fn walk<'a>(
    events: &[Event<'a>],
    base: Config<'a>,
    policy: &Policy,
    warnings: &mut Warnings,
    told: &mut Vec<Diagnostic>,
) -> Walk<'a> {
    let mut model = base.model().clone();
    let mut deltas = Vec::new();
    let mut walk = Walk {
        partner: vec![None; events.len()],
        owners: vec![(0, Owner::of(&model))],
        ..Walk::default()
    };
    let mut calls = Calls::default();
    let mut turns = TurnCounter::default();
    let mut turn_starts = Vec::new();
    let mut side = Last::default();
    let mut left_out = 0;
    let mode = policy.rules.mode;
    let mut owner = Owner::of(&model);
    let mut rules = policy.at(owner);
    for (index, event) in events.iter().enumerate() {
        let turn = turns.next(event.kind());
        if turn == turn_starts.len() {
            turn_starts.push(index);
        }
        match event.kind() {
            EventKind::ConfigDelta => {
                warnings.event = Some(index);
                let delta = Delta::read(event.raw(), warnings);
                if model.follow(&delta) {
                    owner = Owner::of(&model);
                    rules = policy.at(owner);
                    walk.owners.push((index, owner));
                }
                deltas.push((index, delta));
                continue;
            }
            EventKind::Compaction => {
                side.compacted(event, index, events.len(), &turn_starts, mode);
                continue;
            }
            _ => {}
        }
        if walk.first.is_none() {
            if event.kind() == EventKind::ChatRequest && rules.takes_request(event) {
                walk.first = Some(index);
            } else {
                left_out += usize::from(rules.side(event, owner).is_some());
                if event.kind() == EventKind::ToolCallResponse && mode == Mode::Convo {
                    told.push(orphan(event, index, "stands before the first request"));
                }
                continue;
            }
        }
        match rules.side(event, owner) {
            Some(Side::User) if event.kind() == EventKind::ToolCallResponse => {
                match calls.answer(event, turn, mode) {
                    Ok(call) => {
                        walk.partner[index] = call;
                        if let Some(call) = call {
                            walk.partner[call] = Some(index);
                        }
                        if call.is_none_or(|call| side.keeps(call)) {
                            side.spoke(Side::User);
                        }
                    }
                    // JP sends it all the same.
                    Err(_) if mode == Mode::Jp => {}
                    Err(why) => told.push(orphan(event, index, why)),
                }
            }
            Some(Side::User) => side.spoke(Side::User),
            Some(Side::Assistant) => {
                if side.last(&events[..index], &walk, policy) == Some(Side::User) {
                    walk.points.push(index);
                    calls.close();
                }
                if event.kind() == EventKind::ToolCallRequest {
                    calls.open(event, index, turn);
                }
                side.spoke(Side::Assistant);
            }
            None => {}
        }
    }
    if left_out > 0 && mode == Mode::Convo {
        told.push(Diagnostic::warning(
            "before-first-request",
            format!(
                "{} before the first chat_request left out of the request",
                counted(left_out, "event")
            ),
        ));
    }
    if mode == Mode::Convo {
        told.extend(resources_left_out(events));
    }
    walk.last_side = side.last(events, &walk, policy);
    walk.replay = Replay::new(base, deltas);
    if walk.first.is_some() && walk.last_side == Some(Side::User) {
        walk.points.push(events.len());
    }
    walk
}

/// Says that resources of requests (RFD 065) are not sent, if there are any.
fn resources_left_out(events: &[Event<'_>]) -> Option<Diagnostic> {
    let has_resources = |event: &&Event<'_>| {
        let resources = event.get("resources").and_then(Raw::as_array);
        event.kind() == EventKind::ChatRequest
            && resources.is_some_and(|mut all| all.next().is_some())
    };
    let count = events.iter().filter(has_resources).count();
    let message = format!(
        "resources of {} left out: only the text of a request is sent",
        counted(count, "request")
    );
    (count > 0).then(|| Diagnostic::warning("resources-left-out", message))
}

fn orphan(event: &Event<'_>, index: usize, why: &str) -> Diagnostic {
    let id = event.text("id").map(Text::decode).unwrap_or_default();
    Diagnostic {
        position: Position {
            event: Some(index),
            ..Position::default()
        },
        ..Diagnostic::warning(
            "result-left-out",
            format!("the result of call `{id}` is left out of requests: {why}"),
        )
    }
}

/// The calls that wait for a result.
#[derive(Default)]
struct Calls<'a> {
    by_id: HashMap<Cow<'a, str>, Waiting>,
    /// How many request points there were.
    closed: usize,
}

#[derive(Default)]
struct Waiting {
    closed: usize,
    turn: usize,
    open: VecDeque<usize>,
    /// Calls of this id that were closed without a result.
    interrupted: usize,
}

impl Waiting {
    /// Forgets calls that can take no result any more.
    fn renew(&mut self, closed: usize, turn: usize) {
        if self.closed != closed {
            self.interrupted += self.open.len();
            self.open.clear();
        }
        if self.turn != turn {
            self.open.clear();
        }
        (self.closed, self.turn) = (closed, turn);
    }
}

impl<'a> Calls<'a> {
    fn open(&mut self, event: &Event<'a>, index: usize, turn: usize) {
        if let Some(id) = event.text("id") {
            let waiting = self.by_id.entry(id.decode()).or_default();
            waiting.renew(self.closed, turn);
            waiting.open.push_back(index);
        }
    }

    /// A request was sent: whatever is open stays without a result.
    fn close(&mut self) {
        self.closed += 1;
    }

    /// The call that a result answers. `Mode::Jp` pairs by id alone.
    fn answer(
        &mut self,
        event: &Event<'a>,
        turn: usize,
        mode: Mode,
    ) -> Result<Option<usize>, &'static str> {
        let id = event.text("id").map(Text::decode).unwrap_or_default();
        let waiting = self.by_id.get_mut(&id);
        if mode == Mode::Jp {
            return waiting.map(|_| None).ok_or("no call has that id");
        }
        let Some(waiting) = waiting else {
            return Err("no call with that id stands before it");
        };
        waiting.renew(self.closed, turn);
        match waiting.open.pop_front() {
            Some(call) => Ok(Some(call)),
            None if waiting.interrupted > 0 => Err(
                "a request was sent before it came, which answered the call with \
                 `Tool call was interrupted.`",
            ),
            None => Err("no call with that id is open in its turn"),
        }
    }
}

/// The side that spoke last.
#[derive(Default)]
struct Last {
    side: Option<Side>,
    /// A compaction has changed what stands before it.
    stale: bool,
    overlays: Option<Overlays>,
}

impl Last {
    fn spoke(&mut self, side: Side) {
        self.side = Some(side);
        self.stale = false;
    }

    /// Whether compaction leaves a call, and with it its result.
    fn keeps(&self, call: usize) -> bool {
        self.overlays
            .as_ref()
            .is_none_or(|overlays| overlays.keeps(call))
    }

    fn compacted(
        &mut self,
        event: &Event<'_>,
        index: usize,
        entries: usize,
        turn_starts: &[usize],
        mode: Mode,
    ) {
        self.stale = true;
        if mode == Mode::Convo {
            let overlays = &mut self.overlays;
            let overlays = overlays.get_or_insert_with(|| Overlays::new(entries));
            overlays.add(event, index, turn_starts);
        }
    }

    fn last(
        &mut self,
        events: &[Event<'_>],
        walk: &Walk<'_>,
        policy: &Policy,
    ) -> Option<Side> {
        if std::mem::take(&mut self.stale) {
            self.side = match &mut self.overlays {
                Some(overlays) => {
                    let seen = Seen {
                        first: walk.first?,
                        owners: &walk.owners,
                        partner: &walk.partner,
                    };
                    overlays.last_side(events, seen, policy)
                }
                None => super::jp::last_side(events, walk, policy),
            };
        }
        self.side
    }
}
