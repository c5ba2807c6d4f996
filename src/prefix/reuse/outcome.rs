//! What the parts of the cache pass tell each other.

use crate::error::Severity;
use crate::finding::Finding;
use crate::prefix::levels::messages::Messages;
use crate::prefix::levels::tools::Tools;
use crate::prefix::report::{
    Amount, Cause, Level, Reason, Reusable, State, Usage, Verdict,
};

/// The answer of the pass.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    pub(crate) levels: [State; 3],
    pub(crate) shares: [Amount; 3],
    pub(crate) totals: [Amount; 3],
    pub(crate) reason: Option<Reason>,
    pub(crate) reusable: Option<Reusable>,
    pub(crate) lost: Amount,
    pub(crate) findings: Vec<Finding>,
    pub(crate) usage: Usage,
}

/// What the walk over the three levels gave.
pub(crate) struct Walk {
    pub(crate) tools: Tools,
    pub(crate) system: usize,
    pub(crate) system_equal: bool,
    pub(crate) messages: Messages,
    /// The first segment of the messages that is rendered otherwise although its
    /// bytes are equal, and whether that costs the level.
    pub(crate) rendered: Option<(usize, bool)>,
    pub(crate) surfaced: bool,
}

/// What changed parameters cost.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) findings: Vec<Finding>,
    /// The first level that is lost.
    pub(crate) lost: Option<Level>,
    /// Whether something changed whose effect is not published.
    pub(crate) unknown: bool,
    /// Whether the API's diagnostics would answer `unavailable`.
    pub(crate) unavailable: bool,
    pub(crate) model: bool,
}

impl Effects {
    /// Notes that a level is lost, and with it all behind it.
    pub(crate) fn lose(&mut self, level: Level) {
        self.lost = Some(self.lost.map_or(level, |lost| lost.min(level)));
    }
}

/// A finding that costs.
pub(crate) fn costs(mut found: Finding, cause: Cause, hint: &str) -> Finding {
    found.cause = Some(cause.name());
    found.severity = Severity::Warning;
    hint.clone_into(&mut found.hint);
    found
}
