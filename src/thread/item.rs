//! The items of a thread: what was said, one piece each.

use crate::block::Content;
use crate::body::Provider;
use crate::config::escaped;
use crate::json::{Raw, Text, write};
use std::borrow::Cow;

/// The result of a call that never got one.
pub const INTERRUPTED: &str = "Tool call was interrupted.";

/// Who speaks in an item of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The user: texts and tool results.
    User,
    /// The assistant: texts, reasoning and tool calls.
    Assistant,
}

/// One piece of a conversation, with the entry it comes from.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    /// Index of the entry; that of the call for a result put in by repair.
    pub index: usize,
    /// The entry's `metadata`, in the input's encoding.
    pub metadata: Option<Raw<'a>>,
    /// The provider whose event it is, if that is known.
    pub owner: Option<Provider>,
    /// What was said.
    pub part: Part<'a>,
}

/// What an item says.
#[derive(Debug, Clone)]
pub enum Part<'a> {
    /// The user's text.
    Request(Words<'a>),
    /// The assistant's text.
    Message(Words<'a>),
    /// The assistant's reasoning.
    Reasoning(Text<'a>),
    /// A structured answer, any JSON.
    Structured(Raw<'a>),
    /// A call of a tool.
    Call {
        /// The id, as the provider takes it.
        id: Cow<'a, str>,
        /// The tool's name.
        name: Text<'a>,
        /// The arguments in the input's encoding; `None` for an empty object.
        arguments: Option<Raw<'a>>,
    },
    /// The result of a call.
    Result {
        /// The id of the call, as sent with it.
        id: Cow<'a, str>,
        /// The name of the tool, if the call is known.
        name: Option<Text<'a>>,
        /// Whether the tool failed.
        is_error: bool,
        /// What it gave back.
        content: ResultContent<'a>,
    },
}

/// The content of a result.
#[derive(Debug, Clone)]
pub enum ResultContent<'a> {
    /// As stored; its provider view is sent.
    Stored(Content<'a>),
    /// A line that compaction put in its place.
    Status(String),
    /// [`INTERRUPTED`], put in by repair.
    Interrupted,
}

/// A text from the stream, or one put in.
#[derive(Debug, Clone)]
pub enum Words<'a> {
    /// A stored string.
    Text(Text<'a>),
    /// Any other string.
    Str(Cow<'a, str>),
}

impl Words<'_> {
    /// Appends the text as a JSON string.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Words::Text(text) => write::text(out, *text),
            Words::Str(text) => write::string(out, text),
        }
    }

    /// Appends the text, escaped, without quotes.
    pub fn write_escaped(&self, out: &mut Vec<u8>) {
        match self {
            Words::Text(text) => out.extend_from_slice(&write::canonical(*text)),
            Words::Str(text) => write::escaped(out, text),
        }
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(&self) -> bool {
        match self {
            Words::Text(text) => escaped::is_blank(*text),
            Words::Str(text) => text.trim().is_empty(),
        }
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        match self {
            Words::Text(text) => text.escaped().is_empty(),
            Words::Str(text) => text.is_empty(),
        }
    }
}

impl Part<'_> {
    /// Who says it.
    pub fn side(&self) -> Side {
        match self {
            Part::Request(_) | Part::Result { .. } => Side::User,
            Part::Message(_)
            | Part::Reasoning(_)
            | Part::Structured(_)
            | Part::Call { .. } => Side::Assistant,
        }
    }
}
