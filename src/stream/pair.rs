//! Which response answers which call (`spec/stream.md` 5.2, D-15).
//!
//! Within a turn, first in, first out per id. A response that finds no open call
//! in its turn answers the oldest open one before it in the stream; failing
//! that it is an orphan. Requests to providers never look back across turns:
//! they ask [`Pairing::same_turn`].

use super::TurnCounter;
use crate::event::{Event, EventKind};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// The pairs of one stream, by index into its entries.
#[derive(Debug, Default)]
pub struct Pairing {
    /// For each entry its counterpart: a call's response, a response's call.
    partner: Vec<Option<usize>>,
    turn: Vec<usize>,
}

#[derive(Default)]
struct Open {
    turn: usize,
    current: VecDeque<usize>,
    older: VecDeque<usize>,
}

impl Open {
    fn enter(&mut self, turn: usize) {
        if self.turn != turn {
            self.older.append(&mut self.current);
            self.turn = turn;
        }
    }
}

impl Pairing {
    /// Pairs the calls and responses of `events`.
    pub fn of(events: &[Event<'_>]) -> Self {
        let mut pairing = Pairing {
            partner: vec![None; events.len()],
            turn: Vec::with_capacity(events.len()),
        };
        let mut turns = TurnCounter::default();
        let mut open: HashMap<Cow<'_, str>, Open> = HashMap::new();
        for (index, event) in events.iter().enumerate() {
            let turn = turns.next(event.kind());
            pairing.turn.push(turn);
            let id = || event.text("id").map(super::super::json::raw::Text::decode);
            match event.kind() {
                EventKind::ToolCallRequest => {
                    if let Some(id) = id() {
                        let calls = open.entry(id).or_default();
                        calls.enter(turn);
                        calls.current.push_back(index);
                    }
                }
                EventKind::ToolCallResponse => {
                    let Some(calls) = id().and_then(|id| open.get_mut(&id)) else {
                        continue;
                    };
                    calls.enter(turn);
                    let call = calls
                        .current
                        .pop_front()
                        .or_else(|| calls.older.pop_front());
                    if let Some(call) = call {
                        pairing.partner[index] = Some(call);
                        pairing.partner[call] = Some(index);
                    }
                }
                _ => {}
            }
        }
        pairing
    }

    /// The call a response answers, or the response a call got.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.partner.get(index).copied().flatten()
    }

    /// As [`Pairing::partner`], but only within the same turn.
    pub fn same_turn(&self, index: usize) -> Option<usize> {
        self.partner(index)
            .filter(|&other| self.turn[other] == self.turn[index])
    }

    /// The turn of each entry.
    pub fn turns(&self) -> &[usize] {
        &self.turn
    }
}
