//! The binding pass: which thinking blocks still stand behind what they were made
//! behind (`docs/prefix.md#binding`). By value, and never mixed with the cache
//! pass.
//!
//! A block that is new in the second request was made in answer to the first: its
//! prefix is the first request's content and what comes before it in the same
//! answer. Over a run of requests a [`History`] keeps the birth of every block;
//! in a lone pair the blocks of the first request are taken as valid there.

mod chain;
mod enforce;
mod judge;
mod trace;

use super::hints::Means;
use super::report::{Binding, BlockState, Bound, Cause, Outcome};
use super::request::{Judge, Request};
use super::segment::Prefix;
use super::sides::Sides;
use crate::body::Dialect;
use crate::json::Raw;
use crate::prefix::values::text::same;
use chain::{Before, Chain};
use std::collections::HashMap;
use std::rc::Rc;
use trace::{Head, Point, Step, Trace};

/// What is known of earlier requests of a run.
#[derive(Debug, Default)]
pub struct History {
    births: HashMap<u64, Birth>,
    /// The trace of the request compared last.
    last: Option<Trace>,
    /// Whether a pair has been compared before.
    begun: bool,
}

/// Where and how a block was made.
#[derive(Debug, Clone)]
struct Birth {
    head: Head,
    point: Point,
    before: Before,
    model: Option<String>,
    visible: u64,
    /// Whether the request it answered is the one that was seen.
    sure: bool,
}

/// A block of the second request, judged.
#[derive(Debug, Clone)]
struct Judged {
    bound: Bound,
    signature: Option<u64>,
    turn: usize,
    /// Whether what stands before it has changed, whatever its chain.
    prefix_fails: bool,
    before: Option<Before>,
}

/// Judges every thinking block of the second request.
pub(super) fn pass<'a>(
    sides: &mut Sides<'a, '_>,
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    history: &mut History,
    means: &Means<'_>,
) -> Binding {
    if b.prefix.dialect != Dialect::Messages {
        history.interrupt();
        return elsewhere(b);
    }
    let thinks = |prefix: &Prefix<'_>| prefix.messages.iter().any(|one| one.thinking);
    let same = !history.begun && same(a.bytes, b.bytes);
    if !thinks(b.prefix) && !thinks(a.prefix) {
        history.last = None;
        history.begun = true;
        return enforce::decide(b, judge, means, Vec::new());
    }
    if same && history.last.is_none() {
        let judged = unchanged(b);
        return enforce::decide(b, judge, means, judged);
    }
    let before = match history.last.take() {
        Some(trace) => trace,
        None => {
            let trace = Trace::of(a.prefix, judge.masks, None);
            history.learn(a, &trace);
            trace
        }
    };
    let after = Trace::of(b.prefix, judge.masks, Some((a.prefix, &before)));
    let mut judged = walk(sides, a, b, judge, history, (&before, &after));
    let moved = rearranged(sides);
    if let Some((path, cause)) = &moved
        && let Some(one) = judged.iter_mut().find(|one| one.bound.path == *path)
    {
        one.bound.state = BlockState::InvalidChain;
        one.bound.cause = Some(cause.clone());
    }
    history.last = Some(after);
    history.begun = true;
    let mut binding = enforce::decide(b, judge, means, judged);
    if let Some((path, _)) = moved {
        enforce::refuse_rearranged(&mut binding, b, judge, path);
    }
    binding
}

/// The first thinking block of the latest answer that stands elsewhere among its
/// blocks than the first request had it, and where it stood. The API takes that
/// answer back only as it came
/// (<https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting>).
fn rearranged(sides: &Sides<'_, '_>) -> Option<(String, String)> {
    let (a, b) = (sides.a, sides.b);
    let at = b.turns.iter().rposition(|turn| turn.role == "assistant")?;
    let (one, other) = (a.turns.get(at)?, &b.turns[at]);
    let (left, right) = (
        &a.messages[one.from..one.to],
        &b.messages[other.from..other.to],
    );
    if left.len() != right.len() || one.role != other.role {
        return None;
    }
    let sums = |list: &[super::segment::Segment<'_>]| -> Vec<(bool, u64)> {
        list.iter()
            .map(|one| (one.thinking, sides.digest(one)))
            .collect()
    };
    let (before, now) = (sums(left), sums(right));
    let sorted = |list: &[(bool, u64)]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    if sorted(&before) != sorted(&now) {
        return None;
    }
    let pairs = before.iter().zip(&now);
    let index = pairs.enumerate().position(|(_, (x, y))| x != y && y.0)?;
    let stood = before.iter().position(|one| *one == now[index])?;
    Some((right[index].path(b.dialect), left[stood].path(a.dialect)))
}

/// Providers that bind nothing to earlier content.
fn elsewhere(b: &Request<'_>) -> Binding {
    let reasons = b.body.messages().any(|message| {
        message.kind == "reasoning"
            || ["reasoning", "reasoning_content", "thinking"]
                .iter()
                .any(|key| message.fields.given(key).is_some())
            || message.blocks().any(|block| {
                block.kind == "thought"
                    || block.fields.get("thoughtSignature").is_some()
            })
    });
    Binding {
        outcome: if reasons {
            Outcome::NotChecked
        } else {
            Outcome::Accepted
        },
        first: None,
        blocks: Vec::new(),
        dropped: None,
        notes: match reasons {
            true => vec![
                "no check of earlier content is known for this provider; its rules on \
                 replaying reasoning are among the findings"
                    .to_owned(),
            ],
            false => Vec::new(),
        },
        hint: None,
    }
}

/// The second request is the first, byte for byte.
fn unchanged(b: &Request<'_>) -> Vec<Judged> {
    let segments = b.prefix.messages.iter().filter(|one| one.thinking);
    segments
        .map(|segment| {
            let seal = segment
                .raw
                .get("signature")
                .or_else(|| segment.raw.get("data"));
            let sealed = seal
                .and_then(Raw::as_text)
                .is_some_and(|t| !t.escaped().is_empty());
            Judged {
                bound: Bound {
                    path: segment.path(b.prefix.dialect),
                    state: match sealed {
                        true => BlockState::Valid,
                        false => BlockState::InvalidSignature,
                    },
                    cause: None,
                },
                signature: None,
                turn: segment.place.message().unwrap_or(0),
                prefix_fails: false,
                before: None,
            }
        })
        .collect()
}

impl History {
    /// The next pair does not begin with the request that was compared last: its trace
    /// is that of another.
    pub(crate) fn interrupt(&mut self) {
        self.last = None;
    }

    /// Takes the blocks of the first request of a run as valid in it.
    fn learn(&mut self, a: &Request<'_>, trace: &Trace) {
        let chain = Rc::new(chain_of(trace));
        let mut point = Point::default();
        let mut length = 0;
        for steps in &trace.turns {
            point.enter(steps);
            for step in &steps.list {
                if let Step::Thinking(_, seal, visible) = step {
                    let Some(seal) = seal else { continue };
                    self.births.entry(*seal).or_insert_with(|| Birth {
                        head: trace.head,
                        point,
                        before: Before {
                            chain: chain.clone(),
                            length,
                        },
                        model: a.model.clone(),
                        visible: *visible,
                        sure: true,
                    });
                    length += 1;
                }
                point.pass(step);
            }
        }
    }
}

/// The signatures of a body, in order.
fn chain_of(trace: &Trace) -> Chain {
    let mut chain = Chain::default();
    for (turn, step) in trace.blocks() {
        if let Step::Thinking(_, Some(seal), _) = trace.turns[turn].list[step] {
            chain.push(seal);
        }
    }
    chain
}

fn walk<'a>(
    sides: &mut Sides<'a, '_>,
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    history: &mut History,
    (before, after): (&Trace, &Trace),
) -> Vec<Judged> {
    let mut end = Point::default();
    for steps in &before.turns {
        end.enter(steps);
        steps.list.iter().for_each(|step| end.pass(step));
    }
    // Blocks made since, in order, behind all that the first request held.
    let mut grown = chain_of(before);
    let held = grown.len();
    for (turn, step) in after.blocks() {
        if let Step::Thinking(_, Some(seal), _) = after.turns[turn].list[step]
            && !history.births.contains_key(&seal)
        {
            grown.push(seal);
        }
    }
    let grown = Rc::new(grown);
    let mut walk = judge::Walk {
        a,
        b,
        judge,
        before,
        after,
        grown,
        made: held,
        cause: None,
        gap: (0, None),
        seen: Chain::default(),
        last_turn: before.turns.last().map(|steps| steps.whole),
        met: false,
        moved: sides
            .divergences
            .iter()
            .any(|one| one.cause == Cause::Moved),
        start: judge::summary_start(after),
    };
    let mut judged = Vec::new();
    let mut point = Point::default();
    // What a block made in answer to the first request has before it: all of
    // that, and what has come since.
    let mut since = end;
    for (turn, steps) in after.turns.iter().enumerate() {
        point.enter(steps);
        let known = turn < before.turns.len();
        let mut answer = if known { end } else { since };
        if !known {
            answer.enter(steps);
        }
        for (at, step) in steps.list.iter().enumerate() {
            if let Step::Thinking(index, seal, visible) = step {
                let place = (turn, at, *index);
                let one =
                    walk.block(sides, history, place, *seal, *visible, point, answer);
                judged.push(one);
            }
            point.pass(step);
            if walk.is_new(turn, at) {
                answer.pass(step);
            }
        }
        if turn + 1 >= before.turns.len() {
            since = answer;
        }
        walk.met |= Some(steps.whole) == walk.last_turn;
    }
    judged
}
