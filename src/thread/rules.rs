//! What a provider takes of a stream: the few rules that a thread depends on.

use super::owner::Owner;
use crate::config::Mode;
use crate::event::Event;
use crate::json::Text;
use crate::provider::Provider;
use crate::stream::compaction;

/// Whether a reasoning event reaches the body.
pub type TakesReasoning = fn(&Rules, &Event<'_>, Text<'_>, Owner) -> bool;

/// A provider's say in which entries contribute to its body (`design.md` 2.3).
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Whose body it is.
    pub provider: Provider,
    /// `convo`'s rules, or those of `--parity jp`.
    pub mode: Mode,
    /// Whether a reasoning event reaches the body.
    pub takes_reasoning: TakesReasoning,
    /// Whether a byte may stand in the id of a call.
    pub takes_id_byte: fn(u8) -> bool,
    /// Whether a tool may be offered under a name.
    pub takes_tool_name: fn(&str) -> bool,
}

impl Rules {
    /// How compaction is read.
    pub fn compaction(&self) -> compaction::Rules {
        match self.mode {
            Mode::Convo => compaction::Rules::Standard,
            Mode::Jp => compaction::Rules::Jp,
        }
    }
}
