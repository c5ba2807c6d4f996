//! The positions that a breakpoint looks back over.

/// Blocks that may count as one position where they follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// Calls.
    Call,
    /// Results of calls.
    Result,
}

impl Run {
    /// What a type of block belongs to, if to any.
    pub fn of(kind: &str) -> Option<Self> {
        match kind {
            "tool_use" => Some(Run::Call),
            "tool_result" => Some(Run::Result),
            _ => None,
        }
    }
}

/// Counts positions: one a block, but a run of calls, or of results, only one where
/// the platform says so ([`crate::model::Table::runs_count_once`]).
#[derive(Debug, Default)]
pub struct Positions {
    runs: bool,
    at: usize,
    run: Option<Run>,
}

impl Positions {
    /// None yet. `runs`: whether a run counts once.
    pub fn new(runs: bool) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }

    /// Takes a block in and gives its position, counted from 1.
    pub fn next(&mut self, run: Option<Run>) -> usize {
        let same = self.runs && run.is_some() && self.run == run;
        self.run = run;
        self.at += usize::from(!same);
        self.at
    }

    /// The position of the last block, 0 before the first.
    pub fn at(&self) -> usize {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::{Positions, Run};

    fn counted(runs: bool) -> Vec<usize> {
        let mut positions = Positions::new(runs);
        [
            "text",
            "tool_use",
            "tool_use",
            "tool_result",
            "tool_result",
            "text",
        ]
        .map(|kind| positions.next(Run::of(kind)))
        .to_vec()
    }

    #[test]
    fn a_run_counts_once_where_the_platform_says_so() {
        assert_eq!(counted(true), [1, 2, 2, 3, 3, 4]);
        assert_eq!(counted(false), [1, 2, 3, 4, 5, 6]);
    }
}
