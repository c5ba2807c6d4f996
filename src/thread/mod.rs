//! A conversation as a request sees it, before a provider writes it.
//!
//! A [`Thread`] is the prelude, the items and the attachments of one request
//! point (`docs/bodies.md#request-points`). What exists and where is decided here, once for all
//! providers: repair, compaction, ids, the order of results and texts, which
//! tools are sent. How it is written is each provider's file. `walk` finds the
//! points, [`Builder`] makes the threads; [`jp`] holds the other program's way.

pub mod build;
pub mod inputs;
pub mod item;
pub mod jp;
pub(crate) mod notes;
pub mod owner;
pub mod prelude;
pub mod rules;
pub mod tool;
pub mod walk;

pub mod halves;
mod items;
mod overlay;

pub use build::{Builder, Moved};
pub use inputs::{Attachment, Inputs, Payload};
pub use item::{Item, Part, ResultContent, Side, Words};
pub use owner::{Owner, holds_seal};
pub use prelude::Prelude;
pub use rules::Rules;
pub use tool::{Offer, ToolDefinition};
pub use walk::{Walk, walk};

use crate::config::Config;
use crate::directive::{Catalogue, Directive, Offered};
use crate::json::Raw;
use std::rc::Rc;
use std::sync::Arc;

/// Everything one request says, in nobody's dialect.
#[derive(Debug)]
pub struct Thread<'a> {
    /// The system parts, in the order sent.
    pub prelude: Rc<Prelude>,
    /// What was said, in the order sent.
    pub items: Vec<Item<'a>>,
    /// Indices of reasoning that compaction took out, ascending.
    pub stripped: Vec<usize>,
    /// Files that go with the conversation.
    pub attachments: Rc<Vec<Attachment<'a>>>,
    /// The tools on offer and what is said about calling them.
    pub offer: Rc<Offer<'a>>,
    /// The JSON Schema of a structured answer.
    pub schema: Option<Raw<'a>>,
    /// The configuration at the request point.
    pub config: Rc<Config<'a>>,
    /// What became of thinking whose prefix has changed.
    pub bound: Option<LeftOut>,
    /// What is said of changes where they happened; `None` to say everything at the
    /// head.
    pub placed: Option<Placed>,
}

/// Which thinking is still good at a request.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// Thinking that answers a request before this entry is not, whatever else, and
    /// why.
    pub since: (usize, &'static str),
    /// Whether the API is asked to drop it; if not, it is left out.
    pub asks: bool,
}

/// Thinking blocks that were made before the prefix changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// How many.
    pub count: usize,
    /// Bytes of their text and seal.
    pub bytes: usize,
    /// The entry of the first.
    pub first: usize,
    /// The request, by its entry, at which the prefix changed.
    pub since: usize,
    /// What changed.
    pub why: &'static str,
    /// Whether they are in the body, and the API is asked to drop them.
    pub asked: bool,
}

/// Directives of a thread, and the tools they speak of.
#[derive(Debug, Clone, Default)]
pub struct Placed {
    /// Each directive that says something, with the number of items before it.
    pub directives: Vec<(usize, Arc<Directive>)>,
    /// Efforts that are said in messages; `None` where the one in force stands at the
    /// top.
    pub efforts: Option<Efforts>,
    /// Which tools there are and which can be chosen; `None` where tools are not
    /// placed.
    pub tools: Option<(Catalogue, Offered)>,
}

/// Efforts of a thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Efforts {
    /// Those that messages say, each with the number of items before it.
    pub said: Vec<(usize, &'static str)>,
    /// The one at the first boundary, as it is sent at the top.
    pub top: Option<&'static str>,
}

impl Thread<'_> {
    /// Whether the request has tools.
    pub fn has_tools(&self) -> bool {
        match self
            .placed
            .as_ref()
            .and_then(|placed| placed.tools.as_ref())
        {
            Some((catalogue, _)) => !catalogue.entries.is_empty(),
            None => !self.offer.tools.is_empty(),
        }
    }

    /// Whether the last item is the assistant's.
    pub fn ends_with_assistant(&self) -> bool {
        let last = self.items.last();
        last.is_some_and(|item| item.part.side() == Side::Assistant)
    }
}
