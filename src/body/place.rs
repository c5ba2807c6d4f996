//! Where a part stands in its body, and the JSON Pointer that says so.
//!
//! A [`Place`] is a few indices, so that parts can carry it for free; the text
//! of the pointer is made only when something is reported there. The key names
//! differ from dialect to dialect, the shape does not.

use super::provider::Dialect;
use crate::json::pointer::{push_index, push_key};

/// The field through which a block holds blocks of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Inside {
    /// `content`
    Content,
    /// `source.content`
    Source,
}

/// A part of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The body itself.
    Root,
    /// An entry of `tools`.
    Tool(usize),
    /// The whole top-level system text.
    SystemText,
    /// A block of the top-level system text.
    System(usize),
    /// A message written as a bare string in the list's stead.
    MessageText,
    /// A message, item or content.
    Message(usize),
    /// The content of a message, where it is one string.
    Content(usize),
    /// A block of a message.
    Block(usize, usize),
    /// A block inside a block of a message.
    Inner(usize, usize, Inside, usize),
    /// A block inside a block inside a block of a message.
    Deep(usize, usize, Inside, usize, Inside, usize),
    /// An entry of a message's `tool_calls`.
    Call(usize, usize),
}

/// The top-level key that holds the messages.
pub(super) fn messages_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Messages | Dialect::Chat | Dialect::Ollama | Dialect::Converse => {
            "messages"
        }
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
    }
}

/// The key that holds a message's blocks.
pub(super) fn content_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Gemini => "parts",
        _ => "content",
    }
}

impl Place {
    /// The message the place is in, if it is in one.
    pub fn message(self) -> Option<usize> {
        match self {
            Place::MessageText => Some(0),
            Place::Message(message)
            | Place::Content(message)
            | Place::Block(message, _)
            | Place::Inner(message, ..)
            | Place::Deep(message, ..)
            | Place::Call(message, _) => Some(message),
            Place::Root | Place::Tool(_) | Place::SystemText | Place::System(_) => None,
        }
    }

    /// The JSON Pointer, from the body's own value.
    pub fn pointer(self, dialect: Dialect) -> String {
        let mut out = String::new();
        match self {
            Place::Root => {}
            Place::Tool(tool) => {
                if dialect == Dialect::Converse {
                    push_key(&mut out, "toolConfig");
                }
                push_key(&mut out, "tools");
                push_index(&mut out, tool);
            }
            Place::SystemText => push_key(&mut out, system_key(dialect)),
            Place::System(block) => {
                push_key(&mut out, system_key(dialect));
                if dialect == Dialect::Gemini {
                    push_key(&mut out, "parts");
                }
                push_index(&mut out, block);
            }
            Place::MessageText => push_key(&mut out, messages_key(dialect)),
            Place::Message(message) => message_to(&mut out, dialect, message),
            Place::Content(message) => {
                message_to(&mut out, dialect, message);
                push_key(&mut out, content_key(dialect));
            }
            Place::Block(message, block) => block_to(&mut out, dialect, message, block),
            Place::Inner(message, block, inside, inner) => {
                block_to(&mut out, dialect, message, block);
                inside_to(&mut out, inside, inner);
            }
            Place::Deep(message, block, inside, inner, deeper, deep) => {
                block_to(&mut out, dialect, message, block);
                inside_to(&mut out, inside, inner);
                inside_to(&mut out, deeper, deep);
            }
            Place::Call(message, call) => {
                message_to(&mut out, dialect, message);
                push_key(&mut out, "tool_calls");
                push_index(&mut out, call);
            }
        }
        out
    }
}

fn system_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Gemini => "systemInstruction",
        Dialect::Responses => "instructions",
        _ => "system",
    }
}

fn message_to(out: &mut String, dialect: Dialect, message: usize) {
    push_key(out, messages_key(dialect));
    push_index(out, message);
}

fn block_to(out: &mut String, dialect: Dialect, message: usize, block: usize) {
    message_to(out, dialect, message);
    push_key(out, content_key(dialect));
    push_index(out, block);
}

fn inside_to(out: &mut String, inside: Inside, index: usize) {
    if inside == Inside::Source {
        push_key(out, "source");
    }
    push_key(out, "content");
    push_index(out, index);
}
