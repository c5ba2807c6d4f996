//! What a provider takes of a stream: the few rules that a thread depends on.

use super::item::Side;
use super::owner::Owner;
use crate::body::Provider;
use crate::body::id::IdRules;
use crate::config::Mode;
use crate::config::escaped::is_blank;
use crate::event::{Answer, Event, EventKind};
use crate::json::Text;
use crate::stream::compaction;

/// Whether a reasoning event reaches the body.
pub type TakesReasoning = fn(&Rules, &Event<'_>, Text<'_>, Owner) -> bool;

/// Reasoning that goes as it is: unless it is blank (`Mode::Jp`: whatever it is).
pub fn takes_words(rules: &Rules, _: &Event<'_>, text: Text<'_>, _: Owner) -> bool {
    rules.mode == Mode::Jp || !is_blank(text)
}

/// A provider's say in which entries contribute to its body (`docs/bodies.md#request-points`).
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Whose body it is.
    pub provider: Provider,
    /// `convo`'s rules, or those of `--parity jp`.
    pub mode: Mode,
    /// Whether a reasoning event reaches the body.
    pub takes_reasoning: TakesReasoning,
    /// Which ids of calls it takes.
    pub ids: IdRules,
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

    /// Whether a `chat_request` has a text that is sent.
    pub fn takes_request(&self, event: &Event<'_>) -> bool {
        event.text("content").is_some_and(|text| match self.mode {
            Mode::Convo => !is_blank(text),
            // Only the Messages API goes without an empty request.
            Mode::Jp => {
                self.provider != Provider::Anthropic || !text.escaped().is_empty()
            }
        })
    }

    /// The side an event speaks for, if it reaches the body at all.
    pub fn side(&self, event: &Event<'_>, owner: Owner) -> Option<Side> {
        let takes = match event.kind() {
            EventKind::ChatRequest if self.takes_request(event) => Side::User,
            EventKind::ToolCallResponse => Side::User,
            EventKind::ToolCallRequest => Side::Assistant,
            EventKind::ChatResponse => {
                let taken = match event.answer()? {
                    Answer::Message(text) => self.mode == Mode::Jp || !is_blank(text),
                    Answer::Reasoning(text) => {
                        (self.takes_reasoning)(self, event, text, owner)
                    }
                    Answer::Structured(_) => true,
                };
                taken.then_some(Side::Assistant)?
            }
            _ => return None,
        };
        Some(takes)
    }
}

/// Whose rules hold where: one provider's throughout, or those of the provider
/// that the configuration names at each event.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// The provider that was asked for, or that stands in where none is named.
    pub rules: Rules,
    /// The rules of any provider; `None` to keep to `rules`.
    pub by_owner: Option<fn(Provider, Mode) -> Rules>,
}

impl Policy {
    /// The rules at an event of that owner.
    pub fn at(&self, owner: Owner) -> Rules {
        let own = match (self.by_owner, owner) {
            (Some(rules), Owner::Known(provider)) => {
                Some(rules(provider, self.rules.mode))
            }
            _ => None,
        };
        own.unwrap_or(self.rules)
    }
}

/// Whether a tool's name is one that most providers take.
pub fn is_plain_name(name: &str) -> bool {
    let takes = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
    (1..=64).contains(&name.len()) && name.bytes().all(takes)
}
