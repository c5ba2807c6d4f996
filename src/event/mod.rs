//! One stored entry: an ordered list of keys and raw values, and its kind.
//!
//! [`Event::read`] walks the entry's members once; nothing is decoded until a
//! rule asks. [`check`] holds the typed check of an entry, [`timestamp`] the two
//! spellings of time. Which entries a reader sees is for `view` to say.

pub mod check;
pub mod kind;
pub mod timestamp;

pub use check::Violation;
pub use kind::EventKind;
pub use timestamp::Timestamp;

use crate::json::raw::Fields;
use crate::json::{Raw, Text};

/// One entry of a stream, borrowed from the input.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    raw: Raw<'a>,
    kind: EventKind,
    fields: Fields<'a>,
}

/// The three variants of a `chat_response`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    /// `message`: text for the user.
    Message(Text<'a>),
    /// `reasoning`: the model's thinking.
    Reasoning(Text<'a>),
    /// `data`: a structured answer, any JSON.
    Structured(Raw<'a>),
}

impl<'a> Event<'a> {
    /// Splits an entry into its fields; its shape is not checked yet.
    ///
    /// # Errors
    ///
    /// The entry is no object.
    pub fn read(raw: Raw<'a>) -> Result<Self, Violation<'a>> {
        let Some(members) = raw.as_object() else {
            return Err(Violation::expected(raw, String::new(), "an object"));
        };
        Ok(Self::of(raw, members.collect()))
    }

    /// An entry whose members have been found already.
    pub fn of(raw: Raw<'a>, fields: Fields<'a>) -> Self {
        let kind = fields
            .iter()
            .rev()
            .find(|(key, _)| key.is("type"))
            .and_then(|(_, value)| value.as_text())
            .map_or(EventKind::Unknown, EventKind::of);
        Self { raw, kind, fields }
    }

    /// An entry of whatever shape, treated as unknown (`--lenient`).
    pub fn unknown(raw: Raw<'a>) -> Self {
        Self {
            raw,
            kind: EventKind::Unknown,
            fields: raw.as_object().map(Iterator::collect).unwrap_or_default(),
        }
    }

    /// The entry as written.
    pub fn raw(&self) -> Raw<'a> {
        self.raw
    }

    /// The entry's kind.
    pub fn kind(&self) -> EventKind {
        self.kind
    }

    /// Keys and values in the order written, duplicates included.
    pub fn fields(&self) -> &[(Text<'a>, Raw<'a>)] {
        &self.fields
    }

    /// The value of `key`, the last of duplicates.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.fields
            .iter()
            .rev()
            .find(|(name, _)| name.is(key))
            .map(|&(_, value)| value)
    }

    /// The string at `key`, if it is one.
    pub fn text(&self, key: &str) -> Option<Text<'a>> {
        self.get(key).and_then(Raw::as_text)
    }

    /// The time the entry was stored, if it is there and can be read.
    pub fn timestamp(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.text("timestamp")?.decode())
    }

    /// The variant of a `chat_response`: the first of `message`, `reasoning` and
    /// `data` that fits (`docs/formats.md#entry-kinds`).
    pub fn answer(&self) -> Option<Answer<'a>> {
        self.text("message")
            .map(Answer::Message)
            .or_else(|| self.text("reasoning").map(Answer::Reasoning))
            .or_else(|| self.get("data").map(Answer::Structured))
    }

    /// Whether a `tool_call_response` reports a failure, under either spelling
    /// (D-8).
    pub fn is_error(&self) -> bool {
        ["is_error", "isError"]
            .iter()
            .any(|key| self.get(key).and_then(Raw::as_bool) == Some(true))
    }
}
