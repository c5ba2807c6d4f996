//! The configuration followed along a stream.
//!
//! The deltas of a stream are read once, by the walk that finds its requests;
//! whoever needs the configuration at a place follows them in a [`Replay`]: the
//! maker of threads from request to request, the writer of directives from
//! boundary to boundary. A clone is cheap: it shares deltas, and the configuration
//! until one of the two goes on.

use super::{Config, Delta};
use std::rc::Rc;

/// A configuration, and the deltas that have yet to be merged into it.
#[derive(Debug, Clone)]
pub struct Replay<'a> {
    deltas: Rc<[(usize, Delta<'a>)]>,
    next: usize,
    config: Rc<Config<'a>>,
}

impl Default for Replay<'_> {
    fn default() -> Self {
        Self::new(Config::default(), Vec::new())
    }
}

impl<'a> Replay<'a> {
    /// Begins before the first entry; `deltas` are ascending, each with the index
    /// of its entry.
    pub fn new(base: Config<'a>, deltas: Vec<(usize, Delta<'a>)>) -> Self {
        Self {
            deltas: deltas.into(),
            next: 0,
            config: Rc::new(base),
        }
    }

    /// The configuration here.
    pub fn config(&self) -> &Rc<Config<'a>> {
        &self.config
    }

    /// The configuration here, to be asked what stayed since it was last asked.
    pub fn config_mut(&mut self) -> &mut Config<'a> {
        Rc::make_mut(&mut self.config)
    }

    /// The next delta, if its entry stands before `entry`.
    pub fn peek(&self, entry: usize) -> Option<&(usize, Delta<'a>)> {
        self.deltas
            .get(self.next)
            .filter(|(index, _)| *index < entry)
    }

    /// Merges the next delta.
    pub fn step(&mut self) {
        if let Some((_, delta)) = self.deltas.get(self.next) {
            self.next += 1;
            Rc::make_mut(&mut self.config).merge(delta.clone());
        }
    }

    /// Goes on to just before `entry`; whether a delta stood on the way. Never goes
    /// back.
    pub fn to(&mut self, entry: usize) -> bool {
        let from = self.next;
        while self.peek(entry).is_some() {
            self.step();
        }
        self.next > from
    }

    /// How many deltas have been merged.
    pub fn merged(&self) -> usize {
        self.next
    }
}
