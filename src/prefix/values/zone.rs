//! Which members of a part are rendered, and which only steer the cache.
//!
//! A `cache_control` is a marker where the API takes one: on a tool, a system
//! block, a content block, on blocks inside a result, and on the definition that
//! a tool change brings. Anywhere else, in a call's input or in a schema, a key
//! of that name is content like any other. A [`Zone`] says where a walk stands.

use crate::json::{Kind, Raw, Text};

/// Where a walk through a part stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// A content block, or a block inside as many others as the number says.
    Block(u8),
    /// The `source` of a block.
    Source(u8),
    /// The address in a `source`.
    Url,
    /// What holds blocks: a list, or one text as a string.
    Blocks(u8),
    /// The `tool` of a tool change.
    Change,
    /// A tool's definition.
    Tool,
    /// A message without what is cut into segments of its own.
    Head,
    /// Content that holds no marker.
    Inside,
}

impl Zone {
    /// Whether a member of an object here is no content.
    pub(crate) fn skips(self, key: Text<'_>, value: Raw<'_>) -> bool {
        let mark = || {
            ["cache_control", "prompt_cache_breakpoint"]
                .iter()
                .any(|name| key.is(name))
        };
        match self {
            Zone::Block(_) => mark(),
            Zone::Tool => mark() || key.is("defer_loading"),
            Zone::Head => {
                mark()
                    || ["content", "parts", "tool_calls"]
                        .iter()
                        .any(|name| key.is(name))
                    || value.is_null()
            }
            _ => false,
        }
    }

    /// The zone of the member `key`.
    pub(crate) fn member(self, key: Text<'_>) -> Zone {
        match self {
            // Blocks stand in blocks at most twice; a hostile body goes deeper.
            Zone::Block(depth @ ..2) | Zone::Source(depth) if key.is("content") => {
                Zone::Blocks(depth)
            }
            Zone::Block(depth @ ..2) if key.is("source") => Zone::Source(depth),
            Zone::Source(_) if key.is("url") => Zone::Url,
            Zone::Block(0) if key.is("tool") => Zone::Change,
            Zone::Change if key.is("definition") => Zone::Tool,
            _ => Zone::Inside,
        }
    }

    /// The zone of the elements of an array here.
    pub(crate) fn element(self) -> Zone {
        match self {
            Zone::Blocks(depth) => Zone::Block(depth + 1),
            _ => Zone::Inside,
        }
    }
}

/// The text of a block that holds nothing but text.
pub(crate) fn plain_text(block: Raw<'_>) -> Option<Raw<'_>> {
    let mut text = None;
    for (key, value) in block.as_object()? {
        if key.is("text") && value.kind() == Kind::String {
            text = Some(value);
        } else if key.is("type") {
            let kind = value.as_str()?;
            if !matches!(kind.as_ref(), "text" | "input_text" | "output_text") {
                return None;
            }
        } else if !Zone::Block(0).skips(key, value) {
            return None;
        }
    }
    text
}

/// The text that a list of one plain text block says.
pub(crate) fn lone_text(list: Raw<'_>) -> Option<Raw<'_>> {
    let mut elements = list.as_array()?;
    let only = elements.next()?;
    match elements.next() {
        None => plain_text(only),
        Some(_) => None,
    }
}
