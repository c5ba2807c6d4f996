//! The calls of a conversation and which of them a result answers (D-15).
//!
//! Within a turn first in, first out per id; failing that, the oldest open call of
//! that id before it. The same rule as `stream::pair`, for events that come one
//! by one.

use crate::render::tool::ToolStyle;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A call that has been made.
#[derive(Debug, Clone)]
pub(super) struct Made {
    /// The tool's name on one line.
    pub(super) name: String,
    /// How the tool is shown, as configured at the call.
    pub(super) style: ToolStyle,
    /// Whether its result may leave traces.
    pub(super) visible: bool,
    turn: usize,
}

/// Calls made so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    turn: usize,
    open: HashMap<String, VecDeque<usize>>,
    /// Calls without a result, in order.
    made: BTreeMap<usize, Made>,
    count: usize,
    /// The call that was the last event.
    pub(super) last: Option<usize>,
}

impl Calls {
    pub(super) fn enter(&mut self, turn: usize) {
        self.turn = turn;
        self.last = None;
    }

    pub(super) fn add(
        &mut self,
        id: &str,
        name: String,
        style: ToolStyle,
        visible: bool,
    ) {
        let number = self.count;
        self.count += 1;
        self.made.insert(
            number,
            Made {
                name,
                style,
                visible,
                turn: self.turn,
            },
        );
        self.open
            .entry(id.to_owned())
            .or_default()
            .push_back(number);
        self.last = Some(number);
    }

    /// The call a result answers, and whether it was the event just before.
    pub(super) fn answer(&mut self, id: &str) -> Option<(Made, bool)> {
        let open = self.open.get_mut(id)?;
        let current = open.iter().position(|number| {
            self.made.get(number).is_some_and(|m| m.turn == self.turn)
        });
        let number = open.remove(current.unwrap_or(0))?;
        if open.is_empty() {
            self.open.remove(id);
        }
        let direct = self.last == Some(number);
        Some((self.made.remove(&number)?, direct))
    }

    /// The calls of this turn that got no result, and whether each was the last
    /// event.
    pub(super) fn unanswered(&self) -> Vec<(Made, bool)> {
        let own = |made: &&Made| made.turn == self.turn && made.visible;
        let mut list: Vec<(Made, bool)> = self
            .made
            .iter()
            .rev()
            .take_while(|(_, made)| made.turn == self.turn)
            .filter(|(_, made)| own(made))
            .map(|(&number, made)| (made.clone(), self.last == Some(number)))
            .collect();
        list.reverse();
        list
    }
}
