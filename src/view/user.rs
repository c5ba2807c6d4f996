//! The user view: what is addressed to the user, from events alone
//! (`docs/formats.md#user-view`, JP's RFD 094).
//!
//! Messages, structured answers, requests and turn starts pass unchanged; tool
//! responses pass with the blocks addressed to the user, and not at all when none
//! is left; everything else is dropped. Configuration has no influence.

use crate::block::{Block, BlockKind, Content, Role};
use crate::event::{Answer, Event, EventKind};
use crate::json::Raw;

/// Which blocks of a result a view keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Those addressed to the user.
    User,
    /// Those that name the user outright.
    NamedUser,
    /// Those addressed to the assistant.
    Assistant,
    /// Those addressed to either.
    Either,
}

impl Keep {
    /// Whether a block is kept. A question is for the inquiry alone (D-21).
    pub fn keeps(self, block: Raw<'_>) -> bool {
        let block = Block::read(block);
        if block.kind == BlockKind::Question {
            return false;
        }
        let audience = block.audience();
        match self {
            Keep::User => audience.includes(Role::User),
            Keep::NamedUser => audience.names_user(),
            Keep::Assistant => audience.includes(Role::Assistant),
            Keep::Either => {
                audience.includes(Role::User) || audience.includes(Role::Assistant)
            }
        }
    }

    /// The blocks of the user view.
    pub fn user(addressed_only: bool) -> Self {
        match addressed_only {
            true => Keep::NamedUser,
            false => Keep::User,
        }
    }
}

/// What the user sees of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// All of it.
    Whole,
    /// A tool response, reduced to the blocks that [`passes`].
    Reduced,
    /// Nothing.
    Nothing,
}

/// What the user sees of `event`.
pub fn share(event: &Event<'_>, addressed_only: bool) -> Share {
    match event.kind() {
        EventKind::TurnStart | EventKind::ChatRequest => Share::Whole,
        EventKind::ChatResponse => match event.answer() {
            Some(Answer::Reasoning(_)) | None => Share::Nothing,
            Some(Answer::Message(_) | Answer::Structured(_)) => Share::Whole,
        },
        EventKind::ToolCallResponse => match Content::of(event) {
            Content::Text(_) if addressed_only => Share::Nothing,
            Content::Text(_) => Share::Whole,
            Content::Blocks(blocks) => {
                let kept = |block: Raw<'_>| passes(block, addressed_only);
                match blocks.as_array().is_some_and(|mut all| all.any(kept)) {
                    true => Share::Reduced,
                    false => Share::Nothing,
                }
            }
            Content::Structured(_) if addressed_only => Share::Nothing,
            Content::Structured(_) => Share::Whole,
            Content::Missing => Share::Nothing,
        },
        EventKind::ToolCallRequest
        | EventKind::InquiryRequest
        | EventKind::InquiryResponse
        | EventKind::ConfigDelta
        | EventKind::Compaction
        | EventKind::Unknown => Share::Nothing,
    }
}

/// Whether the user sees a block: it addresses the user and is no question
/// (D-21); malformed and unknown blocks pass by their annotations (D-18).
pub fn passes(block: Raw<'_>, addressed_only: bool) -> bool {
    Keep::user(addressed_only).keeps(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(json: &str, addressed_only: bool) -> Share {
        let raw = Raw::parse(json.as_bytes()).expect("JSON");
        share(&Event::read(raw).expect("an object"), addressed_only)
    }

    #[test]
    fn families_of_events() {
        for (json, expected) in [
            (r#"{"type":"turn_start"}"#, Share::Whole),
            (r#"{"type":"chat_request","content":""}"#, Share::Whole),
            (r#"{"type":"chat_response","message":""}"#, Share::Whole),
            (r#"{"type":"chat_response","data":null}"#, Share::Whole),
            (
                r#"{"type":"chat_response","reasoning":"x"}"#,
                Share::Nothing,
            ),
            (
                r#"{"type":"chat_response","reasoning":"x","message":"y"}"#,
                Share::Whole,
            ),
            (
                r#"{"type":"tool_call_request","id":"1","name":"f"}"#,
                Share::Nothing,
            ),
            (r#"{"type":"inquiry_request","id":"1"}"#, Share::Nothing),
            (r#"{"type":"inquiry_response","id":"1"}"#, Share::Nothing),
            (r#"{"type":"config_delta"}"#, Share::Nothing),
            (r#"{"type":"compaction"}"#, Share::Nothing),
            (r#"{"type":"note"}"#, Share::Nothing),
            (
                r#"{"type":"tool_call_response","structuredContent":{}}"#,
                Share::Whole,
            ),
            (
                r#"{"type":"tool_call_response","content":[{"type":"text","text":"",
                   "annotations":{"audience":["assistant"]}}],"structuredContent":{}}"#,
                Share::Nothing,
            ),
            (r#"{"content":"no type"}"#, Share::Nothing),
        ] {
            assert_eq!(see(json, false), expected, "{json}");
        }
    }

    #[test]
    fn tool_responses_by_audience() {
        let response = |content: &str| {
            format!(r#"{{"type":"tool_call_response","content":{content}}}"#)
        };
        for (content, plain, addressed) in [
            (r#""""#, Share::Whole, Share::Nothing),
            ("[]", Share::Nothing, Share::Nothing),
            ("null", Share::Nothing, Share::Nothing),
            (
                r#"[{"type":"text","text":"a"}]"#,
                Share::Reduced,
                Share::Nothing,
            ),
            (
                r#"[{"type":"text","text":"a","annotations":{"audience":["user"]}}]"#,
                Share::Reduced,
                Share::Reduced,
            ),
            (
                r#"[{"type":"text","text":"a","annotations":{"audience":["assistant"]}}]"#,
                Share::Nothing,
                Share::Nothing,
            ),
            (
                r#"[{"type":"question","question":{}}]"#,
                Share::Nothing,
                Share::Nothing,
            ),
            (r#"["malformed"]"#, Share::Reduced, Share::Nothing),
            (
                r#"[{"type":"resource","annotations":{"priority":1},
                   "resource":{"uri":"u","annotations":{"audience":"assistant"}}}]"#,
                Share::Nothing,
                Share::Nothing,
            ),
            (
                r#"[{"type":"image","data":"","mimeType":"image/png"}]"#,
                Share::Reduced,
                Share::Nothing,
            ),
            (
                r#"[{"type":"resource","resource":{"uri":"u","annotations":{"audience":"user"}}}]"#,
                Share::Reduced,
                Share::Reduced,
            ),
        ] {
            assert_eq!(see(&response(content), false), plain, "{content}");
            assert_eq!(see(&response(content), true), addressed, "{content}");
        }
    }
}
