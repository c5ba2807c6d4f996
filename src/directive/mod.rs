//! What changed at operator level, and where in a conversation it is said.
//!
//! A stored `config_delta` says what the configuration becomes; a model has to be
//! told what changed. [`place`] finds the boundaries of a conversation, the places
//! where the API takes a system message (`docs/directives.md#placement`); [`Deriver`]
//! walks the deltas and gives each boundary one [`Directive`], the net difference
//! since the boundary before it (`docs/directives.md`): `text` compares sections by what
//! they render to (D-13), `tool` what is offered (D-30). [`catalogue`] keeps every
//! tool at its place (D-29). What a definition looks like on the wire, and when a
//! forced choice needs a line of its own, is the [`Dialect`]'s to say.

pub mod catalogue;
pub mod derive;
pub mod listed;
pub(crate) mod notes;
pub mod place;

mod tell;
mod text;
mod tool;

pub use catalogue::{Catalogue, CatalogueFile, Entry};
pub use derive::{Deriver, Setup, Stop};
pub use place::{Boundary, boundaries};

use crate::config::{Config, Tool, ToolChoice, Warnings};
use std::sync::Arc;

/// Changes that are said in one place: texts in their order, then tool changes in
/// catalogue order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directive {
    /// The texts, each escaped as inside a JSON string.
    pub texts: Vec<Arc<[u8]>>,
    /// What becomes of tools.
    pub changes: Vec<ToolChange>,
    /// A text that holds until the user speaks again, in a message of its own.
    pub scoped: Option<Arc<[u8]>>,
}

impl Directive {
    /// Whether there is anything that stands: texts that do, or tool changes.
    pub fn says(&self) -> bool {
        !self.texts.is_empty() || !self.changes.is_empty()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.changes.is_empty() && self.scoped.is_none()
    }
}

/// What becomes of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChange {
    /// It is offered from here on.
    Addition {
        /// Its name.
        name: Arc<str>,
        /// Its definition, where `tools` does not hold this one.
        definition: Option<Arc<[u8]>>,
    },
    /// It is offered no longer.
    Removal {
        /// Its name.
        name: Arc<str>,
    },
}

impl ToolChange {
    /// The tool's name.
    pub fn name(&self) -> &str {
        match self {
            ToolChange::Addition { name, .. } | ToolChange::Removal { name } => name,
        }
    }
}

/// How tools that appear later are made known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolMode {
    /// As deferred entries appended to `tools`.
    #[default]
    Deferred,
    /// By value, where they appear; `tools` stays as it is.
    Inline,
}

/// What is said of a section that goes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Withdrawals {
    /// Nothing to the model; a warning tells it.
    Report,
    /// A text that takes it back.
    #[default]
    Notice,
}

/// Which tools a choice can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// Whether any tool is offered.
    pub any: bool,
    /// Whether the choice may be sent as a parameter: there is a `tools` array, and
    /// a tool that is named stands in it.
    pub by_parameter: bool,
}

/// What a request says beside its messages, as far as that costs a prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Voice {
    /// The line that stands for a forced choice.
    pub nudge: Option<String>,
    /// `tool_choice`, in some spelling.
    pub choice: String,
    /// Thinking and effort, in some spelling; thinking alone where efforts are said
    /// in messages.
    pub reasoning: String,
    /// The effort that is asked for, the model's own where none is; `None` where it
    /// does not think.
    pub effort: Option<&'static str>,
    /// The effort as it is sent at the top, if it is.
    pub top: Option<&'static str>,
}

/// What a provider has to say while directives are derived.
pub trait Dialect<'a> {
    /// The definition of a tool as it is sent, without marks; `None` if there is
    /// none to be had.
    fn define(&self, tool: &Tool<'a>, warnings: &mut Warnings) -> Option<Vec<u8>>;

    /// What the request at a configuration says beside its messages.
    fn voice(
        &self,
        config: &Config<'a>,
        choice: &ToolChoice<'a>,
        offered: Offered,
    ) -> Voice;
}
