//! Which response answers which call (`docs/formats.md#pairing`, D-15).
//!
//! Within a turn, first in, first out per id. A response that finds no open call
//! in its turn answers the oldest open one before it in the stream; failing
//! that it is an orphan. Requests to providers never look back across turns:
//! they ask [`Pairing::same_turn`].

use super::TurnCounter;
use crate::event::{Event, EventKind};
use crate::json::Text;
use std::borrow::{Borrow, Cow};
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
    pub fn of<'a, E: Borrow<Event<'a>>>(events: impl IntoIterator<Item = E>) -> Self {
        let mut pairing = Pairing::default();
        let mut turns = TurnCounter::default();
        let mut open: HashMap<Cow<'_, str>, Open> = HashMap::new();
        for (index, event) in events.into_iter().enumerate() {
            let event = event.borrow();
            pairing.partner.push(None);
            let turn = turns.next(event.kind());
            pairing.turn.push(turn);
            let id = || event.text("id").map(Text::decode);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Raw;

    /// The partners of a stream written as one letter an entry: `|` a turn start,
    /// a capital a call of that id, a small letter a result.
    fn partners(stream: &str) -> Vec<Option<usize>> {
        let texts: Vec<String> = stream
            .chars()
            .map(|letter| match letter {
                '|' => r#"{"type":"turn_start"}"#.to_owned(),
                _ => {
                    let kind = match letter.is_uppercase() {
                        true => "tool_call_request",
                        false => "tool_call_response",
                    };
                    let id = letter.to_lowercase();
                    format!(r#"{{"type":"{kind}","id":"{id}"}}"#)
                }
            })
            .collect();
        let events: Vec<_> = texts
            .iter()
            .map(|text| Event::read(Raw::parse(text.as_bytes()).expect("JSON")))
            .map(|event| event.expect("an object"))
            .collect();
        let pairing = Pairing::of(&events);
        (0..events.len()).map(|at| pairing.partner(at)).collect()
    }

    #[test]
    fn d15_first_in_first_out_within_a_turn() {
        assert_eq!(partners("AABaba"), [3, 5, 4, 0, 2, 1].map(Some));
    }

    #[test]
    fn d15_a_call_of_the_turn_comes_before_an_older_one() {
        let found = partners("A|Aaa");
        assert_eq!(found, [Some(4), None, Some(3), Some(2), Some(0)]);
    }

    #[test]
    fn d15_the_oldest_open_call_is_answered_first_across_turns() {
        let found = partners("A|A|aa");
        assert_eq!(found, [Some(4), None, Some(5), None, Some(0), Some(2)]);
    }

    #[test]
    fn d15_a_result_before_its_call_or_without_one_is_an_orphan() {
        assert_eq!(partners("aAb"), [None; 3]);
        assert_eq!(partners("Aaa"), [Some(1), Some(0), None]);
    }

    #[test]
    fn requests_never_look_back_across_turns() {
        let texts = [
            r#"{"type":"tool_call_request","id":"a"}"#,
            r#"{"type":"tool_call_request","id":"b"}"#,
            r#"{"type":"tool_call_response","id":"b"}"#,
            r#"{"type":"turn_start"}"#,
            r#"{"type":"tool_call_response","id":"a"}"#,
        ];
        let events = texts.map(|text| {
            Event::read(Raw::parse(text.as_bytes()).expect("JSON")).expect("an object")
        });
        let pairing = Pairing::of(&events);
        assert_eq!((pairing.partner(4), pairing.same_turn(4)), (Some(0), None));
        assert_eq!(pairing.same_turn(2), Some(1));
        assert_eq!(pairing.turns(), [0, 0, 0, 1, 1]);
    }
}
