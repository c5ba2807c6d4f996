//! Which turn an entry belongs to (`docs/formats.md#turns`).

use crate::event::EventKind;

/// Counts turns along a stream.
#[derive(Debug, Clone, Copy, Default)]
pub struct TurnCounter {
    turn: usize,
    seen: bool,
}

impl TurnCounter {
    /// The 0-based turn of the next entry, which is of `kind`.
    ///
    /// A `turn_start` opens a turn unless it is the first conversation event;
    /// deltas, compactions and unknown entries belong to the turn before them.
    pub fn next(&mut self, kind: EventKind) -> usize {
        if kind.is_conversation() {
            if kind == EventKind::TurnStart && self.seen {
                self.turn += 1;
            }
            self.seen = true;
        }
        self.turn
    }

    /// How many turns a whole stream has.
    pub fn total(kinds: impl IntoIterator<Item = EventKind>) -> usize {
        let mut counter = Self::default();
        for kind in kinds {
            counter.next(kind);
        }
        counter.count()
    }

    /// How many turns there were: none without a conversation event.
    pub fn count(&self) -> usize {
        if self.seen { self.turn + 1 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EventKind::{ChatRequest, ChatResponse, ConfigDelta, TurnStart, Unknown};

    fn turns(kinds: &[EventKind]) -> (Vec<usize>, usize) {
        let mut counter = TurnCounter::default();
        let turns = kinds.iter().map(|&kind| counter.next(kind)).collect();
        (turns, counter.count())
    }

    #[test]
    fn events_before_the_first_turn_start_are_a_turn() {
        assert_eq!(
            turns(&[ChatRequest, TurnStart, ChatRequest]),
            (vec![0, 1, 1], 2)
        );
    }

    #[test]
    fn a_delta_before_a_turn_start_belongs_to_the_earlier_turn() {
        let kinds = [ConfigDelta, TurnStart, ChatResponse, ConfigDelta, TurnStart];
        assert_eq!(turns(&kinds), (vec![0, 0, 0, 0, 1], 2));
    }

    #[test]
    fn two_turn_starts_in_a_row_make_an_empty_turn() {
        assert_eq!(
            turns(&[TurnStart, TurnStart, ChatRequest]),
            (vec![0, 1, 1], 2)
        );
    }

    #[test]
    fn without_conversation_events_there_is_no_turn() {
        assert_eq!(turns(&[ConfigDelta, Unknown]), (vec![0, 0], 0));
    }
}
