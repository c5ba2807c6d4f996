//! The entry kinds of a stored stream (`docs/formats.md#entry-kinds`).

use crate::json::Text;

/// What an entry's `type` says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// `turn_start`: opens a turn.
    TurnStart,
    /// `chat_request`: the user's message.
    ChatRequest,
    /// `chat_response`: a message, reasoning or structured data.
    ChatResponse,
    /// `tool_call_request`: the assistant calls a tool.
    ToolCallRequest,
    /// `tool_call_response`: what the tool gave back.
    ToolCallResponse,
    /// `inquiry_request`: a question asked during a tool call.
    InquiryRequest,
    /// `inquiry_response`: its answer.
    InquiryResponse,
    /// `config_delta`: a change of configuration.
    ConfigDelta,
    /// `compaction`: an overlay over a range of turns.
    Compaction,
    /// Anything else, a missing or non-string `type` included.
    Unknown,
}

/// Every known kind with its spelling.
pub const KNOWN: [(&str, EventKind); 9] = [
    ("turn_start", EventKind::TurnStart),
    ("chat_request", EventKind::ChatRequest),
    ("chat_response", EventKind::ChatResponse),
    ("tool_call_request", EventKind::ToolCallRequest),
    ("tool_call_response", EventKind::ToolCallResponse),
    ("inquiry_request", EventKind::InquiryRequest),
    ("inquiry_response", EventKind::InquiryResponse),
    ("config_delta", EventKind::ConfigDelta),
    ("compaction", EventKind::Compaction),
];

impl EventKind {
    /// The kind that the string `tag` names.
    pub fn of(tag: Text<'_>) -> Self {
        KNOWN
            .iter()
            .find(|(name, _)| tag.is(name))
            .map_or(EventKind::Unknown, |&(_, kind)| kind)
    }

    /// The spelling in `type`; `unknown` for an unknown entry.
    pub fn name(self) -> &'static str {
        KNOWN
            .iter()
            .find(|&&(_, kind)| kind == self)
            .map_or("unknown", |&(name, _)| name)
    }

    /// Whether entries of this kind are conversation events, which count turns.
    pub fn is_conversation(self) -> bool {
        !matches!(
            self,
            EventKind::ConfigDelta | EventKind::Compaction | EventKind::Unknown
        )
    }
}
