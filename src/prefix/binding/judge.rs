//! One thinking block after the other: does it stand behind what it was made
//! behind, and what changed if it does not.

use super::super::report::{BlockState, Bound, Cause, Level};
use super::super::request::{Judge, Request};
use super::super::segment::Prefix;
use super::super::sides::Sides;
use super::chain::{Before, Chain};
use super::trace::{self, Point, Step, Trace};
use super::{Birth, History, Judged};
use crate::json::Raw;
use std::rc::Rc;

/// The newest summary: message and step; nothing before it is checked.
pub(super) fn summary_start(trace: &Trace) -> Option<(usize, usize)> {
    let mut turns = trace.turns.iter().enumerate().rev();
    turns.find_map(|(turn, steps)| {
        let at = steps
            .list
            .iter()
            .rposition(|step| matches!(step, Step::Summary(_)))?;
        Some((turn, at))
    })
}

/// How the walk over the second request stands.
pub(super) struct Walk<'a, 'r> {
    pub(super) a: &'r Request<'a>,
    pub(super) b: &'r Request<'a>,
    pub(super) judge: &'r Judge<'r>,
    pub(super) before: &'r Trace,
    pub(super) after: &'r Trace,
    pub(super) grown: Rc<Chain>,
    /// How many of the chain were made when the next new block is met.
    pub(super) made: usize,
    /// What changed first, by value; looked for once.
    pub(super) cause: Option<Option<String>>,
    /// How often a missing block was looked for, and the last one found.
    pub(super) gap: (usize, Option<String>),
    /// The blocks of the second request so far.
    pub(super) seen: Chain,
    pub(super) last_turn: Option<u64>,
    /// Whether the first request's last message has gone by.
    pub(super) met: bool,
    /// Whether what stood behind the newest turn went along with the next.
    pub(super) moved: bool,
    pub(super) start: Option<(usize, usize)>,
}

impl<'a> Walk<'a, '_> {
    /// Whether a step is none that the first request had at its place.
    pub(super) fn is_new(&self, turn: usize, at: usize) -> bool {
        turn >= self.before.turns.len()
            || turn + 1 == self.before.turns.len()
                && at >= self.before.turns[turn].list.len()
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn block(
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
                sure: self.met || turn >= self.before.turns.len() || self.moved,
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
            let (table, platform) = (self.judge.table, self.judge.platform);
            match table.reads(reader, &maker.id, platform) {
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
    fn missing(&mut self, birth: &Birth) -> Option<String> {
        // Many fail by one gap: it is looked for a few times only.
        const MOST: usize = 16;
        if self.gap.0 < MOST {
            self.gap = (self.gap.0 + 1, self.find_missing(birth));
        }
        self.gap.1.clone()
    }

    fn find_missing(&self, birth: &Birth) -> Option<String> {
        let chain = &birth.before.chain.list[..birth.before.length];
        // Going back from the block, the first one that is not where it was.
        let mut now = self.seen.list.iter().rev();
        let gone = chain.iter().rev().find(|one| now.next() != Some(one))?;
        let mut blocks = self.before.blocks();
        let (turn, step) = blocks.find(|(turn, step)| {
            let step = self.before.turns[*turn].list[*step];
            matches!(step, Step::Thinking(_, Some(seal), _) if seal == *gone)
        })?;
        let Step::Thinking(index, ..) = self.before.turns[turn].list[step] else {
            return None;
        };
        let segment = &self.a.prefix.messages[self.a.prefix.turns[turn].from + index];
        Some(segment.path(self.a.prefix.dialect))
    }

    /// The path of what changed first, by value.
    fn cause(&mut self, sides: &mut Sides<'a, '_>, birth: &Birth) -> Option<String> {
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
