//! Marks of a body, and the blocks that can carry one.

use crate::body::{Block, is_change, is_thinking};
use crate::json::Raw;

/// How long an entry at a breakpoint lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ttl {
    /// Five minutes, the default.
    Minutes,
    /// An hour.
    Hour,
}

impl Ttl {
    /// The lifetime that the value of a mark asks for; `None` where it is null.
    pub fn of(mark: Raw<'_>) -> Option<Self> {
        let text = || mark.get("ttl").and_then(Raw::as_str);
        (!mark.is_null()).then(|| match text().as_deref() {
            Some("1h") => Ttl::Hour,
            _ => Ttl::Minutes,
        })
    }

    /// As the Messages API writes it.
    pub fn name(self) -> &'static str {
        match self {
            Ttl::Minutes => "5m",
            Ttl::Hour => "1h",
        }
    }
}

/// The mark of a block or tool itself, or that of the definition which a
/// `tool_addition` brings.
pub fn mark<'a>(block: &Block<'a>) -> Option<Raw<'a>> {
    let given = |key| block.fields.given(key);
    given("cache_control")
        .or_else(|| given("prompt_cache_breakpoint"))
        .or_else(|| {
            if !is_change(&block.kind) {
                return None;
            }
            let definition = block.get("tool")?.get("definition")?;
            let mark = definition.get("cache_control");
            mark.filter(|mark| !mark.is_null())
        })
}

/// The marks inside a result or a document: an entry ends at the whole block.
pub fn inner_mark<'a>(block: &Block<'a>) -> impl Iterator<Item = (Block<'a>, Raw<'a>)> {
    let holds = matches!(block.kind.as_ref(), "tool_result" | "document")
        && memchr::memmem::find(block.raw.bytes(), b"cache_control").is_some();
    let inner = holds.then(|| block.inner()).into_iter().flatten();
    inner.filter_map(|one| {
        let mark = one.fields.given("cache_control")?;
        Some((one, mark))
    })
}

/// Whether an entry can end at a block: not at thinking, nor at an empty text. The
/// automatic breakpoint falls on the last block of the prompt at which one can, unless
/// a later user message clears the message that holds it.
pub fn can_end(block: &Block<'_>) -> bool {
    let empty = || block.text().is_some_and(|text| text.bytes().len() == 2);
    !(is_thinking(&block.kind) || block.kind == "text" && empty())
}
