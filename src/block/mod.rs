//! One piece of tool-response content (`docs/formats.md#content-blocks`).
//!
//! [`Block::read`] classifies a block; [`audience`] says whom it addresses;
//! [`base64`] decodes and encodes the strings that storage keeps in base64.
//! Rendering a block is for the views' consumers.

pub mod audience;
pub mod base64;

pub use audience::{Audience, Role};
pub use base64::{Decoder, Encoding};

use crate::event::Event;
use crate::json::{Kind, Raw, Text};

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// `text` with a string `text`.
    Text,
    /// `resource` with a string `resource.uri`.
    Resource,
    /// `question`: input asked for during the inquiry flow (D-21).
    Question,
    /// A `text` or `resource` block that lacks what makes it one, or no object.
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
        } else if is("question") {
            BlockKind::Question
        } else if tag.is_some() {
            BlockKind::Unknown
        } else {
            BlockKind::Malformed
        };
        Self { raw, kind }
    }

    /// Whom the block addresses: its own `annotations`, or for a resource block
    /// without them those of the resource (D-19, D-20).
    pub fn audience(&self) -> Audience {
        let object = |value: &Raw<'_>| value.kind() == Kind::Object;
        let own = self.raw.get("annotations").filter(object);
        let annotations = own.or_else(|| {
            let tag = self.raw.get("type")?.as_text()?;
            let inner = tag.is("resource").then(|| self.raw.get("resource"))??;
            inner.get("annotations").filter(object)
        });
        Audience::read(annotations.and_then(|annotations| annotations.get("audience")))
    }

    /// Whether the block is for `role` (`docs/formats.md#audience`).
    pub fn addressed_to(&self, role: Role) -> bool {
        self.audience().includes(role)
    }
}

/// The content of a `tool_call_response` in its two forms.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// The string form: one unannotated text block, still in the input's encoding.
    Text(Text<'a>),
    /// The block form; never encoded (D-7).
    Blocks(Raw<'a>),
    /// `content` is missing or null: read as no block at all (D-5).
    Missing,
}

impl<'a> Content<'a> {
    /// The content of a checked `tool_call_response`.
    pub fn of(event: &Event<'a>) -> Self {
        match event.get("content") {
            Some(value) => match value.as_text() {
                Some(text) => Content::Text(text),
                None if value.kind() == Kind::Array => Content::Blocks(value),
                None => Content::Missing,
            },
            None => Content::Missing,
        }
    }
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
            (r#"{"type":"image","data":""}"#, BlockKind::Unknown),
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
    fn d20_the_outer_annotations_win_where_there_are_any() {
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
            (r#"{"priority":1}"#, r#"{"audience":"assistant"}"#, true),
            ("{}", r#"{"audience":"assistant"}"#, true),
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
}
