//! Which side spoke last, while compactions come in.
//!
//! A walk asks this at most once behind each compaction, of a stream that goes on
//! growing; resolving all overlays again each time would make many compactions
//! quadratic. So each is laid over the entries it covers when it comes (a range
//! of a tree that keeps the newest), and looking back stops at the first entry
//! that is left. The rules are those of `docs/formats.md#compaction`; what becomes of each
//! entry of a body is for [`compaction`](crate::stream::compaction) to say.

use super::item::Side;
use super::owner::{Owner, owner_at};
use super::rules::Policy;
use crate::config::escaped::is_blank;
use crate::event::{Answer, Event, EventKind, Timestamp};
use crate::stream::compaction::{Calls, Overlay};
use std::collections::BTreeSet;

/// When an overlay was made, and where it stands: the greater one wins.
type Key = (Option<Timestamp>, usize);

/// The overlays of a stream so far.
#[derive(Debug)]
pub(super) struct Overlays {
    summaries: Newest<bool>,
    reasoning: Newest<()>,
    calls: Newest<bool>,
    /// The entries that may speak, of the first `seen`.
    alive: BTreeSet<usize>,
    seen: usize,
    /// Those that compaction took away, and a newer one may bring back.
    gone: BTreeSet<usize>,
}

/// What a walk has found out before an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'w> {
    /// The first `chat_request`.
    pub(super) first: usize,
    /// Who owns the events from each index on.
    pub(super) owners: &'w [(usize, Owner)],
    /// The result of each call, the call of each result.
    pub(super) partner: &'w [Option<usize>],
}

/// What an entry, or what stands for it, has to say.
enum Voice {
    Speaks(Side),
    Gone,
    Never,
}

impl Overlays {
    pub(super) fn new(entries: usize) -> Self {
        Self {
            summaries: Newest::new(entries),
            reasoning: Newest::new(entries),
            calls: Newest::new(entries),
            alive: BTreeSet::new(),
            seen: 0,
            gone: BTreeSet::new(),
        }
    }

    /// Lays a compaction at `index` over the entries it covers. `turns` holds the
    /// first entry of every turn so far.
    pub(super) fn add(&mut self, event: &Event<'_>, index: usize, turns: &[usize]) {
        let turn = turns.len().saturating_sub(1);
        let Some(overlay) = Overlay::read(event, index, turn, turn) else {
            return;
        };
        let Some(&from) = turns.get(overlay.from) else {
            return;
        };
        let to = turns.get(overlay.to + 1).copied().unwrap_or(index);
        let key = (overlay.time, index);
        if let Some(text) = overlay.summary {
            self.bring_back(from, to);
            self.summaries.lay(from, to, key, is_blank(text));
        }
        if overlay.strips_reasoning {
            self.reasoning.lay(from, to, key, ());
        }
        if let Some(calls) = overlay.calls {
            if calls != Calls::Omit {
                self.bring_back(from, to);
            }
            self.calls.lay(from, to, key, calls == Calls::Omit);
        }
    }

    /// Whether a call is left.
    pub(super) fn keeps(&self, call: usize) -> bool {
        self.summaries.at(call).is_none() && self.calls.at(call) != Some(true)
    }

    /// Has a second look at entries that were taken away.
    fn bring_back(&mut self, from: usize, to: usize) {
        let back: Vec<_> = self.gone.range(from..to.max(from)).copied().collect();
        for index in back {
            self.gone.remove(&index);
            self.alive.insert(index);
        }
    }

    /// The side that speaks last in `events`.
    pub(super) fn last_side(
        &mut self,
        events: &[Event<'_>],
        seen: Seen<'_>,
        policy: &Policy,
    ) -> Option<Side> {
        self.alive.extend(self.seen.max(seen.first)..events.len());
        self.seen = events.len();
        while let Some(&index) = self.alive.last() {
            match self.voice(index, &events[index], seen, policy) {
                Voice::Speaks(side) => return Some(side),
                Voice::Gone => {
                    self.gone.insert(index);
                }
                Voice::Never => {}
            }
            self.alive.remove(&index);
        }
        None
    }

    fn voice(
        &self,
        index: usize,
        event: &Event<'_>,
        seen: Seen<'_>,
        policy: &Policy,
    ) -> Voice {
        let owner = owner_at(seen.owners, index);
        let kind = event.kind();
        if !kind.is_conversation() {
            return Voice::Never;
        }
        // A result goes with its call.
        let call = seen.partner[index].filter(|_| kind == EventKind::ToolCallResponse);
        let place = call.unwrap_or(index);
        if let Some(blank) = self.summaries.at(place) {
            return match place == index || self.summaries.at(index).is_some() {
                true if blank => Voice::Speaks(Side::User),
                true => Voice::Speaks(Side::Assistant),
                false => Voice::Gone,
            };
        }
        let own = policy.at(owner).side(event, owner);
        let goes = match kind {
            EventKind::ToolCallResponse if call.is_none() => return Voice::Gone,
            EventKind::ToolCallRequest | EventKind::ToolCallResponse => {
                self.calls.at(place) == Some(true)
            }
            EventKind::ChatResponse => {
                matches!(event.answer(), Some(Answer::Reasoning(_)))
                    && self.reasoning.at(index).is_some()
            }
            _ => false,
        };
        match own {
            Some(side) if !goes => Voice::Speaks(side),
            // A summary speaks for whatever it covers, blank or not.
            _ => Voice::Gone,
        }
    }
}

/// For every entry the newest value laid over it.
#[derive(Debug)]
struct Newest<T> {
    /// A tree over the entries: the leaves are its second half.
    nodes: Vec<Option<(Key, T)>>,
}

impl<T: Copy> Newest<T> {
    fn new(entries: usize) -> Self {
        Self {
            nodes: vec![None; 2 * entries],
        }
    }

    /// Lays a value over the entries from `from` up to `to`.
    fn lay(&mut self, from: usize, to: usize, key: Key, value: T) {
        let half = self.nodes.len() / 2;
        let (mut low, mut high) = (from + half, to.max(from) + half);
        while low < high {
            if low % 2 == 1 {
                self.put(low, key, value);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                self.put(high, key, value);
            }
            (low, high) = (low / 2, high / 2);
        }
    }

    fn put(&mut self, node: usize, key: Key, value: T) {
        if let Some(slot) = self.nodes.get_mut(node)
            && slot.is_none_or(|(old, _)| old < key)
        {
            *slot = Some((key, value));
        }
    }

    fn at(&self, entry: usize) -> Option<T> {
        let mut node = entry + self.nodes.len() / 2;
        let mut best: Option<(Key, T)> = None;
        while node > 0 {
            if let Some(Some((key, value))) = self.nodes.get(node)
                && best.is_none_or(|(old, _)| old < *key)
            {
                best = Some((*key, *value));
            }
            node /= 2;
        }
        best.map(|(_, value)| value)
    }
}
