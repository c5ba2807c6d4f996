//! The binding pass: which thinking blocks still stand behind what they were made
//! behind (`spec/prefix-checks.md` 7). By value, and never mixed with the cache
//! pass.
//!
//! A block that is new in the second request was made in answer to the first: its
//! prefix is the first request's content and what comes before it in the same
//! answer. Over a run of requests a [`History`] keeps the birth of every block;
//! in a lone pair the blocks of the first request are taken as valid there.

mod chain;
mod enforce;
mod readable;
mod trace;

use super::report::{Binding, BlockState, Bound, Outcome};
use super::request::{Judge, Request};
use super::segment::Prefix;
use super::sides::Sides;
use crate::body::Dialect;
use crate::json::Raw;
use crate::model::Platform;
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
) -> Binding {
    if b.prefix.dialect != Dialect::Messages {
        return elsewhere(b);
    }
    let thinks = |prefix: &Prefix<'_>| prefix.messages.iter().any(|one| one.thinking);
    let same = a.bytes == b.bytes && !history.begun;
    if !thinks(b.prefix) && !thinks(a.prefix) {
        history.last = None;
        history.begun = true;
        return enforce::decide(b, judge, Vec::new());
    }
    if same && history.last.is_none() {
        let judged = unchanged(b);
        return enforce::decide(b, judge, judged);
    }
    let before = match history.last.take() {
        Some(trace) => trace,
        None => {
            let trace = Trace::of(a.prefix, judge_masks(judge), None);
            history.learn(a, &trace);
            trace
        }
    };
    let after = Trace::of(b.prefix, judge_masks(judge), Some((a.prefix, &before)));
    let judged = walk(sides, a, b, judge, history, (&before, &after));
    history.last = Some(after);
    history.begun = true;
    enforce::decide(b, judge, judged)
}

fn judge_masks<'j>(judge: &'j Judge<'_>) -> &'j super::text::Masks {
    &judge.masks
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
    let mut walk = Walk {
        a,
        b,
        judge,
        before,
        after,
        end,
        grown,
        made: held,
        cause: None,
        seen: Chain::default(),
        last_turn: before.turns.last().map(|steps| steps.whole),
        met: false,
        start: summary_start(after),
    };
    let mut judged = Vec::new();
    let mut point = Point::default();
    for (turn, steps) in after.turns.iter().enumerate() {
        point.enter(steps);
        let mut answer = walk.answer(turn);
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
        walk.met |= Some(steps.whole) == walk.last_turn;
    }
    judged
}

/// The newest summary: message and step; nothing before it is checked.
fn summary_start(trace: &Trace) -> Option<(usize, usize)> {
    let mut turns = trace.turns.iter().enumerate().rev();
    turns.find_map(|(turn, steps)| {
        let at = steps
            .list
            .iter()
            .rposition(|step| matches!(step, Step::Summary(_)))?;
        Some((turn, at))
    })
}

struct Walk<'a, 'r> {
    a: &'r Request<'a>,
    b: &'r Request<'a>,
    judge: &'r Judge<'r>,
    before: &'r Trace,
    after: &'r Trace,
    /// The end of the first request.
    end: Point,
    grown: Rc<Chain>,
    /// How many of the chain were made when the next new block is met.
    made: usize,
    /// What changed first, by value; looked for once.
    cause: Option<Option<String>>,
    /// The blocks of the second request so far.
    seen: Chain,
    last_turn: Option<u64>,
    /// Whether the first request's last message has gone by.
    met: bool,
    start: Option<(usize, usize)>,
}

impl<'a> Walk<'a, '_> {
    /// Whether a step is none that the first request had at its place.
    fn is_new(&self, turn: usize, at: usize) -> bool {
        turn >= self.before.turns.len()
            || turn + 1 == self.before.turns.len()
                && at >= self.before.turns[turn].list.len()
    }

    /// The prefix, before a message, of a block made in answer to the first
    /// request: all of that, and what has come since.
    fn answer(&self, turn: usize) -> Point {
        let mut point = self.end;
        let from = self.before.turns.len().min(turn);
        for steps in &self.after.turns[from..turn] {
            point.enter(steps);
            steps.list.iter().for_each(|step| point.pass(step));
        }
        if turn >= self.before.turns.len() {
            point.enter(&self.after.turns[turn]);
        }
        point
    }

    #[allow(clippy::too_many_arguments)]
    fn block(
        &mut self,
        sides: &mut Sides<'a, '_>,
        history: &mut History,
        (turn, _, index): (usize, usize, usize),
        seal: Option<u64>,
        visible: u64,
        now: Point,
        answer: Point,
    ) -> Judged {
        let from = self.b.prefix.turns[turn].from;
        let segment = &self.b.prefix.messages[from + index];
        let path = segment.path(self.b.prefix.dialect);
        let done = |state, cause| Judged {
            bound: Bound {
                path: path.clone(),
                state,
                cause,
            },
            signature: seal,
            turn,
            prefix_fails: false,
            before: None,
        };
        let Some(seal) = seal else {
            return done(BlockState::InvalidSignature, None);
        };
        let new = !history.births.contains_key(&seal);
        if new {
            if self.cut_signature(turn, index) {
                return done(BlockState::InvalidSignature, None);
            }
            let birth = Birth {
                head: self.before.head,
                point: answer,
                before: Before {
                    chain: self.grown.clone(),
                    length: self.made,
                },
                model: self.a.model.clone(),
                visible,
                sure: self.met || turn >= self.before.turns.len(),
            };
            history.births.insert(seal, birth);
            self.made += 1;
        }
        let birth = history.births[&seal].clone();
        let (state, cause, fails) = self.state(sides, &birth, now, visible, turn);
        self.seen.push(seal);
        Judged {
            prefix_fails: fails,
            before: Some(birth.before),
            ..done(state, cause)
        }
    }

    fn state(
        &mut self,
        sides: &mut Sides<'a, '_>,
        birth: &Birth,
        now: Point,
        visible: u64,
        turn: usize,
    ) -> (BlockState, Option<String>, bool) {
        let reader = self.b.known(self.judge).map(|model| model.id.as_str());
        let maker = birth
            .model
            .as_deref()
            .and_then(|name| self.judge.table.model(name));
        let mut doubt = false;
        if let (Some(reader), Some(maker)) = (reader, maker) {
            let api = self.judge.platform == Platform::ClaudeApi;
            match readable::reads(reader, &maker.id, api) {
                Some(true) => {}
                Some(false) => return (BlockState::DroppedModel, None, false),
                None => doubt = true,
            }
        }
        if self.start.is_some_and(|(start, _)| turn < start) {
            return (BlockState::Valid, None, false);
        }
        let head = self.after.head;
        let loose = birth.head.system.loose == head.system.loose
            && birth.head.tools.loose == head.tools.loose
            && birth.point.digest.loose == now.digest.loose;
        let strict = birth.head == head && birth.point.digest == now.digest;
        let compacted = birth.point.summaries < now.summaries;
        if !loose {
            let cause = self.cause(sides, birth);
            return match (compacted, birth.sure) {
                (false, true) => (BlockState::InvalidPrefix, cause, true),
                _ => (BlockState::Uncertain, cause, false),
            };
        }
        if !birth.before.ends_with(&self.seen) {
            return (BlockState::InvalidChain, self.missing(birth), false);
        }
        match strict && !doubt && visible == birth.visible {
            true => (BlockState::Valid, None, false),
            false => (BlockState::Uncertain, None, false),
        }
    }

    /// Whether a signature is the beginning of the one that stood here.
    fn cut_signature(&self, turn: usize, index: usize) -> bool {
        let find = |prefix: &Prefix<'a>| {
            let turn = prefix.turns.get(turn)?;
            let segment = prefix.messages[turn.from..turn.to].get(index)?;
            let seal = segment
                .raw
                .get("signature")
                .or_else(|| segment.raw.get("data"));
            seal.and_then(Raw::as_text)
                .map(|text| text.escaped().to_vec())
        };
        match (find(self.a.prefix), find(self.b.prefix)) {
            (Some(one), Some(other)) => {
                one.len() > other.len() && one.starts_with(&other)
            }
            _ => false,
        }
    }

    /// The block that the chain misses, if the first request has it.
    fn missing(&self, birth: &Birth) -> Option<String> {
        let last = self.seen.list.last().copied();
        let chain = &birth.before.chain.list[..birth.before.length];
        // Going back from the block, the first one that is not where it was.
        let mut now = self.seen.list.iter().rev();
        let gone = chain.iter().rev().find(|one| now.next() != Some(one))?;
        let place = self.before.blocks().find(|(turn, step)| {
            let step = self.before.turns[*turn].list[*step];
            matches!(step, Step::Thinking(_, Some(seal), _) if seal == *gone)
        });
        let (turn, step) = place?;
        let Step::Thinking(index, ..) = self.before.turns[turn].list[step] else {
            return None;
        };
        let _ = last;
        let segment = &self.a.prefix.messages[self.a.prefix.turns[turn].from + index];
        Some(segment.path(self.a.prefix.dialect))
    }

    /// The path of what changed first, by value.
    fn cause(&mut self, sides: &mut Sides<'a, '_>, birth: &Birth) -> Option<String> {
        use super::report::{Cause, Level};
        let head = self.after.head;
        let at = |level, sides: &Sides<'a, '_>| {
            let mut all = sides.divergences.iter();
            let found = all.find(|one| {
                one.level == level
                    && !matches!(one.cause, Cause::KeyOrder | Cause::Reordered)
            });
            found.map(|one| one.path.clone())
        };
        if birth.head.tools.loose != head.tools.loose {
            let toggled =
                || at(Level::System, sides).filter(|path| path.starts_with("/tools"));
            return at(Level::Tools, sides)
                .or_else(toggled)
                .or(Some("/tools".to_owned()));
        }
        if birth.head.system.loose != head.system.loose {
            return at(Level::System, sides).or(Some("/system".to_owned()));
        }
        if self.cause.is_none() {
            self.cause = Some(self.first_message(sides));
        }
        self.cause.clone().flatten()
    }

    fn first_message(&self, sides: &mut Sides<'a, '_>) -> Option<String> {
        let dialect = self.b.prefix.dialect;
        let (a, b) = (self.a.prefix, self.b.prefix);
        for (turn, (one, other)) in
            self.before.turns.iter().zip(&self.after.turns).enumerate()
        {
            if Rc::ptr_eq(one, other) {
                continue;
            }
            if one.head.loose != other.head.loose {
                return Some(b.turns[turn].place.pointer(dialect));
            }
            let content = |steps: &trace::Steps| -> Vec<(usize, u64)> {
                let kept = steps.list.iter().enumerate();
                kept.filter_map(|(at, step)| match step {
                    Step::Content(index, both) => Some((*index, both.loose)),
                    Step::Summary(both) => Some((at, both.loose)),
                    Step::Thinking(..) => None,
                })
                .collect()
            };
            let (left, right) = (content(one), content(other));
            let same = left
                .iter()
                .zip(&right)
                .take_while(|(one, other)| one.1 == other.1)
                .count();
            if same == left.len() && same == right.len() {
                continue;
            }
            if same == left.len() && turn + 1 == self.before.turns.len() {
                continue;
            }
            let segment = |prefix: &Prefix<'a>, list: &[(usize, u64)]| {
                let (index, _) = *list.get(same)?;
                prefix
                    .messages
                    .get(prefix.turns[turn].from + index)
                    .cloned()
            };
            let (one, other) = (segment(a, &left), segment(b, &right));
            return match (one, other) {
                (Some(one), Some(other)) => {
                    let kind = |raw: Raw<'a>| raw.get("type").and_then(Raw::as_str);
                    let path = other.path(dialect);
                    if kind(one.raw) != kind(other.raw) {
                        return Some(path);
                    }
                    let inner = sides.differ(&one, &other).map(|found| found.path);
                    Some(format!("{path}{}", inner.unwrap_or_default()))
                }
                (one, other) => other.or(one).map(|segment| segment.path(dialect)),
            };
        }
        let gone = a.turns.get(b.turns.len());
        gone.map(|turn| turn.place.pointer(dialect))
    }
}
