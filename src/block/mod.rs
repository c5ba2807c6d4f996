//! One piece of tool-response content (`docs/formats.md#content-blocks`).
//!
//! [`Block::read`] classifies a block; [`audience`] says whom it addresses and
//! [`fault`] where its author meant to and did not; [`media`] what its media type
//! means, [`picture`] what its bytes are; [`base64`] decodes and encodes the strings that storage keeps in base64.
//! Rendering a block is for the views' consumers.
//!
//! The kinds are those of MCP's `CallToolResult`
//! (<https://modelcontextprotocol.io/specification/2025-06-18/server/tools>), and
//! the question of JP's RFD 058.

pub mod audience;
pub mod base64;
pub mod fault;
pub mod media;
pub mod picture;

pub use audience::{Audience, Role};
pub use base64::{Decoder, Encoding};

use crate::event::Event;
use crate::json::{Kind, Raw, Text};

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// `text` with a string `text`.
    Text,
    /// `resource` with a string `resource.uri`: a file, embedded.
    Resource,
    /// `resource_link` with a string `uri`: a file that is elsewhere.
    ResourceLink,
    /// `image` with a string `data`, base64.
    Image,
    /// `audio` with a string `data`, base64.
    Audio,
    /// `question`: input asked for during the inquiry flow (D-21).
    Question,
    /// A block that lacks what makes it one of the above, or no object.
    Malformed,
    /// Any other `type` (D-18).
    Unknown,
}

/// One block, borrowed from the input.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The block as written.
    pub raw: Raw<'a>,
    /// What it is.
    pub kind: BlockKind,
}

impl<'a> Block<'a> {
    /// Classifies one element of a response's `content`.
    pub fn read(raw: Raw<'a>) -> Self {
        let tag = raw.get("type").and_then(Raw::as_text);
        let is = |name: &str| tag.is_some_and(|tag| tag.is(name));
        let well_formed =
            |path: &[&str], kind| match raw.at(path).and_then(Raw::as_text) {
                Some(_) => kind,
                None => BlockKind::Malformed,
            };
        let kind = if is("text") {
            well_formed(&["text"], BlockKind::Text)
        } else if is("resource") {
            well_formed(&["resource", "uri"], BlockKind::Resource)
        } else if is("resource_link") {
            well_formed(&["uri"], BlockKind::ResourceLink)
        } else if is("image") {
            well_formed(&["data"], BlockKind::Image)
        } else if is("audio") {
            well_formed(&["data"], BlockKind::Audio)
        } else if is("question") {
            BlockKind::Question
        } else if tag.is_some() {
            BlockKind::Unknown
        } else {
            BlockKind::Malformed
        };
        Self { raw, kind }
    }

    /// Whom the block addresses: its own `annotations.audience`, or where that says
    /// nothing, for a resource, the audience among the resource's annotations. Key
    /// by key: other outer annotations do not hide an inner audience.
    pub fn audience(&self) -> Audience {
        let own = Audience::read(self.raw.at(&["annotations", "audience"]));
        if own != Audience::Everyone || !self.is_tagged("resource") {
            return own;
        }
        Audience::read(self.raw.at(&["resource", "annotations", "audience"]))
    }

    fn is_tagged(&self, name: &str) -> bool {
        let tag = self.raw.get("type").and_then(Raw::as_text);
        tag.is_some_and(|tag| tag.is(name))
    }

    /// Whether the block holds something a reader can be shown: a text, a picture,
    /// a sound, a file or where one is.
    pub fn is_usable(&self) -> bool {
        match self.kind {
            BlockKind::Text
            | BlockKind::ResourceLink
            | BlockKind::Image
            | BlockKind::Audio => true,
            BlockKind::Resource => {
                ["text", "blob", "formatted"]
                    .iter()
                    .any(|key| self.raw.at(&["resource", key]).is_some())
                    || self.raw.get("formatted").is_some()
            }
            BlockKind::Question | BlockKind::Malformed | BlockKind::Unknown => false,
        }
    }

    /// Whether the block is for `role` (`docs/formats.md#audience`).
    pub fn addressed_to(&self, role: Role) -> bool {
        self.audience().includes(role)
    }
}

/// The content of a `tool_call_response` in its forms.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// The string form: one unannotated text block, still in the input's encoding.
    Text(Text<'a>),
    /// The block form; never encoded (D-7).
    Blocks(Raw<'a>),
    /// `content` has nothing usable, and `structuredContent` stands beside it: the
    /// result is that object, for everybody. MCP lets a server send it alone.
    Structured(Raw<'a>),
    /// `content` is missing or null: read as no block at all (D-5).
    Missing,
}

impl<'a> Content<'a> {
    /// The content of a checked `tool_call_response`.
    pub fn of(event: &Event<'a>) -> Self {
        let content = match event.get("content") {
            Some(value) => match value.as_text() {
                Some(text) => Content::Text(text),
                None if value.kind() == Kind::Array => Content::Blocks(value),
                None => Content::Missing,
            },
            None => Content::Missing,
        };
        let Some(structured) = structured(event) else {
            return content;
        };
        let usable = match content {
            Content::Text(text) => !text.escaped().is_empty(),
            Content::Blocks(blocks) => blocks.as_array().is_some_and(|mut all| {
                all.any(|one| {
                    let block = Block::read(one);
                    block.is_usable() || block.audience() != Audience::Everyone
                })
            }),
            Content::Structured(_) | Content::Missing => false,
        };
        match usable {
            true => content,
            false => Content::Structured(structured),
        }
    }
}

/// The `structuredContent` of a response, whether or not it counts.
pub fn structured<'a>(event: &Event<'a>) -> Option<Raw<'a>> {
    let value = event.get("structuredContent")?;
    (value.kind() == Kind::Object).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(json: &str, ask: impl Fn(Block<'_>) -> T) -> T {
        ask(Block::read(Raw::parse(json.as_bytes()).expect("JSON")))
    }

    #[test]
    fn d18_blocks_are_known_malformed_or_unknown() {
        for (json, expected) in [
            (r#"{"type":"text","text":""}"#, BlockKind::Text),
            (r#"{"type":"text","text":5}"#, BlockKind::Malformed),
            (r#"{"type":"text"}"#, BlockKind::Malformed),
            (
                r#"{"type":"resource","resource":{"uri":"u"}}"#,
                BlockKind::Resource,
            ),
            (r#"{"type":"resource","uri":"u"}"#, BlockKind::Malformed),
            (
                r#"{"type":"resource","resource":"u"}"#,
                BlockKind::Malformed,
            ),
            (
                r#"{"type":"resource","resource":{"uri":null}}"#,
                BlockKind::Malformed,
            ),
            (r#"{"type":"question"}"#, BlockKind::Question),
            (r#"{"type":"image","data":""}"#, BlockKind::Image),
            (r#"{"type":"image","url":""}"#, BlockKind::Malformed),
            (r#"{"type":"audio","data":"AA=="}"#, BlockKind::Audio),
            (
                r#"{"type":"resource_link","uri":"u"}"#,
                BlockKind::ResourceLink,
            ),
            (
                r#"{"type":"resource_link","name":"n"}"#,
                BlockKind::Malformed,
            ),
            (r#"{"type":"video","data":""}"#, BlockKind::Unknown),
            (r#"{"type":"Text","text":""}"#, BlockKind::Unknown),
            (r#"{"type":null}"#, BlockKind::Malformed),
            ("{}", BlockKind::Malformed),
            ("\"text\"", BlockKind::Malformed),
            (
                r#"{"type":"image","type":"text","text":""}"#,
                BlockKind::Text,
            ),
        ] {
            assert_eq!(with(json, |block| block.kind), expected, "{json}");
        }
    }

    #[test]
    fn d20_v3_the_outer_audience_wins_where_it_says_something() {
        for (outer, inner, shown) in [
            (
                r#"{"audience":"user"}"#,
                r#"{"audience":"assistant"}"#,
                true,
            ),
            (
                r#"{"audience":"assistant"}"#,
                r#"{"audience":"user"}"#,
                false,
            ),
            (r#"{"priority":1}"#, r#"{"audience":"assistant"}"#, false),
            ("{}", r#"{"audience":"assistant"}"#, false),
            (r#"{"audience":[]}"#, r#"{"audience":"assistant"}"#, false),
            (r#"{"audience":["x"]}"#, r#"{"audience":"user"}"#, false),
            ("null", r#"{"audience":"assistant"}"#, false),
            ("\"user\"", r#"{"audience":"assistant"}"#, false),
            ("null", "null", true),
        ] {
            let json = format!(
                r#"{{"type":"resource","annotations":{outer},
                    "resource":{{"uri":"u","annotations":{inner}}}}}"#
            );
            let user = with(&json, |block| block.addressed_to(Role::User));
            assert_eq!(user, shown, "{json}");
        }
        let json = r#"{"type":"text","text":"","resource":{"annotations":{"audience":"assistant"}}}"#;
        assert!(with(json, |block| block.addressed_to(Role::User)));
    }

    #[test]
    fn v10_structured_content_counts_where_content_has_nothing_usable() {
        for (content, counts) in [
            (r#""content":[],"#, true),
            (r#""content":null,"#, true),
            (r#""content":"","#, true),
            ("", true),
            (r#""content":[{"type":"video"}],"#, true),
            (
                r#""content":[{"type":"resource","resource":{"uri":"u"}}],"#,
                true,
            ),
            (r#""content":"x","#, false),
            (
                r#""content":[{"type":"video","annotations":{"audience":"user"}}],"#,
                false,
            ),
            (r#""content":[{"type":"text","text":""}],"#, false),
            (r#""content":[{"type":"image","data":""}],"#, false),
        ] {
            for (structured, object) in [("{\"a\":1}", true), ("[1]", false)] {
                let json = format!(
                    r#"{{"type":"tool_call_response",{content}"structuredContent":{structured}}}"#
                );
                let raw = Raw::parse(json.as_bytes()).expect("JSON");
                let event = Event::read(raw).expect("an object");
                let is = matches!(Content::of(&event), Content::Structured(_));
                assert_eq!(is, counts && object, "{json}");
            }
        }
    }
}
